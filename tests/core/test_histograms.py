"""Histograms: bins that fit what is measured, from which no value falls out (section 10)."""

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.constants import Constants
from trustmem.core.histograms import MEASURES, SPANS, edges, gaps, histogram, log_histogram, quartiles, since_confirmed
from trustmem.core.touches import Reinforcements

TESTS = Path(__file__).parents[1]
ANY_NUMBER = st.floats(allow_nan=True, allow_infinity=True)
#: What spans between two years of which a calendar tells can be, in seconds.
SOME_SPAN = st.floats(-3e11, 3e11) | st.sampled_from([0.0, 1e-6, 0.5, 1.0, 60.0, 3600.0, 86_400.0, math.nan])
AN_ACTIVATION = st.floats(-20, 20) | st.sampled_from([-1.5, 0.0, 2.0, math.nan])
A_SHARE = st.floats(0, 1) | st.integers(0, 20).map(lambda number: number / 20)
YEAR = 365 * 86_400.0


def case(name):
    return json.loads((TESTS / "cases" / f"{name}.case.json").read_text())


def every(found):
    """All that a histogram counts."""
    return int(found.counts.sum()) + found.below + found.above + found.unknown


def counted(values, bounds, is_log=False):
    """The counts once more, one value after the other."""
    counts = [0] * (len(bounds) - 1)
    below = above = unknown = 0
    for value in values:
        if math.isnan(value):
            unknown += 1
        elif is_log and 0 <= value < bounds[0]:
            counts[0] += 1
        elif value < bounds[0]:
            below += 1
        elif value > bounds[-1]:
            above += 1
        else:
            inside = [place for place, (low, high) in enumerate(pairwise(bounds)) if low <= value < high]
            counts[inside[0] if inside else -1] += 1
    return counts, below, above, unknown


def test_case_121_the_value_on_the_upper_edge_is_in_the_last_bin():
    exactly_one = case("121-exactly-one")
    found = histogram(exactly_one["given"][0]["values"], edges("trust", "linear", []))
    assert found.counts.tolist() == exactly_one["check"]["counts"]
    assert every(found) == exactly_one["check"]["bar_sum"] == int(found.counts.sum())


def test_a_tenth_of_trust_is_in_the_bin_that_it_begins_as_it_is_in_the_band_that_it_begins():
    tenths = [float(f"0.{digit}") for digit in range(10)]
    assert histogram(tenths, edges("trust", "linear", tenths)).counts.tolist() == [1] * 10
    assert set(Constants().band_edges) <= set(edges("trust", "linear", []).tolist())
    twentieths = [float(f"0.{number:02}") for number in range(0, 100, 5)]
    assert histogram(twentieths, edges("weight", "linear", [])).counts.tolist() == [1] * 20


def test_case_119_zero_on_a_logarithmic_axis_is_in_a_bar_that_is_drawn():
    ages, check = case("119-log-axis-and-zero")["given"][0]["ages_seconds"], case("119-log-axis-and-zero")["check"]
    bounds = edges("age", "log", ages)
    found = log_histogram(ages, bounds)
    assert bounds[0] > 0  # a logarithmic axis has a place for it
    assert int(found.counts.sum()) == check["bar_sum"]
    assert np.count_nonzero(found.counts) >= check["bars_drawn_min"]
    assert found.counts[0] == 2  # 0 and 1 s


@pytest.mark.parametrize("n", case("123-last-bin-left-out")["steps"][0]["values"])
def test_case_123_counts_sum_to_n_and_equal_a_naive_count(n):
    rng, check = np.random.default_rng(n), case("123-last-bin-left-out")["check"]
    days = rng.choice([0.0, 1e-6, 0.5, 1.0, 60.0, 86_400.0, -60.0, math.nan, 2000 * YEAR], n)
    spans = np.where(rng.random(n) < 0.5, days, np.round(rng.exponential(30 * 86_400, n)))
    shares = np.where(rng.random(n) < 0.3, rng.integers(0, 21, n) / 20, rng.random(n))
    b = np.where(rng.random(n) < 0.1, math.nan, np.round(rng.normal(-2, 1, n), 1))
    values = dict.fromkeys(SPANS, spans) | {"activation": b, "trust": shares, "weight": shares}
    for measure in MEASURES:
        for bins in ("linear", "log") if measure in SPANS else ("linear",):
            bounds = edges(measure, bins, values[measure]).tolist()
            found = (log_histogram if bins == "log" else histogram)(values[measure], bounds)
            counts, *others = counted(values[measure].tolist(), bounds, bins == "log")
            assert (found.counts.tolist(), [*found[1:]]) == (counts, others)
            assert every(found) == n
        known = sorted(each for each in values[measure].tolist() if each >= 0 or (measure not in SPANS and each < 0))
        assert quartiles(measure, values[measure]) == pytest.approx(
            [naive(known, part) for part in (0.25, 0.5, 0.75)] if known else [], rel=check["max_difference"], abs=0
        )


def naive(known, part):
    place = part * (len(known) - 1)
    low = math.floor(place)
    high = min(low + 1, len(known) - 1)
    return known[low] + (known[high] - known[low]) * (place - low)


@given(st.lists(ANY_NUMBER), st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=9, unique=True))
def test_no_value_falls_out_of_a_histogram(values, bounds):
    for found in (histogram(values, sorted(bounds)), log_histogram(values, sorted(bounds))):
        assert every(found) == len(values)
        assert found.unknown == sum(map(math.isnan, values))


@pytest.mark.parametrize("bounds", [[], [1.0], [1.0, 1.0], [2.0, 1.0], [0.0, math.nan]])
def test_edges_that_do_not_rise_are_refused(bounds):
    with pytest.raises(ValueError, match="two or more rising numbers"):
        histogram([0.5], bounds)


@given(st.lists(SOME_SPAN))
def test_on_a_logarithmic_axis_every_span_has_a_bar_but_what_is_unknown_or_yet_to_come(spans):
    found = log_histogram(spans, edges("gap", "log", spans))
    assert int(found.counts.sum()) == sum(each >= 0 for each in spans)
    assert (found.below, found.above) == (sum(each < 0 for each in spans), 0)


@given(st.lists(SOME_SPAN))
def test_on_a_linear_axis_spans_begin_at_zero_and_what_is_far_away_is_counted_by_name(spans):
    bounds = edges("age", "linear", spans)
    found = histogram(spans, bounds)
    known = [each for each in spans if each >= 0]
    assert bounds[0] == 0
    assert found.below == sum(each < 0 for each in spans)
    assert found.above <= len(known) / 4
    if found.above:
        assert all(each > 10 * naive(sorted(known), 0.75) for each in known if each > bounds[-1])


def test_one_fact_of_long_ago_does_not_crowd_all_others_into_one_bin():
    ages = [*np.linspace(0, 30 * 86_400, 100), 2000 * YEAR]
    found = histogram(ages, edges("age", "linear", ages))
    assert found.above == 1
    assert np.count_nonzero(found.counts) > 20


@given(st.lists(AN_ACTIVATION))
def test_every_known_activation_has_a_bar(values):
    found = histogram(values, edges("activation", "linear", values))
    assert int(found.counts.sum()) + found.unknown == len(values)


@given(st.lists(A_SHARE))
def test_trust_and_weight_have_the_bins_that_they_always_have(values):
    for measure, most in (("trust", 11), ("weight", 21)):
        bounds = edges(measure, "linear", values)
        assert len(bounds) == most
        assert int(histogram(values, bounds).counts.sum()) == len(values)


@given(st.sampled_from(SPANS) | st.just("activation"), st.lists(st.floats(-20, 20) | st.just(math.nan)))
def test_there_are_never_more_bins_than_a_chart_has_room_for(measure, values):
    for bins in ("linear", "log") if measure in SPANS else ("linear",):
        bounds = edges(measure, bins, values)
        assert 2 <= len(bounds) <= 49
        assert np.all(np.diff(bounds) > 0)


@pytest.mark.parametrize("measure, bins", [("tea", "linear"), ("age", "round"), ("trust", "log")])
def test_what_is_not_measured_has_no_bins(measure, bins):
    with pytest.raises(ValueError, match=f'no "{bins}" bins of "{measure}"'):
        edges(measure, bins, [1.0])


def test_of_nothing_known_there_are_no_quartiles():
    assert quartiles("age", []) == quartiles("age", [math.nan, -5.0]) == quartiles("trust", []) == []
    assert quartiles("activation", [-3.0]) == [-3.0] * 3


@st.composite
def times_of_some(draw):
    """Reinforcement times as a fold gives them, of four facts, on a coarse grid."""
    one = st.tuples(st.integers(0, 3), st.integers(-9, 9), st.booleans())
    owner, at, is_use = zip(*sorted(draw(st.lists(one, min_size=1))), strict=True)
    return Reinforcements(np.array(owner), np.array(at) * 1_000_000, np.array(is_use))


@given(times_of_some(), st.integers(-9, 9))
def test_gaps_are_those_between_one_time_and_the_next_of_the_same_fact(times, now):
    expected = []
    for fact in range(4):
        of_fact = times.at[times.owner == fact].tolist()
        for before, after in pairwise(of_fact):
            ahead = now * 1_000_000 - after
            expected.append((ahead / 1e6 if ahead < 0 else (after - before) / 1e6, fact))
    spans, owners = gaps(times, now * 1_000_000)
    assert list(zip(spans.tolist(), owners.tolist(), strict=True)) == expected


@given(times_of_some(), st.lists(st.none() | st.integers(-9, 9), min_size=4, max_size=4))
def test_use_confirms_nothing_and_birth_does(times, born):
    known = np.array([each is not None for each in born])
    at = np.array([each or 0 for each in born]) * 1_000_000
    found = since_confirmed(times, at, known, 2_000_000)
    for fact in range(4):
        confirming = times.at[(times.owner == fact) & ~times.is_use].tolist() + at[[fact]][known[[fact]]].tolist()
        expected = (2_000_000 - max(confirming)) / 1e6 if confirming else math.nan
        assert found[fact] == pytest.approx(expected, nan_ok=True)
