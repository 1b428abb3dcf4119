"""What happened to one fact: every line about it in order, with what became of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustmem.core.columns import STATEMENTS, Bools
from trustmem.core.instants import utc_date
from trustmem.explanations.memory import Memory
from trustmem.formats.interchange_types import Record

ECHO = "echo: use, no evidence"
CHALLENGE = "challenge: without effect until a person rules on it"
DISMISSED = "dismissed"
UPHELD = "upheld"
WITHDRAWN = "withdrawn"
CIRCULAR = "in a circle of updates: none of them counts"
UNDONE = "undone"
WAITING = "waiting for what it names"


@dataclass(frozen=True, slots=True)
class Happening:
    """A line about a fact. `effect` says what became of it where that is not plain; `other` is the fact at the
    other end of an edge. `harms` and `contradicts`: whether it is a statement that does so to the fact, if in force.
    """

    id: str
    at: int
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
    named = _about(asked, fact)
    effects = _effects(asked, fact)
    waiting = {record["id"] for record in named if _is_waiting(asked, record)}
    waiting |= {record["id"] for record in named if record.get("of") in waiting}
    happenings = []
    for record in sorted(named, key=lambda record: (record["at"], record["id"])):
        effect = effects.get(record["id"])
        if _acts(asked, record) & asked.folded.void:
            effect = UNDONE
        elif record["id"] in waiting:
            effect = WAITING
        happenings.append(_happening(asked, record, fact, effect))
    return happenings


def _about(asked: Memory, fact: str) -> list[Record]:
    """Lines that name the fact, then lines that name those, or the act that wrote one of them."""
    records = asked.reading.records.values()
    direct = {record["id"]: record for record in records if fact in _names(record)}
    acts = {act for record in direct.values() for act in _acts(asked, record)}
    named = direct.keys() | acts
    return [*direct.values(), *(each for each in records if each.get("of") in named)]


def _acts(asked: Memory, record: Record) -> set[str]:
    """The acts by which a line can be undone: its own, and the import that brought it."""
    return {record["act"], asked.imports.get(record["id"])} - {None}


def _is_waiting(asked: Memory, record: Record) -> bool:
    """Whether a line names a fact that there is not: it never came, or counts as never written."""
    return any(each and each not in asked.row for each in _names(record))


def _names(record: Record) -> list[Any]:
    if record["type"] in ("link", "pass"):
        return []
    own = record["id"] if record["type"] == "fact" else record.get("fact")
    return [own, record.get("from"), record.get("to"), *record.get("facts", ())]


def _effects(asked: Memory, fact: str) -> dict[str, str]:
    """What became of each statement about the fact, by id, where it did not simply count."""
    statements, row = asked.folded.history.statements, asked.row[fact]
    about = np.flatnonzero((statements.fact == row) | (statements.newer == row)).tolist()
    echoes = _echoes(asked)
    return {statements.ids[each]: effect for each in about if (effect := _effect(asked, each, echoes))}


def _echoes(asked: Memory) -> Bools:
    """Over statements: which make a touch that is echo."""
    touches, heard = asked.folded.touches, asked.folded.seen.heard
    touch = np.repeat(np.arange(len(touches.starts)), np.diff(touches.starts, append=len(touches.statement)))
    echoes = np.zeros(len(asked.folded.history.statements), bool)
    echoes[touches.statement[heard.echo[touch]]] = True
    return echoes


def _effect(asked: Memory, row: int, echoes: Bools) -> str | None:
    folded = asked.folded
    statements, standing = folded.history.statements, folded.seen.standing
    if standing.ruling[row] >= 0:
        return UPHELD if standing.ruling[row] else DISMISSED
    if standing.withdrawn[row] and not statements.removed[row]:
        return WITHDRAWN
    if standing.challenges[row]:
        return CHALLENGE
    if (
        STATEMENTS[statements.kind[row]] == "updates"
        and (statements.newer[row], statements.fact[row]) in standing.circular
    ):
        return CIRCULAR
    return ECHO if echoes[row] else None


def _happening(asked: Memory, record: Record, fact: str, effect: str | None) -> Happening:
    other = next((each for each in (record.get("from"), record.get("to")) if each not in (fact, None)), None)
    by, contradicts = _by(asked, record), _contradicts(record)
    return Happening(
        id=record["id"],
        at=record["at"],
        what=" ".join(filter(None, _words(record, fact, other))),
        by=by,
        run=record.get("run") or f"{by}@{utc_date(record['at'])}",
        note=record.get("note") or record.get("reason"),
        effect=effect,
        other=other,
        harms=contradicts or record.get("kind") == "forgotten" or _is_updated(record, fact),
        contradicts=contradicts,
    )


def _by(asked: Memory, record: Record) -> str:
    """Who made a line; by default the source of the fact, of the newer one for an edge, a person for what people do."""
    records = asked.reading.records
    if record["type"] == "edge":
        return str(record["by"] or records.get(record["from"], {}).get("source", "unknown"))
    given = record.get("source") or record.get("by")
    if not given and record.get("fact") in records:
        given = records[record["fact"]]["source"]
    return str(given or "person")


def _words(record: Record, fact: str, other: str | None) -> Iterator[str | None]:
    kind = record["type"]
    if kind == "fact":
        yield f"born, {record['scope']}, producer {record['producer']}"
    elif kind == "edge":
        relation = "derives from" if record["relation"] == "derives" else record["relation"]
        yield "withdrawal:" if record["removed"] else None
        yield f"{relation} {other}" if record["from"] == fact else f"{other} {relation} it"
    elif kind == "feedback":
        yield f"feedback {record['outcome']}{', confirmed' if record['confirmed'] else ''}"
    elif kind == "event":
        yield record["kind"]
        yield f"act {record['of']}" if record["kind"] == "undone" else record["of"]
    else:
        yield kind
        yield record.get("kind")


def _contradicts(record: Record) -> bool:
    if record["type"] == "edge":
        return record["relation"] == "contradicts" and not record["removed"]
    return record.get("kind") == "contradicted" or record.get("outcome") == "corrected"


def _is_updated(record: Record, fact: str) -> bool:
    return record.get("relation") == "updates" and record["to"] == fact and not record["removed"]
