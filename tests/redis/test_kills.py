"""Real workers, a real Redis, and SIGKILL in the middle of passes: nothing is lost, and nothing is done by half."""

import secrets
from io import BytesIO

import pytest

from tests.makers import day
from tests.redis import killing
from tests.redis.broker import Broker
from tests.work.test_worker import large_file
from tests.work.workers import wait_for, working
from trustmem.actions import imports, uploads
from trustmem.actions.verify import verify
from trustmem.store.models import Job, JobState, Pass, Space
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db(transaction=True)

#: Facts of the space, and kills; there are two such spaces.
FACTS, TIMES = 2000, 10
NOW = day(100)


@pytest.mark.parametrize("half", [1, 2])
def test_a_worker_that_is_killed_amid_passes_leaves_them_to_the_next_which_makes_each_whole(
    broker: Broker, database_url: str, half: int
) -> None:
    """Case 073."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    space = killing.of_facts("diary", FACTS)
    took = killing.lived_through(space, database_url, TIMES, seed, BROKER_URL=broker.url)
    assert max(took) < killing.RECOVERY
    assert Pass.objects.filter(space=space).count() == TIMES
    assert Pass.objects.filter(space=space, pruned__gt=0).count() >= TIMES / 2
    assert verify(space, rebuild=True) == []
    space.refresh_from_db()
    assert state_hash(space) == state_hash(killing.undisturbed("undisturbed", FACTS, TIMES))


def test_a_child_whose_parent_is_killed_ends_amid_its_job(broker: Broker, database_url: str) -> None:
    space = Space.objects.create(name="diary", digest_key=killing.KEY)
    file = BytesIO(b"".join(large_file(4 * imports.CHUNK)))
    upload = uploads.keep(space, file, name="large", source="mail", by="ana", now=NOW)
    with working(database_url, BROKER_URL=broker.url) as worker:
        job = uploads.take_in(upload, by="ana", now=NOW)
        wait_for(lambda: Job.objects.get(pk=job.pk).state == JobState.RUNNING)
        killing.kill(worker, "parent")
    assert Job.objects.get(pk=job.pk).state == JobState.RUNNING
