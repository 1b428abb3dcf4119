"""What a line says of a fact, in a few words."""

from trustmem.explanations.words import say
from trustmem.formats.interchange_types import Record


def sentence(record: Record, fact: str, other: str | None) -> str:
    """What a line says of `fact`; `other` is the fact at the other end of an edge."""
    kind = record["type"]
    if kind == "fact":
        return say("born, {scope}, producer {producer}", scope=record["scope"], producer=record["producer"])
    if kind == "edge":
        words = _from_it(other) if record["from"] == fact else _to_it(other)
        edge = words[record["relation"]]
        return say("withdrawal: {edge}", edge=edge) if record["removed"] else edge
    if kind == "feedback":
        return _feedback(record)
    if kind == "event" and record["kind"] == "undone":
        return say("undone act {act}", act=record["of"])
    named = (record["kind"], record["of"]) if kind == "event" else (kind, record.get("kind"))
    return " ".join(filter(None, named))


def _from_it(other: str | None) -> dict[str, str]:
    """Edges from the fact, by relation."""
    return {
        "updates": say("updates {other}", other=other),
        "extends": say("extends {other}", other=other),
        "derives": say("derives from {other}", other=other),
        "contradicts": say("contradicts {other}", other=other),
    }


def _to_it(other: str | None) -> dict[str, str]:
    """Edges to the fact, by relation."""
    return {
        "updates": say("{other} updates it", other=other),
        "extends": say("{other} extends it", other=other),
        "derives": say("{other} derives from it", other=other),
        "contradicts": say("{other} contradicts it", other=other),
    }


def _feedback(record: Record) -> str:
    if record["confirmed"]:
        return say("feedback {outcome}, confirmed", outcome=record["outcome"])
    return say("feedback {outcome}", outcome=record["outcome"])
