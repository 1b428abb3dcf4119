"""Ties: what leads from a fact or an entity to another one, whoever said or found it. Reads of single steps, each
bounded where it is asked for: a fact with ten thousand edges costs no more than what is wanted of them.

A node is named by its key: a fact by its number, an entity by its name.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F, Q

from trustmem.core.contradictions import CONTRADICTION, FINDINGS, RESTATEMENT, UPDATE
from trustmem.core.instants import NEVER
from trustmem.core.vocabulary import RELATIONS, STATES
from trustmem.store import cases, folds, naming, queries
from trustmem.store.cases import CANDIDATE, DUPLICATE
from trustmem.store.models import Case, CoOccurrence, Edge, Mention, Pair, SemanticEdge, Space

Key = int | str
#: Of the entities that facts name, so many times as many rows are read as ties are wanted.
_MOST_NAMED = 4

#: What ties two nodes: what was asserted, then what was found, then what merely lies near. A picture that has not room
#: for all takes them in turn, in this order.
ASSERTED = ("updates", "contradicts", "extends", "derives")
TIES = (*ASSERTED, "candidate", "restatement", "mention", "semantic", "co-occurrence")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which ties, and which facts, by codes of bands and states. None: of any band, or not scored."""

    ties: frozenset[str] = frozenset(TIES)
    states: frozenset[int] = frozenset(range(len(STATES)))
    bands: frozenset[int] | None = None


class Step(NamedTuple):
    """From a node to another one: by which tie, and how strong that is, from 0 to 1 (of what was asserted, 1); `age`
    orders equal ones, the highest first."""

    near: Key
    far: Key
    tie: str
    strength: float
    age: int


class Tie(NamedTuple):
    """Two nodes that are tied. Of what has a direction `one` is the newer end; `rule` is that of the detector, and it
    `counts` unless it waits for an end that is pruned, or lies on a circle of updates."""

    one: Key
    other: Key
    name: str
    strength: float
    rule: str = ""
    counts: bool = True


class _Way(NamedTuple):
    """How ties of some names lead on: in which table from which column to which, and how strongly, under a condition
    with its parameters; `order` is by strength, and ends in what no two of them share."""

    name: str
    table: str
    near: str
    far: str
    strength: str
    order: str
    condition: str = "true"
    parameters: tuple[Any, ...] = ()
    leads_to_facts: bool = True
    age: str = "0"


def steps(space: Space, nodes: Sequence[Key], filter: Filter, refuted: Collection[int], most: int) -> list[Step]:
    """What leads away from each of these nodes by each tie, at most so many either way, the strongest first."""
    found = list[Step]()
    for ways, of in _ways(space, nodes, filter, refuted):
        with connection.cursor() as cursor:
            cursor.execute(*_asked(space, ways, of, filter, most))
            rows = cursor.fetchall()
        found += [Step(near, far, ways[way].name, *rest) for way, near, far, *rest in rows]
    return found


def by_text(space: Space, node: Key, filter: Filter, most: int) -> list[Step]:
    """The same of what only texts name, from one node."""
    if "mention" not in filter.ties:
        return []
    if isinstance(node, int):
        return [Step(node, name, "mention", 1.0, 0) for name in naming.entities_in(space, node, most)]
    found = naming.facts_with(space, node, lets_through(space, filter), most)
    return [Step(node, fact, "mention", 1.0, at) for fact, at in found]


def lets_through(space: Space, filter: Filter) -> Q:
    """That a fact is of the states and bands of a filter."""
    said = Q(state__in=filter.states)
    if filter.bands is None:
        return said
    edges, within = (-1.0, *queries.constants(space).band_edges, 2.0), Q(pk__in=())
    for band in filter.bands:
        within |= Q(score__trust__gte=edges[band], score__trust__lt=edges[band + 1])
    return said & within


def count(space: Space, node: Key, filter: Filter, refuted: Collection[int], cap: int) -> dict[str, int]:
    """How many ties lead away from a node by each name, each way counted up to a cap."""
    found = dict[str, int]()
    for ways, of in _ways(space, [node], filter, refuted):
        parts, parameters = list[str](), list[Any]()
        for number, way in enumerate(ways):
            inner, after = _inner(space, way, filter, "%s")
            some = f"SELECT 1 {inner} LIMIT {cap}"
            parts.append(f"SELECT {number}, count(*) FROM ({some}) AS counted")  # noqa: S608 (names of ours)
            parameters += [*of, *after]
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(parts), parameters)
            for number, many in cursor.fetchall():
                found[ways[number].name] = found.get(ways[number].name, 0) + many
    return found


def _ways(
    space: Space, nodes: Sequence[Key], filter: Filter, refuted: Collection[int]
) -> Iterator[tuple[list[_Way], list[Key]]]:
    """All that may lead away from some nodes, what leads from and to nodes of one kind together, each with those of
    them from which it may."""
    facts: list[Key] = [each for each in nodes if isinstance(each, int)]
    entities: list[Key] = [each for each in nodes if isinstance(each, str)]
    for of, every in ((facts, [*_from_facts(space, refuted)]), (entities, _FROM_ENTITIES)):
        for leads_to_facts in (True, False):
            ways = [each for each in every if each.name in filter.ties and each.leads_to_facts == leads_to_facts]
            if of and ways:
                yield ways, of


def _from_facts(space: Space, refuted: Collection[int]) -> Iterator[_Way]:
    for name in ASSERTED:
        asserted = f"x.relation = {RELATIONS.index(name)} AND {_STANDS}"
        yield from _both("store_edge", "1.0", "", name, asserted)
    for name, (condition, parameters) in _found(space, refuted).items():
        yield from _both("store_pair", "x.overlap", "x.overlap DESC, ", name, condition, parameters)
    yield from _both("store_semanticedge", _MEAN, f"{_MEAN} DESC, ", "semantic")
    yield _Way("mention", "store_mention", "x.fact_id", "x.entity", "1.0", "x.entity", leads_to_facts=False)


def _both(
    table: str, strength: str, order: str, name: str, condition: str = "true", parameters: tuple[Any, ...] = ()
) -> Iterator[_Way]:
    """Either way between two facts; of equal ones to the newest first."""
    for near, far in (("x.newer_id", "x.older_id"), ("x.older_id", "x.newer_id")):
        apart = f"{near} <> {far} AND {condition}"
        yield _Way(name, table, near, far, strength, f"{order}{far} DESC", apart, parameters, age=far)


_STANDS = "(x.carried OR x.on_cycle)"
_MEAN = "(x.to_newer + x.to_older) / 2"
_FROM_ENTITIES = (
    _Way("mention", "store_mention", "x.entity", "x.fact_id", "1.0", "x.at DESC, x.fact_id DESC", age="x.at"),
    *(
        _Way(
            "co-occurrence",
            "store_cooccurrence",
            near,
            far,
            "x.npmi",
            f"x.npmi DESC, x.together DESC, {far}",
            "x.one <> x.other",
            leads_to_facts=False,
            age="x.together",
        )
        for near, far in (("x.one", "x.other"), ("x.other", "x.one"))
    ),
)


def _no_edge(newer: str, older: str) -> str:
    edge = f"e.space_id = x.space_id AND e.newer_id = {newer} AND e.older_id = {older} AND e.live"
    return f"NOT EXISTS (SELECT 1 FROM store_edge e WHERE {edge} AND e.relation IN {_DECIDING})"  # noqa: S608


#: Where one of these stands between two facts, they are no candidate.
_DECIDING = tuple(RELATIONS.index(name) for name in ("updates", "contradicts"))
_UNDECIDED = f"{_no_edge('x.newer_id', 'x.older_id')} AND {_no_edge('x.older_id', 'x.newer_id')}"


def _found(space: Space, refuted: Collection[int]) -> Mapping[str, tuple[str, tuple[Any, ...]]]:
    """What the detector found, by the names of ties: what would wait for a person by the constants, and what says the
    same."""
    least = asdict(queries.constants(space).candidate_overlap)
    by_rule = " ".join(["WHEN %s THEN %s"] * len(least))
    codes = f"({FINDINGS.index(UPDATE)}, {FINDINGS.index(CONTRADICTION)})"
    said_no = f" AND x.id NOT IN ({', '.join(map(str, refuted))})" if refuted else ""
    return {
        "candidate": (
            f"x.finding IN {codes} AND x.overlap >= CASE x.rule {by_rule} ELSE 2 END AND {_UNDECIDED}{said_no}",
            tuple(each for item in least.items() for each in item),
        ),
        "restatement": (f"x.finding = {FINDINGS.index(RESTATEMENT)}{said_no}", ()),
    }


#: By these a person said that two facts are not what the detector found; so many of the latest are looked at.
_SAID_NO, _LATEST = {CANDIDATE: ("not a contradiction", "both hold"), DUPLICATE: ("not the same",)}, 1000


def refuted(space: Space) -> list[int]:
    """The pairs, by their keys, of which a person said that they are not what was found: those are no ties. It is asked
    for once for all that is read of ties together."""
    said = Q()
    for kind, verdicts in _SAID_NO.items():
        said |= Q(key__startswith=cases.prefix(kind), verdict__in=verdicts)
    closed = Case.objects.filter(said, space=space, closed_at__gt=NEVER).order_by("-position")
    told = list(closed.values_list("facts", flat=True)[:_LATEST])
    keys = folds.keys(space, {name for facts in told for name in facts}) if told else {}
    apart = {frozenset(keys[name] for name in facts if name in keys) for facts in told}
    pairs = Pair.objects.filter(space=space, older__in=keys.values()).values_list("pk", "older", "newer")
    return [pk for pk, *ends in pairs if any({*ends} <= facts for facts in apart)] if keys else []


def _inner(space: Space, way: _Way, filter: Filter, near: str) -> tuple[str, list[Any]]:
    """What stands from FROM on, for the node that `near` stands for, and the parameters after that."""
    conditions = [f"x.space_id = {space.pk}", f"{way.near} = {near}", way.condition]
    tables, parameters = f"{way.table} x", [*way.parameters]
    if way.leads_to_facts:
        tables += " CROSS JOIN store_fact f"
        conditions += [f"f.id = {way.far}", f"f.state IN ({', '.join(map(str, sorted(filter.states))) or '-1'})"]
    if way.leads_to_facts and filter.bands is not None:
        said, bounds = _of_bands(space, filter.bands)
        tables += " CROSS JOIN store_score s"
        conditions += ["s.fact_id = f.id", said]
        parameters += bounds
    return f"FROM {tables} WHERE {' AND '.join(conditions)}", parameters


def _of_bands(space: Space, bands: Collection[int]) -> tuple[str, list[float]]:
    """That trust lies in one of some bands, under the constants in force."""
    edges = (-1.0, *queries.constants(space).band_edges, 2.0)
    said = " OR ".join(["(s.trust >= %s AND s.trust < %s)"] * len(bands)) or "false"
    return f"({said})", [each for band in sorted(bands) for each in edges[band : band + 2]]


def _asked(
    space: Space, ways: Sequence[_Way], nodes: Sequence[Key], filter: Filter, most: int
) -> tuple[str, list[Any]]:
    """The query for the first steps from each node. Both databases look up each node by itself, as they are told."""
    parts, parameters = list[str](), list[Any](nodes)
    for number, way in enumerate(ways):
        inner, after = _inner(space, way, filter, "nodes.node")
        first = f"{inner} ORDER BY {way.order} LIMIT {most}"
        columns = f"{way.far} AS far, {way.strength} AS strength, {way.age} AS age"
        if connection.vendor == "postgresql":
            parts.append(f"SELECT {number}, nodes.node, t.* FROM nodes CROSS JOIN LATERAL (SELECT {columns} {first}) t")  # noqa: S608
        else:
            those = f"nodes CROSS JOIN {way.table} y WHERE y.id IN (SELECT x.id {first})"
            parts.append(f"SELECT {number}, nodes.node, {columns.replace('x.', 'y.')} FROM {those}")  # noqa: S608
        parameters += after
    values = ", ".join([f"(CAST(%s AS {'bigint' if isinstance(nodes[0], int) else 'text'}))"] * len(nodes))
    return f"WITH nodes (node) AS (VALUES {values}) {' UNION ALL '.join(parts)}", parameters


# What ties some nodes with each other.


def within(space: Space, nodes: Collection[Key], filter: Filter, refuted: Collection[int], most: int) -> list[Tie]:
    """All ties between these nodes, what was asserted before the rest and the strongest first, at most so many."""
    facts = [each for each in nodes if isinstance(each, int)]
    entities = [each for each in nodes if isinstance(each, str)]
    found = list(_asserted(space, facts, most))
    decided = {
        frozenset((tie.one, tie.other)) for tie in found if tie.counts and tie.name in ("updates", "contradicts")
    }
    found += [
        each
        for each in _pairs(space, facts, refuted, most)
        if not (each.name == "candidate" and {each.one, each.other} in decided)
    ]
    found += [
        *_near(space, facts, most),
        *_mentions(space, facts, entities, most),
        *_together(space, entities, most),
    ]
    return [each for name in TIES if name in filter.ties for each in found if each.name == name][:most]


def _asserted(space: Space, facts: Sequence[int], most: int) -> Iterator[Tie]:
    edges = Edge.objects.filter(Q(carried=True) | Q(on_cycle=True), space=space, newer__in=facts, older__in=facts)
    rows = edges.order_by("relation", "newer", "older").values_list("newer", "older", "relation", "live")[:most]
    for newer, older, relation, live in rows:
        yield Tie(newer, older, RELATIONS[relation], 1.0, counts=live)


def _pairs(space: Space, facts: Sequence[int], refuted: Collection[int], most: int) -> Iterator[Tie]:
    least = asdict(queries.constants(space).candidate_overlap)
    pairs = Pair.objects.filter(space=space, newer__in=facts, older__in=facts).order_by("-overlap", "pk")
    pairs = pairs.exclude(pk__in=refuted)
    for newer, older, finding, rule, overlap in pairs.values_list("newer", "older", "finding", "rule", "overlap")[
        :most
    ]:
        if FINDINGS[finding] == RESTATEMENT:
            yield Tie(newer, older, "restatement", overlap, rule)
        elif FINDINGS[finding] in (UPDATE, CONTRADICTION) and overlap >= least.get(rule, 2):
            yield Tie(newer, older, "candidate", overlap, rule)


def _near(space: Space, facts: Sequence[int], most: int) -> Iterator[Tie]:
    edges = SemanticEdge.objects.filter(space=space, newer__in=facts, older__in=facts)
    edges = edges.annotate(mean=(F("to_newer") + F("to_older")) / 2).order_by("-mean", "pk")
    for newer, older, mean in edges.values_list("newer", "older", "mean")[:most]:
        yield Tie(newer, older, "semantic", mean)


def _mentions(space: Space, facts: Sequence[int], entities: Sequence[str], most: int) -> Iterator[Tie]:
    """By the facts, each of which names few entities, where one of these may be named by very many; and what only their
    texts name."""
    if not facts or not entities:
        return
    told, sought = defaultdict[int, set[str]](set), set(entities)
    rows = Mention.objects.filter(space=space, fact__in=facts).order_by("fact", "entity")
    for fact, entity in rows.values_list("fact", "entity")[: _MOST_NAMED * most]:
        told[fact].add(entity)
        if entity in sought:
            yield Tie(fact, entity, "mention", 1.0)
    for fact, entity in islice(naming.between(space, facts, entities, told), most):
        yield Tie(fact, entity, "mention", 1.0)


def _together(space: Space, entities: Sequence[str], most: int) -> Iterator[Tie]:
    pairs = CoOccurrence.objects.filter(space=space, one__in=entities, other__in=entities)
    for one, other, npmi in pairs.order_by("-npmi", "pk").values_list("one", "other", "npmi")[:most]:
        yield Tie(one, other, "co-occurrence", npmi)


def told_of(space: Space, entities: Collection[str], states: Collection[int]) -> set[str]:
    """Those of some entities that a fact in one of these states mentions."""
    if not entities:
        return set()
    values, codes = ", ".join(["(CAST(%s AS text))"] * len(entities)), ", ".join(map(str, states))
    named = f"x.space_id = {space.pk} AND x.entity = nodes.node AND f.id = x.fact_id AND f.state IN ({codes})"
    exists = f"EXISTS (SELECT 1 FROM store_mention x CROSS JOIN store_fact f WHERE {named})"  # noqa: S608 (names of ours)
    with connection.cursor() as cursor:
        sql = f"WITH nodes (node) AS (VALUES {values}) SELECT node FROM nodes WHERE {exists}"  # noqa: S608
        cursor.execute(sql, [*entities])
        return {name for (name,) in cursor.fetchall()}
