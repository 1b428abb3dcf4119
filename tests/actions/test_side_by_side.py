"""On PostgreSQL, whoever holds one space for long holds up those who write to that space, and nobody else."""

import threading
from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from tests.actions.world import space_of
from tests.makers import day, fact
from trustmem.actions import acts, jobs, kinds, schedules
from trustmem.actions.schedules import HOUR, Rhythm
from trustmem.store import chain
from trustmem.store.models import Job, JobState, Space

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def held() -> Iterator[Space]:
    """A space that somebody holds."""
    space, begun, end = space_of(fact("tea"), name="held"), threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            chain.lock(Space.objects.get(pk=space.pk))
            begun.set()
            end.wait(60)
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    begun.wait(60)
    yield space
    end.set()
    thread.join()


def test_jobs_of_another_space_are_held_and_done(held: Space) -> None:
    other = space_of(fact("tea"), name="other")
    first = jobs.ask(held, jobs.CONSOLIDATION, by="ana", now=day(100))
    second = jobs.ask(other, jobs.CONSOLIDATION, by="ana", now=day(100))
    assert jobs.claim(first.pk, now=day(100))
    kinds.do(jobs.claim(second.pk, now=day(100)), lambda: day(101))
    assert Job.objects.get(pk=second.pk).state == JobState.DONE


def test_what_is_due_in_another_space_is_asked_for(held: Space) -> None:
    other = space_of(fact("tea"), name="other")
    for space in (held, other):
        schedules.change(space, jobs.CONSOLIDATION, Rhythm(HOUR), by="ana", now=day(100))
    schedules.tick(day(101))
    assert list(Job.objects.filter(kind=jobs.CONSOLIDATION).values_list("space__name", flat=True)) == ["other"]


def test_others_write_to_their_own_space(held: Space) -> None:
    other = space_of(fact("tea"), name="other")
    acts.write(other, [{"type": "fact", "id": "salt", "text": "Salt."}], now=day(101))
