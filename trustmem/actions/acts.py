"""An act: the lines that one decision writes, in one transaction, under one id by which it can be undone."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max

from trustmem.actions import spaces
from trustmem.actions.errors import Refusal
from trustmem.actions.folding import refold
from trustmem.actions.records import entry
from trustmem.core.instants import to_text
from trustmem.formats.interchange_types import parse_record
from trustmem.store import chain
from trustmem.store.models import Line, Space


@transaction.atomic
def write(space: Space, lines: Sequence[Mapping[str, Any]], *, now: int) -> str:
    """Write the lines of one act at `now` and fold them; the id of the act.

    A line is given as an interchange file has it, but for `id`, `at` and `act`, which it gets here. Raises Refusal.
    """
    chain.lock(space)
    act = f"act:{secrets.token_hex(8)}"
    arrived = stamp(space, now)
    given = [
        {"id": f"{act}:{place}", **line, "at": to_text(now), "act": act} for place, line in enumerate(lines, start=1)
    ]
    records = [parse_record(line) | {"arrived": arrived} for line in given]
    if space.head_position == 0:
        records = [*spaces.founding_records(space, arrived, set()), *records]
    chain.append(space, [entry(record) for record in records])
    refold(space)
    return act


def stamp(space: Space, now: int) -> int:
    """When a line that is written now has arrived: never before one that stands already."""
    last = Line.objects.filter(space=space).aggregate(last=Max("arrived"))["last"]
    return now if last is None else max(now, last)


def found(space: Space, name: str, tag: str = "fact") -> Line:
    """The line of that name. Raises Refusal where there is none, or it is of another kind."""
    line = Line.objects.filter(space=space, name=name, tag=tag).first()
    if line is None:
        raise Refusal(f'the space "{space.name}" has no {tag} "{name}"')
    return line
