"""The keys of a space as settings show them."""

from typing import NamedTuple

from django.db.models import Count

from trustmem.core.instants import NEVER
from trustmem.desk.instants import When, when
from trustmem.store.models import Key, Signature, Space


class Row(NamedTuple):
    """A key: of whom, from and until when it is valid and when it was revoked (None: not), and how much came with
    signatures by it."""

    name: str
    source: str
    public: str
    valid_from: When
    valid_to: When | None
    revoked_at: When | None
    compromised: bool
    signed: int


def keys(space: Space, now: int) -> list[Row]:
    """All keys by name."""
    counted = Signature.objects.filter(space=space).order_by().values("key").annotate(lines=Count("pk"))
    signed = dict(counted.values_list("key", "lines"))

    def told(at: int) -> When | None:
        return None if at == NEVER else when(at, now)

    return [
        Row(
            each.name,
            each.source,
            each.public,
            when(each.at, now),
            told(each.valid_to),
            told(each.revoked_at),
            each.compromised,
            signed.get(each.name, 0),
        )
        for each in Key.objects.filter(space=space).order_by("name")
    ]
