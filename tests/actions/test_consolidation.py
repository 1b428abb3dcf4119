"""A pass is taken by a person's or the clock's word, later than all before it, and tells what it did."""

import pytest

from tests.actions.world import LATER, space_of
from tests.makers import constants, daily, day, fact
from trustmem.actions import acts, consolidation, erasing, facts, jobs, kinds, passes, spaces
from trustmem.actions.consolidation import consolidate
from trustmem.actions.errors import Refusal
from trustmem.core.instants import EVER, span, to_text
from trustmem.core.vocabulary import LIVE, PRUNED
from trustmem.store import chain
from trustmem.store.models import Change, Fact, Job, JobState, Line, Pass, Score
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db


def test_a_pass_tells_what_it_did():
    fast = constants({"max_pass_gap_days": 365}, on=0)
    space = space_of(fact("tea"), fact("salt", core=True), fact("plan", weight=0.2), fast)
    first = consolidate(space, by="clock", now=LATER)
    assert (first.instant, first.clock, first.weighed, first.pruned, first.promoted) == (LATER, 0, 3, 0, 1)
    second = consolidate(space, by="clock", now=LATER + day(30) - day(0))
    assert (second.weighed, second.pruned, second.revived, second.deferred) == (3, 2, 0, 0)
    assert Change.objects.filter(space=space, of_pass=second).count() == second.changed
    assert Fact.objects.get(space=space, name="tea").state == PRUNED
    assert chain.verify(space) == []


def test_passes_that_were_taken_equal_those_of_a_file():
    lived = space_of(fact("tea"), fact("milk", on=3), name="lived")
    for each in daily(1, 8):
        consolidate(lived, at=each.at, by="clock", now=LATER)
    read = space_of(fact("tea"), fact("milk", on=3), passes=daily(1, 8), name="read")
    assert state_hash(lived) == state_hash(read)


@pytest.mark.parametrize("at", [day(8.125), day(8), day(2)])
def test_a_pass_at_or_before_the_last_is_refused(at):
    space = space_of(fact("tea"), passes=daily(1, 8))
    reason = f"^a pass at {to_text(at)} is not later than the last one, at {to_text(day(8.125))}$"
    with pytest.raises(Refusal, match=reason.replace("+", r"\+")):
        consolidate(space, at=at, by="ana", now=LATER)
    assert Pass.objects.filter(space=space).count() == 8


def test_no_pass_that_was_taken_folds_what_comes_later():
    space = space_of(fact("tea", weight=0.01), passes=daily(1, 2))
    now = LATER + day(9) - day(0)
    taken = consolidate(space, by="ana", now=now)
    before = list(Change.objects.filter(space=space, of_pass=taken).values_list("fact__name", "after"))
    facts.accept(space, "tea", by="ana", now=LATER)  # by a clock that runs behind
    facts.accept(space, "tea", by="ana", now=now)
    lines = Line.objects.filter(space=space, tag="event.accepted")
    assert [line.arrived > taken.instant for line in lines] == [True, True]
    again = Pass.objects.get(space=space, instant=taken.instant)
    assert list(Change.objects.filter(space=space, of_pass=again).values_list("fact__name", "after")) == before
    assert Fact.objects.get(space=space, name="tea").state == LIVE


def test_a_pass_ahead_of_now_is_refused_since_it_would_hold_up_all_until_then():
    space = space_of(fact("tea"))
    with pytest.raises(Refusal, match=r"^a pass at .* would be ahead of now"):
        consolidate(space, at=LATER + 1, by="ana", now=LATER)
    assert not Pass.objects.exists()


def test_a_pass_cannot_have_the_id_of_a_line():
    space = space_of(fact(to_text(LATER)))
    with pytest.raises(Refusal, match="that is the id of a line"):
        consolidate(space, by="ana", now=LATER)


def test_a_pass_can_follow_those_of_a_file():
    space = space_of(fact("tea"), passes=daily(1, 5))
    assert consolidate(space, by="ana", now=LATER).weighed == 1
    assert Pass.objects.count() == 6


def test_an_empty_space_can_be_consolidated():
    taken = consolidation.consolidate(spaces.create("new"), by="clock", now=LATER)
    assert (taken.weighed, taken.changed) == (0, 0)


# A pass as a job


@pytest.fixture
def in_steps(monkeypatch):
    """Spaces go through a pass in many transactions, however few facts they have."""
    monkeypatch.setattr(consolidation, "_FEW", 0)
    monkeypatch.setattr(passes, "_READ", 2)
    monkeypatch.setattr(passes, "_WRITTEN", 1)


def fading():
    return space_of(*(fact(name, prior=0.01) for name in "abcdef"))


def held(space, now=LATER):
    job = jobs.claim(consolidation.ask(space, by="ana", now=now).pk, now=now)
    assert job
    return job


def stands(job):
    return Job.objects.get(pk=job.pk)


def test_a_job_takes_one_pass_and_tells_what_that_did():
    space = fading()
    job = held(space)
    kinds.do(job, lambda: LATER + 5)
    kept = stands(job)
    assert (kept.state, kept.instant) == (JobState.DONE, LATER + 5)
    assert kinds.result(kept) == {
        "weighed": 6, "changed": 6, "revived": 0, "pruned": 6, "promoted": 0, "deferred": 0
    }  # fmt: skip
    assert Pass.objects.get().instant == kept.instant


@pytest.mark.usefixtures("in_steps")
def test_whoever_holds_a_job_next_goes_on_with_the_pass_that_it_began():
    space = fading()
    job = held(space)
    with pytest.raises(ZeroDivisionError):
        consolidate(
            space,
            by="ana",
            now=LATER,
            begin=lambda instant: jobs.begun(job, instant, now=LATER),
            progress=lambda done, of: 1 / (3 - done),  # killed when three are through
        )
    assert Fact.objects.filter(pruned=True).count() == 2
    again = jobs.claim(job.pk, now=LATER + jobs.LEASE + 1)
    kinds.do(again, lambda: LATER + jobs.LEASE + 2)
    assert (stands(job).state, stands(job).instant) == (JobState.DONE, LATER)
    assert Pass.objects.get().pruned == 6


@pytest.mark.usefixtures("in_steps")
def test_a_pass_that_somebody_else_has_ended_ends_its_job():
    space = fading()
    job = held(space)
    consolidation._begin(space, None, LATER, begin=lambda instant: jobs.begun(job, instant, now=LATER))
    passes.go_on(space)
    kinds.do(jobs.claim(job.pk, now=LATER + jobs.LEASE + 1), lambda: LATER + jobs.LEASE + 2)
    assert kinds.result(stands(job))["pruned"] == 6
    assert Pass.objects.count() == 1


@pytest.mark.usefixtures("in_steps")
def test_a_pass_that_somebody_else_has_ended_amid_its_job_ends_that(monkeypatch):
    job, step = held(fading()), passes._step

    def ended(space, taken, turn, rows, start, through):
        step(space, taken, turn, rows, start, through)
        Pass.objects.filter(pk=taken.pk).update(through=EVER)  # as when all is folded anew
        return False

    monkeypatch.setattr(passes, "_step", ended)
    kinds.do(job, lambda: LATER)
    assert stands(job).state == JobState.DONE


@pytest.mark.usefixtures("in_steps")
def test_whoever_lost_the_job_of_a_pass_writes_no_more_of_it(monkeypatch):
    job = held(fading())
    progress = jobs.progress

    def slow(held_job, done, of, *, now, **stage):
        if done == 3:  # it hung for longer than its lease, and another took over
            Job.objects.filter(pk=job.pk).update(attempt=held_job.attempt + 1)
        progress(held_job, done, of, now=now, **stage)

    monkeypatch.setattr(jobs, "progress", slow)
    with pytest.raises(jobs.Lost):
        kinds.do(job, lambda: LATER)
    # The step at which it found that out was taken back: two are through, and the third is left to the other.
    assert Fact.objects.filter(pruned=True).count() == 2


def test_run_now_pressed_twice_is_one_pass():
    space = fading()
    assert consolidation.ask(space, by="ana", now=LATER).pk == consolidation.ask(space, by="ben", now=LATER).pk
    slot = consolidation.ask(space, by="schedule", now=LATER, slot="2026-04-12T03:00:00Z")
    assert Job.objects.filter(kind=jobs.CONSOLIDATION).count() == 2
    assert consolidation.ask(space, by="schedule", now=LATER, slot=slot.slot).pk == slot.pk


def test_a_pass_after_the_clock_was_put_back_comes_just_after_the_last():
    space = fading()
    first = consolidate(space, by="ana", now=LATER)
    second = consolidate(space, by="ana", now=LATER - span(1 / 24))
    assert (second.instant, second.clock) == (first.instant + 1, first.clock + 1)


def test_a_space_of_few_facts_goes_through_a_pass_whole_or_not_at_all():
    space = fading()
    with pytest.raises(ZeroDivisionError):
        consolidate(space, by="ana", now=LATER, conclude=lambda: 1 / 0)
    assert not Pass.objects.exists()
    assert not Line.objects.filter(space=space, tag="pass").exists()
    assert not Fact.objects.filter(pruned=True).exists()


def test_a_second_pass_at_once_changes_nothing():
    space = fading()
    consolidate(space, by="ana", now=LATER)
    kept, scores = list(Fact.objects.values()), list(Score.objects.values())
    assert consolidate(space, by="ana", now=LATER + 1).changed == 0
    assert (list(Fact.objects.values()), list(Score.objects.values())) == (kept, scores)


def test_why_something_was_to_be_undone_is_kept_no_longer_than_a_fact_that_it_repeats():
    space = fading()
    acts.write(space, [{"type": "fact", "id": "code", "text": "The code is VERMILION."}], now=LATER)
    job = jobs.ask(space, jobs.UNDO, by="ana", now=LATER, act="nothing", reason="The code is VERMILION.")
    kinds.do(jobs.claim(job.pk, now=LATER), lambda: LATER)
    assert stands(job).state == JobState.FAILED
    erasing.erase(space, "code", by="ana", now=LATER, reason="so")
    assert "VERMILION" not in str(stands(job).asked)
