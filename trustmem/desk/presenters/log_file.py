"""The log as a file, as it is filtered: JSON Lines or a table, a record for each line, written while it is read.

What an import brought is one record, as on the page: its lines stand in the export of the space.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from trustmem.actions import folding, undo
from trustmem.actions.undo import Undone
from trustmem.core.instants import to_text
from trustmem.desk.presenters import told
from trustmem.desk.presenters.log import View, note
from trustmem.desk.presenters.sentences import maker, saying, text
from trustmem.formats.csv_cells import guarded
from trustmem.formats.interchange_types import Record
from trustmem.store import bulk, log
from trustmem.store.models import Line, Space

#: So many groups and lines are held in memory at a time.
_CHUNK = 200

FIELDS = (
    "position",
    "digest",
    "id",
    "type",
    "act",
    "import",
    "at",
    "by",
    "says",
    "reason",
    "undone_by",
    "undone_at",
    "undone_because",
)


def records(space: Space, view: View, *, sees_all: bool) -> Iterator[dict[str, Any]]:
    """The lines of a view from its newest row on, those of a row in their order."""
    void, before = folding.void(space, space.folded_to), view.before
    while before != 1:
        page = log.page(space, view.asked, before, _CHUNK)
        undone = undo.all_undone(space, [group.key for group in page.groups], void)
        for lines in _lines(space, page.groups):
            named = told.named(space, lines, sees_all=sees_all)
            for line in lines:
                yield _record(line, text(saying(line, named)), maker(line, named), undone.get(_key(line)))
        before = page.next or 1


def _lines(space: Space, groups: list[log.Group]) -> Iterator[list[Record]]:
    """The lines of some groups, some at a time."""
    wheres = log.wheres(space, groups)
    every = ((group, position) for group in groups for position in range(wheres[group][0], wheres[group][1] + 1))
    for some in bulk.chunks(every, _CHUNK):
        lines = Line.objects.filter(space=space, position__in=[position for _, position in some])
        found = {line["position"]: line for line in told.read(space, lines)}
        yield [found[position] for group, position in some if position in found and _is_of(found[position], group)]


def _is_of(line: Record, group: log.Group) -> bool:
    """Whether a line is of a group, and not of somebody who wrote in between."""
    if group.kind == "act":
        return bool(line["act"] == group.key and not line["imported"])
    return group.kind == "line" or bool(line["imported"] == group.key)


def _key(line: Record) -> str:
    """By which a line is undone."""
    return str(line["imported"] or line["act"] or line["id"])


def _record(line: Record, says: str, by: str, undone: Undone | None) -> dict[str, Any]:
    values = (
        line["position"],
        line["digest"],
        line["id"],
        line["tag"],
        line["act"] or "",
        line["imported"],
        to_text(line["at"]),
        by,
        says,
        note(line),
        undone.by if undone else "",
        to_text(undone.at) if undone else "",
        undone.reason if undone else "",
    )
    return dict(zip(FIELDS, values, strict=True))


def as_json(found: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """JSON Lines."""
    for each in found:
        yield json.dumps(each, ensure_ascii=False).encode() + b"\n"


class _Kept:
    """What the writer of a table writes to."""

    def write(self, row: str) -> str:
        return row


def as_table(found: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """CSV in UTF-8, whose first bytes say so, with a line of titles."""
    write: Callable[[Iterable[Any]], str] = csv.writer(_Kept()).writerow
    yield "\ufeff".encode() + write(FIELDS).encode()
    for each in found:
        yield write(guarded(value) if isinstance(value, str) else value for value in each.values()).encode()
