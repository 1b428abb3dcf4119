"""Signatures of a file: which of those that its lines came with count, by the keys that it brings (section 5)."""

from collections.abc import Mapping
from dataclasses import replace

from trustmem.core import keys
from trustmem.core.instants import EVER
from trustmem.core.keys import Key
from trustmem.core.lines import Edge, Event, Fact, Line
from trustmem.core.undo import voided_acts
from trustmem.formats import signed
from trustmem.formats.interchange import Reading
from trustmem.formats.interchange_types import Record


def counted(reading: Reading) -> list[Line]:
    """The lines of a file for the core, with the verdicts on their signatures. The file says which space it is of; a
    signature of one that does not say so holds for no space."""
    if not any(record.get("signature") for record in reading.records.values()):
        return reading.lines
    by_name = _keys(reading)
    space = next((name for name, record in reading.records.items() if record["type"] == "space"), "")
    return [_with_verdict(line, reading.records[line.id], by_name, space) for line in reading.lines]


def _keys(reading: Reading) -> Mapping[str, tuple[str, Key]]:
    """The keys of a file by name, each with its public half (base64)."""
    void = voided_acts(line for line in reading.lines if isinstance(line, Event) and line.kind == "undone")
    records = reading.records.values()
    found = {
        each["id"]: (each["public"], Key(each["source"], each["at"], each["valid_to"] or EVER))
        for each in records
        if each["type"] == "key"
    }
    for each in records:
        if each["type"] == "event" and each["kind"] == "revoked" and each["act"] not in void and each["of"] in found:
            public, key = found[each["of"]]
            found[each["of"]] = public, keys.revoked(key, each["at"], each["reason"])
    return found


def _with_verdict(line: Line, record: Record, by_name: Mapping[str, tuple[str, Key]], space: str) -> Line:
    signature = record.get("signature")
    if not isinstance(line, Fact | Edge) or signature is None:
        return line
    found = by_name.get(signature["key"])
    if found is None:
        return replace(line, signature=False)
    public, key = found
    source = line.source if isinstance(line, Fact) else line.by or ""
    holds = signed.holds(record, public, space)
    return replace(line, signature=holds and keys.counts(key, source, line.at, line.arrived))
