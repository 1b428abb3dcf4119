"""The past: facts as they stood at an instant, folded from what had arrived by then.

Of each fact only what is connected with it is folded, along the edges that can harm. Of facts at the other ends of
other edges it is only looked up when they came, which is all that changes anything, and whether they were gone. What
was undone since counted then. Writes nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import QuerySet

from trustmem.actions import folding, records
from trustmem.core.columns import CODE, is_any
from trustmem.core.fold import Folded, fold
from trustmem.core.instants import EVER
from trustmem.core.lines import Edge, Event, Fact, Feedback, Pass
from trustmem.core.lines import Line as AnyLine
from trustmem.core.passes import PassTaken
from trustmem.core.statements import Edges
from trustmem.core.undo import voided_acts
from trustmem.core.vocabulary import ERASED, FORGOTTEN
from trustmem.formats.interchange_types import Record
from trustmem.store import bulk, cases, chains, folds, full_text, lists
from trustmem.store.chains import Member, Said, Whole
from trustmem.store.history import Told, lines_at
from trustmem.store.lists import Cursor, Filter, Sort, Then
from trustmem.store.mentions import known_as
from trustmem.store.models import Case, Closing, Line, Ruling, Space, Statement, Waiting
from trustmem.store.models import Fact as FactRow

#: Along these a fact can change what another comes to.
_HARMFUL = ("updates", "contradicts")
_OF_ALL = ("constants", "event.undone")


class Past(NamedTuple):
    """Facts as of an instant, and the passes up to then with what each did. `positions` are those of the lines that
    these come from, by the ids of the lines; `later` those of all lines about them, whenever they arrived, of what
    opened and closed cases, and of all undos."""

    folded: Folded
    passes: list[Pass]
    taken: list[PassTaken]
    positions: dict[str, int]
    later: set[int]


def about(space: Space, names: Collection[str], instant: int) -> Past:
    """Some facts as of an instant; those that had not come by then are missing."""
    return _about(space, names, instant, _HARMFUL)


def linked(space: Space, names: Collection[str], instant: int) -> Past:
    """The same, for as much as `updates` edges among them hang on: no pass is taken, and of what contradicts them it is
    not known how it stood."""
    return _about(space, names, instant, ("updates",))


def told_about(space: Space, names: Collection[str]) -> Told:
    """All lines from which it can be told how some facts ever stood, but for passes: whenever they came, be they undone
    or waiting."""
    told, _ = _told_about(space, names, EVER, _HARMFUL)
    return told._replace(passes=[])


def stood(lines: Collection[AnyLine], names: Collection[str]) -> Folded:
    """Some facts as these lines tell of them, as of which no pass was taken: that changes nothing of trust."""
    return fold(_concerning(lines, names, _HARMFUL))


def _about(space: Space, names: Collection[str], instant: int, along: Sequence[str]) -> Past:
    told, positions = _told_about(space, names, instant, along)
    taken, passes = list[PassTaken](), told.passes if along == _HARMFUL else []
    folded = fold(_concerning(told.lines, names, along), passes, watch=taken.append)
    later = positions.union(_cases(space, names), _positions([_undoings(space)]))
    return Past(folded, passes, taken, told.positions, later)


def _told_about(space: Space, names: Collection[str], instant: int, along: Sequence[str]) -> tuple[Told, set[int]]:
    """What was told of facts by an instant, and the positions of all lines about them, whenever they arrived."""
    undone = _undone(space)
    near, aside = _connected(space, names, undone, instant, along)
    positions = _said_about(space, near).union(aside.positions.values())
    told = lines_at(space, positions, instant).plus(_of_all(space, instant))
    ends = {name for line in told.lines if isinstance(line, Edge) for name in folds.named(line)} - near
    of_ends = _births(space, near | ends) | _fates(space, ends) | set(_naming(undone, ends).positions.values())
    told = told.plus(lines_at(space, of_ends, instant))
    beside = _rulings(undone, told) | _waiting(space, told.positions)
    return told.plus(lines_at(space, beside, instant)), positions.union(of_ends, beside)


def _concerning(lines: Collection[AnyLine], names: Collection[str], along: Sequence[str]) -> Iterator[AnyLine]:
    """The lines but for those about facts that no edge had connected with these by then."""
    edges = [line for line in lines if isinstance(line, Edge)]
    near = _reached(names, [each for each in edges if each.relation in along])
    known = near.union(*(ends for ends in map(folds.named, edges) if not ends.isdisjoint(near)))
    for line in lines:
        if isinstance(line, Edge):
            concerns = not folds.named(line).isdisjoint(near)
        elif isinstance(line, Fact | Event | Feedback):
            name = line.id if isinstance(line, Fact) else line.fact
            concerns = name is None or name in known
        else:
            concerns = True
        if concerns:
            yield line


def _reached(names: Collection[str], edges: Collection[Edge]) -> set[str]:
    """What edges connect with some facts."""
    beside = defaultdict[str, set[str]](set)
    for edge in edges:
        beside[edge.newer].add(edge.older)
        beside[edge.older].add(edge.newer)
    ahead = list(names)
    near = set(ahead)
    for name in ahead:  # which grows as it is walked
        ahead += (further := beside[name] - near)
        near |= further
    return near


def _cases(space: Space, names: Collection[str]) -> set[int]:
    found = dict(Case.objects.filter(pk__in=cases.of_facts(space, names)).values_list("name", "position"))
    closed = Closing.objects.filter(space=space, of__in=found).values_list("position", flat=True)
    return {position for position in (*found.values(), *closed) if position <= space.folded_to}


class Listed(NamedTuple):
    """The names of facts in the order of a list, and where the pages after and before begin; None: there is none."""

    names: list[str]
    next: Cursor | None
    previous: Cursor | None


def listed(space: Space, filter: Filter, instant: int, after: Cursor | None = None, size: int = 50) -> Listed:
    """The facts that had come by an instant, the newest first, whatever became of them; of a filter only what was said
    at birth."""
    gone, come = _turned(space, instant)
    undone = {-position: record for position, record in _born(space, filter, gone, instant)}
    more = [(record["at"], key) for key, record in undone.items()]
    found = lists.keys(space, filter, Sort("age"), after, size, Then(instant, come, more))
    names = dict(FactRow.objects.filter(pk__in=[key for key in found.facts if key > 0]).values_list("pk", "name"))
    names |= {key: record["id"] for key, record in undone.items()}
    return Listed([names[key] for key in found.facts if key in names], found.next, found.previous)


def _turned(space: Space, instant: int) -> tuple[frozenset[str], frozenset[str]]:
    """The acts that counted at an instant and do not now, and those that count now and did not then."""
    undoings = lines_at(space, _positions([_undoings(space)])).lines
    events = [line for line in undoings if isinstance(line, Event)]
    now, then = voided_acts(events), voided_acts(each for each in events if each.arrived <= instant)
    return now - then, then - now


def _born(space: Space, filter: Filter, acts: frozenset[str], instant: int) -> Iterator[tuple[int, Record]]:
    """The facts that some acts brought by an instant, if a list shows them."""
    lines = _lines(space).filter(tag="fact", arrived__lte=instant)
    for chunk in bulk.chunks(folding.written_by(space, acts)):
        positions = dict(lines.filter(position__in=chunk).values_list("name", "position"))
        for record, _ in records.at(space, positions.values()):
            if _shows(filter, record):
                yield positions[record["id"]], record


def _shows(filter: Filter, record: Record) -> bool:
    """Whether a list by what is said at birth shows a fact that counts no more."""
    entities = {known_as(each or "") for each in (record["subject"], record["object"], *record["entities"])}
    return (
        filter.source in (None, record["source"])
        and (filter.entity is None or known_as(filter.entity) in entities)
        and (not filter.text or filter.searched is None)
        and full_text.say(texts(record), filter.text or "")
    )


def texts(record: Record) -> list[str]:
    """What a fact says, as a search looks at it."""
    return [record.get(name) or "" for name in ("subject", "predicate", "object", "text")]


def _lines(space: Space) -> QuerySet[Line]:
    """Those that are folded."""
    return Line.objects.filter(space=space, position__lte=space.folded_to)


def _undoings(space: Space) -> QuerySet[Line]:
    return _lines(space).filter(tag="event.undone")


def _positions(found: Iterable[QuerySet[Line]]) -> set[int]:
    return {position for lines in found for position in lines.values_list("position", flat=True)}


def _undone(space: Space) -> Told:
    """What stands in no table now, since it was undone."""
    written = folding.written_by(space, folding.void(space, upto=space.folded_to))
    return lines_at(space, {position for position in written if position <= space.folded_to})


def _of_all(space: Space, instant: int) -> Told:
    """What concerns every fact, and the passes that were taken."""
    told = lines_at(space, _positions([_lines(space).filter(tag__in=_OF_ALL)]), instant)
    passes = lines_at(space, _positions([_lines(space).filter(tag="pass")])).passes
    return told._replace(passes=[each for each in passes if each.at <= instant])


def _connected(
    space: Space, names: Collection[str], undone: Told, instant: int, along: Sequence[str]
) -> tuple[set[str], Told]:
    """The facts, and those that had come which edges of some relations connect with them, be they undone or waiting;
    and the lines about these that stand in no table, for such is what they are."""
    near, ahead, aside = set[str](), set(names), Told([], [], {})
    while ahead:
        pks = chains.connected(space, folds.keys(space, ahead).values(), along, until=instant)
        near |= ahead.union(folds.names(space, pks))
        aside = _naming(undone, near).plus(lines_at(space, _waiting(space, near)))
        edges = [line for line in aside.lines if isinstance(line, Edge) and line.relation in along]
        ahead = {end for edge in edges for end in (edge.newer, edge.older)} - near
    return near, aside


def _naming(told: Told, names: Collection[str]) -> Told:
    lines = [line for line in told.lines if not folds.named(line).isdisjoint(names)]
    return Told(lines, [], {line.id: told.positions[line.id] for line in lines})


def _waiting(space: Space, names: Collection[str]) -> set[int]:
    found = set[int]()
    for chunk in bulk.chunks(names):
        found |= set(Waiting.objects.filter(space=space, name__in=chunk).values_list("position", flat=True))
    return found


def _rulings(undone: Told, told: Told) -> set[int]:
    """What was undone of what was ruled on statements."""
    return {undone.positions[line.id] for line in undone.lines if folds.named(line) & told.positions.keys()}


def _said_about(space: Space, names: Collection[str]) -> set[int]:
    statements, rulings = Statement.objects.filter(space=space), Ruling.objects.filter(space=space)
    found = set[int]()
    for chunk in bulk.chunks(folds.keys(space, names).values()):
        for asked in (
            statements.filter(fact__in=chunk),
            statements.filter(other__in=chunk),
            rulings.filter(fact__in=chunk),
        ):
            found |= set(asked.values_list("position", flat=True))
    return found


def _fates(space: Space, names: Collection[str]) -> set[int]:
    """What decides whether facts are gone."""
    statements, rulings = Statement.objects.filter(space=space), Ruling.objects.filter(space=space)
    kinds = [CODE[kind] for kind in ("accepted", "forgotten", "restored", "erased")]
    found = set[int]()
    for chunk in bulk.chunks(folds.keys(space, names).values()):
        for asked in (statements.filter(fact__in=chunk, kind__in=kinds), rulings.filter(fact__in=chunk)):
            found |= set(asked.values_list("position", flat=True))
    return found


def _births(space: Space, names: Collection[str]) -> set[int]:
    return _positions(_lines(space).filter(tag="fact", name__in=chunk) for chunk in bulk.chunks(names))


def chain(past: Past, name: str) -> Whole | None:
    """The chain of a fact as it stood then. None: it had not come by then."""
    facts = past.folded.history.facts
    if name not in facts.ids:
        return None
    said = said_in(past)
    (group,) = chains.groups([facts.ids.index(name)], said)
    members = {
        row: Member(facts.ids[row], int(facts.at[row]), bool(facts.at_known[row]), int(past.folded.stored.state[row]))
        for row in group
    }
    return chains.assembled(members, said, holds_in(past), _gone(past))


def holds_in(past: Past) -> dict[chains.Ends, chains.Holds]:
    """Which `updates` edges were live, and which lay on a circle; by rows of facts."""
    edges, circular = past.folded.stored.live_edges.of("updates"), past.folded.seen.standing.circular
    holds = dict[chains.Ends, chains.Holds](dict.fromkeys(_ends(edges), "live"))
    return holds | dict.fromkeys(_ends(circular), "circular")


def _ends(edges: Edges) -> Iterator[chains.Ends]:
    return zip(edges.newer.tolist(), edges.older.tolist(), strict=True)


def said_in(past: Past) -> dict[chains.Ends, Said]:
    """For each `updates` edge that somebody asserted in force, the first line that did; by rows of facts."""
    statements, standing = past.folded.history.statements, past.folded.seen.standing
    rows = np.flatnonzero(is_any(statements.kind, "updates") & standing.in_force & ~standing.withdrawn).tolist()
    lines = sorted(((_line(past, row), row) for row in rows), reverse=True)
    return {(int(statements.newer[row]), int(statements.fact[row])): line for line, row in lines}


def _gone(past: Past) -> dict[int, Said]:
    """The last line by which each fact that is gone was forgotten or erased."""
    statements, state = past.folded.history.statements, past.folded.stored.state
    in_force = is_any(statements.kind, "forgotten", "erased") & past.folded.seen.standing.in_force
    rows = np.flatnonzero(in_force & np.isin(state[statements.fact], (FORGOTTEN, ERASED))).tolist()
    return {int(statements.fact[row]): _line(past, row) for row in rows}


def _line(past: Past, row: int) -> Said:
    history = past.folded.history
    statements = history.statements
    name, source = statements.ids[row], history.sources[statements.source[row]]
    return Said(past.positions[name], int(statements.at[row]), source)
