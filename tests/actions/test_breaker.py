"""A pass that would do more than it may waits for a person; ordinary fading never does."""

import pytest
from django.db import connection

from tests.actions.world import as_file, space_of
from tests.makers import constants, daily, day, edge, event, fact
from trustmem.actions import acts, breaker, consolidation, facts, imports, jobs, kinds, undo
from trustmem.actions.breaker import Moved, judge, moved_by_events
from trustmem.actions.consolidation import BREAKER, approve, ask
from trustmem.actions.errors import Refusal
from trustmem.actions.verify import verify
from trustmem.core.instants import NEVER, span, to_text
from trustmem.core.lines import Pass as Pass_
from trustmem.store.models import Fact, Job, JobState, Line, Pass, Space
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

NOW = day(101)


def faded(number: int, **values):
    """Global facts that the next pass prunes: their weight lies below the floor."""
    return [fact(f"g{each:03}", scope="global", prior=0.01, **values) for each in range(number)]


def living(number: int):
    return [fact(f"l{each:03}", prior=0.7) for each in range(number)]


def contradicted(space: Space, names: list[str], now: int, source: str = "mail") -> str:
    said = [{"type": "event", "kind": "contradicted", "fact": name, "source": source} for name in names]
    return acts.write(space, said, now=now)


def done(space: Space, now: int = NOW, **what: object) -> Job:
    """A pass that was asked for and done by a worker, as far as it went."""
    return worked(ask(space, by="ana", now=now, **what), now)


def worked(job: Job, now: int = NOW) -> Job:
    held = jobs.claim(job.pk, now=now)
    assert held
    kinds.do(held, lambda: now)
    return Job.objects.get(pk=job.pk)


@pytest.mark.parametrize(
    ("pruned", "live", "reasons"), [(20, 60, ()), (21, 60, ("pruned",)), (21, 480, ()), (26, 474, ("pruned",))]
)
def test_a_pass_may_prune_twenty_global_facts_or_one_in_twenty(pruned, live, reasons):
    space = space_of(*faded(pruned), *living(live))
    verdict = judge(space, NOW)
    assert verdict.preview.global_pruned == pruned
    assert verdict.reasons == reasons


def test_session_facts_may_fade_all_at_once():
    space = space_of(*(fact(f"s{number}", prior=0.01) for number in range(60)))
    verdict = judge(space, NOW)
    assert verdict.preview.counts["pruned"] == 60
    assert verdict.reasons == ()


@pytest.mark.parametrize(("moved", "reasons"), [(20, ()), (21, ("moved",))])
def test_events_may_move_twenty_facts_to_another_band(moved, reasons):
    space = space_of(*living(60), passes=daily(1, 1))
    contradicted(space, [f"l{number:03}" for number in range(moved)], day(2))
    verdict = judge(space, day(3))
    assert verdict.moved == Moved(moved, exact=True)
    assert verdict.reasons == reasons


def test_events_may_move_one_fact_in_five():
    space = space_of(*living(120), passes=daily(1, 1))
    contradicted(space, [f"l{number:03}" for number in range(24)], day(2))
    assert judge(space, day(3)).reasons == ()
    contradicted(space, ["l024"], day(2.5))
    assert judge(space, day(3)).reasons == ("moved",)


def test_time_alone_moves_no_fact_that_counts():
    space = space_of(*living(60), passes=daily(1, 1))
    assert moved_by_events(space, day(60)) == Moved(0, exact=True)


def test_facts_that_are_new_have_not_moved():
    space = space_of(*living(5), passes=daily(1, 1))
    acts.write(space, [{"type": "fact", "id": f"n{n}", "text": "New."} for n in range(30)], now=day(2))
    assert moved_by_events(space, day(3)) == Moved(0, exact=True)


def test_facts_that_fall_since_a_newer_claim_came_have_moved():
    space = space_of(*living(3), fact("top"), edge("l001", "updates", "l000"), passes=daily(1, 1))
    acts.write(space, [{"type": "edge", "relation": "updates", "from": "top", "to": "l001"}], now=day(2))
    names = {"l000", "l001"}  # the older one by way of the newer
    assert moved_by_events(space, day(1.2)) == Moved(len(names), exact=True)


def test_facts_that_were_forgotten_have_moved_too():
    space = space_of(*living(60), passes=daily(1, 1))
    contradicted(space, [f"l{number:03}" for number in range(30)], day(2))
    said = [{"type": "event", "kind": "forgotten", "fact": f"l{n:03}", "source": "mail"} for n in range(25)]
    acts.write(space, said, now=day(2.1))
    assert moved_by_events(space, day(3)).facts == 30  # what is forgotten hides nothing
    assert judge(space, day(3)).reasons == ("moved",)


def test_a_pass_that_a_later_file_brings_hides_nothing_that_came_before_it():
    space = space_of(*living(60), passes=daily(1, 1))
    consolidation.consolidate(space, at=day(1.5), by="ana", now=NOW)
    contradicted(space, [f"l{number:03}" for number in range(30)], day(2))
    imports.import_lines(space, as_file([], [Pass_(day(2.5))]), file="more", by="ana", now=NOW)
    assert Pass.objects.filter(instant=day(2.5), void=False).exists()
    assert judge(space, day(3)).reasons == ("moved",)


def test_what_a_person_undid_has_moved_back():
    space = space_of(*living(30), passes=daily(1, 1))
    act = contradicted(space, [f"l{number:03}" for number in range(25)], day(2))
    assert moved_by_events(space, day(3)).facts == 25
    undo.undo(space, act, by="ana", now=day(2.5))
    assert moved_by_events(space, day(3)).facts == 0
    consolidation.consolidate(space, at=day(3), by="ana", now=day(3))
    undo.undo(space, undo_of(space), by="ana", now=day(4))
    assert moved_by_events(space, day(5)).facts == 25


def undo_of(space: Space) -> str:
    return Line.objects.filter(space=space, tag="event.undone").values_list("act", flat=True).get()


def test_constants_that_people_chose_move_no_fact_that_counts():
    space = space_of(*living(30), passes=daily(1, 1))
    changes = {"type": "constants", "version": 2, "values": {"activation_midpoint": 3.0}}
    acts.write(space, [changes], now=day(2))
    assert moved_by_events(space, day(3)) == Moved(0, exact=True)


def test_where_too_much_came_to_be_folded_again_the_facts_that_are_named_bound_what_moved(monkeypatch):
    monkeypatch.setattr(breaker, "_MOST_LINES", 10)
    monkeypatch.setattr(breaker.folding, "_are_many", lambda space, count: count > 3)
    space = space_of(*living(30), passes=daily(1, 1))
    contradicted(space, [f"l{number:03}" for number in range(25)], day(2))
    assert moved_by_events(space, day(3)) == Moved(25, exact=False)
    monkeypatch.setattr(breaker, "_MOST_LINES", 10_000)
    assert moved_by_events(space, day(3)) == Moved(25, exact=True)


# What becomes of the pass


@pytest.fixture
def drastic() -> Space:
    """A space of which a pass would prune thirty global facts."""
    return space_of(*faded(30), *living(60), constants({"max_pass_gap_days": 2}, on=0), passes=daily(-3, -2))


def test_a_pass_that_would_do_too_much_waits_with_what_it_would_do(drastic):
    before = list(Fact.objects.values())
    job = done(drastic)
    assert job.state == JobState.NEEDS_A_PERSON
    assert list(Fact.objects.values()) == before
    verdict = breaker.of_json(kinds.result(job))
    assert verdict.reasons == ("pruned",)
    assert verdict.preview.counts["pruned"] == 30
    assert len([each for each in verdict.preview.fates if "pruned" in each.lists]) == 30
    assert verify(drastic, rebuild=True) == []


def test_the_clock_runs_on_while_a_pass_waits(drastic):
    for number in range(5):
        done(drastic, now=NOW + span(number))
    clocks = list(Pass.objects.filter(instant__gte=NOW).order_by("instant").values_list("clock", "void"))
    assert clocks == [(clocks[0][0] + span(number), True) for number in range(5)]
    [reason] = set(Line.objects.filter(tag="event.undone").values_list("body", flat=True).distinct()[:1])
    assert BREAKER in reason
    assert verify(drastic, rebuild=True) == []


def test_it_runs_on_where_a_line_is_dated_ahead_too():
    space = space_of(*faded(30), *living(60), fact("ahead", 200))
    for number in range(3):
        assert done(space, now=NOW + span(number)).state == JobState.NEEDS_A_PERSON
    clocks = list(Pass.objects.order_by("instant").values_list("clock", "void"))
    assert clocks == [(span(number), True) for number in range(3)]
    assert verify(space, rebuild=True) == []


def test_one_pass_of_a_space_waits_and_later_slots_refresh_it(drastic):
    first = done(drastic, slot=to_text(NOW))
    contradicted(drastic, ["g029"], NOW + 1)
    second = done(drastic, now=NOW + span(1), slot=to_text(NOW + span(1)))
    assert first.pk == second.pk
    assert (second.state, second.slot) == (JobState.NEEDS_A_PERSON, to_text(NOW + span(1)))
    shown = [breaker.of_json(kinds.result(job)).preview for job in (first, second)]
    assert shown[0].instant < shown[1].instant
    assert shown[0].head < shown[1].head
    assert Job.objects.filter(kind=jobs.CONSOLIDATION).count() == 1


def test_a_pass_that_a_person_approves_of_is_taken(drastic):
    job = done(drastic)
    again = approve(drastic, job.pk, head(job), by="ben", now=NOW + 5)
    taken = worked(again, NOW + 10)
    assert (taken.state, taken.by) == (JobState.DONE, "ben")
    assert Pass.objects.get(instant=taken.instant).pruned == 30
    assert Fact.objects.filter(pruned=True).count() == 30
    assert verify(drastic, rebuild=True) == []


def head(job: Job) -> int:
    return breaker.of_json(kinds.result(job)).preview.head


def test_nobody_approves_of_what_was_looked_at_anew_since(drastic):
    job = done(drastic)
    contradicted(drastic, ["l000"], NOW + 1)
    done(drastic, now=NOW + 2)
    with pytest.raises(Refusal, match="looked at anew meanwhile"):
        approve(drastic, job.pk, head(job), by="ben", now=NOW + 5)
    with pytest.raises(Refusal, match="does not wait any more"):
        approve(drastic, job.pk + 1, head(job), by="ben", now=NOW + 5)


@pytest.mark.parametrize(("more", "state"), [(20, JobState.DONE), (21, JobState.NEEDS_A_PERSON)])
def test_beyond_what_was_approved_of_a_pass_may_do_what_any_may(drastic, more, state):
    job = done(drastic)
    again = approve(drastic, job.pk, head(job), by="ben", now=NOW + 5)
    came = [{"type": "fact", "id": f"m{n}", "text": "More.", "scope": "global", "prior": 0.01} for n in range(more)]
    acts.write(drastic, came, now=NOW + 6)
    assert worked(again, NOW + 10).state == state
    assert Fact.objects.filter(pruned=True).count() == (50 if state == JobState.DONE else 0)


def test_approved_are_the_facts_that_were_shown_and_not_how_many_they_are(drastic):
    job = done(drastic)
    again = approve(drastic, job.pk, head(job), by="ben", now=NOW + 5)
    for number in range(30):
        facts.accept(drastic, f"g{number:03}", by="ana", now=NOW + 6)
    others = [{"type": "fact", "id": f"m{n}", "text": "More.", "scope": "global", "prior": 0.01} for n in range(30)]
    acts.write(drastic, others, now=NOW + 7)
    assert worked(again, NOW + 10).state == JobState.NEEDS_A_PERSON


def test_an_agent_that_writes_now_and_then_does_not_keep_a_pass_from_being_approved():
    space = space_of(*living(200), passes=daily(1, 1))
    contradicted(space, [f"l{number:03}" for number in range(60)], day(2))
    job = done(space, day(3))
    assert job.state == JobState.NEEDS_A_PERSON
    again = approve(space, job.pk, head(job), by="ben", now=day(3))
    contradicted(space, ["l100", "l101"], day(3))
    assert worked(again, day(3) + 5).state == JobState.DONE


def test_a_pass_whose_cause_was_undone_is_taken_when_it_is_looked_at_again():
    space = space_of(*living(60), passes=daily(1, 1))
    act = contradicted(space, [f"l{number:03}" for number in range(30)], day(2))
    assert done(space, day(3)).state == JobState.NEEDS_A_PERSON
    undo.undo(space, act, by="ana", now=day(3.5))
    job = done(space, day(4))
    assert job.state == JobState.DONE
    assert (job.error, job.instant > NEVER) == ("", True)
    assert not Pass.objects.get(instant=day(4)).void


def test_a_held_pass_leaves_what_is_new_to_the_next():
    space = space_of(*faded(30), *living(60), passes=[])
    acts.write(space, [{"type": "event", "kind": "restated", "fact": "l000", "source": "crm"}], now=NOW)
    done(space, NOW + 10)
    taken = consolidation.consolidate(space, by="ana", now=NOW + 20)
    assert taken.pruned == 30
    other = space_of(*faded(30), *living(60), name="other")
    acts.write(other, [{"type": "event", "kind": "restated", "fact": "l000", "source": "crm"}], now=NOW)
    consolidation.consolidate(other, by="ana", now=NOW + 20)
    held, undisturbed = (Fact.objects.get(space=each, name="l000") for each in (space, other))
    assert (held.anchor, held.derived) == (undisturbed.anchor, undisturbed.derived)


def test_a_person_takes_a_held_pass_to_have_been(drastic):
    """What the breaker undid can be brought back as any undo: it is a person's word as well."""
    done(drastic)
    before = state_hash(drastic)
    back = undo.undo(drastic, undo_of(drastic), by="ben", now=NOW + 5)
    assert Fact.objects.filter(pruned=True).count() == 30
    undo.undo(drastic, back, by="ben", now=NOW + 6)
    assert state_hash(drastic) == before


def test_nothing_that_was_said_meanwhile_is_taken_unseen(drastic, monkeypatch):
    """Somebody writes between the look and the line of the pass: it is looked at anew."""
    looks = []

    def judged(space, instant, allowed=None):
        verdict = judge(space, instant, {"pruned": Fact.objects.values_list("pk", flat=True), "moved": 30})
        looks.append(instant)
        if len(looks) == 1:
            contradicted(Space.objects.get(pk=space.pk), ["l000"], NOW)
        return verdict

    monkeypatch.setattr(breaker, "judge", judged)
    assert done(drastic, NOW + 5).state == JobState.DONE
    assert len(looks) == 2


def test_where_somebody_always_writes_the_last_look_is_taken_while_they_wait(monkeypatch):
    monkeypatch.setattr(consolidation, "_FEW", 0)
    space, looks = space_of(*living(60), passes=daily(1, 1)), []

    def judged(space, instant, allowed=None):
        verdict = judge(space, instant, allowed)
        looks.append(connection.in_atomic_block)
        if len(looks) == 3:
            contradicted(Space.objects.get(pk=space.pk), [f"l{number:03}" for number in range(30)], day(2))
        elif len(looks) < 3:
            contradicted(Space.objects.get(pk=space.pk), ["l050"], day(2))
        return verdict

    monkeypatch.setattr(breaker, "judge", judged)
    assert done(space, day(3)).state == JobState.NEEDS_A_PERSON
    assert len(looks) == 4


def test_an_event_from_a_source_of_its_own_does_not_stop_a_small_space():
    space = space_of(fact("tea"), event("restated", "tea", 1, source="crm"), passes=daily(1, 2))
    assert done(space).state == JobState.DONE
