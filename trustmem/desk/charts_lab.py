"""The figures of the calibration lab: histograms with the squash over them, freshness against age, bands before and
after. What differs in colour differs in shape, in dash or in words as well."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]
from django.utils.translation import gettext

from trustmem.core.constants import Constants
from trustmem.core.histograms import SPANS
from trustmem.core.vocabulary import BANDS
from trustmem.desk.charts import drawn, literal
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import bench
from trustmem.desk.presenters.bench import Table
from trustmem.desk.words import word
from trustmem.store.models import Histogram, Space

#: So many times its scale to both sides of its midpoint a squash is drawn, be there facts or not.
_REACH = 3.3
_POINTS = 160
_LEGEND = {"orientation": "h", "x": 0, "y": 1.2, "yanchor": "bottom"}
_MARGIN = {"t": 64, "r": 64, "b": 40, "l": 48}
_DASHES = ("solid", "dash", "dot")
#: From which share of the most on a cell has many facts; how cells are filled, so that text in `--ink` is read up to
#: there, and in `--accent-ink` from there on.
_HALF = 0.5
_FILLS = [[0, "var(--sunk)"], [_HALF, "var(--differs)"], [_HALF, "var(--accent)"], [1, "var(--accent)"]]


def histogram(
    space: Space,
    row: Histogram | None,
    measure: str,
    in_force: Constants,
    trial: Constants | None,
    bins: str = "linear",
) -> str:
    """Bars, quartiles as uprights, and the squash of `trial` over them, if there is one to draw."""
    axis = _Axis(row, measure, in_force, bins, is_wide=trial is not None)
    traces = [_bars(row, axis)] if row is not None else []
    shapes, notes = _quartiles(row, axis) if row is not None else ([], [])
    if trial is not None:
        traces.append(_squash(measure, trial, axis))
    return drawn(
        *traces,
        bargap=0,
        margin=_MARGIN,
        legend=_LEGEND,
        hovermode="closest",
        xaxis=axis.layout,
        yaxis={"title": {"text": bench.counted(measure)}, "rangemode": "tozero", "tickformat": ",d"},
        shapes=shapes,
        annotations=notes,
        meta=_of_histogram(space, row, measure, trial),
        **({"yaxis2": _of_freshness()} if trial is not None else {}),
    )


def freshness_against_age(space: Space, trial: Constants) -> str:
    """Freshness of facts that were seen more or less often, all so long ago."""
    ages = bench.drawn_ages()
    x = [math.log10(age) for age in ages]
    traces = [
        go.Scatter(
            x=x,
            y=bench.seen(ages, times, trial),
            name=bench.seen_says(times),
            mode="lines",
            line={"dash": dash, "width": 2, "color": "var(--accent)" if times == 1 else "var(--ink)"},
            text=[bench.span(age) for age in ages],
            hovertemplate="%{text}: %{y:.2f}<extra>%{fullData.name}</extra>",
        )
        for times, dash in zip(bench.SEEN, _DASHES, strict=True)
    ]
    return drawn(
        *traces,
        margin=_MARGIN | {"r": 12},
        legend=_LEGEND,
        hovermode="closest",
        xaxis=_time_axis(ages[0], ages[-1]) | {"title": {"text": gettext("age")}},
        yaxis={"title": {"text": gettext("freshness")}, "range": [0, 1.04], "tickformat": ".2~f"},
        meta=_meta(
            "freshness-against-age",
            [f"{gettext('Freshness against age')} · {space.name}", bench.squash_says(trial)],
            bench.curve_table(trial),
        ),
    )


def bands_before_and_after(space: Space, matrix: Sequence[Sequence[int]], says: str) -> str:
    """How many facts go from which band (upwards) to which (across); arrows say whether that is up or down."""
    names = [word(band) for band in BANDS]
    places = range(len(BANDS))
    moved = [[matrix[before][after] if before != after else 0 for after in places] for before in places]
    heat = go.Heatmap(
        x=names,
        y=names,
        z=[[math.log1p(many) for many in row] for row in moved],
        text=[[_moved(before, after, matrix[before][after]) for after in places] for before in places],
        hovertemplate=f"%{{y}} → %{{x}}: %{{text}} {gettext('facts')}<extra></extra>",
        colorscale=_FILLS,
        showscale=False,
        xgap=2,
        ygap=2,
    )
    return drawn(
        heat,
        _written(names, matrix, moved),
        margin={"t": 8, "r": 8, "b": 48, "l": 70},
        meta=_meta("bands-before-and-after", [f"{gettext('Bands before and after')} · {space.name}", says]),
        xaxis={"title": {"text": gettext("band after")}, "type": "category"},
        yaxis={"title": {"text": gettext("band before")}, "type": "category"},
    )


def _written(names: list[str], matrix: Sequence[Sequence[int]], moved: list[list[int]]) -> Any:
    """What stands in the cells: dark on those with few facts, light on those with many."""
    most = math.log1p(max(map(max, moved)))
    cells = [(before, after) for before in range(len(names)) for after in range(len(names))]
    is_many = [most > 0 and math.log1p(moved[before][after]) >= _HALF * most for before, after in cells]
    return go.Scatter(
        x=[names[after] for _, after in cells],
        y=[names[before] for before, _ in cells],
        text=[_moved(before, after, matrix[before][after]) for before, after in cells],
        mode="text",
        textfont={"color": ["var(--accent-ink)" if each else "var(--ink)" for each in is_many]},
        hoverinfo="skip",
        showlegend=False,
    )


def _moved(before: int, after: int, many: int) -> str:
    arrow = "" if before == after else "▲ " if after > before else "▼ "
    return f"{arrow}{whole(many)}" if many else ""


def _of_histogram(space: Space, row: Histogram | None, measure: str, trial: Constants | None) -> dict[str, Any]:
    caption = bench.caption(space.name, row) if row else [f"{bench.title(measure)} · {space.name}"]
    if trial is not None:
        caption.append(bench.squash_says(trial))
    name = bench.file_name(row.measure, row.by, row.of, row.bins) if row else bench.file_name(measure)
    return _meta(name, caption, bench.table(row, trial) if row else None)


def _meta(file: str, caption: list[str], table: Table | None = None) -> dict[str, Any]:
    """What a figure is called as a file and what stands over it there; what the table behind it says, for the page to
    keep in step with it."""
    meta: dict[str, Any] = {"file": file, "caption": [literal(each) for each in caption]}
    return meta | ({"head": table.head, "rows": table.rows} if table else {})


class _Axis:
    """The horizontal axis of a measure: where its values stand (`place`), and what is marked."""

    def __init__(self, row: Histogram | None, measure: str, in_force: Constants, bins: str, *, is_wide: bool) -> None:
        self.measure, self.is_log = measure, (row.bins if row else bins) == "log"
        self.unit = 1.0
        if measure == "activation":
            middle, reach = in_force.activation_midpoint, _REACH * in_force.activation_scale
            edges = row.edges if row else []
            self.low, self.high = min([middle - reach, *edges]), max([middle + reach, *edges])
            self.layout: dict[str, Any] = {"range": [self.low, self.high], "title": {"text": bench.title(measure)}}
        elif self.is_log:
            ages = bench.drawn_ages()
            self.low, self.high = (row.edges[0], row.edges[-1]) if row else (ages[0], ages[-1])
            if is_wide:  # so that the squash is seen to fall, however much alike the ages are
                self.low, self.high = min(self.low, float(bench.HOUR)), max(self.high, 3.0 * bench.YEAR)
            self.layout = _time_axis(self.low, self.high) | {"title": {"text": bench.title(measure)}}
        else:
            self.low, self.high = (row.edges[0], row.edges[-1]) if row else (0.0, 1.0)
            if measure in SPANS:
                self.unit = float(next((each for each in _UNITS if self.high >= 3 * each), 1))
            self.layout = {"title": {"text": _with_unit(measure, self.unit)}}

    def place(self, value: float) -> float:
        return math.log10(max(value, 1e-6)) if self.is_log else value / self.unit


_UNITS = (bench.YEAR, bench.MONTH, bench.DAY, bench.HOUR, bench.MINUTE)


def _with_unit(measure: str, unit: float) -> str:
    if measure not in SPANS:
        return bench.title(measure)
    units = {
        bench.YEAR: gettext("years"),
        bench.MONTH: gettext("months"),
        bench.DAY: gettext("days"),
        bench.HOUR: gettext("hours"),
        bench.MINUTE: gettext("minutes"),
    }
    return f"{bench.title(measure)} ({units.get(int(unit), gettext('seconds'))})"


def _time_axis(low: float, high: float) -> dict[str, Any]:
    """Time by its powers of ten, marked by minutes, hours, days, months and years."""
    marks = bench.ticks(low, high)
    return {
        "range": [math.log10(max(low, 1e-6)), math.log10(max(high, 1e-5))],
        "tickvals": [math.log10(each.at) for each in marks],
        "ticktext": [each.says for each in marks],
        "tickangle": 0,
    }


def _bars(row: Histogram, axis: _Axis) -> Any:
    edges = [axis.place(each) for each in row.edges]
    pairs = list(pairwise(edges))
    says = [
        f"{bench.amount(row.measure, low)} … {bench.amount(row.measure, high)}" for low, high in pairwise(row.edges)
    ]
    return go.Bar(
        x=[(low + high) / 2 for low, high in pairs],
        width=[high - low for low, high in pairs],
        y=row.counts,
        text=says,
        textposition="none",
        name=bench.counted(row.measure),
        marker={"color": "var(--edge)", "opacity": 0.55, "line": {"width": 1, "color": "var(--card)"}},
        hovertemplate="%{text}: %{y:,d}<extra></extra>",
    )


def _squash(measure: str, trial: Constants, axis: _Axis) -> Any:
    steps = [each / (_POINTS - 1) for each in range(_POINTS)]
    if axis.is_log:
        low, high = axis.place(axis.low), axis.place(axis.high)
        values = [10 ** (low + (high - low) * step) for step in steps]
    else:
        values = [axis.low + (axis.high - axis.low) * step for step in steps]
    return go.Scatter(
        x=[axis.place(each) for each in values],
        y=bench.squash(measure, values, trial),
        yaxis="y2",
        name=gettext("freshness") if measure == "activation" else gettext("freshness, seen once"),
        mode="lines",
        line={"width": 2.5, "color": "var(--accent)"},
        text=[bench.amount(measure, each) for each in values],
        hovertemplate="%{text}: %{y:.2f}<extra>%{fullData.name}</extra>",
    )


def _quartiles(row: Histogram, axis: _Axis) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """An upright at each quartile, and over it what it is."""
    says = (gettext("Q1"), gettext("median"), gettext("Q3"))
    found = [(axis.place(at), each) for at, each in zip(row.quartiles, says, strict=False)]
    shapes = [
        {
            "type": "line",
            "x0": at,
            "x1": at,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": {"color": "var(--ink)", "width": 1, "dash": "dot"},
        }
        for at, _ in found
    ]
    anchors = ("right", "center", "left")
    notes = [
        {
            "x": at,
            "y": 1,
            "yref": "paper",
            "text": says,
            "showarrow": False,
            "xanchor": anchor,
            "yanchor": "bottom",
            "yshift": 11 if anchor == "center" else 0,  # they may stand close together
            "font": {"size": 11, "color": "var(--ink)"},
        }
        for (at, says), anchor in zip(found, anchors, strict=False)
    ]
    return shapes, notes


def _of_freshness() -> dict[str, Any]:
    return {
        "overlaying": "y",
        "side": "right",
        "range": [0, 1.04],
        "tickvals": [0, 0.25, 0.5, 0.75, 1],
        "tickformat": ".2~f",
        "showgrid": False,
        "fixedrange": True,
        "title": {"text": gettext("freshness"), "standoff": 12},
        "automargin": True,
    }
