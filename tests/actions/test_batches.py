"""Many at once: cases decided alike or facts forgotten, in one act with one undo; what is not as it was shown is left
out and counted."""

import json
from dataclasses import asdict

import pytest

from tests.actions.test_verdicts import ANA, NOW, facts_of, is_disputed, open_cases, state
from tests.actions.world import as_file, signed, space_of, taken
from tests.makers import edge, event, fact
from trustmem.actions import acts, batches, erasing, facts, handouts, jobs, kinds, undo, verdicts
from trustmem.actions.batches import Batch
from trustmem.actions.errors import Refusal
from trustmem.actions.verdicts import decide, decide_all
from trustmem.actions.verify import verify
from trustmem.core.vocabulary import ERASED, FORGOTTEN, LIVE
from trustmem.store import queue
from trustmem.store.cases import CHALLENGE, CONTRADICTION
from trustmem.store.lists import Filter as FactFilter
from trustmem.store.models import Case, Edge, Fact, Job, JobState, Line, Space
from trustmem.store.queue import Filter
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

PAIRS = 9
ALL = Filter(CONTRADICTION)


@pytest.fixture
def space() -> Space:
    """Pairs that contradict each other, as two bots say, the newer claim of each by one of these; and an objection."""
    lines = [fact("tea", tier="human"), event("contradicted", "tea", 7, source="bot-0", id="against")]
    for number in range(PAIRS):
        bot = f"bot-{number % 2}"
        lines += [fact(f"old{number}", source="crm"), fact(f"new{number}", 1, source=bot)]
        lines.append(edge(f"new{number}", "contradicts", f"old{number}", 2, by=bot, id=f"e{number}"))
    return space_of(*lines)


def decided(space: Space, verdict: str, filter: Filter = ALL, **given: int) -> Batch:
    space.refresh_from_db()
    told = {"seen": space.head_position, "shown": len(queue.keys(space, filter))} | given
    return decide_all(space, filter, verdict, **told, **ANA)


def states(space: Space, beginning: str) -> list[int]:
    found = Fact.objects.filter(space=space, name__startswith=beginning).order_by("name")
    return list(found.values_list("state", flat=True))


def test_all_cases_of_a_kind_are_decided_in_one_act(space):
    batch = decided(space, "keep left")
    assert batch == Batch(batch.act, done=PAIRS)
    assert open_cases(space) == [["tea"]]
    assert states(space, "old") == [LIVE] * PAIRS
    assert states(space, "new") == [FORGOTTEN] * PAIRS
    assert {*Line.objects.filter(space=space, tag="event.closed").values_list("act", flat=True)} == {batch.act}
    assert verify(space, rebuild=True) == []


def test_one_undo_brings_all_of_it_back(space):
    before, waited = state_hash(space), open_cases(space)
    batch = decided(space, "neither")
    undo.undo(space, batch.act, by="ana", now=NOW + 1)
    assert open_cases(space) == waited
    assert state_hash(space) == before
    assert verify(space, rebuild=True) == []


def test_it_comes_to_the_same_as_deciding_each(space):
    one_by_one = space_of(*facts_of("a", "b", "c", "d"), *_against(("b", "a"), ("d", "c")), name="one by one")
    at_once = space_of(*facts_of("a", "b", "c", "d"), *_against(("b", "a"), ("d", "c")), name="at once")
    for verdict in verdicts.of_many(CONTRADICTION):
        mine = decide(one_by_one, [each.name for each in Case.objects.filter(space=one_by_one)], verdict, **ANA)
        theirs = decided(at_once, verdict).act
        assert _told(one_by_one, mine) == _told(at_once, theirs)
        for each, act in ((one_by_one, mine), (at_once, theirs)):
            undo.undo(each, act, **ANA)


def _against(*pairs: tuple[str, str]) -> list[object]:
    return [edge(newer, "contradicts", older, 6, by=f"bot-{newer}", id=f"{newer}-{older}") for newer, older in pairs]


def _told(space: Space, act: str) -> list[tuple[str, str]]:
    """The lines of an act but for what hangs on the space's own key and on the order of the cases."""
    lines = Line.objects.filter(space=space, act=act).exclude(tag__in=("tombstone", "event.closed"))
    return sorted(lines.values_list("tag", "body"))


def test_only_what_the_filter_asks_for_is_decided(space):
    assert decided(space, "keep left", Filter(CONTRADICTION, "bot-1")).done == PAIRS // 2
    assert len(open_cases(space)) == PAIRS - PAIRS // 2 + 1


def test_what_came_since_somebody_began_is_left_alone(space):
    began = space.head_position
    lines = [fact("late", 3), fact("later", 4), edge("later", "contradicts", "late", 5, by="bot-0")]
    taken(space, as_file(lines), NOW)
    assert decided(space, "keep left", Filter(CONTRADICTION, upto=began)).done == PAIRS
    assert ["late", "later"] in open_cases(space)


def test_what_others_decided_or_said_meanwhile_is_left_out_and_counted(space):
    space.refresh_from_db()
    seen = space.head_position
    first, second, third, *_ = Case.objects.filter(space=space, key__contains="contradiction").order_by("position")
    decide(space, [first.name, second.name], "keep right", by="ben", now=NOW)
    facts.accept(space, third.facts[0], by="ben", now=NOW)
    acts.write(space, [{"type": "event", "kind": "recalled", "fact": "old8", "source": "x"}], now=NOW)
    batch = decided(space, "neither", seen=seen, shown=PAIRS)
    assert batch == Batch(batch.act, done=PAIRS - 3, gone=2, changed=1)
    assert sorted(open_cases(space)) == sorted([["tea"], third.facts])
    assert state(space, first.facts[1]) == LIVE
    assert verify(space, rebuild=True) == []


def test_what_somebody_undid_meanwhile_has_changed(space):
    accepted = facts.accept(space, "old3", **ANA)
    space.refresh_from_db()
    seen = space.head_position
    undo.undo(space, accepted, by="ben", now=NOW + 1)
    assert decided(space, "keep left", seen=seen, shown=PAIRS).changed == 1
    assert ["old3", "new3"] in open_cases(space)


def test_who_has_a_case_in_hand_hears_who_decided_it(space):
    case = handouts.hand_out(space, ALL, by="ben", now=NOW)
    decided(space, "keep left")
    with pytest.raises(verdicts.Decided) as refused:
        decide(space, [case.name], "keep right", by="ben", now=NOW + 1)
    assert refused.value.closing.by == "ana"


def test_cases_that_share_a_fact_are_decided_as_one_after_the_other():
    space = space_of(*facts_of("a", "b", "c"), *_against(("b", "a"), ("c", "b"), ("c", "a")))
    assert decided(space, "keep left").done == 3
    assert [state(space, name) for name in "abc"] == [LIVE, FORGOTTEN, FORGOTTEN]
    assert len(Line.objects.filter(space=space, tag="event.forgotten")) == 2  # each once
    assert not is_disputed(space, "a")
    assert verify(space, rebuild=True) == []


def test_what_an_act_forgets_is_not_kept_by_it_and_what_it_would_be_kept_for_stays():
    """Or of a, b and c only a would be left, though nobody says that a and c contradict each other."""
    space = space_of(*facts_of("a", "b", "c"), *_against(("b", "a"), ("c", "b")), *_served("a"))
    batch = decided(space, "keep left")
    assert (batch.done, batch.refused) == (1, 1)
    assert [state(space, name) for name in "abc"] == [LIVE, FORGOTTEN, LIVE]
    assert open_cases(space) == []
    assert verify(space, rebuild=True) == []


def _served(name: str) -> list[object]:
    """So that what is about it comes first."""
    return [event("recalled", name, 100, source="x", run=f"r{number}") for number in range(9)]


def test_of_those_that_would_close_a_circle_together_one_is_left_out():
    """Each of the two updates alone would close none: there is an older edge from c to a."""
    lines = [*facts_of("a", "b", "c"), edge("a", "updates", "c", 5, by="x")]
    space = space_of(*lines, *_against(("b", "a"), ("c", "b")))
    batch = decided(space, "right updates left")
    assert (batch.done, batch.refused) == (1, 1)
    assert len(open_cases(space)) == 1
    assert not Edge.objects.filter(space=space, on_cycle=True).exists()
    assert verify(space, rebuild=True) == []


def test_objections_are_dismissed_together(space):
    assert decided(space, "dismiss", Filter(CHALLENGE)).done == 1
    assert Fact.objects.get(space=space, name="tea").s == 0


def test_against_signed_facts_the_act_carries_its_rulings():
    space = signed(space_of(), *facts_of("a", "b", "c", "d"), *_against(("b", "a"), ("d", "c")))
    batch = decided(space, "neither")
    assert [state(space, name) for name in "abcd"] == [FORGOTTEN] * 4
    assert Line.objects.filter(space=space, act=batch.act, tag="event.upheld").count() == 4


@pytest.mark.parametrize("verdict", ["both hold", "write the right one", "uphold", "anything"])
def test_what_is_no_verdict_on_many_is_refused(space, verdict):
    with pytest.raises(Refusal, match="cannot be said of all"):
        decided(space, verdict)


def test_without_a_kind_nothing_is_decided_alike(space):
    with pytest.raises(Refusal, match="cannot be said of all"):
        decided(space, "keep left", Filter())


def test_where_nothing_is_left_that_is_said_and_nothing_is_written(space):
    decided(space, "keep left")
    space.refresh_from_db()
    head = space.head_position
    with pytest.raises(Refusal, match="look again"):
        decided(space, "keep left", shown=PAIRS)
    space.refresh_from_db()
    assert space.head_position == head


def test_of_too_many_the_most_consequential_are_decided(space, monkeypatch):
    monkeypatch.setattr(batches, "MOST", 4)
    top = [row.case.facts for row in queue.at(queue.keys(space, ALL)[:4])]
    assert decided(space, "keep left") == Batch(Line.objects.filter(tag="event.closed").last().act, done=4)
    assert all(each not in open_cases(space) for each in top)


# Facts


def forgotten(space: Space, filter: FactFilter, **given: int) -> Batch:
    space.refresh_from_db()
    keys = facts.forgettable(space, filter)
    told = {"seen": space.head_position, "shown": len(keys)} | given
    return facts.forget_all(space, keys, **told, **ANA)


def test_all_facts_of_a_list_are_forgotten_in_one_act_and_one_undo_brings_them_back(space):
    before = state_hash(space)
    batch = forgotten(space, FactFilter(source="bot-1"))
    assert batch == Batch(batch.act, done=PAIRS // 2)
    gone = Fact.objects.filter(space=space, state=FORGOTTEN).values_list("source", flat=True)
    assert set(gone) == {"bot-1"}
    undo.undo(space, batch.act, by="ana", now=NOW + 1)
    assert state_hash(space) == before
    assert verify(space, rebuild=True) == []


def test_what_they_claim_is_kept_out(space):
    forgotten(space, FactFilter(source="bot-1"))
    again = {"type": "fact", "id": "once-more", "text": "What new1 says.", "at": "2026-03-01T00:00:00Z"}
    taken(space, [json.dumps(again).encode() + b"\n"], NOW)
    assert not Fact.objects.filter(space=space, name="once-more").exists()


def test_facts_that_came_or_changed_since_are_left_alone(space):
    space.refresh_from_db()
    seen = space.head_position
    facts.accept(space, "new1", by="ben", now=NOW)
    facts.forget(space, "new3", by="ben", now=NOW)
    taken(space, as_file([fact("fresh", 9, source="bot-1")]), NOW)
    batch = forgotten(space, FactFilter(source="bot-1"), seen=seen, shown=PAIRS // 2)
    assert batch == Batch(batch.act, done=2, gone=1, changed=1)
    assert [state(space, name) for name in ("new1", "fresh")] == [LIVE, LIVE]


def test_what_is_forgotten_or_erased_already_is_none_of_them(space):
    facts.forget(space, "new1", **ANA)
    erasing.erase(space, "new3", by="ana", now=NOW, reason="Asked for.")
    assert forgotten(space, FactFilter(source="bot-1", state=None)).done == PAIRS // 2 - 2
    assert state(space, "new3") == ERASED
    assert facts.forgettable(space, FactFilter(source="bot-1", state="forgotten")) == []


def test_where_one_would_stay_for_what_is_dated_ahead_none_is_forgotten(space):
    facts.forget(space, "new3", **ANA)
    facts.restore(space, "new3", by="ben", now=NOW + 100)
    with pytest.raises(Refusal, match='the fact "new3" is dated later'):
        forgotten(space, FactFilter(source="bot-1"))
    assert state(space, "new1") == LIVE


def test_signed_facts_are_forgotten_with_the_rulings_by_which_that_holds():
    space = signed(space_of(), *facts_of("a", "b"))
    forgotten(space, FactFilter(tier="signed"))
    assert [state(space, name) for name in "ab"] == [FORGOTTEN, FORGOTTEN]


# By a worker


def worked(space: Space, **asked: object) -> Job:
    job = jobs.claim(jobs.ask(space, jobs.DECISION, by="ana", now=NOW, back="/", **asked).pk, now=NOW)
    kinds.do(job, lambda: NOW)
    return Job.objects.get(pk=job.pk)


def test_a_worker_decides_them_and_tells_what_was_left_out(space):
    space.refresh_from_db()
    told = {"seen": space.head_position, "shown": PAIRS + 2, "reason": "All of it is noise."}
    asked = {"kind": CONTRADICTION, "source": None, "upto": None}
    job = worked(space, of="cases", filter=asked, verdict="keep left", **told)
    assert job.state == JobState.DONE
    batch = Batch(**kinds.result(job))
    assert (batch.done, batch.gone) == (PAIRS, 2)
    assert "noise" not in str(job.asked)  # it stands in the lines, where erasing finds it
    undo.undo(space, batch.act, by="ana", now=NOW + 1)
    assert len(open_cases(space)) == PAIRS + 1


def test_a_worker_forgets_facts(space):
    space.refresh_from_db()
    told = {"seen": space.head_position, "shown": PAIRS // 2, "reason": ""}
    job = worked(space, of="facts", filter=asdict(FactFilter(source="bot-1")), **told)
    assert Batch(**kinds.result(job)).done == PAIRS // 2
    assert states(space, "new").count(FORGOTTEN) == PAIRS // 2


def test_where_nothing_is_left_the_job_says_so(space):
    asked = {"kind": CONTRADICTION, "source": "nobody", "upto": None}
    job = worked(space, of="cases", filter=asked, verdict="keep left", seen=10**6, shown=0, reason="")
    assert (job.state, job.error) == (JobState.FAILED, "nothing of it is left as it was shown: look again")


def test_an_act_that_wrote_much_is_large_and_so_is_its_undo(space, monkeypatch):
    monkeypatch.setattr(undo, "_MANY", 5)
    batch, small = decided(space, "not a contradiction"), facts.accept(space, "tea", **ANA)
    undone = undo.undo(space, batch.act, by="ana", now=NOW + 1)
    assert [undo.is_large(space, act) for act in (batch.act, undone, small, "act:none")] == [True, True, False, False]
