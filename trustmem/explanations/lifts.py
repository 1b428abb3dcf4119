"""What would lift a fact: the changes that apply to it, in words, and where each would lead."""

from typing import Any

from trustmem.core.lift import lift
from trustmem.core.vocabulary import BANDS
from trustmem.explanations.memory import Memory
from trustmem.explanations.words import say


def lifts(asked: Memory, id: str) -> list[dict[str, Any]]:
    """Each change that applies to a fact, with the trust and the band that it would have then."""
    row, words = asked.row[id], _words()
    return [
        {
            "change": each.change,
            "words": words[each.change],
            "trust": float(each.trust[row]),
            "band": BANDS[each.band[row]],
        }
        for each in lift(asked.scores, asked.folded.stored.constants)
        if each.applies[row]
    ]


def _words() -> dict[str, str]:
    """The changes of `core.lift` as people read them."""
    return {
        "one more source": say("one more source"),
        "a person's acceptance": say("a person's acceptance"),
        "a confirmation now": say("a confirmation now"),
        "a contradiction dismissed": say("a contradiction dismissed"),
    }
