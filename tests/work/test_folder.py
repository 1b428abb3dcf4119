"""The queue that is a folder: nothing that lies in it keeps a worker from what it is there for."""

import re
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from tests.actions.world import space_of
from tests.makers import day, fact
from tests.work.workers import PATIENCE, lose, messages, wait_for, working
from trustmem.actions import jobs
from trustmem.store.models import Job, JobState
from trustmem.work import alive, doorbell

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quiet_queue() -> None:
    doorbell.ring(1)  # whoever comes first makes the folder
    lose()


def ask() -> Job:
    return jobs.ask(space_of(fact("tea")), jobs.TRENDS, by="ana", now=day(100))


def is_done(job: Job) -> bool:
    return Job.objects.get(pk=job.pk).state == JobState.DONE


def queue() -> Path:
    return settings.HOME / "queue"


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can be longer than a few bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("torn", ["", '{"body": "W1', "\0\0\0"])
def test_a_torn_message_is_thrown_away_and_the_next_is_heard(database_url: str, torn: str) -> None:
    (queue() / "messages" / "0_torn.celery.msg").write_text(torn)
    job = ask()
    with working(database_url) as worker:
        wait_for(lambda: is_done(job) and not messages())
        assert worker.poll() is None


def test_a_torn_table_of_an_older_home_keeps_no_worker_from_starting(database_url: str) -> None:
    (queue() / "control").mkdir(exist_ok=True)
    (queue() / "control" / "celery.exchange").write_text("")
    job = ask()
    with working(database_url) as worker:
        wait_for(lambda: is_done(job) and not messages())
        assert worker.poll() is None


def test_of_a_message_that_cannot_be_written_nothing_is_left() -> None:
    before = set((queue() / "messages").iterdir())
    with full_disk():
        assert not doorbell.ring(1)
    assert set((queue() / "messages").iterdir()) == before
    assert doorbell.ring(1)


def test_what_makes_no_sense_of_a_queue_is_none_that_can_be_reached() -> None:
    with pytest.raises(doorbell.Unreachable), doorbell._reached():
        int("soon")


def test_a_worker_that_cannot_go_on_says_so_in_a_line_and_has_failed(database_url: str) -> None:
    shutil.rmtree(settings.HOME / "alive", ignore_errors=True)
    with working(database_url, stderr=subprocess.PIPE) as worker:
        wait_for(lambda: alive.age("worker") is not None)
        (queue() / "messages").rename(queue() / "away")
        try:
            assert worker.wait(PATIENCE) == 1
        finally:
            (queue() / "away").rename(queue() / "messages")
        assert re.fullmatch(rb".*Unrecoverable error: FileNotFoundError.*\n", worker.stderr.read())
