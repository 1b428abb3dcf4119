"""Facts are checked against those before them: what may be in conflict waits for a person, once, and nothing else
changes."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.actions.test_verdicts import ANA, decide, open_cases
from tests.makers import day
from trustmem.actions import (
    acts,
    constants,
    detection,
    edges,
    erasing,
    exports,
    facts,
    imports,
    jobs,
    kinds,
    schedules,
    spaces,
    undo,
)
from trustmem.actions.finding import RIVALS
from trustmem.actions.verify import verify
from trustmem.core import contradictions
from trustmem.core.constants import Constants, to_json
from trustmem.core.contradictions import DETECTOR
from trustmem.core.instants import span
from trustmem.store import pairs
from trustmem.store.cases import CANDIDATE, kind_of
from trustmem.store.models import Case, Detection, Fact, Job, JobState, Line, Pair, Queued, Score, Space, Touch
from trustmem.store.queue import Filter, groups
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

NOW = day(101)
LIVES = ("Ana lives in Lisbon", "Ana lives in Porto")


def say(space: Space, said: Mapping[str, str | dict[str, Any]], now: int = day(90)) -> str:
    """An agent says these, by name; the act."""
    lines = [
        {"type": "fact", "id": name, "source": "bot"} | ({"text": each} if isinstance(each, str) else each)
        for name, each in said.items()
    ]
    return acts.write(space, lines, now=now)


@pytest.fixture
def space() -> Space:
    space = spaces.create("diary")
    say(space, {"lisbon": LIVES[0], "tea": "The vault is sealed at night"}, day(89))
    say(space, {"porto": LIVES[1]})
    return space


def detect(space: Space, now: int = NOW) -> dict[str, Any]:
    return detection.detect(space, now=now)


def candidates(space: Space) -> list[list[str]]:
    """The candidates that wait, by their facts."""
    queued = Queued.objects.filter(space=space, kind=CANDIDATE).select_related("case").order_by("position")
    return [each.case.facts for each in queued]


def case_lines(space: Space) -> list[list[str]]:
    """The facts of all candidates that were ever opened."""
    lines = Line.objects.filter(space=space, tag="case", name__startswith="case:candidate:").order_by("position")
    return [json.loads(body)["facts"] for body in lines.values_list("body", flat=True)]


def ends(space: Space) -> list[tuple[str, str]]:
    return sorted(Pair.objects.filter(space=space).values_list("older__name", "newer__name"))


def test_a_pair_that_may_be_in_conflict_waits_for_a_person_the_older_claim_first(space):
    detect(space)
    assert candidates(space) == [["lisbon", "porto"]]
    assert [sum(by_rule.values()) for by_rule in pairs.counts(space).values()] == [1]
    case = Case.objects.get(space=space)
    assert (kind_of(case.key), case.facts, case.stands) == (CANDIDATE, ["lisbon", "porto"], True)
    assert verify(space, rebuild=True) == []


def test_a_case_keeps_what_the_detector_found_and_the_facts_as_they_were(space):
    detect(space)
    factors = json.loads(Case.objects.get(space=space).factors)
    (found,) = pairs.in_conflict(space)
    assert factors["detector"] == contradictions.DETECTOR
    assert (factors["finding"], factors["rule"]) == (found.comparison.finding, found.comparison.rule)
    assert factors["overlap"] == found.comparison.overlap == pytest.approx(0.6)
    assert factors["newer"] in (None, "porto")
    assert factors["features"] == found.comparison.features
    assert set(factors["facts"]) == {"lisbon", "porto"}
    assert factors["evidence"] == []


def test_each_pair_has_one_case_however_often_it_is_looked_for(space):
    for _ in range(3):
        detect(space)
        Detection.objects.update(checked_to=0)
    assert case_lines(space) == [["lisbon", "porto"]]
    assert ends(space) == [("lisbon", "porto")]


def test_the_older_claim_is_the_one_that_was_born_first_whenever_it_comes():
    space = spaces.create("diary")
    brought = [
        {"type": "fact", "id": "b", "text": LIVES[1], "at": "2026-02-02T00:00:00Z"},
        {"type": "fact", "id": "c", "text": LIVES[0], "at": "2026-01-01T00:00:00Z"},
    ]
    for each in brought:
        imports.import_lines(space, [json.dumps(each).encode()], file="f", by="ana", now=day(90))
    detect(space)
    assert candidates(space) == [["c", "b"]]


def test_twins_that_come_at_once_are_found_as_well():
    space = spaces.create("diary")
    say(space, {"a": LIVES[0], "b": LIVES[1], "c": "Ana lives in Faro"})
    detect(space)
    assert candidates(space) == [["a", "b"], ["a", "c"], ["b", "c"]]


def test_what_comes_later_is_compared_with_what_was_there_and_that_with_nothing_again(space, monkeypatch):
    detect(space)
    compared = list[set[str]]()

    def compare(
        one: contradictions.Said, other: contradictions.Said, *, cosine: float | None, restatement_jaccard: float
    ) -> contradictions.Comparison:
        compared.append({one.text, other.text})
        return contradictions.compare(one, other)

    monkeypatch.setattr(detection, "compare", compare)
    say(space, {"faro": "Ana lives in Faro"}, day(91))
    detect(space)
    assert candidates(space) == [["lisbon", "porto"], ["lisbon", "faro"], ["porto", "faro"]]
    assert all("Ana lives in Faro" in each for each in compared)


def test_nothing_that_counts_is_moved_by_a_bit_by_what_is_found(space):
    say(space, {"twice": f"{LIVES[0]}!", "slot": {"text": "Porto", "subject": "Ana", "predicate": "lives in"}}, day(92))

    def counted() -> list[Any]:
        return [
            state_hash(space),
            list(Fact.objects.filter(space=space).order_by("pk").values()),
            list(Score.objects.filter(space=space).order_by("pk").values()),
            list(Touch.objects.filter(space=space).values()),
            list(Line.objects.filter(space=space).exclude(tag="case").order_by("position").values()),
        ]

    before = counted()
    detect(space)
    assert candidates(space)
    assert counted() == before
    assert {*Fact.objects.filter(space=space).values_list("r", "s", "evidence")} == {(0, 0, 0)}


def test_texts_that_are_nearly_the_same_are_kept_apart_until_somebody_says_so():
    space, line = spaces.create("diary"), {"type": "entity", "name": "vault", "entityType": "thing"}
    for number, text in enumerate(["The vault is sealed at night.", "The vault is not sealed at night."]):
        told = [json.dumps(line | {"observations": [text]}).encode()]
        imports.import_lines(space, told, file="memory", source="ana", by="ana", now=day(90 + number))
    detect(space)
    assert Fact.objects.filter(space=space).count() == 2
    assert not Touch.objects.filter(space=space).exists()


def test_a_verdict_closes_it_for_good_and_undone_opens_it_again(space):
    detect(space)
    case = Case.objects.get(space=space)
    act = decide(space, [case.name], "both hold", words=_words("In winter the one."), **ANA)
    assert candidates(space) == []
    Detection.objects.all().delete()
    detect(space)
    assert candidates(space) == []
    undo.undo(space, act, by="ana", now=NOW + 1)
    assert candidates(space) == [["lisbon", "porto"]]
    assert case_lines(space) == [["lisbon", "porto"]]
    assert verify(space, rebuild=True) == []


def _words(distinction: str) -> Any:
    from trustmem.actions.drafts import Words

    return Words(distinction=distinction)


@pytest.mark.parametrize("relation", ["updates", "contradicts"])
def test_where_an_edge_says_which_holds_or_that_both_cannot_nothing_waits(space, relation):
    edges.assert_edge(space, "porto", relation, "lisbon", by="ana", now=day(95))
    detect(space)
    assert candidates(space) == []
    edges.withdraw_edge(space, "porto", relation, "lisbon", by="ana", now=day(96))
    assert candidates(space) == [["lisbon", "porto"]]
    edges.assert_edge(space, "porto", relation, "lisbon", by="ana", now=day(97))
    assert candidates(space) == []
    assert verify(space, rebuild=True) == []


def test_while_one_of_both_is_forgotten_nothing_waits(space):
    facts.forget(space, "lisbon", by="ana", now=day(95))
    detect(space)
    assert (candidates(space), ends(space)) == ([], [("lisbon", "porto")])
    facts.restore(space, "lisbon", by="ana", now=day(96))
    assert candidates(space) == [["lisbon", "porto"]]
    facts.forget(space, "porto", by="ana", now=day(97))
    assert candidates(space) == []
    assert verify(space, rebuild=True) == []


def test_what_an_undo_takes_out_and_brings_back_is_checked_anew(space):
    act = say(space, {"faro": "Ana lives in Faro"}, day(92))
    detect(space)
    taken_out = undo.undo(space, act, by="ana", now=day(93))
    assert ends(space) == [("lisbon", "porto")]
    undo.undo(space, taken_out, by="ana", now=day(94))
    assert pairs.unchecked(space).count() == 1
    detect(space)
    assert candidates(space) == [["lisbon", "porto"], ["lisbon", "faro"], ["porto", "faro"]]
    assert len(case_lines(space)) == 3


def test_of_an_erased_fact_no_word_stays_in_what_was_found():
    space = spaces.create("diary")
    say(space, {"a": "Ana's code word is periwinkle", "b": "Ana's code word is marigold"})
    detect(space)
    assert candidates(space) == [["a", "b"]]
    erasing.erase(space, "b", by="ana", now=NOW, reason="")
    assert candidates(space) == []
    assert ends(space) == []
    told = [*Pair.objects.values_list("features", flat=True), *Case.objects.values_list("factors", flat=True)]
    assert not any("marigold" in each or "periwinkle" in each for each in told)
    Detection.objects.all().delete()
    detect(space)
    assert ends(space) == []


def test_what_is_erased_while_it_is_compared_leaves_nothing(space, monkeypatch):
    _between(monkeypatch, lambda: erasing.erase(space, "porto", by="ana", now=NOW, reason=""))
    detect(Space.objects.get(pk=space.pk))
    assert (ends(space), case_lines(space)) == ([], [])


def test_what_is_forgotten_while_it_is_compared_does_not_wait(space, monkeypatch):
    _between(monkeypatch, lambda: facts.forget(space, "porto", by="ana", now=NOW))
    detect(Space.objects.get(pk=space.pk))
    assert (ends(space), case_lines(space)) == ([("lisbon", "porto")], [])


def test_two_that_check_one_space_side_by_side_come_to_what_one_comes_to(space, monkeypatch):
    monkeypatch.setattr(detection, "STEP", 2)
    _between(monkeypatch, lambda: detect(Space.objects.get(pk=space.pk)))
    detect(space)
    assert (ends(space), case_lines(space)) == ([("lisbon", "porto")], [["lisbon", "porto"]])
    assert pairs.standing(space).is_through


def _between(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Something happens once, between comparing and writing."""
    right, done = detection._compared, list[bool]()

    def compared(*asked: Any) -> Any:
        found = right(*asked)
        if not done:
            done.append(True)
            happens()
        return found

    monkeypatch.setattr(detection, "_compared", compared)


def adopt(space: Space, now: int = NOW, **overlaps: float) -> None:
    values = to_json(Constants())["candidate_overlap"] | overlaps
    constants.adopt(space, {"candidate_overlap": values}, by="ana", now=now, reason="")


def test_other_thresholds_take_what_is_no_candidate_out_of_the_queue_and_bring_in_what_is_one(space):
    detect(space)
    (found,) = pairs.in_conflict(space)
    adopt(space, **{found.comparison.rule: 0.9})
    assert candidates(space) == []
    say(space, {"faro": "Ana lives in Faro"}, NOW + 1)
    detect(space)
    assert (candidates(space), len(case_lines(space))) == ([], 1)
    adopt(space, NOW + 2)
    assert sorted(candidates(space)) == [["lisbon", "faro"], ["lisbon", "porto"], ["porto", "faro"]]
    assert verify(space, rebuild=True) == []


def test_another_version_of_the_detector_checks_all_anew_in_place_of_the_one_before(space, monkeypatch):
    say(space, {"faro": "Ana lives in Faro"}, day(92))
    detect(space)

    def compare(
        one: contradictions.Said, other: contradictions.Said, *, cosine: float | None, restatement_jaccard: float
    ) -> contradictions.Comparison:
        is_far = "Faro" in one.text + other.text
        return contradictions.Comparison(
            *(("none", "") if is_far else ("update", "change")), 0.6, None if is_far else 1, {}
        )

    for module in (detection, pairs):
        monkeypatch.setattr(module, "DETECTOR", "test")
    monkeypatch.setattr(detection, "compare", compare)
    assert pairs.unchecked(space).count() == 4
    detect(space)
    rows = Pair.objects.filter(space=space, finding__in=pairs.IN_CONFLICT).values_list(
        "older__name", "rule", "detector"
    )
    assert [each for each in rows if each[0] == "lisbon"] == [("lisbon", "change", "test")]
    assert ["lisbon", "porto"] in candidates(space)
    assert not any("faro" in each for each in candidates(space))
    assert len(case_lines(space)) >= 3
    assert verify(space, rebuild=True) == []


def test_another_overlap_that_restatements_ask_for_has_all_checked_anew():
    space = spaces.create("diary")
    say(space, {"a": "Ana likes green tea and cake", "b": "Ana likes green tea and the cake"})
    detect(space)
    before = pairs.counts(space)
    assert before["restatement"] == {"": 1}
    constants.adopt(space, {"restatement_jaccard": 0.99}, by="ana", now=NOW, reason="")
    assert pairs.unchecked(space).count() == 2
    detect(space, NOW + 1)
    assert not pairs.unchecked(space).exists()
    assert pairs.counts(space).get("restatement", {}) == {}
    constants.adopt(space, {"restatement_jaccard": 0.6}, by="ana", now=NOW + 2, reason="")
    detect(space, NOW + 3)
    assert pairs.counts(space) == before


def test_a_space_that_is_made_again_from_its_export_knows_what_was_decided(space):
    say(space, {"faro": "Ana lives in Faro"}, day(92))
    detect(space)
    (case,) = Case.objects.filter(space=space, facts=["lisbon", "porto"])
    decide(space, [case.name], "both hold", words=_words("In winter the one."), **ANA)
    right, exported = state_hash(space), list(exports.export(space))
    Space.objects.filter(pk=space.pk).update(name="gone")  # as in another database
    again = spaces.create("again")
    imports.import_lines(again, exported, file="export", by="ana", now=NOW + 1)
    assert state_hash(again) == right
    # What nobody has found here waits for nobody.
    assert candidates(again) == []
    detect(again, NOW + 2)
    assert sorted(candidates(again)) == [["lisbon", "faro"], ["porto", "faro"]]
    assert state_hash(again) == right
    assert len(case_lines(again)) == 3
    assert verify(again, rebuild=True) == []


def test_a_candidate_that_a_file_makes_up_waits_for_nobody(space):
    detect(space)
    name = Case.objects.get(space=space).name
    forged = [
        {"type": "case", "id": f"{name[:-1]}7", "kind": "candidate", "facts": ["lisbon", "porto"]},
        {"type": "case", "id": "case:candidate:0123456789abcdef:1", "kind": "candidate", "facts": ["lisbon", "tea"]},
        {"type": "event", "kind": "closed", "of": name, "verdict": "both hold", "source": "ana", "tier": "human"},
        {"type": "event", "kind": "closed", "of": f"{name[:-1]}7", "verdict": "both hold", "source": "ana"},
    ]
    raw = [json.dumps(each | {"at": "2026-01-01T00:00:00Z"}).encode() for each in forged]
    imports.import_lines(space, raw, file="f", by="ana", now=NOW + 1)
    assert open_cases(space) == [["lisbon", "porto"]]
    assert Queued.objects.get(space=space).case.name == name
    assert verify(space, rebuild=True) == []


def test_in_bulk_the_same_is_found_as_one_by_one(monkeypatch):
    said = {f"f{number}": f"Agent {number % 7} keeps its notes in box {number % 5}" for number in range(40)}
    told = []
    for many in (10**9, 5):
        monkeypatch.setattr(detection, "_MANY", many)
        monkeypatch.setattr(detection, "STEP", 7)
        space = spaces.create(f"at {many}")
        say(space, said)
        detect(space)
        told.append((ends(space), case_lines(space)))
    assert told[0] == told[1]
    assert len(told[0][0]) > 40


def test_much_that_is_found_is_written_in_parts(monkeypatch):
    monkeypatch.setattr(detection, "_PAIRS", 5)
    space, positions = spaces.create("diary"), set[int]()
    say(space, {f"f{number}": f"Ana lives in place{number}" for number in range(8)})
    right = detection._write

    def write(space: Space, *rest: Any) -> bool:
        written = right(space, *rest)
        positions.add(space.head_position)
        return written

    monkeypatch.setattr(detection, "_write", write)
    detect(space)
    assert len(positions) > 3
    # The last two came to more than can be rivals: of each the first alone waits.
    assert (Pair.objects.count(), len(case_lines(space))) == (8 * 7 / 2, 6 * 5 / 2 + 2)


def test_of_many_that_one_source_says_much_alike_each_waits_once_and_all_are_shown_as_one():
    space = spaces.create("diary")
    say(space, {f"f{number:02}": f"Ana has {number + 10} cats in the house by the sea" for number in range(60)})
    detect(space)
    assert len(case_lines(space)) <= 60 + RIVALS * RIVALS
    assert [(each.kind, each.source) for each in groups(space, Filter())] == [("candidate", "bot")]


def test_an_overlap_that_is_adopted_while_facts_are_compared_has_them_compared_again(monkeypatch):
    space = spaces.create("diary")
    say(space, {"a": "The harbour opens at six in the morning.", "b": "The harbour, opens at six, in the morning!"})
    right = detection._compared

    def compared(*given: Any) -> Any:
        found = right(*given)
        monkeypatch.setattr(detection, "_compared", right)
        constants.adopt(space, {"restatement_jaccard": 0.99}, by="ana", now=NOW, reason="")
        return found

    monkeypatch.setattr(detection, "_compared", compared)
    detect(space)
    (detected,) = Detection.objects.all()
    assert detected.detector.endswith("(0.99)")
    assert set(Pair.objects.values_list("detector", flat=True)) <= {DETECTOR}


# The job


def tick(now: int = NOW) -> list[Job]:
    schedules.tick(now)
    return list(Job.objects.filter(kind=jobs.DETECTION).order_by("pk"))


def worked(job: Job, now: int = NOW) -> Job:
    held = jobs.claim(job.pk, now=now)
    assert held
    kinds.do(held, lambda: now)
    return Job.objects.get(pk=job.pk)


def test_a_space_with_unchecked_facts_is_checked_by_a_job_and_then_left_alone(space):
    (job,) = tick()
    assert (job.by, job.space) == (schedules.SCHEDULE, space)
    assert tick() == [job]
    done = worked(job)
    assert done.state == JobState.DONE
    result = json.loads(done.result)
    assert (result["detector"], result["upto"]) == (contradictions.DETECTOR, Fact.objects.latest("pk").pk)
    assert candidates(space) == [["lisbon", "porto"]]
    assert tick(NOW + span(1)) == [done]
    say(space, {"faro": "Ana lives in Faro"}, NOW + span(2))
    (again,) = tick(NOW + span(2))
    assert again.pk != done.pk
    worked(again, NOW + span(2))
    assert len(candidates(space)) == 3


def test_what_failed_is_asked_for_again_after_an_hour(space):
    (job,) = tick()
    held = jobs.claim(job.pk, now=NOW)
    assert held
    jobs.fail(held, "So.", now=NOW)
    assert len(tick(NOW + span(0.01))) == 1
    assert len(tick(NOW + span(0.05))) == 2


def test_erased_facts_are_nothing_to_check(space):
    detect(space)
    say(space, {"code": "The code is 1234"}, day(92))
    erasing.erase(space, "code", by="ana", now=NOW, reason="")
    assert tick(NOW + 1) == []


def test_whoever_has_lost_the_job_stops(space):
    (job,) = tick()
    held = jobs.claim(job.pk, now=NOW)
    assert held
    other = jobs.claim(job.pk, now=NOW + jobs.LEASE + 1)
    assert other
    with pytest.raises(jobs.Lost):
        kinds.do(held, lambda: NOW + jobs.LEASE + 1)
    assert case_lines(space) == []
    kinds.do(other, lambda: NOW + jobs.LEASE + 2)
    assert candidates(space) == [["lisbon", "porto"]]


def test_a_job_says_how_far_it_is(space, monkeypatch):
    monkeypatch.setattr(detection, "STEP", 1)
    told = list[tuple[int, int]]()
    detection.detect(space, now=NOW, progress=lambda done, of: told.append((done, of)))
    assert told == [(0, 3), (1, 3), (2, 3)]
    assert pairs.standing(space)[:3] == (3, 3, contradictions.DETECTOR)
