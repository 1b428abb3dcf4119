"""The list of the chains of a space.

Each stands where the line came in by which it last changed. So a page begins after the position of a line: nothing is
counted or skipped over, and no chain stands on two pages.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import connection

from trustmem.core.vocabulary import RELATIONS
from trustmem.store import bulk, full_text, lists
from trustmem.store.chains import Ends, Holds, Said, connected, groups, holds_of, said_of
from trustmem.store.models import Space

_UPDATES = RELATIONS.index("updates")
#: Up to so many facts that a filter finds, all of their chains are looked up.
_FEW = 2000
#: So many lines are looked at first, and at most, in one go.
_FIRST, _MOST = 100, 5000


@dataclass(frozen=True, slots=True)
class Filter:
    """Which chains: those of which a claim is of a source, and says some words (None: any). Raises ValueError for a
    name that no database can hold."""

    source: str | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        lists.Filter(source=self.source)

    def __bool__(self) -> bool:
        return bool(self.source or (self.text or "").strip())


Key = TypeVar("Key", int, str)


class Chain(NamedTuple, Generic[Key]):
    """A chain in the list: its claims by their keys (or names), its heads (none where it is but a circle of updates),
    those on a circle and those that a filter `found`; the position of the line by which it last changed, and when that
    was."""

    facts: set[Key]
    heads: list[Key]
    circular: set[Key]
    found: set[Key]
    position: int
    at: int


class Page(NamedTuple, Generic[Key]):
    """Chains, what changed last before the rest; and next to which positions the pages after and before begin."""

    chains: list[Chain[Key]]
    next: int | None
    previous: int | None


def page(space: Space, filter: Filter, place: int | None = None, size: int = 20, *, back: bool = False) -> Page[int]:
    """The chains next to a position: after it in the list, or before it where the way leads `back`."""
    return paged(_in_order(space, filter, place, back), place, size, back=back)


def paged(chains: Iterator[Chain[Key]], place: int | None, size: int, *, back: bool) -> Page[Key]:
    """The first of the chains that are met from a place on."""
    found = list(islice(chains, size + 1))
    more, shown = len(found) > size, found[:size]
    if back:
        shown.reverse()
    if not shown:
        return Page([], None, None)
    has_next, has_previous = (True, more) if back else (more, place is not None)
    return Page(shown, shown[-1].position if has_next else None, shown[0].position if has_previous else None)


def _in_order(space: Space, filter: Filter, place: int | None, back: bool) -> Iterator[Chain[int]]:
    """The chains from a position on. Where a filter finds few facts, these lead to them; else the lines do."""
    few = _few(space, filter) if filter else None
    if few is None:
        yield from _walked(space, filter, place, back)
        return
    chains = sorted(_chains(space, few), key=lambda chain: chain.position, reverse=not back)
    for chain in chains:
        if place is None or (chain.position > place if back else chain.position < place):
            yield chain._replace(found=chain.facts & few)


def _walked(space: Space, filter: Filter, place: int | None, back: bool) -> Iterator[Chain[int]]:
    # That what is known already is asserted anew changes nothing: so a chain may be met before its line.
    known, of_line, many = set[int](), dict[int, Chain[int]](), _FIRST
    while True:
        lines = _lines(space, place, back, many)
        chains = _chains(space, {fact for fact in lines.values() if fact not in known})
        fresh = {fact for chain in chains for fact in chain.facts}
        found = _matching(space, filter, fresh) if filter else set()
        known |= fresh
        of_line |= {each.position: each._replace(found=found & each.facts) for each in chains}
        yield from (of_line[each] for each in lines if each in of_line and (of_line[each].found or not filter))
        if len(lines) < many:
            return
        place, many = next(reversed(lines)), min(2 * many, _MOST)


def _lines(space: Space, place: int | None, back: bool, many: int) -> dict[int, int]:
    """The lines from a position on that assert an edge which is live or on a circle, and the older end of each."""
    beyond, way = (">", "ASC") if back else ("<", "DESC")
    after = "" if place is None else f"AND l.position {beyond} {place}"
    with connection.cursor() as cursor:
        # SQLite takes the tables of a CROSS JOIN in the order in which they stand.
        cursor.execute(
            f"""
            SELECT l.position, s.fact_id
            FROM store_line l CROSS JOIN store_statement s CROSS JOIN store_edge e
            WHERE l.space_id = %s AND l.tag = 'edge.updates' {after}
                AND s.space_id = l.space_id AND s.position = l.position AND s.in_force AND NOT s.withdrawn
                AND e.space_id = l.space_id AND e.newer_id = s.other_id AND e.older_id = s.fact_id
                AND e.relation = {_UPDATES} AND {_STANDING}
            ORDER BY l.position {way} LIMIT {many}
            """,  # noqa: S608 (numbers and names of ours)
            [space.pk],
        )
        return dict(cursor.fetchall())


_STANDING = "(e.live OR e.on_cycle)"


def _chains(space: Space, facts: Collection[int]) -> list[Chain[int]]:
    """The chains of these facts, those left out that stand alone."""
    near = connected(space, facts, ("updates",), f"AND {_STANDING}")
    holds, said = holds_of(space, near), said_of(space, near)
    changes = {edge: said[edge] for edge in holds if edge in said}
    return [chain(group, holds, changes) for group in groups(near, holds) if len(group) > 1]


def chain(group: set[int], holds: Mapping[Ends, Holds], changes: Mapping[Ends, Said]) -> Chain[int]:
    """A chain of the list, of what holds and is said about these claims and others; heads by their keys."""
    live = [edge for edge in holds if edge[0] in group and holds[edge] == "live"]
    circular = {end for edge in holds if edge[0] in group and holds[edge] == "circular" for end in edge}
    older = {below for _, below in live}
    last = max(line for (newer, _), line in changes.items() if newer in group)
    return Chain(group, sorted({newer for newer, _ in live} - older), circular, set(), last.position, last.at)


def _few(space: Space, filter: Filter) -> set[int] | None:
    """The facts that a filter finds. None: they are many."""
    found = _matching(space, filter, None)
    return None if len(found) > _FEW else found


def _matching(space: Space, filter: Filter, among: Collection[int] | None) -> set[int]:
    """The facts that a filter finds, all of them up to one more than few, or those among some."""
    conditions, parameters = ["f.space_id = %s"], list[Any]([space.pk])
    if filter.source:
        conditions.append("f.source = %s")
        parameters.append(filter.source)
    if filter.text and filter.text.strip():
        says = full_text.says(space, filter.text, "f.id")
        if says is None:
            return set()
        conditions.append(says.sql)
        parameters += says.parameters
    found = set[int]()
    for chunk in [None] if among is None else bulk.chunks(among):
        which = f"LIMIT {_FEW + 1}" if chunk is None else f"AND f.id IN ({', '.join(map(str, chunk))})"
        with connection.cursor() as cursor:
            sql = f"SELECT f.id FROM store_fact f WHERE {' AND '.join(conditions)} {which}"  # noqa: S608 (as above)
            cursor.execute(sql, parameters)
            found |= {fact for (fact,) in cursor.fetchall()}
    return found
