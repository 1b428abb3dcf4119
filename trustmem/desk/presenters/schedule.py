"""Schedules as pages show them and as people set them: how often, at which time of day, and when that is next."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext, gettext_lazy, ngettext

from trustmem.actions import jobs, schedules
from trustmem.actions.schedules import HOUR, Rhythm
from trustmem.core.instants import MICROSECONDS_PER_DAY, NEVER, days, span
from trustmem.desk.instants import When, ahead, when
from trustmem.desk.numbers import short
from trustmem.desk.rhythms import often
from trustmem.store import queries
from trustmem.store.models import Schedule, Space

_DAY = MICROSECONDS_PER_DAY
_MINUTE = HOUR // 60
_TITLES = {
    jobs.CONSOLIDATION: gettext_lazy("Passes"),
    jobs.REFRESH: gettext_lazy("Refresh of stored trust"),
    jobs.TRENDS: gettext_lazy("Count of bands"),
    jobs.HISTOGRAMS: gettext_lazy("Histograms"),
    jobs.OUTCOMES: gettext_lazy("Outcomes"),
    jobs.GRAPH: gettext_lazy("Graph"),
}
_PURPOSES = {
    jobs.CONSOLIDATION: gettext_lazy("Facts fade, are pruned, come back and are promoted."),
    jobs.REFRESH: gettext_lazy("Lists sort and filter by trust as of then; nothing else changes."),
    jobs.TRENDS: gettext_lazy("How many facts stand in each band, for the figure on the desk."),
    jobs.HISTOGRAMS: gettext_lazy("How facts spread by age, use and trust, for the calibration lab."),
    jobs.OUTCOMES: gettext_lazy("What people found right or wrong, for the calibration lab."),
    jobs.GRAPH: gettext_lazy("What lies near in meaning or is mentioned together, and how central entities are."),
}


class Planned(NamedTuple):
    """What is due time and again: how often in words, when `next` (None: never), who set that, and a `warning` ('':
    none)."""

    kind: str
    title: str
    purpose: str
    says: str
    next: When | None
    by: str
    at: When | None
    warning: str


def planned(space: Space, now: int) -> list[Planned]:
    """The schedules of a space."""
    set_by = {each.kind: each for each in Schedule.objects.filter(space=space, changed_at__gt=NEVER)}
    most = queries.constants(space).max_pass_gap_days
    return [
        Planned(
            kind,
            str(_TITLES[kind]),
            str(_PURPOSES[kind]),
            _says(rhythm),
            ahead(schedules.next_due(rhythm, now), now) if rhythm.every else None,
            set_by[kind].by if kind in set_by else "",
            when(set_by[kind].changed_at, now) if kind in set_by else None,
            _warning(rhythm, most) if kind == jobs.CONSOLIDATION else "",
        )
        for kind, rhythm in schedules.of(space).items()
    ]


def _says(rhythm: Rhythm) -> str:
    at = time_of_day(rhythm)
    if not rhythm.every:
        return often(0)
    if rhythm.every < _DAY:
        return gettext("{every}, counted from {time} UTC").format(every=often(rhythm.every), time=at)
    return gettext("{every} at {time} UTC").format(every=often(rhythm.every), time=at)


def time_of_day(rhythm: Rhythm) -> str:
    """The first time of a day at which a rhythm is due, as HH:MM."""
    hours, minutes = divmod(rhythm.offset % _DAY // _MINUTE, 60)
    return f"{hours:02}:{minutes:02}"


def initial(kind: str, rhythm: Rhythm) -> dict[str, Any]:
    """A rhythm as its form shows it; what is never due, with the time of day of a space that nobody has set."""
    return {"every": rhythm.every // HOUR, "at": time_of_day(rhythm if rhythm.every else schedules.DEFAULTS[kind])}


def rhythm(given: Mapping[str, Any], kept: Rhythm, now: int) -> Rhythm:
    """The rhythm that a form asks for (`every` in hours, `at` a time of day, which what never comes needs not). What is
    rarer than daily keeps its day where only that was set before; else the first is at that time next."""
    if not given["every"]:
        return Rhythm(0)
    every, at = given["every"] * HOUR, (given["at"].hour * 60 + given["at"].minute) * _MINUTE
    if every <= _DAY:
        return Rhythm(every, at % every)
    if kept.every == every and kept.offset % _DAY == at:
        return kept
    return Rhythm(every, schedules.next_due(Rhythm(_DAY, at), now) % every)


def _warning(rhythm: Rhythm, most: float) -> str:
    """What it means that passes come more seldom than the clock runs on without one."""
    told = {"days": ngettext("{count} day", "{count} days", _plural(most)).format(count=short(most))}
    if not rhythm.every:
        return gettext(
            "No pass is due by itself. A fact ages at most {days} after a pass; until somebody runs the next, nothing "
            "fades further, comes back or is promoted."
        ).format(**told)
    if rhythm.every <= span(most):
        return ""
    passed = float(days(rhythm.every))
    told["passed"] = ngettext("{count} day", "{count} days", _plural(passed)).format(count=short(passed))
    return gettext(
        "A fact ages at most {days} between two passes, and here a pass comes every {passed}: facts age slower than "
        "time goes by. The constant max_pass_gap_days says so."
    ).format(**told)


def _plural(number: float) -> int:
    return 1 if number == 1 else 2
