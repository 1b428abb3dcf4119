"""Histograms and the squash of freshness as the calibration lab shows them: as points to draw and as tables to read.

Whatever depends on constants is reckoned here, by the functions of the core.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from django.utils.text import slugify
from django.utils.translation import gettext, ngettext, npgettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from trustmem.core.columns import Floats
from trustmem.core.constants import Constants
from trustmem.core.freshness import activation, freshness
from trustmem.core.histograms import SPANS
from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.desk.numbers import constant, two, whole
from trustmem.desk.words import word
from trustmem.store.histograms import REST
from trustmem.store.models import Histogram

MINUTE, HOUR, DAY = 60, 3600, 86_400
YEAR = 365 * DAY + 6 * HOUR
MONTH = YEAR // 12
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
#: What the group of all other sources is called in the name of a file.
_OTHERS = "all-others"
#: So much of the name of a group stands in that of a file.
_LONGEST = 60
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
    """Values that stand in no bin: why, what stands in their row for machines, and how many."""

    says: str
    key: str
    many: int


class Told(NamedTuple):
    """A histogram in words: of which group (''), how many values and where those are that no bar shows, the quartiles
    and of how many, its table; `note`: what one should know beside."""

    of: str
    says: str
    quartiles: list[str]
    of_many: str
    table: Table
    note: str


def title(measure: str) -> str:
    return str(TITLES[measure])


def counted(measure: str) -> str:
    """What the bars of a measure count."""
    return str(_COUNTED.get(measure, _("live facts")))


def span(seconds: float) -> str:
    """A span of time in its largest unit; so that what is longer never looks shorter, a year has 365.25 days, a month
    is a twelfth of one, and what would be sixty minutes is an hour.

    >>> span(91 * 86_400), span(90), span(0.0), span(365.2 * 86_400), span(3599.0)
    ('3 mo', '1.5 min', '0 s', '1 y', '1 h')
    """
    place = next((place for place, (unit, _) in enumerate(_UNITS) if seconds >= unit), len(_UNITS) - 1)
    if place and round(seconds / _UNITS[place][0], 1) * _UNITS[place][0] >= _UNITS[place - 1][0]:
        place -= 1
    unit, says = _UNITS[place]
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


def told(row: Histogram, constants: Constants | None = None, ahead: int = 0) -> Told:
    """A histogram, with freshness beside each bin where that is reckoned by `constants`; so many of its facts have an
    age `ahead` of now."""
    known = total(row) - row.unknown - (row.below if row.measure in SPANS else 0)
    return Told(
        of_group(row.by, row.of),
        says(row),
        [amount(row.measure, each) for each in row.quartiles],
        whole(known),
        table(row, constants),
        _of_future(ahead) if row.measure == "activation" and ahead else "",
    )


def _of_future(ahead: int) -> str:
    says = ngettext(
        "{count} fact is dated in the future, which counts as now.",
        "{count} facts are dated in the future, which counts as now.",
        ahead,
    )
    return says.format(count=whole(ahead))


def says(row: Histogram) -> str:
    """How many values there are, and where those are that no bar shows."""
    many = total(row)
    counts = ngettext("{count} gap", "{count} gaps", many) if row.measure == "gap" else _facts(many)
    all_of_it = counts.format(count=whole(many))
    parts = [gettext("{count} drawn").format(count=whole(int(sum(row.counts))))]
    parts += [_aside(row.measure, each) for each in asides(row) if each.many]
    if len(parts) == 1:
        return gettext("{facts}, all of them drawn").format(facts=all_of_it)
    return f"{all_of_it}: {', '.join(parts)}"


def _facts(many: int) -> str:
    return ngettext("{count} fact", "{count} facts", many)


def _aside(measure: str, aside: Aside) -> str:
    texts = {
        "unknown": gettext("{count} of unknown age") if measure != "gap" else gettext("{count} unknown"),
        "in the future": gettext("{count} in the future"),
        "below": gettext("{count} below the first bar"),
        "above": gettext("{count} above the last bar"),
    }
    return texts[aside.key].format(count=whole(aside.many))


def asides(row: Histogram) -> list[Aside]:
    below = ("in the future", gettext("in the future")) if row.measure in SPANS else ("below", gettext("below"))
    named = (
        (("unknown", gettext("unknown")), row.unknown),
        (below, row.below),
        (("above", gettext("above")), row.above),
    )
    return [Aside(says, key, many) for (key, says), many in named]


def table_for_machines(row: Histogram) -> list[list[object]]:
    """Bin by bin in the unit of the measure, and then by name what stands in none."""
    unit = "_seconds" if row.measure in SPANS else ""
    bins = [[low, high, many] for (low, high), many in zip(pairwise(row.edges), row.counts, strict=True)]
    return [[f"from{unit}", f"to{unit}", "count"], *bins, *([each.key, each.key, each.many] for each in asides(row))]


def file_name(measure: str, by: str = "", of: str = "", bins: str = "linear") -> str:
    """What a file is called that holds a histogram.

    >>> file_name("trust", "source", "Alice & Bob/../x"), file_name("since confirmed", bins="log")
    ('trust-by-source-alice-bobx', 'since-confirmed-log')
    """
    group = (_OTHERS if of == REST else slugify(of, allow_unicode=True)[:_LONGEST] or "unnamed") if by else ""
    parts = [measure, *(["by", by, group] if by else []), *(["log"] if bins == "log" else [])]
    return "-".join(parts).replace(" ", "-")


def caption(space: str, row: Histogram) -> list[str]:
    """What a figure says of itself where it is kept by itself: measure, group, space, and how many."""
    parts = [title(row.measure), of_group(row.by, row.of), space]
    return [" · ".join(_cut(each) for each in parts if each), says(row)]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def table(row: Histogram, constants: Constants | None = None) -> Table:
    """Bin by bin, and then what stands in none."""
    head = [gettext("from"), gettext("to"), counted(row.measure)]
    rows = [
        [amount(row.measure, low), amount(row.measure, high), whole(many)]
        for (low, high), many in zip(pairwise(row.edges), row.counts, strict=True)
    ]
    outside = [[each.says, "", whole(each.many)] for each in asides(row)]
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


def squash_says(constants: Constants) -> str:
    """Where freshness is one half, and how widely it spreads."""
    middle, scale = constant(constants.activation_midpoint), constant(constants.activation_scale)
    return gettext("B0 {middle}, σ {scale}").format(middle=middle, scale=scale)


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
