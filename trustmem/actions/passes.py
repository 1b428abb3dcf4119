"""Passes: the facts of a space go through one some at a time, so that nobody waits long for what they write meanwhile.

Facts go in the order of their keys. Where something happens to a fact whose turn is still to come, it goes through
before, with all that edges connect with it, and is let by when its turn comes. So a pass that was cut short goes on
where it stopped, and comes to what it would have come to.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Q

from trustmem.actions import queue
from trustmem.core import passes as core
from trustmem.core.columns import Bools, Ints
from trustmem.core.consolidation import Clock, Weights
from trustmem.core.instants import EVER
from trustmem.core.passes import PassTaken
from trustmem.core.scores import Scores, score
from trustmem.core.stored import Stored
from trustmem.core.vocabulary import LIVE, RELATIONS
from trustmem.store import bulk, chain, columns, queries, scores
from trustmem.store import passes as rows_of_passes
from trustmem.store.columns import PASS, pass_rows
from trustmem.store.models import EarlyTurn, Edge, Fact, Pass, Score, Space

Progress = Callable[[int, int], None]


def nobody(done: int, of: int) -> None:
    """Tells nobody how far it is."""


#: How many facts are read at a time, and how many rows are written in one transaction.
_READ = 16_000
_WRITTEN = 1000
_UPDATES, _CONTRADICTS = RELATIONS.index("updates"), RELATIONS.index("contradicts")


def under_way(space: Space) -> Pass | None:
    """The pass that not all facts have gone through yet; before it has ended, no other begins."""
    last = queries.last_pass(space)
    return last if last is not None and last.through < EVER else None


def go_on(space: Space, *, progress: Progress = nobody, conclude: Callable[[], None] = lambda: None) -> None:
    """Take the facts that are left through the pass under way, if there is one.

    `progress` is told in each transaction how many facts have gone through, of how many; `conclude` is called in the
    one that ends the pass. What either raises stops the pass where it was before that transaction.
    """
    if (taken := under_way(space)) is None:
        return
    facts = Fact.objects.filter(space=space)
    through = of = 0
    if progress is not nobody:  # to count them takes a while
        through, of = facts.filter(pk__lte=taken.through).count(), facts.count()
    while (taken := under_way(space)) is not None:
        through = _take_turns(space, taken, through, lambda done: progress(done, of), conclude)


@transaction.atomic
def catch_up(space: Space, taken: Pass, pks: Collection[int]) -> None:
    """Take some facts, and there must be with them all that edges connect, through the pass under way."""
    due = {pk for pk in pks if pk > taken.through} - _early(space, pks)
    if due:
        some = list(bulk.chunks(pks))
        rivals = _rivals(space, [Q(newer__in=each) for each in some])
        turn = _turn(space, [Q(pk__in=each) for each in some], rivals, queries.clock(space))
        _write(space, taken, turn, np.isin(turn.pks, list(due)))
        let_by(space, due)


def let_by(space: Space, pks: Collection[int]) -> None:
    """When their turn comes, these facts have been through the pass under way."""
    fresh = set(pks) - _early(space, pks)
    bulk.insert(EarlyTurn, ("space_id", "fact_id"), [(space.pk, pk) for pk in sorted(fresh)])


def _early(space: Space, pks: Collection[int]) -> set[int]:
    early = EarlyTurn.objects.filter(space=space)
    return {pk for chunk in bulk.chunks(pks) for pk in early.filter(fact__in=chunk).values_list("fact", flat=True)}


class Turn(NamedTuple):
    """Facts by their keys, as they were `before` a pass and are `after`, which of them are `changed`, and what it did;
    what they are worth at its instant, and whose stored score is `moved` by that."""

    pks: Ints
    before: Stored
    after: Stored
    changed: Bools
    taken: PassTaken
    scored: Scores
    moved: Bools


def _rivals(space: Space, which: Sequence[Q]) -> list[tuple[int, int, int]]:
    return columns.carried(Edge.objects.filter(each, space=space, relation=_CONTRADICTS) for each in which)


def _turn(space: Space, facts: Sequence[Q], rivals: Sequence[tuple[int, int, int]], clock: Clock) -> Turn:
    """Facts, and the contradictions among them, taken through the last pass of a clock. Nothing is written."""
    rows = [Fact.objects.filter(each).order_by("pk") for each in facts]
    pks, before = columns.stored(rows, queries.reading(space), rivals, for_pass=True)
    after, taken = core.take(before, clock)
    changed = np.logical_or.reduce(
        [was != now for was, now in zip(*map(columns.of_pass, (before, after)), strict=True)]
    )
    scored = score(after, taken.instant)
    moved = scores.moved([Score.objects.filter(each) for each in facts], pks, scored)
    return Turn(pks, before, after, changed, taken, scored, moved)


def turns(space: Space, instant: int) -> Iterator[tuple[Turn, Bools]]:
    """All facts of a space taken through a pass that there might be, some at a time, and which of a turn are these
    (the others contradict them). Nothing is written; no pass may be under way, nor a line be later than that."""
    start, clock = 0, queries.clock(space, [instant])
    while True:
        turn, end, is_last = _next(space, start, clock)
        yield turn, (turn.pks > start) & (turn.pks <= end)
        if is_last:
            return
        start = end


def _next(space: Space, start: int, clock: Clock) -> tuple[Turn, int, bool]:
    """The facts after a key and, unwritten, what contradicts these; the key of the last, and whether it is that of
    all."""
    ahead = Fact.objects.filter(space=space, pk__gt=start).order_by("pk").values_list("pk", flat=True)
    full = list(ahead[_READ - 1 : _READ])
    end = full[0] if full else ahead.last() or start
    here = Q(space=space, pk__gt=start, pk__lte=end)
    # Each end of an edge has an index of its own.
    rivals = _rivals(space, [Q(newer__gt=start, newer__lte=end), Q(older__gt=start, older__lte=end)])
    beside = {pk for newer, older, _ in rivals for pk in (newer, older) if not start < pk <= end}
    turn = _turn(space, [here, *(Q(pk__in=some) for some in bulk.chunks(beside))], rivals, clock)
    return turn, end, not full


def _take_turns(
    space: Space,
    taken: Pass,
    through: int = 0,
    progress: Callable[[int], None] = lambda done: None,
    conclude: Callable[[], None] = lambda: None,
) -> int:
    """Take the next facts through a pass; how many of all are `through` it then."""
    start = taken.through
    turn, end, is_last = _next(space, start, queries.clock(space))
    for upto in _steps(turn, start, end):
        if start != taken.through:
            bulk.give_way()
        is_end = is_last and upto == end
        rows = (turn.pks > start) & (turn.pks <= upto)
        through += int(rows.sum())
        with transaction.atomic():
            if not _step(space, taken, turn, rows, start, EVER if is_end else upto):
                return through
            progress(through)
            if is_end:
                conclude()
        start = upto
    bulk.checkpoint()
    return through


def _steps(turn: Turn, start: int, end: int) -> Iterator[int]:
    """The key up to which each transaction writes."""
    changed = turn.pks[(turn.changed | turn.moved) & (turn.pks > start) & (turn.pks <= end)]
    yield from (int(pk) for pk in changed[_WRITTEN - 1 : -1 : _WRITTEN])
    yield end


def _step(space: Space, taken: Pass, turn: Turn, rows: Bools, start: int, through: int) -> bool:
    """Write the facts of some rows, all that come after one key up to another; False where the pass has gone on without
    us. Within a transaction."""
    chain.lock(space)
    if not Pass.objects.filter(pk=taken.pk, through=start).update(through=through):
        return False
    early = EarlyTurn.objects.filter(space=space, fact__gt=start, fact__lte=through).values_list("fact", flat=True)
    _write(space, taken, turn, rows & ~np.isin(turn.pks, list(early)))
    if through == EVER:
        EarlyTurn.objects.filter(space=space).delete()
    return True


def _write(space: Space, taken: Pass, turn: Turn, rows: Bools) -> None:
    """Write what a pass changed of some facts, and of the edges at which they stand."""
    changed = np.flatnonzero(turn.changed & rows)
    bulk.update(Fact, "id", PASS, list(pass_rows(turn.pks, turn.after, changed)))
    moved = np.flatnonzero(turn.moved & rows)
    scores.update(turn.pks, turn.scored, moved, turn.taken.instant)
    rows_of_passes.add(space, taken.pk, of_some(turn.taken, rows), turn.pks[rows].tolist())
    turned = turn.pks[rows & (turn.before.state != turn.after.state)].tolist()
    _relink(space, turned)
    queue.look_again(space, turned)


def _relink(space: Space, pks: Sequence[int]) -> None:
    """Of the edges at these facts that some assertion carries, those are live whose two ends are; an update anyhow."""
    carried = Edge.objects.filter(space=space, carried=True).exclude(relation=_UPDATES)
    edges = {
        edge
        for chunk in bulk.chunks(pks)
        for end in ("newer", "older")
        for edge in carried.filter(**{f"{end}__in": chunk}).values_list("pk", "newer", "older", "live")
    }
    ends = {pk for _, newer, older, _ in edges for pk in (newer, older)}
    live = {
        pk
        for chunk in bulk.chunks(ends)
        for pk in Fact.objects.filter(pk__in=chunk, state=LIVE).values_list("pk", flat=True)
    }
    for is_live in (True, False):
        turned = (pk for pk, *both, was in edges if was is not is_live and live.issuperset(both) is is_live)
        for chunk in bulk.chunks(turned):
            Edge.objects.filter(pk__in=chunk).update(live=is_live)


def of_some(taken: PassTaken, rows: Bools) -> PassTaken:
    """What a pass did to some of the facts."""
    before, after = (
        Weights(**{each.name: getattr(weights, each.name)[rows] for each in fields(Weights)})
        for weights in (taken.before, taken.after)
    )
    masks = taken.weighed[rows], taken.promoted[rows], taken.deferred[rows]
    return PassTaken(taken.instant, taken.clock, taken.counts, before, after, *masks)
