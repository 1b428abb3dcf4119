"""What is due is asked for at its slot, in UTC, once, whoever looks and however often."""

import threading
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from django.db import OperationalError, connection

from tests.actions.world import space_of
from tests.makers import constants, day, fact
from trustmem.actions import jobs, kinds, schedules, spaces
from trustmem.actions.errors import Refusal
from trustmem.actions.schedules import HOUR, Rhythm, change, latest, next_due, tick
from trustmem.core.instants import NEVER, from_datetime, span, to_text
from trustmem.store.models import Job, JobState, Pass, Schedule, Space

pytestmark = pytest.mark.django_db

DAILY = Rhythm(24 * HOUR, 3 * HOUR)
MINUTE = HOUR // 60


def at(text: str) -> int:
    return from_datetime(datetime.fromisoformat(text))


def asked(space: Space, kind: str = jobs.CONSOLIDATION) -> list[str]:
    return list(Job.objects.filter(space=space, kind=kind).order_by("pk").values_list("slot", flat=True))


def work(now: int) -> None:
    """Do what a worker does that is told of all that is due."""
    for pk in jobs.due(now):
        kinds.do(jobs.claim(pk, now=now), lambda: now)


@pytest.fixture
def space(db: None) -> Space:
    return space_of(fact("tea"))


def test_a_slot_is_an_instant_in_utc_at_which_something_is_due():
    now = at("2026-03-09T02:59:00Z")
    assert to_text(latest(DAILY, now)) == "2026-03-08T03:00:00Z"
    assert to_text(next_due(DAILY, now)) == "2026-03-09T03:00:00Z"
    assert to_text(next_due(DAILY, now + MINUTE)) == "2026-03-10T03:00:00Z"
    assert (latest(Rhythm(0), now), next_due(Rhythm(0), now)) == (NEVER, NEVER)


def test_a_space_takes_a_pass_a_day_unless_somebody_says_otherwise(space):
    start = at("2026-05-01T10:00:00Z")
    for hour in range(60):
        tick(start + hour * HOUR)
        work(start + hour * HOUR)
    assert asked(space) == ["2026-05-02T03:00:00Z", "2026-05-03T03:00:00Z"]


def test_each_slot_has_one_job_however_often_it_is_looked_for(space):
    tick(day(100))
    for _ in range(3):
        tick(day(101))
    assert len(asked(space)) == 1


def test_what_was_missed_is_made_up_for_once(space):
    tick(day(100))
    tick(day(130))
    assert asked(space) == [to_text(latest(DAILY, day(130)))]


def test_a_clock_that_is_put_back_asks_for_nothing_again(space):
    tick(day(100))
    tick(day(102))
    tick(day(101))
    tick(day(102))
    assert len(asked(space)) == 1


def test_a_clock_that_was_far_ahead_silences_nothing(space):
    tick(day(100))
    tick(day(4000))
    work(day(4000))
    tick(day(101))
    assert asked(space)[-1] == to_text(latest(DAILY, day(101)))


def test_a_space_that_cannot_be_asked_for_keeps_no_other_from_it(space, monkeypatch):
    other = space_of(fact("tea"), name="other")
    tick(day(100))
    ask = schedules.consolidation.ask

    def failing(of, **what):
        if of == space:
            raise OperationalError("database is locked")
        return ask(of, **what)

    monkeypatch.setattr(schedules.consolidation, "ask", failing)
    tick(day(101))
    assert (len(asked(space)), len(asked(other))) == (0, 1)
    monkeypatch.setattr(schedules.consolidation, "ask", ask)
    tick(day(101))
    assert len(asked(space)) == 1


def test_a_slot_that_was_done_before_the_clock_was_put_back_holds_up_no_pass_that_waits(space):
    done = jobs.claim(jobs.ask(space, jobs.CONSOLIDATION, by="ana", now=day(99), slot="s").pk, now=day(99))
    jobs.finish(done, {}, now=day(99))
    held = jobs.claim(jobs.ask(space, jobs.CONSOLIDATION, by="ana", now=day(99), slot="t").pk, now=day(99))
    jobs.hold(held, {}, now=day(99))
    again = schedules.consolidation.ask(space, by="ana", now=day(100), slot="s")
    assert (again.pk, again.slot) == (held.pk, "t")


def test_nothing_is_due_in_a_space_without_facts():
    space = spaces.create("empty")
    tick(day(100))
    tick(day(103))
    assert asked(space) == []
    assert not Schedule.objects.exists()


def test_another_rhythm_holds_from_now_on(space):
    tick(day(100))
    change(space, jobs.CONSOLIDATION, Rhythm(6 * HOUR, HOUR), by="ana", now=day(100))
    tick(day(100) + MINUTE)
    assert asked(space) == []  # the slots that it would have had before are none of its own
    for hour in range(25):
        tick(day(100) + hour * HOUR)
        work(day(100) + hour * HOUR)
    assert [slot[11:16] for slot in asked(space)] == ["13:00", "19:00", "01:00", "07:00"]
    change(space, jobs.CONSOLIDATION, Rhythm(0), by="ana", now=day(102))
    tick(day(110))
    assert len(asked(space)) == 4
    assert schedules.of(space)[jobs.CONSOLIDATION] == Rhythm(0)
    kept = Schedule.objects.get(space=space, kind=jobs.CONSOLIDATION)
    assert (kept.by, kept.changed_at) == ("ana", day(102))


@pytest.mark.parametrize("rhythm", [Rhythm(5 * HOUR), Rhythm(HOUR, HOUR), Rhythm(HOUR, -1), Rhythm(-1), Rhythm(0, 1)])
def test_a_rhythm_that_is_none_is_refused(space, rhythm):
    with pytest.raises(Refusal, match="one of those offered"):
        change(space, jobs.CONSOLIDATION, rhythm, by="ana", now=day(100))
    with pytest.raises(Refusal, match='there is no schedule for "tea"'):
        change(space, "tea", DAILY, by="ana", now=day(100))


def test_what_no_worker_takes_is_asked_for_once_and_a_pass_at_its_latest_slot(space):
    for number in range(100, 105):
        tick(day(number))
    assert len(asked(space, jobs.REFRESH)) == 1
    assert len(asked(space, jobs.TRENDS)) == 1
    assert asked(space) == [to_text(latest(DAILY, day(104)))]


def test_what_is_asked_for_is_done(space):
    tick(day(100))
    tick(day(101))
    work(day(101))
    found = list(Job.objects.order_by("kind").values_list("kind", "state", "by"))
    due = sorted([*schedules.DEFAULTS, jobs.DETECTION])
    assert found == [(kind, JobState.DONE, schedules.SCHEDULE) for kind in due]


@pytest.mark.parametrize("day_of_change", ["2026-10-24", "2026-03-28"])
def test_case_007_a_day_of_25_or_23_hours_somewhere_has_one_pass(space, day_of_change):
    """A daily pass at 02:30 of Berlin is at 00:30 or 01:30 UTC; slots are UTC, and stay where they are."""
    start = at(f"{day_of_change}T00:00:00Z")
    local = datetime.fromtimestamp(start / 1e6, ZoneInfo("Europe/Berlin")).replace(hour=2, minute=30)
    offset = from_datetime(local) % (24 * HOUR)
    change(space, jobs.CONSOLIDATION, Rhythm(24 * HOUR, offset), by="ana", now=start)
    for minute in range(0, 3 * 24 * 60, 10):
        now = start + minute * MINUTE
        tick(now)
        if minute % 60 == 30:
            work(now)
    slots = asked(space)
    assert len(slots) == len(set(slots)) == 3
    assert Pass.objects.filter(space=space).count() == 3
    assert [instant % (24 * HOUR) // HOUR for instant in Pass.objects.values_list("instant", flat=True)] == [
        offset // HOUR
    ] * 3


@pytest.mark.django_db(transaction=True)
def test_many_who_look_at_once_ask_for_one_job():
    space = space_of(fact("tea"))
    tick(day(100))
    ready, failed = threading.Barrier(4), []

    def look() -> None:
        ready.wait()
        try:
            tick(day(101))
        except Exception as error:  # it would be lost with its thread
            failed.append(error)
        connection.close()

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(asked(space)) == 1


def test_spaces_have_schedules_of_their_own():
    one, other = space_of(fact("tea"), name="one"), space_of(fact("tea"), constants({"min_weight": 0.2}), name="other")
    change(one, jobs.CONSOLIDATION, Rhythm(0), by="ana", now=day(100))
    tick(day(100))
    tick(day(100) + span(2))
    assert (len(asked(one)), len(asked(other))) == (0, 1)
