"""Uploads: a file that somebody gave is judged, taken in or thrown away, and kept no longer than that takes."""

import gzip
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader, BytesIO
from typing import IO

from django.conf import settings
from django.db import transaction

from trustmem.actions import jobs
from trustmem.actions.errors import Refusal
from trustmem.actions.telling import kind_of
from trustmem.core.instants import span
from trustmem.formats.raw_lines import Unreadable, is_packed, unpacked
from trustmem.store.models import OPEN, Job, JobState, Space, Stage, Upload

#: Bytes of a file as it is given, and unpacked; and its lines.
MOST_GIVEN, MOST_UNPACKED, MOST_LINES = 100 << 20, 1 << 30, 5_000_000
#: How long a file is kept that nobody takes in (µs).
KEPT = span(1)
#: Lines from which the format of a file is told.
_FIRST = 200
#: What can be asked of an upload: the kinds of these jobs.
JUDGE, TAKE_IN = "judge", "import"
_BEFORE_WRITING = ("", Stage.READING)


def keep(space: Space, file: IO[bytes], *, name: str, source: str, by: str, now: int) -> Upload:
    """A file as it is until it is taken in, told by `source`. Raises Refusal where it is too large, damaged, empty or
    none of ours."""
    given = file.read(MOST_GIVEN + 1)
    if len(given) > MOST_GIVEN:
        raise Refusal(f"{name}: is more than {MOST_GIVEN >> 20} MiB; pack it with gzip, or use `trustmem import`")
    try:
        digest = _digest(given)
    except (Unreadable, Refusal) as error:
        raise Refusal(f"{name}: {error}") from None
    packed = given if is_packed(given) else gzip.compress(given, compresslevel=6)
    return Upload.objects.create(space=space, name=name, content=packed, digest=digest, source=source, by=by, at=now)


def _digest(given: bytes) -> str:
    """That of a file, unpacked. Raises Unreadable, and Refusal."""
    digest, first = hashlib.sha256(), list[bytes]()
    for line in _lines(given):
        digest.update(line)
        if len(first) < _FIRST and line.strip():
            first.append(line)
    if not first:
        raise Refusal("it is empty")
    kind_of(first)
    return digest.hexdigest()


def raw_lines(upload: Upload) -> list[bytes]:
    """The lines of its file."""
    return list(_lines(bytes(upload.content)))


def _lines(content: bytes) -> Iterator[bytes]:
    return unpacked(BufferedReader(BytesIO(content)), MOST_UNPACKED, MOST_LINES)


def judge(upload: Upload, *, by: str, now: int) -> Job:
    """Ask what would become of it."""
    return jobs.ask(upload.space, JUDGE, by=by, now=now, slot=str(upload.pk), upload=upload.pk)


def take_in(upload: Upload, *, by: str, now: int, every: int | None = None) -> Job:
    """Ask for it to be taken in; `every` (µs) with passes of its own."""
    return jobs.ask(upload.space, TAKE_IN, by=by, now=now, slot=str(upload.pk), upload=upload.pk, every=every)


def may_be_cancelled(job: Job) -> bool:
    """Whether a file that is to be taken in is not being written yet: nor was before its worker was killed."""
    return job.kind == TAKE_IN and job.state in OPEN and job.attempt <= 1 and job.stage in _BEFORE_WRITING


@transaction.atomic
def cancel(space: Space, pk: int) -> bool:
    """Ask no more for a file to be taken in; it is kept. False: it is being written already, or was."""
    waiting = Job.objects.filter(space=space, pk=pk, kind=TAKE_IN, state__in=OPEN, attempt__lte=1)
    gone, _ = waiting.filter(stage__in=_BEFORE_WRITING).delete()
    return bool(gone)


@transaction.atomic
def discard(space: Space, pk: int) -> None:
    """Throw a file away, and what was judged of it or wrong with it, which may hold texts of it."""
    Upload.objects.filter(space=space, pk=pk).delete()
    about = Job.objects.filter(space=space, slot=str(pk))
    about.filter(kind=JUDGE).delete()
    about.filter(kind=TAKE_IN, state=JobState.FAILED).delete()


def forget(space: Space) -> None:
    """Throw all files of a space away, what jobs told of them, and what was said to those that decide or undo: it may
    hold what is erased."""
    Upload.objects.filter(space=space).delete()
    of_space = Job.objects.filter(space=space)
    of_space.filter(kind=JUDGE).delete()
    of_space.filter(kind__in=(TAKE_IN, jobs.DECISION)).exclude(state__in=OPEN).delete()
    for job in of_space.filter(kind__in=(jobs.UNDO, jobs.DECISION, jobs.ADOPTION)):
        back = job.asked.get("back", "").partition("?")[0]  # beyond that stands what somebody looked for
        Job.objects.filter(pk=job.pk).update(asked={**job.asked, "reason": "", "back": back})


def sweep(now: int) -> None:
    """Throw away, in all spaces, what was given long ago and is not being taken in."""
    for upload in Upload.objects.filter(at__lt=now - KEPT).only("pk", "space"):
        taking = Job.objects.filter(space=upload.space_id, kind=TAKE_IN, slot=str(upload.pk), state__in=OPEN)
        if not taking.exists():
            discard(upload.space, upload.pk)
    _sweep_folder(now)


def _sweep_folder(now: int) -> None:
    """Of a process that was killed while it was sent a file, what had come is left in a folder of the home."""
    for left in settings.UPLOADS.glob("*.upload*"):
        with suppress(FileNotFoundError):
            if left.stat().st_mtime_ns // 1000 < now - KEPT:
                left.unlink()
