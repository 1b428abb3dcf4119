"""The nearest neighbours of facts by cosine, exactly: of all, or only of those whose neighbours have changed (9.1).

Products of blocks screen. Columns are dealt to tiles in turn, and of each row and tile only the best cosine is kept.
The k nearest lie in tiles whose best is no worse than the k-th best of all; only these are looked at again. Of what is
left, the cosine is worked out anew, each pair by itself: the last bits of a product hang on where in it a pair stands.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.columns import Bools

#: Cosines nearer to each other than this are one cosine: a tie, which the older fact wins.
TIE = 1e-10

#: Rows of a block, and its columns, one for each tile: their cosines stay in the cache of a processor.
_ROWS, _TILES = 512, 2048
#: So many tiles are looked at again in one go, and so many numbers are held at a time in double precision.
_AT_ONCE, _CELLS = 64, 1 << 20

#: Numbers up to this power of 2 have squares that each precision holds.
_USUAL = 30

Index = NDArray[np.intp]
#: Does something to each of some things, in turn or side by side, and gives what comes of it in their order.
Run = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


class Neighbours(NamedTuple):
    """A row a fact: the indices of the facts nearest to it, nearest first, and how near."""

    nearest: Index
    cosine: NDArray[np.float64]


class Directions(NamedTuple):
    """Vectors made for comparing: as they are but for a power of 2, how long, and of length 1, about."""

    vectors: NDArray[np.floating]
    length: NDArray[np.float64]
    unit: NDArray[np.floating]


def directions(vectors: ArrayLike) -> Directions:
    """Vectors made for comparing; in single precision where they are.

    Raises ValueError for anything but a matrix of finite numbers, and for rows that are all zero.

    >>> directions([[3.0, 4.0]]).unit.round(6).tolist()
    [[0.6, 0.8]]
    """
    matrix = np.asarray(vectors)
    largest = np.empty(0)
    if matrix.ndim == 2:
        largest = np.maximum(matrix.max(axis=1, initial=0), -matrix.min(axis=1, initial=0))
    if matrix.ndim != 2 or not np.all(np.isfinite(largest)):
        raise ValueError("vectors must be a matrix of finite numbers, a row a fact")
    if not np.all(largest):
        raise ValueError("vectors must have a direction: none may be all zero")
    matrix = matrix.astype(np.float32 if matrix.dtype == np.float32 else np.float64, copy=False)
    power = np.frexp(largest)[1]
    if np.any(np.abs(power) > _USUAL):
        matrix = np.ldexp(matrix, -power[:, None])  # exact, and no square leaves what a number can hold
    length = np.sqrt(np.concatenate([np.empty(0), *(_squares(matrix[part]) for part in _parts(matrix))]))
    if np.all(np.abs(length - 1) < 8 * np.finfo(matrix.dtype).eps):
        return Directions(matrix, length, matrix)  # a copy would be another hundred megabytes
    return Directions(matrix, length, matrix * (1 / length).astype(matrix.dtype)[:, None])


def nearest(of: Directions, k: int, rows: Index | None = None, *, run: Run = map) -> Neighbours:
    """The k nearest of each fact, or of those at `rows`, among all others; of fewer others, all.

    Facts are in the order of their age, oldest first: where cosines tie, the older wins. Exact; memory grows with the
    facts, never with their square. `run` may do several blocks side by side. Section 9.1; ADR-029.

    >>> nearest(directions([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), 1).nearest.tolist()
    [[1], [0], [1]]
    """
    chosen = np.arange(len(of.unit)) if rows is None else np.asarray(rows, np.intp)
    k = min(k, len(of.unit) - 1)
    if k < 1 or not len(chosen):
        return Neighbours(np.empty((len(chosen), max(k, 0)), np.intp), np.empty((len(chosen), max(k, 0))))
    return _among_twins(of, k, chosen, _twins(of, k), run)


def _among_twins(of: Directions, k: int, chosen: Index, twin: Index, run: Run) -> Neighbours:
    """The k nearest of some facts, where others stand for those that are nobody's neighbours."""
    if not len(late := np.flatnonzero(twin != np.arange(len(twin)))):
        return _nearest(of, k, chosen, run)
    others = np.delete(np.arange(len(twin)), late)
    asked, back = np.unique(twin[chosen], return_inverse=True)
    among = Directions(of.vectors[others], of.length[others], of.unit[others])
    found = _nearest(among, k, np.searchsorted(others, asked), run)
    return Neighbours(others[found.nearest][back], found.cosine[back])


def mended(of: Directions, k: int, kept: Neighbours, fresh: Bools, *, run: Run = map) -> Neighbours:
    """The k nearest of each fact where they are known of those that are not `fresh`: the same as `nearest`.

    `kept` has k columns, with an index below 0 for a neighbour that is there no more, and wherever nothing is known.
    For such rows all facts are looked at; into the others comes what is fresh where it is nearer. So m fresh facts
    among n cost m·n cosines. Raises ValueError where something fresh is said to be known.

    >>> kept = Neighbours(np.array([[2], [-1], [0]]), np.zeros((3, 1)))
    >>> of = directions([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> mended(of, 1, kept, np.array([False, True, False])).nearest.tolist()
    [[1], [0], [1]]
    """
    k = min(k, len(of.unit) - 1)
    if k < 1:
        return nearest(of, k, run=run)
    index, cosine = kept.nearest.copy(), kept.cosine.copy()
    is_torn = (index < 0).any(axis=1)
    if np.any(fresh & ~is_torn) or index.shape[1] != k:
        raise ValueError("what is kept must have a column a neighbour, and nothing of what is fresh")
    torn, whole = np.flatnonzero(is_torn), np.flatnonzero(~is_torn)
    if not len(torn):
        return Neighbours(index, cosine)
    twin = _twins(of, k)
    index[torn], cosine[torn] = _among_twins(of, k, torn, twin, run)
    new = np.flatnonzero(fresh & (twin == np.arange(len(twin))))
    blocks = [whole[start : start + _ROWS] for start in range(0, len(whole), _ROWS)]
    some = [new[start : start + _TILES] for start in range(0, len(new), _TILES)]
    parts = [(columns, of.unit[columns]) for columns in some]
    for rows, better in run(lambda block: _merged(block, parts, of, Neighbours(index[block], cosine[block])), blocks):
        index[rows], cosine[rows] = better
    return Neighbours(index, cosine)


def _twins(of: Directions, k: int) -> Index:
    """For each fact, itself; but for one with more than k older twins, facts of the very same vector, the k+1-th.

    Such a fact is nobody's neighbour, since k older ones are as near; and its own are those of the k+1-th, which is
    not among them either. So many that say the same cost no more than a few.
    """
    twin = np.arange(len(of.unit))
    sums = np.fromiter((crc32(row) for row in np.ascontiguousarray(of.vectors)), np.int64, len(twin))
    _, group, count = np.unique(sums, return_inverse=True, return_counts=True)
    told = dict[bytes, list[int]]()
    for fact in np.flatnonzero(count[group] > k + 1).tolist():
        older = told.setdefault(of.vectors[fact].tobytes(), [])
        if len(older) > k:
            twin[fact] = older[k]
        else:
            older.append(fact)
    return twin


def _nearest(of: Directions, k: int, chosen: Index, run: Run) -> Neighbours:
    unit, blocks = of.unit, [chosen[start : start + _ROWS] for start in range(0, len(chosen), _ROWS)]
    screened = list(run(lambda block: _screened(block, unit, k), blocks))
    row = np.concatenate([each[0] + _ROWS * place for place, each in enumerate(screened)])
    tile = np.concatenate([each[1] for each in screened])
    least = np.concatenate([each[2] for each in screened])
    order = np.argsort(tile, kind="stable")
    ends = np.searchsorted(tile[order], np.arange(0, min(_TILES, len(unit)) + _AT_ONCE, _AT_ONCE))
    some = [order[start:end] for start, end in pairwise(ends) if start < end]
    found = list(run(lambda part: _candidates(chosen, row[part], tile[part], unit, least), some))
    row, other = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.argsort(row, kind="stable")
    row, other = row[order], other[order]
    ends = np.searchsorted(row, np.arange(0, len(chosen) + _ROWS, _ROWS))
    parts = [slice(start, end) for start, end in pairwise(ends)]
    best = run(lambda part: _best(of, chosen, row[part], other[part], k), parts)
    return Neighbours(*(np.concatenate(each) for each in zip(*best, strict=True)))


def _margin(unit: NDArray[np.floating]) -> float:
    """How far apart cosines of products of blocks may be that are one; and what counts as a tie."""
    return float(4 * (unit.shape[1] + 4) * np.finfo(unit.dtype).eps + TIE)


def _screened(block: Index, unit: NDArray[np.floating], k: int) -> tuple[Index, Index, NDArray[np.floating]]:
    """Which tiles of columns may hold a neighbour of which rows of a block, and below what nothing is near to a row.

    The k tiles with the best cosines hold k facts, so the k-th nearest is at least as near as the k-th of these.
    """
    n, tiles = len(unit), min(_TILES, len(unit))
    mine = unit[block]
    best, near = np.full((len(block), tiles), -np.inf, unit.dtype), np.empty((len(block), tiles), unit.dtype)
    for start in range(0, n, tiles):
        width = min(tiles, n - start)
        some = near[:, :width]
        np.matmul(mine, unit[start : start + width].T, out=some)
        own = np.flatnonzero((block >= start) & (block < start + width))
        some[own, block[own] - start] = -np.inf
        np.maximum(best[:, :width], some, out=best[:, :width])
    least = np.partition(best, tiles - k, axis=1)[:, tiles - k] - _margin(unit)
    row, tile = np.divmod(np.flatnonzero(best >= least[:, None]), tiles)  # nonzero of a matrix is 10 times slower
    return row, tile, least


def _candidates(
    chosen: Index, row: Index, tile: Index, unit: NDArray[np.floating], least: NDArray[np.floating]
) -> tuple[Index, Index]:
    """Whoever may be among the k nearest, of some tiles: (place among the chosen, index)."""
    tiles = min(_TILES, len(unit))
    starts = np.flatnonzero(np.diff(tile, prepend=-1))
    rows, others = list[Index](), list[Index]()
    for start, end in zip(starts, [*starts[1:], len(tile)], strict=True):
        mine, columns = row[start:end], np.arange(tile[start], len(unit), tiles)
        near = unit[chosen[mine]] @ unit[columns].T
        place, column = np.divmod(np.flatnonzero(near >= least[mine, None]), len(columns))
        is_other = chosen[mine[place]] != columns[column]
        rows.append(mine[place[is_other]])
        others.append(columns[column[is_other]])
    return np.concatenate(rows), np.concatenate(others)


def _best(of: Directions, chosen: Index, row: Index, other: Index, k: int) -> Neighbours:
    """The k nearest of candidates, where rows rise."""
    return _first(row, other, _cosine(of, chosen[row], other), k)


def _first(row: Index, other: Index, cosine: NDArray[np.float64], k: int) -> Neighbours:
    """The first k of each row that has any: by cosine, then the oldest; each once."""
    order = np.lexsort((other, -np.rint(cosine / TIE), row))
    row, other, cosine = row[order], other[order], cosine[order]
    once = np.append(True, (row[1:] != row[:-1]) | (other[1:] != other[:-1]))[: len(row)]
    row, other, cosine = row[once], other[once], cosine[once]
    is_first = np.arange(len(row)) - np.searchsorted(row, row) < k
    return Neighbours(other[is_first].reshape(-1, k), cosine[is_first].reshape(-1, k))


def _merged(
    block: Index, new: list[tuple[Index, NDArray[np.floating]]], of: Directions, kept: Neighbours
) -> tuple[Index, Neighbours]:
    """Those rows of a block to which something new may be nearer than what is kept, and what is nearest to them."""
    k = kept.nearest.shape[1]
    least = (kept.cosine.min(axis=1) - _margin(of.unit)).astype(of.unit.dtype)[:, None]
    mine, rows, others = of.unit[block], list[Index](), list[Index]()
    for columns, unit in new:
        near = mine @ unit.T
        row, column = np.divmod(np.flatnonzero(near >= least), len(columns))
        rows.append(row)
        others.append(columns[column])
    row, other = np.concatenate([np.empty(0, np.intp), *rows]), np.concatenate([np.empty(0, np.intp), *others])
    touched = np.unique(row)
    both = np.concatenate([np.repeat(touched, k), row]), np.concatenate([kept.nearest[touched].ravel(), other])
    cosine = np.concatenate([kept.cosine[touched].ravel(), _cosine(of, block[row], other)])
    return block[touched], _first(*both, cosine, k)


def _cosine(of: Directions, one: Index, other: Index) -> NDArray[np.float64]:
    cosine: NDArray[np.float64] = _dots(of.vectors, one, other) / (of.length[one] * of.length[other])
    return cosine


def _parts(matrix: NDArray[np.floating]) -> list[slice]:
    """Rows of a matrix, so many at a time as are held in double precision."""
    step = max(1, _CELLS // max(1, matrix.shape[1]))
    return [slice(start, start + step) for start in range(0, len(matrix), step)]


def _squares(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """The square of the length of each, as `_dots` has it."""
    exact = vectors.astype(np.float64)
    squares: NDArray[np.float64] = np.einsum("ij,ij->i", exact, exact)
    return squares


def _dots(vectors: NDArray[np.floating], i: Index, j: Index) -> NDArray[np.float64]:
    """vectors[i] · vectors[j] for each pair, in double precision; the same for a pair wherever it stands."""
    out = np.empty(len(i))
    step = max(1, _CELLS // max(1, vectors.shape[1]))
    for start in range(0, len(i), step):
        pairs = slice(start, start + step)
        left, right = vectors[i[pairs]].astype(np.float64), vectors[j[pairs]].astype(np.float64)
        out[pairs] = np.einsum("ij,ij->i", left, right)
    return out
