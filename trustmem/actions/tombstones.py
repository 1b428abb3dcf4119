"""Tombstones: what a person forgot stays out, by keyed digests of what it claims, until somebody lifts them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from trustmem.actions import acts
from trustmem.actions.errors import Refusal
from trustmem.core.instants import NEVER, to_text
from trustmem.core.lines import Event
from trustmem.formats.interchange import KeptOut
from trustmem.formats.interchange_types import Record
from trustmem.formats.strict_json import quoted
from trustmem.store import tombstones
from trustmem.store.models import Fact, Space, Tombstone
from trustmem.store.tombstones import Standing


@transaction.atomic
def lift(space: Space, tombstone: str, *, by: str, now: int, reason: str = "") -> str:
    """Let in again what a tombstone keeps out: whatever keeps out a claim of the fact that was forgotten is lifted.

    The id of the act. Raises Refusal for what is unknown, undone or lifted already.
    """
    act = acts.begin(space)
    acts.found(space, tombstone, "tombstone")
    row = Tombstone.objects.filter(space=space, name=tombstone).first()
    if row is None:
        raise Refusal(f'the tombstone "{tombstone}" counts as never set: its act was undone')
    if row.lifted_at != NEVER:
        raise Refusal(f'the tombstone "{tombstone}" is lifted already')
    lines = lifting(space, tombstones.twins(space, tombstone), by=by, reason=reason)
    return acts.write(space, lines, act=act, now=now)


def setting(space: Space, fact: Fact, *, by: str) -> list[Mapping[str, Any]]:
    """The lines by which what a fact claims is kept out. They have no reason: that stands with what forgot the fact."""
    return [{"type": "tombstone", "digest": digest, "by": by} for digest in tombstones.digests_of(space, fact)]


def lifting_of(space: Space, fact: Fact, *, by: str) -> list[Mapping[str, Any]]:
    """The lines by which whatever keeps out what a fact claims is lifted."""
    return lifting(space, tombstones.digests_of(space, fact), by=by)


def lifting(space: Space, digests: Collection[str], *, by: str, reason: str = "") -> list[Mapping[str, Any]]:
    """The lines by which what keeps out claims of these digests is lifted."""
    names = _in_force(space, digests).order_by("pk").values_list("name", flat=True)
    return [acts.event("lifted", of=name, by=by, reason=reason) for name in names]


def ask_for(space: Space, said: Mapping[str, Any]) -> None:
    """Raises Refusal where a fact that says this is kept out. The folds are up to date."""
    row = _in_force(space, tombstones.digests(space, said)).order_by("pk").first()
    if row is not None:
        raise Refusal(_says(Standing(row.name, row.by, row.at)))


def kept_out(space: Space, records: Sequence[Record], *, imported: str, written: Collection[str]) -> dict[int, KeptOut]:
    """Which of the records that a file brings, by place, are facts that may not come in.

    What stood before the file came keeps them out, and what the file lifts or undoes no more. So a file never keeps out
    facts of its own; and what it has `written` already, before it was cut short, is in.
    """
    standing = tombstones.standing(space, written, _ending(records, imported))
    found = dict[int, KeptOut]()
    for place, record in enumerate(records if standing else ()):
        if record["type"] != "fact" or record["text"] is None or record["id"] in written:
            continue
        by = next((standing[each] for each in tombstones.digests(space, record) if each in standing), None)
        if by is not None:
            found[place] = KeptOut(by.name, record["source"], _says(by))
    return found


def _ending(records: Iterable[Record], imported: str) -> list[Event]:
    """What a file lifts and undoes."""
    said = [each for each in records if each.get("kind") in ("lifted", "undone") and each["of"] != each["act"]]
    columns = ("id", "kind", "of", "at", "arrived", "act")
    return [Event(imported=imported, **{name: each[name] for name in columns}) for each in said]


def _in_force(space: Space, digests: Collection[str]) -> QuerySet[Tombstone]:
    return Tombstone.objects.filter(space=space, digest__in=digests, lifted_at=NEVER)


def _says(by: Standing) -> str:
    who, at, name = quoted(by.by) if by.by else "somebody", to_text(by.at), quoted(by.name)
    return f"this was forgotten by {who} at {at}, and the tombstone {name} keeps it out: lift that first"
