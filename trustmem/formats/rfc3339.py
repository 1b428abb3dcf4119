"""RFC 3339 times to instants: an offset is asked for, and nothing about a time is guessed."""

import re
from datetime import UTC, datetime

from trustmem.core import instants

_FORM = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9])|(?P<none>))"
)
_FIRST = instants.from_datetime(datetime.min.replace(tzinfo=UTC))
_LAST = instants.from_datetime(datetime.max.replace(tzinfo=UTC))


def parse(text: str) -> int:
    """The instant of an RFC 3339 time, whole microseconds; digits of a second beyond the sixth are cut.

    Raises ValueError with a reason that a field's name goes before.

    >>> parse("1970-01-01T01:00:00.5+01:00")
    500000
    """
    form = _FORM.fullmatch(text)
    if not form:
        raise ValueError("is no RFC 3339 time, such as 2026-01-05T08:09:10+01:00")
    if form["none"] is not None:
        raise ValueError("has no UTC offset")
    *calendar, fraction, sign, hours, minutes, _ = form.groups()
    year, month, day, hour, minute, second = map(int, calendar)
    if second == 60:
        raise ValueError("is in a leap second (:60), which has no instant here")
    try:
        local = datetime(max(year, 1), month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        raise ValueError("is a time that does not exist") from None
    ahead = int(hours or 0) * 60 + int(minutes or 0)
    seconds_ahead = 60 * (-ahead if sign == "-" else ahead)
    instant = instants.from_datetime(local) - seconds_ahead * instants.MICROSECONDS_PER_SECOND
    instant += int((fraction or "")[:6].ljust(6, "0"))
    if year == 0 or not _FIRST <= instant <= _LAST:
        raise ValueError("lies outside the years 1 to 9999")
    return instant
