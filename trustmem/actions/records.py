"""Records and rows: what of a record stands in Line, and what is free content and stands in Text.

A record is a line that was understood, and `formats.interchange_types` says what of it is free. Line keeps its name,
tag, times and act as columns and the rest, without any free content, as `body`; Text keeps that. Both leave out what
is default.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from django.db.models import Q

from trustmem.actions import purging
from trustmem.core.lines import Baseline
from trustmem.formats.interchange_types import DEFAULTS, FREE, KINDS, Record
from trustmem.store import bulk
from trustmem.store.chain import Entry
from trustmem.store.models import Line, Space, Text

_COLUMNS = ("type", "id", "at", "arrived", "act")
_ROWS = ("position", "name", "tag", "act", "imported", "at", "arrived", "body", "text_digest")
#: What stands in place of a text that was erased, where a file has to have one.
_IN_PLACE: Mapping[str, Record] = {"case": {"kind": "erased"}}
#: Tags of lines that no file holds: what the store itself puts on record.
OURS = ("import", "refused", "rejected")
_CHUNK = 5000


def entry(record: Record, imported: str = "") -> Entry:
    """The line that a record becomes."""
    type = record["type"]
    given = {name: value for name, value in record.items() if name not in _COLUMNS and value != DEFAULTS[type][name]}
    text = {name: given.pop(name) for name in FREE[type] if name in given}
    kind = given.pop(KINDS[type]) if type in KINDS else None
    if kind == "revoked":  # one of two words, by which it is decided what the key ever signed
        given["reason"] = text.pop("reason")
    if "baseline" in given:
        given["baseline"] = {name: value for name, value in asdict(given["baseline"]).items() if value}
    if "signature" in text:  # what a key signed is to be found when the key is revoked, be the claim erased
        given["signed_by"] = text["signature"]["key"]
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
    """The record that a line and its text (None: it has none; '': it was erased) stand for.

    What was erased is as if it had not been given, but for what a line cannot be without; and whatever its type, the
    record says so by `erased`, which of other types than facts is written to no file.
    """
    type, _, kind = row["tag"].partition(".")
    columns = {"id": row["name"], "at": row["at"], "arrived": row["arrived"], "act": row["act"] or None}
    found: Record = DEFAULTS[type] | {"type": type} | columns | json.loads(row["body"]) | json.loads(text or "{}")
    found.pop("signed_by", None)
    if type in KINDS:
        found[KINDS[type]] = kind
    if isinstance(found.get("baseline"), dict):
        found["baseline"] = Baseline(**found["baseline"])
    if text == "":
        found |= {"erased": True} | _IN_PLACE.get(type, {})
    if type == "fact" and text == "":
        found["digest"] = row["text_digest"]
    return found


def records(space: Space) -> Iterator[tuple[Record, str]]:
    """All records of a space in the order of its chain, each with the import that brought it ('': none).

    What is to be erased has no text any more, even if nothing was folded since it came.
    """
    due = frozenset(purging.due(space))
    for start in range(1, space.head_position + 1, _CHUNK):
        yield from _joined(space, Q(position__gte=start, position__lt=start + _CHUNK), due)


def at(space: Space, positions: Iterable[int]) -> Iterator[tuple[Record, str]]:
    """The records of the lines at these positions, each with the import that brought it."""
    due = frozenset(purging.due(space))
    for chunk in bulk.chunks(sorted(positions)):
        yield from _joined(space, Q(position__in=chunk), due)


def named(space: Space, names: Iterable[str]) -> Iterator[tuple[Record, str]]:
    """The records of a space that have one of the names as id, each with the import that brought it."""
    for chunk in bulk.chunks(sorted(names)):
        yield from _joined(space, Q(name__in=chunk))


def _joined(space: Space, which: Q, due: Collection[int] = ()) -> Iterator[tuple[Record, str]]:
    rows = Line.objects.filter(which, space=space).exclude(tag__in=OURS).order_by("position").values(*_ROWS)
    found = list(rows)
    positions = [row["position"] for row in found if row["text_digest"] and row["position"] not in due]
    texts = dict(Text.objects.filter(space=space, position__in=positions).values_list("position", "body"))
    for row in found:
        text = texts.get(row["position"], "") if row["text_digest"] else None
        told = record(row, text)
        if row["tag"] == "space":  # whose key a file that founded it need not have brought
            told["digest_key"] = told["digest_key"] or space.digest_key
        yield told, row["imported"]
