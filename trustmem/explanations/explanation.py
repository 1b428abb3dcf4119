"""All that there is to say about one fact, as data in full precision, and in words where people read it."""

from typing import Any

import numpy as np

from trustmem.core.instants import to_text
from trustmem.core.reinforcement import suppressed
from trustmem.core.vocabulary import STATES
from trustmem.explanations import effects
from trustmem.explanations.advice import advice
from trustmem.explanations.chain import chain
from trustmem.explanations.history import Happening, history
from trustmem.explanations.lifts import lifts
from trustmem.explanations.memory import Memory
from trustmem.explanations.provenance import provenance
from trustmem.explanations.reasons import Reason, reasons
from trustmem.explanations.touches import served, touches
from trustmem.explanations.weight import weight
from trustmem.store.states import STANDING

FACTORS = ("confidence", "freshness", "supersession", "provenance")
_TOLD = ("id", "act", "kind", "removed", "direction", "what", "by", "run", "note")


def explanation(asked: Memory, id: str) -> dict[str, Any]:
    """The explanation of one fact: JSON values only, instants as text."""
    row = asked.rows[asked.row[id]]
    happened, links = history(asked, id), chain(asked, id)
    return {
        "id": id,
        "text": asked.text(id),
        "now": to_text(asked.now),
        "scores": row,
        "what_to_do": [{"about": about, "advice": words} for about, words in advice(row["state"], row["flags"])],
        "why": _waterfall(row, reasons(asked, row, links)),
        "lift": lifts(asked, id),
        "weight": weight(asked, row),
        "suppressed": bool(suppressed(asked.scores.retrieval_priority, asked.folded.stored.constants)[asked.row[id]]),
        "provenance": provenance(asked, row),
        "touches": touches(asked, id),
        "served": served(asked, id),
        "contradictions": [_told(asked, each) for each in happened if each.is_contradiction],
        "challenges": [_told(asked, each) for each in happened if each.is_challenge],
        "chain": [{"step": link.step, "at": to_text(link.at), **_named(asked, link.id)} for link in links],
        "history": [_told(asked, each) for each in happened],
    }


def _waterfall(row: dict[str, Any], why: dict[str, Reason]) -> list[dict[str, Any]]:
    """The factors in order, each with the product down to and with it, and why it is what it is."""
    products = np.cumprod([row[factor] for factor in FACTORS]).tolist()
    return [
        {
            "factor": factor,
            "value": row[factor],
            "product": product,
            "because": why[factor].sentence,
            "words": why[factor].words,
            "arithmetic": why[factor].arithmetic,
        }
        for factor, product in zip(FACTORS, products, strict=True)
    ]


def _named(asked: Memory, id: str) -> dict[str, Any]:
    """Another fact; what is forgotten is told on no page but its own, and what is forgotten by now has that state."""
    if id not in asked.row:
        return {"id": id, "text": None, "state": None}
    state = asked.scores.state[asked.row[id]]
    by_now = asked.untold.get(id, STATES[state])
    return {"id": id, "text": STANDING.told(asked.text(id), state), "state": by_now}


def _told(asked: Memory, happening: Happening) -> dict[str, Any]:
    """A line about the fact: `became` is the code of its effect, and `effect` says it in words."""
    told = {name: getattr(happening, name) for name in _TOLD}
    effect = happening.effect and effects.words(happening.effect)
    other = happening.other and _named(asked, happening.other)
    return {"at": to_text(happening.at), **told, "became": happening.effect, "effect": effect, "other": other}
