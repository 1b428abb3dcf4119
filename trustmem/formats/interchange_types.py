"""What a line of an interchange file may hold: the types, their fields, and what goes with what.

A record is a line that was understood: every field of its type, with instants as microseconds.
"""

import base64
from typing import Any

from trustmem.core import instants, vocabulary
from trustmem.core.lines import Baseline
from trustmem.formats.fields import (
    FieldError,
    Fields,
    boolean,
    encoded,
    free_object,
    identifier,
    instant,
    list_of,
    maybe_empty,
    nested,
    number,
    optional,
    parse_object,
    required,
    text,
    whole,
    word,
)
from trustmem.formats.public_keys import check_key

Record = dict[str, Any]

_COUNT = whole(0, 1_000_000_000)
_TIER = word(("auto", "human"))  # "signed" is nothing that a file can say of itself: a signature shows it

_BASELINE: Fields = {
    "evidence": optional(_COUNT),
    "contradictions": optional(_COUNT),
    "uses": optional(_COUNT),
    "reinforcements": optional(_COUNT),
    "first_seen": optional(instant),
}
_SIGNATURE: Fields = {
    "key": required(identifier),
    "claim": required(encoded()),
    "value": required(encoded(64)),
}
_SIGNALS: Fields = {channel: optional(number(0, 1)) for channel in vocabulary.CHANNELS}


def public_key(value: Any) -> str:
    """A public key in base64, which may sign."""
    given: str = encoded(32)(value)
    check_key(base64.b64decode(given))
    return given


_OF_EVERY_LINE: Fields = {
    "at": required(instant),
    "arrived": optional(instant),
    "act": optional(identifier),
}
_TABLE: dict[str, Fields] = {
    "space": {
        "id": required(identifier),
        "name": optional(maybe_empty),
        "digest_key": optional(text),
    },
    "constants": {
        "id": required(identifier),
        "version": required(whole(1, 1_000_000_000)),
        "values": required(free_object),
        "author": optional(identifier),
        "reason": optional(maybe_empty),
    },
    "key": {
        "id": required(identifier),
        "source": required(identifier),
        "public": required(public_key),
        "valid_to": optional(instant),
    },
    "entity": {
        "id": required(identifier),
        "name": required(text),
        "kind": optional(maybe_empty),
    },
    "fact": {
        "id": required(identifier),
        "text": optional(text),  # required by _check_fact, unless it was erased
        "at_known": optional(boolean, True),
        "source": optional(identifier, "unknown"),
        "run": optional(identifier),
        "producer": optional(word(vocabulary.PRODUCERS), "unknown"),
        "core": optional(boolean, False),
        "scope": optional(word(vocabulary.SCOPES), "session"),
        "tier": optional(_TIER, "auto"),
        "subject": optional(maybe_empty),
        "predicate": optional(maybe_empty),
        "object": optional(maybe_empty),
        "entities": optional(list_of(identifier), ()),
        "valid_from": optional(instant),
        "valid_to": optional(instant),
        "prior": optional(number(-1, 2)),
        "weight": optional(number(0, 1)),
        "baseline": optional(nested(_BASELINE, "a baseline", Baseline), Baseline()),
        "signature": optional(nested(_SIGNATURE, "a signature")),
        "tags": optional(list_of(text), ()),
        "meta": optional(free_object),
        "erased": optional(boolean, False),
        "digest": optional(identifier),
    },
    "link": {
        "id": required(identifier),
        "from": required(identifier),
        "to": required(identifier),
        "relation": required(text),
        "from_name": optional(text),
        "to_name": optional(text),
        "source": optional(identifier),
    },
    "edge": {
        "id": required(identifier),
        "from": required(identifier),
        "to": required(identifier),
        "relation": required(word(vocabulary.RELATIONS)),
        "run": optional(identifier),
        "by": optional(identifier),
        "tier": optional(_TIER, "auto"),
        "signature": optional(nested(_SIGNATURE, "a signature")),
        "removed": optional(boolean, False),
        "note": optional(maybe_empty),
    },
    "event": {
        "id": required(identifier),
        "kind": required(word((*vocabulary.FACT_EVENTS, *vocabulary.OF_EVENTS))),
        "fact": optional(identifier),
        "of": optional(identifier),
        "run": optional(identifier),
        "source": optional(identifier),
        "tier": optional(_TIER, "auto"),
        "reason": optional(maybe_empty),
        "verdict": optional(maybe_empty),
        "note": optional(maybe_empty),
    },
    "feedback": {
        "id": required(identifier),
        "fact": required(identifier),
        "outcome": required(word(vocabulary.OUTCOMES)),
        "run": optional(identifier),
        "source": optional(identifier),
        "tier": optional(_TIER, "auto"),
        "confirmed": optional(boolean, False),
        "signals": optional(nested(_SIGNALS, "the channels"), {}),
        "note": optional(maybe_empty),
    },
    "tombstone": {
        "id": required(identifier),
        "digest": required(identifier),
        "by": optional(identifier),
        "reason": optional(maybe_empty),
    },
    "case": {
        "id": required(identifier),
        "kind": required(text),
        "facts": required(list_of(identifier)),
        "factors": optional(free_object),
        "constants_version": optional(whole(1, 1_000_000_000)),
    },
    "pass": {},
}
_TYPE: Fields = {"type": required(word(tuple(_TABLE)))}
FIELDS = {kind: {**_TYPE, **_OF_EVERY_LINE, **fields} for kind, fields in _TABLE.items()}
DEFAULTS = {kind: {name: field.default for name, field in fields.items()} for kind, fields in FIELDS.items()}

#: The field by which records of a type are told apart; the tag of a line has it after the type.
KINDS = {"event": "kind", "edge": "relation", "feedback": "outcome"}

#: What is free content: all that people and agents, or whoever wrote the file, fill as they like. It is the text of a
#: line, and can be erased. No free content, and so kept for good, are names (ids, and those of sources, runs, authors
#: and keys), words of a fixed list, numbers, instants, keys and digests. A signature is free for the claim in it.
FREE: dict[str, tuple[str, ...]] = {
    "space": ("name",),
    "constants": ("reason",),
    "key": (),
    "entity": ("name", "kind"),
    "fact": ("text", "subject", "predicate", "object", "entities", "tags", "meta", "signature"),
    "link": ("relation", "from_name", "to_name"),
    "edge": ("signature", "note"),
    "event": ("reason", "verdict", "note"),
    "feedback": ("note",),
    "tombstone": ("reason",),
    "case": ("kind", "factors"),
    "pass": (),
}
_REASONS_TO_REVOKE = ("lost", "compromised")
#: Which kinds of event a field belongs to, where it does not belong to all.
_KINDS_WITH = {
    "fact": vocabulary.FACT_EVENTS,
    "of": vocabulary.OF_EVENTS,
    "reason": ("revoked", "closed"),
    "verdict": ("closed",),
}


def parse_record(given: Any) -> Record:
    """The record that a JSON value stands for. Raises FieldError.

    >>> parse_record({"type": "pass", "at": "1970-01-02T00:00:00Z"})["id"]
    '1970-01-02T00:00:00Z'
    """
    if not isinstance(given, dict):
        raise FieldError("is not an object")
    if "type" not in given:
        raise FieldError(f"is missing; it is one of {', '.join(_TABLE)}", "type")
    kind: str = parse_object({name: given[name] for name in _TYPE if name in given}, _TYPE, "a line")["type"]
    article = "an" if kind[0] in "aeiou" else "a"
    record: Record = DEFAULTS[kind] | parse_object(given, FIELDS[kind], f"{article} {kind} line")
    if record["arrived"] is None:
        record["arrived"] = record["at"]
    if kind == "fact":
        _check_fact(record)
    elif kind == "event":
        _check_event(record)
    elif kind == "pass":
        record["id"] = instants.to_text(record["at"])
    return record


def _check_fact(fact: Record) -> None:
    if not fact["erased"]:
        _ask(fact["text"] is not None, "text", "is missing")
        _ask(fact["digest"] is None, "digest", "stands only in an erased fact")
        return
    _ask(fact["digest"] is not None, "digest", "is missing")
    for name in FREE["fact"]:
        _ask(not fact[name], name, "cannot stand in an erased fact")


def _check_event(event: Record) -> None:
    kind = event["kind"]
    for name, kinds in _KINDS_WITH.items():
        _ask(event[name] is None or kind in kinds, name, f'does not go with "{kind}"')
    named = "fact" if kind in vocabulary.FACT_EVENTS else "of"
    _ask(event[named] is not None, named, "is missing")
    if kind == "revoked":
        _ask(event["reason"] is not None, "reason", "is missing")
        _ask(event["reason"] in _REASONS_TO_REVOKE, "reason", "must be lost or compromised")
    if kind == "accepted" and event["source"] is None:
        event["source"] = "person"


def _ask(holds: bool, field: str, otherwise: str) -> None:
    if not holds:
        raise FieldError(otherwise, field)
