"""A worker looks for what no message told it of, and says that it is alive."""

import os
import shutil
from collections.abc import Iterator

import pytest
from django.conf import settings

from tests.actions.world import space_of
from tests.makers import day, fact
from tests.work.workers import PATIENCE, lose, messages, wait_for, working
from trustmem.actions import jobs
from trustmem.store.models import Job, JobState, Space
from trustmem.work import alive, doorbell, tasks, watch

pytestmark = pytest.mark.django_db(transaction=True)

NOW = day(100)


@pytest.fixture(autouse=True)
def _quiet_queue() -> None:
    lose()


@pytest.fixture
def no_queue() -> Iterator[None]:
    """As where the broker is gone: the folder of the messages is a file."""
    folder = settings.HOME / "queue" / "messages"
    folder.rename(folder.with_name("away"))
    folder.write_text("")
    yield
    folder.unlink()
    folder.with_name("away").rename(folder)


def ask(space: Space) -> Job:
    return jobs.ask(space, jobs.TRENDS, by="ana", now=NOW)


def test_a_job_that_waits_is_told_of_anew_from_time_to_time_and_not_at_every_look() -> None:
    job, rung = ask(space_of(fact("tea"))), {}
    before = len(messages())
    for _ in range(5):
        watch.look(rung)
    assert len(messages()) == before + 1
    Job.objects.filter(pk=job.pk).delete()
    watch.look(rung)
    assert rung == {}


def test_what_an_emptied_queue_has_lost_is_told_of_at_the_next_look() -> None:
    ask(space_of(fact("tea")))
    rung = {}
    watch.look(rung)
    lose()
    watch.look(rung)
    assert len(messages()) == 1


def test_where_there_is_no_queue_a_look_says_so_and_whoever_asks_is_not_troubled(no_queue: None) -> None:
    assert not doorbell.ring(1)
    job, rung = ask(space_of(fact("tea"))), {}
    with pytest.raises(doorbell.Unreachable):
        watch.look(rung)
    assert rung == {}
    assert Job.objects.get(pk=job.pk).state == JobState.QUEUED


def test_what_is_due_can_be_done_without_a_queue(database_url: str) -> None:
    job = ask(space_of(fact("tea")))
    with working(database_url, "--once") as worker:
        assert worker.wait(PATIENCE) == 0
    assert Job.objects.get(pk=job.pk).state == JobState.DONE


def test_a_worker_that_looks_gives_a_sign_of_life_and_an_old_one_is_none(database_url: str) -> None:
    shutil.rmtree(settings.HOME / "alive", ignore_errors=True)
    assert checked(database_url) == 1
    with working(database_url):
        wait_for(lambda: alive.age("worker") is not None)
        assert checked(database_url) == 0
    old = tasks.now() / 1e6 - 2 * alive.LONGEST
    os.utime(settings.HOME / "alive" / "worker", (old, old))
    assert checked(database_url) == 1


def test_a_worker_that_has_found_no_queue_does_what_is_due_and_gives_no_sign_of_life(database_url: str) -> None:
    shutil.rmtree(settings.HOME / "alive", ignore_errors=True)
    job = ask(space_of(fact("tea")))
    with working(database_url, BROKER_URL="redis://127.0.0.1:1/0"):
        wait_for(lambda: Job.objects.get(pk=job.pk).state == JobState.DONE)
        assert checked(database_url) == 1


def checked(database_url: str) -> int:
    """The exit status with which a worker's home is found well, or not."""
    with working(database_url, "--check") as asked:
        return asked.wait(PATIENCE)
