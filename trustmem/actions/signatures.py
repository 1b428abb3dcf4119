"""Signatures: which of those that came hold, found out before what they sign is folded."""

from collections.abc import Collection, Iterable, Iterator

from django.db.models import Q

from trustmem.actions import records
from trustmem.formats import signed
from trustmem.store import bulk, signatures
from trustmem.store.models import Line, Signature, Space


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
    _write(space, lines.values_list("position", flat=True))


def _write(space: Space, positions: Iterable[int]) -> None:
    public = dict(_public(space))
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
