"""Activation and freshness (section 3)."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.constants import REGISTRY, Constants
from trustmem.core.freshness import activation, freshness
from trustmem.core.instants import MICROSECONDS_PER_DAY

ROWS = json.loads((Path(__file__).parents[1] / "vectors" / "freshness.json").read_text())["rows"]
DAY = MICROSECONDS_PER_DAY
NOW = 20_000 * DAY

AGES = st.lists(st.floats(0, 20_000), min_size=1, max_size=30)


def allowed(name):
    return st.floats(REGISTRY[name].low, REGISTRY[name].high)


CONSTANTS = st.builds(
    Constants,
    activation_decay=allowed("activation_decay"),
    activation_midpoint=allowed("activation_midpoint"),
    activation_scale=allowed("activation_scale"),
    use_activation=allowed("use_activation"),
)


def of(confirmed=(), used=(), baseline=0, first_seen=0.0, constants=Constants()):  # noqa: B008, it is frozen
    """B of one fact, with and without use, from ages in days."""
    ages = np.array([*confirmed, *used], np.float64)
    both = activation(
        -ages * DAY,
        np.zeros(len(ages), np.int64),
        np.arange(len(ages)) >= len(confirmed),
        [baseline],
        [-first_seen * DAY],
        0,
        constants,
    )
    return tuple(float(column[0]) for column in both)


def test_the_worked_examples_come_out_right():
    ages = [row["in"]["event_ages_days"] for row in ROWS]
    both = activation(
        -np.concatenate(ages) * DAY,
        np.repeat(np.arange(len(ROWS)), [len(each) for each in ages]),
        np.zeros(sum(map(len, ages)), bool),
        [row["in"]["baseline_count"] for row in ROWS],
        [-(row["in"]["baseline_first_age_days"] or 0) * DAY for row in ROWS],
        0,
        Constants(),
    )
    np.testing.assert_allclose(both.with_use, [row["out"]["activation"] for row in ROWS], rtol=0, atol=1e-9)
    right = [row["out"]["freshness"] for row in ROWS]
    np.testing.assert_allclose(freshness(both.with_use, Constants()), right, rtol=0, atol=1e-9)


def test_a_fact_seen_once_is_fresh_at_a_week_and_stale_soon_after_a_quarter():
    assert freshness([of([7])[0], of([90])[0]], Constants()).round(2).tolist() == [0.8, 0.26]


def test_reading_refreshes_but_what_remains_without_it_is_shown_apart():
    with_use, without = of([100], used=[0.1])
    assert without == of([100])[0] < with_use == pytest.approx(of([100, 0.1])[0])


def test_use_counts_for_as_much_as_use_activation_says():
    half = of([4], used=[1], constants=Constants(use_activation=0.5))
    assert math.exp(half[0]) == pytest.approx(0.5 + 0.5 * 1)
    off = of([4], used=[1], constants=Constants(use_activation=0))
    assert off[0] == off[1] == pytest.approx(math.log(0.5))


def test_with_a_baseline_alone_it_is_the_closed_form():
    assert of(baseline=9, first_seen=16)[0] == pytest.approx(math.log(9 / 0.5) - 0.5 * math.log(16))


def test_where_age_is_unknown_activation_is_unknown_and_freshness_half_never_now():
    assert np.isnan(of()).all()
    assert np.isnan(of(used=[0], constants=Constants(use_activation=0))).all()
    assert freshness([np.nan, 0.0], Constants())[0] == 0.5


def test_a_fact_only_ever_used_is_half_fresh_without_its_uses():
    with_use, without = of(used=[1])
    assert with_use == 0 and freshness([without], Constants()).tolist() == [0.5]


def test_the_future_counts_as_now_and_now_as_a_minute_ago():
    minute = of([1 / 1440])
    assert of([-3]) == of([0]) == minute
    assert of(baseline=1, first_seen=-3) == of(baseline=1, first_seen=1 / 1440)


def test_real_instants_are_read_to_the_microsecond():
    at = np.array([NOW - 61_000_001, NOW + 5])
    both = activation(at, np.array([0, 1]), np.zeros(2, bool), [0, 0], [0, 0], NOW, Constants())
    assert both.with_use[0] == pytest.approx(-0.5 * math.log(61.000001 / 86_400), abs=1e-12)
    assert both.with_use[1] == pytest.approx(-0.5 * math.log(60 / 86_400), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0, 9000), st.booleans()), max_size=60), st.data())
def test_facts_do_not_mix_and_the_order_of_touches_changes_the_last_bits_at_most(touches, data):
    shuffled = data.draw(st.permutations(touches))
    owner, age, is_use = (np.array([row[column] for row in shuffled]) for column in range(3))
    nothing = np.zeros(10)
    at = NOW - (age * DAY).astype(np.int64)
    both = activation(at, owner.astype(np.int64), is_use.astype(bool), nothing, nothing, NOW, Constants())
    for fact in range(10):
        alone = of(
            [age for who, age, used in touches if who == fact and not used],
            [age for who, age, used in touches if who == fact and used],
        )
        np.testing.assert_allclose([both.with_use[fact], both.without_use[fact]], alone, rtol=0, atol=1e-8)


def test_a_history_longer_than_a_block_sums_like_bincount():
    rng = np.random.default_rng(1)
    age, owner, is_use = rng.exponential(60, 200_000), rng.integers(0, 50, 200_000), rng.random(200_000) < 0.5
    both = activation(-age * DAY, owner, is_use, np.zeros(50), np.zeros(50), 0, Constants())
    term = np.maximum(age, 60 / 86_400) ** -0.5
    np.testing.assert_allclose(np.exp(both.with_use), np.bincount(owner, term, 50), rtol=1e-12)
    np.testing.assert_allclose(np.exp(both.without_use), np.bincount(owner, np.where(is_use, 0, term), 50), rtol=1e-12)


@given(AGES, AGES, st.integers(0, 10**6), st.floats(0, 20_000), CONSTANTS)
def test_freshness_lies_above_0_and_at_most_at_1_and_never_rises_by_leaving_use_out(
    confirmed, used, n0, first, constants
):
    values = freshness(of(confirmed, used, n0, first, constants), constants)
    assert np.all((values > 0) & (values <= 1))
    assert values[1] <= values[0]


def test_freshness_stays_above_0_even_for_the_faintest_trace_of_use():
    constants = Constants(use_activation=1e-300, activation_scale=0.05, activation_midpoint=10)
    assert 0 < freshness([of(used=[9000], constants=constants)[0]], constants)[0] < 1e-300


@given(AGES, st.floats(0, 1000), CONSTANTS)
def test_freshness_never_rises_with_age(ages, later, constants):
    now, then = of(ages, constants=constants), of([age + later for age in ages], constants=constants)
    assert freshness(then, constants)[0] <= freshness(now, constants)[0] + 1e-12


@given(st.lists(st.one_of(st.just(math.nan), st.floats(-700, 700)), min_size=1, max_size=40), CONSTANTS)
def test_a_fact_alone_is_as_fresh_as_in_a_column(activations, constants):
    together = freshness(activations, constants).tolist()
    assert [float(freshness([each], constants)[0]) for each in activations] == together


@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"owner": [1]}, "owner must be the index of one of the 1 facts"),
        ({"owner": [-1]}, "owner must be the index of one of the 1 facts"),
        ({"owner": [0.9]}, "owner must hold whole numbers"),
        ({"at": [math.nan]}, "at must hold finite numbers"),
        ({"at": [-math.inf]}, "at must hold finite numbers"),
        ({"now": math.nan}, "now must hold finite numbers"),
        ({"is_use": [-1]}, "is_use must hold True and False only"),
        ({"is_use": [2]}, "is_use must hold True and False only"),
        ({"is_use": [0.5]}, "is_use must hold True and False only"),
        ({"is_use": []}, "at, owner and is_use must be columns of one length"),
        ({"baseline_count": [0, 0]}, "baseline_count and first_seen must be columns of one length"),
        ({"baseline_count": [-1]}, "baseline_count must hold whole numbers, at least 0"),
        ({"baseline_count": [0.5]}, "baseline_count must hold whole numbers"),
        ({"baseline_count": [1], "first_seen": [math.nan]}, "first_seen must hold finite numbers"),
    ],
)
def test_what_cannot_be_summed_is_refused(wrong, words):
    given = {"at": [0], "owner": [0], "is_use": [False], "baseline_count": [0], "first_seen": [0], "now": NOW} | wrong
    columns = {name: value if name == "now" else np.array(value) for name, value in given.items()}
    with pytest.raises(ValueError, match=words):
        activation(**columns, constants=Constants())


def test_an_instant_that_is_not_read_may_be_unknown():
    at, owner, is_use = np.array([NOW - DAY]), np.array([0]), np.array([False])
    assert activation(at, owner, is_use, [0], [math.nan], NOW, Constants()).with_use.tolist() == [0.0]


def test_a_number_is_no_column_of_activations():
    with pytest.raises(ValueError, match="activation must be a column"):
        freshness(0.0, Constants())
