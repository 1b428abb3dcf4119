"""The constants (section 11): value by value, with their bounds, from and to JSON."""

import json
import math
from dataclasses import FrozenInstanceError, asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.constants import (
    REGISTRY,
    RETIRED,
    ConstantError,
    Constants,
    changed,
    differences,
    fingerprint,
    flat,
    to_json,
    trial,
)
from trustmem.core.nested import ByTier

TUNABLE = {
    "prior_weight": (2.0, "paper (Jøsang: W = 2)"),
    "base_rate": ({"auto": 0.6, "human": 0.85, "signed": 0.95}, "ADR-029"),
    "dispute_threshold": (0.25, "taste"),
    "uncertainty_threshold": (0.5, "taste"),
    "runs_per_source": (1, "ours: independence means sources"),
    "activation_decay": (0.5, "paper (ACT-R d = 0.5)"),
    "activation_midpoint": (-1.7, "two ages: seen once, 0.8 at 7 d and 0.26 at 90 d; replace by a fit"),
    "activation_scale": (0.525, "two ages: seen once, 0.8 at 7 d and 0.26 at 90 d; replace by a fit"),
    "use_activation": (1.0, "paper (ACT-R counts every access)"),
    "stale_threshold": (0.25, "taste"),
    "supersession_factor": (0.5, "ADR-029"),
    "provenance_gate": ({"auto": 0.8, "human": 0.9, "signed": 1.0}, "ADR-029"),
    "band_edges": ([0.2, 0.4, 0.6, 0.8], "taste: five equal bands"),
    "birth_weight": (
        {"core": 1.0, "user": 0.95, "document": 0.75, "inference": 0.7, "unknown": 0.6},
        "inference: ADR-0091; user above what corroboration alone can reach: ADR-0091; the rest taste",
    ),
    "reconfirm_cap": (0.9, "ADR-0053/0091"),
    "session_half_life_days": (3.0, "ADR-0090 (v3)"),
    "global_half_life_days": (60.0, "ADR-0090 (v3)"),
    "global_floor": (0.2, "ADR-0090 (v3)"),
    "max_pass_gap_days": (1.0, "ours: what running time means for a server"),
    "min_weight": (0.3, "taste (ADR-0091 calls it min_confidence; it reads W)"),
    "prune_threshold": (0.05, "taste"),
    "promote_threshold": (0.8, "ADR-0091"),
    "promote_evidence": (2, "ADR-0091"),
    "promote_stable_days": (1.0, "ADR-0091"),
    "restatement_jaccard": (0.6, "ADR-0091"),
    "candidate_overlap": (asdict(Constants().candidate_overlap), "ours"),
    "hebbian_count_bonus": (0.03, "Cognitive Substrate (0.02–0.05)"),
    "hebbian_prior_weight": (0.6, "ours: slow loss of influence"),
    "suppress_threshold": (0.35, "Cognitive Substrate's suppression level"),
    "neighbours": (10, "ADR-029"),
}
FIXED = {
    "age_floor_seconds": (60.0, "ours: numerical"),
    "corroboration_max": (0.25, "ADR-0091"),
    "corroboration_half_saturation": (2.0, "ADR-0091"),
    "contradiction_delta": (0.1, "ADR-0091"),
    "contradiction_max": (0.3, "ADR-0091"),
    "superseded_penalty": (0.1, "ADR-0091"),
    "use_decay_slowing": (0.25, "ADR-0091"),
    "use_decay_slowing_cap": (4, "ADR-0091"),
    "superseded_half_life": (0.5, "ADR-0091"),
    "decay_neutral": (0.675, "ours: R = 0.5 neither slows nor hastens"),
}
ALL = TUNABLE | FIXED
NESTED = [name for name, (value, _) in ALL.items() if isinstance(value, dict)]
WHOLE = [name for name, (value, _) in ALL.items() if isinstance(value, int)]


def with_each(name, number):
    """A JSON value for a constant in which every number is `number`."""
    value = ALL[name][0]
    if isinstance(value, dict):
        return dict.fromkeys(value, number)
    return [number] * len(value) if isinstance(value, list) else number


def test_there_are_these_constants_and_no_others():
    assert set(REGISTRY) == set(to_json(Constants())) == set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_value_origin_and_whether_it_is_tunable_are_those_of_section_11(name):
    value, origin = ALL[name]
    found = to_json(Constants())[name]
    assert (found, type(found)) == (value, type(value))
    assert REGISTRY[name].origin == origin
    assert REGISTRY[name].tunable == (name in TUNABLE)
    assert REGISTRY[name].meaning


@pytest.mark.parametrize("name", ALL)
def test_each_bound_is_allowed_and_what_lies_beyond_is_refused_by_name(name):
    low, high = REGISTRY[name].low, REGISTRY[name].high
    beyond = [low - 1, high + 1] if name in WHOLE else [math.nextafter(low, -math.inf), math.nextafter(high, math.inf)]
    for number in (low, high):
        if name != "band_edges":
            assert to_json(changed(Constants(), {name: with_each(name, number)}))[name] == with_each(name, number)
    for number in beyond:
        with pytest.raises(ConstantError, match=f'"{name}" (is fixed at|must lie from) .*, not '):
            changed(Constants(), {name: with_each(name, number)})


@pytest.mark.parametrize("name", FIXED)
def test_a_fixed_constant_can_only_be_what_it_is(name):
    assert REGISTRY[name].low == REGISTRY[name].high == getattr(Constants(), name)
    with pytest.raises(ConstantError, match=f'"{name}" is fixed at {FIXED[name][0]:g}, not'):
        changed(Constants(), {name: FIXED[name][0] * 2})


def test_a_refusal_says_what_is_allowed_and_what_was_given():
    for wrong, shown in ((2, "2"), (1.0000001, "1.0000001"), (1e300, "1e+300")):
        with pytest.raises(ConstantError) as refused:
            changed(Constants(), {"supersession_factor": wrong})
        assert str(refused.value) == f'"supersession_factor" must lie from 0.05 to 1, not {shown}'


def test_all_constants_go_to_json_and_come_back():
    other = changed(Constants(), {"prior_weight": 3, "band_edges": [0.1, 0.2, 0.3, 0.9], "runs_per_source": 2.0})
    assert other != Constants()
    for constants in (Constants(), other):
        assert changed(Constants(), json.loads(json.dumps(to_json(constants)))) == constants


def test_only_what_is_named_changes_and_the_old_version_stays():
    before = Constants(prior_weight=3.0)
    after = changed(before, {"neighbours": 5})
    assert (after.prior_weight, after.neighbours) == (3.0, 5)
    assert before == Constants(prior_weight=3.0)
    with pytest.raises(FrozenInstanceError):
        before.prior_weight = 1.0


def test_an_unknown_constant_is_refused_and_a_retired_one_passed_over():
    with pytest.raises(ConstantError, match='"prior_wieght" is not a constant'):
        changed(Constants(), {"prior_wieght": 2.0})
    assert changed(Constants(), dict.fromkeys(RETIRED, 0.1)) == Constants()


@pytest.mark.parametrize("name", NESTED)
def test_a_nested_constant_is_given_whole(name):
    whole = to_json(Constants())[name]
    part = dict(list(whole.items())[1:])
    for wrong in (part, whole | {"extra": 0.5}, 0.5, list(whole.values()), None):
        with pytest.raises(ConstantError, match=f'"{name}" must be given whole: {", ".join(whole)}'):
            changed(Constants(), {name: wrong})


@pytest.mark.parametrize(("name", "key"), [(name, key) for name in NESTED for key in ALL[name][0]])
def test_every_value_of_a_nested_constant_is_bound(name, key):
    with pytest.raises(ConstantError, match=f'"{name}" must lie from .*, not 1.5'):
        changed(Constants(), {name: ALL[name][0] | {key: 1.5}})


@pytest.mark.parametrize("edges", [[0.4, 0.2, 0.6, 0.8], [0.2, 0.2, 0.6, 0.8]])
def test_band_edges_must_rise(edges):
    with pytest.raises(ConstantError, match='"band_edges" must rise'):
        changed(Constants(), {"band_edges": edges})
    with pytest.raises(ConstantError, match='"band_edges" must rise'):
        Constants(band_edges=tuple(edges))


@pytest.mark.parametrize("edges", [[0.2, 0.4, 0.6], [0.2, 0.4, 0.6, 0.8, 0.9], 0.2, "0246", None])
def test_band_edges_are_four(edges):
    with pytest.raises(ConstantError, match='"band_edges" must be a list of 4 numbers'):
        changed(Constants(), {"band_edges": edges})


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("value", ["2", None, True, math.nan, math.inf, 10**400, -(10**400)], ids=str)
def test_what_is_no_number_is_refused_by_name(name, value):
    with pytest.raises(ConstantError, match=f'"{name}" must be a number'):
        changed(Constants(), {name: with_each(name, value)})


@pytest.mark.parametrize("name", WHOLE)
def test_a_count_is_a_whole_number(name):
    with pytest.raises(ConstantError, match=f'"{name}" must be a whole number'):
        changed(Constants(), {name: REGISTRY[name].low + 0.5})


@pytest.mark.parametrize("name", [name for name in WHOLE if name in TUNABLE])
def test_a_count_that_was_written_with_a_point_is_a_whole_number_still(name):
    assert type(getattr(changed(Constants(), {name: 2.0}), name)) is int


@pytest.mark.parametrize(
    "values, words",
    [
        ({"base_rate": 0.5}, '"base_rate" must be given whole: auto, human, signed'),
        ({"birth_weight": ByTier(0.5, 0.6, 0.7)}, '"birth_weight" must be given whole: core, user, document'),
        ({"base_rate": ByTier(math.nan, 0.6, 0.7)}, '"base_rate" must be a number'),
        ({"band_edges": (0.3, 0.7)}, '"band_edges" must be a list of 4 numbers'),
        ({"band_edges": (0.1, 0.2, 0.3, 0.4, 0.5)}, '"band_edges" must be a list of 4 numbers'),
        ({"runs_per_source": 1.5}, '"runs_per_source" must be a whole number'),
        ({"prior_weight": True}, '"prior_weight" must be a number'),
    ],
)
def test_what_is_no_constant_is_refused_however_it_comes(values, words):
    for make in (lambda: Constants(**values), lambda: changed(Constants(), values)):
        with pytest.raises(ConstantError, match=words):
            make()


def test_a_constant_has_its_own_type_however_it_comes():
    for constants in (Constants(prior_weight=3, runs_per_source=2.0), changed(Constants(), {"runs_per_source": 2.0})):
        assert (type(constants.prior_weight), type(constants.runs_per_source)) == (float, int)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["auto", "human", "signed"]), inner),
    max_leaves=6,
)


@given(st.sampled_from(sorted(ALL)), JSON)
def test_whatever_json_comes_it_is_a_constant_within_bounds_or_refused_by_name(name, value):
    try:
        constants = changed(Constants(), {name: value})
    except ConstantError as refusal:
        assert f'"{name}"' in str(refusal)
    else:
        assert changed(Constants(), to_json(constants)) == constants


def test_every_number_has_a_flat_name_and_comes_back_from_its_text():
    numbers = flat(Constants())
    assert numbers["activation_midpoint"] == -1.7
    assert numbers["base_rate.auto"] == 0.6
    assert numbers["band_edges.3"] == 0.8
    assert numbers["birth_weight.core"] == 1.0
    assert len(numbers) == len(REGISTRY) + 2 * 2 + 3 + 4 + 7
    tunable = {name: repr(number) for name, number in numbers.items() if REGISTRY[name.partition(".")[0]].tunable}
    assert trial(Constants(), tunable) == Constants()


def test_what_is_given_as_text_is_tried_and_the_rest_stays_in_force():
    in_force = Constants(prior_weight=3.0)
    tried = trial(in_force, {"base_rate.auto": " .5", "band_edges.0": "1e-1", "runs_per_source": "2.0"})
    assert (tried.base_rate, tried.band_edges) == (ByTier(0.5, 0.85, 0.95), (0.1, 0.4, 0.6, 0.8))
    assert (tried.runs_per_source, type(tried.runs_per_source), tried.prior_weight) == (2, int, 3.0)
    assert trial(in_force, {}) == in_force


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("prior_wait", "3", '"prior_wait" is not a constant'),
        ("base_rate", "0.5", '"base_rate" is not a constant'),
        ("base_rate.robot", "0.5", '"base_rate.robot" is not a constant'),
        ("band_edges.4", "0.9", '"band_edges.4" is not a constant'),
        ("contradiction_max", "0.3", '"contradiction_max" is fixed at 0.3'),
        ("base_rate.auto", "1.5", '"base_rate.auto" must lie from 0.01 to 1, not 1.5'),
        ("band_edges.0", "0.9", '"band_edges" must rise'),
        ("prior_weight", "", '"prior_weight" must be a number'),
        ("prior_weight", "two", '"prior_weight" must be a number'),
        ("prior_weight", "nan", '"prior_weight" must be a number'),
        ("prior_weight", "1_0", '"prior_weight" must be a number'),
        ("prior_weight", "1e999", '"prior_weight" must lie from 0.01 to 100, not inf'),
        ("runs_per_source", "1.5", '"runs_per_source" must be a whole number'),
    ],
)
def test_what_cannot_be_tried_is_refused_by_the_name_of_its_field(name, text, reason):
    with pytest.raises(ConstantError) as refused:
        trial(Constants(), {name: text})
    assert str(refused.value) == reason


def test_what_differs_makes_the_one_of_the_other():
    other = Constants(prior_weight=3.0, base_rate=ByTier(0.5, 0.85, 0.95))
    found = differences(Constants(), other)
    assert found == {"prior_weight": 3.0, "base_rate": {"auto": 0.5, "human": 0.85, "signed": 0.95}}
    assert changed(Constants(), json.loads(json.dumps(found))) == other
    assert differences(other, other) == {}


def test_zero_is_one_number_whatever_its_sign():
    assert fingerprint(changed(Constants(), {"stale_threshold": -0.0})) == fingerprint(
        changed(Constants(), {"stale_threshold": 0.0})
    )


def test_the_fingerprint_is_that_of_all_constants_and_of_nothing_else():
    assert fingerprint(Constants()) == "aa3ed6b2832f" + fingerprint(Constants())[12:]
    assert len(fingerprint(Constants())) == 64
    assert fingerprint(changed(Constants(), {"prior_weight": 2})) == fingerprint(Constants())
    others = {
        fingerprint(changed(Constants(), {name: with_each(name, REGISTRY[name].low)}))
        for name in TUNABLE
        if name not in {"band_edges", "runs_per_source", "use_activation"}
    }
    assert fingerprint(Constants()) not in others
