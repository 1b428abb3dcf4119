"""What passes did to one fact, the newest first."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.utils.translation import ngettext

from trustmem.core.constants import Constants
from trustmem.core.instants import to_text
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters.changes import OF_WEIGHT, deeds, weights
from trustmem.explanations.passes import changes
from trustmem.explanations.past import AsOf
from trustmem.store import passes
from trustmem.store.models import Change, Fact, Pass, Space

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
    newest = found.select_related("of_pass").order_by("-of_pass__instant")[:MOST_SHOWN]
    return _told(newest, found.count(), left, constants_at, now)


def done_then(then: AsOf, name: str) -> Done:
    """What passes had done to a fact by an instant, as it looked then."""
    row, weights = then.memory.row[name], then.memory.folded.stored.weights
    found = [
        Change(of_pass=Pass(instant=taken.instant, clock=taken.clock), did=did, before=before, after=after)
        for taken in reversed(then.past.taken)
        for each, did, before, after in passes.changes(taken)
        if each == row
    ]
    left = {name: getattr(weights, name)[row].item() for name in OF_WEIGHT}
    return _told(found[:MOST_SHOWN], len(found), left, then.memory.folded.history.constants_at, then.memory.now)


def passes_over(space: Space, name: str) -> list[int]:
    """The instants of the passes that changed a fact."""
    key = Fact.objects.filter(space=space, name=name).values_list("pk", flat=True).first()
    return list(Change.objects.filter(space=space, fact=key).values_list("of_pass__instant", flat=True)) if key else []


def _told(
    newest: Iterable[Change], many: int, left: dict[str, Any], constants_at: Callable[[int], Constants], now: int
) -> Done:
    """The newest of so many changes; `left` is what they left of what a weight comes from."""
    rows = []
    for change in newest:
        before = {**left, **change.before}
        rows.append(_deed(change, before, left, constants_at(change.of_pass.instant), now))
        left = before
    more = many - len(rows)
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
