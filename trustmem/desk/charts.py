"""Figures, built here and drawn by static/js/charts.js: data and axes, with colours as names of tokens.

Whatever text of users stands in one goes through `literal`, since plotly.js reads some HTML in labels.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go  # type: ignore[import-untyped]
from django.utils.html import escape
from django.utils.translation import gettext

from trustmem.core.instants import to_datetime
from trustmem.core.vocabulary import BANDS
from trustmem.desk.presenters.freshness import Curve, Fall
from trustmem.desk.words import word

#: Marks differ in shape as well, so that nothing hangs on colour.
SOLID, DASHED = "solid", "dash"


def literal(text: str) -> str:
    """A text that is shown as it stands, be there tags in it.

    >>> literal("<b>bold</b>")
    '&lt;b&gt;bold&lt;/b&gt;'
    """
    return str(escape(text))


def drawn(*traces: Any, **layout: Any) -> str:
    """A figure as JSON; margins, fonts and grids are the client's."""
    return str(go.Figure(data=list(traces), layout={"template": {}, **layout}).to_json())


def dates(instants: Sequence[int]) -> list[str]:
    """Instants on an axis of dates, in UTC."""
    return [to_datetime(each).strftime("%Y-%m-%d %H:%M:%S") for each in instants]


class Banded(NamedTuple):
    """How many live facts stood in each band, in the order of BANDS, at an instant."""

    at: int
    counts: Sequence[int]


def bands_over_time(points: Sequence[Banded]) -> str:
    """Bands stacked over time, the lowest at the bottom."""
    at = dates([each.at for each in points])
    traces = [
        go.Scatter(
            x=at,
            y=[each.counts[place] for each in points],
            name=word(name),
            stackgroup="bands",
            mode="lines",
            line={"width": 1, "color": f"var(--band-{place + 1})"},
            hovertemplate="%{y}",
        )
        for place, name in enumerate(BANDS)
    ]
    return drawn(
        *traces,
        hovermode="x unified",
        legend={"orientation": "h", "traceorder": "normal"},
        xaxis={"type": "date"},
        yaxis={"title": {"text": gettext("live facts")}, "rangemode": "tozero"},
    )


def freshness_over_time(curve: Curve) -> str:
    """Freshness with use and without, its events, now, and the day on which trust falls into the next band."""
    at = dates([instant for instant, _, _ in curve.points])
    traces = [
        _line(at, [with_use for _, with_use, _ in curve.points], gettext("with use"), SOLID),
        _line(at, [without for _, _, without in curve.points], gettext("without use"), DASHED),
        _events(curve, gettext("confirmed"), "circle", is_use=False),
        _events(curve, gettext("used"), "circle-open", is_use=True),
        *([_fall(curve.fall)] if curve.fall else []),
    ]
    return drawn(
        *traces,
        hovermode="closest",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        margin={"t": 36, "r": 8, "b": 32, "l": 44},
        xaxis={"type": "date", "range": dates([curve.start, curve.end])},
        yaxis={"title": {"text": gettext("freshness")}, "range": [0, 1.04], "tickformat": ".2~f"},
        **_now(dates([curve.now])[0]),
    )


def _now(at: str) -> dict[str, Any]:
    """A line that stands at now, with its word at the foot."""
    line = {"color": "var(--edge)", "width": 1}
    foot = {"showarrow": False, "xanchor": "left", "yanchor": "bottom"}
    return {
        "shapes": [{"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": line}],
        "annotations": [{"x": at, "y": 0, "text": gettext("now"), **foot}],
    }


def _line(x: list[str], y: list[float], name: str, dash: str) -> Any:
    colour = "var(--ink)" if dash == SOLID else "var(--soft)"
    line = {"dash": dash, "color": colour, "width": 2 if dash == SOLID else 1.5}
    hover = "%{x|%Y-%m-%d}: %{y:.2f}<extra>%{fullData.name}</extra>"
    return go.Scatter(x=x, y=y, name=name, mode="lines", line=line, hovertemplate=hover)


def _events(curve: Curve, name: str, symbol: str, *, is_use: bool) -> Any:
    shown = [(event, freshness) for event, freshness in curve.events if event.is_use == is_use]
    return go.Scatter(
        x=dates([event.at for event, _ in shown]),
        y=[freshness for _, freshness in shown],
        text=[literal(event.says) for event, _ in shown],
        name=name,
        mode="markers",
        marker={"symbol": symbol, "size": 7, "color": "var(--accent)", "line": {"width": 1.5}},
        hovertemplate="%{x|%Y-%m-%d %H:%M}: %{text}<extra></extra>",
    )


def _fall(fall: Fall) -> Any:
    day = to_datetime(fall.at).strftime("%Y-%m-%d")
    said = gettext("falls to {band} on {day}").format(band=word(fall.band), day=day)
    return go.Scatter(
        x=dates([fall.at]),
        y=[fall.freshness],
        text=[said],
        mode="markers+text",
        textposition="top left",
        showlegend=False,
        marker={"symbol": "triangle-down", "size": 11, "color": f"var(--band-{BANDS.index(fall.band) + 1})"},
        textfont={"color": f"var(--band-{BANDS.index(fall.band) + 1})"},
        hovertemplate="%{text}<extra></extra>",
    )
