"""What passes did to one fact, the newest first."""

from collections.abc import Callable
from typing import NamedTuple

from django.utils.translation import ngettext

from trustmem.core.constants import Constants
from trustmem.core.instants import to_text
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters.changes import OF_WEIGHT, deeds, weights
from trustmem.explanations.passes import changes
from trustmem.store.models import Change, Fact, Space

#: So many passes stand on the page of a fact.
MOST_SHOWN = 10


class Deed(NamedTuple):
    """What a pass, by its name in addresses, did to a fact; and its weight without the pass and after it."""

    name: str
    at: When
    did: list[str]
    says: list[str]
    before: str
    after: str


class Done(NamedTuple):
    """The newest of what passes did to a fact, and how much more there is ('': none)."""

    rows: list[Deed]
    more: str


def done_to(space: Space, name: str, constants_at: Callable[[int], Constants], now: int) -> Done:
    """What passes did to a fact, those left out that were rolled back; `constants_at` an instant are in force there."""
    left = Fact.objects.filter(space=space, name=name).values("pk", *OF_WEIGHT).get()
    found = Change.objects.filter(space=space, fact=left["pk"])
    rows = []
    for change in found.select_related("of_pass").order_by("-of_pass__instant")[:MOST_SHOWN]:
        before = {**left, **change.before}
        rows.append(_deed(change, before, left, constants_at(change.of_pass.instant), now))
        left = before
    more = found.count() - len(rows)
    said = ngettext("and {count} more", "and {count} more", more).format(count=whole(more)) if more else ""
    return Done(rows, said)


def _deed(change: Change, before: dict[str, object], after: dict[str, object], constants: Constants, now: int) -> Deed:
    """`before` and `after` are what its weight came from."""
    was, is_now = map(float, weights(change.of_pass, [before, after], constants))
    return Deed(
        to_text(change.of_pass.instant),
        when(change.of_pass.instant, now),
        deeds(change),
        changes(change.before, change.after, is_now, constants),
        two(was),
        two(is_now),
    )
