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
