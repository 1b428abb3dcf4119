"""Supersession: how many newer claims stand above a fact, and which `updates` edges lie on a cycle (sections 1, 4).

An edge leads from the newer fact to the older one that it updates. Indices are numbers 0..n-1, edges two columns.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trustmem.core.checks import indices, same_length

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: Chains are counted up to here; what stands deeper is not told apart (section 4).
CAP = 64

#: Few chains come this deep and every cycle does, so only what has come this deep is searched for cycles.
_DEEP = 8


class Chains(NamedTuple):
    """`depth` is a column over facts, `on_cycle` one over edges."""

    depth: NDArray[np.int64]
    on_cycle: Flags


def chains(newer: Indices, older: Indices, n: int, cap: int = CAP) -> Chains:
    """Which edges lie on a cycle, and k of every fact over all the others.

    k = 0 for a head, else 1 + max k of what updates it, counted up to `cap`.

    `newer` and `older` are the ends of the edges: int64 columns of one length, values in 0..n-1, in any order, the
    same edge as often as you like. `depth` has length n. `on_cycle` has one flag an edge: True where both ends lie on
    one cycle, as of an edge from a fact to itself; edges that lead into or out of a cycle are none of its own.
    Raises ValueError where the columns differ in length or an end is no index in 0..n-1. Source: sections 1 and 4.

    >>> chains(np.array([0, 1, 3, 4, 4]), np.array([1, 2, 4, 3, 2]), 5).depth
    array([0, 1, 2, 0, 0])
    """
    newer, older = indices(newer, n, "facts", "newer"), indices(older, n, "facts", "older")
    same_length(newer=newer, older=older)
    depth = np.zeros(n, np.int64)
    on_cycle = np.zeros(newer.size, np.bool_)
    _deepen(depth, newer, older, min(cap, _DEEP))

    # What is not deep is right. The rest gets numbers of its own, so that its columns fit the processor's cache.
    deep = depth == min(cap, _DEEP)
    into_deep = np.flatnonzero(deep[older])
    facts, newer, older = _renumbered(newer[into_deep], older[into_deep], n)
    on_cycle[into_deep] = cyclic = _cyclic(newer, older, facts.size)
    again = np.where(deep[facts], 0, depth[facts])
    _deepen(again, newer[~cyclic], older[~cyclic], cap)
    depth[facts] = again
    return Chains(depth, on_cycle)


def depth(newer: Indices, older: Indices, n: int, cap: int = CAP) -> NDArray[np.int64]:
    """k of every fact: 0 for a head, else 1 + max k of what updates it. For the rest see `chains`. Section 4.

    >>> depth(np.array([0, 1]), np.array([1, 2]), 3)
    array([0, 1, 2])
    """
    return chains(newer, older, n, cap).depth


def on_cycle(newer: Indices, older: Indices, n: int) -> Flags:
    """Which edges have both ends in one strongly connected component. For the rest see `chains`. Section 1.

    >>> on_cycle(np.array([0, 1, 1]), np.array([1, 0, 2]), 3)
    array([ True,  True, False])
    """
    return chains(newer, older, n).on_cycle


def _deepen(depth: NDArray[np.int64], newer: Indices, older: Indices, cap: int) -> None:
    """Raise the `depth` of all `older` ends from 0, in place; facts that are only `newer` keep what they have.

    In round k those edges are left that come from a fact of depth k - 1 or more. They thin out fast, need no order and
    no index, and on a cycle they end at the cap.
    """
    for k in range(1, cap + 1):
        depth[older] = k
        left = depth[newer] >= k
        newer, older = newer[left], older[left]
        if not newer.size:
            break


def _renumbered(newer: Indices, older: Indices, n: int) -> tuple[Indices, Indices, Indices]:
    """The facts that these edges join, and the edges between positions in them."""
    position = np.zeros(n, np.int64)
    position[newer] = position[older] = 1
    facts = np.flatnonzero(position)
    position[facts] = np.arange(facts.size)
    return facts, position[newer], position[older]


def _cyclic(newer: Indices, older: Indices, n: int) -> Flags:
    """Which edges have both ends in one strongly connected component.

    The edges of a path without forks and joins share one fate, so its last edge stands in for them, stretched over the
    whole path. Then edges that come from nowhere or lead nowhere fall, and longer paths arise. Where that hardly helps
    any more there is a tangle, which is walked.
    """
    cyclic = np.zeros(newer.size, np.bool_)
    newer = newer.copy()
    stand_in = np.arange(newer.size)
    left, before = stand_in.copy(), np.inf
    while left.size and left.size < 0.9 * before:
        before = left.size
        source, target = newer[left], older[left]
        ways_in, ways_out = np.bincount(target, minlength=n), np.bincount(source, minlength=n)
        passed = (ways_in == 1) & (ways_out == 1)
        last = _path_ends(source, target, passed)
        # Only a ring never ends. It has no first edge either, and so is done with.
        cyclic[left] = passed[target[last]]
        stand_in[left] = left[last]
        stand_in = stand_in[stand_in]

        first = ~passed[source]
        left = left[last[first]]
        newer[left] = source[first]
        left = left[(ways_in[newer[left]] > 0) & (ways_out[older[left]] > 0)]
    cyclic[left] = _walked(newer[left], older[left])
    return cyclic[stand_in]


def _path_ends(newer: Indices, older: Indices, passed: Flags) -> Indices:
    """The last edge of each edge's path, which runs through `passed` facts; on a ring some edge of it."""
    edges = np.arange(newer.size)
    leaving = np.zeros(passed.size, np.int64)
    leaving[newer] = edges
    ahead = np.where(passed[older], leaving[older], edges)
    for _ in range(edges.size.bit_length()):  # pointer doubling: after k rounds, 2^k edges ahead
        ahead = ahead[ahead]
    return ahead


def _walked(newer: Indices, older: Indices) -> Flags:
    """Which edges have both ends in one strongly connected component, by Tarjan's walk with a stack of its own.

    The one loop over facts in Python: linear, and only tangles that an import brought come here.
    """
    edges = list(zip(newer.tolist(), older.tolist(), strict=True))
    below: dict[int, list[int]] = {fact: [] for edge in edges for fact in edge}
    for source, target in edges:
        below[source].append(target)
    untried = {fact: iter(targets) for fact, targets in below.items()}

    met: dict[int, int] = {}  # when the walk first came to a fact
    lowest: dict[int, int] = {}  # the first met of the open facts that it is known to lead to
    component: dict[int, int] = {}  # named by one of its members; a fact without one is open
    open_facts: list[int] = []
    for start in below:
        path = [] if start in met else [start]
        while path:
            fact = path[-1]
            if fact not in met:
                met[fact] = lowest[fact] = len(met)
                open_facts.append(fact)
            for target in untried[fact]:
                if target not in met:
                    path.append(target)
                    break
                if target not in component:
                    lowest[fact] = min(lowest[fact], lowest[target])
            else:
                path.pop()
                if lowest[fact] == met[fact]:
                    while fact not in component:
                        component[open_facts.pop()] = fact
                elif path:
                    lowest[path[-1]] = min(lowest[path[-1]], lowest[fact])
    return np.array([component[source] == component[target] for source, target in edges], np.bool_)
