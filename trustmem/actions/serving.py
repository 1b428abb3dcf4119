"""Serving: what was handed out to agents goes on record as touches, a little later and many at once, so that nobody who
searches waits for that."""

import secrets
from collections.abc import Collection, Iterable
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q
from django.utils.crypto import salted_hmac

from trustmem.actions import acts, feedback, jobs
from trustmem.actions.search import Order
from trustmem.actions.speakers import Speaker
from trustmem.core.claims import words
from trustmem.core.instants import to_text, unnamed_run
from trustmem.formats.interchange_types import Record, parse_record
from trustmem.store import bulk, chain
from trustmem.store.models import OPEN, Fact, Job, Served, Space

#: What can be said of facts that are handed out: they were read, or put in a prompt.
RECALLED, INJECTED = "recalled", "injected"
#: So many searches are put on record in one act.
_AT_ONCE = 2000

#: A fact, by name, and the source and the run to which it was handed out.
_Touch = tuple[str, str, str]


class Question(NamedTuple):
    """What a search asks for."""

    words: str
    limit: int
    order: Order
    history: bool


def note(speaker: Speaker, question: Question, facts: Collection[str], *, now: int) -> str | None:
    """Keep that facts, by name, were handed out; `put_on_record` does the rest. The id of the search, by which it may
    be reported what came of it; None: nothing was found."""
    if not facts:
        return None
    run = speaker.run or unnamed_run(speaker.source, now)
    handed = {"source": speaker.source, "run": run, "question": _digest(speaker, question), "facts": list(facts)}
    return Served.objects.create(space=speaker.space, search=secrets.token_hex(8), at=now, **handed).search


def _digest(speaker: Speaker, question: Question) -> str:
    """Tells what is asked again in a run that was named; '' where that is to say nothing, since who may not report may
    move nothing. What was asked nobody reads from it who has not the key of the desk."""
    if not speaker.run or not speaker.reports:
        return ""
    asked = question._replace(words=words(question.words))
    said = repr((speaker.space.pk, speaker.source, speaker.run, *asked))
    return salted_hmac("trustmem.actions.serving", said, algorithm="sha256").hexdigest()


def ask_if_due(space: Space, *, by: str, now: int) -> None:
    """Ask for what was handed out to be put on record, if anything was, or has been kept for long enough."""
    due = Q(recorded=False) | Q(at__lt=now - feedback.KEPT)
    if not Served.objects.filter(due, space=space).exists():
        return
    of_kind = Job.objects.filter(space=space, kind=jobs.RECORDING)
    if not of_kind.filter(state__in=OPEN).exists():
        of_kind.exclude(state__in=OPEN).delete()
        jobs.ask(space, jobs.RECORDING, by=by, now=now)


def put_on_record(space: Space, *, now: int) -> int:
    """Write the touches of what was handed out, each once for a fact, a source and a run, at its earliest, and what
    follows from what was asked again; how many touches. What is no fact any more is passed over, and what has been kept
    for long enough is cleared away."""
    total, served = 0, Served.objects.filter(space=space)
    while True:
        with transaction.atomic():
            chain.lock(space)
            rows = list(served.filter(recorded=False).order_by("pk")[:_AT_ONCE])
            if not rows:
                served.filter(recorded=True, at__lt=now - feedback.KEPT).delete()
                return total
            total += _write(space, rows, now)
            feedback.of_repeats(space, rows, now=now)
            for chunk in bulk.chunks(row.pk for row in rows):
                served.filter(pk__in=chunk).update(recorded=True)
        bulk.give_way()


def _write(space: Space, rows: Iterable[Served], now: int) -> int:
    earliest = dict[_Touch, int]()
    for row in rows:
        for name in row.facts:
            touch = name, row.source, row.run
            earliest[touch] = min(earliest.get(touch, row.at), row.at)
    there = _there(space, {name for name, *_ in earliest})
    due = [(touch, at) for touch, at in sorted(earliest.items()) if touch[0] in there]
    if not due:
        return 0
    act = acts.begin(space)
    arrived = acts.stamp(space, now)
    acts.append(space, [_event(act, place, *each) | {"arrived": arrived} for place, each in enumerate(due, start=1)])
    return len(due)


def _there(space: Space, names: Collection[str]) -> set[str]:
    found = set[str]()
    for chunk in bulk.chunks(names):
        found |= set(Fact.objects.filter(space=space, name__in=chunk).values_list("name", flat=True))
    return found


def _event(act: str, place: int, touch: _Touch, at: int) -> Record:
    name, source, run = touch
    said = {"type": "event", "id": acts.line_id(act, place), "kind": RECALLED, "fact": name}
    return parse_record(said | {"source": source, "run": run, "at": to_text(at), "act": act})
