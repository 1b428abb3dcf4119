"""Serving: what was handed out to agents goes on record as touches, a little later and many at once, so that nobody who
searches waits for that."""

from collections.abc import Collection, Iterable

from django.db import transaction

from trustmem.actions import acts, jobs
from trustmem.actions.speakers import Speaker
from trustmem.core.instants import to_text, utc_date
from trustmem.formats.interchange_types import Record, parse_record
from trustmem.store import bulk, chain
from trustmem.store.models import OPEN, Fact, Job, Served, Space

#: What can be said of facts that are handed out.
RECALLED, INJECTED = "recalled", "injected"
#: So many searches are put on record in one act.
_AT_ONCE = 2000

_Touch = tuple[str, str, str, str]


def note(speaker: Speaker, kind: str, facts: Collection[str], *, now: int) -> None:
    """Keep that facts, by name, were handed out; `put_on_record` does the rest."""
    if facts:
        run = speaker.run or f"{speaker.source}@{utc_date(now)}"
        Served.objects.create(space=speaker.space, source=speaker.source, run=run, kind=kind, at=now, facts=list(facts))


def ask_if_due(space: Space, *, by: str, now: int) -> None:
    """Ask for what was handed out to be put on record, if anything was."""
    if not Served.objects.filter(space=space).exists():
        return
    of_kind = Job.objects.filter(space=space, kind=jobs.RECORDING)
    if not of_kind.filter(state__in=OPEN).exists():
        of_kind.exclude(state__in=OPEN).delete()
        jobs.ask(space, jobs.RECORDING, by=by, now=now)


def put_on_record(space: Space, *, now: int) -> int:
    """Write the touches of what was handed out, each once for a fact, a source, a run and a kind, at its earliest; how
    many. What is no fact any more is passed over."""
    total = 0
    while True:
        with transaction.atomic():
            chain.lock(space)
            rows = list(Served.objects.filter(space=space).order_by("pk")[:_AT_ONCE])
            if not rows:
                return total
            total += _write(space, rows, now)
            Served.objects.filter(space=space, pk__lte=rows[-1].pk).delete()
        bulk.give_way()


def _write(space: Space, rows: Iterable[Served], now: int) -> int:
    earliest = dict[_Touch, int]()
    for row in rows:
        for name in row.facts:
            touch = name, row.source, row.run, row.kind
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
    name, source, run, kind = touch
    said = {"type": "event", "id": acts.line_id(act, place), "kind": kind, "fact": name, "source": source, "run": run}
    return parse_record(said | {"at": to_text(at), "act": act})
