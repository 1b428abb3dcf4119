"""Instants and spans as people read them."""

from trustmem.core.instants import MICROSECONDS_PER_DAY, to_datetime

_UNITS = (("day", 1.0), ("hour", 24.0), ("minute", 24.0 * 60))


def minute(instant: int) -> str:
    """An instant to the minute, in UTC: 2026-06-01 09:00."""
    return to_datetime(instant).strftime("%Y-%m-%d %H:%M")


def ago(instant: int, now: int) -> str:
    """How long before now an instant was, in the largest unit of which there are two, or one minute."""
    days = (now - instant) / MICROSECONDS_PER_DAY
    for unit, per_day in _UNITS:
        if days * per_day >= 2:
            return f"{int(days * per_day)} {unit}s ago"
    return "just now" if days >= 0 else "in the future, taken as now"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun: no fact, 1 fact, 2 facts."""
    return f"{count or 'no'} {noun if count == 1 else plural or noun + 's'}"
