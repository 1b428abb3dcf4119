"""Where nodes stand: always the same, within the frame, apart from each other, and by time where that is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.layout import Places, place, spread


def nearest(places) -> np.ndarray:
    """How far each node stands from the one next to it."""
    apart = np.hypot(places.x[:, None] - places.x, places.y[:, None] - places.y)
    np.fill_diagonal(apart, np.inf)
    return apart.min(axis=0)


def tree(n: int) -> tuple[list[int], list[int]]:
    """Each node is tied to one before it."""
    return list(range(1, n)), [(each * 7919) % each for each in range(1, n)]


EDGES = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2, st.floats(0, 1), st.booleans()), max_size=80)
    )
)


@given(EDGES, st.booleans())
def test_whatever_is_tied_every_node_stands_within_the_frame(graph, is_centred):
    n, edges = graph
    i, j, weight, newer = zip(*edges, strict=True) if edges else ((), (), (), ())
    x, y = place(n, i, j, weight, is_newer=newer, centre=0 if is_centred else None)
    assert np.all(np.isfinite([x, y]))
    assert np.abs([x, y]).max() <= 1 + 1e-9
    if is_centred:
        assert (x[0], y[0]) == (0, 0)


def test_the_same_graph_is_drawn_the_same_each_time():
    one, other = (place(60, *tree(60), np.ones(59), centre=0) for _ in range(2))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("n", [3, 10, 20])
def test_a_chain_is_read_from_left_to_right(n):
    older, newer = list(range(n - 1)), list(range(1, n))
    for centre in (None, 0, n // 2, n - 1):
        x, _ = place(n, older, newer, np.ones(n - 1), is_newer=np.ones(n - 1, bool), centre=centre)
        assert np.all(np.diff(x) > 0)


def test_what_replaced_the_centre_stands_to_its_right_amid_much_that_is_only_near():
    near = list(range(3, 60))
    i, j = [1, 0, *[0] * len(near)], [0, 2, *near]
    x, _ = place(60, i, j, np.full(len(i), 0.5), is_newer=[True, True, *[False] * len(near)], centre=0)
    assert x[1] < 0 < x[2]


def test_a_circle_of_updates_and_an_edge_onto_itself_are_drawn_as_well():
    x, y = place(3, [0, 1, 2, 0], [1, 2, 0, 0], [1, 1, 1, 1], is_newer=[True] * 4)
    assert nearest(place(3, [0, 1, 2, 0], [1, 2, 0, 0], [1, 1, 1, 1], is_newer=[True] * 4)).min() > 0.5
    assert np.ptp(x) > 0 or np.ptp(y) > 0


@pytest.mark.parametrize("n", [2, 12, 60, 150])
def test_nodes_of_a_star_do_not_stand_on_each_other(n):
    star = place(n, np.zeros(n - 1, int), np.arange(1, n), np.full(n - 1, 0.5), centre=0)
    assert nearest(star).min() > 1 / np.sqrt(n)


def test_what_is_tied_stands_nearer_than_what_is_not():
    """Two groups, each tied within, and by one edge with each other."""
    pairs = [(a, b) for first in (0, 8) for a in range(first, first + 8) for b in range(a + 1, first + 8)]
    i, j = zip(*pairs, (0, 8), strict=True)
    x, y = place(16, i, j, np.ones(len(i)))
    apart = np.hypot(x[:, None] - x, y[:, None] - y)
    within = [apart[a, b] for a, b in pairs]
    across = [apart[a, b] for a in range(8) for b in range(8, 16)]
    assert np.mean(within) < np.mean(across) / 1.5


def test_parts_that_nothing_ties_stay_in_the_picture_and_use_its_room():
    x, y = place(30, [], [], [])
    assert nearest(place(30, [], [], [])).min() > 0.12
    assert (np.ptp(x), np.ptp(y)) == pytest.approx((2, 2))


@pytest.mark.parametrize("centre", [None, 0])
def test_what_stands_too_near_is_pushed_apart_and_what_does_not_keeps_its_order(centre):
    crowd = np.tile(np.linspace(0, 0.4, 6), 6)
    x, y = np.append(crowd, -0.9), np.append(np.sort(crowd), 0.9)
    places = spread(x, y, centre=centre)
    assert nearest(Places(x, y)).min() < 0.5 / np.sqrt(37) < 0.8 / np.sqrt(37) < nearest(places).min()
    assert places.x[36] < places.x[:36].min()
    assert np.abs(places).max() <= 1
    if centre == 0:
        assert (places.x[0], places.y[0]) == (0, 0)


def test_what_is_pushed_apart_stays_in_the_order_of_time():
    crowd = np.tile(np.linspace(0, 0.1, 6), 6)
    older, newer = list(range(30, 35)), list(range(31, 36))
    x, _ = spread(crowd, np.sort(crowd), older=older, newer=newer)
    assert np.all(np.diff(x[30:]) > 0)


@pytest.mark.parametrize("n", [0, 1])
def test_what_is_alone_is_pushed_nowhere(n):
    assert spread([0.5] * n, [0.5] * n).x.tolist() == [0.5] * n


@pytest.mark.parametrize(("n", "places"), [(0, []), (1, [(0.0, 0.0)])])
def test_nothing_and_one_node_are_graphs_too(n, places):
    assert list(zip(*place(n, [], [], []), strict=True)) == places


def test_what_is_no_graph_is_refused():
    with pytest.raises(ValueError, match="indices of the 2 nodes"):
        place(2, [0], [2], [1.0])
    with pytest.raises(ValueError, match="at most 1"):
        place(2, [0], [1], [1.5])
    with pytest.raises(ValueError, match="one length"):
        place(2, [0], [1], [])
