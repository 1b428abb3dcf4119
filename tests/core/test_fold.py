"""What the fold does with a history, rule by rule: the cases in which a reader of the model could take two ways."""

import sys

import numpy as np
import pytest

from tests.makers import constants, daily, day, edge, event, fact, feedback
from trustmem.core.consolidation import NO_STAMP
from trustmem.core.fold import Folded, fold
from trustmem.core.instants import MICROSECONDS_PER_DAY, to_text
from trustmem.core.lines import Baseline, Pass
from trustmem.core.scores import Scores, score
from trustmem.core.vocabulary import FLAGS, NOTICES, SCOPES, STATES


def read(folded: Folded, now: float = 21) -> Scores:
    return score(folded.stored, day(now))


def row(folded: Folded, id: str) -> int:
    return folded.history.facts.ids.index(id)


def state(folded: Folded, id: str = "f") -> str:
    return STATES[folded.stored.state[row(folded, id)]]


def scope(folded: Folded, id: str = "f") -> str:
    return SCOPES[folded.stored.weights.scope[row(folded, id)]]


def flags(scores: Scores, id: str = "f") -> set[str]:
    return {FLAGS[flag] for flag in np.flatnonzero(scores.flags[scores.ids.index(id)])}


# Nothing, and next to nothing


def test_an_empty_history_is_an_empty_space():
    assert len(read(fold([], daily(0, 3)))) == 0


def test_a_fact_without_passes_keeps_its_birth_weight():
    folded = fold([fact("f", prior=0.7)])
    assert folded.stored.weight.tolist() == folded.stored.weights.derived.tolist() == [0.7]


@pytest.mark.parametrize(
    "line",
    [fact("f", producer="agent"), fact("f", tier="signed by me"), event("restate", "f"), edge("f", "beats", "g")],
)
def test_a_word_that_is_none_of_the_vocabulary_is_refused_by_name(line):
    with pytest.raises(ValueError, match=r'".+" is none of '):
        fold([fact("f"), fact("g"), line] if line.id != "f" else [line])


# Arrivals


def test_a_pass_folds_what_has_arrived_by_its_instant_and_a_later_line_waits_for_the_next():
    late = [fact("f"), event("restated", "f", on=1, arrived=8, source="crm", run="r")]
    assert fold(late, [Pass(day(5)), Pass(day(7.9))]).stored.weights.derived[0] == 0.6
    assert fold(late, [Pass(day(5)), Pass(day(8))]).stored.weights.derived[0] == pytest.approx(0.6 + 0.25 / 3)


def test_a_line_that_names_an_unknown_fact_waits_until_the_fact_arrives():
    told = [event("corroborated", "f", on=1, source="crm"), fact("f", on=0, arrived=9)]
    assert read(fold(told)).r.tolist() == [1]
    assert len(read(fold(told[:1]))) == 0


def test_an_edge_waits_for_both_its_ends():
    lines = [fact("g"), fact("f", arrived=8), edge("g", "updates", "f", on=1)]
    early, late = (fold(lines, daily(0, last)).stored.weights for last in (7, 8))
    assert [weights.derived[1] for weights in (early, late)] == [0.6, round(0.6 + 0.25 / 3, 12)]


def test_of_two_copies_of_a_line_the_first_to_arrive_counts():
    early, late = fact("f", arrived=0), fact("f", arrived=9)
    for lines in ([early, late], [late, early]):
        assert fold(lines).history.facts.arrived.tolist() == [day(0)]


def test_what_arrives_at_the_very_instant_of_a_pass_is_in_it():
    half_life = constants({"session_half_life_days": 9.0}, on=5)
    folded = fold([fact("f", on=5), fact("g", on=5, producer="user"), half_life], [Pass(day(5))])
    assert folded.stored.weights.half_life[row(folded, "f")] == 9.0
    assert scope(folded, "g") == "global"


def test_a_dismissal_that_came_before_what_it_dismisses_waits_for_it():
    said = [fact("f"), event("contradicted", "f", on=1, arrived=8, id="c"), event("dismissed", of="c", on=2)]
    anchored_at = [fold(said, daily(0, last)).stored.weights.anchored_at[0] for last in (7, 8)]
    assert anchored_at == [0, round(1.875 * MICROSECONDS_PER_DAY)]


def test_a_restoration_that_has_not_arrived_restores_nothing():
    lines = [fact("f", producer="user"), event("forgotten", "f", on=1), event("restored", "f", on=2, arrived=8)]
    assert scope(fold(lines, daily(7, 7))) == "session"
    assert scope(fold(lines, daily(8, 8))) == "global"


# The future


def test_what_is_said_to_happen_later_counts_as_now_and_is_noticed():
    scores = read(fold([fact("f", on=30)]), now=21)
    assert scores.freshness[0] == read(fold([fact("f", on=21)]), now=21).freshness[0]
    assert scores.notices[0].tolist() == [name == "future-time" for name in NOTICES]


def test_a_birth_still_to_come_is_anchored_at_the_pass_that_met_it():
    folded = fold([fact("f", on=9, arrived=0)], daily(1, 4))
    assert folded.stored.weights.anchored_at.tolist() == [0]


def test_a_chain_of_undos_as_long_as_a_file_can_hold_takes_no_longer_than_its_lines():
    lines = [event("undone", of="A", on=1, act="U0")]
    lines += [event("undone", of=f"U{number}", on=1, act=f"U{number + 1}") for number in range(20_000)]
    assert "A" in fold(lines).void


def test_a_birth_that_has_come_by_the_pass_that_met_it_is_anchored_where_it_was():
    folded = fold([fact("f", on=1, arrived=0.5)], [Pass(day(0)), Pass(day(3))])
    assert folded.stored.weights.anchored_at.tolist() == [MICROSECONDS_PER_DAY]


def test_a_birth_still_to_come_is_anchored_at_a_pass_of_the_very_instant_it_arrived():
    assert fold([fact("f", on=9, arrived=1.125)], daily(1, 4)).stored.weights.anchored_at.tolist() == [0]


def test_a_pass_that_was_undone_has_met_no_fact():
    undone = event("undone", of=to_text(day(1.125)), on=5, act="U")
    folded = fold([fact("f", on=9, arrived=0), undone], daily(1, 4))
    assert folded.stored.weights.anchored_at.tolist() == [MICROSECONDS_PER_DAY]


def test_a_re_affirmation_still_to_come_anchors_at_the_pass_that_met_it():
    said = [fact("f"), event("restated", "f", on=30, arrived=1, source="crm", run="r")]
    assert fold(said, daily(0, 9)).stored.weights.anchored_at.tolist() == [MICROSECONDS_PER_DAY]


def test_the_present_instant_is_not_the_future():
    assert not read(fold([fact("f", on=21), event("recalled", "f", on=21)]), now=21).notices.any()


def test_what_lies_ahead_is_noticed_on_every_fact_that_it_is_about_and_on_no_other():
    facts = [fact("f"), fact("g"), fact("h")]
    ahead = NOTICES.index("future-time")
    assert read(fold([*facts, event("recalled", "f", on=30)])).notices[:, ahead].tolist() == [True, False, False]
    assert read(fold([*facts, edge("g", "extends", "f", on=30)])).notices[:, ahead].tolist() == [True, True, False]


# Undo


def test_an_undone_pass_keeps_its_place_on_the_clock():
    passes = [Pass(day(0)), Pass(day(1)), Pass(day(2))]
    undone = event("undone", of=to_text(day(1)), on=3, act="U")
    assert fold([fact("f"), undone], passes).clock.at(day(2)) == fold([fact("f")], passes).clock.at(day(2))


def test_of_undos_in_a_ring_the_latest_counts():
    facts = [fact("a", act="A"), fact("b", act="B")]
    ring = [event("undone", of="B", on=1, act="A", id="y"), event("undone", of="A", on=1, act="B", id="z")]
    assert fold([*facts, *ring]).history.facts.ids == ["b"]


def test_an_undo_that_names_nothing_undoes_nothing():
    assert fold([fact("f"), event("undone", on=1)]).history.facts.ids == ["f"]


@pytest.mark.parametrize("kind", ["lifted", "revoked", "closed"])
def test_only_an_undo_undoes_the_act_that_it_names(kind):
    assert fold([fact("f", act="A"), event(kind, of="A", on=2)]).history.facts.ids == ["f"]


def test_an_undo_of_an_act_that_is_called_like_a_statement_is_no_ruling_on_it():
    said = [fact("f"), event("contradicted", "f", on=1, source="crm", id="c"), event("undone", of="c", on=2)]
    assert read(fold(said)).s.tolist() == [1]


def test_a_pass_that_is_told_twice_is_undone_whichever_telling_is_named():
    lines, told = [fact("f", producer="user"), event("undone", of="P", on=2)], [Pass(day(1), "P"), Pass(day(1), "Q")]
    assert scope(fold(lines[:1], told)) == "global"
    for passes in (told, told[::-1]):
        assert scope(fold(lines, passes)) == "session"


def test_what_was_erased_stays_erased_though_its_act_is_undone():
    lines = [fact("f"), event("erased", "f", on=1, act="A"), event("undone", of="A", on=2, act="U")]
    assert state(fold(lines)) == "erased"


def test_undoing_the_change_of_a_constant_folds_the_whole_space_anew():
    slow = constants({"session_half_life_days": 30.0}, on=0, act="A")
    undone = event("undone", of="A", on=20, act="U")
    lines = [fact("f"), slow]
    assert fold([*lines, undone], daily(0, 9)).stored.weight == fold([fact("f")], daily(0, 9)).stored.weight
    assert fold(lines, daily(0, 9)).stored.weight > fold([*lines, undone], daily(0, 9)).stored.weight


# Constants


def test_a_prior_is_set_at_birth_and_outlives_the_constant_that_set_it():
    later = {"core": 1.0, "user": 0.95, "document": 0.75, "inference": 0.7, "unknown": 0.1}
    folded = fold([fact("before"), constants({"birth_weight": later}, on=2), fact("after", on=3)], daily(4, 4))
    assert folded.stored.weights.derived[[row(folded, "before"), row(folded, "after")]].tolist() == [0.6, 0.1]


def test_a_fact_that_arrives_with_a_change_of_constants_is_born_under_it():
    birth_weight = {"core": 1.0, "user": 0.95, "document": 0.75, "inference": 0.7, "unknown": 0.1}
    assert fold([fact("f", on=2), constants({"birth_weight": birth_weight}, on=2)]).stored.prior.tolist() == [0.1]


def test_a_change_of_constants_is_in_force_from_its_arrival_whenever_it_is_said_to_be():
    late = constants({"session_half_life_days": 9.0}, on=1, arrived=8)
    half_lives = [fold([fact("f"), late], daily(0, last)).stored.weights.half_life[0] for last in (7, 8)]
    assert half_lives == [3.0, 9.0]


def test_of_two_changes_the_one_that_arrives_last_decides():
    first = constants({"prior_weight": 3.0}, on=9, arrived=2)
    assert fold([first, constants({"prior_weight": 4.0}, on=1, arrived=5)]).stored.constants.prior_weight == 4.0


def test_of_two_changes_that_arrive_at_once_the_later_one_decides():
    early = constants({"prior_weight": 3.0}, on=1, arrived=5, id="z")
    late = constants({"prior_weight": 4.0}, on=2, arrived=5, id="a")
    assert fold([late, early]).stored.constants.prior_weight == 4.0


def test_a_stored_weight_of_zero_is_a_weight_and_not_the_lack_of_one():
    assert fold([fact("f", weight=0.0, baseline=Baseline(contradictions=2))]).stored.prior.tolist() == [0.2]


def test_a_weight_is_read_under_the_constants_of_the_last_pass():
    floor = constants({"global_floor": 0.5}, on=9)
    lines, passes = [fact("f", scope="global", prior=0.3)], daily(0, 8)
    assert fold([*lines, floor], passes).stored.weight == fold(lines, passes).stored.weight


# States


def test_a_fact_that_came_in_erased_is_erased():
    assert state(fold([fact("f", erased=True)], daily(0, 1))) == "erased"


def test_what_is_stored_of_a_fact_stays_as_it_was_while_it_is_forgotten():
    lines = [fact("f"), event("forgotten", "f", on=1)]
    said = [event("recalled", "f", on=2, run="r"), event("restated", "f", on=3, source="crm", run="q")]
    before, after = fold(lines, daily(0, 5)).stored.weights, fold([*lines, *said], daily(0, 5)).stored.weights
    for name in ("derived", "half_life", "anchor", "anchored_at", "stamp"):
        assert getattr(after, name).tolist() == getattr(before, name).tolist()


def test_what_was_said_of_a_fact_while_it_was_forgotten_is_new_once_it_is_restored():
    lines = [fact("f"), event("forgotten", "f", on=1), event("restated", "f", on=4, source="crm", run="r")]
    folded = fold([*lines, event("restored", "f", on=2, arrived=8)], daily(0, 9))
    assert folded.stored.weights.anchored_at.tolist() == [folded.clock.at(day(4))]


def test_forgotten_and_restored_at_one_instant_are_decided_by_their_ids():
    both = [event("forgotten", "f", on=1, id="a"), event("restored", "f", on=1, id="b")]
    assert state(fold([fact("f"), *both])) == "live"
    assert state(fold([fact("f"), event("forgotten", "f", on=1, id="c"), both[1]])) == "forgotten"


@pytest.mark.parametrize("kind", ["accepted", "restored"])
def test_a_person_revives_a_pruned_fact_at_once(kind):
    faded = [fact("f", prior=0.1)]
    assert state(fold(faded, daily(0, 9))) == "pruned"
    assert state(fold([*faded, event(kind, "f", on=15)], daily(0, 9))) == "live"


def test_a_dismissal_revives_what_the_statement_had_harmed_at_once():
    said = [fact("f", prior=0.1), event("contradicted", "f", on=1, id="c")]
    assert state(fold(said, daily(0, 9))) == "pruned"
    assert state(fold([*said, event("dismissed", of="c", on=15)], daily(0, 9))) == "live"


def test_a_restoration_that_a_pass_has_weighed_revives_nothing_again():
    turned = [event("forgotten", "f", on=1), event("restored", "f", on=2)]
    assert state(fold([fact("f", prior=0.1), *turned], daily(0, 20))) == "pruned"


def test_a_restatement_revives_a_pruned_fact_with_the_next_pass():
    said = [fact("f", prior=0.1), event("restated", "f", on=15, source="crm", run="r")]
    assert state(fold(said, daily(0, 9))) == "pruned"
    assert state(fold(said, [*daily(0, 9), *daily(15, 15)])) == "live"


def test_an_echo_revives_nothing():
    said = [fact("f", prior=0.1), event("injected", "f", on=15, run="r"), event("restated", "f", on=15.1, run="r")]
    assert state(fold(said, [*daily(0, 9), *daily(15, 16)])) == "pruned"


def test_an_accepted_fact_that_is_forgotten_stays_forgotten():
    lines = [fact("f"), event("forgotten", "f", on=1), event("accepted", "f", on=2)]
    assert state(fold(lines)) == "forgotten"


def test_a_fact_that_travels_erased_was_weighed_until_the_line_that_erased_it():
    erased = event("erased", "f", on=5, id="e")
    lines, passes = [event("restated", "f", on=2, source="crm"), erased], daily(0, 9)
    whole, travelled = fold([fact("f"), *lines], passes), fold([fact("f", erased=True), *lines], passes)
    assert state(travelled) == "erased"
    assert travelled.stored.weights.anchored_at.tolist() == whole.stored.weights.anchored_at.tolist()
    assert fold([fact("f", erased=True)], passes).stored.weights.anchored_at.tolist() == [0]


# Statements


def test_the_latest_ruling_decides_and_a_dismissal_that_was_overruled_still_re_affirmed():
    said = [fact("f", prior=0.1), event("contradicted", "f", on=1, id="c", run="r")]
    ruled = [event("dismissed", of="c", on=15), event("upheld", of="c", on=16)]
    folded = fold([*said, *ruled], daily(0, 9))
    assert read(folded).s.tolist() == [1]
    assert state(folded) == "live"


def test_a_ruling_on_the_removal_of_an_edge_is_none():
    lines = [fact("f", prior=0.1), fact("g"), edge("g", "updates", "f", on=1, removed=True, id="x")]
    assert state(fold([*lines, event("dismissed", of="x", on=15)], daily(0, 9))) == "pruned"


def test_a_touch_that_was_echo_when_its_fact_was_weighed_is_new_once_it_is_none():
    said = [event("restated", "f", on, arrived=arrived, source="crm", run="r") for on, arrived in ((5, 5), (3, 7))]
    lines = [fact("f"), *said, event("recalled", "f", on=4, arrived=6, run="r")]
    anchored_at = [fold(lines, daily(0, last)).stored.weights.anchored_at[0] for last in (5, 6, 7)]
    assert anchored_at == [round(days * MICROSECONDS_PER_DAY) for days in (4.875, 6, 2.875)]


def test_upholding_an_edge_does_not_undo_its_withdrawal():
    pair = [fact("f"), fact("g"), edge("g", "updates", "f", on=1, id="u"), event("upheld", of="u", on=3)]
    withdrawn = edge("g", "updates", "f", on=2, removed=True)
    assert "superseded" in flags(read(fold(pair)))
    assert "superseded" not in flags(read(fold([*pair, withdrawn])))


def test_an_edge_that_was_removed_the_instant_it_was_asserted_is_withdrawn():
    pair = [fact("f"), fact("g"), edge("g", "updates", "f", on=1), edge("g", "updates", "f", on=1, removed=True)]
    assert "superseded" not in flags(read(fold(pair)))


@pytest.mark.parametrize("relation", ["extends", "derives", "contradicts"])
def test_the_removal_of_one_edge_leaves_another_between_the_same_facts(relation):
    between = [edge("f", "updates", "g", on=1), edge("f", relation, "g", on=1)]
    removed = edge("f", relation, "g", on=2, removed=True)
    assert "superseded" in flags(read(fold([fact("f"), fact("g"), *between, removed])), "g")


def test_a_source_that_says_it_in_two_ways_in_one_run_has_said_it_once():
    said = [event(kind, "f", on=1, source="crm", run="r") for kind in ("restated", "corroborated")]
    assert read(fold([fact("f"), *said, constants({"runs_per_source": 2})])).r.tolist() == [1]


def test_an_agent_cannot_withdraw_what_a_person_asserted():
    pair = [fact("f"), fact("g"), edge("g", "updates", "f", on=1, tier="human")]
    assert "superseded" in flags(read(fold([*pair, edge("g", "updates", "f", on=2, removed=True)])))


def test_only_a_signature_withdraws_what_was_signed():
    pair = [fact("f"), fact("g"), edge("g", "updates", "f", on=1, signature=True)]
    for signature, superseded in ((True, False), (False, True), (None, True)):
        removed = edge("g", "updates", "f", on=2, removed=True, tier="human", signature=signature)
        assert ("superseded" in flags(read(fold([*pair, removed])))) == superseded


def test_updates_on_a_cycle_are_not_live():
    edges = [edge("f", "updates", "g"), edge("g", "updates", "f"), edge("h", "updates", "f")]
    updates = fold([*map(fact, "fgh"), *edges]).stored.edges.of("updates")
    assert (updates.newer.tolist(), updates.older.tolist()) == ([2], [0])


def test_a_challenge_is_shown_on_every_fact_it_would_harm_until_it_is_ruled_on_or_withdrawn():
    pair = [fact("f", tier="human"), fact("g"), edge("g", "contradicts", "f", on=1, id="x")]
    scores = read(fold(pair))
    assert {"challenged"} <= flags(scores, "f") & flags(scores, "g")
    assert scores.s.tolist() == [0, 0]
    for ending in (event("dismissed", of="x", on=2), edge("f", "contradicts", "g", on=2, removed=True)):
        assert "challenged" not in flags(read(fold([*pair, ending])))


def test_a_contradiction_is_live_only_while_both_ends_are():
    pair = [fact("f"), fact("g", prior=0.1), edge("g", "contradicts", "f", on=1, run="r")]
    many = [event("corroborated", "f", on=1, source=f"s{number}") for number in range(9)]
    assert "disputed" in flags(read(fold([*pair, *many])))
    assert "disputed" not in flags(read(fold([*pair, *many], daily(0, 9))))


def test_a_pruned_correction_still_supersedes():
    pair = [fact("f", scope="global"), fact("g", prior=0.1), edge("g", "updates", "f", on=1)]
    folded = fold(pair, daily(0, 9))
    assert state(folded, "g") == "pruned"
    assert "superseded" in flags(read(folded))


def test_what_was_only_read_counts_for_freshness_with_use_alone():
    never, once = (read(fold([fact("f"), *said])) for said in ([], [event("recalled", "f", on=20)]))
    assert once.activation[0] > never.activation[0]
    assert once.activation_without_use[0] == never.activation_without_use[0] == never.activation[0]


# Passes


def test_a_session_fact_that_is_corroborated_and_stable_becomes_global_and_keeps_its_weight():
    said = [event("restated", "f", on=1, source=f"s{number}", run=f"r{number}") for number in range(3)]
    before, after = (fold([fact("f", producer="inference"), *said], daily(0, last)) for last in (1, 2))
    assert (scope(before), scope(after)) == ("session", "global")
    assert after.stored.weight[0] == pytest.approx(0.85 * 2 ** (-1.125 / 5.25), abs=1e-12)


def test_a_derived_weight_that_fell_below_the_threshold_must_be_stable_anew():
    said = [event("restated", "f", on=0.1, source=f"s{number}", run=f"r{number}") for number in range(3)]
    denied = [event("contradicted", "f", on=1, source="crm", id="c"), event("dismissed", of="c", on=2)]
    lines = [fact("f", producer="inference"), *said, *denied]
    assert [scope(fold(lines, daily(0, last))) for last in (2, 3)] == ["session", "global"]


def test_a_fact_that_a_pass_prunes_is_not_stamped_by_it():
    strict = constants({"prune_threshold": 0.9}, on=0)
    assert fold([fact("f", prior=0.8), strict], daily(0, 0)).stored.weights.stamp.tolist() == [NO_STAMP]


def test_a_contradiction_defers_promotion_and_is_counted_once_a_pass():
    pair = [fact("f", producer="user"), fact("g"), edge("g", "contradicts", "f", on=0)]
    folded = fold(pair, daily(1, 4))
    assert (scope(folded), folded.promotion_deferred) == ("session", 4)


def test_a_derived_weight_that_misses_the_threshold_by_the_dust_of_floats_reaches_it():
    said = fact("f", prior=0.7, baseline=Baseline(evidence=8, contradictions=1))
    assert 0.7 + 0.25 * 8 / (8 + 2) - 0.1 < 0.8
    assert scope(fold([said], daily(0, 1))) == "global"


def test_a_weight_below_zero_is_no_lower_than_a_threshold_of_zero():
    lines = [fact("f", prior=0.3), event("contradicted", "f", on=8, source="crm"), constants({"prune_threshold": 0.0})]
    folded = fold(lines, daily(0, 9))
    assert (state(folded), folded.stored.weight.tolist()) == ("live", [0.0])
    assert folded.stored.weights.anchor[0] < 0


def test_a_prior_above_one_makes_no_weight_above_one():
    assert fold([fact("f", prior=1.5)], daily(0, 0)).stored.weights.derived.tolist() == [1.0]


def test_a_weight_at_the_threshold_of_pruning_is_kept():
    assert state(fold([fact("f", prior=0.05)], [Pass(day(0))])) == "live"


def test_acceptance_takes_nothing_from_a_prior_above_that_of_users():
    assert fold([fact("f", prior=1.0), event("accepted", "f")], daily(2, 2)).stored.weights.derived.tolist() == [1.0]


def test_what_a_person_accepted_fades_and_is_not_pruned():
    lines = [fact("f", prior=0.1), event("accepted", "f", on=0.01)]
    assert state(fold(lines, daily(0, 60))) == "live"


def test_a_baseline_without_a_first_seen_counts_from_birth_even_where_that_is_only_when_it_was_first_met():
    scores = read(fold([fact("f", at_known=False, baseline=Baseline(reinforcements=3))]))
    assert np.isfinite(scores.activation[0])
    assert "age-unknown" not in flags(scores)


def test_usefulness_slows_forgetting_and_does_not_touch_trust():
    told = [fact("f"), feedback("helpful", "f", on=1)]
    with_feedback, without = fold(told, daily(0, 9)), fold(told[:1], daily(0, 9))
    assert with_feedback.stored.weight[0] > without.stored.weight[0]
    assert read(with_feedback).trust[0] == read(without).trust[0]


@pytest.mark.parametrize("passes", [5, 20])
def test_a_pass_takes_as_many_steps_for_a_thousand_facts_as_for_ten(passes):
    assert steps(10, passes) == steps(1000, passes)


def steps(n_facts: int, n_passes: int) -> int:
    """Python calls made by the passes of a fold, something happening before each of them."""
    lines = [fact(f"f{number}", arrived=0) for number in range(n_facts)]
    lines += [
        event("restated", f"f{number}", on, source="crm", run=f"r{on}") for number in range(n_facts) for on in range(20)
    ]
    return calls(lines, n_passes) - calls(lines, 0)


def calls(lines, n_passes: int) -> int:
    made = 0

    def count(frame, what, argument) -> None:
        nonlocal made
        made += what == "call" and frame.f_globals.get("__name__", "").startswith("trustmem.core")

    sys.setprofile(count)
    try:
        fold(lines, daily(0, n_passes - 1))
    finally:
        sys.setprofile(None)
    return made
