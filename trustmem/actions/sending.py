"""Sending: an agent brings many lines at once, as an import in the name of its token's source.

What it says of facts comes in; what nobody certifies for themselves is refused, line by line, before the importer sees
it. What an agent sends has arrived when it is sent, whenever it happened.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Min

from trustmem.actions import imports, serving, signatures, speakers
from trustmem.actions.agents import AHEAD, EVENTS
from trustmem.actions.agents import SAYS as AS_SAID
from trustmem.actions.signatures import Ring
from trustmem.actions.speakers import Speaker
from trustmem.core import vocabulary
from trustmem.core.columns import CODE
from trustmem.core.instants import to_text, unnamed_run
from trustmem.formats import strict_json
from trustmem.formats.fields import FieldError
from trustmem.formats.interchange import Answer
from trustmem.formats.interchange_types import FIELDS, Record, parse_record
from trustmem.formats.strict_json import StrictJSONError, quoted
from trustmem.store import bulk
from trustmem.store.models import Space, Statement

#: So much an agent sends at once, in bytes and in lines: what is worked through while it waits.
MOST_BYTES, MOST_LINES = 16 << 20, 20_000
#: What an agent may say, by the type of line; `by` and `source` are the token's.
SAYS: Mapping[str, frozenset[str]] = {
    "fact": frozenset((*AS_SAID, "at_known", "run", "source", "signature")),
    "edge": frozenset(("from", "to", "relation", "run", "by", "note", "signature")),
    "event": frozenset(("kind", "fact", "run", "source", "note")),
    "feedback": frozenset(("fact", "outcome", "confirmed", "signals", "run", "source", "note")),
}
_OF_EVERY_LINE = ("type", "id", "at")


def send(speaker: Speaker, raw_lines: Sequence[bytes], *, now: int) -> list[Answer]:
    """Take in the lines of an agent; an answer for each that is not blank, in their order."""
    answers, own, ring = list[Answer](), dict[int, _Line](), signatures.ring(speaker.space)
    for number, raw in enumerate(raw_lines, start=1):
        content = raw.removeprefix(strict_json.BOM) if number == 1 else raw
        if content.strip():
            judged = _judged(speaker, ring, number, content, now)
            if isinstance(judged, Answer):
                answers.append(judged)
            else:
                own[number] = judged
    for number, (field, reason) in _made_to_look_older(speaker, own, now).items():
        answers.append(_refused(number, own.pop(number).given, field, reason))
    if own:
        # The answers have the numbers of the lines, and a line left blank is none.
        raw_lines = [own[number].raw if number in own else b"" for number in range(1, len(raw_lines) + 1)]
        who, file = speaker.source, f"sent by {speaker.source}"
        taken = imports.import_lines(
            speaker.space, raw_lines, file=file, source=who, by=who, format="interchange", arriving=now, now=now
        )
        answers += taken.answers
    return sorted(answers, key=lambda answer: answer.number)


class _Line(NamedTuple):
    """A line that an agent may send: as JSON, and what it says."""

    given: dict[str, Any]
    record: Record

    @property
    def raw(self) -> bytes:
        return json.dumps(self.given, ensure_ascii=False).encode()


def _judged(speaker: Speaker, ring: Ring, number: int, content: bytes, now: int) -> Answer | _Line:
    """The line that the importer is to take in, or why an agent may not send it."""
    given: Any = None
    try:
        given = strict_json.loads(content)
        field, reason = _uncertified(given, speaker.source)
        if not reason:
            given = _as_theirs(given, speaker.source)
            record = parse_record(given)
            field, reason = _unfit(speaker, ring, record, now)
    except StrictJSONError as error:
        return Answer(number, "rejected", reason=str(error))
    except FieldError as error:
        return Answer(number, "rejected", *_named(given), error.field, str(error))
    return _refused(number, given, field, reason) if reason else _Line(given, record)


def _refused(number: int, given: Any, field: str, reason: str) -> Answer:
    return Answer(number, "refused", *_named(given), field, f"{quoted(field)} {reason}")


def _as_theirs(given: Any, source: str) -> Any:
    """A line of an agent, with who says it."""
    if not isinstance(given, dict) or given.get("type") not in list(SAYS):
        return given
    return given | {"by" if given["type"] == "edge" else "source": source}


def _named(given: Any) -> tuple[str | None, str | None]:
    """Type and id of what may be a line."""
    kind, id = (given.get(name) if isinstance(given, dict) else None for name in ("type", "id"))
    return kind if isinstance(kind, str) else None, id if isinstance(id, str) else None


def _uncertified(given: Any, source: str) -> tuple[str, str]:
    """What of a line is not an agent's to say: the field, and why; ('', '') where there is nothing of that kind."""
    kind = given.get("type") if isinstance(given, dict) else None
    if not isinstance(kind, str) or kind not in FIELDS:
        return "", ""  # which is for the reader of lines to say
    if kind not in SAYS:
        return "type", f"cannot be {quoted(kind)}: agents send {', '.join(SAYS)}"
    event = given.get("kind") if kind == "event" else None
    if isinstance(event, str) and event in _WORDS and event not in EVENTS:
        return "kind", f"cannot be {quoted(event)}: that is for people to say; agents tell of {', '.join(EVENTS)}"
    for name in given:
        if name in FIELDS[kind] and name not in SAYS[kind] and name not in _OF_EVERY_LINE:
            return name, "is not an agent's to say"
        if name in ("source", "by") and given[name] != source:
            return name, f"is that of the token, {quoted(source)}"
    return "", ""


#: All kinds of events that there are.
_WORDS = frozenset((*vocabulary.FACT_EVENTS, *vocabulary.OF_EVENTS))


def _unfit(speaker: Speaker, ring: Ring, record: Record, now: int) -> tuple[str, str]:
    if record["at"] > now + AHEAD:
        return "at", f"is ahead of now, {to_text(now)}, by more than a minute"
    why = speakers.why_not(record["run"], speaker.source) if record.get("run") else ""
    if why:
        return "run", why
    if record.get("signature"):
        return "signature", signatures.why_not(ring, speaker.space.name, record, arrives=now)
    return "", ""


def _made_to_look_older(speaker: Speaker, own: Mapping[int, _Line], now: int) -> dict[int, tuple[str, str]]:
    """Of lines by number, those that would count for more, or make others count for less, since they are dated back or
    told of others, with field and reason: what speaks against a fact as of before a person accepted it would be in
    force; what another was handed out would make an echo of what they said; and what was said again as of before it
    was handed out would be none."""
    found = dict[int, tuple[str, str]]()
    accepted = _accepted(speaker.space, {name for line in own.values() for name in _harmed(line.record)})
    again = {line.record["fact"] for line in own.values() if line.record.get("kind") == "restated"}
    if again:
        serving.put_on_record(speaker.space, now=now)  # or what was just handed out would look unseen
    handed = _handed_out(speaker.space, again)
    others = _runs_of_others(speaker, {_run(line.record) for line in own.values()} - {""})
    for number, line in own.items():
        since = [accepted[name] for name in _harmed(line.record) if name in accepted]
        if since and line.record["at"] < max(since):
            found[number] = "at", f"is before a person accepted what it speaks against, at {to_text(max(since))}"
        elif _run(line.record) in others:
            found[number] = "run", "is a run of somebody else, of which only they can say what was handed out"
        elif _is_dated_before(handed, speaker.source, line.record):
            found[number] = "at", "is before this fact was handed out in that run"
    return found


def _harmed(record: Record) -> Sequence[str]:
    """The facts that a line speaks against (section 1, *Harmful statements*)."""
    match record:
        case {"type": "edge", "relation": "updates"}:
            return (record["to"],)
        case {"type": "edge", "relation": "contradicts"}:
            return record["from"], record["to"]
        case {"type": "event", "kind": "contradicted"} | {"type": "feedback", "outcome": "corrected"}:
            return (record["fact"],)
    return ()


def _run(record: Record) -> str:
    """The run in which a line says that a fact was handed out ('': it does not say so, or names none)."""
    return record["run"] or "" if record.get("kind") in (serving.RECALLED, serving.INJECTED) else ""


def _is_dated_before(handed: Mapping[tuple[str, str], int], source: str, record: Record) -> bool:
    """Whether a line says a fact again as of before that was handed out in its run."""
    if record.get("kind") != "restated":
        return False
    run = record["run"] or unnamed_run(source, record["at"])
    return bool(record["at"] < handed.get((record["fact"], run), record["at"]))


def _handed_out(space: Space, names: Collection[str]) -> dict[tuple[str, str], int]:
    """When some facts were handed out for the first time, by fact and run."""
    found = dict[tuple[str, str], int]()
    for chunk in bulk.chunks(sorted(names)):
        kinds = [CODE[serving.RECALLED], CODE[serving.INJECTED]]
        said = Statement.objects.filter(space=space, fact__name__in=chunk, kind__in=kinds)
        for name, run, at in said.values_list("fact__name", "run").annotate(first=Min("at")):
            found[name, run] = at
    return found


def _accepted(space: Space, names: Collection[str]) -> dict[str, int]:
    """Since when a person stands behind each of these facts."""
    found = dict[str, int]()
    for chunk in bulk.chunks(sorted(names)):
        said = Statement.objects.filter(space=space, fact__name__in=chunk, kind=CODE["accepted"])
        found |= said.values_list("fact__name").annotate(since=Min("at"))
    return found


def _runs_of_others(speaker: Speaker, runs: Collection[str]) -> set[str]:
    """Which of these runs somebody else has spoken in."""
    found = set[str]()
    for chunk in bulk.chunks(sorted(runs)):
        said = Statement.objects.filter(space=speaker.space, run__in=chunk).exclude(source=speaker.source)
        found |= set(said.values_list("run", flat=True))
    return found
