"""Figures of how well trust tells what people find: reliability diagrams, months, and sources with their intervals.

Each point has an interval and its count in words; what differs in colour differs in shape or in dash as well.
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]
from django.utils.translation import gettext

from trustmem.core.reliability import Bin, Posterior
from trustmem.desk.charts import drawn, literal
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.bench import Table
from trustmem.desk.presenters.texts import beginning
from trustmem.desk.presenters.truth import Group, between, told
from trustmem.desk.presenters.truth_asked import title
from trustmem.explanations.text import pieces

#: So much of a name stands beside an axis.
_LONGEST = 24
_MARGIN = {"t": 40, "r": 12, "b": 44, "l": 52}
_LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
_SHARES = {"tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1], "tickformat": ".2~f"}
_HOVER = "%{{customdata}}, %{{text}} {outcomes}<extra></extra>"
#: Above the highest point stands its count.
_TOP = 1.12


def reliability_diagram(bins: Sequence[Bin], measure: str, table: Table) -> str:
    """The share that was right against what was stated, with the diagonal on which both are the same."""
    found = [each for each in bins if each.share is not None]
    same = go.Scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        name=gettext("as stated"),
        line={"dash": "dash", "width": 1.5, "color": "var(--soft)"},
        hoverinfo="skip",
    )
    points = _shares([each.mean_trust for each in found], found, gettext("as found"), f"{gettext('stated')} %{{x:.2f}}")
    return drawn(
        same,
        points,
        margin=_MARGIN,
        legend=_LEGEND,
        hovermode="closest",
        height=340,
        xaxis={"title": {"text": title(measure)}, "range": [0, 1.02], **_SHARES},
        yaxis={"title": {"text": gettext("share right")}, "range": [0, _TOP], **_SHARES},
        meta={"head": table.head, "rows": table.rows},
    )


def _shares(x: Sequence[Any], found: Sequence[Bin] | Sequence[Group], name: str, at: str) -> Any:
    """The share of each that was right, with its interval and how many outcomes it is of; `at` says where one is."""
    return go.Scatter(
        x=x,
        y=[each.share for each in found],
        error_y=_error([_reach(each) for each in found]),
        mode="markers+lines+text",
        name=name,
        text=[whole(each.n) for each in found],
        textposition="top right",
        cliponaxis=False,
        customdata=[f"{told(each.share)} ({between(each.interval)})" for each in found],
        marker={"size": 9, "color": "var(--accent)"},
        line={"width": 1, "color": "var(--accent)"},
        hovertemplate=f"{at}: {_HOVER.format(outcomes=gettext('outcomes'))}",
    )


def over_time(months: Sequence[Group], table: Table) -> str:
    """Month by month, the share that was right, and the Brier score."""
    names = [each.name for each in months]
    shares = _shares(names, months, gettext("share right"), "%{x}")
    scores = go.Scatter(
        x=names,
        y=[each.brier for each in months],
        mode="markers+lines",
        name=gettext("Brier score"),
        marker={"size": 8, "symbol": "diamond-open", "color": "var(--ink)"},
        line={"width": 1.5, "dash": "dot", "color": "var(--ink)"},
        hovertemplate="%{x}: %{y:.2f}<extra>%{fullData.name}</extra>",
    )
    return drawn(
        shares,
        scores,
        margin=_MARGIN,
        legend=_LEGEND,
        hovermode="closest",
        xaxis={"type": "category"},
        yaxis={"range": [0, _TOP], **_SHARES},
        meta={"head": table.head, "rows": table.rows},
    )


def of_sources(names: Sequence[str], found: Sequence[Posterior]) -> str:
    """Sources below each other, each with the share of its facts that is to be taken for right, and its interval."""
    points = go.Scatter(
        x=[each.mean for each in found],
        y=list(range(len(names))),
        error_x=_error([(each.high - each.mean, each.mean - each.low) for each in found]),
        mode="markers",
        customdata=[
            f"{_named(name)}: {told(each.mean)} ({told(each.low)} – {told(each.high)})"
            for name, each in zip(names, found, strict=True)
        ],
        marker={"size": 9, "color": "var(--accent)"},
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )
    return drawn(
        points,
        margin={"t": 8, "r": 16, "b": 44, "l": 12},
        height=90 + 26 * len(names),
        hovermode="closest",
        xaxis={"title": {"text": gettext("share right")}, "range": [0, 1], **_SHARES},
        yaxis={
            "tickvals": list(range(len(names))),
            "ticktext": [_named(beginning(name, _LONGEST)) for name in names],
            "range": [len(names) - 0.5, -0.5],
        },
    )


def _named(name: str) -> str:
    """A name with a sign in place of every character that would hide, move or reorder something."""
    return literal("".join(f"{shown}{sign}" for shown, sign in pieces(name)))


def _reach(each: Bin | Group) -> tuple[float, float]:
    """How far an interval goes up and down from the share."""
    if each.interval is None or each.share is None:
        return 0.0, 0.0
    return each.interval.high - each.share, each.share - each.interval.low


def _error(reaches: Sequence[tuple[float, float]]) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [up for up, _ in reaches],
        "arrayminus": [down for _, down in reaches],
        "color": "var(--accent)",
        "thickness": 1.5,
    }
