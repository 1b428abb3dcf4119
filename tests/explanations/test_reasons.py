"""Why each factor is what it is: in words that are true, and the arithmetic apart from them."""

import pytest

from tests.explanations.asked import memory
from tests.makers import constants, day, event, fact
from trustmem.core.lines import Baseline
from trustmem.explanations.explanation import explanation


def why(*lines, now=9):
    told = explanation(memory(*lines, now=day(now)), "f")["why"]
    return {each["factor"]: each for each in told}


def test_a_sentence_is_its_words_and_its_arithmetic():
    told = why(fact("f"), event("corroborated", "f", source="crm"))
    for factor in ("confidence", "freshness"):
        assert told[factor]["because"] == f"{told[factor]['words']}: {told[factor]['arithmetic']}"
    assert told["confidence"]["words"] == "1 source for, none against"
    assert told["confidence"]["arithmetic"] == "(1 + 0.60·2) / (1 + 0 + 2)"
    assert told["provenance"]["arithmetic"] == told["supersession"]["arithmetic"] == ""


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "no source beside its own birth speaks for it, none against"),
        ([event("restated", "f", run="r", source="ana")], "no source beside its own birth speaks for it "
         "(evidence in 1 run), none against"),
        ([event("restated", "f", run="q", source="ana")], "1 source for, none against"),
        ([event("contradicted", "f", source="crm")], "no source beside its own birth speaks for it, 1 source against"),
        ([constants({"runs_per_source": 3})], "no independent run beside its own birth speaks for it, none against"),
    ],
)  # fmt: skip
def test_who_wrote_a_fact_does_not_speak_for_it_by_that(lines, words):
    assert why(fact("f", run="r", source="ana"), *lines)["confidence"]["words"] == words


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([fact("f")], "born 9 days ago, confirmed by nobody since, no uses"),
        ([fact("f"), event("recalled", "f")], "born 9 days ago, confirmed by nobody since, 1 use (without use 0.76)"),
        ([fact("f"), event("restated", "f", 5)], "last confirmed 4 days ago, no uses"),
        ([fact("f"), event("corroborated", "f", 0, source="crm")], "last confirmed 9 days ago, no uses"),
        ([fact("f", 5), event("corroborated", "f", 2, source="crm")], "last confirmed 7 days ago, no uses"),
        (
            [fact("f", at_known=False), event("recalled", "f")],
            "confirmed at no known instant, 1 use (without use 0.50)",
        ),
        (
            [fact("f", baseline=Baseline(reinforcements=2)), event("restated", "f", 5)],
            "last confirmed 4 days ago; a total of 2 reinforcements from before, the first 9 days ago, no uses",
        ),
    ],
)
def test_birth_is_no_confirmation(lines, words):
    assert why(*lines)["freshness"]["words"] == words
