"""Imports: a file is judged against the space, and what is new is written in chunks, so that it can be resumed."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Literal

from django.db import transaction
from django.db.models import Max

from trustmem.actions import spaces
from trustmem.actions.errors import Refusal
from trustmem.actions.folding import refold
from trustmem.actions.records import entry, named
from trustmem.core.instants import to_text
from trustmem.formats import detect, interchange, mcp
from trustmem.formats.interchange import STATUSES, Answer, Known, Reading, Status
from trustmem.formats.interchange_types import DEFAULTS, Record
from trustmem.store import bulk, chain
from trustmem.store.chain import Entry
from trustmem.store.models import Line, Space

Format = Literal["auto", "interchange", "mcp"]
Progress = Callable[[int, int], None]

#: How many lines are written in one transaction.
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


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a file. `answers` has one answer for each of its records."""

    imported: str
    answers: list[Answer]
    notices: list[str]
    dry_run: bool

    @property
    def balance(self) -> dict[Status, int]:
        """How many records got which answer; the five add up to the records of the file."""
        counts = Counter(answer.status for answer in self.answers)
        return {status: counts[status] for status in STATUSES}


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
    dry_run: bool = False,
    strict: bool = False,
    progress: Progress = lambda done, of: None,
) -> Report:
    """Take the lines of a file into a space. Raises Refusal where the file as a whole is refused.

    What is new is written in chunks, each there or not there; the same call finishes what was cut short. `every` (µs)
    adds passes of its own at the file's first instant + n of them, up to its last. `strict` takes all or nothing.
    """
    digest = hashlib.sha256(b"".join(raw_lines)).hexdigest()
    imported = f"import:{digest[:16]}"
    written = _written(space, imported)
    last_pass = _last_pass(space, written)
    reading = _allowed(space, _read(space, raw_lines, source, format, now, written), last_pass)
    if reading.answers and all(answer.status == "rejected" for answer in reading.answers):
        raise Refusal(f"none of its lines was understood; {reading.answers[0]}")
    amiss = next((answer for answer in reading.answers if answer.status in ("refused", "waiting", "rejected")), None)
    if strict and amiss:
        raise Refusal(f"{file}: taken as a whole or not at all, and {amiss}")
    report = Report(imported, reading.answers, reading.notices, dry_run)
    passes = [] if every is None else _passes(reading, every, last_pass)
    if dry_run:
        return report
    with transaction.atomic() if strict else nullcontext():
        records = [*_found(space, list(reading.records.values()), now), *passes]
        if last_pass is not None:  # in a space that already has passes, what comes in has arrived now
            records = [each | {"arrived": max(each["arrived"], now)} for each in records]
        records = _in_order([each for each in records if each["id"] not in written])
        entries = [entry(record, imported) for record in records]
        _write(space, entries + _receipts(space, report.answers, imported, now), progress)
        _conclude(space, report, file=file, digest=digest, by=by, now=now)
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


def _found(space: Space, records: list[Record], now: int) -> list[Record]:
    """In an empty space: the records, and what it says of itself unless they do."""
    if space.head_position:
        return records
    for record in records:
        if record["type"] == "space":
            spaces.adopt(space, record)
    brought = {record["type"] for record in records if record.get("version", 1) == 1}
    return [*spaces.founding_records(space, now, brought), *records]


def _read(
    space: Space, raw_lines: Sequence[bytes], source: str, format: Format, now: int, written: set[str]
) -> Reading:
    start = b"".join(raw_lines[:200])[: 1 << 16]
    kind = detect.detect(start) if format == "auto" else format
    if kind == "mcp":
        return _judged_by_id(space, mcp.read(raw_lines, source, now=now), written)
    if kind is None and any(line.strip() for line in raw_lines):
        raise Refusal(f"it looks like {detect.looks_like(start) or 'nothing that can be read here'}")
    return interchange.read(raw_lines, lambda names: _known(space, names, written))


def _known(space: Space, names: Collection[str], written: set[str]) -> Known:
    acts: set[str] = set()
    for chunk in bulk.chunks(names) if space.head_position else ():
        for column in ("act", "imported"):
            lines = Line.objects.filter(space=space, **{f"{column}__in": chunk})
            acts |= set(lines.values_list(column, flat=True).distinct())
    return Known({record["id"]: record for record, _ in named(space, {*names} - written)}, acts)


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


def _allowed(space: Space, reading: Reading, last_pass: int | None) -> Reading:
    """Only an empty space takes the id and key that a file brings; and no pass comes before one that was taken."""
    reasons: dict[str, str] = {}
    for id, record in reading.records.items():
        if record["type"] == "space" and space.head_position and not _is_taken_by(space, record):
            reasons[id] = f'this space is "{space.name}" and has a key of its own'
        elif record["type"] == "pass" and last_pass is not None and record["at"] <= last_pass:
            reasons[id] = f"this pass is not later than the last one, at {to_text(last_pass)}"
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


def _passes(reading: Reading, every: int, last_pass: int | None) -> list[Record]:
    """Those that the file has itself are left to it."""
    try:
        instants = reading.instants_every(every)
    except ValueError as error:
        raise Refusal(f"that would make {error}") from None
    passes = [_pass(at) for at in instants if last_pass is None or at > last_pass]
    return [each for each in passes if each["id"] not in reading.records]


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


def _receipts(space: Space, answers: list[Answer], imported: str, now: int) -> list[Entry]:
    """Refused and rejected records stay on record, the latter verbatim."""
    receipts = [
        Entry(
            name=f"{imported}:record:{place}",
            tag=answer.status,
            at=now,
            arrived=now,
            body={"number": answer.number},
            text={
                "field": answer.field or "",
                "reason": answer.reason,
                "raw": (answer.raw or b"").decode(errors="backslashreplace"),
            },
            imported=imported,
        )
        for place, answer in enumerate(answers)
        if answer.status in ("refused", "rejected")
    ]
    there = _there(space, (each.name for each in receipts))
    return [each for each in receipts if each.name not in there]


def _there(space: Space, names: Iterable[str]) -> set[str]:
    """Which of the names the space has."""
    found: set[str] = set()
    for chunk in bulk.chunks(names):
        found |= set(Line.objects.filter(space=space, name__in=chunk).values_list("name", flat=True))
    return found


def _write(space: Space, entries: Sequence[Entry], progress: Progress) -> None:
    for start in range(0, len(entries), CHUNK):
        with transaction.atomic():
            chain.append(space, entries[start : start + CHUNK])
        progress(min(start + CHUNK, len(entries)), len(entries))


def _conclude(space: Space, report: Report, *, file: str, digest: str, by: str, now: int) -> None:
    """The import itself goes on record, and the folds are brought up to it."""
    with transaction.atomic():
        chain.lock(space)
        times = Line.objects.filter(space=space, imported=report.imported, tag="import").count()
        conclusion = Entry(
            name=f"{report.imported}:{times + 1}",
            tag="import",
            at=now,
            arrived=now,
            body={"digest": digest, "by": by, **{str(status): count for status, count in report.balance.items()}},
            text={"file": file},
            imported=report.imported,
        )
        chain.append(space, [conclusion])
        refold(space)
