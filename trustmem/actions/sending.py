"""Sending: an agent brings many lines at once, as an import in the name of its token's source.

What it says of facts comes in; what nobody certifies for themselves is refused, line by line, before the importer sees
it. What an agent sends has arrived when it is sent, whenever it happened.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from trustmem.actions import imports, signatures
from trustmem.actions.agents import AHEAD
from trustmem.actions.agents import SAYS as AS_SAID
from trustmem.actions.signatures import Ring
from trustmem.actions.speakers import Speaker
from trustmem.core import vocabulary
from trustmem.core.instants import to_text
from trustmem.formats import strict_json
from trustmem.formats.fields import FieldError
from trustmem.formats.interchange import Answer
from trustmem.formats.interchange_types import FIELDS, Record, parse_record
from trustmem.formats.strict_json import StrictJSONError, quoted
from trustmem.store.models import Space

#: So much an agent sends at once, in bytes and in lines: what is worked through while it waits.
MOST_BYTES, MOST_LINES = 16 << 20, 20_000
#: What an agent may say, by the type of line; `by` and `source` are the token's.
SAYS: Mapping[str, frozenset[str]] = {
    "fact": frozenset((*AS_SAID, "at_known", "run", "source", "signature")),
    "edge": frozenset(("from", "to", "relation", "run", "by", "note", "signature")),
    "event": frozenset(("kind", "fact", "run", "source", "note")),
    "feedback": frozenset(("fact", "outcome", "confirmed", "signals", "run", "source", "note")),
}
#: The events that an agent may tell of.
EVENTS = ("restated", "corroborated", "contradicted", "recalled", "injected")
_OF_EVERY_LINE = ("type", "id", "at")


def send(speaker: Speaker, raw_lines: Sequence[bytes], *, now: int) -> list[Answer]:
    """Take in the lines of an agent; an answer for each that is not blank, in their order."""
    answers, own, ring = list[Answer](), [b""] * len(raw_lines), signatures.ring(speaker.space)
    for place, raw in enumerate(raw_lines):
        content = raw.removeprefix(strict_json.BOM) if place == 0 else raw
        if content.strip():
            judged = _judged(speaker, ring, place + 1, content, now)
            if isinstance(judged, Answer):
                answers.append(judged)
            else:
                own[place] = judged
    if any(own):
        # The answers have the numbers of the lines, and a line left blank is none.
        who, file = speaker.source, f"sent by {speaker.source}"
        taken = imports.import_lines(
            speaker.space, own, file=file, source=who, by=who, format="interchange", arriving=now, now=now
        )
        answers += taken.answers
    return sorted(answers, key=lambda answer: answer.number)


def _judged(speaker: Speaker, ring: Ring, number: int, content: bytes, now: int) -> Answer | bytes:
    """The line that the importer is to take in, or why an agent may not send it."""
    given: Any = None
    try:
        given = strict_json.loads(content)
        field, reason = _uncertified(given, speaker.source)
        if not reason:
            given = _as_theirs(given, speaker.source)
            field, reason = _unfit(speaker.space, ring, parse_record(given), now)
    except StrictJSONError as error:
        return Answer(number, "rejected", reason=str(error))
    except FieldError as error:
        return Answer(number, "rejected", *_named(given), error.field, str(error))
    if reason:
        return Answer(number, "refused", *_named(given), field, f"{quoted(field)} {reason}")
    return json.dumps(given, ensure_ascii=False).encode()


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


def _unfit(space: Space, ring: Ring, record: Record, now: int) -> tuple[str, str]:
    if record["at"] > now + AHEAD:
        return "at", f"is ahead of now, {to_text(now)}, by more than a minute"
    if record.get("signature"):
        return "signature", signatures.why_not(ring, space.name, record, arrives=now)
    return "", ""
