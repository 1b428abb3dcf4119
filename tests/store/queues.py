"""Queues of many open cases, written straight into the tables: no lines stand behind them."""

import json
from collections.abc import Sequence

from django.db import transaction

from trustmem.core.instants import NEVER
from trustmem.store import bulk, cases
from trustmem.store.cases import CONTRADICTION, Place
from trustmem.store.models import Case, Space

_COLUMNS = (
    "id",
    "space_id",
    "name",
    "position",
    "key",
    "kind",
    "facts",
    "at",
    "factors",
    "constants_version",
    "stands",
    "closed_at",
    "verdict",
)


@transaction.atomic
def queued(
    space: Space,
    worth: Sequence[float],
    *,
    kind: str = CONTRADICTION,
    source: str = "",
    facts: Sequence[str] = ("a", "b"),
    at: int = 0,
) -> list[str]:
    """Open cases of these consequences; their names."""
    first = Case.objects.filter(space=space).count() + 1
    pks = bulk.keys(Case, len(worth))
    word = kind.replace(" ", "-")
    names = [f"case:{word}:{number:016x}:1" for number in range(first, first + len(worth))]
    rows = [
        (pk, space.pk, name, first + number, name[:-2], kind, json.dumps(list(facts)), at, "{}", 1, True, NEVER, "")
        for number, (pk, name) in enumerate(zip(pks, names, strict=True))
    ]
    bulk.insert(Case, _COLUMNS, rows)
    cases.queue(space, {pk: Place(source, value) for pk, value in zip(pks, worth, strict=True)}, at)
    return names
