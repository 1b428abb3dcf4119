"""Consolidation: a pass over one space."""

from django.db import transaction

from trustmem.actions import acts, passes
from trustmem.actions.errors import Refusal
from trustmem.actions.records import entry
from trustmem.core.instants import to_text
from trustmem.formats.interchange_types import parse_record
from trustmem.store import chain, queries
from trustmem.store.models import Line, Pass, Space


def consolidate(space: Space, *, at: int | None = None, by: str, now: int) -> Pass:
    """Take a pass at an instant (default: now); what it did. Raises Refusal unless that is later than the last pass and
    not ahead of now.

    The line of the pass is written first, so that what happens from then on comes after it; then facts go through in
    many transactions. Cut short, it goes on with `passes.go_on`, or before the next pass.
    It can be undone by its instant. The line of a pass says nothing but that, so `by` is not on record.
    """
    instant = now if at is None else at
    passes.go_on(space)
    while not _begin(space, instant, now):
        passes.go_on(space)
    passes.go_on(space)
    return Pass.objects.get(space=space, instant=instant)


@transaction.atomic
def _begin(space: Space, instant: int, now: int) -> bool:
    """Write the line of a pass; False where somebody else's pass has come to be under way."""
    acts.begin(space)
    if passes.under_way(space):
        return False
    if instant > now:
        raise Refusal(f"a pass at {to_text(instant)} would be ahead of now, {to_text(now)}, and hold up all before it")
    last = queries.last_pass(space)
    if last is not None and instant <= last.instant:
        raise Refusal(f"a pass at {to_text(instant)} is not later than the last one, at {to_text(last.instant)}")
    if Line.objects.filter(space=space, name=to_text(instant)).exists():
        raise Refusal(f"no pass can be at {to_text(instant)}, since that is the id of a line")
    line = parse_record({"type": "pass", "at": to_text(instant)}) | {"arrived": max(instant, acts.stamp(space, now))}
    if space.arrived_to > instant or space.head_position == 0:
        # The pass is one of long ago, and does not fold all that there is.
        acts.append(space, [line])
        return True
    chain.append(space, [entry(line)])
    taken = Pass.objects.create(space=space, instant=instant, clock=0, through=0)
    taken.clock = int(queries.clock(space).at(instant))
    taken.save(update_fields=["clock"])
    space.folded_to = space.head_position
    space.save(update_fields=["folded_to"])
    return True
