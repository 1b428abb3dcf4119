"""Consolidation: a pass over one space, which is asked for, taken, or held until a person has looked at it."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count
from typing import Any

from django.db import transaction

from trustmem.actions import acts, breaker, jobs, opening, passes
from trustmem.actions.breaker import Verdict
from trustmem.actions.errors import Refusal
from trustmem.actions.records import entry
from trustmem.core.instants import to_text
from trustmem.formats.interchange_types import Record, parse_record
from trustmem.store import chain, queries
from trustmem.store.models import OPEN, Fact, Job, JobState, Line, Pass, Space
from trustmem.store.passes import COUNTS

#: Who holds a pass back, in the line that says so.
BREAKER = "the breaker"  # no user's name has a space
#: A space of no more facts goes through a pass in one transaction.
_FEW = 1000
#: So often a pass is looked at anew where others write meanwhile; then it is looked at while they wait.
_LOOKS = 3


class Held(Exception):
    """A pass was not taken, since it would do more than it may without a person's word."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__("this pass needs a person's word")
        self.verdict = verdict


def consolidate(
    space: Space,
    *,
    at: int | None = None,
    by: str,
    now: int,
    judge: Callable[[int], Verdict] | None = None,
    begin: Callable[[int], None] = lambda instant: None,
    progress: passes.Progress = passes.nobody,
    conclude: Callable[[], None] = lambda: None,
) -> Pass:
    """Take a pass at an instant (default: now, or just after the last one if that is ahead of it); what it did. Raises
    Refusal unless that is later than the last pass and not ahead of now; Held where `judge`, which is asked at that
    instant, finds a reason.

    The line of the pass is written first, so that what happens from then on comes after it; then facts go through in
    many transactions, or, where they are few, in that one. Cut short, it goes on with `passes.go_on`, or before the
    next pass. `begin` is called with its instant in the transaction that writes the line, `conclude` in that of the
    last fact; `progress` as by `passes.go_on`.
    It can be undone by its instant. The line of a pass says nothing but that, so `by` is not on record.
    """
    for looks in count(1):
        passes.go_on(space)
        head = _looked_at(space, at, now, judge) if judge and looks <= _LOOKS else None
        with transaction.atomic() if _is_small(space) else nullcontext():
            instant = _begin(space, at, now, head, begin, conclude, judge if looks > _LOOKS else None)
            if instant is not None:
                passes.go_on(space, progress=progress, conclude=conclude)
                return Pass.objects.get(space=space, instant=instant)
    raise AssertionError


def _is_small(space: Space) -> bool:
    return not Fact.objects.filter(space=space).order_by("pk")[_FEW : _FEW + 1].exists()


def instant_of(space: Space, at: int | None, now: int) -> int:
    """When a pass is taken: at an instant that was asked for, or now, later than the last in any case: a clock may have
    been put back."""
    last = queries.last_pass(space)
    return at if at is not None else max(now, last.instant + 1) if last else now


def judged(space: Space, at: int | None, now: int) -> Verdict:
    """What a pass would do, and whether it would wait for a person. Raises Refusal where it could not be. Writes
    nothing."""
    instant = instant_of(space, at, now)
    _ask_for_its_turn(space, instant, at, now)
    return breaker.judge(space, instant)


def _looked_at(space: Space, at: int | None, now: int, judge: Callable[[int], Verdict]) -> int:
    """Up to which line a pass was found to do no more than it may. Raises Held."""
    opening.refold(space)
    instant = instant_of(space, at, now)
    _ask_for_its_turn(space, instant, at, now)
    return _ask_for_leave(judge(instant)).preview.head


def _ask_for_leave(verdict: Verdict) -> Verdict:
    """Raises Held where a pass needs a person's word."""
    if verdict.reasons:
        raise Held(verdict)
    return verdict


@transaction.atomic
def _begin(
    space: Space,
    at: int | None,
    now: int,
    head: int | None = None,
    begin: Callable[[int], None] = lambda instant: None,
    conclude: Callable[[], None] = lambda: None,
    judge: Callable[[int], Verdict] | None = None,
) -> int | None:
    """Write the line of a pass; its instant. None where somebody else's pass has come to be under way, or somebody has
    written since the line at `head`. Raises Held where `judge` finds a reason."""
    acts.begin(space)
    if passes.under_way(space) or head not in (None, space.head_position):
        return None
    instant = instant_of(space, at, now)
    _ask_for_its_turn(space, instant, at, now)
    if judge:
        _ask_for_leave(judge(instant))
    line = _line(space, instant, now)
    begin(instant)
    if space.arrived_to > instant or space.head_position == 0:
        # The pass is one of long ago, and does not fold all that there is.
        acts.append(space, [line])
        conclude()
        return instant
    chain.append(space, [entry(line)])
    _note(space, instant, through=0)
    return instant


def _ask_for_its_turn(space: Space, instant: int, at: int | None, now: int) -> None:
    """Raises Refusal for a pass that is not later than the last, or ahead of now."""
    if at is not None and instant > now:
        raise Refusal(f"a pass at {to_text(instant)} would be ahead of now, {to_text(now)}, and hold up all before it")
    last = queries.last_pass(space)
    if last is not None and instant <= last.instant:
        raise Refusal(f"a pass at {to_text(instant)} is not later than the last one, at {to_text(last.instant)}")
    if Line.objects.filter(space=space, name=to_text(instant)).exists():
        raise Refusal(f"no pass can be at {to_text(instant)}, since that is the id of a line")


def _line(space: Space, instant: int, now: int) -> Record:
    line = parse_record({"type": "pass", "at": to_text(instant)})
    return line | {"arrived": max(instant, acts.stamp(space, now))}


def _note(space: Space, instant: int, **values: Any) -> None:
    """Put a pass whose line was written last into the fold of passes."""
    clock = int(queries.clock(space, [instant]).clocks[-1])
    Pass.objects.create(space=space, instant=instant, clock=clock, **values)
    space.folded_to = space.head_position
    space.save(update_fields=["folded_to"])


@transaction.atomic
def hold(space: Space, verdict: Verdict, *, now: int, conclude: Callable[[], None] = lambda: None) -> None:
    """Put a pass on record that waits for a person: it moves the clock, which runs on meanwhile, and is undone from the
    first, so that it changes nothing. `conclude` is called in the same transaction."""
    act, instant = acts.begin(space), verdict.preview.instant
    last = queries.last_pass(space)
    if not passes.under_way(space) and (last is None or instant > last.instant):
        of = acts.event("undone", of=to_text(instant), by=BREAKER, reason="it waits for a person's word")
        undone = parse_record({"id": acts.line_id(act, 1), **of, "at": to_text(now), "act": act})
        undone |= {"arrived": max(instant + 1, acts.stamp(space, now))}
        lines = [_line(space, instant, now), undone]
        if space.arrived_to > instant:
            acts.append(space, lines)
        else:
            chain.append(space, map(entry, lines))
            _note(space, instant, void=True)
    conclude()


# Passes as jobs


@transaction.atomic
def ask(space: Space, *, by: str, now: int, slot: str = "", at: int | None = None) -> Job:
    """The job of a pass, which a slot or a person asks for: one that waits for a person is looked at anew; a slot takes
    the place of one that no worker has begun; and without a slot it is what is still to be done, if there is that."""
    chain.lock(space)  # who asks at the same time finds the job there
    what = {} if at is None else {"at": at}
    kept = Job.objects.filter(space=space, kind=jobs.CONSOLIDATION)
    waiting = kept.filter(state=JobState.NEEDS_A_PERSON).first()
    again = waiting and jobs.ask_again(waiting, by=by, now=now, slot=slot, **what)
    if again:
        return again
    missed = kept.filter(state=JobState.QUEUED).exclude(slot="").first() if slot else None
    if missed:
        Job.objects.filter(pk=missed.pk).update(slot=slot)
        missed.slot = slot
    under_way = None if slot or what else kept.filter(state__in=OPEN).first()
    return missed or under_way or jobs.ask(space, jobs.CONSOLIDATION, by=by, now=now, slot=slot, **what)


def approve(space: Space, job: int, head: int, *, by: str, now: int) -> Job:
    """Have a pass taken that waits, though it does what was shown as of the line at `head`; beyond that it may do what
    any pass may. Raises Refusal where it does not wait any more, or was looked at anew since."""
    waiting = Job.objects.filter(space=space, pk=job, state=JobState.NEEDS_A_PERSON).first()
    shown = breaker.of_job(waiting) if waiting else None
    if not waiting or not shown or shown.preview.head != head:
        raise Refusal("this pass was looked at anew meanwhile, or does not wait any more: see how it stands now")
    allowed = {"pruned": shown.preview.doomed, "moved": shown.moved.facts}
    again = jobs.ask_again(waiting, by=by, now=now, allowed=allowed)
    if again is None:
        raise Refusal("somebody else has decided on this pass meanwhile")
    return again


def settle(space: Space, taken: Pass, *, by: str, now: int) -> None:
    """A pass that waited for a person waits no more: somebody has taken one."""
    waiting = Job.objects.filter(space=space, kind=jobs.CONSOLIDATION, state=JobState.NEEDS_A_PERSON)
    counts = {name: getattr(taken, name) for name in COUNTS}
    waiting.update(
        state=JobState.DONE, instant=taken.instant, by=by, started_at=now, ended_at=now, result=json.dumps(counts)
    )
