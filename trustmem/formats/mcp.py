"""MCP memory files: the knowledge graphs that agents keep, read as facts, entities and links.

What is observed of an entity is a fact about it. A file is JSON Lines or one JSON object of two arrays; neither has
ids, so that they are made here: digests of what a thing says, the same wherever and whenever it is read.
"""

import hashlib
import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from trustmem.core import instants
from trustmem.formats import fields, rfc3339, strict_json
from trustmem.formats.fields import FieldError, Parser
from trustmem.formats.interchange import Answer, Reading, keep
from trustmem.formats.interchange_types import Record, parse_record
from trustmem.formats.mcp_elements import CUT_TAIL, Element, elements
from trustmem.formats.strict_json import quoted

# What tools call the same thing.
_TYPE = ("type", "_type")
_NAME = ("name", "entityName", "id")
_KIND = ("entityType", "entity_type")
_OBSERVATIONS = ("observations", "facts")
_TEXT = ("text", "content")
_TIME = ("timestamp", "createdAt", "created_at")
_FROM = ("from", "from_id", "source")
_TO = ("to", "to_id", "target")
_RELATION = ("relationType", "relation_type")

#: The first line of some files: it only says what they are.
_MARKER = "_aim"
_WRITTEN_AS = {"entity": "entity", "relation": "link"}


class _Told(NamedTuple):
    """Who tells what is in a file, when it is taken in, and what is to be said of it beside the answers."""

    source: str
    now: int
    asides: Counter[str]


def read(raw_lines: Iterable[bytes], source: str = "unknown", *, now: int) -> Reading:
    """The reading of a file given as lines of bytes, told by `source` and taken in at `now`.

    A record is an entity, an observation, a relation, or a line (in a document: an element of an array) that is none
    of these. Each has an answer, with the number of the line it begins on; the answers add up to the records. Nothing
    waits: a link may name entities that never come. Blank lines and marker lines are no records.

    Identity is the id alone: what was told once is known, whatever its time, kind or other fields. A time that is not
    told is `now`, and of a fact unknown. When an entity was created says nothing about its observations: tools add
    to it later and leave that time as it is. Raises FieldError for a `source` that can be none.

    >>> line = b'{"type": "entity", "name": "Ada", "entityType": "person", "observations": ["Likes tea.", ""]}'
    >>> reading = read([line], "notes", now=0)
    >>> [(answer.type, answer.status) for answer in reading.answers]
    [('entity', 'new'), ('fact', 'new'), ('fact', 'rejected')]
    >>> print(reading.answers[2])
    line 1: "observations.1" is empty
    """
    reading = Reading()
    told = _Told(_take({"source": source}, ("source",), fields.identifier), now, Counter())
    for element in elements(raw_lines):
        for found in _read_element(element, told):
            answer = found if isinstance(found, Answer) else _judge(found, element.number, reading, told)
            reading.answers.append(answer)
    reading.notices.extend(_notices(reading, told))
    return reading


def restatement(fact: Record, known_source: str) -> Record | None:
    """What a fact comes to where a fact with its id is known from `known_source`: said again by another source, it is
    a `restated` event, whose id is the same however often that source says it; else None, nothing new.
    """
    if fact["source"] == known_source:
        return None
    return parse_record(
        {
            "type": "event",
            "id": _id("restated", fact["id"], fact["source"]),
            "kind": "restated",
            "fact": fact["id"],
            "source": fact["source"],
            "at": instants.to_text(fact["at"]),
        }
    )


def kind_of(given: Any) -> str | None:
    """Whether a line of a file is an "entity", a "relation" or a marker, as far as it says so; None: none of these."""
    if not isinstance(given, dict):
        return None
    named = next((given[name] for name in _TYPE if name in given), None)
    if named is not None:
        return named if named in ("entity", "relation", _MARKER) else None
    if any(name in given for name in _RELATION):
        return "relation"
    is_entity = any(name in given for name in _KIND) or ("name" in given and "observations" in given)
    return "entity" if is_entity else None


def _read_element(element: Element, told: _Told) -> list[Record | Answer]:
    kind = element.kind
    try:
        if kind == CUT_TAIL:
            raise ValueError("ends inside a value")
        given = strict_json.loads(element.raw, unsafe_strings=True)
        kind = kind or kind_of(given)
        if kind == _MARKER:
            return []
        if kind not in _WRITTEN_AS or not isinstance(given, dict):
            raise ValueError("is neither an entity nor a relation")
        strict_json.refuse_unsafe_strings({name: given[name] for name in given if name not in _OBSERVATIONS})
        return _entity(given, element, told) if kind == "entity" else [_link(given, told)]
    except ValueError as error:
        return [_rejected(element, _WRITTEN_AS.get(kind or ""), None, error, element.raw)]


def _rejected(element: Element, type: str | None, field: str | None, error: ValueError, raw: bytes) -> Answer:
    inner, reason = (error.field, error.reason) if isinstance(error, FieldError) else (None, str(error))
    path = ".".join(filter(None, (element.path, field, inner))) or None
    return Answer(element.number, "rejected", type, None, path, str(FieldError(reason, path)), raw)


def _entity(given: dict[str, Any], element: Element, told: _Told) -> list[Record | Answer]:
    """An entity, then its observations; one that is wrong is rejected alone."""
    name = _take(given, _NAME, fields.identifier)
    kind = _take(given, _KIND, fields.text, None)
    at = _take_time(given, told, told.now)
    observations = [
        (f"{field}.{place}", value)
        for field in _OBSERVATIONS
        for place, value in enumerate(_take(given, (field,), _list, []))
    ]
    _note_unread(given, "an entity", told)
    entity = {"type": "entity", "id": _id("entity", name), "name": name, "at": instants.to_text(at)}
    record = parse_record(entity if kind is None else entity | {"kind": kind})
    return [record, *(_observation(value, name, field, element, told) for field, value in observations)]


def _observation(value: Any, name: str, field: str, element: Element, told: _Told) -> Record | Answer:
    try:
        strict_json.refuse_unsafe_strings(value)
        return _fact(value, name, told)
    except ValueError as error:
        # Half a surrogate pair has no bytes; the escape that it came as has.
        raw = json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")
        return _rejected(element, "fact", field, error, raw)


def _fact(value: Any, name: str, told: _Told) -> Record:
    """An observation is a text, or an object with a text and what else is known of it."""
    unread = dict(value) if isinstance(value, dict) else {}
    text = _take(unread, _TEXT, _words) if isinstance(value, dict) else _words(value)
    at = _take_time(unread, told, None)
    fact = {
        "type": "fact",
        "id": _id("fact", name, text),
        "text": text,
        "at": instants.to_text(told.now if at is None else at),
        "at_known": at is not None,
        "source": told.source,
        "scope": "global",
        "subject": name,
        "entities": [name],
    }
    return parse_record(fact | ({"meta": unread} if unread else {}))


def _link(given: dict[str, Any], told: _Told) -> Record:
    names = [_take(given, end, fields.identifier) for end in (_FROM, _TO)]
    relation = _take(given, _RELATION, fields.text)
    at = instants.to_text(_take_time(given, told, told.now))
    _note_unread(given, "a relation", told)
    return parse_record(
        {
            "type": "link",
            "id": _id("link", *names, relation),
            "from": _id("entity", names[0]),
            "to": _id("entity", names[1]),
            "relation": relation,
            "from_name": names[0],
            "to_name": names[1],
            "at": at,
            "source": told.source,
        }
    )


_REQUIRED = object()


def _take(given: dict[str, Any], names: tuple[str, ...], parse: Parser, default: Any = _REQUIRED) -> Any:
    """Takes the first of these fields out of `given` that holds something: an empty one hides no full one."""
    for name in names:
        value = given.pop(name, None)
        if value is not None and value != "":
            try:
                return parse(value)
            except ValueError as error:
                raise FieldError(str(error), name) from None
    if default is _REQUIRED:
        raise FieldError("is missing or empty", names[0])
    return default


def _take_time(given: dict[str, Any], told: _Told, default: Any) -> Any:
    def parse(value: Any) -> int:
        try:
            instant = rfc3339.parse(f"{value}Z")
        except ValueError:
            return fields.instant(value)
        told.asides["a time without a UTC offset was read as UTC"] += 1
        return instant

    return _take(given, _TIME, parse, default)


def _words(value: Any) -> str:
    if isinstance(value, str) and not value.strip():
        raise ValueError("is empty")
    return fields.text(value)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("must be a list")
    return value


def _note_unread(given: dict[str, Any], what: str, told: _Told) -> None:
    for name in given:
        if name not in _TYPE:
            told.asides[f"{quoted(name)} of {what} has no place here and was left out"] += 1


def _judge(record: Record, number: int, reading: Reading, told: _Told) -> Answer:
    known = reading.records.get(record["id"])
    if known is None:
        keep(record, number, reading)
    elif record["type"] == "entity" and record["kind"] not in (None, known["kind"]):
        told.asides[f"{quoted(record['name'])} is told again as another kind of entity; the first holds"] += 1
    return Answer(number, "known" if known else "new", record["type"], record["id"])


def _notices(reading: Reading, told: _Told) -> Iterator[str]:
    for sentence, count in told.asides.items():
        yield f"{sentence} ({count} times)" if count > 1 else sentence
    links = [record for record in reading.records.values() if record["type"] == "link"]
    named = {link[end]: link[f"{end}_name"] for link in links for end in ("from", "to")}
    absent = [name for id, name in named.items() if id not in reading.records]
    if absent:
        are = "entity that a relation names is" if len(absent) == 1 else "entities that relations name are"
        yield f"{len(absent)} {are} not in this file, such as {quoted(absent[0])}"


def _id(*parts: str) -> str:
    """An id for what `parts` say, the same in either Unicode form. No part holds NUL, so none runs into the next."""
    said = "\0".join(unicodedata.normalize("NFC", part) for part in parts)
    return "mcp-" + hashlib.sha256(said.encode()).hexdigest()[:24]
