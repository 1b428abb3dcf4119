"""Several processes at once in one space: nobody sees an error, and nothing is lost."""

import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings

from tests.conftest import ROOT
from tests.intake.terminal import command, environment
from tests.makers import day
from tests.redis import killing
from tests.redis.broker import Broker
from tests.work.workers import PATIENCE, wait_for, working
from trustmem.actions import jobs, uploads
from trustmem.actions.verify import verify
from trustmem.store.models import Fact, Job, JobState, Line, Space

pytestmark = pytest.mark.django_db(transaction=True)

NOW = day(100)
#: Facts by each process; seconds of mixed load.
EACH, SECONDS = 100, 10


def file_of(name: str) -> bytes:
    told = ({"type": "fact", "id": f"{name}-{n}", "text": f"What {name}-{n} says."} for n in range(EACH))
    return b"".join(json.dumps(each | {"at": "2026-01-05T09:00:00Z"}).encode() + b"\n" for each in told)


def started(database_url: str, *arguments: object) -> subprocess.Popen[str]:
    here = {**environment(80), "DATABASE_URL": database_url, "TRUSTMEM_HOME": str(settings.HOME)}
    return subprocess.Popen(
        list(map(str, arguments)), cwd=ROOT, env=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def writer(database_url: str, space: Space, name: str, *, threads: int, reads: int, **amount: int) -> subprocess.Popen:
    [(unit, count)] = amount.items()
    asked = (sys.executable, "-m", "tests.redis.writer", space.name, name, threads, reads, f"--{unit}", count)
    return started(database_url, *asked)


def told(process: subprocess.Popen[str]) -> dict[str, object]:
    """What a writer says that saw no error."""
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    said = json.loads(out)
    assert said["errors"] == []
    return said


def test_a_worker_the_shell_and_two_more_write_into_one_space_at_once(
    broker: Broker, database_url: str, tmp_path: Path
) -> None:
    """Case 069."""
    space = killing.of_facts("diary", 0)
    path = tmp_path / "shell.jsonl"
    path.write_bytes(file_of("shell"))
    upload = uploads.keep(space, BytesIO(file_of("worker")), name="worker", source="mail", by="ana", now=NOW)
    with working(database_url, BROKER_URL=broker.url):
        both = [writer(database_url, space, name, threads=1, reads=0, facts=EACH) for name in ("web", "other")]
        shell = started(database_url, *command("import", path, "--space", "diary"))
        job = uploads.take_in(upload, by="ana", now=NOW)
        assert [told(each)["facts"] for each in both] == [EACH, EACH]
        assert shell.wait(PATIENCE) == 0, shell.stderr.read()
        wait_for(lambda: Job.objects.get(pk=job.pk).state == JobState.DONE)
    assert Fact.objects.filter(space=space).count() == 4 * EACH
    assert Line.objects.filter(space=space, tag="fact").count() == 4 * EACH
    assert verify(space, rebuild=True) == []


def test_four_processes_of_two_threads_and_passes_meanwhile_lock_nobody_out(broker: Broker, database_url: str) -> None:
    """Case 075."""
    space = killing.of_facts("diary", 500)
    before = Fact.objects.filter(space=space).count()
    with working(database_url, BROKER_URL=broker.url):
        writers = [
            writer(database_url, space, f"w{number}", threads=2, reads=2, seconds=SECONDS) for number in range(4)
        ]
        passes = [jobs.ask(space, jobs.CONSOLIDATION, by="ana", now=NOW) for _ in range(2)]
        said = [told(each) for each in writers]
        wait_for(lambda: not Job.objects.filter(pk__in=[job.pk for job in passes]).exclude(state=JobState.DONE))
    written = sum(each["facts"] for each in said)
    took = sorted(one for each in said for one in each["took"])
    print(f"{written} writes, p50 {took[len(took) // 2] * 1000:.0f} ms, p99 {took[-len(took) // 100] * 1000:.0f} ms")
    assert Fact.objects.filter(space=space).count() == before + written
    assert verify(space, rebuild=True) == []
