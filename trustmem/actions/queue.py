"""The queue: which cases stand as things are, and where each that is open has its place."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, Q

from trustmem.actions import alarms, lots, rounds
from trustmem.actions.finding import Finding, found
from trustmem.actions.rounds import Rounds
from trustmem.core.columns import CODE
from trustmem.core.consequence import consequence
from trustmem.core.instants import NEVER, span
from trustmem.core.vocabulary import FORGOTTEN, INJECTED, LIVE, PRUNED, RECALLED
from trustmem.store import bulk, cases, chain, folds, queries
from trustmem.store.cases import (
    BULK_CHANGE,
    CANDIDATE,
    FORGET_WISH,
    RESTORED_VALUE,
    SAMPLE,
    STALE_FAVOURITE,
    Place,
)
from trustmem.store.models import Case, Fact, Line, Queued, Space, Statement, Touch

#: How long ago what was served counts as lately.
LATELY_DAYS = 30
#: Kinds of cases that keep who brought them, and of those that stand by the state of their fact.
_BY_A_SOURCE = (BULK_CHANGE, RESTORED_VALUE, FORGET_WISH)
_BY_STATE = (STALE_FAVOURITE, RESTORED_VALUE, SAMPLE, FORGET_WISH)
_REAFFIRMING = [CODE[kind] for kind in ("restated", "corroborated", "accepted", "restored")]


def settle(
    space: Space, void: Collection[str], positions: Collection[int] | None, names: Collection[str] | None
) -> list[Finding]:
    """Bring the cases of a space up to date: with their lines at some positions, and with how some facts stand, by
    their names (None: all), be they gone. What there is to be decided about those facts. Within a transaction."""
    concerned = cases.write(space, void, positions)
    if names is None:
        findings = found(space)
        _settle(space, None, findings)
    else:
        concerned |= cases.of_facts(space, names)
        findings = found(space, folds.keys(space, {*names, *_facts_of(concerned)}).values())
        _settle(space, concerned, findings)
    return findings


def look_again(space: Space, pks: Collection[int]) -> None:
    """Bring the cases about some facts up to date, whose state a pass has changed. Within a transaction."""
    concerned = cases.of_facts(space, folds.names(space, pks))
    if concerned:
        beside = folds.keys(space, _facts_of(concerned)).values()
        _settle(space, concerned, found(space, {*pks, *beside}))


def _facts_of(concerned: Collection[int]) -> set[str]:
    """The facts by which it is decided whether cases stand."""
    names = set[str]()
    for chunk in bulk.chunks(concerned):
        by_facts = Case.objects.filter(pk__in=chunk).exclude(key="").exclude(key__startswith=alarms.PREFIX)
        names.update(*by_facts.values_list("facts", flat=True))
    return names


class _Row(NamedTuple):
    pk: int
    name: str
    key: str
    position: int
    facts: list[str]
    closed_at: int
    factors: str

    @property
    def kind(self) -> str:
        return cases.kind_of(self.key)


def _rows(*which: Q) -> list[_Row]:
    return [_Row(*row) for each in which for row in Case.objects.filter(each).values_list(*_Row._fields)]


def _with_rounds(space: Space, pks: Collection[int]) -> list[_Row]:
    """Cases by their keys, and all rounds of them."""
    keys = dict[int, str]()
    for some in bulk.chunks(pks):
        keys |= Case.objects.filter(pk__in=some).values_list("pk", "key")
    alone = [Q(pk__in=some) for some in bulk.chunks(pk for pk, key in keys.items() if not key)]
    return _rows(*alone, *(Q(space=space, key__in=some) for some in bulk.chunks({*keys.values()} - {""})))


def _settle(space: Space, pks: Collection[int] | None, findings: Iterable[Finding]) -> None:
    rows = _rows(Q(space=space)) if pks is None else _with_rounds(space, pks)
    by_key = {cases.key(space, each.kind, sorted(each.facts)): each for each in findings}
    stands = _stands(space, rows, by_key)
    cases.stand(stands)
    are_open = {row.pk for row in rows if row.closed_at == NEVER and stands[row.pk]}
    imports = _imports(space, rows)
    sources = {row.pk: imports.get(row.position) or _source(row, by_key.get(row.key)) for row in rows}
    queued = dict[int, str]()
    for chunk in bulk.chunks(sources):
        queued |= Queued.objects.filter(case__in=chunk).values_list("case", "source")
    there = {pk for pk in are_open if queued.get(pk) == sources[pk]}
    cases.leave_queue(space, queued.keys() - there)
    fresh = [row for row in rows if row.pk in are_open - there]
    worth = weigh(space, fresh, space.written_at) if fresh else {}
    cases.queue(space, {row.pk: Place(sources[row.pk], worth[row.pk]) for row in fresh}, space.written_at)


def _imports(space: Space, rows: Iterable[_Row]) -> dict[int, str]:
    """What brought the cases that nobody found here, by their positions: it is who speaks."""
    found = dict[int, str]()
    for chunk in bulk.chunks(row.position for row in rows if not row.key):
        found |= Line.objects.filter(space=space, position__in=chunk).values_list("position", "imported")
    return found


def _source(row: _Row, finding: Finding | None) -> str:
    """Who alone brought a case; '' where several did, or nobody knows."""
    if finding:
        return finding.source
    told = json.loads(row.factors).get("source") if row.kind in _BY_A_SOURCE else ""
    return told if isinstance(told, str) else ""


def _stands(space: Space, rows: Collection[_Row], by_key: Mapping[str, Finding]) -> dict[int, bool]:
    """Whether what each case is about is so."""
    many = [key for key, count in Counter(row.key for row in rows).items() if key and count > 1]
    before = defaultdict[str, dict[int, int]](dict, rounds.of_cases(space, many))
    opened_by = _opened_by(space, rows, {**before})
    states, reaffirmed = _told(space, [row for row in rows if row.kind in _BY_STATE])
    found = dict[int, bool]()
    for row in rows:
        if not row.key:  # what a file brought; of the kinds that are found here, only what is found here
            found[row.pk] = not cases.kind_of(row.name)
        elif not rounds.are_closed(before[row.key], rounds.number(row.name)):
            found[row.pk] = False
        elif row.kind == BULK_CHANGE:  # a person says when it is over
            found[row.pk] = True
        elif row.kind == STALE_FAVOURITE:
            fact = row.facts[0]
            found[row.pk] = states.get(fact) == LIVE and reaffirmed.get(fact, 0) < row.position
        elif row.kind == RESTORED_VALUE:
            found[row.pk] = states.get(row.facts[0]) == FORGOTTEN
        elif row.kind == FORGET_WISH:
            found[row.pk] = states.get(row.facts[0]) in (LIVE, PRUNED)
        elif row.kind == SAMPLE:  # drawn again only where what drew it before was undone
            is_first = rounds.number(row.name) == min(before[row.key], default=rounds.number(row.name))
            found[row.pk] = is_first and states.get(row.facts[0]) == LIVE
        elif row.kind == CANDIDATE:  # a person says when the detector was wrong, and it stays as it is
            is_first = rounds.number(row.name) == min(before[row.key], default=rounds.number(row.name))
            found[row.pk] = is_first and row.closed_at == NEVER and row.key in by_key
        else:
            finding, number = by_key.get(row.key), rounds.number(row.name)
            is_due = finding and rounds.is_due(finding, before[row.key], number, opened_by.get(row.pk, ()))
            found[row.pk] = bool(finding and is_due and finding.stands)
    return found


def _opened_by(space: Space, rows: Iterable[_Row], before: Mapping[str, Rounds]) -> dict[int, set[int]]:
    """The positions of what opened each case of a later round, if that was since those before it were closed, here or
    by one file: which, where all of it was at one instant, may bring it in another order."""
    later = [row for row in rows if row.key in before and rounds.number(row.name) > min(before[row.key])]
    closed = {row.pk: rounds.closed_before(before[row.key], rounds.number(row.name)) for row in later}
    lines, brought, positions = Line.objects.filter(space=space), dict[int, str](), dict[str, int]()
    for some in bulk.chunks({each.position for each in later} | {*closed.values()}):
        brought |= lines.filter(position__in=some).values_list("position", "imported")
    told = {
        row.pk: _names(json.loads(row.factors).get("reopened_by"))
        for row in later
        if row.position > (at := closed[row.pk]) and brought[row.position] == brought.get(at)
    }
    for chunk in bulk.chunks({name for names in told.values() for name in names}):
        positions |= lines.filter(name__in=chunk).values_list("name", "position")
    return {pk: {positions[name] for name in names if name in positions} for pk, names in told.items()}


def _names(said: object) -> list[str]:
    return [name for name in said if isinstance(name, str)] if isinstance(said, list) else []


def _told(space: Space, rows: Iterable[_Row]) -> tuple[dict[str, int], dict[str, int]]:
    """The states of the facts of cases, and by which line each was re-affirmed last."""
    states, reaffirmed = dict[str, int](), dict[str, int]()
    names = [row.facts[0] for row in rows]
    for chunk in bulk.chunks(names):
        states |= Fact.objects.filter(space=space, name__in=chunk).values_list("name", "state")
    for some in bulk.chunks(folds.keys(space, names).values()):
        said = Statement.objects.filter(space=space, fact__in=some, kind__in=_REAFFIRMING).order_by("position")
        reaffirmed |= said.values_list("fact__name", "position")
    return states, reaffirmed


def reweigh(space: Space, *, now: int) -> int:
    """Bring the consequence of all open cases up to an instant, some at a time; of how many it moved."""
    start = moved = 0
    while True:
        with transaction.atomic():
            chain.lock(space)
            queued = Queued.objects.filter(space=space, case__gt=start).order_by("case")[:_AT_ONCE]
            was = dict(queued.values_list("case", "consequence"))
            worth = weigh(space, _rows(Q(pk__in=was)), now) if was else {}
            differ = [(pk, value, now) for pk, value in worth.items() if abs(value - was[pk]) > _TOLERANCE * value]
            if differ:
                bulk.update(Queued, "case_id", ("consequence", "weighed_at"), differ)
            moved += len(differ)
        if len(was) < _AT_ONCE:
            return moved
        start = max(was)
        bulk.give_way()


#: So many cases are weighed in one transaction; a consequence that is off by less than a share is left as it is.
_AT_ONCE = 2000
_TOLERANCE = 0.01


def weigh(space: Space, rows: Collection[Any], now: int) -> dict[int, float]:
    """The consequence of cases at an instant, by their keys; `rows` have `pk`, `key`, `facts` and `factors`.

    Of a bulk change it is that of the most trusted of its facts as often as it has facts. What a file calls a case has
    none: whatever is to be decided about these facts is found here, and a file could name any. What was drawn at random
    has a turn by lot, in front of that and behind all that has something at stake: by trust, the facts that are trusted
    most would be judged first, and those that are trusted least, later or never.
    """
    drawn = [row for row in rows if cases.kind_of(row.key) == SAMPLE]
    return _weigh(space, [row for row in rows if cases.kind_of(row.key) != SAMPLE], now) | {
        row.pk: _OF_LOTS * _turn(row) for row in drawn
    }


#: Every consequence by lot is less than this.
_OF_LOTS = 1e-9


def _turn(row: Any) -> float:
    told = json.loads(row.factors).get("sample")
    seed = told.get("seed") if isinstance(told, dict) else ""
    return lots.turn(str(seed), row.facts[0])


def _weigh(space: Space, rows: Collection[Any], now: int) -> dict[int, float]:
    worth = _worth(space, {name for row in rows for name in row.facts}, now)
    at_stake = [[worth[name] for name in row.facts if name in worth] or [_NOTHING] for row in rows]
    top = [max(each) for each in at_stake]
    served = [sum(one.served for one in each) for each in at_stake]
    trust, r, s = ([getattr(one, name) for one in top] for name in ("trust", "r", "s"))
    found = consequence(served, trust, r, s, queries.constants(space)).tolist()
    many = [len(row.facts) if cases.kind_of(row.key) == BULK_CHANGE else int(row.key != "") for row in rows]
    return {row.pk: value * times for row, value, times in zip(rows, found, many, strict=True)}


class _Worth(NamedTuple):
    trust: float
    r: int
    s: int
    served: int


_NOTHING = _Worth(0.0, 0, 0, 0)


def _worth(space: Space, names: Collection[str], now: int) -> dict[str, _Worth]:
    """What each fact that is live is worth, and how often it was served lately."""
    keys = folds.keys(space, names)
    served = served_lately(space, keys.values(), now)
    found = dict[str, _Worth]()
    for chunk in bulk.chunks(keys.values()):
        rows = Fact.objects.filter(pk__in=chunk, state=LIVE).values_list("pk", "name", "score__trust", "r", "s")
        found |= {name: _Worth(trust or 0.0, r, s, served.get(pk, 0)) for pk, name, trust, r, s in rows}
    return found


def served_lately(space: Space, pks: Iterable[int], now: int) -> dict[int, int]:
    """In how many runs each of some facts was handed out lately, by kind, by their keys."""
    found = defaultdict[int, int](int)
    for chunk in bulk.chunks(pks):
        touches = Touch.objects.filter(space=space, fact__in=chunk, kind__in=(RECALLED, INJECTED))
        lately = touches.filter(at__gt=now - span(LATELY_DAYS)).values("fact").annotate(times=Count("pk"))
        found.update(lately.values_list("fact", "times"))
    return found
