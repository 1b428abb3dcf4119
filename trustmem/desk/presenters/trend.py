"""Bands over time as the dashboard shows them: what was counted, how old that is, and whether it is being counted."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext

from trustmem.actions import jobs
from trustmem.actions.trends import MOST_LINES
from trustmem.core.instants import MICROSECONDS_PER_DAY, utc_date
from trustmem.core.vocabulary import BANDS
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.words import word
from trustmem.explanations.times import minute
from trustmem.store.models import BandCount, Job, JobState, Space
from trustmem.store.models.jobs import OPEN

#: A count that is older is made anew.
_OLD = MICROSECONDS_PER_DAY
#: So many of the newest counts are shown: in a large space each that is asked for adds one.
_MOST = 120


class Banded(NamedTuple):
    """How many live facts stood in each band, in the order of BANDS, at an instant."""

    at: int
    counts: Sequence[int]


class Trend(NamedTuple):
    """The table behind the figure, when it was counted, and what to say of the job that counts: whether it is at work
    (`percent` of it), `waits` for a worker, or `failed` with a sentence. `is_due`: it is to be counted anew;
    `can_differ`: it may come to something else than the last time."""

    head: list[str]
    rows: list[list[str]]
    counted: When | None
    notes: list[str]
    is_counting: bool
    waits: bool
    percent: str
    failed: str
    is_due: bool
    can_differ: bool


def points(space: Space) -> list[Banded]:
    """What was counted, oldest first."""
    names = [band.replace(" ", "_") for band in BANDS]
    rows = BandCount.objects.filter(space=space).order_by("-at").values_list("at", *names)[:_MOST]
    return [Banded(at, counts) for at, *counts in reversed(rows)]


def slot(space: Space, now: int) -> str:
    """Asked for twice on a day on which nothing came, a count is made once."""
    return f"{utc_date(now)}:{space.head_position}"


def trend(space: Space, now: int) -> Trend:
    """How the bands of a space came to be what they are."""
    found = points(space)
    job = Job.objects.filter(space=space, kind=jobs.TRENDS).order_by("asked_at", "pk").last()
    is_open = job is not None and job.state in OPEN
    return Trend(
        head=[gettext("Instant (UTC)"), *map(word, BANDS)],
        rows=[[minute(each.at), *map(whole, each.counts)] for each in reversed(found)],
        counted=when(found[-1].at, now) if found else None,
        notes=_notes(space, found),
        is_counting=is_open,
        waits=job is not None and jobs.lacks_a_worker(job, now),
        percent=str(100 * job.done // job.of) if job is not None and job.of else "0",
        failed=job.error if job is not None and job.state == JobState.FAILED else "",
        is_due=not is_open and (not found or now - found[-1].at > _OLD),
        can_differ=job is None or job.state == JobState.FAILED or job.slot != slot(space, now),
    )


def _notes(space: Space, found: Sequence[Banded]) -> list[str]:
    notes = []
    if found and space.written_at > found[-1].at:
        notes.append(gettext("Lines have come since."))
    if space.head_position > MOST_LINES:
        lines = gettext("A space of more than {lines} lines is counted as of today alone, so that it grows day by day.")
        notes.append(lines.format(lines=whole(MOST_LINES)))
    if len(found) == 1:
        notes.append(gettext("It was counted once so far; a line begins with the second time."))
    return notes
