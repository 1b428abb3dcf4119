"""Confidence and opinion (section 2)."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.constants import REGISTRY, Constants
from trustmem.core.nested import ByTier
from trustmem.core.opinion import confidence, opinion
from trustmem.core.vocabulary import AUTO, HUMAN, SIGNED, TIERS

ROWS = json.loads((Path(__file__).parents[1] / "vectors" / "confidence.json").read_text())["rows"]


def allowed(name):
    return st.floats(REGISTRY[name].low, REGISTRY[name].high)


CONSTANTS = st.builds(
    Constants,
    prior_weight=allowed("prior_weight"),
    base_rate=st.builds(ByTier, *[allowed("base_rate")] * 3),
)
COUNTS = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(range(3))), min_size=1)


def test_the_worked_examples_come_out_right():
    r, s = ([row["in"][name] for row in ROWS] for name in "rs")
    tier = [TIERS.index(row["in"]["tier"]) for row in ROWS]
    right = {name: [row["out"][name] for row in ROWS] for name in ("confidence", "b", "d", "u", "a")}
    np.testing.assert_allclose(confidence(r, s, tier, Constants()), right["confidence"], rtol=0, atol=1e-9)
    for column, name in zip(opinion(r, s, tier, Constants()), "bdua", strict=True):
        np.testing.assert_allclose(column, right[name], rtol=0, atol=1e-9)


def test_a_fact_of_which_nothing_was_said_has_the_base_rate_of_its_tier():
    assert confidence([0, 0, 0], [0, 0, 0], [AUTO, HUMAN, SIGNED], Constants()).tolist() == [0.6, 0.85, 0.95]


@given(COUNTS, CONSTANTS)
def test_belief_disbelief_and_uncertainty_make_one_and_confidence_is_belief_plus_its_share_of_uncertainty(
    rows, constants
):
    r, s, tier = np.array(rows).T
    b, d, u, a = opinion(r, s, tier, constants)
    np.testing.assert_allclose(b + d + u, 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(confidence(r, s, tier, constants), b + a * u, rtol=0, atol=1e-12)


@given(COUNTS, CONSTANTS)
def test_confidence_lies_above_0_and_at_most_at_1(rows, constants):
    values = confidence(*np.array(rows).T, constants)
    assert np.all((values > 0) & (values <= 1))


@given(COUNTS, CONSTANTS)
def test_a_fact_alone_scores_as_in_a_column(rows, constants):
    r, s, tier = np.array(rows).T
    together = confidence(r, s, tier, constants)
    assert [float(confidence([one], [two], [code], constants)[0]) for one, two, code in rows] == together.tolist()


def test_small_columns_of_counts_do_not_overflow():
    assert confidence(np.array([100], np.int8), np.array([100], np.int8), [AUTO], Constants())[0] == 101.2 / 202


@pytest.mark.parametrize("function", [opinion, confidence])
@pytest.mark.parametrize(
    "r, s, tier, words",
    [
        ([-1], [0], [AUTO], "r must hold finite numbers, at least 0"),
        ([0], [-1], [AUTO], "s must hold finite numbers, at least 0"),
        ([np.nan], [0], [AUTO], "r must hold finite numbers, at least 0"),
        ([0], [np.inf], [AUTO], "s must hold finite numbers, at least 0"),
        ([0], [0], [0.5], "tier must hold whole numbers"),
        ([1, 2], [1], [AUTO], "r, s and tier must be columns of one length"),
        (1, 0, AUTO, "r, s and tier must be columns of one length"),
    ],
)
def test_what_cannot_be_counts_of_facts_is_refused(function, r, s, tier, words):
    with pytest.raises(ValueError, match=words):
        function(r, s, tier, Constants())
