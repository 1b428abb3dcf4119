"""Which of our formats a file is in, told from how it starts; and what it looks like if from none."""

import re
from collections.abc import Iterator
from typing import Any, Literal

from trustmem.formats import mcp, strict_json
from trustmem.formats.interchange_types import FIELDS
from trustmem.formats.mcp_elements import is_document

Format = Literal["interchange", "mcp"]

_FIRST_TYPE = re.compile(rb'\s*\{\s*"type"\s*:\s*"(\w+)"')
_MCP_FIELDS = re.compile(rb'"(?:entityType|entity_type|relationType|relation_type)"\s*:')


def detect(start: bytes) -> Format | None:
    """The format of a file that starts so: its first lines, or the first 64 KiB or more of them.

    >>> detect(b'{"type": "entity", "name": "Ada", "observations": []}')
    'mcp'
    """
    start = start.removeprefix(strict_json.BOM)
    if is_document(start):
        return "mcp"
    for given in _objects(start):
        # Both have entities; a time is what every line of ours must have, and no entity of theirs has by that name.
        if mcp.kind_of(given) and "at" not in given:
            return "mcp"
        if _is_ours(given.get("type")):
            return "interchange"
    return _sniffed(start)


def looks_like(start: bytes) -> str | None:
    """What a file seems to be that is in none of our formats, or in none of its lines understood as the one it was
    taken for: the end of "it looks like ..."; None: no idea.
    """
    start = start.removeprefix(strict_json.BOM)
    first, *rest = start.strip().splitlines() or [b""]
    if first.startswith(b"SQLite format 3"):
        return "a SQLite database"
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "text in UTF-16; interchange files are UTF-8"
    if b"\0" in start:
        return "a binary file"
    if detect(start) == "mcp":
        return "an MCP memory file; `trustmem import` takes those in"
    given = next(_objects(first), None)
    if first.startswith(b"[") or first == b"{" or (given is not None and "type" not in given and not rest):
        return "one JSON document; an interchange file has one object a line"
    if given is not None and detect(start) is None:
        return f"JSON Lines of another tool, the first with {_fields(given)}"
    if first.startswith((b"# ", b"---", b"<")):
        return "a text document; an interchange file has one JSON object a line"
    return None


def _objects(start: bytes) -> Iterator[dict[str, Any]]:
    """The whole lines that are JSON objects."""
    for line in start.splitlines():
        try:
            given = strict_json.loads(line)
        except strict_json.StrictJSONError:
            continue
        if isinstance(given, dict):
            yield given


def _sniffed(start: bytes) -> Format | None:
    """Where no line is whole: torn ones, or one that is longer than the start."""
    if _MCP_FIELDS.search(start):
        return "mcp"
    first = _FIRST_TYPE.match(start)
    return "interchange" if first and _is_ours(first[1].decode()) else None


def _is_ours(type: Any) -> bool:
    return isinstance(type, str) and type in FIELDS


def _fields(given: dict[str, Any]) -> str:
    return ", ".join(strict_json.quoted(name) for name in list(given)[:4])
