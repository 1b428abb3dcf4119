"""Why the detector found that two claims may be in conflict, in words: by which rule, what was exchanged, how much of
what they say is the same, and which of both is newer."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from trustmem.core.contradictions import RULES, UPDATE
from trustmem.explanations.words import say

#: So many exchanges are told, and so much of each.
_MOST, _LONGEST = 4, 60


class Why(NamedTuple):
    """What a case keeps of what the detector found: what its `rule` says ('': it is none that is known), the words of
    the older claim and those of the newer one in their place, the `overlap` (None: none is kept), and what speaks for
    one of both as the newer ('': nothing)."""

    says: str
    exchanged: list[tuple[str, str]]
    overlap: float | None
    newer: str


def why(factors: Mapping[str, Any], facts: Sequence[str], *, is_told: bool) -> Why:
    """Why a candidate was found, by the factors of its case, which a file may have made up. `is_told`: whoever reads it
    may know what both facts say.

    >>> factors = {"rule": "number", "overlap": 0.75, "features": {"exchanged": {"left": ["242"], "right": ["286"]}}}
    >>> why(factors, ["a", "b"], is_told=True)
    Why(says='A number was exchanged', exchanged=[('242', '286')], overlap=0.75, newer='')
    """
    rule, overlap = factors.get("rule"), factors.get("overlap")
    is_number = isinstance(overlap, int | float) and not isinstance(overlap, bool) and 0 <= overlap <= 1
    return Why(
        _rule(rule) if rule in RULES else "",
        _exchanged(factors.get("features")) if is_told else [],
        float(overlap) if is_number else None,  # type: ignore[arg-type]
        _newer(factors, facts),
    )


def _rule(name: Any) -> str:
    return {
        "negation": say("One says what the other denies"),
        "number": say("A number was exchanged"),
        "name": say("A name was exchanged"),
        "order": say("The same words stand in another order"),
        "antonym": say("A word was exchanged for one that rules it out"),
        "word": say("A word was exchanged"),
        "slot": say("About the same thing they say something else"),
        "change": say("One tells of a change"),
    }[str(name)]


def _exchanged(features: Any) -> list[tuple[str, str]]:
    """What stands in place of what: words of each side in all, or by pairs."""
    given = features.get("exchanged") if isinstance(features, dict) else None
    pairs = [[given.get("left"), given.get("right")]] if isinstance(given, dict) else given
    if not isinstance(pairs, list):
        return []
    sides = [tuple(map(_side, each)) for each in pairs if isinstance(each, list) and len(each) == len(("one", "two"))]
    return [(left, right) for left, right in sides[:_MOST] if left or right]


def _side(said: Any) -> str:
    words = said if isinstance(said, list) else [said]
    text = " ".join(each for each in words if isinstance(each, str))
    return text if len(text) <= _LONGEST else text[:_LONGEST].rstrip() + "…"


def _newer(factors: Mapping[str, Any], facts: Sequence[str]) -> str:
    """Which of both takes the place of the other, and by what. The older by birth comes first."""
    if factors.get("finding") != UPDATE or factors.get("newer") not in facts[:2]:
        return ""
    is_later = factors["newer"] != facts[0]
    if factors.get("rule") == "change":
        if is_later:
            return say("It may be an update: the right one tells of the change, and was said later")
        return say("It may be an update: the left one tells of the change, though it was said earlier")
    if is_later:
        return say("It may be an update: the right one was said later")
    return say("It may be an update: the left one says so, though it was said earlier")
