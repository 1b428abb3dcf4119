"""Signatures of lines: whose key holds for what, and what of it counts (section 5).

That a signature holds is found out once, when line and key are there (`actions.signatures`). Whether it counts is for
the keys to say as they stand: revoked, taken back, or known only later.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Q

from trustmem.core import keys
from trustmem.core.instants import EVER
from trustmem.core.keys import Key
from trustmem.core.lines import Event
from trustmem.core.undo import voided_acts
from trustmem.store import bulk
from trustmem.store.models import Line, Signature, Space

#: Tags of the lines by which keys come and go.
TAGS = ("key", "event.revoked")
#: Stands in the body of each line that came with a signature.
MARK = '"signed_by":'


class Signed(NamedTuple):
    """A line that came with a signature: at which position, of whom, of which instant, and when it arrived."""

    position: int
    source: str
    at: int
    arrived: int


def known(space: Space, until: int = EVER) -> dict[str, Key]:
    """The keys of a space by name, as they stand by all that had arrived by an instant."""
    rows = Line.objects.filter(space=space, arrived__lte=until)
    ended = rows.filter(tag="event.revoked").values_list("name", "act", "imported", "at", "body")
    void = _void(rows) if ended else frozenset()
    found = {name: _key(json.loads(body), at) for name, at, body in rows.filter(tag="key").values_list(*_KEY)}
    for _, act, imported, at, body in ended:
        says = json.loads(body)
        if not {act, imported} & void and says["of"] in found:
            found[says["of"]] = keys.revoked(found[says["of"]], at, says["reason"])
    return found


_KEY = ("name", "at", "body")


def _key(says: Mapping[str, Any], at: int) -> Key:
    return Key(says["source"], at, says.get("valid_to", EVER))


def _void(rows: Any) -> frozenset[str]:
    undone = rows.filter(tag="event.undone").values_list("name", "act", "imported", "at", "arrived", "body")
    return voided_acts(
        Event(id=name, kind="undone", of=json.loads(body)["of"], at=at, arrived=arrived, act=act or None,
              imported=imported or None)
        for name, act, imported, at, arrived, body in undone
    )  # fmt: skip


def verdicts(space: Space, signed: Sequence[Signed], until: int = EVER) -> dict[int, bool]:
    """Of lines that came with a signature, whether that counts, by position. What was erased has none any more."""
    if not signed:
        return {}
    by_name = known(space, until)
    rows = dict[int, tuple[str, bool]]()
    for chunk in bulk.chunks(each.position for each in signed):
        there = Signature.objects.filter(space=space, position__in=chunk)
        rows |= {position: (key, holds) for position, key, holds in there.values_list("position", "key", "holds")}
    return {
        each.position: holds and key in by_name and keys.counts(by_name[key], each.source, each.at, each.arrived)
        for each in signed
        if each.position in rows
        for key, holds in (rows[each.position],)
    }


def lines_of(space: Space, names: Iterable[str]) -> set[int]:
    """The positions of what came with signatures of these keys."""
    found = set[int]()
    for chunk in bulk.chunks(names):
        found |= set(Signature.objects.filter(space=space, key__in=chunk).values_list("position", flat=True))
    return found


def forget(space: Space, positions: Iterable[int]) -> None:
    """Drop what is known of the signatures of lines: their claims are erased. Within a transaction."""
    for chunk in bulk.chunks(positions):
        Signature.objects.filter(Q(position__in=chunk), space=space).delete()
