"""Several processes that work on one space at once."""

import json
import subprocess
import sys
from time import time_ns
from typing import Any

from django.conf import settings

from tests.conftest import ROOT
from tests.intake.terminal import environment
from tests.work.workers import PATIENCE, wait_for, working
from trustmem.actions import consolidation
from trustmem.actions.verify import verify
from trustmem.store.models import Fact, Job, JobState, Space

#: Processes that write and read, and reads of each between two writes.
_WRITERS, _READS = 4, 2


def started(database_url: str, *arguments: object) -> subprocess.Popen[str]:
    here = {**environment(80), "DATABASE_URL": database_url, "TRUSTMEM_HOME": str(settings.HOME)}
    asked = list(map(str, arguments))
    return subprocess.Popen(asked, cwd=ROOT, env=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def writer(database_url: str, space: Space, name: str, *more: object) -> subprocess.Popen[str]:
    """A process of `tests.redis.writer`."""
    return started(database_url, sys.executable, "-m", "tests.redis.writer", space.name, name, *more)


def told(process: subprocess.Popen[str], seconds: int = 0) -> Any:
    """What a writer says that saw no error."""
    out, err = process.communicate(timeout=PATIENCE + seconds)
    assert process.returncode == 0, err
    said = json.loads(out)
    assert said["errors"] == []
    return said


def loaded(space: Space, database_url: str, broker: str, *, seconds: int, threads: int) -> list[float]:
    """Write and read with all processes while a worker takes passes; the seconds that each write took, the quickest
    first. Nobody sees an error, and nothing is lost."""
    before = Fact.objects.filter(space=space).count()
    with working(database_url, BROKER_URL=broker):
        each = [
            writer(database_url, space, f"w{number}", threads, _READS, "--seconds", seconds)
            for number in range(_WRITERS)
        ]
        job = consolidation.ask(space, by="ana", now=time_ns() // 1000)
        said = [told(process, seconds) for process in each]
        wait_for(lambda: Job.objects.get(pk=job.pk).state == JobState.DONE)
    assert Fact.objects.filter(space=space).count() == before + sum(one["facts"] for one in said)
    assert verify(space, rebuild=True) == []
    return sorted(took for one in said for took in one["took"])


def summary(took: list[float]) -> str:
    half, most = took[len(took) // 2], took[-len(took) // 100]
    return f"{len(took)} writes: half in {half * 1000:.0f} ms, 99 of 100 in {most * 1000:.0f} ms"
