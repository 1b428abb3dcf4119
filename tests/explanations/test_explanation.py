"""What an explanation tells beside the scores: where a fact comes from, who touched it, its weight and its history."""

import pytest

from tests.actions.world import LATER, signed, space_of
from tests.explanations.asked import memory
from tests.makers import constants, daily, day, edge, event, fact, feedback
from trustmem.actions import spaces
from trustmem.core.instants import to_text
from trustmem.core.lines import Pass
from trustmem.explanations import stored
from trustmem.explanations.explanation import explanation
from trustmem.store.models import Line


def explained(*lines, now=None, passes=(), id="f"):
    return explanation(memory(*lines, now=day(9) if now is None else now, passes=passes), id)


def test_where_a_fact_comes_from():
    told = explained(fact("f", source="ana", run="r1", producer="user"), event("accepted", "f", 2))["provenance"]
    assert told == {
        "source": "ana",
        "run": "r1",
        "producer": "user",
        "core": False,
        "born": "2026-01-01T09:00:00Z",
        "at_known": True,
        "tier": "human",
        "accepted": True,
        "signature": None,
        "imported": None,
        "tags": [],
        "subject": None,
        "predicate": None,
        "object": None,
        "entities": [],
    }


def test_a_run_that_was_not_named_is_the_day_of_its_source():
    assert explained(fact("f", source="ana"))["provenance"]["run"] == "ana@2026-01-01"


@pytest.mark.django_db
def test_the_import_that_brought_a_fact_is_named():
    space = space_of(fact("f"))
    told = explanation(stored.memory(space, "f", LATER), "f")["provenance"]
    assert told["imported"] == Line.objects.get(space=space, tag="fact").imported != ""


def test_to_whom_it_was_handed_out_newest_first_and_once_a_run():
    handed = [
        event("recalled", "f", 1, source="bot", run="r1"),
        event("recalled", "f", 2, source="bot", run="r1"),
        event("injected", "f", 3, source="bob", run="r2"),
        event("corroborated", "f", 4, source="eve", run="r3"),
    ]
    assert explained(fact("f"), fact("g"), event("recalled", "g", 5), *handed)["served"] == [
        {"source": "bob", "run": "r2", "kind": "injected", "at": to_text(day(3))},
        {"source": "bot", "run": "r1", "kind": "recalled", "at": to_text(day(1))},
    ]


def test_what_each_source_had_to_say_is_counted_by_runs():
    said = [
        event("corroborated", "f", 1, source="eve", run="r1"),
        event("corroborated", "f", 2, source="eve", run="r2"),
        event("corroborated", "f", 3, source="eve", run="r2"),
        event("contradicted", "f", 4, source="bob", run="r3"),
    ]
    touches = explained(fact("f", source="ana", run="r0"), *said)["touches"]
    assert touches == [
        {"source": "eve", "kind": "corroborated", "runs": 2, "speaking": 2, "last": to_text(day(2))},
        {"source": "bob", "kind": "contradicted", "runs": 1, "speaking": 1, "last": to_text(day(4))},
    ]


def test_an_echo_and_the_own_word_at_birth_do_not_speak():
    said = [
        event("restated", "f", 0.1, source="ana", run="r0"),
        event("recalled", "f", 1, source="bot", run="r1"),
        event("restated", "f", 2, source="bot", run="r1"),
    ]
    touches = explained(fact("f", source="ana", run="r0"), *said)["touches"]
    assert [(each["source"], each["kind"], each["speaking"]) for each in touches] == [
        ("ana", "restated", 0),
        ("bot", "restated", 0),
        ("bot", "recalled", 0),
    ]


def test_what_a_person_dismissed_is_no_touch():
    said = event("contradicted", "f", 1, id="c", source="bob"), event("dismissed", of="c", on=2)
    assert explained(fact("f"), said[0])["touches"][0]["source"] == "bob"
    assert explained(fact("f"), *said)["touches"] == []


def test_a_line_of_the_history_says_by_codes_what_it_is():
    lines = [
        fact("f"),
        fact("g", source="eve"),
        edge("g", "updates", "f", 1, act="A"),
        edge("f", "derives", "g", 2),
        edge("f", "derives", "g", 3, removed=True),
        event("accepted", "f", 4),
        feedback("helpful", "f", 5),
    ]
    told = [
        (each["kind"], each["direction"], each["removed"], each["act"], each["became"])
        for each in explained(*lines)["history"]
    ]
    assert told == [
        ("fact", None, None, None, None),
        ("edge.updates", "to", False, "A", None),
        ("edge.derives", "from", False, None, "withdrawn"),
        ("edge.derives", "from", True, None, None),
        ("event.accepted", None, None, None, None),
        ("feedback.helpful", None, None, None, None),
    ]


def test_a_code_goes_with_its_words():
    (withdrawn,) = (
        each
        for each in explained(
            fact("f"), fact("g"), edge("f", "extends", "g", 2), edge("f", "extends", "g", 3, removed=True)
        )["history"]
        if each["became"]
    )
    assert (withdrawn["became"], withdrawn["effect"], withdrawn["what"]) == ("withdrawn", "withdrawn", "extends g")


def test_before_any_pass_the_clock_stands_at_nothing():
    weight = explained(fact("f"))["weight"]
    assert weight["anchor"] == weight["derived"]
    assert (weight["anchored_at"], weight["clock"]) == ({"clock": 0.0, "instant": None}, 0.0)


def test_weight_fades_from_its_anchor_on_the_running_clock():
    lines = fact("f"), event("restated", "f", 5, source="eve")
    weight = explained(*lines, passes=daily(1, 7), now=day(7.5))["weight"]
    # The first pass, at day 1.125, is the beginning of the clock; the restatement is 3.875 days on.
    assert weight["anchored_at"] == {"clock": 3.875, "instant": to_text(day(5))}
    assert weight["clock"] == 6.375
    faded = weight["anchor"] * 2 ** -((6.0 - 3.875) / weight["half_life_days"])
    assert weight["weight"] == pytest.approx(faded)


def test_while_the_clock_stood_still_it_says_no_instant():
    lines, passes = (fact("f"), event("restated", "f", 7, source="eve")), [Pass(day(1)), Pass(day(10))]
    weight = explained(*lines, passes=passes, now=day(10))["weight"]
    assert weight["anchored_at"] == {"clock": 1.0, "instant": None}


def test_a_promotion_waits_in_the_numbers_of_the_constants():
    lines = fact("f", producer="document"), constants({"promote_evidence": 3}, on=0)
    weight = explained(*lines, passes=[Pass(day(1))])["weight"]
    assert weight["promotion_waits_until"][1] == "its evidence comes from 3 runs (now 0)"


def test_all_outputs_of_reinforcement_can_be_reached():
    scores = explained(fact("f"), feedback("helpful", "f", 1), feedback("ignored", "f", 2))["scores"]
    assert (scores["reinforcement_count"], len(scores["reinforcement"])) == (2, 6)
    assert 0 < scores["retrieval_priority"] <= 1


@pytest.mark.django_db
@pytest.mark.parametrize("holds", [True, False])
def test_a_signature_is_told_with_its_key_and_whether_it_counts(holds):
    space = signed(spaces.create("signed"), fact("f"), holds=holds)
    told = explanation(stored.memory(space, "f", LATER), "f")["provenance"]
    assert told["signature"] == {"key": "key of unknown", "counts": holds}
    assert told["tier"] == ("signed" if holds else "auto")
