"""Supersession and the trust score (sections 4 and 6)."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.constants import REGISTRY, Constants
from trustmem.core.nested import ByTier
from trustmem.core.trust import supersession, trust
from trustmem.core.vocabulary import AUTO, HUMAN, TIERS

ROWS = json.loads((Path(__file__).parents[1] / "vectors" / "trust.json").read_text())["rows"]


def allowed(name):
    return st.floats(REGISTRY[name].low, REGISTRY[name].high)


CONSTANTS = st.builds(
    Constants,
    prior_weight=allowed("prior_weight"),
    base_rate=st.builds(ByTier, *[allowed("base_rate")] * 3),
    activation_midpoint=allowed("activation_midpoint"),
    activation_scale=allowed("activation_scale"),
    supersession_factor=allowed("supersession_factor"),
    provenance_gate=st.builds(ByTier, *[allowed("provenance_gate")] * 3),
)
FACTS = st.tuples(
    st.integers(0, 1000),
    st.integers(0, 1000),
    st.sampled_from(range(3)),
    st.one_of(st.just(math.nan), st.floats(-14, 14)),
    st.integers(0, 64),
)
COLUMNS = st.lists(FACTS, min_size=1, max_size=30)


def columns(facts):
    r, s, tier, activation, depth = zip(*facts, strict=True)
    return np.array(r), np.array(s), np.array(tier, np.int8), np.array(activation), np.array(depth)


def of(r=2, s=1, tier=AUTO, activation=0.0, depth=0, constants=Constants()):  # noqa: B008, it is frozen
    return float(trust([r], [s], [tier], [activation], [depth], constants).trust[0])


def test_the_worked_examples_come_out_right():
    given = [row["in"] for row in ROWS]
    found = trust(
        [row["r"] for row in given],
        [row["s"] for row in given],
        [TIERS.index(row["tier"]) for row in given],
        np.array([row["activation"] for row in given], np.float64),
        [row["depth"] for row in given],
        Constants(),
    )
    for name, column in found._asdict().items():
        np.testing.assert_allclose(column, [row["out"][name] for row in ROWS], rtol=0, atol=1e-9, err_msg=name)


def test_each_newer_claim_halves_trust_down_to_the_64th():
    assert supersession([0, 1, 3], Constants()).tolist() == [1, 0.5, 0.125]
    assert supersession([64, 65, 10_000], Constants()).tolist() == [0.5**64] * 3


@given(COLUMNS, CONSTANTS)
def test_every_factor_lies_above_0_and_at_most_at_1_and_trust_is_their_product(facts, constants):
    found = trust(*columns(facts), constants)
    factors = np.array(found[:4])
    assert np.all((factors > 0) & (factors <= 1))
    np.testing.assert_allclose(found.trust, factors.prod(axis=0), rtol=1e-12, atol=0)


@given(FACTS, st.integers(0, 5), CONSTANTS)
def test_trust_rises_with_what_speaks_for_a_fact_and_falls_with_all_that_speaks_against_it(fact, more, constants):
    r, s, tier, activation, depth = fact
    base = of(*fact, constants) * (1 + 1e-12)
    assert of(r + more, s, tier, activation, depth, constants) * (1 + 1e-12) >= of(*fact, constants)
    assert of(r, s + more, tier, activation, depth, constants) <= base
    assert of(r, s, tier, activation - more, depth, constants) <= base or math.isnan(activation)
    assert of(r, s, tier, activation, depth + more, constants) <= base


@given(COLUMNS, CONSTANTS)
def test_a_fact_alone_scores_as_in_a_column(facts, constants):
    together = np.array(trust(*columns(facts), constants))
    alone = [np.array(trust(*columns([fact]), constants))[:, 0] for fact in facts]
    np.testing.assert_array_equal(together, np.transpose(alone))


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int64, np.uint8])
def test_a_long_column_scores_bit_for_bit_as_its_facts_alone(kind):
    rng = np.random.default_rng(1)
    n = 100_000
    r, s, depth = rng.poisson(2, n), rng.poisson(0.3, n), rng.geometric(0.7, n) - 1
    tier, activation = rng.integers(0, 3, n).astype(np.int8), rng.normal(-1.7, 2, n)
    activation[::10] = np.nan
    whole = trust(r.astype(kind), s.astype(kind), tier, activation, depth.astype(kind), Constants())
    parts = [slice(start, start + 500) for start in range(0, n, 500)]
    apart = [trust(r[part], s[part], tier[part], activation[part], depth[part], Constants()) for part in parts]
    np.testing.assert_array_equal(np.array(whole), np.concatenate([np.array(each) for each in apart], axis=1))


def test_an_empty_column_scores_to_empty_columns():
    assert [column.tolist() for column in trust([], [], [], [], [], Constants())] == [[]] * 5


@pytest.mark.parametrize("n", [1, 5000])
@pytest.mark.parametrize(
    "wrong, words",
    [
        ({"r": -1}, "r must hold finite numbers, at least 0"),
        ({"s": -1}, "s must hold finite numbers, at least 0"),
        ({"r": math.inf}, "r must hold finite numbers, at least 0"),
        ({"s": math.nan}, "s must hold finite numbers, at least 0"),
        ({"tier": 3}, "tier must hold codes from 0 to 2: auto, human, signed"),
        ({"tier": -1}, "tier must hold codes from 0 to 2: auto, human, signed"),
        ({"tier": 1.7}, "tier must hold whole numbers"),
        ({"depth": -1}, "depth must hold whole numbers, at least 0"),
        ({"depth": 0.9}, "depth must hold whole numbers"),
        ({"depth": math.inf}, "depth must hold whole numbers"),
    ],
)
def test_what_is_no_count_no_tier_and_no_depth_is_refused_in_columns_of_any_length(n, wrong, words):
    given = {"r": 1, "s": 0, "tier": HUMAN, "activation": 0.0, "depth": 0} | wrong
    with pytest.raises(ValueError, match=words):
        trust(**{name: np.full(n, value) for name, value in given.items()}, constants=Constants())


@pytest.mark.parametrize(
    "columns, words",
    [
        (([1, 2], [0], [AUTO], [0.0], [0]), "r, s, tier, activation and depth must be columns of one length"),
        ((1, [0], [AUTO], [0.0], [0]), "r, s, tier, activation and depth must be columns of one length"),
        ((1, 0, AUTO, 0.0, 0), "activation must be a column"),
    ],
)
def test_what_are_no_columns_of_one_length_is_refused(columns, words):
    with pytest.raises(ValueError, match=words):
        trust(*columns, Constants())


@pytest.mark.parametrize("depth", [-1, 0.9, math.nan, math.inf])
def test_a_depth_that_is_no_count_has_no_penalty(depth):
    with pytest.raises(ValueError, match="depth must hold whole numbers"):
        supersession([0, depth], Constants())
