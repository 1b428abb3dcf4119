"""What happened to one fact: every line about it in order, with what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from trustmem.core.instants import unnamed_run
from trustmem.explanations.effects import CHALLENGE, UNDONE, UPHELD, WAITING, effects
from trustmem.explanations.memory import Memory
from trustmem.explanations.sentences import sentence
from trustmem.formats.interchange_types import KINDS, Record

_OURSELVES = "trustmem"


@dataclass(frozen=True, slots=True)
class Happening:
    """A line about a fact.

    `kind` is its type, and after a dot what of that type, such as `event.accepted`; `what` says it in words. `effect`
    is the code of what became of it where it did not simply count. Of an edge, `removed` says whether the line
    withdraws it, `direction` whether it leads `from` the fact or `to` it, `other` which fact is at the other end.
    `harms` and `contradicts`: whether it is a statement that does so to the fact, if in force.
    """

    id: str
    at: int
    act: str | None
    kind: str
    removed: bool | None
    direction: Literal["from", "to"] | None
    what: str
    by: str
    run: str
    note: str | None
    effect: str | None
    other: str | None
    harms: bool
    contradicts: bool

    @property
    def is_contradiction(self) -> bool:
        return self.contradicts and self.effect in (None, UPHELD)

    @property
    def is_challenge(self) -> bool:
        return self.harms and self.effect == CHALLENGE


def history(asked: Memory, fact: str) -> list[Happening]:
    """Everything that the history says of a fact, by time."""
    named = _about(asked.reading.records, asked.imports, fact)
    became = effects(asked, fact)
    waiting = {record["id"] for record in named if _is_waiting(asked, record)}
    waiting |= {record["id"] for record in named if record.get("of") in waiting}
    happenings = []
    for record in sorted(named, key=lambda record: (record["at"], record["id"])):
        effect = became.get(record["id"])
        if _acts(asked.imports, record) & asked.folded.void:
            effect = UNDONE
        elif record["id"] in waiting:
            effect = WAITING
        happenings.append(_happening(asked, record, fact, effect))
    return happenings


def instants(records: Mapping[str, Record], imports: Mapping[str, str], fact: str) -> list[int]:
    """When lines about a fact arrived, be they undone."""
    return sorted({record["arrived"] for record in _about(records, imports, fact)})


def _about(records: Mapping[str, Record], imports: Mapping[str, str], fact: str) -> list[Record]:
    """Lines that name the fact, then lines that name those, or the act that wrote one of them."""
    direct = {id: record for id, record in records.items() if fact in _names(record)}
    acts = {act for record in direct.values() for act in _acts(imports, record)}
    named = direct.keys() | acts
    return [*direct.values(), *(each for each in records.values() if each.get("of") in named)]


def _acts(imports: Mapping[str, str], record: Record) -> set[str]:
    """The acts by which a line can be undone: its own, and the import that brought it."""
    return {record["act"], imports.get(record["id"])} - {None}


def _is_waiting(asked: Memory, record: Record) -> bool:
    """Whether a line waits for a fact that there is not: it never came, or counts as never written. A case waits for
    none: it is there whatever becomes of its facts."""
    return record["type"] != "case" and any(each and each not in asked.row for each in _names(record))


def _names(record: Record) -> list[Any]:
    if record["type"] in ("link", "pass"):
        return []
    own = record["id"] if record["type"] == "fact" else record.get("fact")
    return [own, record.get("from"), record.get("to"), *record.get("facts", ())]


def _happening(asked: Memory, record: Record, fact: str, effect: str | None) -> Happening:
    other = next((each for each in (record.get("from"), record.get("to")) if each not in (fact, None)), None)
    by, contradicts = _by(asked, record), _contradicts(record)
    return Happening(
        id=record["id"],
        at=record["at"],
        act=record["act"],
        kind=_kind(record),
        removed=record.get("removed"),
        direction=_direction(record, fact),
        what=sentence(record, fact, other),
        by=by,
        run=record.get("run") or unnamed_run(by, record["at"]),
        note=record.get("note") or record.get("reason"),
        effect=effect,
        other=other,
        harms=contradicts or record.get("kind") == "forgotten" or _is_updated(record, fact),
        contradicts=contradicts,
    )


def _kind(record: Record) -> str:
    type = record["type"]
    return f"{type}.{record[KINDS[type]]}" if type in KINDS else str(type)


def _direction(record: Record, fact: str) -> Literal["from", "to"] | None:
    if record["type"] != "edge":
        return None
    return "from" if record["from"] == fact else "to"


def _by(asked: Memory, record: Record) -> str:
    """Who made a line; by default the source of the fact, of the newer one for an edge, a person for what people do.
    A case says nobody: it is opened by the desk itself, or came with a file."""
    records = asked.reading.records
    if record["type"] == "case":
        return "unknown" if record["id"] in asked.imports else _OURSELVES
    if record["type"] == "edge":
        return str(record["by"] or records.get(record["from"], {}).get("source", "unknown"))
    given = record.get("source") or record.get("by")
    if not given and record.get("fact") in records:
        given = records[record["fact"]]["source"]
    return str(given or "person")


def _contradicts(record: Record) -> bool:
    if record["type"] == "edge":
        return record["relation"] == "contradicts" and not record["removed"]
    return record.get("kind") == "contradicted" or record.get("outcome") == "corrected"


def _is_updated(record: Record, fact: str) -> bool:
    return record.get("relation") == "updates" and record["to"] == fact and not record["removed"]
