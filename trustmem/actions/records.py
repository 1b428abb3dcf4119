"""Records and rows: what of a record stands in Line, and what is free content and stands in Text.

A record is a line that was understood (`formats.interchange_types`). Line keeps its name, tag, times and act as columns
and the rest, without any free text, as `body`; Text keeps the free content. Both leave out what is default.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from django.db.models import Q

from trustmem.core.lines import Baseline
from trustmem.formats.interchange_types import DEFAULTS, Record
from trustmem.store.chain import Entry
from trustmem.store.models import Line, Space, Text

#: Fields of each type that people or agents fill as they like. The claim of a signature is one too.
_FREE: Mapping[str, tuple[str, ...]] = {
    "space": ("name",),
    "constants": ("reason",),
    "entity": ("name", "kind"),
    "fact": ("text", "subject", "predicate", "object", "entities", "tags", "meta"),
    "link": ("relation",),
    "edge": ("note",),
    "event": ("note", "reason"),
    "feedback": ("note",),
    "tombstone": ("reason",),
}
_COLUMNS = ("type", "id", "at", "arrived", "act")
#: The field of a record that its tag says beside the type.
_KINDS = {"event": "kind", "edge": "relation", "feedback": "outcome"}
_ROWS = ("position", "name", "tag", "act", "imported", "at", "arrived", "body", "text_digest")
#: Tags of lines that no file holds: what the store itself puts on record.
OURS = ("import", "refused", "rejected")
_CHUNK = 5000


def entry(record: Record, imported: str = "") -> Entry:
    """The line that a record becomes."""
    type = record["type"]
    given = {name: value for name, value in record.items() if name not in _COLUMNS and value != DEFAULTS[type][name]}
    text = {name: given.pop(name) for name in _FREE.get(type, ()) if name in given}
    kind = given.pop(_KINDS[type]) if type in _KINDS else None
    if "baseline" in given:
        given["baseline"] = {name: value for name, value in asdict(given["baseline"]).items() if value}
    if "signature" in given:
        signature = dict(given["signature"])
        text["claim"] = signature.pop("claim")
        given["signature"] = signature
    return Entry(
        name=record["id"],
        tag=f"{type}.{kind}" if kind else type,
        at=record["at"],
        arrived=record["arrived"],
        body=given,
        text=text or None,
        act=record["act"] or "",
        imported=imported,
    )


def record(row: Mapping[str, Any], text: str | None) -> Record:
    """The record that a line and its text (None: it has none; '': it was erased) stand for."""
    type, _, kind = row["tag"].partition(".")
    columns = {"id": row["name"], "at": row["at"], "arrived": row["arrived"], "act": row["act"] or None}
    found: Record = DEFAULTS[type] | {"type": type} | columns | json.loads(row["body"]) | json.loads(text or "{}")
    claim = found.pop("claim", None)
    if type in _KINDS:
        found[_KINDS[type]] = kind
    if isinstance(found.get("baseline"), dict):
        found["baseline"] = Baseline(**found["baseline"])
    if found.get("signature"):
        found["signature"] = {"key": found["signature"]["key"], "claim": claim, "value": found["signature"]["value"]}
    if type == "fact" and text == "":
        found |= {"erased": True, "digest": row["text_digest"], "signature": None}
    return found


def records(space: Space) -> Iterator[tuple[Record, str]]:
    """All records of a space in the order of its chain, each with the import that brought it ('': none)."""
    for start in range(1, space.head_position + 1, _CHUNK):
        yield from _joined(space, Q(position__gte=start, position__lt=start + _CHUNK))


def named(space: Space, names: Iterable[str]) -> Iterator[tuple[Record, str]]:
    """The records of a space that have one of the names as id, each with the import that brought it."""
    wanted = sorted(names)
    for start in range(0, len(wanted), _CHUNK):
        yield from _joined(space, Q(name__in=wanted[start : start + _CHUNK]))


def _joined(space: Space, which: Q) -> Iterator[tuple[Record, str]]:
    rows = Line.objects.filter(which, space=space).exclude(tag__in=OURS).order_by("position").values(*_ROWS)
    found = list(rows)
    positions = [row["position"] for row in found if row["text_digest"]]
    texts = dict(Text.objects.filter(space=space, position__in=positions).values_list("position", "body"))
    for row in found:
        # A digest without a text is that of a fact that was erased before it came here.
        text = texts.get(row["position"], "") if row["text_digest"] else None
        yield record(row, text), row["imported"]
