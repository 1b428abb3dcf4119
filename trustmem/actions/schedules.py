"""Schedules: when jobs of a space are due, in UTC, and that they are asked for then, each slot once."""

import logging
from collections.abc import Mapping
from typing import NamedTuple

from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef

from trustmem.actions import consolidation, detection, jobs, serving
from trustmem.actions.errors import Refusal
from trustmem.core.instants import MICROSECONDS_PER_DAY, NEVER, to_text
from trustmem.store.models import OPEN, Fact, Job, Schedule, Space

_log = logging.getLogger(__name__)
HOUR = MICROSECONDS_PER_DAY // 24


class Rhythm(NamedTuple):
    """Due at each instant that is `offset` after a multiple of `every` (µs since 1970, UTC); 0: never."""

    every: int
    offset: int = 0


#: What can be scheduled, and the rhythm of a space that nobody has set.
DEFAULTS: Mapping[str, Rhythm] = {
    jobs.CONSOLIDATION: Rhythm(24 * HOUR, 3 * HOUR),
    jobs.REFRESH: Rhythm(6 * HOUR),
    jobs.TRENDS: Rhythm(24 * HOUR, 4 * HOUR),
    jobs.HISTOGRAMS: Rhythm(24 * HOUR, 5 * HOUR),
    jobs.OUTCOMES: Rhythm(24 * HOUR, 6 * HOUR),
    jobs.GRAPH: Rhythm(24 * HOUR, 7 * HOUR),
}
#: How often something can be due (µs); 0: never.
CHOICES = (0, *(hours * HOUR for hours in (1, 2, 3, 4, 6, 8, 12, 24, 48, 168)))
#: Who asks for what is due.
SCHEDULE = "the schedule"  # no user's name has a space


def latest(rhythm: Rhythm, now: int) -> int:
    """The latest slot at or before `now`; NEVER without one.

    >>> latest(Rhythm(24 * HOUR, 3 * HOUR), 28 * HOUR) // HOUR
    27
    """
    if not rhythm.every:
        return NEVER
    return (now - rhythm.offset) // rhythm.every * rhythm.every + rhythm.offset


def next_due(rhythm: Rhythm, now: int) -> int:
    """The first slot after `now`; NEVER without one.

    >>> next_due(Rhythm(24 * HOUR, 3 * HOUR), 27 * HOUR) // HOUR
    51
    """
    return latest(rhythm, now) + rhythm.every if rhythm.every else NEVER


def of(space: Space) -> dict[str, Rhythm]:
    """The rhythm of each kind in a space."""
    kept = Schedule.objects.filter(space=space).values_list("kind", "every", "offset")
    return {**DEFAULTS, **{kind: Rhythm(every, offset) for kind, every, offset in kept}}


@transaction.atomic
def change(space: Space, kind: str, rhythm: Rhythm, *, by: str, now: int) -> None:
    """Have jobs of a kind be due in another rhythm from now on. Raises Refusal for one that cannot be."""
    if kind not in DEFAULTS:
        raise Refusal(f'there is no schedule for "{kind}"')
    if rhythm.every not in CHOICES or not 0 <= rhythm.offset < max(rhythm.every, 1):
        raise Refusal("a schedule is one of those offered, and begins within its own length")
    values = {"every": rhythm.every, "offset": rhythm.offset, "last_slot": latest(rhythm, now)}
    Schedule.objects.update_or_create(space=space, kind=kind, defaults={**values, "by": by, "changed_at": now})


def tick(now: int) -> None:
    """Ask for what has come to be due in all spaces, for a check of what the detector has not seen, and
    for what was handed out to be put on record. It may be
    called by many at once, and at any time: of each slot there is one job. Of slots that were missed the latest is
    asked for alone."""
    for space in Space.objects.filter(Exists(Fact.objects.filter(space=OuterRef("pk")))).order_by("pk"):
        try:
            kept = {each.kind: each for each in Schedule.objects.filter(space=space)}
            for kind in DEFAULTS:
                _look(space, kind, kept.get(kind), now)
            detection.ask_if_due(space, by=SCHEDULE, now=now)
            serving.ask_if_due(space, by=SCHEDULE, now=now)
        except DatabaseError as error:  # the others are not to wait for this one
            _log.warning("what is due in space %s is asked for the next time: %s", space.pk, error)


def _look(space: Space, kind: str, schedule: Schedule | None, now: int) -> None:
    if schedule is None:
        # What came before anybody looked is not made up for.
        rhythm = DEFAULTS[kind]
        values = {"every": rhythm.every, "offset": rhythm.offset, "last_slot": latest(rhythm, now)}
        Schedule.objects.get_or_create(space=space, kind=kind, defaults=values)
        return
    slot = latest(Rhythm(schedule.every, schedule.offset), now)
    # One that lies far ahead was asked for by a clock that went wrong.
    if slot > schedule.last_slot or schedule.last_slot > now + schedule.every > now:
        _ask(space, schedule, slot, now)


@transaction.atomic
def _ask(space: Space, schedule: Schedule, slot: int, now: int) -> None:
    """Ask for the job of a slot, unless somebody else just has, or works on the space: it is looked for again soon."""
    if not Space.objects.select_for_update(skip_locked=True, no_key=True).filter(pk=space.pk).first():
        return
    mine = Schedule.objects.filter(pk=schedule.pk, last_slot=schedule.last_slot)
    if not mine.update(last_slot=slot):
        return
    if schedule.kind == jobs.CONSOLIDATION:
        consolidation.ask(space, by=SCHEDULE, now=now, slot=to_text(slot))
    elif not Job.objects.filter(space=space, kind=schedule.kind, state__in=OPEN).exists():
        jobs.ask(space, schedule.kind, by=SCHEDULE, now=now, slot=to_text(slot), **_WHAT.get(schedule.kind, {}))


#: What is asked for beside the kind: to count all of the past anew is for those who ask for it.
_WHAT = {jobs.TRENDS: {"only_now": True}}
