"""Channels, reinforcement, Hebbian compounding and ranking (section 8)."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.constants import Constants
from trustmem.core.reinforcement import (
    PRESETS,
    channels,
    compound,
    ranking,
    ranking_by_freshness,
    reinforce,
    suppressed,
)
from trustmem.core.vocabulary import CHANNELS, OUTCOMES

VECTORS = Path(__file__).parents[1] / "vectors"
SHARE = st.floats(0, 1)
EVALUATIONS = st.lists(st.tuples(*[SHARE] * len(CHANNELS)), min_size=1, max_size=20)


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text())["rows"]


def row(given):
    return [given.get(name, 0.5) for name in CHANNELS]


def test_the_worked_examples_of_reinforcement_come_out_right():
    rows = vectors("reinforcement")
    for name, column in reinforce([row(each["in"]) for each in rows])._asdict().items():
        np.testing.assert_allclose(column, [each["out"][name] for each in rows], rtol=0, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("case", vectors("hebbian"))
def test_the_worked_examples_of_compounding_come_out_right(case):
    constants, priority = Constants(**case["constants"]), np.array([np.nan])
    for count, step in enumerate(case["steps"], 1):
        new = reinforce([row(step["in"])])
        priority = compound(priority, [count], new.reinforcement, new.retrieval_priority, constants)
        assert count == step["out"]["reinforcement_count"]
        assert priority[0] == pytest.approx(step["out"]["retrieval_priority"], rel=0, abs=1e-9)


def test_outcomes_fill_what_the_caller_does_not_say():
    presets = vectors("outcomes")
    assert set(presets) == set(OUTCOMES)
    for outcome, preset in presets.items():
        assert PRESETS[outcome] == preset | {"tool_usefulness": 0.5}
        assert channels(outcome, {}) == tuple(row(preset))
        assert channels(outcome, {"novelty": 1, "tool_usefulness": 0.0}) == tuple(
            row(preset | {"novelty": 1.0, "tool_usefulness": 0.0})
        )


@given(EVALUATIONS)
def test_every_result_stays_within_its_bounds(given):
    found = reinforce(given)
    for column in found[:3]:
        assert np.all((column >= 0) & (column <= 1))
    for column in found[3:]:
        assert np.all((column >= -1) & (column <= 1))


@given(EVALUATIONS)
def test_an_evaluation_alone_gives_what_it_gives_in_a_column(given):
    together = np.array(reinforce(given))
    assert np.array_equal(together, np.hstack([reinforce([each]) for each in given]))


def test_a_helpful_outcome_slows_decay_and_a_correction_hastens_it():
    helpful, corrected = reinforce([channels("helpful", {}), channels("corrected", {})]).decay_adjustment
    assert helpful < Constants().decay_neutral < corrected


@given(SHARE, SHARE, SHARE, st.integers(1, 10**6))
def test_a_priority_stays_between_0_and_1_and_count_alone_builds_none(old, new, strength, count):
    assert 0 <= compound([old], [count], [strength], [new], Constants())[0] <= 1
    idle = compound([old], [count], [0], [old], Constants())[0]
    assert idle == pytest.approx(old, rel=0, abs=1e-12)


def test_the_first_evaluation_has_no_old_priority_to_keep():
    one, other = compound([np.nan, 0.9], [1, 1], [0, 0], [0.3, 0.3], Constants())
    assert one == other == pytest.approx(0.3)


def test_agents_are_served_by_relevance_times_trust_times_use_and_no_feedback_is_neither_good_nor_bad():
    assert ranking([0.5, 0.5, 0.5], [0.8, 0.8, 0.8], [0, np.nan, 1]) == pytest.approx([0.2, 0.3, 0.4])


def test_on_request_freshness_decides():
    assert ranking_by_freshness([0.5, 1], [0.4, 0.3]) == pytest.approx([0.2, 0.3])


def test_a_fact_without_feedback_is_never_suppressed():
    assert suppressed([np.nan, 0.34, 0.35], Constants()).tolist() == [False, True, False]


@pytest.mark.parametrize(
    "outcome, signals, words",
    [
        ("useful", {}, '"useful" is not an outcome'),
        ("helpful", {"mood": 0.5}, '"mood" is not a channel'),
        ("helpful", {"novelty": 1.5}, '"novelty" must lie from 0 to 1, not 1.5'),
        ("helpful", {"novelty": math.nan}, '"novelty" must lie from 0 to 1'),
    ],
)
def test_unknown_outcomes_unknown_channels_and_signals_out_of_bounds_are_refused_by_name(outcome, signals, words):
    with pytest.raises(ValueError, match=words):
        channels(outcome, signals)


def test_what_is_no_matrix_of_channels_is_refused():
    with pytest.raises(ValueError, match="a matrix of 9 columns"):
        reinforce([0.5] * 9)
    with pytest.raises(ValueError, match="channels must hold finite numbers, at least 0, at most 1"):
        reinforce([[0.5] * 8 + [math.nan]])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: ranking([0], [0.5], [0.5]), "relevance must hold finite numbers, above 0, at most 1"),
        (lambda: ranking([1.1], [0.5], [0.5]), "relevance must hold finite numbers, above 0, at most 1"),
        (lambda: ranking([math.nan], [0.5], [0.5]), "relevance must hold finite numbers, above 0, at most 1"),
        (lambda: ranking([1], [5], [1]), "trust must hold finite numbers, at least 0, at most 1"),
        (lambda: ranking([1], [math.nan], [1]), "trust must hold finite numbers, at least 0, at most 1"),
        (lambda: ranking([1], [0.5], [-9]), "priority must hold finite numbers, at least 0, at most 1"),
        (lambda: ranking([1], [0.8, 0.9], [math.nan] * 2), "relevance, trust and priority must be columns"),
        (lambda: ranking_by_freshness([1, 0.5], [0.5]), "relevance and freshness must be columns of one length"),
        (lambda: ranking_by_freshness([1], [1.5]), "freshness must hold finite numbers, at least 0, at most 1"),
        (lambda: compounded(priority=[math.nan]), "priority must hold finite numbers, at least 0, at most 1"),
        (lambda: compounded(count=[0]), "count must hold whole numbers, at least 1"),
        (lambda: compounded(count=[1.5]), "count must hold whole numbers"),
        (lambda: compounded(reinforcement=[-9]), "reinforcement must hold finite numbers, at least 0, at most 1"),
        (lambda: compounded(new_priority=[math.nan]), "new_priority must hold finite numbers, at least 0, at most 1"),
        (lambda: compounded(priority=[0.5, 0.5]), "must be columns of one length"),
    ],
)
def test_what_is_no_share_no_count_and_no_columns_of_one_length_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def compounded(**wrong):
    second = {"priority": [0.5], "count": [2], "reinforcement": [0.5], "new_priority": [0.5]}
    return compound(**second | wrong, constants=Constants())
