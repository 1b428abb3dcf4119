"""Lists of facts, a page at a time: filtered, sorted, and as quick among a million facts as among ten thousand.

A page begins after a place in the order, a (value, key), and never at a number: nothing is skipped over or counted, and
rows that come or go between two pages neither repeat nor hide others. An index gives each of these in its order:

    all of a state, of a band, with a flag, of a source      by trust
    all of a state, of a source, of an entity                by age
    all of a state                                           by weight

Anything else is filtered on the way along one of them, or sorted where an entity or some words choose the facts: that
takes as long as there is to walk. A band is a range of trust under the constants in force, whose edges are known; so a
list asks for the range, which is exact whatever the constants were when a fact was scored.
"""

import base64
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from trustmem.core.vocabulary import BANDS, FLAGS, LIVE, SCOPES, STATES, TIERS, code_of
from trustmem.store import chains, full_text, mentions, queries
from trustmem.store.models import Fact, Space
from trustmem.store.models.scores import BITS, index_of

By = Literal["trust", "age", "weight"]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which facts; None: any. Words of the vocabulary but for `source`, `entity` and `text`, which is a search;
    `searched` are the states of facts in which it looks.

    Raises ValueError for another word, and for a name that no database can hold.
    """

    band: str | None = None
    flag: str | None = None
    tier: str | None = None
    scope: str | None = None
    state: str | None = "live"
    source: str | None = None
    entity: str | None = None
    text: str | None = None
    searched: frozenset[int] | None = None

    def __post_init__(self) -> None:
        for name, known in (("band", BANDS), ("flag", FLAGS), ("tier", TIERS), ("scope", SCOPES), ("state", STATES)):
            word = getattr(self, name)
            if word is not None:
                code_of(word, known)
        for word in (self.source, self.entity):
            if word is not None and ("\0" in word or any("\ud800" <= each <= "\udfff" for each in word)):
                raise ValueError("no name has such a character")


@dataclass(frozen=True, slots=True)
class Sort:
    """By stored trust; by `age`, which is the instant of birth (descending: the newest first); or by `weight`: as that
    of now moves with the clock, by the derived weight, which only events move. Equal ones by key."""

    by: By = "trust"
    ascending: bool = False


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a list: next to this value and key. `back`: the page that ends there, not the one that begins."""

    by: By
    value: float
    fact: int
    back: bool = False

    def __str__(self) -> str:
        """As text that may stand in an address."""
        packed = json.dumps([self.by, self.value, self.fact, self.back], separators=(",", ":"))
        return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")

    @classmethod
    def of(cls, text: str) -> "Cursor":
        """The cursor of such a text; ValueError for any other.

        >>> Cursor.of(str(Cursor("age", 1_767_000_000_000_000, 7)))
        Cursor(by='age', value=1767000000000000, fact=7, back=False)
        """
        try:
            by, value, fact, back = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True))
        except (ValueError, TypeError, RecursionError):
            by = None
        if by == "trust" or by == "weight":
            good = type(value) is float and math.isfinite(value)
        else:
            good = by == "age" and type(value) is int and -(2**63) <= value < 2**63
        if not good or type(fact) is not int or abs(fact) >= 2**63 or type(back) is not bool:
            raise ValueError("this is no place in a list")
        return cls(by, value, fact, back)


class Row(NamedTuple):
    """A fact as a list shows it; codes are those of the vocabulary, and what is scored is None until it is."""

    pk: int
    name: str
    text: str
    subject: str
    predicate: str
    object: str
    source: str
    state: int
    tier: int
    scope: int
    at: int
    at_known: bool
    arrived: int
    derived: float
    evidence: int
    contradictions: int
    use_count: int
    depth: int
    accepted: bool
    trust: float | None
    band: int | None
    flags: int | None
    scored_at: int | None


_SCORED = ("trust", "band", "flags", "scored_at")


class Page(NamedTuple):
    """Rows in order, and where the pages after and before begin; None: there is none."""

    rows: list[Row]
    next: Cursor | None
    previous: Cursor | None


class Keys(NamedTuple):
    """The same of keys of facts."""

    facts: list[int]
    next: Cursor | None
    previous: Cursor | None


@dataclass(frozen=True, slots=True)
class Then:
    """Which facts had come by an instant: what had `arrived` by then, but for what `void` acts wrote or brought; and
    the places of `more`, of which no row is left."""

    arrived: int
    void: frozenset[str]
    more: Sequence[tuple[int, int]]


def page(space: Space, filter: Filter, sort: Sort, after: Cursor | None = None, size: int = 50) -> Page:
    """The facts of a list that come after a place in it, or before it where the cursor says `back`.

    Raises ValueError for a cursor of a list that is sorted by something else.
    """
    found = keys(space, filter, sort, after, size)
    return Page(rows(found.facts), found.next, found.previous)


def keys(
    space: Space, filter: Filter, sort: Sort, after: Cursor | None = None, size: int = 50, then: Then | None = None
) -> Keys:
    """The same by their keys; of those that had come by `then` in a list by age."""
    if after is not None and after.by != sort.by:
        raise ValueError(f"this is a place in a list by {after.by}, not by {sort.by}")
    back = after is not None and after.back
    found = _places(space, filter, Sort(sort.by, sort.ascending != back), after, size + 1, then)
    more, places = len(found) > size, found[:size]
    if back:
        places.reverse()
    if not places:
        return _emptied(space, filter, sort, after, then)
    following = Cursor(sort.by, *places[-1]) if more or back else None
    preceding = Cursor(sort.by, *places[0], back=True) if (more if back else after) else None
    return Keys([fact for _, fact in places], following, preceding)


def _emptied(space: Space, filter: Filter, sort: Sort, after: Cursor | None, then: Then | None) -> Keys:
    """A page of a list that is empty, or whose rows have gone since somebody led to it: back to what there still is."""
    if after is None:
        return Keys([], None, None)
    # What stood at the place itself may still be there.
    beside = after.fact + (1 if sort.ascending != after.back else -1)
    turned = replace(after, fact=beside, back=not after.back)
    there = _places(space, filter, Sort(sort.by, sort.ascending != turned.back), turned, 1, then)
    found = turned if there else None
    return Keys([], found, None) if after.back else Keys([], None, found)


def named(space: Space, names: Sequence[str]) -> list[Row]:
    """The facts of these names that there are, in the order of the names."""
    facts = dict(Fact.objects.filter(space=space, name__in=names).values_list("name", "pk"))
    return rows([facts[name] for name in names if name in facts])


def count(space: Space, filter: Filter, cap: int = 1000) -> tuple[int, bool]:
    """How many facts there are, up to `cap`, and whether there are more."""
    query = _query(space, filter, "trust" if filter.flag or filter.band else "age", filter.state)
    if query is None:
        return 0, False
    query = query.between(query.least, query.below)
    some = f"SELECT 1 FROM {query.tables} WHERE {query.where} LIMIT {cap + 1}"  # noqa: S608 (names of ours)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ({some}) AS counted", query.parameters)  # noqa: S608
        found: int = cursor.fetchone()[0]
    return min(found, cap), found > cap


def sizes(spaces: QuerySet[Space], cap: int = 1000) -> list[tuple[Space, int, bool]]:
    """Spaces in their order, each with how many live facts it has, up to `cap`, and whether there are more. One query,
    which walks no further than that in any of them."""
    some = "SELECT 1 FROM store_fact f WHERE f.space_id = store_space.id AND f.state = %s LIMIT %s"
    count = f"(SELECT count(*) FROM ({some}) AS counted)"  # noqa: S608 (names of ours)
    found = spaces.annotate(size=RawSQL(count, (LIVE, cap + 1)))  # noqa: S611
    return [(each, min(each.size, cap), each.size > cap) for each in found]


def _places(
    space: Space, filter: Filter, sort: Sort, after: Cursor | None, size: int, then: Then | None
) -> list[tuple[float, int]]:
    """The first places after one, in order. A list of every state is four lists side by side, each along its index."""
    states = STATES if filter.state is None and filter.entity is None else (filter.state,)
    found: list[tuple[float, int]] = []
    for state in states:
        query = _query(space, filter, sort.by, state, then)
        if query is not None:
            found += _first(query, sort, after, size)
    if then is not None:
        at = None if after is None else (after.value, after.fact)
        found += [each for each in then.more if at is None or (each != at and (each > at) == sort.ascending)]
    return sorted(found, reverse=not sort.ascending)[:size]


@dataclass(slots=True)
class _Query:
    """What stands after FROM and WHERE, and the columns of a place. `least` and `below` are the range of the value."""

    tables: str
    value: str
    key: str
    conditions: list[str]
    parameters: list[Any]
    least: float | None = None
    below: float | None = None

    def ask(self, condition: str, *parameters: Any) -> None:
        self.conditions.append(condition)
        self.parameters += parameters

    def between(self, least: float | None, below: float | None) -> "_Query":
        """The same, of a range of values."""
        query = replace(self, conditions=[*self.conditions], parameters=[*self.parameters])
        if least is not None:
            query.ask(f"{self.value} >= %s", least)
        if below is not None:
            query.ask(f"{self.value} < %s", below)
        return query

    def begins_after(self, place: Cursor, sort: Sort) -> bool:
        """Whether all of the range comes after a place."""
        if sort.ascending:
            return self.least is not None and place.value < self.least
        return self.below is not None and place.value >= self.below

    @property
    def where(self) -> str:
        return " AND ".join(self.conditions)


def _query(space: Space, filter: Filter, by: By, state: str | None, then: Then | None = None) -> _Query | None:
    """The facts of one state (None: any), beginning with the table whose index has them in order. None: there are none.

    SQLite takes the tables of a CROSS JOIN in the order in which they stand.
    """
    first = "m" if filter.entity is not None else "s" if by == "trust" else "f"
    home = "s" if by == "trust" else "f"
    needed = {home, "s" if filter.flag or filter.band else home}
    needed |= {"f"} if filter.tier or filter.scope or then else set()
    joined = [first, *sorted(needed - {first})]
    tables = " CROSS JOIN ".join(f"{_TABLES[each]} {each}" for each in joined)
    query = _Query(
        tables=tables,
        value=_VALUES[first, by],
        key=_KEYS[first],
        conditions=[f"{_KEYS[each]} = {_KEYS[first]}" for each in joined[1:]],
        parameters=[],
    )
    query.ask(f"{first}.space_id = %s", space.pk)
    if filter.entity is not None:
        query.ask("m.entity = %s", mentions.known_as(filter.entity))
    if state is not None:
        query.ask(f"{home}.state = %s", STATES.index(state))
    if filter.source is not None:
        query.ask(f"{home}.source = %s", filter.source)
    if filter.flag is not None:
        bit = BITS[filter.flag]
        query.ask(f"(s.flags & {bit}) = {bit}")  # to the letter as its index has it
        if tables == "store_score s" and not filter.source and not filter.text and connection.vendor == "sqlite":
            # Which judges by how many have the flag, and not by how far on in the order they may stand.
            query.tables += f" INDEXED BY {index_of(filter.flag)}"
    if filter.band is not None:
        _ask_for_band(query, space, filter.band, by)
    for column, word, words in (("f.tier", filter.tier, TIERS), ("f.scope", filter.scope, SCOPES)):
        if word is not None:
            query.ask(f"{column} = %s", words.index(word))
    if then is not None:
        _ask_for_then(query, then)
    if filter.text is not None and filter.text.strip():
        says = (chains.says if then is None else full_text.says)(space, filter.text, query.key)
        if says is None:
            return None
        query.ask(says.sql, *says.parameters)
        if filter.searched is not None:
            query.ask(f"{'f' if then else home}.state IN ({', '.join(map(str, sorted(filter.searched)))})")
    return query


def _ask_for_then(query: _Query, then: Then) -> None:
    query.ask("f.arrived <= %s", then.arrived)
    if then.void:
        acts = ", ".join(["%s"] * len(then.void))
        line = "SELECT 1 FROM store_line l WHERE l.space_id = f.space_id AND l.name = f.name"
        query.ask(f"NOT EXISTS ({line} AND (l.act IN ({acts}) OR l.imported IN ({acts})))", *then.void, *then.void)


_TABLES = {"f": "store_fact", "s": "store_score", "m": "store_mention"}
_KEYS = {"f": "f.id", "s": "s.fact_id", "m": "m.fact_id"}
_VALUES: dict[tuple[str, By], str] = {
    ("s", "trust"): "s.trust",
    ("m", "trust"): "s.trust",
    ("f", "age"): "f.at",
    ("m", "age"): "m.at",
    ("f", "weight"): "f.derived",
    ("m", "weight"): "f.derived",
}


def _ask_for_band(query: _Query, space: Space, band: str, by: By) -> None:
    edges = (None, *queries.constants(space).band_edges, None)
    least, below = edges[BANDS.index(band)], edges[BANDS.index(band) + 1]
    if by == "trust":
        query.least, query.below = least, below
        return
    if least is not None:
        query.ask("s.trust >= %s", least)
    if below is not None:
        query.ask("s.trust < %s", below)


def _first(query: _Query, sort: Sort, after: Cursor | None, size: int) -> list[tuple[float, int]]:
    """The first places of a query after one: those of the same value, then those beyond it.

    Asked for both at once, SQLite would walk all that have the value, which may be most of the facts. The cursor takes
    the place of the end of the range that lies before it: of two bounds on one side a database would use either.
    """
    least, below = query.least, query.below
    beyond = ">" if sort.ascending else "<"
    if after is None or query.begins_after(after, sort):
        return _ordered(query.between(least, below), sort, size)
    same = query.between(least, below)
    same.ask(f"{query.value} = %s AND {query.key} {beyond} %s", after.value, after.fact)
    found = _ordered(same, sort, size)
    if len(found) < size:
        rest = query.between(None if sort.ascending else least, below if sort.ascending else None)
        rest.ask(f"{query.value} {beyond} %s", after.value)
        found += _ordered(rest, sort, size - len(found))
    return found


def _ordered(query: _Query, sort: Sort, size: int) -> list[tuple[float, int]]:
    way = "ASC" if sort.ascending else "DESC"
    places = f"SELECT {query.value}, {query.key} FROM {query.tables} WHERE {query.where}"  # noqa: S608 (names of ours)
    with connection.cursor() as cursor:
        cursor.execute(f"{places} ORDER BY {query.value} {way}, {query.key} {way} LIMIT {size}", query.parameters)
        return [(value, fact) for value, fact in cursor.fetchall()]


def rows(facts: Sequence[int]) -> list[Row]:
    """The facts of these keys that there are, in the order of the keys."""
    names = [name if name not in _SCORED else f"score__{name}" for name in Row._fields]
    # Not by their space, which they have been found in: SQLite would rather walk all of it than look up so many.
    found = {row[0]: Row(*row) for row in Fact.objects.filter(pk__in=facts).values_list(*names)}
    return [found[fact] for fact in facts if fact in found]
