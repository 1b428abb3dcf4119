"""Instants as people read them."""

from trustmem.core.instants import MICROSECONDS_PER_DAY, to_datetime
from trustmem.explanations.words import counted, say

_HOUR = MICROSECONDS_PER_DAY // 24
_MINUTE = _HOUR // 60


def minute(instant: int) -> str:
    """An instant to the minute, in UTC: 2026-06-01 09:00."""
    return to_datetime(instant).strftime("%Y-%m-%d %H:%M")


def ago(instant: int, now: int) -> str:
    """How long before now an instant was, in the largest unit of which there are two, or one minute."""
    span = now - instant
    if (days := span // MICROSECONDS_PER_DAY) >= 2:
        return counted(days, "{count} day ago", "{count} days ago")
    if (hours := span // _HOUR) >= 2:
        return counted(hours, "{count} hour ago", "{count} hours ago")
    if (minutes := span // _MINUTE) >= 2:
        return counted(minutes, "{count} minute ago", "{count} minutes ago")
    return say("just now") if span >= 0 else say("in the future, taken as now")


def until(instant: int, now: int) -> str:
    """How long after now an instant will be, in the largest unit of which there are two, or one minute."""
    span = instant - now
    if (days := span // MICROSECONDS_PER_DAY) >= 2:
        return counted(days, "in {count} day", "in {count} days")
    if (hours := span // _HOUR) >= 2:
        return counted(hours, "in {count} hour", "in {count} hours")
    if (minutes := span // _MINUTE) >= 2:
        return counted(minutes, "in {count} minute", "in {count} minutes")
    return say("now") if span <= 0 else say("in a minute")
