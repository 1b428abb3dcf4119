"""Reads: what a space holds, as the core wants it. Every query names its space."""

from trustmem.core.constants import Constants, changed
from trustmem.core.stored import Stored
from trustmem.store import columns
from trustmem.store.models import ConstantsVersion, Pass, Space


def constants(space: Space, at: int | None = None) -> Constants:
    """The constants in force at an instant; the newest for None."""
    versions = ConstantsVersion.objects.filter(space=space).order_by("since", "pk")
    if at is not None:
        versions = versions.filter(since__lte=at)
    found = Constants()
    for values in versions.values_list("values", flat=True):
        found = changed(found, values)
    return found


def stored(space: Space) -> Stored:
    """The facts of a space as the core scores them; weights as the last pass left them."""
    last = Pass.objects.filter(space=space).order_by("instant").last()
    then = constants(space, last.instant if last else None)
    return columns.stored(space, constants(space), last.clock if last else 0, then)
