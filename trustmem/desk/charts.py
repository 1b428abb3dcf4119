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
from trustmem.desk.presenters.trend import Banded
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
        legend={"orientation": "h", "traceorder": "normal", "x": 0, "y": 1.02, "yanchor": "bottom"},
        xaxis={"type": "date"},
        yaxis={"title": {"text": gettext("live facts")}, "rangemode": "tozero"},
    )


def freshness_over_time(curve: Curve, today: str) -> str:
    """Freshness with use and without, its events, the instant from which one looks, which is called `today`, and the
    day on which trust falls into the next band."""
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
        shapes=[each.line for each in _uprights(curve, today)],
        annotations=[each.foot for each in _uprights(curve, today)],
    )


class _Upright(NamedTuple):
    """An upright line at an instant, and what is said at its foot."""

    line: dict[str, Any]
    foot: dict[str, Any]


def _uprights(curve: Curve, today: str) -> list[_Upright]:
    """Lines at now and at the fall, whose words stand one over the other."""
    found = [_upright(curve, curve.now, today, 0, "var(--soft)", "solid")]
    if curve.fall:
        day = to_datetime(curve.fall.at).strftime("%Y-%m-%d")
        said = gettext("trust falls to {band} on {day}").format(band=word(curve.fall.band), day=day)
        found.append(_upright(curve, curve.fall.at, said, 0.09, _colour(curve.fall), "dot"))
    return found


def _upright(curve: Curve, instant: int, says: str, y: float, colour: str, dash: str) -> _Upright:
    at, is_late = dates([instant])[0], 2 * instant > curve.start + curve.end
    line = {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": {"color": colour, "width": 1, "dash": dash}}
    anchor = {"showarrow": False, "xanchor": "right" if is_late else "left", "yanchor": "bottom"}
    return _Upright(line, {"x": at, "y": y, "text": says, "font": {"color": colour}, **anchor})


def _colour(fall: Fall) -> str:
    return f"var(--band-{BANDS.index(fall.band) + 1})"


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
        marker={
            "symbol": symbol,
            "size": 7,
            "color": "var(--accent)",
            "line": {"width": 1.5, "color": "var(--accent)"},
        },
        hovertemplate="%{x|%Y-%m-%d %H:%M}: %{text}<extra></extra>",
    )


def _fall(fall: Fall) -> Any:
    marker = {"symbol": "triangle-down", "size": 11, "color": _colour(fall)}
    return go.Scatter(
        x=dates([fall.at]), y=[fall.freshness], mode="markers", marker=marker, showlegend=False, hoverinfo="skip"
    )
