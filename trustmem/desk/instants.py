"""Instants as pages show them."""

from typing import NamedTuple

from trustmem.core.instants import to_datetime
from trustmem.explanations.times import ago


class When(NamedTuple):
    """An instant for machines, to the minute, and as how long ago it was."""

    machine: str
    minute: str
    ago: str


def when(instant: int, now: int) -> When:
    """An instant (microseconds) as seen from now."""
    at = to_datetime(instant)
    return When(at.isoformat(), f"{at:%Y-%m-%d %H:%M} UTC", ago(instant, now))
