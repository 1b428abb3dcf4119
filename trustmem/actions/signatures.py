"""Signatures: which of those that came hold, found out before what they sign is folded; and why one is not taken in."""

import base64
from collections.abc import Collection, Iterator, Mapping

from django.db.models import Q

from trustmem.actions import records
from trustmem.core import keys
from trustmem.core.instants import to_text
from trustmem.formats import signed
from trustmem.formats.interchange_types import Record
from trustmem.formats.strict_json import quoted
from trustmem.store import bulk, signatures
from trustmem.store.models import Key, Line, Signature, Space


def check(space: Space) -> None:
    """Find out of the signatures that came since a space was folded last whether they hold, and of those before that
    have waited for a key that came. Within a transaction."""
    fresh = Line.objects.filter(space=space, position__gt=space.folded_to)
    keys = set(fresh.filter(tag="key").values_list("name", flat=True))
    waited = Signature.objects.filter(space=space, key__in=keys).values_list("position", flat=True) if keys else ()
    came = fresh.filter(Q(tag="fact") | Q(tag__startswith="edge."), body__contains=signatures.MARK)
    _write(space, {*waited, *came.values_list("position", flat=True)})


def check_all(space: Space) -> None:
    """Find out of all signatures of a space whether they hold. Within a transaction."""
    Signature.objects.filter(space=space).delete()
    lines = Line.objects.filter(space=space, body__contains=signatures.MARK)
    _write(space, set(lines.values_list("position", flat=True)))


def _write(space: Space, positions: Collection[int]) -> None:
    public = dict(_public(space)) if positions else {}
    for chunk in bulk.chunks(sorted(positions)):
        signatures.forget(space, chunk)
        rows = [(space.pk, *row) for row in _checked(space, chunk, public)]
        bulk.insert(Signature, ("space_id", "position", "key", "holds"), rows)


def _public(space: Space) -> Iterator[tuple[str, str]]:
    """The public key (base64) of each key of a space, by its name."""
    for record, _ in records.at(space, Line.objects.filter(space=space, tag="key").values_list("position", flat=True)):
        yield record["id"], record["public"]


def _checked(space: Space, positions: Collection[int], public: dict[str, str]) -> Iterator[tuple[int, str, bool]]:
    """Position, key, and whether that holds, of each line whose signature is not erased."""
    place = dict(Line.objects.filter(space=space, position__in=positions).values_list("name", "position"))
    for record, _ in records.at(space, positions):
        signature = record["signature"]
        if signature is not None:
            key = signature["key"]
            holds = key in public and signed.holds(record, public[key], space.name)
            yield place[record["id"]], key, holds


#: Keys by name, each with its public half (base64).
Ring = Mapping[str, tuple[str, keys.Key]]


def ring(space: Space) -> Ring:
    """The keys of a space as they stand."""
    public = dict(Key.objects.filter(space=space).values_list("name", "public"))
    return {name: (public[name], key) for name, key in signatures.known(space).items() if name in public}


def why_not(ring: Ring, space: str, record: Record, *, arrives: int) -> str:
    """Why the signature of a fact or an edge of a space would not count, were that to arrive at an instant: a sentence
    without its subject; '' where it would."""
    name, source = record["signature"]["key"], record["source"] if record["type"] == "fact" else record["by"]
    public, key = ring.get(name, ("", None))
    if key is None or key.source != source:
        return f"is by {quoted(name)}, which is no key of {quoted(source)} in this space"
    claim, value = (base64.b64decode(record["signature"][part]) for part in ("claim", "value"))
    if not signed.verifies(public, claim, value):
        return f"is not that of the key {quoted(name)} under this claim"
    if not signed.holds(record, public, space):
        return "is under another claim than what is said, of this space, id, source and instant"
    if key.compromised:
        return f"is by the key {quoted(name)}, which is revoked as compromised"
    if arrives >= key.lost_at:
        return f"comes after the key {quoted(name)} was revoked as lost"
    if not keys.counts(key, source, record["at"], arrives):
        return f"claims {to_text(record['at'])}, when the key {quoted(name)} was not valid"
    return ""
