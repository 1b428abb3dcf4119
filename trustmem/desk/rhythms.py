"""How often something is due, in words."""

from django.utils.translation import gettext, ngettext

from trustmem.actions import schedules
from trustmem.actions.schedules import HOUR


def often(every: int) -> str:
    """A span from one slot to the next (µs; 0: there is none)."""
    hours = every // HOUR
    if not hours:
        return gettext("never")
    if hours == 24:
        return gettext("every day")
    if hours == 168:
        return gettext("every week")
    if hours % 24 == 0:
        return ngettext("every {count} day", "every {count} days", hours // 24).format(count=hours // 24)
    if hours == 1:
        return gettext("every hour")
    return ngettext("every {count} hour", "every {count} hours", hours).format(count=hours)


def choices() -> list[tuple[int, str]]:
    """How often something can be due, in hours."""
    return [(each // HOUR, often(each)) for each in schedules.CHOICES]
