"""Folding: the tables that are folds are brought up to the head of the chain.

What new lines change is little: the facts that they name, and all that edges connect with these. So only these are
folded anew, which comes to the same as folding everything; and not through all passes again, unless a line came or
went that a pass has folded. Where much of a space is concerned, all of it is folded.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q

from trustmem.actions import passes, queue, signatures
from trustmem.actions.finding import Finding
from trustmem.actions.purging import purge
from trustmem.core.fold import Folded, fold
from trustmem.core.instants import EVER, NEVER
from trustmem.core.lines import Event, Fact, Pass
from trustmem.core.lines import Line as AnyLine
from trustmem.core.passes import PassTaken
from trustmem.core.stored import Stored
from trustmem.core.undo import voided_acts
from trustmem.store import bulk, cases, chain, folds, queries, records, tombstones
from trustmem.store import passes as rows_of_passes
from trustmem.store import signatures as rows_of_signatures
from trustmem.store.history import Told, history, lines_at
from trustmem.store.models import Case, Closing, EarlyTurn, Line, Ruling, Signature, Space, Statement, Waiting
from trustmem.store.models import Fact as FactRow

#: Tags of lines that concern every fact.
_OF_ALL = {"constants", "pass"}
#: How the id of an import begins.
IMPORTED = "import:"
#: More lines or facts than this are many, if they are an eighth of what there is, too.
_MANY = 1000
_SHARE = 8


def folded(space: Space) -> tuple[Folded, list[PassTaken], Told]:
    """What the lines of a space come to, every pass on the way, and these lines."""
    told, taken = history(space), list[PassTaken]()
    return fold(told.lines, told.passes, watch=taken.append), taken, told


class About(NamedTuple):
    """What a space holds about one fact, folded: with all that edges connect with it; and the `positions` of these
    lines and of those about it that were undone, or wait."""

    folded: Folded
    passes: list[Pass]
    positions: set[int]


def about(space: Space, name: str) -> About | None:
    """One fact as the folds have it, and how that came about. None: so much is connected with it that all is as quick.
    Writes nothing."""
    undone = lines_at(space, written_by(space, void(space, upto=space.folded_to)))
    aside = _naming(undone, {name}).plus(lines_at(space, _waiting_for(space, [name])))
    named = {each for line in aside.lines for each in folds.named(line)}
    pks = _connected(space, {name} | named)
    if pks is None:
        return None
    positions = {*aside.positions.values(), *_about(space, {name, *folds.names(space, pks)}, pks)}
    told = lines_at(space, _that_are_folded(space, positions))
    # What waits, or was undone, changes nothing of what the rest comes to.
    ids = told.positions.keys()
    beside = {*_of_cases(space, name), *_waiting_for(space, ids), *_naming(undone, ids).positions.values()}
    # Not every fact has gone through a pass that is under way.
    kept = None if passes.under_way(space) else queries.stored(space, pks)
    result = fold(told.lines, told.passes, kept=kept)
    return About(result, told.passes, _that_are_folded(space, positions | beside))


def with_more(space: Space, names: Collection[str], more: Sequence[AnyLine]) -> tuple[Stored, Stored] | None:
    """Some facts and all that edges connect with them, as the folds have them, and as they would be were there more
    lines about them, which no pass has folded. None: of too many. Writes nothing."""
    pks = _connected(space, {*names})
    if pks is None:
        return None
    every = {*names, *folds.names(space, pks)}
    told = lines_at(space, _that_are_folded(space, _about(space, every, pks)))
    kept = None if passes.under_way(space) else queries.stored(space, pks)
    now, then = (fold([*told.lines, *lines], told.passes, kept=kept).stored for lines in ((), more))
    return now, then


def _of_cases(space: Space, name: str) -> Iterator[int]:
    """The positions of the cases about a fact, and of what closed them."""
    found = dict(Case.objects.filter(pk__in=cases.of_facts(space, [name])).values_list("name", "position"))
    yield from found.values()
    yield from Closing.objects.filter(space=space, of__in=found).values_list("position", flat=True)


def _that_are_folded(space: Space, positions: Iterable[int]) -> set[int]:
    return {position for position in positions if position <= space.folded_to}


def _naming(told: Told, names: Collection[str]) -> Told:
    """Of the lines told, those that name one of these facts or statements."""
    lines = [line for line in told.lines if not folds.named(line).isdisjoint(names)]
    return Told(lines, [], {line.id: told.positions[line.id] for line in lines})


def write(space: Space, result: Folded, taken: list[PassTaken], told: Told) -> list[Finding]:
    """Write all folds of a space anew. What a person has to decide. Within a transaction."""
    rows_of_passes.write(space, taken, folds.write(space, result, told))
    EarlyTurn.objects.filter(space=space).delete()
    records.write(space, result.void)
    tombstones.write(space, result.void)
    return queue.settle(space, result.void, None, None)


@transaction.atomic
def refold(space: Space) -> list[Finding]:
    """Bring the folds of a space up to date, unless they are. What a person has to decide about the facts concerned."""
    chain.lock(space)
    if space.folded_to == space.head_position:
        return []
    is_purged = purge(space)
    signatures.check(space)
    before, now = void(space, upto=space.folded_to), void(space, upto=space.head_position)
    turned = written_by(space, before ^ now)
    tags = set(_tags(space, turned))
    some = None
    if tags.isdisjoint(_of_all(space)) and not _are_many(space, space.head_position - space.folded_to + len(turned)):
        some = _concerned(space, turned)
    if some is None:
        findings = write(space, *folded(space))
    else:
        names = _refold(space, some)
        if is_purged or tags & records.TAGS:
            records.write(space, now)
        if tags.intersection(tombstones.TAGS):
            tombstones.write(space, now, some.positions)
        told = None if is_purged else some.positions if tags.intersection(cases.TAGS) else set[int]()
        findings = queue.settle(space, now, told, names)
    space.folded_to = space.head_position
    space.save(update_fields=["folded_to"])
    return findings


def _of_all(space: Space) -> set[str]:
    """Tags of lines that concern every fact. What a key signed counts otherwise in all passes since, too, once it
    comes, is revoked or is taken up again."""
    signs = Signature.objects.filter(space=space).exists()
    return _OF_ALL | {*rows_of_signatures.TAGS} if signs else _OF_ALL


def void(space: Space, upto: int) -> frozenset[str]:
    """The acts that are undone by the lines up to a position."""
    undone = Line.objects.filter(space=space, tag="event.undone", position__lte=upto)
    lines = lines_at(space, undone.values_list("position", flat=True)).lines
    return voided_acts(line for line in lines if isinstance(line, Event))


def written_by(space: Space, acts: Collection[str]) -> set[int]:
    """The positions of the lines of some acts, imports and passes among them."""
    lines, found = Line.objects.filter(space=space), set[int]()
    for chunk in bulk.chunks(acts):
        # No index leads to the lines of an import, which are seldom asked for: so only of those that are imports.
        imports = [act for act in chunk if act.startswith(IMPORTED)]
        for which in (Q(act__in=chunk), Q(tag="pass", name__in=chunk), Q(imported__in=imports)):
            found |= set(lines.filter(which).values_list("position", flat=True))
    return found


def _tags(space: Space, turned: Iterable[int]) -> Iterator[str]:
    """What lines there are among those that are new, and those that an undo took out or brought back."""
    lines = Line.objects.filter(space=space)
    yield from lines.filter(position__gt=space.folded_to).values_list("tag", flat=True)
    for chunk in bulk.chunks(turned):
        yield from lines.filter(position__in=chunk).values_list("tag", flat=True)


def _are_many(space: Space, count: int) -> bool:
    return count > _MANY and count * _SHARE > FactRow.objects.filter(space=space).count()


def _concerned(space: Space, turned: set[int]) -> "_Concerned | None":
    """What is concerned by the lines that came, and by those that an undo took out or brought back. None: too much."""
    fresh = Line.objects.filter(space=space, position__gt=space.folded_to)
    positions = turned | set(fresh.values_list("position", flat=True))
    lines = lines_at(space, positions)
    arrived = min((line.arrived for line in lines.lines), default=EVER)
    released = set(_waiting_for(space, lines.positions))
    while released:
        positions |= released
        more = lines_at(space, released)
        lines = lines.plus(more)
        released = set(_waiting_for(space, more.positions)) - positions
    names = facts_of(space, lines)
    pks = _connected(space, names)
    return None if pks is None else _Concerned(positions, arrived, names, pks)


class _Concerned(NamedTuple):
    """Lines by their `positions`, with those that have waited for them; when the first of them `arrived` but for these;
    the facts that they name, and the keys of these and of all that edges connect with them."""

    positions: set[int]
    arrived: int
    names: set[str]
    pks: set[int]


def _waiting_for(space: Space, names: Iterable[str]) -> Iterator[int]:
    for chunk in bulk.chunks(names):
        yield from Waiting.objects.filter(space=space, name__in=chunk).values_list("position", flat=True)


def facts_of(space: Space, told: Told) -> set[str]:
    """The facts that lines are, or name, or rule on a statement about."""
    names = {line.id for line in told.lines if isinstance(line, Fact)}
    named = {name for line in told.lines for name in folds.named(line)}
    statements = Line.objects.filter(space=space).exclude(tag="fact")
    ruled_on = [
        position
        for chunk in bulk.chunks(named)
        for position in statements.filter(name__in=chunk).values_list("position", flat=True)
    ]
    return names | named | {name for line in lines_at(space, ruled_on).lines for name in folds.named(line)}


def _connected(space: Space, names: set[str]) -> set[int] | None:
    """The keys of facts and of all that statements connect with them. None: of too many."""
    statements = Statement.objects.filter(space=space)
    pks, ahead = set[int](), set(folds.keys(space, names).values())
    while ahead:
        pks |= ahead
        if _are_many(space, len(pks)):
            return None
        ends = set[int]()
        for chunk in bulk.chunks(ahead):
            # That there is another is not asked of the database: SQLite would walk all statements that have one.
            ends |= set(statements.filter(fact__in=chunk).values_list("other", flat=True))
            ends |= set(statements.filter(other__in=chunk).values_list("fact", flat=True))
        ahead = {pk for pk in ends - pks if pk is not None}
    return pks


def _refold(space: Space, concerned: _Concerned) -> set[str]:
    """Fold some facts anew: from where the last pass left them, or through all passes if one has folded a line that is
    concerned. Their names, be they gone."""
    names = concerned.names | set(folds.names(space, concerned.pks))
    told = lines_at(space, concerned.positions | set(_about(space, names, concerned.pks)))
    under_way = passes.under_way(space)
    if under_way:
        passes.catch_up(space, under_way, concerned.pks)
    before, after = list[PassTaken](), list[PassTaken]()
    is_late = concerned.arrived <= max((each.at for each in told.passes), default=NEVER)
    if is_late:
        known = told.upto(space.folded_to)
        fold(known.lines, known.passes, watch=before.append)
        result = fold(told.lines, told.passes, watch=after.append)
    else:
        result = fold(told.lines, told.passes, kept=queries.stored(space, concerned.pks))
    pks = folds.write(space, result, told, names)
    if is_late:
        rows_of_passes.amend(space, before, after, pks)
    if under_way:
        passes.let_by(space, pks)
    return names


class Since(NamedTuple):
    """The facts, by name, about which lines have come or gone since a position; the keys of these and of all that edges
    connect with them (None: of too many); and what was told of them up to there."""

    names: set[str]
    pks: set[int] | None
    lines: list[AnyLine]


def since(space: Space, position: int) -> Since:
    """What has changed since the line at a position. Writes nothing."""
    turned = written_by(space, void(space, upto=position) ^ void(space, upto=space.folded_to))
    fresh = [
        set(model.objects.filter(space=space, position__gt=position).values_list("position", flat=True))
        for model in (Statement, Ruling)
    ]
    positions = turned.union(*fresh)
    names = facts_of(space, lines_at(space, positions))
    pks = _connected(space, names)
    if pks is None:
        return Since(names, None, [])
    every = names | set(folds.names(space, pks))
    return Since(names, pks, lines_at(space, positions | set(_about(space, every, pks))).upto(position).lines)


def _about(space: Space, names: Collection[str], pks: Collection[int]) -> Iterator[int]:
    """The positions of all lines that tell of some facts, and of those that concern all."""
    lines = Line.objects.filter(space=space)
    yield from lines.filter(tag__in=("constants", "pass", "event.undone")).values_list("position", flat=True)
    for chunk in bulk.chunks(names):
        yield from lines.filter(tag="fact", name__in=chunk).values_list("position", flat=True)
    for keys in bulk.chunks(pks):
        # An edge leads to one of them if it comes from one.
        yield from Statement.objects.filter(space=space, fact__in=keys).values_list("position", flat=True)
        yield from Ruling.objects.filter(space=space, fact__in=keys).values_list("position", flat=True)
