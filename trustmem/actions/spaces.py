"""Spaces: made empty; the first that comes into one gives it its name and key, or says that it has its own."""

import re
import secrets
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from trustmem.actions.errors import Refusal
from trustmem.core.constants import Constants, to_json
from trustmem.core.instants import from_datetime
from trustmem.formats.interchange_types import DEFAULTS, Record
from trustmem.store.models import Space

DEFAULT = "default"

#: What a space says of itself comes before all that may ever be told of earlier times.
_FROM_THE_BEGINNING = from_datetime(datetime.min.replace(tzinfo=UTC))


@transaction.atomic
def create(name: str, *, title: str = "") -> Space:
    """An empty space. Raises Refusal if there is one of that name."""
    if _called(name).exists():
        raise Refusal(f'there is a space "{name}" already')
    return Space.objects.create(name=name, title=title, digest_key=secrets.token_hex(32))


def change_unreviewed_share(space: Space, percent: int, *, by: str, now: int) -> None:
    """Have of a hundred hits of a search at most so many come from sources that nobody has reviewed, from now on.
    Raises Refusal for a share that cannot be."""
    if not 0 <= percent <= 100:
        raise Refusal("a share is a whole number of percent, from 0 to 100")
    space.unreviewed_share, space.unreviewed_by, space.unreviewed_at = percent, by, now
    space.save(update_fields=["unreviewed_share", "unreviewed_by", "unreviewed_at"])


def adopt(space: Space, record: Record) -> None:
    """An empty space takes the id and the digest key of a `space` line: signatures and digests name them. What it was
    made as stays its alias, so that whoever made it finds it again.

    Raises Refusal where the key is none.
    """
    if not re.fullmatch("([0-9a-f]{2})*", record["digest_key"] or ""):
        raise Refusal('the "digest_key" that the file brings is not written in hexadecimal digits')
    if record["id"] != space.name:
        space.alias = space.alias or space.name
    space.name, space.title = record["id"], record["name"] or space.title
    space.digest_key = record["digest_key"] or space.digest_key
    space.save(update_fields=["name", "alias", "title", "digest_key"])


def is_taken(space: Space, name: str) -> bool:
    """Whether another space is called by that name."""
    return _called(name).exclude(pk=space.pk).exists()


def _called(name: str) -> QuerySet[Space]:
    """The space of that name or alias: no two share one."""
    return Space.objects.filter(Q(name=name) | Q(alias=name))


def founding_records(space: Space, now: int, brought: set[str]) -> list[Record]:
    """What an empty space says of itself before anything else, unless the first import brought it (by type)."""
    common: Record = {"at": now, "arrived": _FROM_THE_BEGINNING, "act": None}
    itself: Record = {"type": "space", "id": space.name, "name": space.title, "digest_key": space.digest_key}
    values = to_json(Constants())
    pinned: Record = {"type": "constants", "id": f"{space.name}:constants:1", "version": 1, "values": values}
    return [DEFAULTS[each["type"]] | each | common for each in (itself, pinned) if each["type"] not in brought]
