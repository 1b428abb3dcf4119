"""A worker that hangs amid its work, for some time or for long: others write, another takes over, and nothing is done
twice."""

import os
import random
import secrets
import signal
import subprocess
from itertools import count
from time import monotonic, sleep

import pytest
from django.db import OperationalError, connection, transaction

from tests.redis import killing
from tests.redis.broker import Broker
from tests.work.workers import wait_for, working
from trustmem.actions import acts, consolidation
from trustmem.actions.verify import verify
from trustmem.store.models import Job, JobState, Line, Pass, Space
from trustmem.store.state_hash import state_hash
from trustmem.work import tasks

pytestmark = pytest.mark.django_db(transaction=True)

#: Seconds in which another worker takes over: a lease, and two looks.
TAKEOVER = 60.0
#: Seconds after which Redis brings a message again, and that its job takes.
VISIBILITY, LONG = 2, 7
#: Seconds that a write takes at most; ten times what is usual on a busy machine.
AT_ONCE = 5.0


def test_a_worker_that_hangs_amid_a_pass_holds_up_nobody_and_comes_too_late(
    broker: Broker, database_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Case 077."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    space = killing.of_facts("diary", 5000)
    with working(database_url, BROKER_URL=broker.url) as first:
        job = amid_a_pass(space, first, random.Random(seed))
        hung_at = monotonic()
        assert written(space, 20) < AT_ONCE
        with working(database_url, BROKER_URL=broker.url):
            wait_for(lambda: Job.objects.get(pk=job.pk).attempt == 2)
            assert monotonic() - hung_at < TAKEOVER
            wait_for(lambda: Job.objects.get(pk=job.pk).state == JobState.DONE)
            passes, lines = Pass.objects.filter(space=space).count(), Line.objects.filter(space=space).count()
            wake(first)
            wait_for(lambda: f"job {job.pk} is held by another worker by now" in capfd.readouterr().err)
    assert Pass.objects.filter(space=space, instant=job.asked["at"]).count() == 1
    assert (Pass.objects.filter(space=space).count(), Line.objects.filter(space=space).count()) == (passes, lines)
    assert verify(space, rebuild=True) == []


def test_a_message_that_is_brought_again_amid_its_own_job_has_no_effect(broker: Broker, database_url: str) -> None:
    """Case 071: a job that takes longer than the time after which Redis brings its message again."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    space = killing.of_facts("diary", 5000)
    more = {"BROKER_URL": broker.url, "BROKER_VISIBILITY_TIMEOUT": str(VISIBILITY)}
    with working(database_url, **more) as first, working(database_url, **more) as second:
        wait_for(lambda: broker.ask("CLIENT", "LIST").count(b"cmd=brpop") == 2)
        stop(second)
        sleep(2 * VISIBILITY)  # by then Redis hands it nothing any more
        job = amid_a_pass(space, first, random.Random(seed))
        began = monotonic()
        wake(second)
        wait_for(lambda: broker.messages() == 0)  # it took what was brought again, and let it be
        print(f"brought again, and let be, {monotonic() - began:.1f} s after the first hung")
        assert Job.objects.get(pk=job.pk).state == JobState.RUNNING
        sleep(max(0, LONG - (monotonic() - began)))
        wake(first)
        wait_for(lambda: Job.objects.get(pk=job.pk).state == JobState.DONE)
    assert Job.objects.get(pk=job.pk).attempt == 1
    space.refresh_from_db()
    assert state_hash(space) == state_hash(undisturbed(Pass.objects.filter(space=space).count()))


def undisturbed(passes: int) -> Space:
    space = killing.of_facts("undisturbed", 5000)
    for number in range(passes):
        consolidation.consolidate(space, at=killing.instant(number), by="ana", now=killing.instant(number))
    space.refresh_from_db()
    return space


def amid_a_pass(space: Space, worker: subprocess.Popen[bytes], roll: random.Random) -> Job:
    """The job of a pass in which a worker and its children are stopped where they hold no lock, since one that is
    stopped within a transaction keeps it."""
    for number in count():
        job = consolidation.ask(space, by="ana", now=killing.instant(number), at=killing.instant(number))
        wait_for(lambda: Job.objects.get(pk=job.pk).state != JobState.QUEUED)  # noqa: B023 (at once)
        sleep(roll.uniform(0, 0.3))
        stop(worker)
        if is_free() and Job.objects.get(pk=job.pk).state == JobState.RUNNING:
            return job
        wake(worker)
        wait_for(lambda: Job.objects.get(pk=job.pk).state == JobState.DONE)  # noqa: B023 (at once)
    raise AssertionError


def stop(worker: subprocess.Popen[bytes]) -> None:
    for pid in [worker.pid, *killing.children(worker.pid)]:
        os.kill(pid, signal.SIGSTOP)


def wake(worker: subprocess.Popen[bytes]) -> None:
    for pid in [worker.pid, *killing.children(worker.pid)]:
        os.kill(pid, signal.SIGCONT)


def is_free() -> bool:
    """Whether others can write."""
    on_sqlite = connection.vendor == "sqlite"
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 100" if on_sqlite else "SELECT 1")
        try:
            with transaction.atomic():
                cursor.execute("SELECT 1" if on_sqlite else "SELECT 1 FROM store_space FOR UPDATE NOWAIT")
        except OperationalError:
            return False
        finally:
            cursor.execute("PRAGMA busy_timeout = 20000" if on_sqlite else "SELECT 1")
    return True


def written(space: Space, facts: int) -> float:
    """Write facts, one by one; the seconds that the slowest took."""
    slowest = 0.0
    for number in range(facts):
        began = monotonic()
        fact = {"type": "fact", "id": f"by-hand-{number}", "text": f"By hand {number}.", "source": "ana"}
        acts.write(space, [fact], now=tasks.now())
        slowest = max(slowest, monotonic() - began)
    return slowest
