"""Exact neighbours: of all facts at once, and mended where facts have come and gone."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustmem.core import neighbours
from trustmem.core.neighbours import Neighbours, directions, mended, nearest


def clustered(n, dimensions=16, seed=1, dtype=np.float32):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(max(1, n // 20), dimensions))
    return (centres[rng.integers(0, len(centres), n)] + 0.6 * rng.normal(size=(n, dimensions))).astype(dtype)


def by_definition(matrix, k):
    exact = np.asarray(matrix, np.float64)
    unit = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    cosine = np.round(unit @ unit.T, 10)
    np.fill_diagonal(cosine, -2)
    everyone = np.arange(len(unit))
    return np.array([np.lexsort((everyone, -row))[:k] for row in cosine])


def assert_same(one, other):
    for left, right in zip(one, other, strict=True):
        assert left.tobytes() == right.tobytes()
        assert left.shape == right.shape


@pytest.mark.parametrize("n, k", [(2, 1), (11, 10), (300, 10), (2500, 3)])
def test_the_nearest_are_what_the_definition_says(n, k):
    matrix = clustered(n)
    found = nearest(directions(matrix), k)
    assert found.nearest.tolist() == by_definition(matrix, k).tolist()
    assert (np.diff(found.cosine, axis=1) <= 1e-10).all()


def test_some_rows_have_the_neighbours_that_they_have_among_all():
    of = directions(clustered(900))
    rows = np.array([3, 899, 0, 500])
    some, every = nearest(of, 5, rows), nearest(of, 5)
    assert_same(some, Neighbours(*(each[rows] for each in every)))


def test_side_by_side_or_in_turn_and_in_whatever_blocks_it_is_the_same(monkeypatch):
    of = directions(clustered(700))
    whole = nearest(of, 10)
    for name, size in [("_ROWS", 33), ("_TILES", 50), ("_AT_ONCE", 7), ("_CELLS", 500)]:
        monkeypatch.setattr(neighbours, name, size)
    with ThreadPoolExecutor(2) as pool:
        assert_same(nearest(of, 10, run=pool.map), whole)


def test_many_that_say_the_same_cost_no_more_than_a_few(monkeypatch):
    matrix = clustered(60)
    matrix[10:50] = matrix[9]
    asked = []
    dots = neighbours._dots
    monkeypatch.setattr(neighbours, "_dots", lambda vectors, i, j: asked.append(len(i)) or dots(vectors, i, j))
    found = nearest(directions(matrix), 4)
    assert found.nearest.tolist() == by_definition(matrix, 4).tolist()
    assert found.nearest[30].tolist() == [9, 10, 11, 12]
    assert sum(asked) < 500  # 40 that say the same are 1 600 pairs


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(0, 3))
def test_what_is_mended_is_what_is_worked_out_anew(seed, k, rounds):
    """Facts come, older ones among them, and go; many say the same or are equally near."""
    rng = np.random.default_rng(seed)
    told = rng.integers(-1, 2, (12, 4)).astype(np.float32)
    told[~told.any(axis=1)] = 1
    keys = np.sort(rng.choice(1000, rng.integers(1, 40), replace=False))
    vector = {key: told[rng.integers(12)] for key in range(1000)}
    known = dict[int, list[int]]()
    cosines = dict[int, list[float]]()
    for _ in range(rounds + 1):
        of = directions(np.array([vector[key] for key in keys]))
        width = min(k, len(keys) - 1)
        place = {int(key): at for at, key in enumerate(keys)}
        index, cosine = np.full((len(keys), width), -1), np.zeros((len(keys), width))
        for row, key in enumerate(keys.tolist()):
            if len(known.get(key, ())) == width and width:
                index[row] = [place.get(other, -1) for other in known[key]]
                cosine[row] = cosines[key]
        fresh = np.array([key not in known for key in keys.tolist()])
        found = mended(of, k, Neighbours(index, cosine), fresh)
        assert_same(found, nearest(of, k))
        known = {int(key): keys[row].tolist() for key, row in zip(keys, found.nearest, strict=True)}
        cosines = {int(key): row.tolist() for key, row in zip(keys, found.cosine, strict=True)}
        stay = keys[rng.random(len(keys)) < 0.8]
        keys = np.union1d(stay, rng.choice(1000, rng.integers(1, 12), replace=False))
        for key in set(known) - set(keys.tolist()):
            del known[key], cosines[key]


def test_what_is_found_twice_counts_once():
    """What came when writing was cut short is new again, and in some rows already."""
    of = directions(clustered(200))
    whole = nearest(of, 5)
    fresh = np.arange(200) >= 150
    index = np.where(fresh[:, None], -1, whole.nearest)
    assert_same(mended(of, 5, Neighbours(index, whole.cosine), fresh), whole)


def test_where_nothing_came_or_went_nothing_is_looked_for(monkeypatch):
    of = directions(clustered(50))
    whole = nearest(of, 5)
    monkeypatch.setattr(neighbours, "_nearest", None)
    assert_same(mended(of, 5, whole, np.zeros(50, np.bool_)), whole)


def test_what_cannot_be_kept_is_refused():
    of = directions(clustered(20))
    kept = nearest(of, 3)
    with pytest.raises(ValueError, match="a column a neighbour"):
        mended(of, 4, kept, np.zeros(20, np.bool_))
    with pytest.raises(ValueError, match="nothing of what is fresh"):
        mended(of, 3, kept, np.ones(20, np.bool_))
    with pytest.raises(ValueError, match="none may be all zero"):
        directions(np.zeros((2, 3)))
