"""Instants, clocks and spans are whole microseconds, UTC, in int64; ages are days of 86 400 s (section 1)."""

from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import ArrayLike, NDArray

MICROSECONDS_PER_SECOND = 1_000_000
MICROSECONDS_PER_DAY = 86_400 * MICROSECONDS_PER_SECOND

#: Stands for "no such instant" in a column; earlier than any real one.
NEVER = np.iinfo(np.int64).min
#: Later than any real instant.
EVER = np.iinfo(np.int64).max

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def days(span: ArrayLike) -> NDArray[np.float64]:
    """Days in a span of microseconds.

    >>> float(days(43_200_000_000))
    0.5
    """
    return np.asarray(span, np.int64) / MICROSECONDS_PER_DAY


def span(days: float) -> int:
    """Whole microseconds in a number of days, rounded to the nearest.

    >>> span(0.5)
    43200000000
    """
    return round(days * MICROSECONDS_PER_DAY)


def from_datetime(moment: datetime) -> int:
    """The instant of an aware datetime; TypeError for a naive one.

    >>> from_datetime(datetime(1970, 1, 2, tzinfo=UTC))
    86400000000
    """
    return (moment - _EPOCH) // timedelta(microseconds=1)


def to_datetime(instant: int) -> datetime:
    """The UTC datetime of an instant.

    >>> to_datetime(86_400_000_000).isoformat()
    '1970-01-02T00:00:00+00:00'
    """
    return _EPOCH + timedelta(microseconds=int(instant))


def to_text(instant: int) -> str:
    """RFC 3339 in UTC, with a fraction only where there is one.

    >>> to_text(86_400_000_000)
    '1970-01-02T00:00:00Z'
    """
    return to_datetime(instant).isoformat().replace("+00:00", "Z")


def utc_date(instant: int) -> str:
    """The UTC date of an instant, as default runs name it.

    >>> utc_date(86_400_000_000)
    '1970-01-02'
    """
    return to_datetime(instant).date().isoformat()


def unnamed_run(source: str, at: int) -> str:
    """The run of what a source says at an instant (µs) in none that it names: the source and the day.

    >>> unnamed_run("ana", 0)
    'ana@1970-01-01'
    """
    return f"{source}@{utc_date(at)}"
