"""Imports: a file is judged against the space, and what is new is written in chunks, so that it can be resumed."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial, wraps
from itertools import count
from typing import Concatenate, ParamSpec, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Max

from trustmem.actions import opening, receipts, spaces, tombstones
from trustmem.actions.errors import Refusal
from trustmem.actions.folding import IMPORTED, void
from trustmem.actions.records import entry, named
from trustmem.actions.telling import Format, kind_of
from trustmem.actions.undo import Undone, undone
from trustmem.core.instants import to_text
from trustmem.formats import interchange, mcp
from trustmem.formats.interchange import AMISS, STATUSES, Answer, KeptOut, Known, Reading, Status
from trustmem.formats.interchange_types import DEFAULTS, Record
from trustmem.store import bulk, chain
from trustmem.store.chain import Entry
from trustmem.store.models import Line, Space
from trustmem.store.tombstones import DECIDING

#: Which of some records, by place, are facts that are kept out.
Judge = Callable[[Sequence[Record]], Mapping[int, KeptOut]]
Progress = Callable[[int, int], None]
_P = ParamSpec("_P")
_Result = TypeVar("_Result")

#: How many lines are written in one transaction, and read between two signs of how far that is.
CHUNK = 5000
#: Lines of a file take effect in this order of types where nothing else tells them apart (interchange).
_ORDER = (
    "space",
    "constants",
    "key",
    "entity",
    "fact",
    "link",
    "edge",
    "event",
    "feedback",
    "tombstone",
    "case",
    "pass",
)
_LAST = _ORDER.index("pass")
#: Records by type, and events by kind, that concern what people decided, beside what is erased: always, or where they
#: are of what is there.
_ALWAYS, _OF = ("constants", "key", "revoked"), ("lifted", "undone", "closed")


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a file. `answers` has one answer for each of its records, `facts` are those that it brings,
    `takes_back` counts, by what they do, those that take back or decide what people decided in the space, and `undone`
    says so where what it brought before was undone, so that nothing of it counts."""

    imported: str
    answers: list[Answer]
    notices: list[str]
    facts: list[Record]
    takes_back: Mapping[str, int]
    undone: Undone | None
    dry_run: bool

    @property
    def balance(self) -> dict[Status, int]:
        """How many records got which answer; the five add up to the records of the file."""
        counts = Counter(answer.status for answer in self.answers)
        return {status: counts[status] for status in STATUSES}

    @property
    def brought(self) -> Mapping[str, int]:
        """How many records of each type are new."""
        return Counter(answer.type for answer in self.answers if answer.status == "new" and answer.type)


class _Disturbed(Exception):
    """Somebody else has taken a pass, or begun the space, since the file was judged."""


def _judging_again(take: Callable[Concatenate[Space, _P], _Result]) -> Callable[Concatenate[Space, _P], _Result]:
    """Begins again where somebody else has written, between two chunks, what was to be written."""

    @wraps(take)
    def run(space: Space, /, *given: _P.args, **named: _P.kwargs) -> _Result:
        while True:
            head = space.head_position
            try:
                return take(space, *given, **named)
            except _Disturbed:
                continue
            except IntegrityError:
                space.refresh_from_db()
                if space.head_position == head:
                    raise

    return run


@_judging_again
def import_lines(
    space: Space,
    raw_lines: Sequence[bytes],
    *,
    file: str,
    by: str,
    now: int,
    source: str = "unknown",
    format: Format = "auto",
    every: int | None = None,
    arriving: int | None = None,
    dry_run: bool = False,
    strict: bool = False,
    reading: Progress = lambda done, of: None,
    begin: Callable[[], None] = lambda: None,
    progress: Progress = lambda done, of: None,
    conclude: Callable[[Report], None] = lambda report: None,
) -> Report:
    """Take the lines of a file into a space. Raises Refusal where the file as a whole is refused.

    What is new is written in chunks, each there or not there; the same call finishes what was cut short. `every` (µs)
    adds passes of its own at the file's first instant + n of them, up to its last. What comes in has arrived when it
    says, or not before `arriving`. `strict` takes all or nothing.
    Where another import writes to the space between the chunks, the file is judged again. `reading` is told how many
    lines are read, and `progress` how many are written; `begin` is called before the first of them, and `conclude` in
    the transaction that puts the import on record, when all else is written.
    """
    space.refresh_from_db()
    kind = kind_of(raw_lines, format)
    digest = hashlib.sha256(b"".join(raw_lines)).hexdigest()
    # A memory file does not say who tells it: told by somebody else, it is another import.
    told = f"{source} {digest}".encode()
    imported = f"{IMPORTED}{(hashlib.sha256(told).hexdigest() if kind == 'mcp' else digest)[:16]}"
    written = _written(space, imported)
    last_pass = _last_pass(space, written)
    head = space.head_position
    kept_out = partial(tombstones.kept_out, space, imported=imported, written=written)
    read = _read(space, _watched(raw_lines, reading), source, kind, now, written, kept_out)
    read = _allowed(space, read, last_pass, now)
    if read.answers and all(answer.status == "rejected" for answer in read.answers):
        raise Refusal(f"none of its lines was understood; {read.answers[0]}")
    amiss = next((answer for answer in read.answers if answer.status in AMISS), None)
    if strict and amiss:
        raise Refusal(f"{file}: taken as a whole or not at all, and {amiss}")
    is_undone = undone(space, imported, void(space, space.head_position))
    takes_back = _takes_back(space, read.records)
    report = Report(imported, read.answers, read.notices, list(read.facts.values()), takes_back, is_undone, dry_run)
    passes = [] if every is None else _passes(space, read, every, last_pass, written, now)
    if dry_run:
        return report
    begin()
    with transaction.atomic() if strict else nullcontext():
        records = [*read.records.values(), *passes]
        if last_pass is not None:  # in a space that already has passes, what comes in has arrived now
            arriving = now
        if arriving is not None:
            records = [each | {"arrived": max(each["arrived"], arriving)} for each in records]
        ours = {each["id"] for each in records}
        # What the space says of itself is no part of the import, and stays should that be undone.
        entries = [entry(each) for each in _founding(space, read, now)]
        entries += [
            entry(each, imported) for each in _in_order([each for each in records if each["id"] not in written])
        ]
        entries += _receipts(space, report.answers, imported, now)
        _write(space, entries, progress, lambda: _is_as_judged(space, head, ours, last_pass))
        with transaction.atomic():
            told_by = {"source": source} if kind == "mcp" else {}
            _conclude(space, report, file=file, digest=digest, by=by, now=now, **told_by)
            conclude(report)
    return report


def _written(space: Space, imported: str) -> set[str]:
    """What the import has written already, if it was cut short. A file is judged as if that were not there, and then
    that is left out: so the same import gives the answers and the passes that it would have given undisturbed.
    """
    lines = Line.objects.filter(space=space, imported=imported)
    concluded = lines.filter(tag="import").aggregate(last=Max("position"))["last"] or 0
    return set(lines.filter(position__gt=concluded).values_list("name", flat=True))


def _last_pass(space: Space, written: set[str]) -> int | None:
    passes = Line.objects.filter(space=space, tag="pass").values_list("name", "at")
    return max((at for name, at in passes if name not in written), default=None)


def _is_as_judged(space: Space, head: int, ours: set[str], last_pass: int | None) -> bool:
    """Whether, but for what is ours, no pass was taken and no tombstone set or lifted since the line at `head`."""
    fresh = Line.objects.filter(space=space, tag__in=DECIDING, position__gt=head).values_list("name", flat=True)
    return _last_pass(space, ours) == last_pass and ours.issuperset(fresh)


def _founding(space: Space, reading: Reading, now: int) -> list[Record]:
    """What an empty space says of itself, unless the records do."""
    if space.head_position:
        return []
    records = reading.records.values()
    for record in records:
        if record["type"] == "space":
            spaces.adopt(space, record)
    return spaces.founding_records(space, now, _brought(records))


def _brought(records: Iterable[Record]) -> set[str]:
    return {record["type"] for record in records if record.get("version", 1) == 1}


def _watched(raw_lines: Sequence[bytes], reading: Progress) -> Iterator[bytes]:
    """The lines, while it is told how many of them are read."""
    for done, line in enumerate(raw_lines):
        if done % CHUNK == 0:
            reading(done, len(raw_lines))
        yield line
    reading(len(raw_lines), len(raw_lines))


def _read(
    space: Space, raw_lines: Iterable[bytes], source: str, kind: str, now: int, written: set[str], kept_out: Judge
) -> Reading:
    if kind == "mcp":
        return _without(_judged_by_id(space, mcp.read(raw_lines, source, now=now), written), kept_out)
    return interchange.read(raw_lines, lambda names: _known(space, names, written), kept_out)


def _known(space: Space, names: Collection[str], written: set[str]) -> Known:
    acts: set[str] = set()
    # No index leads to the lines of an import: it is asked for only where it is named.
    imports = [name for name in names if name.startswith(IMPORTED)]
    for column, asked in (("act", names), ("imported", imports)) if space.head_position else ():
        for chunk in bulk.chunks(asked):
            lines = Line.objects.filter(space=space, **{f"{column}__in": chunk})
            acts |= set(lines.values_list(column, flat=True).distinct())
    return Known({record["id"]: record for record, _ in named(space, {*names} - written)}, acts)


def _takes_back(space: Space, records: Mapping[str, Record]) -> Counter[str]:
    """How many of some records take back or decide what people decided in the space, by what they do. What a file says
    of its own acts, tombstones and cases is no more than its history; what it says is erased is so once."""
    said: list[tuple[str, str]] = [
        (each["kind"], each["of"] or "") if each["type"] == "event" else (each["type"], "") for each in records.values()
    ]
    known = _known(space, {of for kind, of in said if kind in _OF}, set())
    own = {*records, *(each["act"] for each in records.values())} - known.records.keys() - {*known.acts}
    counts = Counter(kind for kind, of in said if kind in _ALWAYS or (kind in _OF and of not in own))
    erased = {_erases(each) for each in records.values()} - {None}
    return counts + Counter({"erased": len(erased)})


def _erases(record: Record) -> str | None:
    """The fact that a line erases, or brings as erased."""
    if record["type"] == "fact":
        return record["id"] if record["erased"] else None
    return record["fact"] if record["type"] == "event" and record["kind"] == "erased" else None


def _judged_by_id(space: Space, reading: Reading, written: set[str]) -> Reading:
    """A memory file has no ids of its own: what the space has already is known, or was said again by another source."""
    stored = {record["id"]: record for record, _ in named(space, reading.records.keys() - written)}
    again = {
        id: mcp.restatement(record, stored[id]["source"]) if record["type"] == "fact" else None
        for id, record in reading.records.items()
        if id in stored
    }
    said = {event["id"] for event in again.values() if event}
    said -= {record["id"] for record, _ in named(space, said - written)}
    records = {id: record for id, record in reading.records.items() if id not in again}
    records |= {event["id"]: event for event in again.values() if event and event["id"] in said}
    known = {id for id, event in again.items() if not event or event["id"] not in said}
    answers = [replace(each, status="known") if each.id in known else each for each in reading.answers]
    return replace(reading, records=records, answers=answers)


def _without(reading: Reading, kept_out: Judge) -> Reading:
    """A reading of a memory file, in which nothing names a fact, without the facts that are kept out."""
    ids = list(reading.records)
    out = {ids[place]: by for place, by in kept_out(list(reading.records.values())).items()}
    answers = [
        replace(each, status="refused", reason=out[each.id].reason, kept_out=out[each.id]) if each.id in out else each
        for each in reading.answers
    ]
    return replace(reading, answers=answers, records={id: reading.records[id] for id in ids if id not in out})


def _allowed(space: Space, reading: Reading, last_pass: int | None, now: int) -> Reading:
    """Only an empty space takes the id and key that a file brings; and no pass comes before one that was taken, or
    before its time."""
    reasons: dict[str, str] = {}
    reserved = set[str]()
    if space.head_position == 0:
        brought = _brought(reading.records.values())
        reserved = {record["id"] for record in spaces.founding_records(space, 0, brought)}
    for id, record in reading.records.items():
        if id in reserved:
            reasons[id] = "the space itself is to have a line of this id"
        elif record["type"] == "space" and space.head_position and not _is_taken_by(space, record):
            reasons[id] = f'this space is "{space.name}" and has a key of its own'
        elif record["type"] == "space" and spaces.is_taken(space, record["id"]):
            reasons[id] = f'there is a space "{id}" already, so that this one keeps its own name and key'
        elif record["type"] == "pass" and last_pass is not None and record["at"] <= last_pass:
            reasons[id] = f"this pass is not later than the last one, at {to_text(last_pass)}"
        elif record["type"] == "pass" and record["at"] > now:
            reasons[id] = f"this pass is ahead of now, {to_text(now)}"
    if not reasons:
        return reading
    answers = [
        replace(each, status="refused", reason=reasons[each.id]) if each.id in reasons else each
        for each in reading.answers
    ]
    records = {id: record for id, record in reading.records.items() if id not in reasons}
    return replace(reading, records=records, answers=answers)


def _is_taken_by(space: Space, record: Record) -> bool:
    """Whether the space took its id and key from that line, which an import that was cut short has yet to write."""
    return record["id"] == space.name and record["digest_key"] in (None, space.digest_key)


def _passes(
    space: Space, reading: Reading, every: int, last_pass: int | None, written: set[str], now: int
) -> list[Record]:
    """Those that the file has itself are left to it."""
    try:
        instants = reading.instants_every(every)
    except ValueError as error:
        raise Refusal(f"that would make {error}") from None
    passes = [_pass(at) for at in instants if at <= now and (last_pass is None or at > last_pass)]
    there = _there(space, (each["id"] for each in passes)) - written
    return [each for each in passes if each["id"] not in reading.records and each["id"] not in there]


def _pass(at: int) -> Record:
    return DEFAULTS["pass"] | {"type": "pass", "id": to_text(at), "at": at, "arrived": at, "act": None}


def _in_order(records: Iterable[Record]) -> list[Record]:
    """Records as they are to be written, passes last, so that what is cut short can go on as if it had not been."""
    return sorted(
        records,
        key=lambda record: (
            _ORDER.index(record["type"]) == _LAST,
            record["arrived"],
            _ORDER.index(record["type"]),
            record["at"],
            record["id"],
        ),
    )


def _receipts(space: Space, answers: Sequence[Answer], imported: str, now: int) -> list[Entry]:
    """Those that the space has not."""
    made = list(receipts.entries(answers, imported, now))
    there = _there(space, (each.name for each in made))
    return [each for each in made if each.name not in there]


def _there(space: Space, names: Iterable[str]) -> set[str]:
    """Which of the names the space has."""
    found: set[str] = set()
    for chunk in bulk.chunks(names):
        found |= set(Line.objects.filter(space=space, name__in=chunk).values_list("name", flat=True))
    return found


def _write(space: Space, entries: Sequence[Entry], progress: Progress, is_as_judged: Callable[[], bool]) -> None:
    """Write chunk by chunk. Raises _Disturbed where the space is not as it was judged to be any more."""
    for start in range(0, len(entries), CHUNK):
        with transaction.atomic():
            chain.lock(space)
            if not is_as_judged():
                raise _Disturbed
            chain.append(space, entries[start : start + CHUNK])
        progress(min(start + CHUNK, len(entries)), len(entries))


def _conclude(space: Space, report: Report, *, file: str, digest: str, by: str, now: int, **told_by: str) -> None:
    """The import itself goes on record, and the folds are brought up to it. Within a transaction."""
    counts = {str(status): count for status, count in report.balance.items()}
    chain.lock(space)
    names = (f"{report.imported}:{times}" for times in count(1))
    conclusion = Entry(
        name=next(name for name in names if not _there(space, [name])),
        tag="import",
        at=now,
        arrived=now,
        body={"digest": digest, "by": by, **counts, "brought": dict(report.brought), **told_by},
        text={"file": file},
        imported=report.imported,
    )
    chain.append(space, [conclusion])
    opening.refold(space)
