"""The trust score: four factors and their product, all kept (sections 4 and 6)."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.chains import CAP
from trustmem.core.checks import same_length, whole
from trustmem.core.constants import Constants
from trustmem.core.freshness import freshness
from trustmem.core.opinion import confidence
from trustmem.core.provenance import provenance

#: Looking factors up pays from this many facts for each combination of small numbers.
_FACTS_PER_COMBINATION = 16


class Trust(NamedTuple):
    """Columns: the four factors, each in (0, 1], and their product."""

    confidence: NDArray[np.float64]
    freshness: NDArray[np.float64]
    supersession: NDArray[np.float64]
    provenance: NDArray[np.float64]
    trust: NDArray[np.float64]


def trust(
    r: ArrayLike,
    s: ArrayLike,
    tier: ArrayLike,
    activation: ArrayLike,
    depth: ArrayLike,
    constants: Constants,
) -> Trust:
    """TRUST = Confidence · Freshness · SupersessionPenalty · ProvenanceGate.

    Columns of one length: counts for and against, tier codes, activation B (NaN where unknown), depth k.
    Raises ValueError for different lengths, counts that are negative or not finite, depths that are negative or
    not whole, and codes that are no tier.
    Section 6; ADR-029.

    >>> trust([0], [0], [2], [np.nan], [1], Constants()).trust.tolist()
    [0.2375]
    """
    columns = [np.asarray(r), np.asarray(s), np.asarray(tier), np.asarray(depth)]
    fresh = freshness(activation, constants)
    same_length(r=columns[0], s=columns[1], tier=columns[2], activation=fresh, depth=columns[3])
    sure, superseded, proven, product = _lasting(columns, constants)
    return Trust(sure, fresh, superseded, proven, np.multiply(product, fresh, out=product))


def supersession(depth: ArrayLike, constants: Constants) -> NDArray[np.float64]:
    """SupersessionPenalty = γ^k, k counted up to 64.

    `depth` is a column of k. Raises ValueError for one that is negative or not whole. Section 4; ADR-029.

    >>> supersession([0, 1, 2], Constants()).tolist()
    [1.0, 0.5, 0.25]
    """
    k = np.minimum(whole(depth, "depth", 0), CAP)
    penalty: NDArray[np.float64] = np.take(constants.supersession_factor ** np.arange(CAP + 1.0), k)
    return penalty


def _lasting(columns: Sequence[NDArray[Any]], constants: Constants) -> list[NDArray[np.float64]]:
    """The three factors that time does not change, and their product; of r, s, tier and depth.

    They hang on four small whole numbers only, and in a long column the same combinations come again and
    again: each is then worked out once and looked up, which is the same bit for bit.
    """
    if not _counting(columns):
        return _factors(columns, constants)
    sizes = [int(np.max(column, initial=0)) + 1 for column in columns]
    if columns[0].size < _FACTS_PER_COMBINATION * math.prod(sizes):
        return _factors(columns, constants)
    rows = _row_numbers(columns, sizes)
    table = _factors(list(np.indices(sizes).reshape(len(sizes), -1)), constants)
    return [np.take(factor, rows, mode="clip") for factor in table]


def _factors(columns: Sequence[NDArray[Any]], constants: Constants) -> list[NDArray[np.float64]]:
    r, s, tier, depth = columns
    sure = confidence(r, s, tier, constants)
    superseded = supersession(depth, constants)
    proven = provenance(tier, constants)
    return [sure, superseded, proven, sure * superseded * proven]


def _counting(columns: Sequence[NDArray[Any]]) -> bool:
    return all(column.dtype.kind in "iu" and column.min(initial=0) >= 0 for column in columns)


def _row_numbers(columns: Sequence[NDArray[Any]], sizes: Sequence[int]) -> NDArray[np.intp]:
    """Where each fact's combination stands in the table; counted in the smallest type that can, for speed."""
    small = np.min_scalar_type(math.prod(sizes)).type
    rows = np.zeros(columns[0].shape, small)
    for column, size in zip(columns, sizes, strict=True):
        rows *= small(size)
        rows += column.astype(small)
    return rows.astype(np.intp)
