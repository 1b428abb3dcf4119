"""Edges that are computed, not asserted: near in meaning, seen together; and centrality (section 9)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.checks import indices, numbers, same_length, whole
from trustmem.core.neighbours import TIE, Neighbours, Run, directions, nearest

#: PageRank: the share that follows edges, and when two rounds count as one.
DAMPING = 0.85
_SETTLED = 1e-12
_MOST_ROUNDS = 1000


class SemanticEdges(NamedTuple):
    """One row a pair, i < j; indices of facts and the weight in either direction."""

    i: NDArray[np.intp]
    j: NDArray[np.intp]
    weight_ij: NDArray[np.float64]
    weight_ji: NDArray[np.float64]


def mutual_neighbours(vectors: ArrayLike, neighbours: int, *, run: Run = map) -> SemanticEdges:
    """(i, j) iff each is among the other's `neighbours` nearest by cosine; weight(i→j) = max(0, (cos − μ_i)/(1 − μ_i)).

    `vectors` is a matrix, a row a fact, oldest first: where cosines tie, the older wins. μ_i is the mean cosine
    of i to its neighbours; the weight is 0 where μ_i = 1. A vector without direction (all zero) has no neighbours
    and is nobody's. Exact; memory grows with the facts, never with their square. Pairs come by i, then j.
    Raises ValueError for anything but a matrix of finite numbers, and for fewer than 1 neighbour.
    Section 9.1; ADR-029.

    >>> [column.round(3).tolist() for column in mutual_neighbours([[1, 0], [1, 1], [0, 1], [1, 2]], 2)]
    [[0, 1, 2], [1, 3, 3], [0.307, 0.702, 0.47], [0.0, 0.346, 0.0]]
    """
    matrix = np.asarray(vectors)
    if matrix.ndim != 2 or not np.all(np.isfinite(matrix)):
        raise ValueError("vectors must be a matrix of finite numbers, a row a fact")
    if neighbours < 1:
        raise ValueError("neighbours must be at least 1")
    facts = np.flatnonzero(matrix.any(axis=1))
    found = mutual(nearest(directions(matrix[facts]), neighbours, run=run))
    return found._replace(i=facts[found.i], j=facts[found.j])


def mutual(near: Neighbours) -> SemanticEdges:
    """The edges between facts of which each is among the other's neighbours, given those of each.

    >>> mutual(Neighbours(np.array([[1], [2], [1]]), np.array([[0.5], [0.9], [0.9]]))).j.tolist()
    [2]
    """
    n, k = near.nearest.shape
    mean = near.cosine.sum(axis=1, keepdims=True) / max(k, 1)
    spread = 1 - mean
    weight = np.where(spread > TIE, np.maximum(0, near.cosine - mean) / np.maximum(spread, TIE), 0.0)
    i, j, w = np.repeat(np.arange(n), k), near.nearest.ravel(), weight.ravel()
    up = i < j
    forth, back = i[up] * n + j[up], j[~up] * n + i[~up]
    pair, one, other = np.intersect1d(forth, back, assume_unique=True, return_indices=True)
    return SemanticEdges(pair // max(n, 1), pair % max(n, 1), w[up][one], w[~up][other])


def npmi(n_x: ArrayLike, n_y: ArrayLike, n_xy: ArrayLike, n: ArrayLike) -> NDArray[np.float64]:
    """clamp01( ln(n_xy·n / (n_x·n_y)) / −ln(n_xy/n) ); 0 if never together, 1 if n_xy = n.

    Columns of counts: contexts with x, with y, with both, and in all (a column or one number).
    Raises ValueError where counts cannot be: whole, and 0 ≤ n_xy ≤ n_x, n_y ≤ n. Section 9.2; Bouma 2009.

    >>> npmi([2, 2, 4], [2, 2, 4], [2, 0, 4], [4, 4, 4]).tolist()
    [1.0, 0.0, 1.0]
    """
    counts = {"n_x": n_x, "n_y": n_y, "n_xy": n_xy, "n": n}
    columns = [whole(count, name, 0).astype(np.float64) for name, count in counts.items()]
    same_length(n_x=columns[0], n_y=columns[1], n_xy=columns[2])
    x, y, both, every = np.broadcast_arrays(*columns)
    if not np.all((both >= 0) & (both <= np.minimum(x, y)) & (np.maximum(x, y) <= every)):
        raise ValueError("counts must be such that 0 <= n_xy <= n_x, n_y <= n")
    value = np.zeros(both.shape)
    value[(both == every) & (both > 0)] = 1
    partly = (both > 0) & (both < every)
    x, y, both, every = x[partly], y[partly], both[partly], every[partly]
    value[partly] = np.clip(np.log(both * every / (x * y)) / -np.log(both / every), 0, 1)
    return value


def centrality(source: ArrayLike, target: ArrayLike, weight: ArrayLike, n: int) -> NDArray[np.float64]:
    """PageRank: rank(v) = (1 − d)/n + d · ( Σ_{u→v} rank(u)·w/Σw_u + Σ_{u without edges} rank(u)/n ), d = 0.85.

    A row an edge from `source` to `target`, indices of n entities; an undirected edge is given both ways.
    The column sums to 1. It is importance, shown as such, and never enters TRUST.
    Raises ValueError for columns of different lengths, indices that are no entity, weights that are negative
    or not finite. Section 9.4; Page et al. 1999.

    >>> centrality([0, 1], [2, 2], [1.0, 1.0], 3).round(3).tolist()
    [0.213, 0.213, 0.574]
    """
    start, end = indices(source, n, "entities", "source"), indices(target, n, "entities", "target")
    flow = numbers(weight, "weight", 0)
    same_length(source=start, target=end, weight=flow)
    if n == 0:
        return np.empty(0)
    out = np.bincount(start, flow, n)
    share = flow / np.where(out > 0, out, 1)[start]
    rank = np.full(n, 1 / n)
    for _ in range(_MOST_ROUNDS):
        before = rank
        rank = (1 - DAMPING) / n + DAMPING * np.bincount(end, share * before[start], n)
        if np.abs(rank - before).sum() < _SETTLED:
            break
    ranks: NDArray[np.float64] = rank / rank.sum()  # which spreads evenly what entities without edges did not hand on
    return ranks
