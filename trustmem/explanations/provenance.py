"""Where a fact comes from: who said it, when and in which run, and who stands behind it."""

from typing import Any

from trustmem.core.instants import to_text
from trustmem.core.vocabulary import SIGNED
from trustmem.explanations.memory import Memory
from trustmem.formats.interchange_types import Record

_AS_SAID = ("producer", "core", "at_known")
#: What a fact says, as its text does.
_SAYS = ("subject", "predicate", "object")


def provenance(asked: Memory, row: dict[str, Any]) -> dict[str, Any]:
    """Where the fact of a row of scores comes from; `imported` is the import that brought it. Where what it says is not
    told, nor is what it is about."""
    record, history, at = asked.reading.records[row["id"]], asked.folded.history, asked.row[row["id"]]
    is_told = row["id"] not in asked.untold
    return {
        "source": history.sources[history.facts.source[at]],
        "run": history.runs[history.facts.run[at]],
        "born": to_text(record["at"]),
        "tier": row["tier"],
        "accepted": bool(asked.scores.accepted[at]),
        "signature": _signature(record, bool(history.facts.tier[at] == SIGNED)),
        "imported": asked.imports.get(row["id"]),
        **{name: record[name] for name in _AS_SAID},
        **{name: record[name] if is_told else None for name in _SAYS},
        "tags": list(record["tags"]) if is_told else [],
        "entities": list(record["entities"]) if is_told else [],
    }


def _signature(record: Record, counts: bool) -> dict[str, Any] | None:
    """The key of a signature, and whether it counts: it verified, and the key was good for it."""
    signature = record["signature"]
    return None if signature is None else {"key": signature["key"], "counts": counts}
