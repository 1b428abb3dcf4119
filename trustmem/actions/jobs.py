"""Jobs: asked for once, held by one worker at a time, and done or failed for good.

The rows are the truth. What tells a worker of a job may be lost or come twice; `due` finds what was missed.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q
from django.dispatch import Signal

from trustmem.core.instants import MICROSECONDS_PER_SECOND, NEVER, span
from trustmem.core.vocabulary import STATES
from trustmem.store.models import OPEN, ConstantsVersion, Fact, Job, JobState, Space

#: Kinds of jobs.
CONSOLIDATION, PREVIEW, REFRESH, UNDO, TRENDS = "consolidation", "preview", "refresh", "undo", "trends"
VERIFY, DECISION, ADOPTION, HISTOGRAMS, OUTCOMES = "verify", "decision", "adoption", "histograms", "outcomes"
FIT, DETECTION, GRAPH, RECORDING = "fit", "detection", "graph", "recording"
#: Of these a space has one at a time that is worked on.
_ALONE = (CONSOLIDATION, GRAPH)
#: What is of no interest for longer than this (µs), once it is done.
_PASSING, _KEPT = (
    (PREVIEW, REFRESH, TRENDS, HISTOGRAMS, OUTCOMES, FIT, UNDO, DECISION, ADOPTION, DETECTION, GRAPH, RECORDING),
    span(7),
)

#: Sent with `job`, its key, once it is there for all to see.
asked = Signal()
#: How long a worker holds a job without a sign of life; µs.
LEASE = 30 * MICROSECONDS_PER_SECOND
_FAR = 4
#: A worker that has nothing else to do takes a job in that time (µs).
_SOON = 10 * MICROSECONDS_PER_SECOND
#: So often a job is begun before it counts as one that kills its worker.
_MOST_TRIES = 10
_KILLED_ITS_WORKER = f"it was begun {_MOST_TRIES} times, and each time what worked on it was killed"


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
    tell(job)
    return job


@transaction.atomic
def ask_again(job: Job, *, by: str, now: int, slot: str = "", **what: Any) -> Job | None:
    """A job that needs a person is begun anew, as something else may be asked of it by now, or be so; None where it
    does not wait any more."""
    of_kind = Job.objects.filter(space=job.space_id, kind=job.kind)
    waiting = of_kind.filter(pk=job.pk, state=JobState.NEEDS_A_PERSON)
    if of_kind.filter(slot=slot).exists():
        slot = job.slot
    asked = {"asked": what, "asked_at": now, "by": by, "slot": slot or job.slot}
    if not waiting.update(state=JobState.QUEUED, tries=0, instant=NEVER, before="", **asked):
        return None
    tell(job)
    return Job.objects.get(pk=job.pk)


def tell(job: Job) -> None:
    """Tell workers of a job, once what was written of it is there for all to see."""
    transaction.on_commit(lambda: asked.send_robust(Job, job=job.pk))


def due(now: int, space: int | None = None) -> list[int]:
    """The keys of the jobs (of one space, or of all) that nobody holds, oldest first."""
    of = Job.objects.all() if space is None else Job.objects.filter(space=space)
    return list(of.filter(_free(now)).order_by("asked_at", "pk").values_list("pk", flat=True))


def lacks_a_worker(job: Job, now: int) -> bool:
    """Whether a job waits for longer than it would where a worker runs: none holds it, nor any other that it waits
    for."""
    free_since = {JobState.QUEUED: job.asked_at, JobState.RUNNING: job.lease_until}.get(JobState(job.state), now)
    if now - free_since <= _SOON:
        return False
    return not Job.objects.filter(state=JobState.RUNNING, lease_until__gte=now).exists()


def claim(pk: int, *, now: int) -> Job | None:
    """Hold a job; None where somebody holds it, or one of its kind that is to be alone, or it is done, failed or gone.
    It fails for good where each who held it before was killed."""
    job = Job.objects.filter(_free(now), pk=pk).first()
    # To count facts takes long where there are many: nobody waits for that.
    return _claim(pk, _as_begun(job), now) if job else None


@transaction.atomic
def _claim(pk: int, begun: Mapping[str, Any], now: int) -> Job | None:
    free = Job.objects.filter(_free(now), pk=pk)
    # Two that are to be alone are not begun side by side.
    beside = Job.objects.filter(kind__in=_ALONE, space__jobs=pk, state__in=OPEN)
    list(beside.select_for_update(of=("self",)).order_by("pk"))
    if free.filter(tries__gte=_MOST_TRIES).update(state=JobState.FAILED, ended_at=now, error=_KILLED_ITS_WORKER):
        return None
    if not free.filter(~Exists(_held_beside(now))).exists():
        return None
    held = {"state": JobState.RUNNING, "started_at": now, "lease_until": now + LEASE, **begun}
    if not free.update(**held, stage="", done=0, of=0, attempt=F("attempt") + 1, tries=F("tries") + 1):
        return None
    return Job.objects.select_related("space").get(pk=pk)


def _held_beside(now: int) -> Any:
    """The job that another one waits for, since a space has one of its kind at a time."""
    beside = Job.objects.filter(space=OuterRef("space"), kind=OuterRef("kind"), state=JobState.RUNNING)
    return beside.filter(kind__in=_ALONE, lease_until__gte=now).exclude(pk=OuterRef("pk"))


def _as_begun(job: Job) -> dict[str, Any]:
    """How the space stood when a job was begun, unless it was begun before."""
    if job.before:
        return {}
    version = ConstantsVersion.objects.filter(space=job.space_id).order_by("since", "pk").last()
    return {"before": _counted(job.space_id), "constants_version": version.number if version else 0}


def _counted(space: int) -> str:
    """How many facts a space has in each state, as JSON."""
    states = Fact.objects.filter(space=space).order_by().values("state").annotate(facts=Count("pk"))
    counts = dict(states.values_list("state", "facts"))
    return json.dumps({name: counts.get(code, 0) for code, name in enumerate(STATES)})


def _free(now: int) -> Q:
    # A lease that ends long after it could have been taken now is that of a clock that went wrong.
    is_over = Q(lease_until__lt=now) | Q(lease_until__gt=now + _FAR * LEASE)
    return Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING) & is_over


def renew(job: Job, *, now: int) -> None:
    """Say that a job is still held. Raises Lost."""
    _write(job, lease_until=now + LEASE)


def progress(job: Job, done: int, of: int, *, now: int, stage: str = "") -> None:
    """Say how far a job is with what it is at, and that it is still held. Raises Lost."""
    _write(job, stage=stage, done=done, of=of, lease_until=now + LEASE)


def begun(job: Job, instant: int, *, now: int) -> None:
    """Say which pass a job has begun, in the transaction that begins it: whoever holds the job next goes on with it.
    Raises Lost."""
    _write(job, instant=instant, lease_until=now + LEASE)
    job.instant = instant


def finish(job: Job, result: Mapping[str, Any], *, now: int) -> None:
    """A job is done; in the transaction of what it did, so that it is done once. Raises Lost."""
    _write(job, state=JobState.DONE, ended_at=now, lease_until=NEVER, result=json.dumps(result))


def count_after(job: Job) -> None:
    """Keep how the space stands once a job is done; by itself, since that takes long where there are many facts."""
    Job.objects.filter(pk=job.pk, state=JobState.DONE, after="").update(after=_counted(job.space_id))


def hold(job: Job, result: Mapping[str, Any], *, now: int) -> None:
    """A job does nothing more until a person has looked at what it would do; it takes the place of one that waited.
    Within a transaction. Raises Lost."""
    Job.objects.filter(space=job.space_id, kind=job.kind, state=JobState.NEEDS_A_PERSON).delete()
    _write(job, state=JobState.NEEDS_A_PERSON, ended_at=now, lease_until=NEVER, result=json.dumps(result))


def fail(job: Job, error: str, *, now: int) -> None:
    """A job cannot be done; `error` is one sentence. Raises Lost."""
    _write(job, state=JobState.FAILED, ended_at=now, lease_until=NEVER, error=error)


def give_back(job: Job) -> None:
    """A try came to nothing through no fault of the job's: it does not count."""
    Job.objects.filter(pk=job.pk, attempt=job.attempt, state=JobState.RUNNING).update(tries=F("tries") - 1)


def _write(job: Job, **values: Any) -> None:
    held = Job.objects.filter(space=job.space_id, pk=job.pk, attempt=job.attempt, state=JobState.RUNNING)
    if not held.update(**values):
        raise Lost


def sweep(now: int) -> None:
    """Throw away, in all spaces, what ended long ago and is of interest for a short time only; and count what was left
    uncounted by a worker that was killed as it ended."""
    ended = Job.objects.filter(state__in=(JobState.DONE, JobState.FAILED))
    ended.filter(kind__in=_PASSING, ended_at__lt=now - _KEPT).delete()
    for job in ended.filter(state=JobState.DONE, after="", ended_at__gt=now - span(1)):
        count_after(job)
