"""The chain of lines: written here and nowhere else, and verified.

Each line's digest is SHA-256 over that of the line before it and the canonical JSON of all its other columns, so that
no line can be changed, moved or taken out unseen. Of its text a line holds only the keyed digest, so that the text
can be erased and the chain still holds.
"""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F, Model, Q
from django.db.transaction import TransactionManagementError

from trustmem.store import bulk
from trustmem.store.models import Line, Space, Text
from trustmem.store.models.spaces import FIRST

#: The columns that the digest of a line is over, beside the name of its space.
CONTENT = ("position", "name", "tag", "act", "imported", "at", "arrived", "body", "text_digest")
_LINE_COLUMNS = (*CONTENT, "previous", "digest")
_TEXT_COLUMNS = ("space_id", "position", "body")
#: How many lines are held in memory at a time.
_CHUNK = 1000

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line to be: `body` is what is no free text, `text` what is (None: it has none)."""

    name: str
    tag: str
    at: int
    arrived: int
    body: Mapping[str, Any]
    text: Mapping[str, Any] | None = None
    act: str = ""
    imported: str = ""


class Finding(NamedTuple):
    """Something that is wrong with a chain, and at which position."""

    position: int
    what: str


def canonical(value: Any) -> str:
    """Canonical JSON: sorted keys, no spaces, characters as they are.

    >>> canonical({"b": 1, "a": ["é", 0.5]})
    '{"a":["é",0.5],"b":1}'
    """
    return _encode.encode(value)


def text_digest(key: str, text: str) -> str:
    """The keyed digest of a text: HMAC-SHA256 under the space's digest key (hex)."""
    return hmac.digest(bytes.fromhex(key), _bytes(text), "sha256").hex()


def line_digest(space: str, content: Mapping[str, Any], previous: str) -> str:
    """The digest of a line: SHA-256 over the one before it and canonical JSON of its columns and its space's name."""
    return hashlib.sha256(_bytes(previous + canonical({**content, "space": space}))).hexdigest()


def lock(space: Space) -> None:
    """Hold the chain of a space until the transaction ends, and bring `space` up to date with its head."""
    if not connection.in_atomic_block:
        raise TransactionManagementError("a chain is locked only within a transaction")
    # On SQLite the transaction is the only writer as it is.
    space.refresh_from_db(from_queryset=Space.objects.select_for_update(no_key=True))


def append(space: Space, entries: Iterable[Entry]) -> None:
    """Add lines to the end of the chain, all or none; within a transaction.

    Raises IntegrityError for a name that the space has already.
    """
    lock(space)
    position, previous = space.head_position, space.head_digest
    for chunk in bulk.chunks(entries, _CHUNK):
        lines, texts = [], []
        for entry in chunk:
            position += 1
            content, text = _content(space, position, entry)
            digest = line_digest(space.name, content, previous)
            lines.append((space.pk, *content.values(), previous, digest))
            if text is not None:
                texts.append((space.pk, position, text))
            previous = digest
            space.arrived_to = max(space.arrived_to, entry.arrived)
            if not entry.imported or entry.tag == "import":  # the others arrived when their file says
                space.written_at = max(space.written_at, entry.arrived)
        bulk.insert(Line, ("space_id", *_LINE_COLUMNS), lines)
        bulk.insert(Text, _TEXT_COLUMNS, texts)
    space.head_position, space.head_digest = position, previous
    space.save(update_fields=["head_position", "head_digest", "arrived_to", "written_at"])


def _content(space: Space, position: int, entry: Entry) -> tuple[dict[str, Any], str | None]:
    """The columns of a line that its digest is over, in the order of CONTENT; and its text."""
    text = None if entry.text is None else canonical(entry.text)
    content = {
        "position": position,
        "name": entry.name,
        "tag": entry.tag,
        "act": entry.act,
        "imported": entry.imported,
        "at": entry.at,
        "arrived": entry.arrived,
        "body": canonical(entry.body),
        "text_digest": "" if text is None else text_digest(space.digest_key, text),
    }
    return content, text


def erase_texts(space: Space, positions: Iterable[int]) -> None:
    """Empty the texts of lines; their chain still holds."""
    for chunk in bulk.chunks(positions, _CHUNK):
        Text.objects.filter(space=space, position__in=chunk).update(body="")


def verify(space: Space, watch: Callable[[int], None] = lambda position: None) -> list[Finding]:
    """What is wrong with the chain of a space, by position; nothing, if every line is as it was written, up to the
    head, with which `space` is brought up to date.

    Each query sees one state of the database, so that it may run while lines are added. `watch` is told how far it is.
    """
    with _whatever_the_bytes():
        space.refresh_from_db()
        return sorted({*_along(space, watch), *_beside(space)})


def _along(space: Space, watch: Callable[[int], None]) -> Iterator[Finding]:
    """From the first line to the head."""
    expected, follows = 1, {FIRST}
    for position, line, text in _rows(space, watch):
        if line is None:
            yield Finding(position, "is a text without a line")
            continue
        if position > expected:
            yield Finding(expected, f"is missing, as is all up to {position - 1}")
        elif line["previous"] not in follows:
            yield Finding(position, "does not follow the line before it, which may be the wrong one")
        stored, previous = line.pop("digest"), line.pop("previous")
        # Where SQLite holds bytes in place of a text, that is no content that a line could have been written with.
        content = {name: repr(value) if isinstance(value, bytes) else value for name, value in line.items()}
        digest = line_digest(space.name, content, previous)
        if digest != stored:
            yield Finding(position, "is not as it was written")
        if not _belongs(space, line["text_digest"], text):
            yield Finding(position, "has another text than was written")
        # A line whose digest was changed is found at itself, not at the line that follows it.
        expected, follows = position + 1, {stored, digest}
    if expected <= space.head_position:
        yield Finding(expected, f"is missing, as is all up to the head at {space.head_position}")
    elif space.head_digest not in follows:
        yield Finding(space.head_position, "is not the head that the space remembers")


def _rows(space: Space, watch: Callable[[int], None]) -> Iterator[tuple[int, dict[str, Any] | None, Any]]:
    """Position, line (None: there is none) and text (None: likewise), in order."""
    after, head = 0, space.head_position
    while after < head:
        watch(after)
        ahead = Line.objects.filter(space=space, position__gt=after, position__lte=head).order_by("position")
        lines = {line["position"]: line for line in ahead.values(*_LINE_COLUMNS)[:_CHUNK]}
        until = head if len(lines) < _CHUNK else max(lines)
        beside = Text.objects.filter(space=space, position__gt=after, position__lte=until)
        texts = dict(beside.values_list("position", "body"))
        for position in sorted(lines.keys() | texts.keys()):
            yield position, lines.get(position), texts.get(position)
        after = until


def _belongs(space: Space, digest: str, text: Any) -> bool:
    """Whether a text is that of its line, or was erased; likewise none for a line without."""
    if text is None or digest == "":
        return text is None and digest == ""
    return bool(text == "" or text_digest(space.digest_key, text) == digest)


def _beside(space: Space) -> Iterator[Finding]:
    """What no walk from the first line to the head comes by."""
    outside = Q(position__lt=1) | Q(position__gt=F("space__head_position"))
    models: tuple[tuple[type[Model], str], ...] = ((Line, "line"), (Text, "text"))
    for model, what in models:
        rows = model._default_manager.values_list("position", flat=True)
        for position in rows.filter(outside, space=space):
            yield Finding(position, f"is a {what} outside of the chain")
        for position in rows.exclude(space__in=Space.objects.all()):
            yield Finding(position, f"is a {what} of no space")


def _bytes(text: Any) -> bytes:
    return str(text).encode(errors="surrogateescape")


@contextmanager
def _whatever_the_bytes() -> Iterator[None]:
    """SQLite gives back whatever somebody put there, were it no text at all; that is to be found, not to fail on."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    connection.connection.text_factory = lambda raw: raw.decode(errors="surrogateescape")
    try:
        yield
    finally:
        connection.connection.text_factory = str
