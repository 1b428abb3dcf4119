"""Whether the log is unbroken: what was found when it was verified last, and the report of that."""

import json
from typing import Any, NamedTuple

from django.utils.translation import gettext, ngettext

from trustmem.actions import attest, jobs
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.jobs import lasting
from trustmem.store.models import OPEN, Job, JobState, Space

#: So much of what was found stands on the page.
_MOST_FOUND = 10


class Proof(NamedTuple):
    """A verification: how far it is (`is_open`), or what it found (`says`, `found`, and how much `more`), up to which
    head, and the fingerprint of the key that signed it; `error` where it could not be done."""

    pk: int
    by: str
    at: When
    is_open: bool
    is_unclaimed: bool
    lasts: str
    percent: str
    error: str
    holds: bool
    says: str
    found: list[str]
    more: str
    position: str
    digest: str
    fingerprint: str


def last(space: Space, now: int) -> Proof | None:
    """The verification that was asked for last; None: none yet."""
    job = Job.objects.filter(space=space, kind=jobs.VERIFY).order_by("pk").last()
    if job is None:
        return None
    error, told = job.error, _TELLS_NOTHING
    if job.state == JobState.DONE:
        try:
            told = _told(job)
        except attest.NoReport:
            error = gettext("the report that is kept here is not the one that was signed")
    is_running = job.state == JobState.RUNNING
    return Proof(
        job.pk,
        job.by,
        when(job.asked_at if job.state in OPEN else job.ended_at, now),
        job.state in OPEN,
        jobs.lacks_a_worker(job, now),
        lasting(now - (job.started_at if is_running else job.asked_at)) if job.state in OPEN else "",
        f"{100 * job.done / job.of:.0f}" if 0 < job.done < job.of else "",
        error,
        **told,
    )


_TELLS_NOTHING: dict[str, Any] = {
    "holds": False,
    "says": "",
    "found": [],
    "more": "",
    "position": "",
    "digest": "",
    "fingerprint": "",
}


def _told(job: Job) -> dict[str, Any]:
    report = attest.check(report_of(job))
    shown, more = report.found[:_MOST_FOUND], report.problems - len(report.found[:_MOST_FOUND])
    return {
        "holds": not report.problems,
        "says": _says(report.lines, report.problems),
        "found": shown,
        "more": ngettext("and {count} more", "and {count} more", more).format(count=whole(more)) if more else "",
        "position": whole(report.position),
        "digest": report.digest,
        "fingerprint": report.fingerprint,
    }


def _says(lines: int, problems: int) -> str:
    if problems:
        told = ngettext("{count} thing is amiss.", "{count} things are amiss.", problems)
        return told.format(count=whole(problems))
    if not lines:
        return gettext("There is no line yet.")
    told = ngettext(
        "The {count} line is as it was written, and nothing is missing.",
        "All {count} lines are as they were written, and none is missing.",
        lines,
    )
    return told.format(count=whole(lines))


def report_of(job: Job) -> bytes:
    """The report as a file."""
    report: str = json.loads(job.result)["report"]
    return report.encode()
