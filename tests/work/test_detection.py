"""Real workers check a space: killed amid it, and two at once, they leave each pair found once."""

import signal

import pytest

from tests.actions.test_detection import case_lines, ends, say
from tests.makers import day
from tests.work.workers import wait_for, working
from trustmem.actions import detection, jobs, spaces
from trustmem.actions.verify import verify
from trustmem.store import pairs
from trustmem.store.models import Job, JobState, Space

pytestmark = pytest.mark.django_db(transaction=True)

NOW = day(100)
#: So many that a worker that is killed once some are checked has some left.
FACTS = 8 * detection.STEP


def of_counts(name: str) -> Space:
    """A space in which each fact of the second half gives another number of tests for a module than one before."""
    space = spaces.create(name)
    said = {f"f{number:04}": f"{number} tests pass in module{number % (FACTS // 2)}" for number in range(FACTS)}
    say(space, said, day(90))
    return Space.objects.get(pk=space.pk)


def undisturbed() -> tuple[object, object]:
    space = of_counts("undisturbed")
    detection.detect(space, now=NOW)
    return ends(space), case_lines(space)


def test_a_worker_that_is_killed_amid_a_check_leaves_it_to_the_next(database_url: str) -> None:
    space = of_counts("diary")
    job = detection.ask(space, by="ana", now=NOW)
    with working(database_url) as worker:
        wait_for(lambda: pairs.checked(space).upto)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert Job.objects.get(pk=job.pk).state == JobState.RUNNING
    assert pairs.unchecked(space).exists()
    Job.objects.filter(pk=job.pk).update(lease_until=NOW)  # as if that time had passed
    with working(database_url):
        wait_for(lambda: Job.objects.get(pk=job.pk).state == JobState.DONE)
    assert not pairs.unchecked(space).exists()
    found = ends(space), case_lines(space)
    assert len(found[0]) >= FACTS // 2
    assert found == undisturbed()
    space.refresh_from_db()
    assert verify(space, rebuild=True) == []


def test_two_workers_at_once_find_each_pair_once(database_url: str) -> None:
    space = of_counts("diary")
    asked = [jobs.ask(space, jobs.DETECTION, by="ana", now=NOW, slot=slot) for slot in ("one", "two")]
    with working(database_url), working(database_url):
        wait_for(lambda: {Job.objects.get(pk=job.pk).state for job in asked} == {JobState.DONE})
    assert (ends(space), case_lines(space)) == undisturbed()
    space.refresh_from_db()
    assert verify(space, rebuild=True) == []
