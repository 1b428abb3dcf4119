"""The tables that are folds of what the core folds: rows dropped and written anew, from what a history came to."""

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from django.db.models import Model, Q

from trustmem.core.columns import STATEMENTS
from trustmem.core.fold import Folded
from trustmem.core.lines import Edge as EdgeLine
from trustmem.core.lines import Event, Feedback
from trustmem.core.lines import Line as AnyLine
from trustmem.core.statements import Edges
from trustmem.core.undo import standing_lines
from trustmem.core.vocabulary import RELATIONS, RULINGS
from trustmem.store import belonging, bulk, full_text, mentions, scores
from trustmem.store.columns import FACT, fact_rows
from trustmem.store.history import Told
from trustmem.store.models import Change, Edge, Fact, Ruling, Score, Space, Statement, Text, Touch, Waiting

_COPIES = ("text", "subject", "predicate", "object", "entities")
#: What hangs on a fact, by which column. An edge of some facts has both its ends among them.
_OF_A_FACT: Mapping[type[Model], str] = {
    Edge: "newer",
    Ruling: "fact",
    Statement: "fact",
    Touch: "fact",
    Fact: "pk",
}


def write(space: Space, folded: Folded, told: Told, some: Collection[str] | None = None) -> list[int]:
    """Replace `some` facts of a space (None: all), and what hangs on them, by what the lines `told` of them came to.

    Facts that edges connect are to be given together. Gives their keys, in the order of their ids. What passes changed
    of a fact that is no more goes with it. Within a transaction.
    """
    kept = keys(space, some)
    pks = _primary_keys(kept, folded)
    _delete(space, None if some is None else list(kept.values()), told)
    there = set(folded.history.facts.ids)
    gone = [pk for name, pk in kept.items() if name not in there]
    for chunk in bulk.chunks(gone):
        Change.objects.filter(space=space, fact__in=chunk).delete()
        Score.objects.filter(pk__in=chunk).delete()
    belonging.forget(space, gone)
    copies = _copies(space, folded, told)
    facts = ((pk, space.pk, *row, *copy) for pk, row, copy in zip(pks, fact_rows(folded), copies, strict=True))
    bulk.insert(Fact, ("id", "space_id", *FACT, *_COPIES), list(facts))
    bulk.insert(Touch, _TOUCH, list(_touches(space, folded, pks)))
    bulk.insert(Statement, _STATEMENT, list(_statements(space, folded, told, pks)))
    bulk.insert(Ruling, _RULING, list(_rulings(space, folded, told, pks)))
    bulk.insert(Edge, _EDGE, list(_edges(space, folded, pks)))
    bulk.insert(Waiting, ("space_id", "name", "position"), list(_waiting(space, folded, told)))
    _index(space, folded, pks, None if some is None else [*pks, *gone])
    return pks


def _index(space: Space, folded: Folded, pks: list[int], some: list[int] | None) -> None:
    """Write what lists look up: of some facts (None: of all), be they gone."""
    if some is None:
        mentions.fill(space)
        full_text.fill(space)
    else:
        mentions.replace(space, some)
        full_text.replace(space, some)
    facts, sources = folded.history.facts, folded.history.sources
    rows = None if some is None else np.arange(len(pks))
    scores.write(space, folded.stored, pks, [sources[code] for code in facts.source], space.written_at, only=rows)


def keys(space: Space, names: Collection[str] | None) -> dict[str, int]:
    """The keys of those of these facts that there are."""
    facts = Fact.objects.filter(space=space).values_list("name", "pk")
    if names is None:
        return dict(facts)
    return {name: pk for chunk in bulk.chunks(names) for name, pk in facts.filter(name__in=chunk)}


def names(space: Space, pks: Collection[int]) -> Iterator[str]:
    """The names of facts by their keys."""
    for chunk in bulk.chunks(pks):
        yield from Fact.objects.filter(pk__in=chunk).values_list("name", flat=True)


def _delete(space: Space, pks: list[int] | None, told: Told) -> None:
    for model, column in _OF_A_FACT.items():
        of_space = Q(space=space)
        if pks is None:
            model._default_manager.filter(of_space).delete()
        for chunk in bulk.chunks(pks or ()):
            # By its own key alone, or SQLite might walk the whole space.
            scope = Q() if column == "pk" else of_space
            model._default_manager.filter(scope, **{f"{column}__in": chunk}).delete()
    waiting = Waiting.objects.filter(space=space)
    for lines in [Q()] if pks is None else [Q(position__in=chunk) for chunk in bulk.chunks(told.positions.values())]:
        waiting.filter(lines).delete()


def _primary_keys(kept: Mapping[str, int], folded: Folded) -> list[int]:
    """A fact keeps its key for as long as the space has it; new ones get their own."""
    fresh = iter(bulk.keys(Fact, sum(name not in kept for name in folded.history.facts.ids)))
    return [kept[name] if name in kept else next(fresh) for name in folded.history.facts.ids]


def _copies(space: Space, folded: Folded, told: Told) -> Iterator[tuple[str, ...]]:
    """The texts of facts that lists and pages read."""
    for names in bulk.chunks(folded.history.facts.ids):
        positions = [told.positions[name] for name in names]
        texts = dict(Text.objects.filter(space=space, position__in=positions).values_list("position", "body"))
        for position in positions:
            text = json.loads(texts.get(position) or "{}")
            words = [text.get(name) or "" for name in _COPIES[:-1]]
            yield (*words, json.dumps(text.get("entities", []), ensure_ascii=False))


_TOUCH = ("space_id", "fact_id", "source", "run", "kind", "at", "echo")


def _touches(space: Space, folded: Folded, pks: list[int]) -> Iterator[tuple[Any, ...]]:
    touches, heard, history = folded.touches, folded.seen.heard, folded.history
    for row in np.flatnonzero(heard.present).tolist():
        yield (
            space.pk,
            pks[touches.fact[row]],
            history.sources[touches.source[row]],
            history.runs[touches.run[row]],
            int(touches.kind[row]),
            int(heard.at[row]),
            bool(heard.echo[row]),
        )


_STATEMENT = (
    "space_id",
    "position",
    "fact_id",
    "other_id",
    "kind",
    "source",
    "run",
    "tier",
    "at",
    "in_force",
    "ruling",
    "withdrawn",
    "challenge",
)


def _statements(space: Space, folded: Folded, told: Told, pks: list[int]) -> Iterator[tuple[Any, ...]]:
    statements, standing, history = folded.history.statements, folded.seen.standing, folded.history
    ruling = np.array([-1, 1, 0])[standing.ruling]  # the core has 0 dismissed, 1 upheld, -1 none
    for row, name in enumerate(statements.ids):
        newer = int(statements.newer[row])
        yield (
            space.pk,
            told.positions[name],
            pks[statements.fact[row]],
            pks[newer] if newer >= 0 else None,
            int(statements.kind[row]),
            history.sources[statements.source[row]],
            history.runs[statements.run[row]],
            int(statements.tier[row]),
            int(statements.at[row]),
            bool(standing.in_force[row]),
            int(ruling[row]),
            bool(standing.withdrawn[row]),
            bool(standing.challenges[row]),
        )


_RULING = ("space_id", "position", "of", "fact_id", "upheld", "at")


def _rulings(space: Space, folded: Folded, told: Told, pks: list[int]) -> Iterator[tuple[Any, ...]]:
    statements, rulings = folded.history.statements, folded.history.rulings
    for row, name in enumerate(rulings.ids):
        of = int(rulings.of[row])
        place, fact = told.positions[statements.ids[of]], pks[statements.fact[of]]
        yield space.pk, told.positions[name], place, fact, bool(rulings.upheld[row]), int(rulings.at[row])


_EDGE = ("space_id", "newer_id", "older_id", "relation", "carried", "live", "on_cycle")


def _edges(space: Space, folded: Folded, pks: list[int]) -> Iterator[tuple[Any, ...]]:
    """Every edge that was ever asserted, once; a contradiction from the fact whose name comes first."""
    statements = folded.history.statements
    carried, live = _ends(folded.stored.edges), _ends(folded.stored.live_edges)
    circular = _ends(folded.seen.standing.circular)
    asserted = np.flatnonzero((statements.edge >= 0) & ~statements.removed)
    ends = np.column_stack([statements.newer[asserted], statements.fact[asserted], statements.kind[asserted]])
    for newer, older, kind in sorted({_directed(*each) for each in ends.tolist()}):
        edge = (newer, older, kind - _FIRST_RELATION)
        yield (space.pk, pks[newer], pks[older], edge[2], edge in carried, edge in live, edge in circular)


_FIRST_RELATION = STATEMENTS.index(RELATIONS[0])
_CONTRADICTS = STATEMENTS.index("contradicts")


def _directed(newer: int, older: int, kind: int) -> tuple[int, int, int]:
    return (min(newer, older), max(newer, older), kind) if kind == _CONTRADICTS else (newer, older, kind)


def _ends(edges: Edges) -> set[tuple[int, int, int]]:
    rows = zip(edges.newer.tolist(), edges.older.tolist(), edges.relation.tolist(), strict=True)
    return {(*_directed(newer, older, relation + _FIRST_RELATION)[:2], relation) for newer, older, relation in rows}


def _waiting(space: Space, folded: Folded, told: Told) -> Iterator[tuple[int, str, int]]:
    """What lines name that name something that there is not."""
    counted, _ = standing_lines(told.lines)
    facts, statements = set(folded.history.facts.ids), folded.history.statements.ids
    ruled_on = {statements[of] for of in folded.history.rulings.of.tolist()}
    for line in counted:
        known = ruled_on if isinstance(line, Event) and line.kind in RULINGS else facts
        names = named(line)
        if not names <= known:
            yield from ((space.pk, name, told.positions[line.id]) for name in sorted(names))


def named(line: AnyLine) -> set[str]:
    """The facts that a line names, or the statement that it rules on."""
    if isinstance(line, EdgeLine):
        return {line.newer, line.older}
    if isinstance(line, Event) and line.kind in RULINGS:
        return {line.of} if line.of else set()
    return {line.fact} if isinstance(line, Event | Feedback) and line.fact else set()
