"""Trends: how many live facts stood in each band at some instants, told from the lines as they were then."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from django.db import transaction

from trustmem.core.fold import fold
from trustmem.core.instants import MICROSECONDS_PER_DAY, span
from trustmem.core.scores import score
from trustmem.core.stored import Stored
from trustmem.core.vocabulary import BANDS, LIVE
from trustmem.store import queries
from trustmem.store.history import history
from trustmem.store.models import BandCount, Space

#: A space of more lines is not folded once for each point: only how it stands now is added.
MOST_LINES = 200_000
Progress = Callable[[int, int], None]


def count_bands(
    space: Space,
    *,
    now: int,
    days: int = 90,
    points: int = 14,
    only_now: bool = False,
    progress: Progress = lambda done, of: None,
    conclude: Callable[[], None] = lambda: None,
) -> None:
    """Count the live facts of a space by band, at `now` and at midnights of the `days` before, `points` in all.

    At each instant: what the lines come to whose own instant is not later, scored then. What was counted before goes.
    With `only_now`, and in a space of more than MOST_LINES, only `now` is added, and what is older than `days` goes.
    `conclude` is called in the transaction that writes.
    """
    kept = BandCount.objects.none()
    if only_now or space.head_position > MOST_LINES:
        kept = BandCount.objects.filter(space=space, at__gt=now - span(days), at__lt=now)
        rows = [_row(space, now, queries.stored(space))]
    else:
        rows = list(_counted(space, instants(now, days, points), progress))
    with transaction.atomic():
        BandCount.objects.filter(space=space).exclude(pk__in=list(kept.values_list("pk", flat=True))).delete()
        BandCount.objects.bulk_create(rows)
        conclude()


def instants(now: int, days: int, points: int) -> list[int]:
    """`now` and the midnights (UTC) before it, in equal steps of whole days over about `days`, oldest first.

    >>> from trustmem.core.instants import to_text
    >>> [to_text(each) for each in instants(span(30.5), 14, 3)]
    ['1970-01-24T00:00:00Z', '1970-01-31T00:00:00Z', '1970-01-31T12:00:00Z']
    """
    today, step = now // MICROSECONDS_PER_DAY, round(days / (points - 1))
    midnights = {(today - step * ago) * MICROSECONDS_PER_DAY for ago in range(points - 1)}
    return sorted({*midnights, now})


def _counted(space: Space, instants: Sequence[int], progress: Progress) -> Iterator[BandCount]:
    told = history(space)
    for place, instant in enumerate(instants, start=1):
        lines = [line for line in told.lines if line.at <= instant]
        passes = [each for each in told.passes if each.at <= instant]
        yield _row(space, instant, fold(lines, passes).stored)
        progress(place, len(instants))


def _row(space: Space, at: int, stored: Stored) -> BandCount:
    scored = score(stored, at)
    counts = np.bincount(scored.band[scored.state == LIVE], minlength=len(BANDS)).tolist()
    names = (band.replace(" ", "_") for band in BANDS)
    return BandCount(space=space, at=at, **dict(zip(names, counts, strict=True)))
