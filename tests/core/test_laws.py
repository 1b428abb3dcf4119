"""The laws that every history obeys, whatever is in it (Hypothesis draws the histories)."""

import random
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.makers import daily, day, edge, event, fact, histories, schedules
from trustmem.core import lines as line_types
from trustmem.core.consolidation import NO_STAMP, Clock, Findings, Weights, consolidate, derived_weight
from trustmem.core.constants import Constants
from trustmem.core.fold import fold
from trustmem.core.instants import NEVER
from trustmem.core.lift import lift
from trustmem.core.scores import Scores, score
from trustmem.core.statements import Edges
from trustmem.core.vocabulary import BANDS, RELATIONS, TIERS

NOW = day(21)


def scores(lines, passes=()) -> Scores:
    return score(fold(lines, passes).stored, NOW)


def assert_same(one: Scores, other: Scores) -> None:
    """Bit for bit, every column."""
    for each in fields(Scores):
        np.testing.assert_array_equal(getattr(one, each.name), getattr(other, each.name), err_msg=each.name)


def of(one: Scores, id: str, name: str):
    return getattr(one, name)[one.ids.index(id)]


# Sets of lines


@given(histories(), schedules(), st.randoms(use_true_random=False), st.integers(0, 3))
def test_order_repetition_and_split_of_lines_change_nothing(lines, passes, chance: random.Random, repeated):
    batch = lines * (1 + repeated)
    chance.shuffle(batch)
    assert_same(scores(batch, passes[::-1] + passes), scores(lines, passes))


@given(histories(undos=False), schedules())
def test_an_act_that_is_undone_has_never_been(lines, passes):
    undone = event("undone", of="A", on=20, act="U")
    without = [line for line in lines if line.act != "A" or getattr(line, "kind", None) == "erased"]
    assert_same(scores([*lines, undone], passes), scores(without, passes))


@given(histories(undos=False), schedules())
def test_undoing_the_undo_brings_everything_back(lines, passes):
    undone, redone = event("undone", of="A", on=20, act="U"), event("undone", of="U", on=20.5, act="V")
    assert_same(scores([*lines, undone, redone], passes), scores(lines, passes))


@given(histories(undos=False), schedules())
def test_undoing_a_pass_leaves_its_place_on_the_clock_and_nothing_else(lines, passes):
    assume(passes)
    void = [replace(each, act="P") for each in passes]
    folded = fold([*lines, event("undone", of="P", on=20, act="U")], void)
    assert not folded.stored.weights.pruned.any()
    assert (folded.stored.weights.stamp == NO_STAMP).all()
    np.testing.assert_array_equal(folded.stored.weights.scope, folded.history.facts.scope)
    np.testing.assert_array_equal(folded.stored.weights.anchor, fold(lines, []).stored.weights.anchor)


@given(histories(undos=False), schedules())
def test_a_fact_that_no_edge_connects_scores_alone_as_among_others(lines, passes):
    lines = [line for line in lines if not isinstance(line, line_types.Edge)]
    together = scores(lines, passes)
    for id in together.ids:
        own = [line for line in lines if concerns(line, id, lines)]
        alone = scores(own, passes)
        for each in fields(Scores):
            if each.name != "ids":
                assert np.array_equal(getattr(alone, each.name)[0], of(together, id, each.name), equal_nan=True), each


def concerns(line, id, lines) -> bool:
    if isinstance(line, line_types.Fact):
        return line.id == id
    target = {each.id: each for each in lines}.get(getattr(line, "of", None), line)
    return isinstance(line, line_types.ConstantsChange) or getattr(target, "fact", None) == id


# Bounds


@given(histories(), schedules())
def test_opinions_add_up_to_one_and_factors_lie_above_zero_and_at_most_at_one(lines, passes):
    found = scores(lines, passes)
    np.testing.assert_allclose(found.belief + found.disbelief + found.uncertainty, 1, rtol=0, atol=1e-12)
    for factor in (found.confidence, found.freshness, found.supersession, found.provenance, found.trust):
        assert ((factor > 0) & (factor <= 1)).all()
    assert ((found.weight >= 0) & (found.weight <= 1)).all()


@given(st.floats(0, 1), st.integers(0, 10**6), st.booleans())
def test_contradictions_alone_never_take_more_than_thirty_hundredths(prior, contradictions, core):
    weight = derived_weight(*map(np.array, ([prior], [0], [contradictions], [False], [core])), Constants())
    assert weight[0] >= round(prior - 0.30, 12) - 1e-12


@given(st.integers(0, 10**6))
def test_corroborated_inference_stays_below_what_a_user_said(evidence):
    constants = Constants()
    prior = constants.birth_weight.inference
    weight = derived_weight(*map(np.array, ([prior], [evidence], [0], [False], [False])), constants)
    assert weight[0] <= constants.reconfirm_cap < constants.birth_weight.user


# Repetition


@pytest.mark.parametrize("times", [1, 5])
def test_five_restatements_in_one_run_are_one(times):
    said = [event("restated", "f", 1 + number / 100, source="crm", run="r") for number in range(times)]
    found = scores([fact("f"), *said], daily(0, 5))
    assert (of(found, "f", "r"), of(found, "f", "evidence"), of(found, "f", "use_count")) == (1, 1, 1)


def test_five_echoes_are_one_use_and_no_evidence():
    echoes = [event("restated", "f", 1 + number / 100, source="crm", run="r") for number in range(5)]
    found = scores([fact("f"), event("injected", "f", 1, run="r"), *echoes], daily(0, 5))
    assert (of(found, "f", "r"), of(found, "f", "evidence"), of(found, "f", "use_count")) == (0, 0, 2)


@given(histories(undos=False, changing_constants=False))
def test_idle_passes_in_between_change_no_weight_of_a_fact_that_lives_on(lines):
    last = max(line.arrived for line in lines)
    first = [line_types.Pass(last), line_types.Pass(last + 10**9)]
    later = [line_types.Pass(last + 86_400_000_000 * number // 8) for number in range(1, 9)]
    few, many = fold(lines, [*first, later[-1]]), fold(lines, [*first, *later])
    lived = (few.stored.state == 0) & (many.stored.state == 0) & (few.stored.weights.scope == many.stored.weights.scope)
    same_path = lived & (few.stored.weights.scope == fold(lines, first).stored.weights.scope)
    np.testing.assert_allclose(few.stored.weight[same_path], many.stored.weight[same_path], rtol=0, atol=1e-9)


@st.composite
def stored_and_found(draw):
    """What might be stored of some facts, and what a pass might know of them, in any combination."""
    n = draw(st.integers(1, 6))

    def column(elements, dtype):
        return np.array(draw(st.lists(elements, min_size=n, max_size=n)), dtype)

    flags, unit = st.booleans(), st.floats(-0.5, 1.5)
    news = st.sampled_from([NEVER, day(1), day(9), day(30)])
    weights = Weights(
        scope=column(st.integers(0, 1), np.int8),
        pruned=column(flags, bool),
        lapsed=column(flags, bool),
        derived=column(unit, float),
        half_life=column(st.floats(0.1, 90), float),
        anchor=column(unit, float),
        anchored_at=column(st.integers(0, 9).map(lambda d: d * 86_400_000_000), np.int64),
        stamp=column(st.sampled_from([NO_STAMP, 0, 86_400_000_000]), np.int64),
    )
    findings = Findings(
        arrived=column(flags, bool),
        held=column(st.integers(0, 3).map(lambda state: state if state != 1 else 0), np.int8),
        tier=column(st.integers(0, len(TIERS) - 1), np.int8),
        core=column(flags, bool),
        by_user=column(flags, bool),
        accepted=column(flags, bool),
        prior=column(unit, float),
        evidence=column(st.integers(0, 9), np.int64),
        contradictions=column(st.integers(0, 9), np.int64),
        use_count=column(st.integers(0, 9), np.int64),
        superseded=column(flags, bool),
        decay_adjustment=column(st.sampled_from([np.nan, 0.4, 1.0]), float),
        reaffirmed_at=column(news, np.int64),
        corroborated_at=column(news, np.int64),
    )
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=4))
    newer, older = np.array(pairs, np.int64).reshape(-1, 2).T
    return weights, findings, Edges(newer, older, np.full(len(newer), RELATIONS.index("contradicts"), np.int8))


@settings(max_examples=3 * settings.default.max_examples)
@given(stored_and_found(), st.sampled_from([1.0, 0.3]))
def test_a_second_identical_pass_changes_nothing(drawn, promote_threshold):
    weights, findings, rivals = drawn
    constants = Constants(promote_threshold=promote_threshold)
    clock = Clock.of([day(0), day(1), day(10)], [1.0] * 4)
    once = consolidate(weights, findings, rivals, clock, day(10), constants)
    known = {
        name: np.where(once.weighed, NEVER, getattr(findings, name)) for name in ("reaffirmed_at", "corroborated_at")
    }
    twice = consolidate(once.weights, findings._replace(**known), rivals, clock, day(10), constants)
    for each in fields(Weights):
        np.testing.assert_array_equal(getattr(once.weights, each.name), getattr(twice.weights, each.name), each.name)


# What would lift it


@given(histories(undos=False), schedules())
def test_every_lift_is_what_the_line_that_it_stands_for_would_do(lines, passes):
    folded = fold(lines, passes)
    before = score(folded.stored, NOW)
    on = 21
    written = {
        "one more source": lambda id: event("corroborated", id, on, source="a new source", run="a new run"),
        "a person's acceptance": lambda id: event("accepted", id, on, source="a new person", run="a new run"),
    }
    for each in lift(before, folded.stored.constants):
        if each.change in written:
            for row, id in enumerate(before.ids):
                after = scores([*lines, written[each.change](id)], passes)
                if each.applies[row]:
                    assert np.isclose(each.trust[row], of(after, id, "trust"), rtol=0, atol=1e-12), each.change
                    assert BANDS[each.band[row]] == BANDS[of(after, id, "band")]


def test_a_confirmation_now_freshens_and_adds_no_evidence():
    told = [fact("f", source="own"), event("restated", "f", 3, source="crm", run="r")]
    folded = fold(told)
    confirmed = {each.change: each for each in lift(score(folded.stored, NOW), folded.stored.constants)}[
        "a confirmation now"
    ]
    after = scores([*told, event("restated", "f", 21, source="crm", run="another")])
    assert confirmed.trust[0] == pytest.approx(of(after, "f", "trust"), abs=1e-12)
    assert of(after, "f", "r") == 1


def test_a_dismissed_contradiction_gives_back_what_it_took():
    told = [fact("f"), event("contradicted", "f", 3, source="crm", run="r", id="c")]
    assert dismissal_lift(told) == pytest.approx(of(scores([*told, event("dismissed", of="c", on=21)]), "f", "trust"))


@pytest.mark.parametrize(
    "told",
    [
        [fact("f", baseline=line_types.Baseline(contradictions=1))],
        [fact("f"), *(event("contradicted", "f", 3, source="crm", run=run) for run in ("r1", "r2"))],
        [fact("f"), *(event("contradicted", "f", on, source="crm", run="r") for on in (3, 4))],
        [fact("f"), event("contradicted", "f", 3, source="crm"), event("forgotten", "f", 4)],
    ],
)
def test_no_dismissal_is_offered_that_would_take_back_nothing(told):
    assert dismissal_lift(told) is None


def dismissal_lift(told) -> float | None:
    folded = fold(told)
    lifted = {each.change: each for each in lift(score(folded.stored, NOW), folded.stored.constants)}
    dismissed = lifted["a contradiction dismissed"]
    return dismissed.trust[0] if dismissed.applies[0] else None


def test_nobody_need_accept_what_was_accepted_nor_dismiss_what_nobody_said():
    told = [fact("accepted"), event("accepted", "accepted", 3), fact("denied"), event("contradicted", "denied", 3)]
    folded = fold([*told, event("contradicted", "denied", 4, source="crm")])
    applies = {each.change: each.applies.tolist() for each in lift(score(folded.stored, NOW), folded.stored.constants)}
    assert applies["a person's acceptance"] == [False, True]
    assert applies["a contradiction dismissed"] == [False, True]


def test_a_dismissal_gives_back_one_contradiction_of_two():
    told = [fact("f")] + [event("contradicted", "f", 3, source=source, id=source) for source in ("crm", "mail")]
    folded = fold(told)
    lifted = {each.change: each for each in lift(score(folded.stored, NOW), folded.stored.constants)}[
        "a contradiction dismissed"
    ]
    after = scores([*told, event("dismissed", of="crm", on=21)])
    assert lifted.trust[0] == pytest.approx(of(after, "f", "trust"), abs=1e-12)


def test_a_confirmation_now_is_the_only_time_known_of_a_fact_of_unknown_age():
    folded = fold([fact("f", at_known=False)])
    confirmed = {each.change: each for each in lift(score(folded.stored, NOW), folded.stored.constants)}[
        "a confirmation now"
    ]
    assert confirmed.trust[0] == pytest.approx(of(scores([fact("f", 21)]), "f", "trust"), abs=1e-12)


# Attacks that the designs would have fallen to (section 12)


def signed_and_confirmed():
    said = [event("corroborated", "signed", number, source=f"s{number}", run=f"r{number}") for number in range(1, 6)]
    return [fact("signed", signature=True), *said]


def test_unsigned_updates_in_a_chain_move_a_signed_fact_by_nothing():
    planted = [fact(f"p{number}", 6) for number in range(5)]
    chain = [edge("p0", "updates", "signed", 7)] + [
        edge(f"p{number + 1}", "updates", f"p{number}", 7) for number in range(4)
    ]
    before, after = scores(signed_and_confirmed()), scores([*signed_and_confirmed(), *planted, *chain])
    assert of(after, "signed", "trust") == of(before, "signed", "trust")
    assert of(after, "signed", "depth") == 0


def test_thirty_sessions_that_repeat_what_they_were_handed_leave_a_planted_fact_where_it_was():
    handed = [event("injected", "planted", number / 2, run=f"r{number}") for number in range(1, 31)]
    repeated = [event("restated", "planted", number / 2, run=f"r{number}") for number in range(1, 31)]
    found = scores([fact("planted", source="mallory"), *handed, *repeated], daily(0, 20))
    assert (of(found, "planted", "r"), of(found, "planted", "evidence")) == (0, 0)


def test_fifty_run_ids_of_one_source_are_one_source():
    said = [event("restated", "planted", number / 5, run=f"r{number}", source="mallory") for number in range(1, 51)]
    found = scores([fact("planted", source="mallory"), *said])
    assert (of(found, "planted", "r"), of(found, "planted", "evidence")) == (1, 50)
