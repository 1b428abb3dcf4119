"""What forgetting a fact comes to is told before: what holds again, what was made from it, and who has it."""

from tests.explanations.asked import memory
from tests.makers import day, edge, event, fact
from trustmem.explanations.impact import impact

FACTS = [fact(name, source="ana") for name in ("f", "g", "h", "i")]


def told(*lines, on=60):
    return impact(memory(*FACTS, *lines, now=day(on)), "f").told()


def test_of_a_fact_that_stands_alone_there_is_nothing_to_say():
    assert told() == []


def test_what_it_superseded_and_nothing_else_does_would_hold_again():
    newer = [edge("f", "updates", "g"), edge("f", "updates", "h"), edge("i", "updates", "h")]
    assert told(*newer) == [("It superseded 1 claim, which would hold again: look whether it should.", ["g"])]
    assert told(*newer[:2])[0][1] == ["g", "h"]
    assert told(edge("g", "updates", "f")) == []


def test_what_is_not_live_would_not_hold_again():
    assert told(edge("f", "updates", "g"), event("forgotten", "g", 2)) == []


def test_what_derives_from_it_stays():
    made = [edge("g", "derives", "f"), edge("h", "derives", "f"), edge("f", "derives", "i")]
    said = "2 claims derive from it and stay: they may repeat what this one says."
    assert told(*made) == [(said, ["g", "h"])]
    assert told(*made, event("forgotten", "h", 2))[0][1] == ["g"]


def test_to_whom_it_was_handed_out_is_counted_by_sources_and_runs():
    handed = [
        event("recalled", "f", 2, source="bot", run="r1"),
        event("injected", "f", 2, source="bot", run="r1"),
        event("recalled", "f", 31, source="bot", run="r2"),
        event("recalled", "f", 59, source="bob", run="r3"),
        event("corroborated", "f", 59, source="eve", run="r4"),
    ]
    assert told(*handed) == [("It was handed out to 2 sources: in 2 runs in the last 30 days, in 3 runs ever.", [])]
    later = told(*handed[:2], on=400)
    assert later == [("It was handed out to 1 source: in 0 runs in the last 30 days, in 1 run ever.", [])]
