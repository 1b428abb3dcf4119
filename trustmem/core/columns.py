"""Lines as columns: facts by id, statements and rulings by (at, id), everything named by position.

Rows stand in canonical order whatever order the lines came in, so that "the latest" is "the last row" and
float sums give the same bits. Lines that name something unknown are left out: they wait (interchange).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from trustmem.core import reinforcement
from trustmem.core.constants import Constants, changed
from trustmem.core.instants import NEVER, unnamed_run
from trustmem.core.lines import ConstantsChange, Edge, Event, Fact, Feedback, Line
from trustmem.core.vocabulary import (
    BY_PEOPLE,
    CHANNELS,
    FACT_EVENTS,
    HUMAN,
    OUTCOMES,
    PRODUCERS,
    RELATIONS,
    RULINGS,
    SCOPES,
    SIGNED,
    TIERS,
    code_of,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.int8]

#: What a statement row can be, in the order of its codes.
STATEMENTS = (*FACT_EVENTS, *RELATIONS, *OUTCOMES)
CODE = {kind: code for code, kind in enumerate(STATEMENTS)}
_HARMFUL = ("contradicted", "forgotten", "corrected", "updates", "contradicts")


def is_any(kinds: Codes, *names: str) -> Bools:
    """Which statement rows are of one of the named kinds; `kinds` holds codes of STATEMENTS (section 1).

    >>> is_any(np.array([CODE["restated"], CODE["updates"]], np.int8), "updates").tolist()
    [False, True]
    """
    return np.isin(kinds, [CODE[name] for name in names])


def distinct(*columns: NDArray[Any]) -> tuple[Ints, Ints]:
    """A number for each distinct row of the columns, in their order, and one row that has it.

    >>> distinct(np.array([7, 3, 7]))
    (array([1, 0, 1]), array([1, 0]))
    """
    order = np.lexsort(columns[::-1])
    starts = np.ones(len(order), bool)
    starts[1:] = np.any([np.diff(column[order]) != 0 for column in columns], axis=0)
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(starts) - 1
    return numbers, order[starts]


@dataclass(frozen=True, slots=True)
class Facts:
    """One row a fact, by id. `tier` is the tier at birth; `prior` and `weight` are NaN where none was given."""

    ids: list[str]
    at: Ints
    arrived: Ints
    at_known: Bools
    source: Ints
    run: Ints
    producer: Codes
    scope: Codes
    tier: Codes
    core: Bools
    erased: Bools
    bad_signature: Bools
    prior: Floats
    weight: Floats
    baseline_evidence: Ints
    baseline_contradictions: Ints
    baseline_uses: Ints
    baseline_count: Ints
    first_seen: Ints

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Statements:
    """One row an event on a fact, an edge line or a feedback, by (at, id).

    `fact` is what it is about: of an edge the older end, with `newer` the other (-1 where there is none).
    `edge` numbers the edges; lines for the same edge share a number (-1: not about an edge).
    `known_from` is the instant from which it and all that it names have arrived. `harmful` as in section 1.
    """

    ids: list[str]
    kind: Codes
    fact: Ints
    newer: Ints
    edge: Ints
    source: Ints
    run: Ints
    tier: Codes
    at: Ints
    known_from: Ints
    removed: Bools
    confirmed: Bools
    harmful: Bools

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Rulings:
    """One row an `upheld` or `dismissed` of a harmful statement (`of`, a row of Statements), by (at, id)."""

    ids: list[str]
    of: Ints
    upheld: Bools
    at: Ints
    known_from: Ints


@dataclass(frozen=True, slots=True)
class Evaluations:
    """One row a feedback, by (at, id): its row in Statements and its channels, gaps filled (section 8)."""

    statement: Ints
    channels: Floats


@dataclass(frozen=True, slots=True)
class History:
    """Everything that counts of a space, as columns. `sources` and `runs` are the names that codes stand for."""

    sources: list[str]
    runs: list[str]
    facts: Facts
    statements: Statements
    rulings: Rulings
    evaluations: Evaluations
    versions: Sequence[tuple[int, Constants]]

    @classmethod
    def of(cls, lines: Iterable[Line], constants: Constants) -> Self:
        """Columns of the lines that count; `constants` is in force until a line changes it."""
        ordered = sorted(lines, key=lambda line: (line.at, line.id))
        births = sorted((line for line in ordered if isinstance(line, Fact)), key=lambda fact: fact.id)
        number = {fact.id: row for row, fact in enumerate(births)}
        stated = [line for line in ordered if _is_statement(line, number)]
        names = _Names(births, stated)
        facts = _facts(births, names)
        statements = _statements(stated, births, number, facts, names)
        return cls(
            sorted(set(names.sources)),
            sorted(set(names.runs)),
            facts,
            statements,
            _rulings(ordered, statements),
            _evaluations(stated),
            _versions(ordered, constants),
        )

    def constants_at(self, instant: int | None) -> Constants:
        """The constants in force at an instant; the newest for None."""
        latest = len(self.versions) if instant is None else bisect_right(self.versions, instant, key=itemgetter(0))
        return self.versions[latest - 1][1]


def _is_statement(line: Line, number: Mapping[str, int]) -> bool:
    if isinstance(line, Edge):
        return line.newer in number and line.older in number
    return isinstance(line, Feedback | Event) and line.fact in number


class _Names:
    """Sources and runs by name, with their defaults, numbered in byte order so that codes are canonical."""

    def __init__(self, births: Sequence[Fact], stated: Sequence[Any]) -> None:
        home = {fact.id: fact.source for fact in births}
        self.sources = [fact.source for fact in births] + [_source(line, home) for line in stated]
        self.runs = [
            line.run or unnamed_run(source, line.at)
            for line, source in zip([*births, *stated], self.sources, strict=True)
        ]

    @staticmethod
    def codes(names: Sequence[str], count: int) -> tuple[Ints, Ints]:
        """Codes of the facts (the first `count` names) and of the statements (the rest)."""
        code = {name: each for each, name in enumerate(sorted(set(names)))}
        column = np.fromiter((code[name] for name in names), np.int64, len(names))
        return column[:count], column[count:]


def _source(line: Any, home: Mapping[str, str]) -> str:
    if isinstance(line, Edge):
        return line.by or home[line.newer]
    return line.source or ("person" if _kind(line) == "accepted" else home[line.fact])


def _column(rows: Sequence[Any], value: Callable[[Any], Any], dtype: type[np.generic]) -> NDArray[Any]:
    return np.fromiter((value(row) for row in rows), dtype, len(rows))


def _facts(births: Sequence[Fact], names: _Names) -> Facts:
    def column(value: Callable[[Fact], Any], dtype: type[np.generic] = np.int64) -> NDArray[Any]:
        return _column(births, value, dtype)

    return Facts(
        ids=[fact.id for fact in births],
        at=column(lambda fact: fact.at),
        arrived=column(lambda fact: fact.arrived),
        at_known=column(lambda fact: fact.at_known, np.bool_),
        source=names.codes(names.sources, len(births))[0],
        run=names.codes(names.runs, len(births))[0],
        producer=column(lambda fact: code_of(fact.producer, PRODUCERS), np.int8),
        scope=column(lambda fact: code_of(fact.scope, SCOPES), np.int8),
        tier=column(lambda fact: SIGNED if fact.signature else code_of(fact.tier, TIERS), np.int8),
        core=column(lambda fact: fact.core, np.bool_),
        erased=column(lambda fact: fact.erased, np.bool_),
        bad_signature=column(lambda fact: fact.signature is False, np.bool_),
        prior=column(lambda fact: np.nan if fact.prior is None else fact.prior, np.float64),
        weight=column(lambda fact: np.nan if fact.weight is None else fact.weight, np.float64),
        baseline_evidence=column(lambda fact: fact.baseline.evidence),
        baseline_contradictions=column(lambda fact: fact.baseline.contradictions),
        baseline_uses=column(lambda fact: fact.baseline.uses),
        baseline_count=column(lambda fact: fact.baseline.reinforcements),
        first_seen=column(lambda fact: fact.at if fact.baseline.first_seen is None else fact.baseline.first_seen),
    )


def _statements(
    stated: Sequence[Any], births: Sequence[Fact], number: Mapping[str, int], facts: Facts, names: _Names
) -> Statements:
    def column(value: Callable[[Any], Any], dtype: type[np.generic] = np.int64) -> NDArray[Any]:
        return _column(stated, value, dtype)

    kind = column(lambda line: code_of(_kind(line), STATEMENTS), np.int8)
    fact = column(lambda line: number[line.older if isinstance(line, Edge) else line.fact])
    newer = column(lambda line: number[line.newer] if isinstance(line, Edge) else -1)
    removed = column(lambda line: isinstance(line, Edge) and line.removed, np.bool_)
    other = np.where(newer < 0, fact, newer)
    arrived = column(lambda line: line.arrived)
    return Statements(
        ids=[line.id for line in stated],
        kind=kind,
        fact=fact,
        newer=newer,
        edge=_edges(kind, newer, fact),
        source=names.codes(names.sources, len(births))[1],
        run=names.codes(names.runs, len(births))[1],
        tier=column(_author_tier, np.int8),
        at=column(lambda line: line.at),
        known_from=np.maximum.reduce([arrived, facts.arrived[fact], facts.arrived[other]]),
        removed=removed,
        confirmed=column(lambda line: isinstance(line, Feedback) and line.confirmed, np.bool_),
        harmful=is_any(kind, *_HARMFUL) & ~removed,
    )


def _edges(kind: Codes, newer: Ints, older: Ints) -> Ints:
    """Which edge each row is about; a contradiction has no direction."""
    rows = np.flatnonzero(newer >= 0)
    turned = (kind[rows] == CODE["contradicts"]) & (newer[rows] > older[rows])
    first, second = np.where(turned, older[rows], newer[rows]), np.where(turned, newer[rows], older[rows])
    edge = np.full(len(kind), -1)
    edge[rows] = distinct(first, second, kind[rows])[0]
    return edge


def _kind(line: Edge | Event | Feedback) -> str:
    if isinstance(line, Edge):
        return line.relation
    return line.outcome if isinstance(line, Feedback) else line.kind


def _author_tier(line: Edge | Event | Feedback) -> int:
    if isinstance(line, Edge) and line.signature:
        return SIGNED
    by_people = isinstance(line, Event) and line.kind in BY_PEOPLE
    return HUMAN if by_people else code_of(line.tier, TIERS)


def _rulings(ordered: Sequence[Line], statements: Statements) -> Rulings:
    row = {name: each for each, name in enumerate(statements.ids) if statements.harmful[each]}
    ruled = [line for line in ordered if isinstance(line, Event) and line.kind in RULINGS and line.of in row]
    of = _column(ruled, lambda line: row[line.of], np.int64)
    arrived = _column(ruled, lambda line: line.arrived, np.int64)
    return Rulings(
        ids=[line.id for line in ruled],
        of=of,
        upheld=_column(ruled, lambda line: line.kind == "upheld", np.bool_),
        at=_column(ruled, lambda line: line.at, np.int64),
        known_from=np.maximum(arrived, statements.known_from[of]),
    )


def _evaluations(stated: Sequence[Line]) -> Evaluations:
    rows = [(row, line) for row, line in enumerate(stated) if isinstance(line, Feedback)]
    channels = [reinforcement.channels(line.outcome, line.signals) for _, line in rows]
    return Evaluations(
        statement=np.array([row for row, _ in rows], np.int64),
        channels=np.array(channels, np.float64).reshape(len(rows), len(CHANNELS)),
    )


def _versions(ordered: Sequence[Line], constants: Constants) -> Sequence[tuple[int, Constants]]:
    """(since, constants) in the order in which they come into force, the first from the beginning."""
    changes = [line for line in ordered if isinstance(line, ConstantsChange)]
    versions = [(NEVER, constants)]
    for line in sorted(changes, key=lambda line: (line.arrived, line.at, line.id)):
        versions.append((line.arrived, changed(versions[-1][1], line.values)))
    return versions


def count_per_fact(owner: Ints, n_facts: int) -> Ints:
    """How many rows each fact owns.

    >>> count_per_fact(np.array([0, 2, 2]), 3).tolist()
    [1, 0, 2]
    """
    return np.bincount(owner, minlength=n_facts)


def latest_per_fact(owner: Ints, at: Ints, n_facts: int) -> Ints:
    """The latest instant among the rows that each fact owns, NEVER where it owns none.

    >>> latest_per_fact(np.array([1, 1]), np.array([5, 7]), 2).tolist()[1]
    7
    """
    latest = np.full(n_facts, NEVER)
    np.maximum.at(latest, owner, at)
    return latest
