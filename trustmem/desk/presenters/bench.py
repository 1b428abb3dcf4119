"""Histograms and the squash of freshness as the calibration lab shows them: as points to draw and as tables to read.

Whatever depends on constants is reckoned here, by the functions of the core.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from django.utils.translation import gettext, npgettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from trustmem.core.columns import Floats
from trustmem.core.constants import Constants
from trustmem.core.freshness import activation, freshness
from trustmem.core.histograms import SPANS
from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.desk.numbers import two, whole
from trustmem.desk.words import word
from trustmem.store.histograms import REST
from trustmem.store.models import Histogram

MINUTE, HOUR, DAY = 60, 3600, 86_400
MONTH, YEAR = 30 * DAY, 365 * DAY
TITLES = {
    "age": _("Age"),
    "since confirmed": _("Time since the last confirmation"),
    "gap": _("Time between two reinforcements"),
    "activation": _("Activation B"),
    "trust": _("Trust"),
    "weight": _("Weight"),
}
#: What is counted: each fact once, or each time between two of its reinforcements.
_COUNTED = {"gap": _("gaps")}
#: How often a fact was seen whose freshness is drawn against its age.
SEEN = (1, 3, 10)
#: So many times its scale above its midpoint a squash is at three quarters, as 1 / (1 + e^−x) is at x = ln 3.
REACH = math.log(3)
#: Ages in the table behind that figure; and from where to where it is drawn, and in how many steps.
_AGES = (HOUR, DAY, 7 * DAY, MONTH, 3 * MONTH, YEAR, 3 * YEAR, 10 * YEAR)
_YOUNGEST, _OLDEST, _STEPS = 10 * MINUTE, 10 * YEAR, 160
_UNITS = (
    (YEAR, pgettext_lazy("duration", "{count} y")),
    (MONTH, pgettext_lazy("duration", "{count} mo")),
    (DAY, pgettext_lazy("duration", "{count} d")),
    (HOUR, pgettext_lazy("duration", "{count} h")),
    (MINUTE, pgettext_lazy("duration", "{count} min")),
    (1, pgettext_lazy("duration", "{count} s")),
)
#: Where an axis of time is marked; and where one is that is short.
_TICKS = (1, MINUTE, HOUR, DAY, MONTH, YEAR, 10 * YEAR, 100 * YEAR)
_SHORT = (1, 10, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY, MONTH, 3 * MONTH, YEAR, 3 * YEAR, 10 * YEAR)
_FEWEST = 4


class Tick(NamedTuple):
    """A place on an axis of time, in seconds, and what stands there."""

    at: float
    says: str


class Table(NamedTuple):
    """What stands behind a figure, to be read."""

    head: list[str]
    rows: list[list[str]]


class Aside(NamedTuple):
    """Values that stand in no bin: why, and how many."""

    says: str
    many: str


class Told(NamedTuple):
    """A histogram in words: of which group (''), how many values, those of them in no bin, the quartiles, its table."""

    of: str
    many: str
    asides: list[Aside]
    quartiles: list[str]
    table: Table


def title(measure: str) -> str:
    return str(TITLES[measure])


def counted(measure: str) -> str:
    """What the bars of a measure count."""
    return str(_COUNTED.get(measure, _("live facts")))


def span(seconds: float) -> str:
    """A span of time in its largest unit.

    >>> span(90 * 86_400), span(90), span(0.0)
    ('3 mo', '1.5 min', '0 s')
    """
    unit, says = next((each for each in _UNITS if seconds >= each[0]), _UNITS[-1])
    many = round(seconds / unit, 1)
    return str(says).format(count=whole(int(many)) if many == int(many) else f"{many:.1f}")


def ticks(low: float, high: float) -> list[Tick]:
    """Where an axis of time from `low` to `high` (seconds, each step a multiple of the one before) is marked."""
    within = [[each for each in some if low <= each <= high] for some in (_TICKS, _SHORT)]
    return [Tick(each, span(each)) for each in (within[0] if len(within[0]) >= _FEWEST else within[1])]


def amount(measure: str, value: float) -> str:
    """A value of a measure."""
    return span(value) if measure in SPANS else two(value)


def of_group(by: str, of: str) -> str:
    """What a group of facts is called; the name of a source stands as it is."""
    if of == REST:
        return gettext("all other sources")
    if not by or by == "source":
        return of
    return pgettext("producer", "core") if of == "core" else word(of)


def total(row: Histogram) -> int:
    """How many values there are, in a bin or not."""
    return int(sum(row.counts)) + row.below + row.above + row.unknown


def told(row: Histogram, constants: Constants | None = None) -> Told:
    """A histogram, with freshness beside each bin where that is reckoned by `constants`."""
    return Told(
        of_group(row.by, row.of),
        whole(total(row)),
        asides(row),
        [amount(row.measure, each) for each in row.quartiles],
        table(row, constants),
    )


def asides(row: Histogram) -> list[Aside]:
    below = gettext("in the future") if row.measure in SPANS else gettext("below")
    named = ((gettext("unknown"), row.unknown), (below, row.below), (gettext("above"), row.above))
    return [Aside(says, whole(many)) for says, many in named]


def table(row: Histogram, constants: Constants | None = None) -> Table:
    """Bin by bin, and then what stands in none."""
    head = [gettext("from"), gettext("to"), counted(row.measure)]
    rows = [
        [amount(row.measure, low), amount(row.measure, high), whole(many)]
        for (low, high), many in zip(pairwise(row.edges), row.counts, strict=True)
    ]
    outside = [[each.says, "", each.many] for each in asides(row)]
    if constants is not None:
        head.append(gettext("freshness at its middle"))
        middles = squash(row.measure, middle(row), constants)
        rows = [[*cells, two(fresh)] for cells, fresh in zip(rows, middles, strict=True)]
        outside = [[*cells, ""] for cells in outside]
    return Table(head, rows + outside)


def middle(row: Histogram) -> list[float]:
    """The middle of each bin, as it is drawn."""
    edges = np.array(row.edges, np.float64)
    if row.bins == "log":
        return [float(each) for each in np.sqrt(edges[:-1] * edges[1:])]
    return [float(each) for each in (edges[:-1] + edges[1:]) / 2]


def squash(measure: str, values: Sequence[float], constants: Constants) -> list[float]:
    """Freshness at each value: of a fact with that activation, or of one that was seen once, so long ago."""
    if measure == "activation":
        return [float(each) for each in freshness(np.array(values, np.float64), constants)]
    return seen(values, 1, constants)


def seen(ages: Sequence[float], times: int, constants: Constants) -> list[float]:
    """Freshness of a fact that was seen so many times, each of them so many seconds ago."""
    spans: Floats = np.array(ages, np.float64) * MICROSECONDS_PER_SECOND
    many = len(spans)
    at = -np.repeat(spans, times)
    never, none = np.zeros(many), np.zeros(many, np.int64)
    active = activation(at, np.repeat(np.arange(many), times), np.zeros(len(at), bool), none, never, 0, constants)
    return [float(each) for each in freshness(active.with_use, constants)]


def drawn_ages() -> list[float]:
    """Ages against which freshness is drawn, in seconds, each as much older than the one before."""
    return [float(each) for each in np.geomspace(_YOUNGEST, _OLDEST, _STEPS)]


def seen_says(times: int) -> str:
    """What a curve is called."""
    return npgettext("curve", "seen once", "seen {count} times", times).format(count=times)


def curve_table(constants: Constants) -> Table:
    """Freshness at some ages of facts that were seen more or less often."""
    head = [gettext("age"), *map(seen_says, SEEN)]
    columns = [seen(_AGES, times, constants) for times in SEEN]
    return Table(head, [[span(age), *map(two, each)] for age, *each in zip(_AGES, *columns, strict=True)])
