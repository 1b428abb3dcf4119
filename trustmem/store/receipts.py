"""Receipts: what of a file was refused or not understood, with what stood there."""

import json
from typing import NamedTuple

from django.db.models import QuerySet

from trustmem.store import bulk, tombstones
from trustmem.store.models import Line, Space, Text


class Receipt(NamedTuple):
    """A record that does not count: its number in the file, what it was answered, and why.

    `text` is what was not understood, verbatim ('' of what was, and was refused); None: it was erased, with the reason.
    """

    number: int
    status: str
    field: str
    reason: str
    text: str | None


class Restored(NamedTuple):
    """What somebody forgot came back and was refused, by the receipt at `position`: which tombstone kept it out, which
    source told it, and the fact that was forgotten (None: there is none any more)."""

    position: int
    tombstone: str
    source: str
    fact: str | None


def restored(space: Space, since: int) -> list[Restored]:
    """What came back and was refused after a position, in order."""
    lines = Line.objects.filter(space=space, tag="refused", position__gt=since, body__contains=_KEPT_OUT)
    told = [
        (position, json.loads(body)) for position, body in lines.order_by("position").values_list("position", "body")
    ]
    facts = tombstones.facts_of(space, {says["tombstone"] for _, says in told})
    return [
        Restored(position, says["tombstone"], says["source"], facts.get(says["tombstone"])) for position, says in told
    ]


_KEPT_OUT = '"tombstone":'


def lines(space: Space, imported: str) -> "QuerySet[Line]":
    """The receipts of an import, in the order of its file: each stands once, however often that came."""
    return Line.objects.filter(space=space, tag__in=("refused", "rejected"), imported=imported).order_by("position")


def read(space: Space, lines: "QuerySet[Line]") -> list[Receipt]:
    """These lines with their texts."""
    found = list(lines.values_list("position", "tag", "body"))
    texts: dict[int, str] = {}
    for chunk in bulk.chunks([position for position, _, _ in found]):
        texts |= dict(Text.objects.filter(space=space, position__in=chunk).values_list("position", "body"))
    return [_receipt(tag, json.loads(body)["number"], texts[position]) for position, tag, body in found]


def _receipt(status: str, number: int, text: str) -> Receipt:
    if not text:
        return Receipt(number, status, "", "", None)
    says = json.loads(text)
    return Receipt(number, status, says.get("field", ""), says.get("reason") or "", says.get("raw", ""))
