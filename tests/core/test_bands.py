"""Bands and flags (section 6)."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.bands import band, flags
from trustmem.core.constants import Constants
from trustmem.core.freshness import freshness
from trustmem.core.opinion import opinion
from trustmem.core.vocabulary import BANDS, FLAGS, TIERS

ROWS = json.loads((Path(__file__).parents[1] / "vectors" / "trust.json").read_text())["rows"]

CALM = {
    "depth": 0,
    "disbelief": 0.0,
    "uncertainty": 0.2,
    "live_contradiction": False,
    "challenged": False,
    "activation": 0.0,
    "freshness": 0.9,
    "freshness_without_use": 0.9,
}


def named(matrix):
    return [[name for name, applies in zip(FLAGS, row, strict=True) if applies] for row in matrix]


def of(constants=Constants(), **changes):  # noqa: B008, it is frozen
    return named(flags(**{name: [value] for name, value in (CALM | changes).items()}, constants=constants))[0]


def test_the_worked_examples_come_out_right():
    given = {name: [row["in"][name] for row in ROWS] for name in ROWS[0]["in"]}
    opinions = opinion(given["r"], given["s"], [TIERS.index(tier) for tier in given["tier"]], Constants())
    activation = np.array(given["activation"], np.float64)
    matrix = flags(
        depth=given["depth"],
        disbelief=opinions.disbelief,
        uncertainty=opinions.uncertainty,
        live_contradiction=given["live_contradiction"],
        challenged=given["challenged"],
        activation=activation,
        freshness=freshness(activation, Constants()),
        freshness_without_use=given["freshness_without_use"],
        constants=Constants(),
    )
    assert named(matrix) == [row["out"]["flags"] for row in ROWS]
    bands = band([row["out"]["trust"] for row in ROWS], Constants())
    assert [BANDS[code] for code in bands] == [row["out"]["band"] for row in ROWS]


def test_a_score_on_an_edge_belongs_to_the_upper_band():
    codes = band([0, np.nextafter(0.2, 0), 0.2, 0.4, 0.6, np.nextafter(0.8, 0), 0.8, 1], Constants())
    assert codes.tolist() == [0, 0, 1, 2, 3, 3, 4, 4]


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_higher_score_is_never_in_a_lower_band(one, other):
    low, high = band(sorted([one, other]), Constants())
    assert low <= high


@pytest.mark.parametrize("score", [-0.1, 1.1, np.nan])
def test_what_is_no_score_has_no_band(score):
    with pytest.raises(ValueError, match="trust must hold finite numbers, at least 0, at most 1"):
        band([0.5, score], Constants())


@pytest.mark.parametrize(
    "changes, right",
    [
        ({}, ["settled"]),
        ({"depth": 1}, ["superseded"]),
        ({"live_contradiction": True}, ["disputed"]),
        ({"disbelief": 0.25}, ["disputed"]),
        ({"challenged": True}, ["challenged"]),
        ({"freshness": 0.24, "freshness_without_use": 0.1}, ["stale"]),
        ({"freshness_without_use": 0.24}, ["use-only"]),
        ({"activation": np.nan, "freshness": 0.5, "freshness_without_use": 0.5}, ["age-unknown"]),
        ({"uncertainty": 0.5}, ["uncertain"]),
        ({"depth": 2, "challenged": True, "uncertainty": 1.0}, ["superseded", "challenged", "uncertain"]),
    ],
)
def test_each_flag_has_its_reason_and_settled_means_none(changes, right):
    assert of(**changes) == right


def test_thresholds_are_the_constants():
    assert of(Constants(stale_threshold=0.95)) == ["stale"]
    assert of(Constants(uncertainty_threshold=0.1)) == ["uncertain"]
    assert of(Constants(dispute_threshold=0.01), disbelief=0.01) == ["disputed"]


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("depth", [-1], "depth must hold whole numbers, at least 0"),
        ("depth", [0.5], "depth must hold whole numbers"),
        ("disbelief", [np.nan], "disbelief must hold finite numbers, at least 0, at most 1"),
        ("uncertainty", [1.1], "uncertainty must hold finite numbers, at least 0, at most 1"),
        ("freshness", [np.nan], "freshness must hold finite numbers, at least 0, at most 1"),
        ("freshness_without_use", [-0.1], "freshness_without_use must hold finite numbers, at least 0, at most 1"),
        ("live_contradiction", [np.nan], "live_contradiction must hold True and False only"),
        ("challenged", [2], "challenged must hold True and False only"),
        ("activation", [0.0, 0.0], "must be columns of one length"),
        ("disbelief", 0.0, "must be columns of one length"),
    ],
)
def test_what_is_no_share_no_depth_and_no_yes_or_no_is_never_settled(name, value, words):
    calm = {column: [each] for column, each in CALM.items()}
    with pytest.raises(ValueError, match=words):
        flags(**calm | {name: value}, constants=Constants())


def test_no_facts_have_no_flags():
    assert flags(**{name: [] for name in CALM}, constants=Constants()).shape == (0, len(FLAGS))
