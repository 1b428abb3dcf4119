"""The interchange file: raw lines to what the core folds, with an answer for every line."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Literal, NamedTuple

from trustmem.core import constants, instants, vocabulary
from trustmem.core.lines import ConstantsChange, Edge, Event, Fact, Feedback, Line, Pass
from trustmem.formats import rfc3339, strict_json
from trustmem.formats.fields import FieldError, did_you_mean
from trustmem.formats.interchange_types import FREE, Record, parse_record
from trustmem.formats.strict_json import quoted

Status = Literal["new", "known", "refused", "waiting", "rejected"]
STATUSES: tuple[Status, ...] = ("new", "known", "refused", "waiting", "rejected")
#: Answers that a person should look at: their lines have no effect, or not yet.
AMISS: tuple[Status, ...] = ("refused", "waiting", "rejected")


class KeptOut(NamedTuple):
    """Which tombstone keeps a fact out, who tells that fact, and a sentence for people."""

    tombstone: str
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a line. `str()` of it is the sentence that people read; `raw` is kept where it was rejected, and
    `kept_out` says so of a fact that a tombstone keeps out."""

    number: int
    status: Status
    type: str | None = None
    id: str | None = None
    field: str | None = None
    reason: str | None = None
    raw: bytes | None = None
    kept_out: KeptOut | None = None

    def __str__(self) -> str:
        return f"line {self.number}: {self.reason or self.status}"


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that was read. `records` are those that are new or waiting, by id; `lines` and `passes` the same for
    the core, in the order of the file. Waiting lines are among them: the core passes over what names unknown things.
    """

    answers: list[Answer] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    passes: list[Pass] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def balance(self) -> dict[Status, int]:
        """How many lines got which answer; the five add up to the records of the file."""
        counts = Counter(answer.status for answer in self.answers)
        return {status: counts[status] for status in STATUSES}

    def instants_every(self, every: int) -> list[int]:
        """Its first instant + n times `every` (µs), n = 1, 2, ..., up to its last: when passes of one's own may run.

        Raises ValueError where they would be too many to take.
        """
        told = [record["at"] for record in self.records.values()]
        if not told:
            return []
        first, last = min(told), max(told)
        count = (last - first) // every
        if count > MOST_PASSES:
            between = f"from {instants.to_text(first)} to {instants.to_text(last)}"
            raise ValueError(f"{count} passes {between}; the limit is {MOST_PASSES}")
        return [first + n * every for n in range(1, count + 1)]

    @property
    def facts(self) -> dict[str, Record]:
        return {id: record for id, record in self.records.items() if record["type"] == "fact"}


class _Verdict(NamedTuple):
    status: Status
    field: str | None = None
    reason: str | None = None
    kept_out: KeptOut | None = None


#: How many passes may be added to a file.
MOST_PASSES = 100_000
#: A file of which so many lines were read and none was understood is read no further.
_FIRST_LOOK = 10_000

_NEW = _Verdict("new")
_KNOWN = _Verdict("known")


class Known(NamedTuple):
    """What a space holds of what a file names: records by id, and which of the ids are acts."""

    records: Mapping[str, Record]
    acts: Collection[str]


def _nothing(_: Collection[str]) -> Known:
    return Known({}, ())


def _none(_: Sequence[Record]) -> Mapping[int, KeptOut]:
    return {}


def read(
    raw_lines: Iterable[bytes],
    known: Callable[[Collection[str]], Known] = _nothing,
    kept_out: Callable[[Sequence[Record]], Mapping[int, KeptOut]] = _none,
) -> Reading:
    """The reading of a file given as lines of bytes, with or without their ends; blank lines are no records.

    `known` is asked what the space that the file is for holds of all the ids that the file has or names, and then of
    those that the lines name that it holds: a ruling takes effect if the facts are there that its statement is about;
    `kept_out` is asked, once, which of the records that the space does not know, by their place, may not come into it.
    Of lines that have one id the one that arrived first stands, whatever their order.

    >>> reading = read([b'{"type": "fact", "id": "f", "text": "It rains.", "at": "2026-01-05T08:09:10"}'])
    >>> print(reading.answers[0])
    line 1: "at" has no UTC offset
    """
    answers: list[Answer] = []
    understood: list[tuple[int, Record]] = []
    for number, parsed in _parse(raw_lines):
        if not isinstance(parsed, Answer):
            understood.append((number, parsed))
            continue
        answers.append(parsed)
        if len(answers) == _FIRST_LOOK and not understood:
            break
    reading = Reading(answers)
    before = _known_before([record for _, record in understood], known)
    _name_passes_by_id([record for _, record in understood], before.records.values())
    fresh = [(number, record) for number, record in understood if record["id"] not in before.records]
    out = {fresh[place][0]: by for place, by in kept_out([record for _, record in fresh]).items()}
    for number, record, verdict in _judge(understood, before, out):
        what = (record["type"], record["id"], verdict.field, verdict.reason)
        answers.append(Answer(number, verdict.status, *what, kept_out=verdict.kept_out))
        if verdict.status in ("new", "waiting"):
            keep(record, number, reading)
    answers.sort(key=lambda answer: answer.number)
    return reading


def _parse(raw_lines: Iterable[bytes]) -> Iterator[tuple[int, Record | Answer]]:
    for number, raw in enumerate(raw_lines, start=1):
        content = raw.removeprefix(strict_json.BOM) if number == 1 else raw
        if content.strip():
            yield number, _parse_line(number, content, raw)


def _parse_line(number: int, content: bytes, raw: bytes) -> Record | Answer:
    given = None
    try:
        given = strict_json.loads(content)
        return parse_record(given)
    except strict_json.StrictJSONError as error:
        return Answer(number, "rejected", reason=str(error), raw=raw)
    except FieldError as error:
        type_and_id = (given.get(name) if isinstance(given, dict) else None for name in ("type", "id"))
        kind, id = (each if isinstance(each, str) else None for each in type_and_id)
        return Answer(number, "rejected", kind, id, error.field, str(error), raw)


def _known_before(records: Sequence[Record], known: Callable[[Collection[str]], Known]) -> Known:
    """What a space holds of what some records have or name, and of what that names in turn; facts name nothing."""
    asked = {id for record in records for id in (record["id"], *_ids_named(record))}
    before = known(asked)
    beyond = known({id for record in before.records.values() for id in _ids_named(record)} - asked)
    return Known({**before.records, **beyond.records}, {*before.acts, *beyond.acts})


def _name_passes_by_id(records: Sequence[Record], before: Iterable[Record]) -> None:
    """A pass has its instant for an id, and an `undone` may have written that instant in another notation."""
    passes = {record["id"] for record in (*records, *before) if record["type"] == "pass"}
    for record in records:
        if _is_undone(record):
            record["of"] = next((id for id in _as_instants(record["of"]) if id in passes), record["of"])


def _as_instants(id: str) -> Iterator[str]:
    """The id of the pass at an instant, if an id is one."""
    with suppress(ValueError):
        yield instants.to_text(rfc3339.parse(id))


def _ids_named(record: Record) -> Iterator[str]:
    if _is_undone(record):
        yield record["of"]
        yield from _as_instants(record["of"])
    for _, id, _ in () if _is_undone(record) else _named(record):
        yield id


def _judge(
    understood: list[tuple[int, Record]], before: Known, out: Mapping[int, KeptOut]
) -> Iterator[tuple[int, Record, _Verdict]]:
    """Each record with its verdict. What a line names may stand after it, so all ids are gathered first."""
    refusals = {number: _refusal(record, out.get(number)) for number, record in understood}
    standing: dict[str, tuple[int | None, Record]] = {id: (None, record) for id, record in before.records.items()}
    for number, record in understood:
        if not refusals[number]:
            number_there, there = standing.get(record["id"], (number, record))
            if number_there is not None and _precedence(record) < _precedence(there):
                number_there, there = number, record
            standing[record["id"]] = number_there, there
    refused = {record["id"] for number, record in understood if number in out}
    verdict_of = _Verdicts({id: record for id, (_, record) in standing.items()}, before.acts, refused)
    for number, record in understood:
        refusal = refusals[number]
        if refusal:
            yield number, record, refusal
            continue
        number_there, there = standing[record["id"]]
        verdict = verdict_of(there)
        if number != number_there:
            verdict = _again(record, there, number_there, verdict)
        yield number, record, verdict


def _precedence(record: Record) -> tuple[int, int, str]:
    """Of two lines with one id the lower stands, so that the order of a file decides nothing."""
    return record["arrived"], record["at"], _content(record)


def _refusal(record: Record, kept_out: KeptOut | None) -> _Verdict | None:
    """Why a line is not allowed whatever else the file says, or None."""
    kind = record["type"]
    if kept_out:
        return _Verdict("refused", None, kept_out.reason, kept_out)
    if kind == "edge" and record["from"] == record["to"]:
        return _Verdict("refused", "to", f"a fact cannot {record['relation'].removesuffix('s')} itself")
    if _is_undone(record) and record["of"] == record["act"]:
        return _Verdict("refused", "of", "an act cannot undo itself")
    if kind == "constants":
        return _refusal_of_values(record["values"])
    return None


def _refusal_of_values(values: Mapping[str, object]) -> _Verdict | None:
    for name, value in values.items():
        if name in constants.RETIRED and (isinstance(value, bool) or not isinstance(value, int | float)):
            return _Verdict("refused", "values", f"{quoted(name)} must be a number")
        if name not in constants.REGISTRY and name not in constants.RETIRED:
            hint = did_you_mean(name, tuple(constants.REGISTRY))
            return _Verdict("refused", "values", f"{quoted(name)} is not a constant{hint}")
    try:
        constants.changed(constants.Constants(), values)
    except constants.ConstantError as error:
        return _Verdict("refused", "values", str(error))
    return None


class _Verdicts:
    """The verdict of each record: new, waiting for what it names, or refused because that is something else than such
    a line may name. Each is worked out once."""

    def __init__(self, known: Mapping[str, Record], acts: Collection[str], refused: Collection[str]) -> None:
        self.known = known
        self.refused = refused
        self.given: dict[str, _Verdict] = {}
        # What was refused was no part of an act.
        taken = [record for record in known.values() if _is_undone(record) or self(record).status != "refused"]
        passes = {record["id"] for record in taken if record["type"] == "pass"}
        self.acts = {record["act"] for record in taken} | passes | set(acts)

    def __call__(self, record: Record) -> _Verdict:
        if record["id"] not in self.given:
            self.given[record["id"]] = self._judge(record)
        return self.given[record["id"]]

    def _judge(self, record: Record) -> _Verdict:
        if _is_undone(record):
            return _NEW if record["of"] in self.acts else _waiting("of", record["of"])
        for name, id, kind in _named(record):
            target = self.known.get(id)
            if target is None:
                return _waiting(name, id, _NO_HOLD["refused"] if id in self.refused else "is unknown")
            if kind == "statement":
                if not _is_harmful(target):
                    reason = f'"{name}" names {quoted(id)}; only a statement that harms a fact can be ruled on'
                    return _Verdict("refused", name, reason)
            elif target["type"] != kind:
                reason = f'"{name}" names {quoted(id)}, which is of type "{target["type"]}", not "{kind}"'
                return _Verdict("refused", name, reason)
            # Facts name nothing and statements only facts, so this ends after two steps.
            verdict = self(target)
            if verdict.status != "new":
                return _waiting(name, id, _NO_HOLD[verdict.status])
        return _NEW


_NO_HOLD = {"waiting": "waits itself", "refused": "was refused"}


def _waiting(field: str, id: str, why: str = "is unknown") -> _Verdict:
    return _Verdict("waiting", field, f'"{field}" names {quoted(id)}, which {why}')


def _named(record: Record) -> Iterator[tuple[str, str, str]]:
    """What a line builds on: field, id, and what that must be. A link may name entities that never come."""
    if record["type"] == "edge":
        yield "from", record["from"], "fact"
        yield "to", record["to"], "fact"
    elif record["type"] == "case":
        for id in record["facts"]:
            yield "facts", id, "fact"
    elif record.get("of"):
        yield "of", record["of"], _WHAT_AN_EVENT_IS_OF[record["kind"]]
    elif record.get("fact"):
        yield "fact", record["fact"], "fact"


def _is_undone(record: Record) -> bool:
    return bool(record["type"] == "event" and record["kind"] == "undone")


def _is_harmful(statement: Record) -> bool:
    """Whether a line is a harmful statement (section 1), on which alone a person can rule."""
    match statement["type"]:
        case "edge":
            return statement["relation"] in ("updates", "contradicts") and not statement["removed"]
        case "event":
            return statement["kind"] in ("contradicted", "forgotten")
        case "feedback":
            return bool(statement["outcome"] == "corrected")
    return False


def _again(record: Record, original: Record, number: int | None, verdict: _Verdict) -> _Verdict:
    if original.get("erased"):  # then nobody can tell any more whether its texts were these
        kept = {*FREE[original["type"]], "erased", "digest"}
        record = record | {name: value for name, value in original.items() if name in kept}
    if record["type"] == original["type"] == "space" and record["digest_key"] is None:
        record = record | {"digest_key": original["digest_key"]}  # a file need not say it
    if _content(record) != _content(original):
        where = "in the space" if number is None else f"on line {number}"
        return _Verdict("refused", "id", f"{quoted(record['id'])} stands {where} with other content")
    return verdict if verdict.status == "refused" else _KNOWN


def _content(record: Record) -> str:
    """All that a line says; when it came in is no part of that. As text, since to Python `True == 1`."""
    return json.dumps(record | {"arrived": None}, sort_keys=True, default=repr)


def keep(record: Record, number: int, reading: Reading) -> None:
    """Puts a record that is new or waiting into the reading, and what the core is to get of it."""
    reading.records[record["id"]] = record
    if record["type"] == "pass":
        reading.passes.append(Pass(record["at"], record["act"]))
    elif record["type"] in _CORE_LINES:
        reading.lines.append(_core_line(record))
    if record["type"] == "constants":
        for name in sorted(constants.RETIRED.intersection(record["values"])):
            reading.notices.append(f'line {number}: the constant "{name}" is retired, its value was ignored')


def _core_line(record: Record) -> Line:
    make, attributes = _CORE_LINES[record["type"]]
    return make(**{attribute: record[name] for attribute, name in attributes.items()})


def _attributes(make: type[Line]) -> dict[str, str]:
    """Attribute of a core line -> field of the file."""
    renamed = {"newer": "from", "older": "to"}
    return {
        each.name: renamed.get(each.name, each.name) for each in fields(make) if each.name not in _FOUND_OUT_ELSEWHERE
    }


#: Whether a signature verifies, and which import brought a line, is not for the file to say.
_FOUND_OUT_ELSEWHERE = ("signature", "imported")
_WHAT_AN_EVENT_IS_OF = {"revoked": "key", "lifted": "tombstone", "closed": "case"} | dict.fromkeys(
    vocabulary.RULINGS, "statement"
)
_CORE_LINES: dict[str, tuple[type[Line], dict[str, str]]] = {
    kind: (make, _attributes(make))
    for kind, make in {
        "fact": Fact,
        "edge": Edge,
        "event": Event,
        "feedback": Feedback,
        "constants": ConstantsChange,
    }.items()
}
