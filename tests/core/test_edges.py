"""Semantic edges, co-occurrence and centrality (section 9)."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core import neighbours
from trustmem.core.edges import centrality, mutual_neighbours, npmi

VECTORS = Path(__file__).parents[1] / "vectors"


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text())["rows"]


def clustered(n, dimensions=32, seed=1):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(max(1, n // 20), dimensions))
    return centres[rng.integers(0, len(centres), n)] + 0.6 * rng.normal(size=(n, dimensions))


def by_definition(matrix, k):
    """The words of the model, taken one by one."""
    matrix = np.asarray(matrix, np.float64)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    cosine = [[float(np.sum(one * other)) for other in unit] for one in unit]
    nearest = [
        sorted((other for other in range(len(unit)) if other != one), key=lambda j: (-round(cosine[one][j], 10), j))[:k]
        for one in range(len(unit))
    ]

    def weight(i, j):
        mean = sum(cosine[i][other] for other in nearest[i]) / len(nearest[i])
        return 0 if mean > 1 - 1e-10 else max(0, (cosine[i][j] - mean) / (1 - mean))

    return [
        (i, j, weight(i, j), weight(j, i)) for i in range(len(unit)) for j in nearest[i] if i < j and i in nearest[j]
    ]


def assert_same(found, right):
    right = sorted(right)
    assert list(zip(found.i.tolist(), found.j.tolist(), strict=True)) == [(i, j) for i, j, _, _ in right]
    np.testing.assert_allclose(found.weight_ij, [weight for _, _, weight, _ in right], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.weight_ji, [weight for _, _, _, weight in right], rtol=0, atol=1e-9)


@pytest.mark.parametrize("case", vectors("semantic_edges"), ids=lambda case: len(case["in"]["vectors"]))
def test_the_worked_examples_of_semantic_edges_come_out_right(case):
    assert_same(mutual_neighbours(**case["in"]), case["out"])


@pytest.mark.parametrize("n, k", [(2, 1), (3, 10), (40, 39), (150, 3), (300, 10)])
def test_it_is_what_the_definition_says(n, k):
    matrix = clustered(n)
    assert_same(mutual_neighbours(matrix, k), by_definition(matrix, k))


def test_many_blocks_give_what_one_gives(monkeypatch):
    matrix = clustered(700)
    whole = mutual_neighbours(matrix, 10)
    monkeypatch.setattr(neighbours, "_CELLS", 5000)
    monkeypatch.setattr(neighbours, "_ROWS", 33)
    monkeypatch.setattr(neighbours, "_TILES", 50)
    monkeypatch.setattr(neighbours, "_AT_ONCE", 7)
    for one, other in zip(mutual_neighbours(matrix, 10), whole, strict=True):
        np.testing.assert_array_equal(one, other)


def test_single_precision_is_enough_to_be_exact_about_what_it_holds():
    matrix = clustered(300).astype(np.float32)
    assert_same(mutual_neighbours(matrix, 10), by_definition(matrix, 10))


def test_among_equals_the_older_fact_wins_wherever_it_stands():
    matrix = np.repeat(clustered(60, 33, seed=2), 5, axis=0)  # five times each text, one after the other
    matrix *= np.random.default_rng(4).uniform(0.1, 10, (300, 1))
    found = mutual_neighbours(matrix, 2)
    # Of five equal facts each is nearest to the two oldest others, so only the oldest three hold together.
    right = [(5 * text + i, 5 * text + j) for text in range(60) for i, j in [(0, 1), (0, 2), (1, 2)]]
    assert list(zip(found.i.tolist(), found.j.tolist(), strict=True)) == right
    assert found.weight_ij.tolist() == found.weight_ji.tolist() == [0.0] * len(right)  # where the mean is 1


def test_the_last_bits_break_no_tie():
    rng = np.random.default_rng(5)
    told = rng.uniform(0.1, 2, 33)
    shuffled = [rng.permutation(told) for _ in range(40)]  # all equally near to the first, but for rounding
    found = mutual_neighbours([np.ones(33), *shuffled], 3)
    assert found.j[found.i == 0].tolist() == [1, 2, 3]


def test_length_means_nothing_and_direction_everything():
    matrix = clustered(100)
    stretched = matrix * 10.0 ** np.random.default_rng(3).integers(-300, 300, (100, 1))
    for one, other in zip(mutual_neighbours(matrix, 5), mutual_neighbours(stretched, 5), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)


def test_a_vector_without_direction_is_nobodys_neighbour():
    matrix = clustered(50)
    holed = np.insert(matrix, [0, 20, 50], 0, axis=0)
    moved = np.delete(np.arange(53), [0, 21, 52])
    alone, among = mutual_neighbours(matrix, 4), mutual_neighbours(holed, 4)
    assert (among.i.tolist(), among.j.tolist()) == (moved[alone.i].tolist(), moved[alone.j].tolist())


@pytest.mark.parametrize("matrix", [np.empty((0, 3)), np.ones((1, 3)), np.zeros((4, 3))])
def test_where_nothing_is_near_there_are_no_edges(matrix):
    assert [column.tolist() for column in mutual_neighbours(matrix, 3)] == [[]] * 4


def test_vectors_that_are_none_are_refused():
    for wrong in ([1.0, 2.0], [[np.nan, 1.0]], [[np.inf, 1.0]]):
        with pytest.raises(ValueError, match="matrix of finite numbers"):
            mutual_neighbours(wrong, 3)
    with pytest.raises(ValueError, match="at least 1"):
        mutual_neighbours([[1.0, 2.0]], 0)


def test_the_worked_examples_of_co_occurrence_come_out_right():
    rows = vectors("npmi")
    given = {name: [row["in"][name] for row in rows] for name in ("n_x", "n_y", "n_xy", "n")}
    np.testing.assert_allclose(npmi(**given), [row["out"] for row in rows], rtol=0, atol=1e-9)


@given(st.integers(1, 10**6), st.data())
def test_co_occurrence_lies_between_never_and_always_together(n, data):
    n_x, n_y = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    n_xy = data.draw(st.integers(0, min(n_x, n_y)))
    value = npmi([n_x], [n_y], [n_xy], n)[0]
    assert 0 <= value <= 1
    assert value == npmi([n_y], [n_x], [n_xy], n)[0]
    assert n_xy > 0 or value == 0
    assert n_xy < n or value == 1


@pytest.mark.parametrize(
    "counts, words",
    [
        (([1], [2], [2], [4]), "counts must be such that 0 <= n_xy <= n_x, n_y <= n"),
        (([2], [5], [2], [4]), "counts must be such that 0 <= n_xy <= n_x, n_y <= n"),
        (([2], [2], [-1], [4]), "n_xy must hold whole numbers, at least 0"),
        (([np.nan], [2], [1], [4]), "n_x must hold whole numbers"),
        (([1], [1.5], [1], [4]), "n_y must hold whole numbers"),
        (([1], [1], [1], np.inf), "n must hold whole numbers"),
        (([1e300], [1e300], [1e300], 1e301), "n_x must hold whole numbers of at most 64 bits"),
        (([1, 2], [1], [1], 4), "n_x, n_y and n_xy must be columns of one length"),
    ],
)
def test_counts_that_cannot_be_are_refused(counts, words):
    with pytest.raises(ValueError, match=words):
        npmi(*counts)


GRAPHS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.floats(0, 5).map(lambda w: round(w, 3)))),
    )
)


@given(GRAPHS)
def test_centrality_sums_to_one_and_solves_its_own_equation(graph):
    n, rows = graph
    source, target, weight = (np.array(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    rank = centrality(source, target, weight, n)
    follow = np.zeros((n, n))
    for start, end, flow in rows:
        follow[end, start] += flow
    out = follow.sum(axis=0)
    follow = np.where(out > 0, follow / np.where(out > 0, out, 1), 1 / n)
    assert rank.sum() == pytest.approx(1, rel=0, abs=1e-12)
    np.testing.assert_allclose(rank, 0.15 / n + 0.85 * follow @ rank, rtol=0, atol=1e-11)


def test_without_edges_all_are_equally_central():
    assert centrality([], [], [], 4).tolist() == [0.25] * 4
    assert centrality([], [], [], 0).tolist() == []


@pytest.mark.parametrize(
    "edges, n, words",
    [
        (([0], [2], [1.0]), 2, "target must hold indices of the 2 entities"),
        (([-1], [0], [1.0]), 2, "source must hold indices of the 2 entities"),
        (([0], [0], [1.0]), 0, "source must hold indices of the 0 entities"),
        (([0.7], [1], [1.0]), 2, "source must hold whole numbers"),
        (([0], [1], []), 2, "source, target and weight must be columns of one length"),
        (([0], [1], [-1.0]), 2, "weight must hold finite numbers, at least 0"),
        (([0], [1], [np.nan]), 2, "weight must hold finite numbers, at least 0"),
        (([0], [1], [np.inf]), 2, "weight must hold finite numbers, at least 0"),
    ],
)
def test_what_is_no_edge_between_entities_is_refused(edges, n, words):
    with pytest.raises(ValueError, match=words):
        centrality(*edges, n)
