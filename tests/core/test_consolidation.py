"""Section 7, formula by formula, against the vectors; whole passes are in test_fold and test_laws."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.makers import day
from trustmem.core.consolidation import (
    Clock,
    birth_prior,
    contradiction,
    corroboration,
    decayed,
    derived_weight,
    half_life,
    migrated_prior,
)
from trustmem.core.constants import Constants
from trustmem.core.instants import days, span
from trustmem.core.vocabulary import SCOPES

ROWS = json.loads((Path(__file__).parents[1] / "vectors" / "weight.json").read_text())["rows"]
GIVEN = [row["in"] for row in ROWS]
RIGHT = [row["out"] for row in ROWS]


def given(name, dtype=np.float64):
    return np.array([row[name] for row in GIVEN], dtype)


def right(name):
    return np.array([np.inf if row[name] is None else row[name] for row in RIGHT], np.float64)


def test_derived_weight_is_prior_plus_what_was_said_for_minus_what_was_said_against():
    derived = derived_weight(
        given("prior"),
        given("evidence", np.int64),
        given("contradictions", np.int64),
        given("superseded", bool),
        given("core", bool),
        Constants(),
    )
    np.testing.assert_allclose(derived, right("derived_weight"), rtol=0, atol=1e-9)


def scopes():
    return np.array([SCOPES.index(row["scope"]) for row in GIVEN], np.int8)


def half_lives():
    adjustments = np.array([np.nan if row["decay_adjustment"] is None else row["decay_adjustment"] for row in GIVEN])
    return half_life(
        scopes(),
        given("use_count", np.int64),
        given("superseded", bool),
        adjustments,
        given("core", bool),
        Constants(),
    )


def test_half_life_grows_with_use_and_shrinks_when_superseded_or_judged_harmful():
    np.testing.assert_allclose(half_lives(), right("half_life_days"), rtol=0, atol=1e-9)


def test_weight_decays_towards_the_floor_of_its_scope_and_is_kept_unclamped():
    weight = decayed(given("anchor"), given("days"), half_lives(), scopes(), Constants())
    np.testing.assert_allclose(weight, right("weight_unclamped"), rtol=0, atol=1e-9)


def test_a_weight_that_is_anchored_ahead_of_the_clock_stands_however_short_its_half_life():
    given = map(np.array, ([0.8], [-30.0], [0.01], [SCOPES.index("session")]))
    assert decayed(*given, Constants()).tolist() == [0.8]


def test_a_stored_weight_is_turned_into_the_prior_that_gives_it_back():
    prior = migrated_prior(given("anchor"), given("evidence", np.int64), given("contradictions", np.int64), Constants())
    np.testing.assert_allclose(prior, right("migrated_prior"), rtol=0, atol=1e-9)


def test_the_clock_stands_at_zero_until_the_first_pass_and_then_runs_a_day_a_pass_at_most():
    clock = Clock.of([day(10), day(10.5), day(20)], [1.0] * 4)
    assert days(clock.at([day(0), day(10), day(10.25), day(10.5), day(13), day(20), day(99)])).tolist() == [
        0,
        0,
        0.25,
        0.5,
        1.5,
        1.5,
        2.5,
    ]


def test_the_clock_never_runs_backwards_when_its_constant_changes():
    clock = Clock.of([day(0), day(10), day(20)], [1.0, 5.0, 1.0, 9.0])
    read = clock.at([day(each) for each in range(40)])
    assert (np.diff(read) >= 0).all()
    assert read[-1] == span(5 + 1 + 9)


def test_a_span_is_the_nearest_whole_microsecond_to_its_days():
    assert int(0.35 * 86_400_000_000) == 30_239_999_999
    assert span(0.35) == 30_240_000_000


@pytest.mark.parametrize("instants", [[], [day(3)]])
def test_a_space_with_no_pass_or_one_has_a_clock_that_has_not_run(instants):
    clock = Clock.of(instants, [1.0] * (len(instants) + 1))
    assert clock.at([day(0), day(3)]).tolist() == [0, 0]


@pytest.mark.parametrize(
    "function, columns, words",
    [
        (corroboration, ([-2],), "evidence must hold finite numbers, at least 0"),
        (corroboration, ([np.inf],), "evidence must hold finite numbers, at least 0"),
        (contradiction, ([-1],), "contradictions must hold finite numbers, at least 0"),
        (contradiction, ([np.nan],), "contradictions must hold finite numbers, at least 0"),
        (birth_prior, ([-1], [False]), "producer must hold codes from 0 to 3: unknown, document, inference, user"),
        (birth_prior, ([4], [False]), "producer must hold codes from 0 to 3: unknown, document, inference, user"),
        (half_life, ([5], [0], [False], [np.nan], [False]), "scope must hold codes from 0 to 1: session, global"),
        (half_life, ([0], [-8], [False], [np.nan], [False]), "use_count must hold whole numbers, at least 0"),
        (half_life, ([0], [0], [False], [0.0], [False]), "decay_adjustment must hold finite numbers, above 0"),
        (half_life, ([0], [0], [False], [-1.0], [False]), "decay_adjustment must hold finite numbers, above 0"),
        (half_life, ([0], [0], [False] * 2, [np.nan], [False]), "must be columns of one length"),
        (decayed, ([0.8], [3.0], [-1.0], [0]), "half_life must hold numbers, above 0"),
        (decayed, ([0.8], [3.0], [np.nan], [0]), "half_life must hold numbers, above 0"),
        (decayed, ([0.8], [np.inf], [np.inf], [0]), "elapsed must hold finite numbers"),
        (decayed, ([np.nan], [3.0], [3.0], [0]), "anchor must hold finite numbers"),
        (decayed, ([0.8], [3.0], [3.0], [2]), "scope must hold codes from 0 to 1: session, global"),
        (decayed, ([0.8], [3.0, 4.0], [3.0], [0]), "must be columns of one length"),
    ],
)
def test_what_cannot_be_is_refused_and_never_weighed(function, columns, words):
    with pytest.raises(ValueError, match=words):
        function(*map(np.array, columns), Constants())


@pytest.mark.parametrize(
    "instants, gap_days, words",
    [
        ([5, 3], [1.0] * 3, "instants must be in order, and gap_days one more than these 2"),
        ([3, 5], [1.0] * 2, "instants must be in order, and gap_days one more than these 2"),
        ([3, 5], [1.0] * 4, "instants must be in order, and gap_days one more than these 2"),
        ([3, 5], [1.0, -1.0, 1.0], "gap_days must hold finite numbers, at least 0"),
        ([3, 5], [1.0, np.nan, 1.0], "gap_days must hold finite numbers, at least 0"),
        ([3.5, 5], [1.0] * 3, "instants must hold whole numbers"),
    ],
)
def test_a_clock_of_no_course_of_passes_is_refused(instants, gap_days, words):
    with pytest.raises(ValueError, match=words):
        Clock.of(instants, gap_days)
