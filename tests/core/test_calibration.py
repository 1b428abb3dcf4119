"""Fits of the squash (section 10)."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.calibration import CalibrationError, fit_quartiles, fit_two_ages
from trustmem.core.constants import Constants
from trustmem.core.freshness import freshness

TESTS = Path(__file__).parents[1]
VECTORS = json.loads((TESTS / "vectors" / "calibration.json").read_text())


@pytest.mark.parametrize("row", VECTORS["fits"])
def test_the_worked_fits_come_out_right(row):
    assert fit_quartiles(row["in"]["activations"])._asdict() == pytest.approx(row["out"], rel=0, abs=1e-9)


@pytest.mark.parametrize("row", VECTORS["two_ages"])
def test_the_worked_fits_of_two_ages_come_out_right(row):
    assert fit_two_ages(**row["in"], constants=Constants())._asdict() == pytest.approx(row["out"], rel=0, abs=1e-9)


def test_after_a_fit_the_middle_half_of_facts_spreads_from_a_quarter_to_three_quarters():
    activation = np.random.default_rng(1).normal(-3, 0.4, 2001)
    fitted = Constants(**fit_quartiles(activation)._asdict())
    quartiles = np.quantile(freshness(activation, fitted), [0.25, 0.5, 0.75])
    assert quartiles == pytest.approx([0.25, 0.5, 0.75], abs=0.01)


@given(st.floats(0.01, 3000), st.floats(1.5, 1000), st.floats(0.05, 0.9), st.floats(0.1, 0.9), st.floats(0.1, 0.9))
def test_a_fit_of_two_ages_meets_both(age, times, f_hi, share, decay):
    constants = Constants(activation_decay=decay)
    try:
        fit = fit_two_ages(age, f_hi, age * times, f_hi * share, constants)
    except CalibrationError as refusal:
        assert "must lie from" in str(refusal)
        return
    activation = -decay * np.log([age, age * times])
    fitted = Constants(activation_decay=decay, **fit._asdict())
    assert freshness(activation, fitted) == pytest.approx([f_hi, f_hi * share], abs=1e-9)


def test_unknown_ages_are_left_out_of_a_fit():
    activation = VECTORS["fits"][0]["in"]["activations"]
    assert fit_quartiles([*activation, *[math.nan] * 50]) == fit_quartiles(activation)


def test_a_fit_of_too_few_facts_says_how_many_there_are():
    with pytest.raises(CalibrationError, match="needs 20 facts with a known age; there are 19"):
        fit_quartiles([0.5] * 19 + [math.nan] * 10)
    assert fit_quartiles([0.5] * 20) == (0.5, 0.05)


@pytest.mark.parametrize(
    "age_hi, f_hi, age_lo, f_lo, words",
    [
        (90, 0.8, 7, 0.26, "age of the higher freshness"),
        (7, 0.8, 7, 0.26, "age of the higher freshness"),
        (0, 0.8, 7, 0.26, "a minute or more"),
        (7, 0.8, math.inf, 0.26, "age of the higher freshness"),
        (math.nan, 0.8, 7, 0.26, "age of the higher freshness"),
        (7, 0.26, 90, 0.8, "the one at the lower age higher"),
        (7, 1.0, 90, 0.26, "between 0 and 1"),
        (7, 0.8, 90, 0.0, "between 0 and 1"),
        (7, 0.9999, 7.1, 0.0001, '"activation_scale" 0.000385, which must lie from 0.05 to 10'),
        (7, 0.501, 3000, 0.5, '"activation_scale" 758, which must lie from 0.05 to 10'),
    ],
)
def test_anchors_that_cannot_be_met_are_refused_in_a_sentence(age_hi, f_hi, age_lo, f_lo, words):
    with pytest.raises(CalibrationError, match=words):
        fit_two_ages(age_hi, f_hi, age_lo, f_lo, Constants())
