"""Instants as pages show them."""

from typing import NamedTuple

from trustmem.core.instants import to_datetime
from trustmem.explanations.times import ago, until


class When(NamedTuple):
    """An instant for machines, to the minute, and as how long ago it was."""

    machine: str
    minute: str
    ago: str


def when(instant: int, now: int) -> When:
    """An instant (microseconds) as seen from now."""
    return _when(instant, ago(instant, now))


def ahead(instant: int, now: int) -> When:
    """An instant that is still to come: `ago` says in how long."""
    return _when(instant, until(instant, now))


def _when(instant: int, distance: str) -> When:
    at = to_datetime(instant)
    return When(at.isoformat(), f"{at:%Y-%m-%d %H:%M} UTC", distance)
