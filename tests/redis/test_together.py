"""Several processes at once in one space: nobody sees an error, and nothing is lost."""

import json
from io import BytesIO
from pathlib import Path

import pytest

from tests.intake.terminal import command
from tests.makers import day
from tests.redis import killing, together
from tests.redis.broker import Broker
from tests.work.workers import PATIENCE, wait_for, working
from trustmem.actions import uploads
from trustmem.actions.verify import verify
from trustmem.store.models import Fact, Job, JobState, Line

pytestmark = pytest.mark.django_db(transaction=True)

#: Facts by each process.
EACH = 100


def file_of(name: str) -> bytes:
    told = ({"type": "fact", "id": f"{name}-{n}", "text": f"What {name}-{n} says."} for n in range(EACH))
    return b"".join(json.dumps(each | {"at": "2026-01-05T09:00:00Z"}).encode() + b"\n" for each in told)


def test_a_worker_the_shell_and_two_more_write_into_one_space_at_once(
    broker: Broker, database_url: str, tmp_path: Path
) -> None:
    """Case 069."""
    space = killing.of_facts("diary", 0)
    path = tmp_path / "shell.jsonl"
    path.write_bytes(file_of("shell"))
    upload = uploads.keep(space, BytesIO(file_of("worker")), name="worker", source="mail", by="ana", now=day(100))
    with working(database_url, BROKER_URL=broker.url):
        both = [together.writer(database_url, space, name, 1, 0, "--facts", EACH) for name in ("web", "other")]
        shell = together.started(database_url, *command("import", path, "--space", "diary"))
        job = uploads.take_in(upload, by="ana", now=day(100))
        assert [together.told(each)["facts"] for each in both] == [EACH, EACH]
        _, said = shell.communicate(timeout=PATIENCE)
        assert (shell.returncode, said) == (0, "")
        wait_for(lambda: Job.objects.get(pk=job.pk).state == JobState.DONE)
    assert Fact.objects.filter(space=space).count() == 4 * EACH
    assert Line.objects.filter(space=space, tag="fact").count() == 4 * EACH
    assert verify(space, rebuild=True) == []


def test_many_threads_of_four_processes_and_a_pass_meanwhile_lock_nobody_out(broker: Broker, database_url: str) -> None:
    """Case 075."""
    space = killing.of_facts("diary", 500)
    print(together.summary(together.loaded(space, database_url, broker.url, seconds=10, threads=2)))
