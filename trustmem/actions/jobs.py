"""Jobs: asked for once, held by one worker at a time, and done or failed for good.

The rows are the truth. What tells a worker of a job may be lost or come twice; `due` finds what was missed.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.dispatch import Signal

from trustmem.core.instants import MICROSECONDS_PER_SECOND, NEVER
from trustmem.store.models import Job, JobState, Space

#: Sent with `job`, its key, once it is there for all to see.
asked = Signal()
#: How long a worker holds a job without a sign of life; µs.
LEASE = 30 * MICROSECONDS_PER_SECOND
#: A worker that has nothing else to do takes a job in that time (µs).
_SOON = 10 * MICROSECONDS_PER_SECOND
#: So often a job is begun before it counts as one that kills its worker.
_MOST_ATTEMPTS = 10
_KILLED_ITS_WORKER = f"it was begun {_MOST_ATTEMPTS} times, and each time what worked on it was killed"


class Lost(Exception):
    """Somebody else holds the job by now, or it is gone: whoever held it writes nothing more."""


@transaction.atomic
def ask(space: Space, kind: str, *, by: str, now: int, slot: str = "", **what: Any) -> Job:
    """The job that somebody asks for; `what` in ids and names, never in texts of facts.

    Where there is one of that kind and `slot` already it is that one, unless it failed: then it begins anew.
    """
    values = {"asked": what, "asked_at": now, "by": by}
    if slot:
        Job.objects.filter(space=space, kind=kind, slot=slot, state=JobState.FAILED).delete()
        job, _ = Job.objects.get_or_create(space=space, kind=kind, slot=slot, defaults=values)
    else:
        job = Job.objects.create(space=space, kind=kind, **values)
    transaction.on_commit(lambda: asked.send_robust(Job, job=job.pk))
    return job


def due(now: int) -> list[int]:
    """The keys of the jobs of all spaces that nobody holds, oldest first."""
    return list(Job.objects.filter(_free(now)).order_by("asked_at", "pk").values_list("pk", flat=True))


def lacks_a_worker(job: Job, now: int) -> bool:
    """Whether a job waits for longer than it would where a worker runs: none holds it, nor any other that it waits
    for."""
    free_since = {JobState.QUEUED: job.asked_at, JobState.RUNNING: job.lease_until}.get(JobState(job.state), now)
    if now - free_since <= _SOON:
        return False
    return not Job.objects.filter(state=JobState.RUNNING, lease_until__gte=now).exists()


def claim(pk: int, *, now: int) -> Job | None:
    """Hold a job; None where somebody holds it, or it is done, failed or gone. It fails for good where each who held it
    before was killed."""
    free = Job.objects.filter(_free(now), pk=pk)
    if free.filter(attempt__gte=_MOST_ATTEMPTS).update(state=JobState.FAILED, ended_at=now, error=_KILLED_ITS_WORKER):
        return None
    held = {"state": JobState.RUNNING, "started_at": now, "lease_until": now + LEASE}
    if not free.update(**held, stage="", done=0, of=0, attempt=F("attempt") + 1):
        return None
    return Job.objects.select_related("space").get(pk=pk)


def _free(now: int) -> Q:
    return Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING, lease_until__lt=now)


def renew(job: Job, *, now: int) -> None:
    """Say that a job is still held. Raises Lost."""
    _write(job, lease_until=now + LEASE)


def progress(job: Job, done: int, of: int, *, now: int, stage: str = "") -> None:
    """Say how far a job is with what it is at, and that it is still held. Raises Lost."""
    _write(job, stage=stage, done=done, of=of, lease_until=now + LEASE)


def finish(job: Job, result: Mapping[str, Any], *, now: int) -> None:
    """A job is done; in the transaction of what it did, so that it is done once. Raises Lost."""
    _write(job, state=JobState.DONE, ended_at=now, lease_until=NEVER, result=json.dumps(result))


def fail(job: Job, error: str, *, now: int) -> None:
    """A job cannot be done; `error` is one sentence. Raises Lost."""
    _write(job, state=JobState.FAILED, ended_at=now, lease_until=NEVER, error=error)


def _write(job: Job, **values: Any) -> None:
    held = Job.objects.filter(space=job.space_id, pk=job.pk, attempt=job.attempt, state=JobState.RUNNING)
    if not held.update(**values):
        raise Lost
