"""Workers that are killed in the middle of passes, again and again, and started again each time."""

import json
import os
import random
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from tests.actions.world import taken
from tests.makers import day
from tests.work.workers import wait_for, working
from trustmem.actions import consolidation
from trustmem.actions.schedules import HOUR
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import PRODUCERS, SCOPES
from trustmem.store.models import Job, JobState, Space

KEY = "0f" * 32
#: Seconds after a start by which what was cut short has to be done.
RECOVERY = 60.0
#: Seconds that a pass takes, from when it is claimed.
PACE = 0.4
_QUICK = (
    b'{"type": "constants", "id": "quick", "version": 2, "at": "2026-01-01T09:00:00Z", '
    b'"values": {"session_half_life_days": 0.5}}\n'
)
#: Which processes are killed at once.
VICTIMS = ("parent", "child", "all")


def children(pid: int) -> list[int]:
    """The processes that a process has forked."""
    with suppress(FileNotFoundError):
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def of_facts(name: str, facts: int) -> Space:
    """A space of many facts, half of which last for some passes only."""
    space = Space.objects.create(name=name, digest_key=KEY)
    return taken(space, [_QUICK, *_facts(0, facts)], now=instant(-1))


def _facts(number: int, facts: int) -> list[bytes]:
    told = (
        {
            "type": "fact",
            "id": f"f{number}-{n}",
            "text": f"Claim {n} of {number}.",
            "at": to_text(instant(number - 1)),
            "scope": SCOPES[n % 2],
            "producer": PRODUCERS[n % 4],
            "source": f"s{n % 7}",
        }
        for n in range(facts)
    )
    return [json.dumps(each).encode() + b"\n" for each in told]


def instant(number: int) -> int:
    """When a pass is, by its number."""
    return day(11 + number)


def _grown(space: Space, number: int) -> Space:
    """The space with some more facts, on the eve of a pass."""
    return taken(space, _facts(number, 60), now=instant(number) - HOUR)


def undisturbed(name: str, facts: int, passes: int) -> Space:
    """A space as it is where nobody kills anything."""
    space = of_facts(name, facts)
    for number in range(passes):
        _grown(space, number)
        consolidation.consolidate(space, at=instant(number), by="ana", now=instant(number))
        space.refresh_from_db()
    return space


def lived_through(
    space: Space, database_url: str, times: int, seed: int, tell: Callable[[str], None] = print, **more: str
) -> list[float]:
    """Ask for passes, kill whatever works on each, and start it again; the seconds that each took from there on."""
    roll, took = random.Random(seed), list[float]()
    with ExitStack() as workers:
        worker = workers.enter_context(working(database_url, **more))
        for number in range(times):
            victims = VICTIMS[number % len(VICTIMS)]
            cut = _cut_short(space, number, worker, victims, roll.uniform(0, PACE))
            began = monotonic()
            if victims != "child":
                worker = workers.enter_context(working(database_url, **more))
            wait_for(partial(_is_done, cut))
            took.append(monotonic() - began)
            tell(f"{number}: {victims} killed at attempt {cut.attempt}, {cut.state}; done {took[-1]:.1f} s later")
    return took


def _cut_short(space: Space, number: int, worker: subprocess.Popen[bytes], victims: str, pause: float) -> Job:
    """A pass that is killed so many seconds after it was claimed; its job as it was left."""
    _grown(space, number)
    wait_for(lambda: len(children(worker.pid)) >= 2)
    job = consolidation.ask(space, by="ana", now=instant(number), at=instant(number))
    wait_for(lambda: Job.objects.get(pk=job.pk).state != JobState.QUEUED)
    sleep(pause)
    kill(worker, victims)
    cut = Job.objects.get(pk=job.pk)
    # As if the time of its lease had passed.
    Job.objects.filter(pk=job.pk, state=JobState.RUNNING).update(lease_until=instant(number))
    return cut


def _is_done(job: Job) -> bool:
    return Job.objects.get(pk=job.pk).state == JobState.DONE


def kill(worker: subprocess.Popen[bytes], victims: str) -> None:
    """With SIGKILL, at which nothing can be put in order."""
    forked = children(worker.pid)
    for pid in [*(forked if victims != "parent" else ()), *([worker.pid] if victims != "child" else ())]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if victims != "child":
        worker.wait()
        wait_for(lambda: not any(map(is_alive, forked)))


def is_alive(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
