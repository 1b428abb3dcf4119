"""Duplicates: live facts that say the same, held together by pairs of which a restatement was found.

What was merged counts as what it was merged into, so that a cluster that is merged in parts stays one. Two facts of
which somebody said that they are not the same, or between which an edge says that one takes the place of the other or
contradicts it, hold nothing together.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Q, QuerySet
from numpy.typing import NDArray

from trustmem.core.columns import Bools, Floats, Ints
from trustmem.core.contradictions import FINDINGS, RESTATEMENT
from trustmem.core.duplicates import clusters
from trustmem.core.instants import NEVER
from trustmem.core.vocabulary import FORGOTTEN, LIVE, RELATIONS
from trustmem.store import bulk, cases, folds
from trustmem.store.cases import CANDIDATE, DUPLICATE
from trustmem.store.models import Case, Edge, Fact, Pair, Score, Space

#: The verdicts by which a cluster is decided.
MERGE, APART = "merge", "not the same"
#: So many members of a cluster are shown at once, and so many clusters on a page, which ends where that has so many.
PART, SIZE, ROWS = 100, 20, 200
#: Of more pairs the first that were found are looked at.
MOST_PAIRS = 200_000
_RESTATEMENT = FINDINGS.index(RESTATEMENT)
_APART = [RELATIONS.index(relation) for relation in ("updates", "contradicts")]
_UPDATES = RELATIONS.index("updates")
_Pairs = dict[str, NDArray[Any]]


class Place(NamedTuple):
    """Where a cluster stands among all: the largest first, then what has the highest trust in it; `key` is the least
    of its facts."""

    size: int
    trust: float
    key: int

    @property
    def order(self) -> tuple[float, float, int]:
        return -self.size, -self.trust, self.key


class Cluster(NamedTuple):
    """Facts that say the same, by their keys: first the one that is kept unless somebody says otherwise, then the
    oldest; of a large one the first. `place` has how many they are. `detectors` are the versions that found it."""

    keys: list[int]
    place: Place
    detectors: tuple[str, ...]


class Page(NamedTuple):
    """Clusters in their order, and after which place the next page begins (None: there is none). Of all there are
    `many`, with so many `facts`; `is_capped`: at least, as there are more pairs than are looked at."""

    clusters: list[Cluster]
    next: Place | None
    many: int
    facts: int
    is_capped: bool


def page(space: Space, after: Place | None = None, size: int = SIZE, part: int = PART) -> Page:
    """The clusters that come after a place."""
    found = _found(space)
    ahead = [place for place in found.places if after is None or place.order > after.order]
    shown, rows = list[Cluster](), 0
    for place in ahead[:size]:
        if shown and rows + min(place.size, part) > ROWS:
            break
        shown.append(found.cluster(place, part))
        rows += len(shown[-1].keys)
    last = shown[-1].place if len(shown) < len(ahead) else None
    return Page(shown, last, len(found.places), len(found.facts.keys), found.is_capped)


def about(space: Space, key: int, part: int = PART) -> Cluster | None:
    """The cluster that a fact is in; None: in none."""
    found = _found(space)
    place = bulk.places(found.facts.keys, np.array([key], np.int64))[0]
    if place < 0:
        return None
    of = next(each for each in found.places if each.key == found.of[place])
    cluster = found.cluster(of, part)
    if key in cluster.keys:
        return cluster
    return cluster._replace(keys=[*cluster.keys[:-1], key])


class _Facts(NamedTuple):
    """Live facts in the order of their keys, in columns."""

    keys: Ints
    tier: Ints
    trust: Floats
    at: Ints


@dataclass(frozen=True, slots=True)
class _Found:
    """All clusters of a space, in order; of each fact in which cluster it is (`of`: the least key in it), and the pairs
    that hold them together."""

    facts: _Facts
    of: Ints
    places: list[Place]
    pairs: _Pairs
    is_capped: bool

    def cluster(self, place: Place, part: int) -> Cluster:
        rows = np.flatnonzero(self.of == place.key)
        facts = self.facts
        first = rows[np.lexsort((rows, facts.at[rows], -facts.trust[rows], -facts.tier[rows]))[0]]
        rows = rows[np.lexsort((rows, facts.at[rows], rows != first))][:part]
        held = np.isin(self.pairs["older"], facts.keys[rows]) | np.isin(self.pairs["newer"], facts.keys[rows])
        detectors = tuple(sorted(set(self.pairs["detector"][held].tolist())))
        return Cluster(facts.keys[rows].tolist(), place, detectors)


def _found(space: Space) -> _Found:
    decided = _decided(space)
    pairs, is_capped = _pairs(space, decided.into)
    pairs = _held(space, pairs, decided.apart)
    keys, of = clusters(pairs["older"], pairs["newer"])
    facts = _facts(keys)
    return _Found(facts, of, _places(facts, of), pairs, is_capped)


def _places(facts: _Facts, of: Ints) -> list[Place]:
    if not len(of):
        return []
    order = np.argsort(of, kind="stable")
    least, starts, sizes = np.unique(of[order], return_index=True, return_counts=True)
    top = np.maximum.reduceat(facts.trust[order], starts)
    columns = (column.tolist() for column in (sizes, top, least))
    return sorted((Place(*row) for row in zip(*columns, strict=True)), key=lambda place: place.order)


def _facts(keys: Ints) -> _Facts:
    some = bulk.among(keys)
    told = bulk.read(Fact, [Fact.objects.filter(pk__in=some)], ("id", "tier", "at"))
    scored = bulk.read(Score, [Score.objects.filter(fact__in=some)], ("fact_id", "trust"))
    place, score = bulk.places(told["id"], keys), bulk.places(scored["fact_id"], keys)
    trust = np.where(score >= 0, np.append(scored["trust"], 0.0)[score], 0.0)
    return _Facts(keys, told["tier"][place].astype(np.int64), trust, told["at"][place])


# Pairs


def _pairs(space: Space, into: Mapping[int, int]) -> tuple[_Pairs, bool]:
    """Pairs of live facts, and whether there are more; what was merged is taken for what it was merged `into`."""
    every = Pair.objects.filter(space=space, finding=_RESTATEMENT)
    live = every.filter(older__state=LIVE, newer__state=LIVE).order_by("pk")
    found = bulk.read(Pair, [live[: MOST_PAIRS + 1]], _COLUMNS)
    is_capped = len(found["older"]) > MOST_PAIRS
    ends = [Q(**{f"{end}__in": chunk}) for end in ("older", "newer") for chunk in bulk.chunks(sorted(into))]
    merged = bulk.read(Pair, [every.filter(end) for end in ends], _COLUMNS)
    if len(merged["older"]):
        merged |= {end: _instead(merged[end], into) for end in ("older", "newer")}
        alive = _alive(np.unique(np.concatenate([merged["older"], merged["newer"]])))
        both = np.isin(merged["older"], alive) & np.isin(merged["newer"], alive) & (merged["older"] != merged["newer"])
        merged = {name: column[both] for name, column in merged.items()}
    return {name: np.concatenate([column[:MOST_PAIRS], merged[name]]) for name, column in found.items()}, is_capped


_COLUMNS = ("older", "newer", "detector")


def _instead(keys: Ints, into: Mapping[int, int]) -> Ints:
    return np.array([into.get(key, key) for key in keys.tolist()], np.int64)


def _alive(keys: Ints) -> Ints:
    alive: Ints = bulk.read(Fact, [Fact.objects.filter(pk__in=bulk.among(keys), state=LIVE)], ("id",))["id"]
    return alive


def _held(space: Space, pairs: _Pairs, apart: Sequence[frozenset[int]]) -> _Pairs:
    """Those pairs that hold something together."""
    off = told_apart(space, np.unique(np.concatenate([pairs["older"], pairs["newer"]])))
    groups = defaultdict[int, set[int]](set)
    for place, group in enumerate(apart):
        for key in group:
            groups[key].add(place)
    asked = np.isin(pairs["older"], [*groups]) if groups else np.zeros(len(pairs["older"]), bool)
    asked |= np.isin(pairs["older"], [end for ends in off for end in ends]) if off else asked
    kept: Bools = np.ones(len(asked), bool)
    for row in np.flatnonzero(asked).tolist():
        one, other = int(pairs["older"][row]), int(pairs["newer"][row])
        kept[row] = frozenset((one, other)) not in off and groups[one].isdisjoint(groups[other])
    return {name: column[kept] for name, column in pairs.items()}


def told_apart(space: Space, keys: Ints) -> set[frozenset[int]]:
    """From which of some facts an edge leads to another that says that they are not the same, and to which."""
    edges = Edge.objects.filter(space=space, relation__in=_APART, live=True, newer__in=bulk.among(keys))
    return {frozenset(pair) for pair in edges.values_list("newer_id", "older_id")}


# What people decided


class _Decided(NamedTuple):
    """Into which live fact each that was merged went, and which facts somebody called not the same; by keys."""

    into: dict[int, int]
    apart: list[frozenset[int]]


def _decided(space: Space) -> _Decided:
    merged, apart = dict[str, str](), list[list[str]]()
    for facts, verdict in _closed(space).values_list("facts", "verdict"):
        if verdict == MERGE:
            merged |= dict.fromkeys(facts[1:], facts[0])
        else:
            apart.append(facts)
    keys = folds.keys(space, {*merged, *merged.values(), *(name for facts in apart for name in facts)})
    live = set(_alive(np.array(sorted(keys.values()), np.int64)).tolist())
    into = dict[int, int]()
    for name, kept in merged.items():
        seen = {name}
        while keys.get(kept) not in live and kept in merged and kept not in seen:
            seen.add(kept)
            kept = merged[kept]
        if name in keys and keys[name] not in live and keys.get(kept) in live:
            into[keys[name]] = keys[kept]
    return _Decided(into, [frozenset(keys[name] for name in facts if name in keys) for facts in apart])


def _closed(space: Space) -> "QuerySet[Case]":
    """The cases by which facts were merged, or called not the same. Of a merge the first fact is the one that is
    kept."""
    duplicates = Q(key__startswith=cases.prefix(DUPLICATE), verdict__in=(MERGE, APART))
    candidates = Q(key__startswith=cases.prefix(CANDIDATE), verdict=MERGE)
    return Case.objects.filter(duplicates | candidates, space=space, closed_at__gt=NEVER).order_by("position")


def merged_away(space: Space, names: Collection[str]) -> set[str]:
    """Those of some facts, by name, that stand merged into others."""
    forgotten = set[str]()
    for chunk in bulk.chunks(names):
        forgotten |= set(
            Fact.objects.filter(space=space, name__in=chunk, state=FORGOTTEN).values_list("name", flat=True)
        )
    merges = list[list[str]]()
    for some in bulk.chunks(cases.of_facts(space, forgotten)):
        closed = Case.objects.filter(pk__in=some, closed_at__gt=NEVER, verdict=MERGE)
        merges += closed.values_list("facts", flat=True)
    return forgotten.intersection(name for facts in merges for name in facts[1:])


class Merged(NamedTuple):
    """That some facts were `merged` into one that was `kept`, by a case."""

    kept: str
    merged: list[str]
    case: str


def merges(space: Space, names: Iterable[str]) -> list[Merged]:
    """The merges that some facts were part of, the latest last."""
    pks = cases.of_facts(space, names)
    rows = [
        row
        for chunk in bulk.chunks(sorted(pks))
        for row in _closed(space).filter(pk__in=chunk, verdict=MERGE).values_list("position", "facts", "name")
    ]
    return [Merged(facts[0], facts[1:], name) for _, facts, name in sorted(rows)]


# What stands about some facts


class Found(NamedTuple):
    """What the detector found of two facts."""

    rule: str
    detector: str
    overlap: float


def between(space: Space, keys: Collection[int]) -> list[Found]:
    """The restatements among some facts."""
    chosen, found = set(keys), list[Found]()
    for chunk in bulk.chunks(sorted(chosen)):
        pairs = Pair.objects.filter(space=space, finding=_RESTATEMENT, older__in=chunk).order_by("pk")
        rows = pairs.values_list("newer_id", "rule", "detector", "overlap")
        found += [Found(rule, detector, overlap) for newer, rule, detector, overlap in rows if newer in chosen]
    return found


#: Why a fact cannot be merged into another: each is to be decided first. A superseded one cannot be kept either.
OBSTACLES = (SUPERSEDED, SUPERSEDES, DISPUTED, CHALLENGED, DENIED) = (
    "superseded",
    "supersedes",
    "disputed",
    "challenged",
    "denied",
)


def obstacles(space: Space, facts: Collection[Fact]) -> dict[str, str]:
    """What stands in the way of merging facts into others, by their names; of those alone that something does."""
    newer = set[int]()
    for chunk in bulk.chunks(fact.pk for fact in facts):
        updates = Edge.objects.filter(space=space, relation=_UPDATES, live=True, newer__in=chunk)
        newer |= set(updates.values_list("newer", flat=True))
    return {fact.name: why for fact in facts for why in _in_the_way(fact, fact.pk in newer)}


def _in_the_way(fact: Fact, is_newer: bool) -> Iterator[str]:
    """One at most."""
    holds = (fact.depth > 0, is_newer, fact.contradicted, fact.challenged, fact.contradictions > 0)
    yield from [why for why, is_so in zip(OBSTACLES, holds, strict=True) if is_so][:1]
