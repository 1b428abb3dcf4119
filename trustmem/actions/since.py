"""What was said about facts since somebody looked: a decision is built on what was seen."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator

from django.db.models import Q

from trustmem.actions import folding
from trustmem.core.columns import CODE
from trustmem.store import bulk, folds
from trustmem.store.history import lines_at
from trustmem.store.models import Line, Ruling, Space, Statement

_USE = [CODE[kind] for kind in ("recalled", "injected", "helpful", "unhelpful", "ignored")]


def changes(space: Space, names: Collection[str], seen: int) -> dict[str, set[int]]:
    """The positions of what was said, ruled or undone about facts since the line at one position, but for that they
    were used; by fact, and of those alone about which there is any."""
    found = defaultdict[str, set[int]](set)
    fresh = Statement.objects.filter(space=space, position__gt=seen).exclude(kind__in=_USE)
    rulings = Ruling.objects.filter(space=space, position__gt=seen)
    for name, position in _undone(space, {*names}, seen):
        found[name].add(position)
    if not fresh.exists() and not rulings.exists():
        return found
    keys = folds.keys(space, names)
    of = {pk: name for name, pk in keys.items()}
    for chunk in bulk.chunks(of):
        said = fresh.filter(Q(fact__in=chunk) | Q(other__in=chunk)).values_list("position", "fact", "other")
        for position, *ends in said:
            for pk in ends:
                if pk in of:
                    found[of[pk]].add(position)
        for position, pk in rulings.filter(fact__in=chunk).values_list("position", "fact"):
            found[of[pk]].add(position)
    return found


def _undone(space: Space, names: set[str], seen: int) -> Iterator[tuple[str, int]]:
    """The undos since of acts that say something about facts."""
    undos = Line.objects.filter(space=space, tag="event.undone", position__gt=seen)
    for position, body in undos.values_list("position", "body"):
        wrote = folding.written_by(space, [json.loads(body)["of"]])
        told = {name for line in lines_at(space, wrote).lines for name in folds.named(line)}
        yield from ((name, position) for name in names & told)
