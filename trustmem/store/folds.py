"""The tables that are folds of what the core folds: dropped and written anew, from what a history came to."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from django.db.models import Max

from trustmem.core.columns import STATEMENTS
from trustmem.core.fold import Folded, PassTaken
from trustmem.core.statements import Edges
from trustmem.core.vocabulary import RELATIONS
from trustmem.store import bulk, records
from trustmem.store.columns import FACT, fact_rows
from trustmem.store.models import Change, Edge, Fact, Line, Pass, Score, Space, Statement, Text, Touch

_COPIES = ("text", "subject", "predicate", "object", "entities")
_FOLDED = (Change, Pass, Score, Edge, Statement, Touch, Fact)
#: What a pass can change of a fact, and a Change row tells.
_CHANGING = ("scope", "pruned", "derived", "half_life", "anchor", "anchored_at", "stamp")


def write(space: Space, folded: Folded, passes: list[PassTaken]) -> None:
    """Replace the facts of a space, and all that hangs on them, by what was folded. Within a transaction."""
    pks = _primary_keys(space, folded)
    for model in _FOLDED:
        model._default_manager.filter(space=space).delete()
    copies = _copies(space)
    nothing = ("", "", "", "", "[]")
    facts = ((pk, space.pk, *row, *copies.get(row[0], nothing)) for pk, row in zip(pks, fact_rows(folded), strict=True))
    bulk.insert(Fact, ("id", "space_id", *FACT, *_COPIES), list(facts))
    bulk.insert(
        Touch, ("space_id", "fact_id", "source", "run", "kind", "at", "echo"), list(_touches(space, folded, pks))
    )
    bulk.insert(Statement, _STATEMENT, list(_statements(space, folded, pks)))
    bulk.insert(
        Edge, ("space_id", "newer_id", "older_id", "relation", "live", "on_cycle"), list(_edges(space, folded, pks))
    )
    _write_passes(space, folded, pks, passes)
    records.write(space, folded.void)


def _primary_keys(space: Space, folded: Folded) -> list[int]:
    """A fact keeps its key for as long as the space has it; new ones take the next."""
    kept = dict(Fact.objects.filter(space=space).values_list("name", "pk"))
    highest = Fact.objects.aggregate(highest=Max("pk"))["highest"] or 0
    fresh = itertools.count(highest + 1)
    return [kept[name] if name in kept else next(fresh) for name in folded.history.facts.ids]


def _copies(space: Space) -> dict[str, tuple[str, ...]]:
    """The texts of facts that lists and pages read, by the name of the fact."""
    names = dict(Line.objects.filter(space=space, tag="fact").values_list("position", "name"))
    copies = {}
    for position, body in Text.objects.filter(space=space).exclude(body="").values_list("position", "body"):
        if position in names:
            text = json.loads(body)
            words = [text.get(name) or "" for name in _COPIES[:-1]]
            copies[names[position]] = (*words, json.dumps(text.get("entities", []), ensure_ascii=False))
    return copies


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


def _statements(space: Space, folded: Folded, pks: list[int]) -> Iterator[tuple[Any, ...]]:
    statements, standing, history = folded.history.statements, folded.seen.standing, folded.history
    position = dict(Line.objects.filter(space=space).values_list("name", "position"))
    ruling = np.array([-1, 1, 0])[standing.ruling]  # the core has 0 dismissed, 1 upheld, -1 none
    for row, name in enumerate(statements.ids):
        newer = int(statements.newer[row])
        yield (
            space.pk,
            position[name],
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


def _edges(space: Space, folded: Folded, pks: list[int]) -> Iterator[tuple[Any, ...]]:
    """Every edge that was ever asserted, once; a contradiction from the fact whose name comes first."""
    statements = folded.history.statements
    live, circular = _ends(folded.stored.edges), _ends(folded.seen.standing.circular)
    asserted = np.flatnonzero((statements.edge >= 0) & ~statements.removed)
    ends = np.column_stack([statements.newer[asserted], statements.fact[asserted], statements.kind[asserted]])
    for newer, older, kind in sorted({_directed(*each) for each in ends.tolist()}):
        edge = (newer, older, kind - _FIRST_RELATION)
        yield (space.pk, pks[newer], pks[older], edge[2], edge in live, edge in circular)


_FIRST_RELATION = STATEMENTS.index(RELATIONS[0])
_CONTRADICTS = STATEMENTS.index("contradicts")


def _directed(newer: int, older: int, kind: int) -> tuple[int, int, int]:
    return (min(newer, older), max(newer, older), kind) if kind == _CONTRADICTS else (newer, older, kind)


def _ends(edges: Edges) -> set[tuple[int, int, int]]:
    rows = zip(edges.newer.tolist(), edges.older.tolist(), edges.relation.tolist(), strict=True)
    return {(*_directed(newer, older, relation + _FIRST_RELATION)[:2], relation) for newer, older, relation in rows}


def _write_passes(space: Space, folded: Folded, pks: list[int], passes: list[PassTaken]) -> None:
    first = (Pass.objects.aggregate(highest=Max("pk"))["highest"] or 0) + 1
    rows, changes = [], []
    for pk, taken in enumerate(passes, start=first):
        changed = list(_changes(taken))
        revived, pruned = taken.before.pruned & ~taken.after.pruned, taken.after.pruned & ~taken.before.pruned
        counts = (taken.weighed, revived, pruned, taken.promoted, taken.deferred)
        weighed, *others = (int(each.sum()) for each in counts)
        rows.append((pk, space.pk, taken.instant, taken.clock, not taken.counts, weighed, len(changed), *others))
        changes += [(space.pk, pk, pks[row], json.dumps(before), json.dumps(after)) for row, before, after in changed]
    columns = (
        "id",
        "space_id",
        "instant",
        "clock",
        "void",
        "weighed",
        "changed",
        "revived",
        "pruned",
        "promoted",
        "deferred",
    )
    bulk.insert(Pass, columns, rows)
    bulk.insert(Change, ("space_id", "of_pass_id", "fact_id", "before", "after"), changes)


def _changes(taken: PassTaken) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """(row, before, after) of each fact that the pass changed, with what differs."""
    columns = [(name, getattr(taken.before, name), getattr(taken.after, name)) for name in _CHANGING]
    differs = np.array([before != after for _, before, after in columns])
    for row in np.flatnonzero(differs.any(axis=0)).tolist():
        names = [
            (name, before, after)
            for (name, before, after), is_so in zip(columns, differs[:, row], strict=True)
            if is_so
        ]
        yield (
            row,
            {name: before[row].item() for name, before, _ in names},
            {name: after[row].item() for name, _, after in names},
        )
