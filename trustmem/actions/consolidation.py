"""Consolidation: a pass over one space."""

from django.db import transaction
from django.db.models import Max

from trustmem.actions import acts
from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_text
from trustmem.formats.interchange_types import parse_record
from trustmem.store.models import Line, Pass, Space


@transaction.atomic
def consolidate(space: Space, *, at: int | None = None, by: str, now: int) -> Pass:
    """Take a pass at an instant (default: now); what it did. Raises Refusal unless that is later than the last pass.

    It can be undone by its instant. The line of a pass says nothing but that, so `by` is not on record.
    """
    acts.begin(space)
    instant = now if at is None else at
    last = Line.objects.filter(space=space, tag="pass").aggregate(last=Max("at"))["last"]
    if last is not None and instant <= last:
        raise Refusal(f"a pass at {to_text(instant)} is not later than the last one, at {to_text(last)}")
    line = parse_record({"type": "pass", "at": to_text(instant)})
    acts.append(space, [line | {"arrived": max(instant, acts.stamp(space, now))}])
    return Pass.objects.get(space=space, instant=instant)
