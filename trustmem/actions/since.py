"""What was said about facts since somebody looked: a decision is built on what was seen."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator

from django.db.models import Q, QuerySet

from trustmem.actions import folding
from trustmem.core.columns import CODE
from trustmem.core.lines import Event
from trustmem.store import bulk, folds
from trustmem.store.history import lines_at
from trustmem.store.models import Line, Ruling, Space, Statement

_USE = [CODE[kind] for kind in ("recalled", "injected", "helpful", "unhelpful", "ignored")]


def changes(space: Space, names: Collection[str], seen: int) -> dict[str, set[int]]:
    """The positions of what was said, ruled or undone about facts since the line at one position, but for that they
    were used; by fact, and of those alone about which there is any."""
    found = defaultdict[str, set[int]](set)
    for name, position in _undone(space, {*names}, seen):
        found[name].add(position)
    of = {pk: name for name, pk in folds.keys(space, names).items()}
    for position, ends in (*_said(space, of, seen), *_ruled(space, of, seen)):
        for pk in ends & of.keys():
            found[of[pk]].add(position)
    return found


_Found = Iterator[tuple[int, set[int]]]


def _said(space: Space, pks: Collection[int], seen: int) -> _Found:
    """What was said since about some facts, and of which."""
    fresh = Statement.objects.filter(space=space, position__gt=seen).exclude(kind__in=_USE)
    if fresh.exists():
        yield from _about(fresh, pks)


def _ruled(space: Space, pks: Collection[int], seen: int) -> _Found:
    """The same of rulings: what was ruled on may harm both its ends."""
    rulings = defaultdict[int, list[int]](list)
    for of, position in Ruling.objects.filter(space=space, position__gt=seen).values_list("of", "position"):
        rulings[of].append(position)
    for some in bulk.chunks(rulings):
        for of, ends in _about(Statement.objects.filter(space=space, position__in=some), pks):
            yield from ((position, ends) for position in rulings[of])


def _about(said: "QuerySet[Statement]", pks: Collection[int]) -> _Found:
    for chunk in bulk.chunks(pks):
        about = said.filter(Q(fact__in=chunk) | Q(other__in=chunk))
        for position, *ends in about.values_list("position", "fact", "other"):
            yield position, {pk for pk in ends if pk is not None}


def _undone(space: Space, names: set[str], seen: int) -> Iterator[tuple[str, int]]:
    """The undos since of acts that say something about facts, or undid such."""
    undos = Line.objects.filter(space=space, tag="event.undone", position__gt=seen)
    for position, body in undos.values_list("position", "body"):
        told = folding.facts_of(space, lines_at(space, _concerned(space, json.loads(body)["of"])))
        yield from ((name, position) for name in names & told)


def _concerned(space: Space, act: str) -> set[int]:
    """The positions of what an act wrote, and of what it took out or brought back by undoing another."""
    found, ahead = set[int](), {act}
    while ahead:
        fresh = folding.written_by(space, ahead) - found
        found |= fresh
        undone = (line for line in lines_at(space, fresh).lines if isinstance(line, Event) and line.kind == "undone")
        ahead = {line.of for line in undone if line.of}
    return found
