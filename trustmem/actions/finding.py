"""Finding: what in a space a person has to decide, as things stand. Each finding is a case, be it open already."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from trustmem.core.columns import CODE
from trustmem.core.contradictions import is_candidate
from trustmem.core.vocabulary import ERASED, FORGOTTEN, LIVE, PRUNED, RELATIONS
from trustmem.store import bulk, pairs, queries
from trustmem.store.cases import BAD_SIGNATURE, CANDIDATE, CHALLENGE, CONTRADICTION, CYCLE, ORPHAN
from trustmem.store.models import Edge, Fact, Line, Space, Statement

#: So many facts a case names at most: of more, the oldest.
MOST = 1000
_CONTRADICTS, _UPDATES = CODE["contradicts"], CODE["updates"]
_FORGOTTEN, _ERASED, _ACCEPTED = CODE["forgotten"], CODE["erased"], CODE["accepted"]


class Said(NamedTuple):
    """What makes a finding: the line at a position, by a source."""

    position: int
    source: str


class Finding(NamedTuple):
    """A kind of case, the facts that it is about, the oldest first, what makes it, and whether it is so: it is not, as
    long as a fact of it is faded. `heard` is all that was ever said alike, be it dismissed or withdrawn since; `told`
    what else its case is to keep of it, and `by` who brought it, be it that nobody has said it."""

    kind: str
    facts: tuple[str, ...]
    evidence: tuple[Said, ...]
    stands: bool
    heard: tuple[Said, ...] = ()
    told: Mapping[str, Any] = MappingProxyType({})
    by: str = ""

    @property
    def source(self) -> str:
        """Who alone brought it; '' where several did, or nobody."""
        sources = {said.source for said in self.evidence} or {self.by}
        return sources.pop() if len(sources) == 1 else ""


def found(space: Space, pks: Collection[int] | None = None) -> list[Finding]:
    """All that is to be decided about some facts, by their keys, with which there is all that edges connect with them;
    None: about all. Writes nothing."""
    wheres = [None] if pks is None else list(bulk.chunks(sorted(pks)))
    return [
        *_contradictions(space, wheres),
        *_challenges(space, wheres),
        *_orphans(space, wheres),
        *_cycles(space, wheres),
        *_bad_signatures(space, wheres),
        *candidates(space, pks),
    ]


_Wheres = Sequence[list[int] | None]
_Facts = dict[int, tuple[str, int, int]]


def _at(wheres: _Wheres, *ends: str) -> Iterator[Q]:
    """The conditions that an end is one of some facts, each with an index of its own."""
    for where in wheres:
        if where is None:
            yield Q()
        else:
            yield from (Q(**{f"{end}__in": where}) for end in ends)


def _rows(rows: "QuerySet[Any]", conditions: Iterable[Q], *columns: str) -> list[tuple[Any, ...]]:
    return sorted({row for condition in conditions for row in rows.filter(condition).values_list(*columns)})


def _facts(pks: Iterable[int]) -> _Facts:
    """Name, birth and state of facts, by their keys."""
    found: _Facts = {}
    for chunk in bulk.chunks(set(pks)):
        rows = Fact.objects.filter(pk__in=chunk).values_list("pk", "name", "at", "state")
        found |= {pk: (name, at, state) for pk, name, at, state in rows}
    return found


def _oldest_first(facts: _Facts, pks: Iterable[int]) -> tuple[str, ...]:
    return tuple(name for _, name in sorted((facts[pk][1], facts[pk][0]) for pk in pks))


_Told = dict[frozenset[int], list[Said]]


def _edges_said(space: Space, wheres: _Wheres, kind: int) -> tuple[_Told, _Told]:
    """By which lines edges of a kind are asserted, by their ends: those that hold, and all that ever were."""
    said = Statement.objects.filter(space=space, kind=kind)
    holding, ever = defaultdict[frozenset[int], list[Said]](list), defaultdict[frozenset[int], list[Said]](list)
    columns = ("position", "source", "fact_id", "other_id", "in_force", "withdrawn")
    for position, source, fact, other, in_force, withdrawn in _rows(said, _at(wheres, "fact", "other"), *columns):
        ends = frozenset((fact, other))
        ever[ends].append(Said(position, source))
        if in_force and not withdrawn:
            holding[ends].append(Said(position, source))
    return holding, ever


def _contradictions(space: Space, wheres: _Wheres) -> Iterator[Finding]:
    edges = Edge.objects.filter(space=space, relation=RELATIONS.index("contradicts"), carried=True)
    rows = _rows(edges, _at(wheres, "newer", "older"), "newer_id", "older_id", "live")
    if not rows:
        return
    said, ever = _edges_said(space, wheres, _CONTRADICTS)
    facts = _facts(pk for newer, older, _ in rows for pk in (newer, older))
    for newer, older, live in rows:
        ends = frozenset((newer, older))
        yield Finding(CONTRADICTION, _oldest_first(facts, ends), tuple(said[ends]), bool(live), tuple(ever[ends]))


def _challenges(space: Space, wheres: _Wheres) -> Iterator[Finding]:
    """What waits for a ruling, by the facts that it sets against each other, or is about."""
    waiting = Statement.objects.filter(space=space, challenge=True)
    rows = _rows(waiting, _at(wheres, "fact", "other"), "position", "source", "fact_id", "other_id")
    told = defaultdict[frozenset[int], list[Said]](list)
    for position, source, fact, other in rows:
        told[frozenset(pk for pk in (fact, other) if pk is not None)].append(Said(position, source))
    facts = _facts(pk for ends in told for pk in ends)
    for ends, said in told.items():
        stands = any(facts[pk][2] == LIVE for pk in ends)
        yield Finding(CHALLENGE, _oldest_first(facts, ends), tuple(said), stands)


def _orphans(space: Space, wheres: _Wheres) -> Iterator[Finding]:
    """What had been superseded by a fact that is forgotten, and by none that holds: which holds now? Nobody asks where
    a person accepted it since."""
    updates = Statement.objects.filter(space=space, kind=_UPDATES, in_force=True, withdrawn=False)
    freed = updates.filter(fact__depth=0, fact__state__in=(LIVE, PRUNED), other__state__in=(FORGOTTEN, ERASED))
    pairs = _rows(freed, _at(wheres, "fact", "other"), "fact_id", "other_id")
    if not pairs:
        return
    gone = _latest(space, (other for _, other in pairs), _FORGOTTEN, _ERASED)
    accepted = _latest(space, (fact for fact, _ in pairs), _ACCEPTED)
    facts = _facts(pk for pair in pairs for pk in pair)
    for fact, other in pairs:
        when, said = gone.get(other, (0, ()))
        if accepted.get(fact, (when - 1, ()))[0] < when:
            # What is erased is told of no more.
            named = [pk for pk in (fact, other) if facts[pk][2] != ERASED]
            yield Finding(ORPHAN, tuple(facts[pk][0] for pk in named), said, facts[fact][2] == LIVE)


def _latest(space: Space, pks: Iterable[int], *kinds: int) -> dict[int, tuple[int, tuple[Said, ...]]]:
    """When one of these was said of facts last, and by which line."""
    latest: dict[int, tuple[int, tuple[Said, ...]]] = {}
    for chunk in bulk.chunks(set(pks)):
        said = Statement.objects.filter(space=space, fact__in=chunk, kind__in=kinds, in_force=True)
        rows = said.order_by("at", "position").values_list("fact_id", "at", "position", "source")
        latest |= {fact: (at, (Said(position, source),)) for fact, at, position, source in rows}
    return latest


def _cycles(space: Space, wheres: _Wheres) -> Iterator[Finding]:
    rows = _circular(space, wheres)
    if not rows:
        return
    said, ever = _edges_said(space, wheres, _UPDATES)
    facts = _facts(pk for row in rows for pk in row)
    for members in _components(rows):
        ends = {frozenset(row) for row in rows if row[0] in members}
        evidence, heard = (tuple(sorted(each for end in ends for each in told[end])) for told in (said, ever))
        yield Finding(CYCLE, _oldest_first(facts, members)[:MOST], evidence, True, heard)


def _circular(space: Space, wheres: _Wheres) -> list[tuple[Any, ...]]:
    """The edges of cycles, each cycle whole, be it that only some of its facts are asked about."""
    circular, ends = Edge.objects.filter(space=space, on_cycle=True), ("newer", "older")
    rows = _rows(circular, _at(wheres, *ends), "newer_id", "older_id")
    asked = {pk for where in wheres for pk in where or ()}
    while None not in wheres and (ahead := {pk for row in rows for pk in row} - asked):
        asked |= ahead
        rows = sorted({*rows, *_rows(circular, _at([*bulk.chunks(ahead)], *ends), "newer_id", "older_id")})
    return rows


def _components(rows: Iterable[tuple[int, ...]]) -> Iterator[set[int]]:
    """What edges hold together."""
    beside = defaultdict[int, set[int]](set)
    for newer, older in rows:
        beside[newer].add(older)
        beside[older].add(newer)
    while beside:
        members, ahead = set[int](), [next(iter(beside))]
        while ahead:
            pk = ahead.pop()
            if pk in beside:
                members.add(pk)
                ahead += beside.pop(pk)
        yield members


def _bad_signatures(space: Space, wheres: _Wheres) -> Iterator[Finding]:
    bad = Fact.objects.filter(bad_signature=True, state__in=(LIVE, PRUNED))
    # By their keys alone, or SQLite might walk the whole space.
    whole = [Q(space=space)] if None in wheres else []
    rows = _rows(bad, whole or _at(wheres, "pk"), "pk", "name", "source", "state")
    positions = dict[str, int]()
    for chunk in bulk.chunks(name for _, name, *_ in rows):
        positions |= Line.objects.filter(space=space, name__in=chunk).values_list("name", "position")
    for _, name, source, state in rows:
        yield Finding(BAD_SIGNATURE, (name,), (Said(positions[name], source),), state == LIVE)


def candidates(space: Space, pks: Collection[int] | None = None) -> Iterator[Finding]:
    """The pairs with some facts, by their keys (None: all pairs), of which the detector found what is to wait for a
    person, by the constants in force; both live, and with no word between them on which of them holds. Nobody has said
    it, so nobody says it again: once its case is closed, there is no other.

    Of a fact that came to more than RIVALS that were there, the first of them alone waits: it is one of a list, or
    somebody says much the same over and over.
    """
    in_conflict = pairs.in_conflict(space, pks)
    if not in_conflict:
        return
    if pks is not None:  # with all that the one of them which came later is in conflict with
        ends = {frozenset((pair.older, pair.newer)) for pair in in_conflict}
        in_conflict = pairs.in_conflict(space, {max(each) for each in ends})
    constants = queries.constants(space)
    due = [pair for pair in in_conflict if is_candidate(pair.comparison, constants)]
    facts = _facts(pk for pair in due for pk in (pair.older, pair.newer))
    live = {pk for pk, (_, _, state) in facts.items() if state == LIVE}
    due = _first_of_many([pair for pair in due if {pair.older, pair.newer} <= live])
    if pks is not None:
        due = [pair for pair in due if frozenset((pair.older, pair.newer)) in ends]
    sources = _sources({max(pair.older, pair.newer) for pair in due})
    decided = _decided(space, {pair.older for pair in due})
    for pair in due:
        if frozenset((pair.older, pair.newer)) not in decided:
            names = tuple(facts[pk][0] for pk in (pair.older, pair.newer))
            by = sources[max(pair.older, pair.newer)]
            yield Finding(CANDIDATE, names, (), stands=True, told=_by_detector(pair, names), by=by)


#: A fact is in conflict with so many others at most, before it is taken for one of a list.
RIVALS = 5


def _first_of_many(due: Sequence[pairs.Found]) -> list[pairs.Found]:
    """Of pairs, those of facts that came to few others, and of each that came to many, the one with the first."""
    by_later = defaultdict[int, list[pairs.Found]](list)
    for pair in due:
        by_later[max(pair.older, pair.newer)].append(pair)
    first = {
        later: min(some, key=lambda pair: min(pair.older, pair.newer))
        for later, some in by_later.items()
        if len(some) > RIVALS
    }
    return [pair for pair in due if first.get(max(pair.older, pair.newer), pair) is pair]


def _sources(pks: Collection[int]) -> dict[int, str]:
    found = dict[int, str]()
    for chunk in bulk.chunks(pks):
        found |= Fact.objects.filter(pk__in=chunk).values_list("pk", "source")
    return found


def _decided(space: Space, pks: Collection[int]) -> set[frozenset[int]]:
    """The ends of the edges at some facts that say which of two holds, or that both cannot."""
    said = Edge.objects.filter(space=space, relation__in=_DECIDING, carried=True)
    rows = _rows(said, _at([*bulk.chunks(sorted(pks))], "newer", "older"), "newer_id", "older_id")
    return {frozenset(ends) for ends in rows}


_DECIDING = (RELATIONS.index("updates"), RELATIONS.index("contradicts"))


def _by_detector(pair: pairs.Found, names: Sequence[str]) -> dict[str, Any]:
    found = pair.comparison
    return {
        "detector": pair.detector,
        "finding": found.finding,
        "rule": found.rule,
        "overlap": found.overlap,
        "newer": None if found.newer is None else names[found.newer],
        "features": {**found.features},
    }
