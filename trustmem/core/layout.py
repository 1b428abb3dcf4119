"""Layout: where the nodes of a graph stand in its picture. Forces alone decide, and where nodes begin: no dice.

What is tied is drawn together, everything pushes everything else away, and where one end of an edge is the newer one it
is drawn to the right of the other: so chains read from left to right, as time does.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.checks import indices, numbers, same_length, truths

#: So many steps at least and at most; the fewer, the more nodes there are, since each takes time by their square.
_FEWEST, _MOST, _STEPS_BY_NODES = 80, 200, 12_000
#: So often nodes that stand too near to each other are pushed apart: the more often, the fewer they are.
_ROUNDS, _ROUNDS_BY_NODES = 60, 4500
#: Pairs whose distances are held at a time: as much as stays in the cache of a processor.
_CELLS = 1 << 16
#: How far a node may move in the first step, in the sides of its share of the picture.
_HOT = 0.8
#: What draws everything to the middle, lest parts that nothing ties drift apart.
_GRAVITY, _FAR = 0.12, 2.0
#: How strongly the newer end of an edge is drawn to the right, against what draws both ends together.
_TIME = 4.0
#: How far to the right, in the same sides; and so many are told apart before anything moves.
_GAP, _MOST_GENERATIONS = 1.5, 64
#: The least that it stands to the right, in the same sides.
_NEXT = 0.5
#: The golden angle: nodes that begin on such a spiral are evenly spread.
_ANGLE = np.pi * (3 - np.sqrt(5))
#: A picture is stretched to fill its frame, but its narrow sides to no more than its widest one in this share.
_LEAST = 0.4


class Places(NamedTuple):
    """Where each node stands, from -1 to 1 both across and down."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]


def place(
    n: int,
    i: ArrayLike,
    j: ArrayLike,
    weight: ArrayLike,
    *,
    is_newer: ArrayLike | None = None,
    centre: int | None = None,
) -> Places:
    """attraction = w · d²/k, repulsion = k²/d, k = 2/√n; with ever smaller steps (Fruchterman and Reingold 1991).

    A row an edge between nodes `i` and `j`, with a weight from 0 to 1; w is that over the root of the weights of all
    edges at the end that has fewer (at least 1), so that what is tied all around does not clump. Where `is_newer`, j is
    newer than i and is drawn to the right of it. The node `centre` stands in the middle. The same columns give the same
    places, whatever happened before; nodes begin on a spiral in their order, so the first stand nearest to the middle.
    Edges from a node to itself move nothing. Time grows with the square of n, memory does not.
    Raises ValueError for columns of different lengths, indices that are no node, weights outside 0..1.

    >>> x, y = place(3, [0, 1], [1, 2], [1.0, 1.0], is_newer=[True, True])
    >>> bool(x[0] < x[1] < x[2])
    True
    """
    start, end = indices(i, n, "nodes", "i"), indices(j, n, "nodes", "j")
    pull = numbers(weight, "weight", 0, 1)
    same_length(i=start, j=end, weight=pull)
    newer = np.zeros(len(start), np.bool_) if is_newer is None else truths(is_newer, "is_newer")
    same_length(i=start, is_newer=newer)
    if n == 0:
        return Places(np.empty(0), np.empty(0))
    between = start != end
    edges = _Edges(
        start[between], end[between], _shared(n, start[between], end[between], pull[between]), newer[between]
    )
    points = _spiral(n, centre)
    points[0] += _GAP * 2 / np.sqrt(n) * _generation(n, edges, centre)
    older, newer_ends = edges.start[edges.is_newer], edges.end[edges.is_newer]
    side, steps = 2 / np.sqrt(n), min(max(_STEPS_BY_NODES // n, _FEWEST), _MOST)
    for step in range(steps):
        force = _apart(points, side) + _together(points, edges, side) + _to_the_middle(points)
        length = np.hypot(force[0], force[1])
        most = _HOT * side * (1 - step / steps) ** 2
        points = points + force * (np.minimum(length, most) / np.maximum(length, 1e-12))
        if step > steps / 2:
            points[0] += _in_order(points[0], older, newer_ends, _NEXT * side)
        if centre is not None:
            points[:, centre] = 0
    return _framed(points, centre)


def spread(
    x: ArrayLike, y: ArrayLike, *, older: ArrayLike = (), newer: ArrayLike = (), centre: int | None = None
) -> Places:
    """Push apart what stands nearer than three quarters of its share of the picture, which is 2/√n wide:
    d' = max(d, 1.5/√n), approached in some rounds. Nodes that stand on one place go different ways.

    `x` and `y` are columns from -1 to 1, as are the places that come of it; the node `centre` stays in the middle, and
    of two nodes, by their indices, the `newer` to the right of the `older`, as far as these make no circle.
    Raises ValueError for columns of different lengths, numbers that lie outside, and indices that are no node.

    >>> x, y = spread([0.0, 0.01], [0.0, 0.0])
    >>> bool(x[1] - x[0] > 0.5)
    True
    """
    points = np.stack([numbers(x, "x", -1, 1), numbers(y, "y", -1, 1)])
    same_length(x=points[0], y=points[1])
    n = points.shape[1]
    before, after = indices(older, n, "nodes", "older"), indices(newer, n, "nodes", "newer")
    same_length(older=before, newer=after)
    if n < 2:
        return Places(*points)
    least = 1.5 / np.sqrt(n)
    points = points + _spiral(n, centre) * least * 1e-3
    for _ in range(min(_ROUNDS, max(_ROUNDS_BY_NODES // n, 10))):
        across, down = points[0, :, None] - points[0], points[1, :, None] - points[1]
        away = np.hypot(across, down)
        short = np.where(away < least, (least - away) / np.maximum(away, 1e-9) / 2, 0)
        np.fill_diagonal(short, 0)
        points = points + 0.8 * np.stack([(short * across).sum(axis=1), (short * down).sum(axis=1)])
        points[0] += _in_order(points[0], before, after, _NEXT * least)
        if centre is not None:
            points[:, centre] = 0
    return _framed(points, centre)


def _in_order(
    x: NDArray[np.float64], older: NDArray[np.int64], newer: NDArray[np.int64], gap: float
) -> NDArray[np.float64]:
    """How far nodes have to move across so that the newer ends come to the right of the older, in time."""
    short = np.maximum(0, gap - (x[newer] - x[older])) / 2
    moved = np.bincount(newer, short, len(x)) - np.bincount(older, short, len(x))
    many = np.bincount(newer, short > 0, len(x)) + np.bincount(older, short > 0, len(x))
    shares: NDArray[np.float64] = moved / np.maximum(many, 1)
    return shares


def _shared(
    n: int, start: NDArray[np.int64], end: NDArray[np.int64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The weights, shared out where many edges end in a node, so that what is tied all around is no clump."""
    of = np.bincount(start, weight, n) + np.bincount(end, weight, n)
    shared: NDArray[np.float64] = weight / np.sqrt(np.maximum(1, np.minimum(of[start], of[end])))
    return shared


class _Edges(NamedTuple):
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    weight: NDArray[np.float64]
    is_newer: NDArray[np.bool_]


def _spiral(n: int, centre: int | None) -> NDArray[np.float64]:
    """Two rows, x and y. The centre comes before all others, and the first after it stands to its right."""
    order = np.arange(n)
    if centre is None:
        radius, angle = np.sqrt((order + 0.5) / n), order * _ANGLE
    else:
        order = np.where(order == centre, 0, order + (order < centre))
        radius, angle = np.sqrt(order / n), (order - 1) * _ANGLE
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)])


def _generation(n: int, edges: _Edges, centre: int | None) -> NDArray[np.float64]:
    """How many newer ends lie before each node on the longest way, as far as that is no circle; the centre is 0."""
    older, newer = edges.start[edges.is_newer], edges.end[edges.is_newer]
    found = np.zeros(n)
    for _ in range(min(n, _MOST_GENERATIONS)):
        before = found.copy()
        np.maximum.at(found, newer, found[older] + 1)
        if np.array_equal(before, found):
            break
    return found - (found[centre] if centre is not None else 0)


def _apart(points: NDArray[np.float64], side: float) -> NDArray[np.float64]:
    """What pushes each node away from all others, a block of rows at a time."""
    n = points.shape[1]
    force = np.empty_like(points)
    rows = max(1, _CELLS // n)
    for first in range(0, n, rows):
        block = slice(first, first + rows)
        across, down = points[0, block, None] - points[0], points[1, block, None] - points[1]
        push = side**2 / np.maximum(across * across + down * down, 1e-4 * side**2)
        force[0, block], force[1, block] = (push * across).sum(axis=1), (push * down).sum(axis=1)
    return force


def _together(points: NDArray[np.float64], edges: _Edges, side: float) -> NDArray[np.float64]:
    """What draws the ends of each edge together, and the newer one to the right."""
    n = points.shape[1]
    apart = points[:, edges.end] - points[:, edges.start]
    draw = apart * (edges.weight * np.hypot(apart[0], apart[1]) / side)
    late = edges.is_newer * np.maximum(0, _GAP * side - apart[0])
    draw[0] -= _TIME * late
    ends = (np.bincount(edges.start, each, n) - np.bincount(edges.end, each, n) for each in draw)
    return np.stack([*ends])


def _to_the_middle(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The more, the farther out, but not without end: nothing is to press a long chain together."""
    out: NDArray[np.float64] = np.maximum(1, np.hypot(points[0], points[1]) / _FAR)
    return -_GRAVITY * points / out


def _framed(points: NDArray[np.float64], centre: int | None) -> Places:
    """The picture, moved and stretched into its frame; around a centre each side by itself."""
    least, most = points.min(axis=1), points.max(axis=1)
    middle = points[:, centre] if centre is not None else (least + most) / 2
    sides = np.stack([middle - least, most - middle])
    sides = np.maximum(sides, _LEAST * sides.max())
    apart = points - middle[:, None]
    reach = np.where(apart < 0, sides[0][:, None], sides[1][:, None])
    x, y = apart / np.where(reach > 0, reach, 1)
    return Places(x, y)
