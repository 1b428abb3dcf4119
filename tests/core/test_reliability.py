"""Reliability: standard figures of how well trust told what people would find (section 6)."""

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.metrics import log_loss as log_loss_of_scikit_learn

from trustmem.core import reliability
from trustmem.core.bands import band
from trustmem.core.constants import Constants
from trustmem.core.reliability import (
    auc,
    beta_interval,
    brier,
    decomposition,
    diagram,
    expected_calibration_error,
    log_loss,
    log_losses,
    needed,
    quantile_edges,
    stratified,
    wilson,
)

CASES = Path(__file__).parents[1] / "cases"
SIZES = json.loads((CASES / "123-last-bin-left-out.case.json").read_text())["steps"][0]["values"]
EXACT = {"rel": 0, "abs": 1e-12}
TENTHS = np.linspace(0, 1, 11)
BANDED = [0, *Constants().band_edges, 1]


def random(n, seed=0):
    rng = np.random.default_rng([n, seed])
    trust = rng.uniform(0, 1, n)
    return trust, rng.uniform(0, 1, n) < trust


def tied(n, seed=0):
    """Many on edges of bins, some at exactly 0 and 1."""
    rng = np.random.default_rng([n, seed])
    trust = rng.integers(0, 11, n) / 10
    return trust, rng.uniform(0, 1, n) < 0.7


DATA = {
    "random": random(500),
    "tied": tied(500),
    "tiny": ([0.3, 0.3], [False, True]),
    "all at 0 and 1": ([0.0, 1.0, 0.0, 1.0], [False, True, True, False]),
    "nothing told apart": ([0.5] * 7, [True, False, False, True, True, False, True]),
    "very near 0 and 1": ([1e-300, 1 - 2**-53, 5e-324], [True, False, False]),
}
ONE_CLASS = {"all right": ([0.2, 0.9, 1.0], [True] * 3), "all wrong": ([0.0, 0.9, 0.9], [False] * 3)}
COLUMNS = st.lists(st.tuples(st.one_of(st.floats(0, 1), st.sampled_from(TENTHS)), st.booleans()), min_size=1)


@pytest.mark.parametrize("trust, right", (DATA | ONE_CLASS).values(), ids=[*DATA, *ONE_CLASS])
def test_brier_score_and_log_loss_are_those_of_scikit_learn(trust, right):
    assert brier(trust, right) == pytest.approx(brier_score_loss(right, trust, labels=[False, True]), **EXACT)
    by_the_other = log_loss_of_scikit_learn(right, np.array(trust), labels=[False, True])
    assert log_loss(trust, right) == pytest.approx(by_the_other, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("trust, right", DATA.values(), ids=DATA)
def test_auc_is_that_of_scikit_learn(trust, right):
    assert auc(trust, right) == pytest.approx(roc_auc_score(right, trust), **EXACT)


@pytest.mark.parametrize("trust, right", ONE_CLASS.values(), ids=ONE_CLASS)
def test_where_all_are_right_or_all_wrong_there_is_no_auc_but_all_else(trust, right):
    assert auc(trust, right) is None
    assert decomposition(trust, right).uncertainty == 0
    assert decomposition(trust, right).resolution == 0
    assert expected_calibration_error(trust, right) > 0


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("n", [1, 2, 20, 500])
def test_the_calibration_error_is_that_of_the_curve_that_scikit_learn_draws(n, strategy):
    trust, right = random(n)  # none lies on an edge, which the two put in different bins
    edges = TENTHS if strategy == "uniform" else [0, *np.quantile(trust, TENTHS)[1:-1], 1]
    if n < 20 and strategy == "quantile":
        edges = [0, 1]
    shares, means = calibration_curve(right, trust, n_bins=len(edges) - 1, strategy=strategy)
    rows = [row for row in diagram(trust, right, edges) if row.n]
    assert [row.share for row in rows] == pytest.approx(shares.tolist(), **EXACT)
    assert [row.mean_trust for row in rows] == pytest.approx(means.tolist(), **EXACT)
    error = sum(row.n / n * abs(share - mean) for row, share, mean in zip(rows, shares, means, strict=True))
    assert expected_calibration_error(trust, right, edges) == pytest.approx(error, **EXACT)


@pytest.mark.parametrize("edges", [TENTHS, BANDED, [0, 1], [0, 0.3, 1]], ids=["tenths", "bands", "one bin", "two bins"])
@pytest.mark.parametrize("trust, right", (DATA | ONE_CLASS).values(), ids=[*DATA, *ONE_CLASS])
def test_the_parts_of_the_brier_score_sum_to_it(trust, right, edges):
    assert summed(decomposition(trust, right, edges)) == pytest.approx(brier(trust, right), **EXACT)


@given(COLUMNS)
def test_whatever_was_stated_the_parts_sum_and_no_outcome_is_lost(rows):
    trust, right = map(np.array, zip(*rows, strict=True))
    for edges in (TENTHS, BANDED, quantile_edges(trust, 4)):
        assert summed(decomposition(trust, right, edges)) == pytest.approx(brier(trust, right), **EXACT)
        assert sum(row.n for row in diagram(trust, right, edges)) == len(rows)
        assert sum(row.right for row in diagram(trust, right, edges)) == right.sum()


def summed(parts):
    plus = parts.reliability + parts.uncertainty + parts.within_variance
    return plus - parts.resolution - parts.within_covariance


def test_binned_values_need_no_terms_within_bins():
    parts = decomposition(*tied(1000), [0, *(np.arange(10) + 0.5) / 10, 1])
    assert parts.within_variance == pytest.approx(0, **EXACT)
    assert parts.within_covariance == pytest.approx(0, **EXACT)


def test_forecasts_that_come_true_as_often_as_they_say_are_reliable():
    parts = decomposition([0.5] * 10 + [0.9] * 10, [True] * 5 + [False] * 5 + [True] * 9 + [False])
    assert parts.reliability == pytest.approx(0, abs=1e-30)
    assert parts.uncertainty == pytest.approx(0.7 * 0.3)


@pytest.mark.parametrize("make", [random, tied])
@pytest.mark.parametrize("n", SIZES)
def test_every_table_counts_n_and_every_figure_is_that_of_a_naive_computation(n, make):
    trust, right = make(n)
    for edges in (TENTHS, BANDED, quantile_edges(trust, 10).tolist()):
        rows = diagram(trust, right, edges)
        naive = naive_rows(trust.tolist(), right.tolist(), edges)
        assert sum(row.n for row in rows) == n
        assert [(row.low, row.high, row.n, row.right) for row in rows] == [each[:4] for each in naive]
        assert same([row.mean_trust for row in rows], [each[4] for each in naive])
        assert same([row.share for row in rows], [each[5] for each in naive])
        assert same([expected_calibration_error(trust, right, edges)], [naive_error(naive, n)])
    for figure, by_hand in (
        (brier, naive_mean([(t - y) ** 2 for t, y in zip(trust, right, strict=True)])),
        (log_loss, naive_mean([naive_loss(t, y) for t, y in zip(trust.tolist(), right, strict=True)])),
        (auc, naive_auc(trust.tolist(), right.tolist())),
    ):
        assert same([figure(trust, right)], [by_hand])


def same(found, expected):
    """To 1e-12, and None where None is expected."""
    pairs = zip(found, expected, strict=True)
    return all(a is b if None in (a, b) else abs(a - b) <= 1e-12 for a, b in pairs)


def naive_rows(trust, right, edges):
    rows = []
    for low, high in pairwise(edges):
        held = [(t, y) for t, y in zip(trust, right, strict=True) if low <= t < high or t == high == 1]
        mean = naive_mean([t for t, _ in held])
        rows.append((low, high, len(held), sum(y for _, y in held), mean, naive_mean([y for _, y in held])))
    return rows


def naive_mean(values):
    return math.fsum(values) / len(values) if values else None


def naive_error(rows, n):
    return math.fsum(count / n * abs(mean - share) for _, _, count, _, mean, share in rows if count) if n else None


def naive_loss(trust, right):
    p = min(max(trust, 2**-52), 1 - 2**-52)
    return -math.log(p if right else 1 - p)


def naive_auc(trust, right):
    pairs = [
        (t, u) for t, y in zip(trust, right, strict=True) for u, z in zip(trust, right, strict=True) if y and not z
    ]
    return naive_mean([1.0 if t > u else 0.5 if t == u else 0.0 for t, u in pairs])


def test_bins_at_the_edges_of_bands_are_the_bands():
    trust, right = tied(1000)
    counted = np.bincount(band(trust, Constants()), minlength=5).tolist()
    assert [row.n for row in diagram(trust, right, BANDED)] == counted


@pytest.mark.parametrize("figure", [brier, log_loss, auc, decomposition, expected_calibration_error])
def test_of_no_outcomes_no_figure_is_told(figure):
    assert figure([], []) is None


def test_a_bin_without_outcomes_has_a_count_and_nothing_else():
    rows = diagram([], [])
    assert [(row.n, row.right) for row in rows] == [(0, 0)] * 10
    assert {(row.mean_trust, row.share, row.interval) for row in rows} == {(None, None, None)}


def test_what_was_stated_for_sure_and_was_wrong_costs_much_and_not_without_end():
    assert log_losses([1.0, 0.0], [False, True]).tolist() == [-math.log(2**-52)] * 2
    assert log_loss([0.0, 1.0], [False, True]) == pytest.approx(0, abs=1e-15)
    assert reliability.LEAST == 2**-52


@pytest.mark.parametrize("bins", [1, 2, 4, 10])
def test_between_quantiles_lie_about_equally_many(bins):
    trust, right = random(1000)
    rows = diagram(trust, right, quantile_edges(trust, bins))
    assert [row.n for row in rows] == [1000 // bins] * bins


@given(COLUMNS, st.integers(1, 12))
def test_quantiles_leave_no_bin_empty(rows, bins):
    trust = np.array([each for each, _ in rows])
    right = np.array([each for _, each in rows])
    edges = quantile_edges(trust, bins)
    assert len(edges) <= bins + 1
    found = diagram(trust, right, edges)
    assert all(row.n for row in found)


def test_many_alike_make_one_bin():
    assert quantile_edges([0.5] * 100, 10).tolist() == [0, 1]
    assert quantile_edges([], 10).tolist() == [0, 1]


# Newcombe 1998, Statistics in Medicine 17, 857-872, table I: method 3 (Wilson's score) and 5 (Clopper and Pearson).
@pytest.mark.parametrize(
    "right, n, low, high",
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_of_wilson_are_the_published_ones(right, n, low, high):
    assert wilson(right, n) == pytest.approx((low, high), abs=5e-5)
    assert wilson(n - right, n) == pytest.approx((1 - high, 1 - low), abs=5e-5)


@pytest.mark.parametrize(
    "right, n, low, high", [(81, 263, 0.2527, 0.3676), (15, 148, 0.0578, 0.1617), (1, 29, 0.0009, 0.1776)]
)
def test_quantiles_of_beta_are_those_that_the_exact_interval_is_made_of(right, n, low, high):
    assert beta_interval(right - 1, n - right).low == pytest.approx(low, abs=5e-5)
    assert beta_interval(right, n - right - 1).high == pytest.approx(high, abs=5e-5)


@pytest.mark.parametrize("right", [0, 1, 9, 1000])
def test_where_all_was_right_the_interval_is_known_in_closed_form(right):
    mean, low, high = beta_interval(right, 0)  # Beta(a, 1) has the quantiles q^(1/a)
    assert mean == (right + 1) / (right + 2)
    assert (low, high) == pytest.approx((0.025 ** (1 / (right + 1)), 0.975 ** (1 / (right + 1))), rel=1e-12)
    turned = beta_interval(0, right)
    assert turned == pytest.approx((1 - mean, 1 - high, 1 - low), abs=1e-12)


def test_without_outcomes_there_is_no_interval_of_wilson_and_the_whole_one_of_beta():
    assert wilson(0, 0) is None
    assert beta_interval(0, 0) == pytest.approx((0.5, 0.025, 0.975))


@given(st.integers(0, 300), st.integers(1, 300))
def test_an_interval_holds_the_share_and_lies_between_0_and_1(right, n):
    right = min(right, n)
    low, high = wilson(right, n)
    assert 0 <= low <= right / n <= high <= 1
    assert low < high


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("width", [0.05, 0.1, 0.3, 0.5])
def test_so_many_outcomes_are_needed_and_one_less_is_too_few(width, share):
    n = needed(width, share)
    assert wilson_width(share, n) <= width < wilson_width(share, n - 1)


def wilson_width(p, n):
    z = 1.96
    return 2 * z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)


def test_at_one_half_most_outcomes_are_needed():
    assert needed(0.1) == max(needed(0.1, share) for share in TENTHS)


@pytest.mark.parametrize(
    "figure", [brier, log_loss, log_losses, auc, decomposition, diagram, expected_calibration_error]
)
@pytest.mark.parametrize(
    "trust, right, words",
    [
        ([1.1], [True], "trust must hold finite numbers, at least 0, at most 1"),
        ([math.nan], [True], "trust must hold finite numbers"),
        ([0.5], [2], "right must hold True and False only"),
        ([0.5, 0.5], [True], "trust and right must be columns of one length"),
    ],
)
def test_what_is_no_trust_or_no_outcome_is_refused(figure, trust, right, words):
    with pytest.raises(ValueError, match=words):
        figure(trust, right)


@pytest.mark.parametrize("edges", [[], [0], [0, 0.5], [0.1, 1], [0, 0.5, 0.5, 1], [0, math.nan, 1], [1, 0]])
def test_edges_that_leave_anything_out_are_refused(edges):
    for figure in (diagram, decomposition, expected_calibration_error):
        with pytest.raises(ValueError, match="edges must rise from 0 to 1"):
            figure([0.5], [True], edges)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: wilson(3, 2),
        lambda: wilson(-1, 2),
        lambda: beta_interval(-1, 2),
        lambda: needed(0),
        lambda: needed(1),
        lambda: needed(0.1, 1.1),
        lambda: quantile_edges([0.5], 0),
        lambda: quantile_edges([1.5], 2),
    ],
)
def test_what_cannot_be_counted_is_refused(ask):
    with pytest.raises(ValueError, match=r"cannot be right|at least 0|lies between|one bin or more"):
        ask()


# The whole, of which parts were drawn


def test_a_part_counts_as_often_as_there_are_facts_in_it():
    """By hand: 0.9 · 10/100 + 0.2 · 90/100, and twice the root of 0.01·0.5·q₁ + 0.81·(1 − 10/90)·q₂, each over n."""
    found = stratified([4.5, 2], [5, 10], [10, 90])
    q, p = (4.5 + 1) / 7, 3 / 12
    variance = 0.01 * 0.5 * q * (1 - q) / 5 + 0.81 * (1 - 10 / 90) * p * (1 - p) / 10
    assert found.share == pytest.approx(0.27, **EXACT)
    assert found.interval == pytest.approx((0.27 - 1.96 * variance**0.5, 0.27 + 1.96 * variance**0.5), **EXACT)


def test_what_was_looked_at_whole_is_known_and_what_was_not_never_is():
    share, (low, high) = stratified([3, 0], [4, 6], [4, 6])
    assert [low, high] == [share, share] and share == pytest.approx(0.3, **EXACT)
    low, high = stratified([10], [10], [1000]).interval
    assert high == 1 and low < 0.9
    assert stratified([10, 0], [10, 0], [20, 20]) is None and stratified([], [], []) is None


def test_in_about_95_of_100_samples_the_interval_holds_the_share_of_the_whole():
    dice, size = np.random.default_rng(1), 30
    memory = [dice.random(many) < share for many, share in ((2000, 0.1), (500, 0.4), (60, 0.9))]
    true, of, held = float(np.concatenate(memory).mean()), [len(each) for each in memory], 0
    for _ in range(1000):
        right = [int(dice.choice(each, size, replace=False).sum()) for each in memory]
        low, high = stratified(right, [size] * 3, of).interval
        held += low <= true <= high
    assert 930 <= held <= 985


@pytest.mark.parametrize("columns", [([3], [2], [9]), ([1, 1], [2], [9]), ([-1], [2], [9])])
def test_parts_that_cannot_be_are_refused(columns):
    with pytest.raises(ValueError):
        stratified(*columns)
