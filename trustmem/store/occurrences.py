"""Occurrences: which entities live facts name, and the rows that tell of them: co-occurrence, centrality and places.

Rows are brought to what they ought to be one by one, so that those who read find most of them there at any time.
Writing is for whoever holds the lock of the space.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from trustmem.core.vocabulary import ERASED, LIVE
from trustmem.store import bulk
from trustmem.store.mentions import known_as
from trustmem.store.models import Centrality, CoOccurrence, Entity, Fact, Place, Space
from trustmem.store.models.folds import Fold

#: So many rows are kept at most: of those that two entities occur in most often together, and of the most central.
MOST_PAIRS, MOST_ENTITIES = 300_000, 100_000
#: So many facts are read at a time.
_READ = 10_000


def told(space: Space) -> Iterator[tuple[list[str], str]]:
    """The names that each live fact tells, as mentions have them, and its text; by key."""
    facts, start = Fact.objects.filter(space=space, state=LIVE).order_by("pk"), 0
    while rows := list(facts.filter(pk__gt=start).values_list("pk", "subject", "object", "entities", "text")[:_READ]):
        for _, subject, object, entities, text in rows:
            yield list(dict.fromkeys(known_as(name) for name in (subject, object, *json.loads(entities)) if name)), text
        start = rows[-1][0]


def called(space: Space) -> dict[str, str]:
    """What entities of a space are called, and the name that facts have for them; of several, the first by name."""
    titles = Entity.objects.filter(space=space).exclude(title="").order_by("-name").values_list("title", "name")
    return {title: known_as(name) for title, name in titles}


def erased(space: Space) -> int:
    """How many facts are erased: where more are than before, what was read before may not be told any more."""
    return Fact.objects.filter(space=space, state=ERASED).count()


class Difference(NamedTuple):
    """What has to be done to the rows of a table: keys of those to delete; those to change, behind their keys; and
    those to insert."""

    gone: list[int]
    moved: list[tuple[Any, ...]]
    new: list[tuple[Any, ...]]


_NAMED: Mapping[type[Fold], int] = {CoOccurrence: 2, Centrality: 1}
_COLUMNS: Mapping[type[Fold], tuple[str, ...]] = {
    CoOccurrence: ("one", "other", "together", "npmi"),
    Centrality: ("entity", "rank", "facts"),
}


def difference(space: Space, model: type[Fold], rows: Sequence[tuple[Any, ...]]) -> Difference:
    """How the rows of a table differ from those that there ought to be, given without the space, by name."""
    names, gone, moved = _NAMED[model], list[int](), list[tuple[Any, ...]]()
    ought = {row[:names]: row for row in rows}
    there = model._default_manager.filter(space=space).order_by("pk").values_list("pk", *_COLUMNS[model])
    for pk, *values in there.iterator(10_000):
        if (row := ought.pop(tuple(values[:names]), None)) is None:
            gone.append(pk)
        elif row != tuple(values):
            moved.append((pk, *row[names:]))
    return Difference(gone, moved, [(space.pk, *row) for row in ought.values()])


def delete(model: type[Fold], keys: Sequence[int]) -> None:
    """Delete rows by their keys. Within a transaction."""
    model._default_manager.filter(pk__in=keys).delete()


def move(model: type[Fold], rows: Sequence[tuple[Any, ...]]) -> None:
    """Change rows, given behind their keys. Within a transaction."""
    bulk.update(model, "id", _COLUMNS[model][_NAMED[model] :], rows)


def insert(model: type[Fold], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows. Within a transaction."""
    bulk.insert(model, ("space_id", *_COLUMNS[model]), rows)


def place(space: Space, places: Sequence[tuple[bool, str, float, float]]) -> None:
    """Put the places of a space, the most important first, in place of those that there are. Within a transaction."""
    Place.objects.filter(space=space).delete()
    bulk.insert(Place, ("space_id", "is_entity", "name", "x", "y"), [(space.pk, *each) for each in places])
