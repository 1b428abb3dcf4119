"""Chains: the claims that `updates` edges connect, from the head, above which nothing stands, to the tail."""

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from django.db import connection
from django.db.models import Q

from trustmem.core.columns import CODE
from trustmem.core.instants import EVER
from trustmem.core.vocabulary import ERASED, FORGOTTEN, LIVE, PRUNED, RELATIONS
from trustmem.store import bulk, full_text
from trustmem.store.full_text import Condition
from trustmem.store.models import Edge, Fact, Space, Statement

_UPDATES = RELATIONS.index("updates")
Holds = Literal["live", "circular", "ended"]


class Member(NamedTuple):
    """A claim of a chain; `state` is a code of the vocabulary."""

    name: str
    at: int
    at_known: bool
    state: int


class Said(NamedTuple):
    """A line that made a claim what it is: its position, when that was, and whose word it is."""

    position: int
    at: int
    by: str


class Step(NamedTuple):
    """That one claim took the place of another: the first line that says so and counts. It is live, or lies on a circle
    of updates, or an end of it is forgotten or erased."""

    newer: str
    older: str
    said: Said
    holds: Holds


class Whole(NamedTuple):
    """A chain: its claims from head to tail by name, what stands above what, and by which lines claims were forgotten
    or erased."""

    members: dict[str, Member]
    steps: list[Step]
    gone: dict[str, Said]

    @property
    def heads(self) -> list[str]:
        """The claims that hold: those above which nothing stands."""
        above = {step.older for step in self.steps if step.holds == "live"}
        return [each.name for each in self.members.values() if each.state in (LIVE, PRUNED) and each.name not in above]

    @property
    def circular(self) -> list[str]:
        """The claims on a circle of updates, of which none counts."""
        ends = {end for step in self.steps if step.holds == "circular" for end in (step.newer, step.older)}
        return [name for name in self.members if name in ends]


#: The newer and the older end of an edge: keys of facts, or rows of columns.
Ends = tuple[int, int]


def whole(space: Space, name: str) -> Whole | None:
    """The chain of a fact: all that `updates` edges connect with it that were asserted and not taken back. None: there
    is no such fact."""
    start = Fact.objects.filter(space=space, name=name).values_list("pk", flat=True).first()
    if start is None:
        return None
    said = said_of(space, connected(space, [start], ("updates",)))
    (pks,) = groups([start], said)
    facts = [Fact.objects.filter(pk__in=chunk) for chunk in bulk.chunks(pks)]
    column = bulk.read(Fact, facts, ("id", "name", "at", "at_known", "state"))
    rows = zip(*(each.tolist() for each in column.values()), strict=True)
    members = {pk: Member(*row) for pk, *row in rows}
    return assembled(members, said, holds_of(space, pks), _gone(space, members))


def assembled(
    members: Mapping[int, Member], said: Mapping[Ends, Said], holds: Mapping[Ends, Holds], gone: Mapping[int, Said]
) -> Whole:
    """The chain of these claims, of what is said and what holds about claims, be they others."""
    steps = [
        Step(members[newer].name, members[older].name, line, holds.get((newer, older), "ended"))
        for (newer, older), line in said.items()
        if newer in members
    ]
    away = {members[each].name: line for each, line in gone.items() if each in members}
    return Whole(head_to_tail(members.values(), steps), steps, away)


def head_to_tail(members: Iterable[Member], steps: Iterable[Step]) -> dict[str, Member]:
    """Claims by name, each after all that stand above it, and the newest first where that leaves a choice; of a circle
    the newest stands first."""
    by_name = {each.name: each for each in members}
    below, waits_for = defaultdict[str, set[str]](set), dict.fromkeys(by_name, 0)
    for step in steps:
        if step.older not in below[step.newer]:
            below[step.newer].add(step.older)
            waits_for[step.older] += 1
    newest = sorted((-each.at, each.name) for each in by_name.values())
    ready = [each for each in newest if not waits_for[each[1]]]
    left, ordered = iter(newest), dict[str, Member]()
    while len(ordered) < len(by_name):
        name = heapq.heappop(ready)[1] if ready else next(each for _, each in left if each not in ordered)
        if name in ordered:
            continue
        ordered[name] = by_name[name]
        for older in below[name]:
            waits_for[older] -= 1
            if not waits_for[older]:
                heapq.heappush(ready, (-by_name[older].at, older))
    return ordered


def _gone(space: Space, members: Mapping[int, Member]) -> dict[int, Said]:
    """The last line by which each claim that is gone was forgotten or erased."""
    away = [pk for pk, each in members.items() if each.state in (FORGOTTEN, ERASED)]
    found = dict[int, Said]()
    for chunk in bulk.chunks(away):
        lines = Statement.objects.filter(space=space, fact__in=chunk, in_force=True)
        lines = lines.filter(kind__in=(CODE["forgotten"], CODE["erased"])).order_by("at", "position")
        named = lines.values_list("fact", "position", "at", "source")
        found |= {fact: Said(position, at, by) for fact, position, at, by in named}
    return found


def said_of(space: Space, facts: Collection[int]) -> dict[Ends, Said]:
    """For each edge onto one of these facts that somebody asserts in force, the first line that does."""
    found = dict[Ends, Said]()
    for chunk in bulk.chunks(facts):
        lines = Statement.objects.filter(space=space, fact__in=chunk, kind=CODE["updates"], other__isnull=False)
        lines = lines.filter(in_force=True, withdrawn=False).order_by("-position")
        named = lines.values_list("other", "fact", "position", "at", "source")
        found |= {(newer, older): Said(position, at, by) for newer, older, position, at, by in named}
    return found


def holds_of(space: Space, facts: Collection[int]) -> dict[Ends, Holds]:
    """Which edges from these facts are live, and which lie on a circle."""
    found = dict[Ends, Holds]()
    for chunk in bulk.chunks(facts):
        edges = Edge.objects.filter(Q(live=True) | Q(on_cycle=True), space=space, newer__in=chunk, relation=_UPDATES)
        named = edges.values_list("newer", "older", "live")
        found |= {(newer, older): "live" if live else "circular" for newer, older, live in named}
    return found


def arrivals(space: Space, name: str) -> list[int]:
    """When each claim of the chain of a fact came, and each line about what took its place or whether it is there."""
    start = Fact.objects.filter(space=space, name=name).values_list("pk", flat=True).first()
    if start is None:
        return []
    kinds = ", ".join(str(CODE[each]) for each in _MAKING)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            {_linked(space, [start], ("updates",))}
            SELECT f.arrived FROM linked CROSS JOIN store_fact f WHERE f.id = linked.fact
            UNION
            SELECT l.arrived FROM linked CROSS JOIN store_statement s CROSS JOIN store_line l
            WHERE s.space_id = %s AND s.fact_id = linked.fact AND s.kind IN ({kinds})
                AND l.space_id = s.space_id AND l.position = s.position
            """,  # noqa: S608 (numbers and names of ours)
            [space.pk],
        )
        return sorted(arrived for (arrived,) in cursor.fetchall())


#: What makes and unmakes a chain.
_MAKING = ("updates", "forgotten", "restored", "erased")


def groups(facts: Iterable[int], edges: Iterable[Ends]) -> list[set[int]]:
    """The facts in groups, of which edges connect all."""
    beside = defaultdict[int, list[int]](list)
    for newer, older in edges:
        beside[newer].append(older)
        beside[older].append(newer)
    groups, met = list[set[int]](), set[int]()
    for start in facts:
        if start in met:
            continue
        group, ahead = {start}, [start]
        for fact in ahead:  # which grows as it is walked
            ahead += (further := {*beside[fact]} - group)
            group |= further
        met |= group
        groups.append(group)
    return groups


def connected(
    space: Space, facts: Collection[int], relations: Sequence[str], which: str = "", until: int = EVER
) -> set[int]:
    """Keys of facts and of all that edges of these relations connect with them: all that were ever asserted, or those
    of which a condition of SQL holds; of facts that had arrived by an instant."""
    found = set[int]()
    for chunk in bulk.chunks(facts):
        with connection.cursor() as cursor:
            sql = f"{_linked(space, chunk, relations, which, until)} SELECT fact FROM linked"  # noqa: S608 (as above)
            cursor.execute(sql)
            found |= {fact for (fact,) in cursor.fetchall()}
    return found


def _linked(space: Space, facts: Iterable[int], relations: Sequence[str], which: str = "", until: int = EVER) -> str:
    """Before a query: `linked`, of which each row is such a `fact`."""
    codes = ", ".join(str(RELATIONS.index(each)) for each in relations)
    first = f"SELECT f.id FROM store_fact f WHERE f.id IN ({', '.join(map(str, facts))})"  # noqa: S608 (numbers)
    steps = _steps(f"e.space_id = {space.pk} AND e.relation IN ({codes}) {which}", until)
    return f"WITH RECURSIVE linked (fact) AS ({first} UNION {steps})"


def _steps(asked: str, until: int) -> str:
    """The way from each fact that is linked to those at the other ends of its edges, as each database allows it."""

    def way(edges: str, near: str, far: str) -> str:
        came = f"AND (SELECT f.arrived FROM store_fact f WHERE f.id = {far}) <= {until}" if until < EVER else ""  # noqa: S608 (names of ours)
        return f"SELECT {far} AS fact FROM {{}}{edges} WHERE {near} = linked.fact AND {asked} {came}"  # noqa: S608

    ways = way("store_edge e", "e.newer_id", "e.older_id"), way(onto(), "e.older_id", "e.newer_id")
    if connection.vendor == "postgresql":
        ends = " UNION ALL ".join(each.format("") for each in ways)
        return f"SELECT ends.fact FROM linked CROSS JOIN LATERAL ({ends}) ends"  # noqa: S608
    return " UNION ".join(each.format("linked CROSS JOIN ") for each in ways)


def onto() -> str:
    """The edges, as those that lead to a fact are looked up: SQLite would rather walk all of a space."""
    return "store_edge e" if connection.vendor == "postgresql" else "store_edge e INDEXED BY edges_onto_a_fact"


# What is found by what it replaced.


def says(space: Space, query: str, key: str) -> Condition | None:
    """That the fact whose key stands in a column says some words, or is the head of a chain in which a claim does; the
    latter unless the words are in many facts."""
    found = full_text.few_say(space, query)
    if found is None:
        return full_text.says(space, query, key)
    above = f"e.space_id = {space.pk} AND e.older_id = linked.fact AND e.relation = {_UPDATES} AND e.live"
    linked = f"SELECT e.newer_id FROM linked CROSS JOIN {onto()} WHERE {above}"  # noqa: S608 (names of ours)
    is_head = f"NOT EXISTS (SELECT 1 FROM {onto()} WHERE {above})"  # noqa: S608
    sql = f"""{key} IN (
        WITH RECURSIVE linked (fact) AS ({found.sql} UNION {linked})
        SELECT fact FROM linked WHERE fact IN ({found.sql}) OR {is_head}
    )"""  # noqa: S608
    return Condition(sql, [*found.parameters, *found.parameters])


def heads(space: Space, facts: Collection[int]) -> dict[int, list[int]]:
    """Of superseded facts, by their keys, what holds in their place: the heads of their chains, the oldest first."""
    if not facts:
        return {}
    keys, found = ", ".join(map(str, facts)), defaultdict[int, list[int]](list)
    above = f"e.space_id = {space.pk} AND e.older_id = linked.fact AND e.relation = {_UPDATES} AND e.live"
    linked = f"SELECT linked.start, e.newer_id FROM linked CROSS JOIN {onto()} WHERE {above}"  # noqa: S608 (ours)
    sql = f"""
        WITH RECURSIVE linked (start, fact) AS (
            SELECT f.id, f.id FROM store_fact f WHERE f.id IN ({keys}) UNION {linked}
        )
        SELECT start, fact FROM linked
        WHERE start <> fact AND NOT EXISTS (SELECT 1 FROM {onto()} WHERE {above}) ORDER BY 1, 2
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql)
        for start, head in cursor.fetchall():
            found[start].append(head)
    return dict(found)


def replaced(space: Space, query: str, facts: Collection[int]) -> dict[int, int]:
    """Of facts that were found by `says`, those that do not say the words themselves, each with the newest of the
    claims below it that does."""
    found = full_text.few_say(space, query)
    if found is None or not facts:
        return {}
    keys = ", ".join(map(str, facts))
    below = f"e.space_id = {space.pk} AND e.newer_id = linked.fact AND e.relation = {_UPDATES} AND e.live"
    own = f"SELECT f.id, f.id FROM store_fact f WHERE f.id IN ({keys}) AND f.id NOT IN ({found.sql})"  # noqa: S608
    linked = f"SELECT linked.head, e.older_id FROM linked CROSS JOIN store_edge e WHERE {below}"  # noqa: S608
    sql = f"""
        WITH RECURSIVE linked (head, fact) AS ({own} UNION {linked})
        SELECT head, max(fact) FROM linked WHERE fact IN ({found.sql}) GROUP BY head
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, [*found.parameters, *found.parameters])
        return dict(cursor.fetchall())
