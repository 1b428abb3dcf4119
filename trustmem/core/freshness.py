"""How lately a fact was reinforced: ACT-R base-level activation, squashed (section 3)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.checks import numbers, same_length, truths, whole
from trustmem.core.constants import Constants
from trustmem.core.instants import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND

#: Reinforcements are summed in runs of this many, so that what lies between stays in the cache.
_BLOCK = 1 << 16

#: e^709 is the last power of e that a double holds; a fact further gone stays at the least freshness above 0.
_FURTHEST = 700.0


class Activation(NamedTuple):
    """B of each fact, NaN where nothing stands under the logarithm: with every reinforcement, and without uses."""

    with_use: NDArray[np.float64]
    without_use: NDArray[np.float64]


def activation(
    at: NDArray[np.int64] | NDArray[np.float64],
    owner: NDArray[np.integer],
    is_use: NDArray[np.bool_],
    baseline_count: ArrayLike,
    first_seen: ArrayLike,
    now: int,
    constants: Constants,
) -> Activation:
    """B = ln( Σ_confirming t^(−δ) + use_activation · Σ_use t^(−δ) + n0 · L^(−δ) / (1−δ) ).

    `at`, `owner`, `is_use`: a row a reinforcement, its instant (µs), the index of its fact, and whether it is
    a use or confirms. `baseline_count` (n0) and `first_seen` (µs, read where n0 > 0): a row a fact, known or not.
    Ages t and L are in days up to `now`, at least `age_floor_seconds`; the future counts as now.
    Where only ages are known, `at` may be −age in µs as float64, at `now` 0. Sums run in the order of rows.
    Raises ValueError for columns of different lengths, instants that are not finite, owners that are no fact,
    and counts that are negative or not whole.
    Section 3; Anderson & Schooler 1991; the O(1) form is Petrov 2006.

    >>> at, owner, is_use = np.array([0, 3]) * MICROSECONDS_PER_DAY, np.array([0, 0]), np.array([False, True])
    >>> b = activation(at, owner, is_use, [0], [0], 4 * MICROSECONDS_PER_DAY, Constants())
    >>> np.exp(b).round(12).tolist()
    [[1.5], [0.5]]
    """
    count, seen = whole(baseline_count, "baseline_count", 0), np.asarray(first_seen)
    owner, is_use = whole(owner, "owner"), truths(is_use, "is_use")
    same_length(at=at, owner=owner, is_use=is_use)
    same_length(baseline_count=count, first_seen=seen)
    known = np.flatnonzero(count)
    for name, instants in (("at", at), ("first_seen", seen[known]), ("now", np.asarray(now))):
        if instants.dtype.kind == "f":
            numbers(instants, name)
    confirming, use = _sums(at, owner, is_use, len(count), now, constants)
    confirming[known] += count[known] * _faded(now - seen[known], constants) / (1 - constants.activation_decay)
    use *= constants.use_activation
    use += confirming
    return Activation(_log(use), _log(confirming))


def freshness(activation: ArrayLike, constants: Constants) -> NDArray[np.float64]:
    """Freshness = 1 / (1 + e^(−(B − B0)/σ)), and 0.5 where B is unknown (NaN).

    A column in, one in (0, 1] out; raises ValueError for what is no column. Section 3.

    >>> freshness([-1.7, np.nan], Constants()).tolist()
    [0.5, 0.5]
    """
    b = np.asarray(activation, np.float64)
    same_length(activation=b)
    fresh: NDArray[np.float64] = constants.activation_midpoint - b
    fresh *= 1 / constants.activation_scale
    if not fresh.max(initial=0.0) <= _FURTHEST:  # so it is for NaN as well
        fresh = np.minimum(np.nan_to_num(fresh, copy=False, nan=0.0), _FURTHEST)
    np.exp(fresh, out=fresh)
    fresh += 1
    return np.divide(1, fresh, out=fresh)


def _sums(
    at: NDArray[np.int64] | NDArray[np.float64],
    owner: NDArray[np.integer],
    is_use: NDArray[np.bool_],
    n_facts: int,
    now: int,
    constants: Constants,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Σ t^(−δ) of each fact, over its confirmations and over its uses."""
    sums = np.zeros(2 * n_facts)
    for start in range(0, len(at), _BLOCK):
        rows = slice(start, start + _BLOCK)
        fact = np.asarray(owner[rows], np.int64)
        if fact.view(np.uint64).max() >= n_facts:  # what is negative is beyond as well
            raise ValueError(f"owner must be the index of one of the {n_facts} facts")
        cell = is_use[rows] * np.int64(n_facts)
        cell += fact
        np.add.at(sums, cell, _faded(now - at[rows], constants))  # as bincount, but into what is there
    return sums[:n_facts], sums[n_facts:]


def _faded(span: NDArray[np.int64] | NDArray[np.float64], constants: Constants) -> NDArray[np.float64]:
    """t^(−δ), t in days, of spans in µs; so written, δ = 0.5 takes a root and a division and no power."""
    floor = round(constants.age_floor_seconds * MICROSECONDS_PER_SECOND)
    t = np.maximum(span, floor).astype(np.float64)
    t **= constants.activation_decay
    faded: NDArray[np.float64] = np.divide(MICROSECONDS_PER_DAY**constants.activation_decay, t, out=t)
    return faded


def _log(total: NDArray[np.float64]) -> NDArray[np.float64]:
    known = np.where(total > 0, total, np.nan)
    return np.log(known, out=known)
