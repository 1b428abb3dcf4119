"""Whether trust predicts truth: what people found of facts, held against what was stated of them at the time.

All figures are those of `core.reliability` over the outcomes that an address asks for.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.utils.translation import gettext, ngettext

from trustmem.core import reliability
from trustmem.core.columns import Bools, Floats, Ints
from trustmem.core.constants import Constants
from trustmem.core.outcomes import Outcomes
from trustmem.core.reliability import Bin, Interval
from trustmem.core.vocabulary import BANDS, PRODUCERS
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters.bench import Table
from trustmem.desk.presenters.truth_asked import MEASURES, Asked, title
from trustmem.desk.words import word
from trustmem.store import outcomes as stored
from trustmem.store.models import Space
from trustmem.store.outcomes import Stratum

#: Of fewer outcomes than this no single figure is told.
FEWEST = 20
#: The widths of an interval of which it is said how many outcomes they take.
WIDTHS = (0.2, 0.1)
#: So many sources are told apart.
SOURCES = 20
_TENTHS = 10


class Found(NamedTuple):
    """Outcomes as columns: when, whether right, what was stated in each measure, of which source and producer."""

    at: Ints
    right: Bools
    stated: Mapping[str, Floats]
    source: Sequence[str]
    producer: Sequence[str]
    sampled: Bools

    @property
    def is_sample(self) -> bool:
        """Whether all that they are about was drawn at random."""
        return bool(self.sampled.all())


def found(space: Space, asked: Asked) -> Found:
    """The outcomes that are asked for, in the order of time."""
    columns = stored.columns(
        space,
        source=asked.source or None,
        producer=PRODUCERS.index(asked.producer) if asked.producer else None,
        sampled=True if asked.drawn == "sample" else None,
        since=asked.instant,
    )
    return of_columns(columns)


def of_columns(columns: Outcomes) -> Found:
    stated = {name: getattr(columns, name) for name in MEASURES}
    producer = [PRODUCERS[each] for each in columns.producer]
    return Found(columns.at, columns.right, stated, columns.source, producer, columns.sampled)


# Diagrams.


def by_band(found: Found, measure: str, constants: Constants) -> list[Bin]:
    """A bin for each band, by the edges that are in force."""
    return reliability.diagram(found.stated[measure], found.right, [0, *constants.band_edges, 1])


def by_tenths(found: Found, measure: str) -> list[Bin]:
    """Ten bins with about as many outcomes in each; fewer where many are stated alike."""
    stated = found.stated[measure]
    return reliability.diagram(stated, found.right, reliability.quantile_edges(stated, _TENTHS))


def diagram_table(bins: Sequence[Bin], *, in_bands: bool = False) -> Table:
    """A row for each bin, which is called by its band where these are bands of trust."""
    head = [gettext("band") if in_bands else gettext("stated"), *_head()]
    spans = [f"{two(each.low)} – {two(each.high)}" for each in bins]
    names = [word(name) for name in BANDS] if in_bands else spans
    return Table(head, [[name, *_cells(each)] for name, each in zip(names, bins, strict=True)])


def _head() -> list[str]:
    return [*_counted(), gettext("mean stated"), gettext("share right"), gettext("95 % interval")]


def _counted() -> list[str]:
    return [gettext("outcomes"), gettext("right"), gettext("wrong")]


def _cells(each: "Bin | Group") -> list[str]:
    counts = [whole(many) for many in (each.n, each.right, each.n - each.right)]
    return [*counts, told(each.mean_trust), told(each.share), between(each.interval)]


def told(value: float | None) -> str:
    """A share or a figure; a dash where there is none."""
    return "–" if value is None else two(value)


def between(interval: Interval | None) -> str:
    return "–" if interval is None else f"{two(interval.low)} – {two(interval.high)}"


# Figures.


def figures(found: Found, measure: str) -> dict[str, float | None]:
    """Every single figure of a measure, by its name; None: it cannot be said."""
    stated, right = found.stated[measure], found.right
    parts = reliability.decomposition(stated, right)
    within = parts.within_variance - parts.within_covariance if parts else None
    return {
        "brier": reliability.brier(stated, right),
        "reliability": parts.reliability if parts else None,
        "resolution": parts.resolution if parts else None,
        "uncertainty": parts.uncertainty if parts else None,
        "within": within,
        "ece": reliability.expected_calibration_error(stated, right),
        "log_loss": reliability.log_loss(stated, right),
        "auc": reliability.auc(stated, right),
    }


class Figure(NamedTuple):
    """A figure, and what it means in a sentence; `is_part`: of the one before those that are parts."""

    title: str
    value: str
    means: str
    is_part: bool


def told_figures(found: Found, measure: str) -> list[Figure]:
    """The figures of a measure with what each means; none where there are too few outcomes."""
    if len(found.right) < FEWEST:
        return []
    values = figures(found, measure)
    return [Figure(title, told(values[name]), says, name in _PARTS) for name, (title, says) in _meanings().items()]


_PARTS = ("reliability", "resolution", "uncertainty", "within")


def _meanings() -> dict[str, tuple[str, str]]:
    return {
        "brier": (
            gettext("Brier score"),
            gettext(
                "How far what was stated lies from what was found, squared: 0 is best, and whoever always says one half"
                " gets 0.25."
            ),
        ),
        "reliability": (
            gettext("reliability"),
            gettext("How far the share that was right lies from what was stated, squared, bin by bin: 0 is best."),
        ),
        "resolution": (
            gettext("resolution"),
            gettext("How far the bins differ in the share that was right: more is better, and it is taken off."),
        ),
        "uncertainty": (
            gettext("uncertainty"),
            gettext("How mixed right and wrong are at all: no constants change it."),
        ),
        "within": (
            gettext("within the bins"),
            gettext("What bins hide: with it the parts sum to the Brier score."),
        ),
        "ece": (
            gettext("Expected calibration error"),
            gettext("By how much what was stated is off on average, over ten equal bins: 0 is best."),
        ),
        "log_loss": (
            gettext("Log loss"),
            gettext(
                "How surprised somebody is who believes what is stated: 0 is best, always saying one half gives 0.69,"
                " and to be sure and wrong costs most."
            ),
        ),
        "auc": (
            gettext("AUC"),
            gettext(
                "The chance that of one right and one wrong fact the right one was stated higher: 0.50 tells nothing"
                " apart, 1 everything."
            ),
        ),
    }


def by_measure(found: Found) -> Table:
    """Trust and each factor, held against the same outcomes."""
    names = {name: title for name, (title, _) in _meanings().items() if name not in _PARTS}
    head = [gettext("measure"), gettext("mean stated"), *names.values()]
    rows = []
    for measure in MEASURES:
        values = figures(found, measure)
        mean = float(np.mean(found.stated[measure])) if len(found.right) else None
        rows.append([title(measure), told(mean), *(told(values[name]) for name in names)])
    return Table(head, rows)


# Groups.


class Group(NamedTuple):
    """The outcomes of a month, a source or a producer; `name` None: all other ones."""

    name: str | None
    n: int
    right: int
    mean_trust: float
    share: float
    interval: Interval | None
    brier: float | None


def by_month(found: Found, measure: str) -> list[Group]:
    """Month by month (UTC), as they followed each other; those in which nothing was found are left out."""
    months = np.datetime_as_string(found.at.astype("datetime64[us]").astype("datetime64[M]")).tolist()
    return _groups(found, measure, months, sorted(set(months)))


def by_source(found: Found, measure: str) -> list[Group]:
    """Those of which most was found, most first, and all others in one."""
    return _groups(found, measure, found.source, _by_size(found.source)[:SOURCES])


def by_producer(found: Found, measure: str) -> list[Group]:
    return _groups(found, measure, found.producer, _by_size(found.producer))


def _by_size(keys: Sequence[str]) -> list[str]:
    return [name for name, _ in sorted(Counter(keys).items(), key=lambda each: (-each[1], each[0]))]


def _groups(found: Found, measure: str, keys: Sequence[str], names: Sequence[str]) -> list[Group]:
    places = {name: place for place, name in enumerate(names)}
    of = np.array([places.get(key, len(names)) for key in keys], np.int64)
    rows = ((name, np.flatnonzero(of == place)) for place, name in enumerate([*names, None]))
    return [_group(name, found.stated[measure][mine], found.right[mine]) for name, mine in rows if len(mine)]


def _group(name: str | None, stated: Floats, right: Bools) -> Group:
    n, many = len(right), int(right.sum())
    mean = float(np.mean(stated))
    return Group(name, n, many, mean, many / n, reliability.wilson(many, n), reliability.brier(stated, right))


def groups_table(of: str, groups: Sequence[Group], called: Callable[[str], str] = str) -> Table:
    """A row for each group."""
    rows = [[called(each.name or ""), *_cells(each), told(each.brier)] for each in groups]
    return Table([of, *_head(), gettext("Brier score")], rows)


# How many there are.


class Enough(NamedTuple):
    """How many outcomes there are, and whether that is too few for single figures; between what the share lies that is
    right, and how many more it takes to know that better."""

    n: str
    right: str
    wrong: str
    says: str
    more: list[str]
    is_few: bool


def enough(found: Found) -> Enough:
    n, right = len(found.right), int(found.right.sum())
    interval = reliability.wilson(right, n)
    says = gettext("The share that is right lies from {low} to {high}, in 95 cases of 100.")
    return Enough(
        whole(n),
        whole(right),
        whole(n - right),
        says.format(low=two(interval.low), high=two(interval.high)) if interval else "",
        [_more(width, n) for width in WIDTHS if reliability.needed(width) > n],
        n < FEWEST,
    )


def _more(width: float, n: int) -> str:
    needed = reliability.needed(width)
    says = ngettext(
        "To know it to within an interval {width} wide, whatever is found, takes {needed} outcomes: {more} more.",
        "To know it to within an interval {width} wide, whatever is found, takes {needed} outcomes: {more} more.",
        needed - n,
    )
    return says.format(width=two(width), needed=whole(needed), more=whole(needed - n))


def of_the_whole(strata: Sequence[Stratum]) -> str:
    """What share of the whole memory is right, as far as a sample that was drawn band by band tells ('': nothing was
    drawn, or found of too little)."""
    n, unknown = sum(each.n for each in strata), [word(each.band) for each in strata if not each.n]
    if n < FEWEST:
        return ""
    if unknown:
        says = gettext("What share of the whole memory is right cannot be said yet: nothing was found of {bands}.")
        return says.format(bands=", ".join(unknown))
    right, of = [each.right for each in strata], [each.of for each in strata]
    found = reliability.stratified(right, [each.n for each in strata], of)
    if found is None:
        return ""
    says = gettext(
        "Of the whole memory, each band weighed by how many facts it had when they were drawn, the share that is right"
        " is {share}; it lies from {low} to {high}, in 95 cases of 100."
    )
    return says.format(share=two(found.share), low=two(found.interval.low), high=two(found.interval.high))


# For machines.


def rows_of(found: Found, table: str, measure: str, constants: Constants) -> list[Sequence[object]]:
    """A table in full precision, with its head. Raises KeyError where there is none of that name."""
    groups = {"months": by_month, "sources": by_source, "producers": by_producer}
    if table == "figures":
        return [("measure", *figures(found, measure)), *((each, *figures(found, each).values()) for each in MEASURES)]
    if table in groups:
        of = [(each.name if each.name is not None else "(others)", each) for each in groups[table](found, measure)]
        return [(table, *_MACHINE, "brier"), *((name, *_exact(each), each.brier) for name, each in of)]
    bins = {"bands": lambda: by_band(found, measure, constants), "tenths": lambda: by_tenths(found, measure)}[table]()
    return [("low", "high", *_MACHINE), *((each.low, each.high, *_exact(each)) for each in bins)]


_MACHINE = ("outcomes", "right", "mean_stated", "share_right", "interval_low", "interval_high")


def _exact(each: Bin | Group) -> tuple[object, ...]:
    return each.n, each.right, each.mean_trust, each.share, *(each.interval or (None, None))
