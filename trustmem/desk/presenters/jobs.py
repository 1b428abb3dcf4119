"""Jobs on files as pages show them: what each is at, how far that is, and for how long it has been."""

from typing import NamedTuple

from django.utils.translation import gettext, ngettext

from trustmem.actions import jobs, uploads
from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.store.models import OPEN, Job, JobState, Stage


class Step(NamedTuple):
    """A part of the way in, and whether the file is there."""

    title: str
    is_here: bool


class Doing(NamedTuple):
    """A job on a file: at which `stage` it is, in words (`says`), of which `steps`; `is_open` while it goes on, and
    `lasts` for how long. `percent` is '' where nobody can say how far it is."""

    pk: int
    stage: str
    file: str
    source: str
    by: str
    at: When
    says: str
    percent: str
    steps: list[Step]
    lasts: str
    is_open: bool
    is_taking: bool
    is_unclaimed: bool
    may_be_cancelled: bool
    error: str


def doing(job: Job, file: str, source: str, now: int) -> Doing:
    """How far a job on a file is."""
    stage = _stage(job)
    is_part = 0 < job.done < job.of
    return Doing(
        job.pk,
        stage,
        file,
        source,
        job.by,
        when(job.asked_at, now),
        _says(job, stage),
        f"{100 * job.done / job.of:.0f}" if is_part else "",
        _steps(job) if job.kind == uploads.TAKE_IN else [],
        lasting(now - (job.started_at if job.state == JobState.RUNNING else job.asked_at)),
        job.state in OPEN,
        job.kind == uploads.TAKE_IN,
        jobs.lacks_a_worker(job, now),
        uploads.may_be_cancelled(job),
        job.error,
    )


def _stage(job: Job) -> str:
    if job.state == JobState.FAILED:
        return "failed"
    if job.kind == uploads.TAKE_IN:
        return "taken" if job.state == JobState.DONE else "taking"
    return "judged" if job.state == JobState.DONE else "judging"


def _says(job: Job, stage: str) -> str:
    if stage == "failed":
        return gettext("Failed: {error}").format(error=job.error)
    if stage == "judged":
        return gettext("It is judged, and waits for you.")
    if job.state == JobState.QUEUED:
        return gettext("It waits for a worker.")
    return _at(job).format(done=whole(job.done), of=whole(job.of))


def _at(job: Job) -> str:
    """What a job that runs is at."""
    if job.stage == Stage.WRITING:
        return _writing(job)
    if not job.of:
        return gettext("The file is unpacked.")
    if job.done < job.of:
        return ngettext("{done} of {of} line is read.", "{done} of {of} lines are read.", job.of)
    return ngettext(
        "Its {of} line is read, and held against what the space has.",
        "All {of} lines are read, and held against what the space has.",
        job.of,
    )


def _writing(job: Job) -> str:
    if not job.of:
        return gettext("Writing begins.")
    if job.done < job.of:
        return ngettext("{done} of {of} line is written.", "{done} of {of} lines are written.", job.of)
    return ngettext(
        "{of} line is written, and what it comes to is reckoned: every trust and weight that it touches.",
        "All {of} lines are written, and what they come to is reckoned: every trust and weight that they touch.",
        job.of,
    )


def _steps(job: Job) -> list[Step]:
    """The way of a file into the space; a worker has yet to take what is queued."""
    is_written = job.stage == Stage.WRITING and 0 < job.of == job.done
    here = [job.stage != Stage.WRITING, job.stage == Stage.WRITING and not is_written, is_written]
    again = gettext("Judge it once more: somebody else wrote meanwhile")
    judged = again if job.stage == Stage.AGAIN else gettext("Judge it again, as it is now")
    titles = (judged, gettext("Write its lines"), gettext("Reckon what they come to"))
    is_running = job.state == JobState.RUNNING
    return [Step(title, is_running and is_here) for title, is_here in zip(titles, here, strict=True)]


def lasting(span: int) -> str:
    """For how long something has gone on (µs)."""
    seconds = max(span, 0) // MICROSECONDS_PER_SECOND
    if seconds < 120:
        return ngettext("So far {count} second.", "So far {count} seconds.", seconds).format(count=seconds)
    minutes = seconds // 60
    return ngettext("So far {count} minute.", "So far {count} minutes.", minutes).format(count=whole(minutes))
