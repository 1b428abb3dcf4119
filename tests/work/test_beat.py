"""Beat wakes the workers, whose tick asks for what is due by the schedules."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings

from tests.actions.world import space_of
from tests.intake.terminal import ROOT, command, environment
from tests.makers import day, fact
from tests.work.workers import PATIENCE, lose, messages, wait_for, working
from trustmem.actions import jobs, schedules
from trustmem.store.models import Job, JobState, Schedule, Space
from trustmem.work import alive, tasks

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def beating(*arguments: object, parent: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    here = {**environment(80), "TRUSTMEM_HOME": str(settings.HOME)}
    here.pop("BROKER_URL", None)
    asked = command("beat", *arguments, "--parent", parent or os.getpid())
    with subprocess.Popen(asked, cwd=ROOT, env=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as beat:
        try:
            yield beat
        finally:
            beat.kill()


def due() -> Space:
    """A space in which a slot has come since its schedule was set."""
    space = space_of(fact("tea"))
    schedules.change(space, jobs.REFRESH, schedules.Rhythm(schedules.HOUR), by="ana", now=day(100))
    return space


def done(space: Space) -> bool:
    return Job.objects.filter(space=space, kind=jobs.REFRESH, state=JobState.DONE).exists()


def test_it_rings_with_a_sign_of_life_and_ends_in_silence_when_asked_to() -> None:
    lose()
    with beating() as beat:
        wait_for(messages)
        beat.terminate()
        assert beat.wait(PATIENCE) == 0
        assert (beat.stdout.read(), beat.stderr.read()) == (b"", b"")
    assert alive.age("beat") < PATIENCE
    with beating("--check") as asked:
        assert asked.wait(PATIENCE) == 0


def test_it_ends_once_its_parent_is_another() -> None:
    with beating(parent=os.getppid()) as orphan:
        assert orphan.wait(PATIENCE) in (0, -signal.SIGTERM)


def test_a_tick_asks_for_what_is_due_once_however_often_it_comes() -> None:
    space = due()
    for _ in range(3):
        tasks.tick()
    assert Job.objects.filter(space=space, kind=jobs.REFRESH).count() == 1


def test_a_worker_does_what_beat_wakes_it_for(database_url: str) -> None:
    lose()
    space = due()
    with working(database_url), beating():
        wait_for(lambda: done(space))


def test_a_worker_with_a_beat_of_its_own_needs_no_other(database_url: str) -> None:
    space = due()
    with working(database_url, "--beat"):
        wait_for(lambda: done(space))
    assert Schedule.objects.get(space=space, kind=jobs.REFRESH).last_slot > day(100)


def test_what_is_due_by_the_schedules_is_done_by_a_timer_of_the_system_too(database_url: str) -> None:
    space = due()
    with working(database_url, "--once", "--beat") as worker:
        assert worker.wait(PATIENCE) == 0
    assert done(space)
