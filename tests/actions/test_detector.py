"""How often the detector was right, by what people decided; and what other thresholds would have come to."""

import json
from itertools import count
from typing import Any

import numpy as np
import pytest
from django.db import transaction

from tests.actions.world import as_file, space_of, taken
from tests.makers import day, edge, fact
from tests.store.restated import pairs
from trustmem.actions import constants, detector, duplicates, facts, finding, opening, undo, verdicts
from trustmem.actions.detector import Outlook, Precision
from trustmem.actions.drafts import Words
from trustmem.core.contradictions import CONTRADICTION, DETECTOR, RULES, UPDATE
from trustmem.core.instants import NEVER
from trustmem.store.cases import CANDIDATE, DUPLICATE
from trustmem.store.duplicates import merges
from trustmem.store.models import Case, Space

pytestmark = pytest.mark.django_db

NOW = day(101)
ANA: dict[str, Any] = {"by": "ana", "now": NOW}
WORDS = Words("So.", "Another claim.", "at other times")
_numbers = count()


def found(count_of: int, rule: str = "word", overlap: float = 0.5, space: Space | None = None, **values: Any) -> Space:
    """A space with so many pairs that a rule found to contradict each other, each of them a case that waits."""
    start = next(_numbers) * 1000
    lines = [fact(f"f{start + place:06}", place % 2) for place in range(2 * count_of)]
    space = space or _alike(space_of())
    taken(space, as_file(lines), NOW - 1)
    names = [line.id for line in lines]
    some = list(zip(names[::2], names[1::2], strict=True))
    pairs(space, *some, finding=CONTRADICTION, rule=rule, overlap=overlap, detector=DETECTOR, **values)
    opened(space)
    return space


def _alike(space: Space) -> Space:
    """A space in which what any rule finds waits from the same overlap on."""
    values = {"candidate_overlap": dict.fromkeys(RULES, 0.3)}
    constants.adopt(space, values, by="ana", now=day(90), reason="")
    return space


def opened(space: Space) -> None:
    with transaction.atomic():
        space.refresh_from_db()
        opening.refold(space)
        opening.write(space, finding.candidates(space, None))


def waiting(space: Space) -> list[Case]:
    return list(Case.objects.filter(space=space, kind=CANDIDATE, stands=True, closed_at=NEVER).order_by("pk"))


def decide(space: Space, *said: str) -> None:
    for verdict, case in zip(said, waiting(space), strict=False):
        verdicts.decide(space, [case.name], verdict, words=WORDS, **ANA)


RIGHT = (
    "keep left",
    "keep right",
    "right updates left",
    "left updates right",
    "write the right one",
    "neither",
)
WRONG = ("both hold", "not a contradiction", "merge")


def test_of_each_verdict_on_a_candidate_it_is_said_whether_the_detector_was_right():
    assert {*RIGHT, *WRONG} == {*verdicts.OFFERED[CANDIDATE]} == {*detector.FINDS[CANDIDATE]}
    assert {*detector.FINDS[DUPLICATE]} == {*verdicts.OFFERED[DUPLICATE]}


@pytest.mark.parametrize("verdict", [*RIGHT, *WRONG])
def test_a_verdict_says_whether_there_was_something_to_decide(verdict):
    space = found(2)
    decide(space, verdict)
    told = (1, 0, 1) if verdict in RIGHT else (0, 1, 1)
    assert detector.precision(space) == [Precision(CANDIDATE, DETECTOR, "word", *told)]


def test_to_merge_a_candidate_is_to_keep_the_older_and_it_is_no_contradiction_any_more():
    space = found(1)
    (case,) = waiting(space)
    act = verdicts.decide(space, [case.name], "merge", **ANA)
    assert merges(space, case.facts)[0][:2] == (case.facts[0], case.facts[1:])
    assert waiting(space) == []
    undo.undo(space, act, **ANA)
    assert [each.name for each in waiting(space)] == [case.name]


def test_what_is_merged_was_right_and_what_is_not_the_same_was_wrong():
    space = space_of(*(fact(name, place) for place, name in enumerate("abcdef")))
    pairs(space, ("a", "b"), ("c", "d"), ("e", "f"), overlap=1.0, detector="7")
    duplicates.merge(space, "a", ["b"], **ANA)
    duplicates.apart(space, ["c", "d"], **ANA)
    assert detector.precision(space) == [Precision(DUPLICATE, "7", "", 1, 1, 0)]
    act = duplicates.merge(space, "e", ["f"], **ANA)
    assert detector.precision(space)[0].right == 2
    undo.undo(space, act, **ANA)
    assert detector.precision(space)[0].right == 1


def test_versions_and_rules_stand_apart_the_newest_first_and_shares_come_with_their_interval():
    space = found(4)
    found(1, "negation", space=space)
    decide(space, "keep left", "keep left", "not a contradiction")
    told = [json.loads(each.factors) for each in waiting(space)]
    assert {each["rule"] for each in told} == {"word", "negation"}
    first, second = detector.precision(space)
    assert (first.rule, first.n, first.waiting) == ("word", 3, 1)
    assert first.share == 2 / 3 and [round(each, 2) for each in first.interval] == [0.21, 0.94]
    assert (second.rule, second.share, second.interval, second.waiting) == ("negation", None, None, 1)
    assert sorted(["9", "10", "2"], key=detector._descending) == ["10", "9", "2"]


def test_what_came_to_rest_by_itself_is_neither_right_nor_wrong_nor_waits():
    space = found(1)
    (case,) = waiting(space)
    older, newer = case.facts
    taken(space, [json.dumps(_edge(newer, older)).encode() + b"\n"], NOW)
    assert detector.precision(space) == []


def _edge(newer: str, older: str) -> dict[str, Any]:
    told = {"type": "edge", "id": "e", "from": newer, "to": older, "relation": "contradicts"}
    return told | {"by": "x", "at": "2026-01-09T00:00:00Z"}


@pytest.mark.parametrize("factors", ["[]", "{}", '{"detector": 1, "rule": "word"}', '{"detector": "", "rule": "word"}'])
def test_what_does_not_say_how_it_was_found_is_not_counted(factors):
    space = found(1)
    Case.objects.filter(space=space).update(factors=factors)
    assert detector.precision(space) == []


# Thresholds


def rule_of(space: Space, name: str) -> detector.Rule:
    return next(each for each in detector.rules(space)[0] if each.name == name)


def test_pairs_are_told_apart_by_what_was_decided_about_them():
    space = found(3, overlap=0.9)
    found(2, overlap=0.2, space=space)
    decide(space, "keep left", "not a contradiction")
    rule = rule_of(space, "word")
    assert (rule.undecided.tolist(), rule.right.tolist(), rule.wrong.tolist()) == ([0.2, 0.2, 0.9], [0.9], [0.9])
    assert [each.name for each in detector.rules(space)[0]] == list(RULES)


def test_a_threshold_says_how_many_would_wait_and_what_it_would_have_come_to():
    rule = detector.Rule("word", *map(np.array, ([0.1, 0.3, 0.3, 0.8], [0.4, 0.9], [0.2, 0.3, 0.35])))
    assert rule.at(0.0) == Outlook(4, 2, 2, 0, 3)
    assert rule.at(0.3) == Outlook(3, 2, 2, 1, 3), "from the threshold on, that included"
    assert rule.at(0.5) == Outlook(1, 1, 2, 3, 3)
    assert rule.at(1.1) == Outlook(0, 0, 2, 3, 3)


def test_the_bins_of_a_histogram_sum_to_what_there_is():
    rule = detector.Rule("word", *map(np.array, ([0.0, 1.0, 0.5], [0.5], [])))
    bins = rule.histogram()
    assert [sum(column) for column in zip(*bins, strict=True)] == [3, 1, 0]
    assert (bins[0], bins[10], bins[-1]) == ((1, 0, 0), (1, 1, 0), (1, 0, 0))


def test_what_is_not_live_or_told_apart_by_an_edge_would_not_wait():
    space = space_of(*(fact(name, place) for place, name in enumerate("abcdef")), edge("b", "updates", "a", 9))
    pairs(space, ("a", "b"), ("c", "d"), ("e", "f"), finding=UPDATE, rule="change", overlap=0.5)
    facts.forget(space, "c", **ANA)
    assert rule_of(space, "change").undecided.tolist() == [0.5]


def test_of_more_pairs_than_are_looked_at_that_is_said(monkeypatch):
    space = found(3)
    monkeypatch.setattr(detector, "MOST_PAIRS", 2)
    rules, is_capped = detector.rules(space)
    assert is_capped and sum(len(each.undecided) for each in rules) == 2


def test_of_an_empty_space_there_is_nothing_to_tell():
    space = space_of()
    assert detector.precision(space) == []
    assert all(rule.at(0) == Outlook(0, 0, 0, 0, 0) for rule in detector.rules(space)[0])
