"""An act: the lines that one decision writes, in one transaction, under one id by which it can be undone."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from trustmem.actions import opening, spaces
from trustmem.actions.errors import Refusal
from trustmem.actions.records import entry
from trustmem.core.instants import to_text
from trustmem.formats.fields import FieldError
from trustmem.formats.interchange_types import Record, parse_record
from trustmem.store import chain, queries
from trustmem.store.models import Line, Space


def begin(space: Space) -> str:
    """Hold a space, its folds up to date, until the transaction ends; the id of the act that is to be written.

    Where two acts have one instant, the order of their ids decides (section 1); so it is that of writing.
    """
    chain.lock(space)
    opening.refold(space)
    return f"act:{space.head_position + 1:09d}-{secrets.token_hex(6)}"


@transaction.atomic
def write(space: Space, lines: Sequence[Mapping[str, Any]], *, now: int, act: str | None = None) -> str:
    """Write the lines of one act at `now` and fold them; the id of the act, which is that of `begin` if it was called.

    A line is given as an interchange file has it, but for its `act`, and mostly for `id` and `at`, which it gets here
    where it has none. Raises Refusal.
    """
    act = act or begin(space)
    arrived = stamp(space, now)
    given = [
        {"id": line_id(act, place), "at": to_text(now), **line, "act": act} for place, line in enumerate(lines, start=1)
    ]
    append(space, [_parsed(line) | {"arrived": arrived} for line in given])
    return act


def append(space: Space, records: Sequence[Record]) -> None:
    """Write records that have arrived, and fold them. A space is founded before anything happens in it. Raises Refusal
    for an id by which it is founded."""
    if space.head_position == 0:
        founding = spaces.founding_records(space, records[0]["at"], set())
        taken = {each["id"] for each in founding} & {each["id"] for each in records}
        if taken:
            raise Refusal(f'the space "{space.name}" has a "{min(taken)}" already, which says something else')
        records = [*founding, *records]
    chain.append(space, [entry(record) for record in records])
    opening.refold(space)


def line_id(act: str, place: int) -> str:
    """The id of a line of an act, by its place from 1 on."""
    return f"{act}:{place}"


def event(kind: str, *, by: str, reason: str = "", **names: str) -> dict[str, Any]:
    """An event by a person, as an interchange file has it; `names` are `fact` or `of`."""
    return {"type": "event", "kind": kind, **names, "source": by, "tier": "human"} | (
        {"note": reason} if reason else {}
    )


def stamp(space: Space, now: int) -> int:
    """When a line that is written now has arrived: never before one that stands already, and after the last pass,
    so that no pass that was taken folds it.
    """
    last = queries.last_pass(space)
    return max(now, space.written_at, last.instant + 1 if last else now)


def _parsed(line: Mapping[str, Any]) -> Record:
    try:
        return parse_record(line)
    except FieldError as error:
        raise Refusal(str(error)) from None


def found(space: Space, name: str, tag: str = "fact") -> Line:
    """The line of that name. Raises Refusal where there is none, or it is of another kind."""
    line = Line.objects.filter(space=space, name=name, tag=tag).first()
    if line is None:
        raise Refusal(f'the space "{space.name}" has no {tag} "{name}"')
    return line
