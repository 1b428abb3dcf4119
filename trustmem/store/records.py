"""The tables that are folds of single lines: constants, entities and links, keys, imports."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from trustmem.core.instants import NEVER
from trustmem.store import bulk
from trustmem.store.models import (
    ConstantsVersion,
    Entity,
    Import,
    Key,
    Line,
    Link,
    Reject,
    Space,
    Text,
)

_TAGS = ("constants", "entity", "link", "key", "import", "refused", "rejected")
#: What ends something, and the tag of what it ends.
_ENDING = {"event.revoked": "key"}
#: Tags of the lines that this module tells of.
TAGS = {*_TAGS, *_ENDING}
_ROWS = ("position", "tag", "name", "act", "imported", "at", "arrived", "body")


@dataclass(frozen=True, slots=True)
class _Row:
    """A line with its text, as one."""

    tag: str
    name: str
    act: str
    imported: str
    at: int
    arrived: int
    says: dict[str, Any]


def write(space: Space, void: frozenset[str]) -> None:
    """Replace what single lines of a space say; those of undone acts say nothing. Within a transaction."""
    rows = [row for row in _rows(space) if not {row.act, row.imported} & void or row.tag in ("key", *_OURS)]
    ends: defaultdict[tuple[str, str], list[_Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row.at, row.name)):
        if row.tag in _ENDING:
            ends[_ENDING[row.tag], row.says["of"]].append(row)
    of: dict[str, list[_Row]] = {tag: [row for row in rows if row.tag == tag] for tag in _TAGS}
    in_force = sorted(of["constants"], key=lambda row: (row.arrived, row.at, row.name))
    _replace(space, ConstantsVersion, [_constants(row) for row in in_force])
    _replace(space, Entity, [_entity(row) for row in of["entity"]])
    _replace(space, Link, [_link(row) for row in of["link"]])
    _replace(space, Key, [_key(row, ends["key", row.name]) for row in of["key"]])
    _replace(space, Import, [_import(row) for row in of["import"]])
    imports = dict(Import.objects.filter(space=space).order_by("-pk").values_list("name", "pk"))
    of_import = {name.rpartition(":")[0]: pk for name, pk in imports.items()}
    receipts = [row for row in rows if row.tag in ("refused", "rejected") and row.imported in of_import]
    _replace(space, Reject, [_reject(row, of_import[row.imported]) for row in receipts])


_OURS = ("import", "refused", "rejected")


def _rows(space: Space) -> Iterator[_Row]:
    lines = list(Line.objects.filter(space=space, tag__in=(*_TAGS, *_ENDING)).order_by("position").values(*_ROWS))
    texts = dict(Text.objects.filter(space=space).values_list("position", "body"))
    for line in lines:
        says = json.loads(line.pop("body")) | json.loads(texts.get(line.pop("position")) or "{}")
        yield _Row(**line, says=says)


def _replace(space: Space, model: type[Model], rows: list[dict[str, Any]]) -> None:
    model._default_manager.filter(space=space).delete()
    if rows:
        bulk.insert(model, ("space_id", *rows[0]), [(space.pk, *row.values()) for row in rows])


def _constants(row: _Row) -> dict[str, Any]:
    says = row.says
    return {
        "name": row.name,
        "number": says["version"],
        "values": json.dumps(says["values"]),
        "since": row.arrived,
        "author": says.get("author") or "",
        "reason": says.get("reason") or "",
    }


def _entity(row: _Row) -> dict[str, Any]:
    return {"name": row.name, "title": row.says.get("name", ""), "kind": row.says.get("kind") or "", "at": row.at}


def _link(row: _Row) -> dict[str, Any]:
    says = row.says
    return {
        "name": row.name,
        "from_entity": says["from"],
        "to_entity": says["to"],
        "from_name": says.get("from_name", ""),
        "to_name": says.get("to_name", ""),
        "relation": says.get("relation", ""),
        "source": says.get("source") or "",
        "at": row.at,
    }


def _ended_at(ends: list[_Row]) -> int:
    """The first that ends something ends it."""
    return ends[0].at if ends else NEVER


def _key(row: _Row, ends: list[_Row]) -> dict[str, Any]:
    return {
        "name": row.name,
        "source": row.says["source"],
        "public": row.says["public"],
        "at": row.at,
        "valid_to": row.says.get("valid_to", NEVER),
        "revoked_at": _ended_at(ends),
        "compromised": any(end.says["reason"] == "compromised" for end in ends),
    }


def _import(row: _Row) -> dict[str, Any]:
    counts = {status: row.says[status] for status in ("new", "known", "refused", "waiting", "rejected")}
    return {
        "name": row.name,
        "file": row.says.get("file", ""),
        "digest": row.says["digest"],
        "at": row.at,
        "by": row.says["by"],
        **counts,
    }


def _reject(row: _Row, of_import: int) -> dict[str, Any]:
    return {
        "of_import_id": of_import,
        "number": row.says["number"],
        "status": row.tag,
        "field": row.says.get("field", ""),
        "reason": row.says.get("reason") or "",
    }
