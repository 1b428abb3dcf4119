"""Supersession depth and cycles (sections 1 and 4; case 051)."""

import json
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.chains import CAP, chains, depth, on_cycle

VECTORS = Path(__file__).parents[1] / "vectors" / "supersession.json"
ROWS = json.loads(VECTORS.read_text())["rows"]


def columns(edges):
    ends = np.array(edges, np.int64).reshape(-1, 2)
    return ends[:, 0].copy(), ends[:, 1].copy()


def of(edges, n, cap=CAP):
    found = chains(*columns(edges), n, cap)
    return found.depth.tolist(), found.on_cycle.tolist()


def chain(length, start=0):
    return [(start + i, start + i + 1) for i in range(length)]


def ring(length, start=0):
    return [(start + i, start + (i + 1) % length) for i in range(length)]


def by_definition(edges, n, cap):
    """The words of the model, taken one by one."""
    reaches = np.eye(n, dtype=bool)
    for newer, older in edges:
        reaches[newer, older] = True
    for middle in range(n):
        reaches |= np.outer(reaches[:, middle], reaches[middle])
    cyclic = [bool(reaches[older, newer]) for newer, older in edges]
    live = [edge for edge, closed in zip(edges, cyclic, strict=True) if not closed]

    def k(fact):
        return 1 + max((k(newer) for newer, older in live if older == fact), default=-1)

    return [min(k(fact), cap) for fact in range(n)], cyclic


@pytest.mark.parametrize("row", ROWS)
def test_the_worked_examples_come_out_right(row):
    facts, updates = row["in"]["facts"], row["in"]["updates"]
    edges = [(facts.index(newer), facts.index(older)) for newer, older in updates]
    depths, cyclic = of(edges, len(facts))
    members = {fact for pair, closed in zip(updates, cyclic, strict=True) if closed for fact in pair}
    assert dict(zip(facts, depths, strict=True)) == row["out"]["depth"]
    assert sorted(members) == row["out"]["cycle"]


def test_facts_without_edges_are_heads():
    assert of([], 3) == ([0, 0, 0], [])
    assert of([], 0) == ([], [])


def test_the_longest_chain_counts_where_several_lead_to_a_fact():
    assert of([(0, 3), (0, 1), (1, 2), (2, 3)], 4)[0] == [0, 1, 2, 3]


def test_several_updates_of_a_fact_do_not_stack():
    assert of([(0, 3), (1, 3), (2, 3)], 4)[0] == [0, 0, 0, 1]


def test_a_chain_is_counted_up_to_the_cap():
    depths, cyclic = of(chain(70), 71)
    assert depths == [min(k, 64) for k in range(71)]
    assert not any(cyclic)


def test_a_fact_that_updates_itself_is_a_cycle_and_stays_a_head():
    assert of([(0, 0), (0, 1)], 2) == ([0, 1], [True, False])


def test_two_facts_that_update_each_other_do_not_supersede_each_other():
    assert of(ring(2), 2) == ([0, 0], [True, True])


def test_two_rings_that_share_a_fact_are_one_cycle():
    figure_eight = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]
    assert of(figure_eight, 5) == ([0] * 5, [True] * 6)


def test_a_chord_across_a_ring_lies_on_a_cycle_too():
    assert of([*ring(4), (0, 2)], 4) == ([0] * 4, [True] * 5)


def test_what_stands_behind_a_cycle_counts_from_the_cycle_on():
    assert of([*ring(3), (2, 3), (3, 4)], 5) == ([0, 0, 0, 1, 2], [True] * 3 + [False] * 2)


def test_a_member_of_a_cycle_is_superseded_by_what_updates_it_from_outside():
    fed = [(3, 4), (4, 0), *ring(3)]
    assert of(fed, 5) == ([2, 0, 0, 0, 1], [False] * 2 + [True] * 3)


def test_a_way_from_one_cycle_to_another_lies_on_neither():
    assert of([*ring(2), (1, 2), *ring(2, start=2)], 4) == ([0, 0, 1, 0], [True] * 2 + [False] + [True] * 2)


def test_a_long_chain_behind_a_cycle_is_counted_up_to_the_cap():
    depths, cyclic = of([*ring(2), *chain(100, start=1)], 102)
    assert depths == [0, 0] + [min(k, 64) for k in range(1, 101)]
    assert sum(cyclic) == 2


@given(st.data())
def test_depth_and_cycles_are_what_the_model_says(data):
    n = data.draw(st.integers(1, 9))
    fact = st.integers(0, n - 1)
    edges = data.draw(st.lists(st.tuples(fact, fact), max_size=16))
    cap = data.draw(st.sampled_from([0, 1, 2, 3, CAP]))
    assert of(edges, n, cap) == by_definition(edges, n, cap)


@given(st.data())
def test_long_ways_between_few_forks_are_what_the_model_says(data):
    """Each edge of a small graph becomes a path; its edges share its fate, and a path between forks counts whole."""
    n = data.draw(st.integers(1, 5))
    fact = st.integers(0, n - 1)
    edges, total = [], n
    for newer, older, between in data.draw(st.lists(st.tuples(fact, fact, st.integers(0, 6)), max_size=9)):
        stops = [newer, *range(total, total + between), older]
        edges += pairwise(stops)
        total += between
    assert of(edges, total) == by_definition(edges, total, CAP)


@given(st.data())
def test_order_and_repetition_of_edges_change_nothing(data):
    n = data.draw(st.integers(1, 12))
    fact = st.integers(0, n - 1)
    edges = data.draw(st.lists(st.tuples(fact, fact), max_size=24))
    again = data.draw(st.permutations(edges + data.draw(st.lists(st.sampled_from(edges or [(0, 0)]), max_size=9))))
    again = [edge for edge in again if edge in edges]
    depths, cyclic = of(edges, n)
    depths_again, cyclic_again = of(again, n)
    assert depths_again == depths
    assert dict(zip(again, cyclic_again, strict=True)) == dict(zip(edges, cyclic, strict=True))


def shuffled(edges, n):
    """The same graph under other numbers and in another order, so that nothing can lean on either."""
    rng = np.random.default_rng(7)
    numbers = rng.permutation(n)
    newer, older = columns(rng.permutation(numbers[np.array(edges)]))
    return newer, older, numbers


def ladder(levels, start=0):
    """Two facts a level, each updating both of the next."""
    return [(start + 2 * i + a, start + 2 * i + 2 + b) for i in range(levels) for a in (0, 1) for b in (0, 1)]


# Edges, facts, and how many edges lie on a cycle. A ladder's other top and other foot lie on no way back.
HARD = {
    "a chain of 10 000": (chain(10_000), 10_001, 0),
    "a chain of 10 000, every edge twice": (chain(10_000) * 2, 10_001, 0),
    "a chain of 10 000 that begins in a ring": ([*ring(3), *chain(10_000, start=2)], 10_003, 3),
    "a ladder of 5 000 levels": (ladder(5_000), 10_002, 0),
    "a ladder of 5 000 levels with a way back": ([*ladder(5_000), (10_001, 0)], 10_002, 20_001 - 4),
    "a ladder of 5 000 levels between two rings": ([(0, 0), *ladder(5_000), *ring(2, start=10_001)], 10_003, 3),
    "a ring of 100 000": (ring(100_000), 100_000, 100_000),
    "20 000 rings": ([edge for i in range(20_000) for edge in ring(5, 5 * i)], 100_000, 100_000),
    "20 000 rings in a row": ([*chain(40_000), *((i + 1, i) for i in range(0, 40_000, 2))], 40_001, 40_000),
    "100 000 facts that update one": ([(i, 100_000) for i in range(100_000)], 100_001, 0),
}


@pytest.mark.parametrize("shape", HARD)
def test_hard_shapes_take_well_under_two_seconds(shape):
    edges, n, cyclic = HARD[shape]
    newer, older, _ = shuffled(edges, n)
    start = perf_counter()
    found = chains(newer, older, n)
    assert perf_counter() - start < 2
    assert found.on_cycle.sum() == cyclic


def test_a_ladder_of_5000_levels_is_counted_level_by_level():
    newer, older, numbers = shuffled(ladder(5_000), 10_002)
    assert depth(newer, older, 10_002)[numbers].tolist() == [min(i // 2, 64) for i in range(10_002)]


def test_each_answer_can_be_had_alone():
    newer, older = columns([*ring(2), (1, 2)])
    assert depth(newer, older, 3).tolist() == [0, 0, 1]
    assert on_cycle(newer, older, 3).tolist() == [True, True, False]


def test_the_edges_given_stay_as_they_were():
    newer, older = columns([*chain(100), *ring(3, start=101)])
    kept = newer.copy(), older.copy()
    chains(newer, older, 104)
    assert np.array_equal(newer, kept[0]) and np.array_equal(older, kept[1])


@pytest.mark.parametrize(
    "newer, older, words",
    [
        ([-1], [0], "newer must hold indices of the 2 facts"),
        ([0], [-1], "older must hold indices of the 2 facts"),
        ([2], [0], "newer must hold indices of the 2 facts"),
        ([0], [2], "older must hold indices of the 2 facts"),
        ([0.5], [1], "newer must hold whole numbers"),
        ([0], [np.nan], "older must hold whole numbers"),
        ([0, 1], [1], "newer and older must be columns of one length"),
    ],
)
def test_what_is_no_edge_between_facts_is_refused(newer, older, words):
    for function in (chains, depth, on_cycle):
        with pytest.raises(ValueError, match=words):
            function(np.array(newer), np.array(older), 2)
