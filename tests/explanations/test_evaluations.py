"""The reinforcement history of a fact: each feedback with what it gave, up to how useful the fact is now."""

import pytest

from tests.explanations.asked import memory
from tests.makers import day, event, fact, feedback
from trustmem.core.reinforcement import PRESETS
from trustmem.explanations.evaluations import evaluations

LINES = (
    fact("f"),
    fact("g"),
    feedback("helpful", "f", 1, source="bot", run="r1", signals={"importance": 1.0}),
    feedback("ignored", "f", 2, source="bot", run="r2", confirmed=False),
    feedback("helpful", "g", 3, source="bot"),
    feedback("corrected", "f", 4, source="ana", run="r3"),
)


def test_each_feedback_leads_from_what_was_before_it_to_what_is_now():
    asked = memory(*LINES, now=day(9))
    found = evaluations(asked, "f")
    assert [each.outcome for each in found] == ["helpful", "ignored", "corrected"]
    assert [each.by for each in found] == ["bot", "bot", "ana"]
    assert found[0].priority_before is None
    assert [each.priority_before for each in found[1:]] == [each.priority for each in found[:-1]]
    assert [each.decay_before for each in found[1:]] == [each.decay for each in found[:-1]]
    scores = asked.rows[asked.row["f"]]
    assert found[-1].priority == pytest.approx(scores["retrieval_priority"], abs=1e-12)
    assert found[-1].decay == pytest.approx(scores["reinforcement"]["decay_adjustment"], abs=1e-12)
    assert found[-1].strength == pytest.approx(scores["reinforcement"]["reinforcement"], abs=1e-12)


def test_channels_that_were_given_are_told_from_those_that_the_outcome_filled_in():
    first = evaluations(memory(*LINES, now=day(9)), "f")[0]
    assert dict(first.given) == {"importance": 1.0}
    assert dict(first.filled) == {name: value for name, value in PRESETS["helpful"].items() if name != "importance"}


def test_what_was_undone_gave_nothing_and_a_fact_without_feedback_has_no_history():
    undone = event("undone", None, 9, of="act1", tier="human")
    asked = memory(fact("f"), fact("silent"), feedback("helpful", "f", 1, act="act1"), undone, now=day(9))
    assert evaluations(asked, "f") == []
    assert evaluations(asked, "silent") == []
