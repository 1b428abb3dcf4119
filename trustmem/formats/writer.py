"""Records back to lines of an interchange file: what `parse_record` reads from them is the record again."""

import json
from dataclasses import fields
from typing import Any

from trustmem.core import instants
from trustmem.core.lines import Baseline
from trustmem.formats.fields import Parser, instant
from trustmem.formats.interchange_types import DEFAULTS, FIELDS, Record

#: What any line has comes first, then the fields of its type.
_FIRST = ("type", "id", "at", "arrived", "act")
_ORDER = {
    kind: [name for name in _FIRST if name in table] + [name for name in table if name not in _FIRST]
    for kind, table in FIELDS.items()
}


def line(record: Record) -> bytes:
    """The line of an interchange file that stands for a record, without what would be so by default.

    >>> line({"type": "pass", "id": "1970-01-01T00:00:00Z", "at": 0, "arrived": 0, "act": "p"})
    b'{"type":"pass","at":"1970-01-01T00:00:00Z","act":"p"}\\n'
    """
    table = FIELDS[record["type"]]
    said = [name for name in _ORDER[record["type"]] if _says(record, name)]
    written = {name: _written(record[name], table[name].parse) for name in said}
    return json.dumps(written, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _says(record: Record, name: str) -> bool:
    """Whether a line would mean something else without this field."""
    default = record["at"] if name == "arrived" else DEFAULTS[record["type"]][name]
    return bool(record[name] != default)


def _written(value: Any, parse: Parser) -> Any:
    if parse is instant:
        return instants.to_text(value)
    return _totals(value) if isinstance(value, Baseline) else value


def _totals(baseline: Baseline) -> dict[str, Any]:
    given = {each.name: getattr(baseline, each.name) for each in fields(baseline)}
    said = {name: value for name, value in given.items() if value}
    if baseline.first_seen is not None:
        said["first_seen"] = instants.to_text(baseline.first_seen)
    return said
