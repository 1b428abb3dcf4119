"""Edges between facts: a person asserts one, or takes it back."""

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from trustmem.actions import acts, facts, statements
from trustmem.actions.errors import Refusal
from trustmem.core.columns import CODE
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import RELATIONS
from trustmem.store import bulk
from trustmem.store.models import Edge, Fact, Space, Statement

_UPDATES = RELATIONS.index("updates")
#: So many steps a way is looked for step by step.
_STEPS = 64


@transaction.atomic
def assert_edge(space: Space, newer: str, relation: str, older: str, *, by: str, now: int, reason: str = "") -> str:
    """Say that one fact updates, extends, derives from or contradicts another. The id of the act.

    Raises Refusal for facts that are unknown or erased, an edge from a fact to itself, and one that would close a
    circle of live `updates` edges, which it names.
    """
    act = acts.begin(space)
    _ask_for_a_relation(relation)
    ends = facts.found(space, newer), facts.found(space, older)
    ask_for(space, relation, *ends)
    harms = {"updates": ends[1:], "contradicts": ends}.get(relation, ())
    line = _line(newer, relation, older, by, reason)
    acts.write(space, statements.holding(act, line, harms, by=by), act=act, now=now)
    said = statements.of_line(space, acts.line_id(act, 1))
    if said is None or said.withdrawn:
        raise Refusal(f"{_named(newer, relation, older)} was taken back as of {to_text(now)} or later, and that stands")
    return act


def ask_for(space: Space, relation: str, newer: Fact, older: Fact) -> None:
    """Raises Refusal where an edge cannot be: from a fact to itself, or such that it closes a circle of updates."""
    _ask_for_a_relation(relation)
    if newer.pk == older.pk:
        raise Refusal(f"a fact cannot {relation.removesuffix('s')} itself")
    if relation == "updates":
        Updates(space).add(newer, older)


@transaction.atomic
def withdraw_edge(space: Space, newer: str, relation: str, older: str, *, by: str, now: int, reason: str = "") -> str:
    """Take back all that asserts an edge. The id of the act.

    Raises Refusal where nobody asserts it, and where some assertion would stand all the same.
    """
    act = acts.begin(space)
    _ask_for_a_relation(relation)
    ends = facts.found(space, newer), facts.found(space, older)
    edge = _named(newer, relation, older)
    if not _assertions(space, *ends, relation).exists():
        raise Refusal(f"{edge}: nobody says so, or it was taken back already")
    acts.write(space, [_line(newer, relation, older, by, reason) | {"removed": True}], act=act, now=now)
    if _assertions(space, facts.found(space, newer), facts.found(space, older), relation).exists():
        raise Refusal(f"{edge} would stand all the same: it is signed, or asserted later than {to_text(now)}")
    return act


def _ask_for_a_relation(word: str) -> None:
    if word not in RELATIONS:
        raise Refusal(f'"{word}" is no relation; it is one of {", ".join(RELATIONS)}')


def _line(newer: str, relation: str, older: str, by: str, reason: str) -> dict[str, Any]:
    line = {"type": "edge", "from": newer, "relation": relation, "to": older, "by": by, "tier": "human"}
    return line | ({"note": reason} if reason else {})


def _named(newer: str, relation: str, older: str) -> str:
    return f'"{newer}" {relation} "{older}"'


def _assertions(space: Space, newer: Fact, older: Fact, relation: str) -> QuerySet[Statement]:
    """What asserts an edge and is not withdrawn; a contradiction has no direction."""
    ends = Q(other=newer, fact=older)
    if relation == "contradicts":
        ends |= Q(other=older, fact=newer)
    return Statement.objects.filter(ends, space=space, kind=CODE[relation], withdrawn=False)


class Updates:
    """The live `updates` edges of a space, as far as they are asked about, and those that are about to be asserted."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._below: dict[int, list[int]] = {}
        self._added: dict[int, list[int]] = {}
        self._is_whole = False

    def add(self, newer: Fact, older: Fact) -> None:
        """Raises Refusal where the edge would close a circle, which it names."""
        way = self._way(older.pk, newer.pk)
        if way:
            names = Fact.objects.filter(space=self._space).in_bulk(way)
            circle = " updates ".join(f'"{names[pk].name}"' for pk in [newer.pk, *way])
            raise Refusal(f"it would close a circle: {circle}")
        self._added.setdefault(newer.pk, []).append(older.pk)

    def _way(self, start: int, end: int) -> list[int]:
        """A shortest way along the edges, both ends with it; none if there is no way."""
        came_from, ahead, steps = {start: start}, [start], 0
        while ahead and end not in came_from:
            self._read(ahead, steps)
            beyond = [(fact, older) for fact in ahead for older in self._onto(fact)]
            ahead, steps = [], steps + 1
            for fact, older in beyond:
                if older not in came_from:
                    came_from[older] = fact
                    ahead.append(older)
        way = [end] if end in came_from else []
        while way and way[-1] != start:
            way.append(came_from[way[-1]])
        return way[::-1]

    def _onto(self, fact: int) -> list[int]:
        return self._below.get(fact, []) + self._added.get(fact, [])

    def _read(self, facts: list[int], steps: int) -> None:
        """Read the edges from some facts, so many steps away; on a long way all that there are."""
        unread = [fact for fact in facts if fact not in self._below]
        if self._is_whole or not unread:
            return
        live = Edge.objects.filter(space=self._space, live=True, relation=_UPDATES)
        if steps < _STEPS:
            asked = [live.filter(newer__in=some) for some in bulk.chunks(unread)]
            self._below |= {fact: [] for fact in unread}
        else:
            asked, self._below, self._is_whole = [live], {}, True
        for edges in asked:
            for newer, older in edges.order_by("newer__name", "older__name").values_list("newer_id", "older_id"):
                self._below.setdefault(newer, []).append(older)
