"""Histograms: what is measured of facts, and how often each value is found; no value falls out (section 10)."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.columns import Bools, Floats, Ints
from trustmem.core.instants import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND, NEVER
from trustmem.core.touches import Reinforcements

#: What is measured of facts. The first three are spans, in seconds; what ends after now is negative: so far ahead.
MEASURES = ("age", "since confirmed", "gap", "activation", "trust", "weight")
SPANS = MEASURES[:3]
#: How wide bins are: all alike, or, of spans, each by the same factor wider than the one before.
BINS = ("linear", "log")
#: By what facts are told apart; '' for all together.
BY = ("", "scope", "producer", "source", "tier")

#: A linear axis has so many bins at most (of a measure without an end), and leaves out what is so many times the
#: upper quartile of a span: a single fact of long ago would crowd all others into one bin.
_MOST, _FAR = 40, 10
#: Values are counted in runs of this many, so that many more take no more memory.
_BLOCK = 1 << 16
#: A logarithmic axis begins at a second or later and has so many bins for each power of ten, up to 30 000 years.
_GRID = np.array([10 ** (place / 4) for place in range(49)])
_DAY = MICROSECONDS_PER_DAY // MICROSECONDS_PER_SECOND
#: How wide a bin of spans can be: a number of seconds, minutes, hours or days that people count in.
_WIDTHS = (
    *(1, 2, 5, 10, 15, 30),
    *(60 * each for each in (1, 2, 5, 10, 15, 30)),
    *(3600 * each for each in (1, 2, 3, 6, 12)),
    *(_DAY * each * 10**power for power in range(6) for each in (1, 2, 5)),
)
#: And one of activation: powers of two, which floats hold exactly.
_STEPS = tuple(2.0**power for power in range(-3, 8))


class Histogram(NamedTuple):
    """How many values each bin holds, and how many none does; all together as many as were given."""

    counts: NDArray[np.int64]
    below: int
    above: int
    unknown: int


def histogram(values: ArrayLike, edges: ArrayLike) -> Histogram:
    """counts[m] = how many values lie in [edges[m], edges[m + 1]), the last bin with its upper edge.

    What lies below or above the edges and what is unknown (NaN) is counted by name, so that all counts
    always sum to the number of values. Raises ValueError for edges that do not rise. Section 10.

    >>> histogram([0.0, 0.5, 1.0, 2.0, np.nan], [0.0, 0.5, 1.0])
    Histogram(counts=array([1, 2]), below=0, above=1, unknown=1)
    """
    return _counted(values, edges)


def log_histogram(values: ArrayLike, edges: ArrayLike) -> Histogram:
    """As `histogram`, but what is from 0 up to the lowest edge, for which a logarithmic axis has no place, joins the
    lowest bin.

    Errors as there. Section 10.

    >>> log_histogram([-5.0, 0.0, 0.2, 30.0, np.nan], [1.0, 10.0, 100.0])
    Histogram(counts=array([2, 1]), below=1, above=0, unknown=1)
    """
    return _counted(values, edges, joins=True)


def edges(measure: str, bins: str, values: ArrayLike) -> Floats:
    """The edges of the bins, one more than these, that fit the values of a measure, in its own unit.

    Trust has ten bins from 0 to 1, so that each edge of the default bands is one, and weight twenty. Linear bins of
    spans begin at 0 and end where the known values do, or at ten times the upper quartile; those of activation run
    from its lowest known value to its highest. Logarithmic bins, of spans alone, are four for each power of ten.
    Raises ValueError for another measure or other bins. Section 10.

    >>> edges("trust", "linear", [])[:4].tolist()
    [0.0, 0.1, 0.2, 0.3]
    >>> edges("age", "linear", [9.0, 0.5, -1.0])[[0, 1, -1]].tolist()
    [0.0, 1.0, 9.0]
    >>> edges("age", "log", [2.0, 90.0]).round(1).tolist()
    [1.8, 3.2, 5.6, 10.0, 17.8, 31.6, 56.2, 100.0]
    """
    if measure not in MEASURES or bins not in BINS or (bins == "log" and measure not in SPANS):
        raise ValueError(f'there are no "{bins}" bins of "{measure}"')
    # A tenth that is a quotient is the float that people write; three times a tenth is not.
    if measure == "trust":
        return np.arange(11) / 10
    if measure == "weight":
        return np.arange(21) / 20
    known = _known(measure, values)
    if measure == "activation":
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
        return _alike(low, high, _STEPS)
    return _alike(0.0, _end(known), _WIDTHS) if bins == "linear" else _rising(known)


def quartiles(measure: str, values: ArrayLike) -> list[float]:
    """Q1, median and Q3 of the known values, by linear interpolation; [] where there is none.

    What is unknown (NaN) is left out, and so is a span that ends in the future. Section 10.

    >>> quartiles("age", [4.0, 1.0, np.nan, 2.0, -7.0])
    [1.5, 2.0, 3.0]
    """
    known = _known(measure, values)
    found: list[float] = np.quantile(known, [0.25, 0.5, 0.75], overwrite_input=True).tolist() if len(known) else []
    return found


def age(at: Ints, at_known: Bools, now: int) -> Floats:
    """now − at, in seconds, over facts; NaN where it is not known when a fact was born. Section 10.

    >>> age(np.array([1_000_000, 0]), np.array([True, False]), 3_000_000).tolist()
    [2.0, nan]
    """
    return _seconds(now, np.where(at_known, at, NEVER))


def since_confirmed(times: Reinforcements, at: Ints, at_known: Bools, now: int) -> Floats:
    """now − the latest confirming time, in seconds, over facts; birth confirms where its time is known, also where a
    baseline has counted it. NaN: no such time is known. Sections 1, 10.

    >>> times = Reinforcements(np.array([0, 0]), np.array([1_000_000, 2_000_000]), np.array([False, True]))
    >>> since_confirmed(times, np.array([0, 0]), np.array([True, False]), 3_000_000).tolist()
    [2.0, nan]
    """
    latest = np.where(at_known, at, NEVER)
    confirming = ~times.is_use
    np.maximum.at(latest, times.owner[confirming], times.at[confirming])
    return _seconds(now, latest)


def gaps(times: Reinforcements, now: int) -> tuple[Floats, Ints]:
    """at[k + 1] − at[k], in seconds, of consecutive reinforcement times of one fact, and which fact that is.

    Uses count as confirmations do. Where the later of the two is after now, the gap is no gap yet: in its place stands
    how far ahead that lies, negative. A fact with k times has k − 1 gaps; what a baseline has summed up has none.
    `times` in canonical order. Sections 1, 10.

    >>> times = Reinforcements(np.array([0, 0, 0, 1]), np.array([0, 4, 9, 9]) * 1_000_000, np.array([False] * 4))
    >>> [each.tolist() for each in gaps(times, 7_000_000)]
    [[4.0, -2.0], [0, 0]]
    """
    is_next = times.owner[1:] == times.owner[:-1]
    before, after = times.at[:-1][is_next], times.at[1:][is_next]
    return np.where(after <= now, after - before, now - after) / MICROSECONDS_PER_SECOND, times.owner[1:][is_next]


def _counted(values: ArrayLike, edges: ArrayLike, joins: bool = False) -> Histogram:
    column, bounds = np.asarray(values, np.float64).ravel(), np.asarray(edges, np.float64)
    if bounds.ndim != 1 or len(bounds) < 2 or not np.all(np.diff(bounds) > 0):
        raise ValueError("edges must be two or more rising numbers")
    found, known = np.zeros(len(bounds) + 1, np.int64), 0
    for start in range(0, len(column), _BLOCK):
        some = column[start : start + _BLOCK]
        some = some[~np.isnan(some)]
        if joins:
            some[(some >= 0) & (some < bounds[0])] = bounds[0]
        place = np.searchsorted(bounds, some, side="right")
        place[some == bounds[-1]] -= 1
        found += np.bincount(place, minlength=len(found))
        known += len(some)
    return Histogram(found[1:-1], int(found[0]), int(found[-1]), len(column) - known)


def _seconds(now: int, since: Ints) -> Floats:
    known = since > NEVER
    return np.where(known, (now - np.where(known, since, now)) / MICROSECONDS_PER_SECOND, np.nan)


def _known(measure: str, values: ArrayLike) -> Floats:
    column = np.asarray(values, np.float64).ravel()
    return column[column >= 0 if measure in SPANS else ~np.isnan(column)]


def _end(known: Floats) -> float:
    """Where a linear axis of spans ends."""
    if not len(known):
        return 0.0
    limit = _FAR * float(np.quantile(known, 0.75, overwrite_input=True))
    return float(known.max(where=known <= limit, initial=0.0) if limit else known.max())


def _alike(low: float, high: float, widths: Sequence[float]) -> Floats:
    """Edges at multiples of one width, the least by which there are not too many."""
    fits = (each for each in widths if math.ceil(high / each) - math.floor(low / each) <= _MOST)
    width = next(fits, widths[-1])
    first = math.floor(low / width)
    return width * np.arange(first, max(math.ceil(high / width), first + 1) + 1, dtype=np.float64)


def _rising(known: Floats) -> Floats:
    """Edges that rise by a factor, from the last at or below all that is known to the first at or above it."""
    low, high = (known.min(), known.max()) if len(known) else (1.0, 1.0)
    first = max(int(np.searchsorted(_GRID, low, side="right")) - 1, 0)
    last = max(int(np.searchsorted(_GRID, high)), first + 1)
    return _GRID[first : last + 1]
