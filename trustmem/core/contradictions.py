"""Contradictions: what two facts are to each other, decided from features that can be told (section 9.3)."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from trustmem.core.constants import Constants
from trustmem.core.restatement import jaccard, word_set

#: The version of the detector: another one wherever it may decide otherwise.
DETECTOR = "1"
#: What two facts can be to each other, by code.
FINDINGS = (NONE, RELATED, RESTATEMENT, UPDATE, CONTRADICTION) = (
    "none",
    "related",
    "restatement",
    "update",
    "contradiction",
)
#: The rules by which two facts may be found to be in conflict.
RULES = ("negation", "number", "name", "order", "antonym", "word", "slot", "change")


class Said(NamedTuple):
    """What a fact says, for the detector. `at` is its birth (µs), None where that is not known."""

    text: str
    subject: str = ""
    predicate: str = ""
    object: str = ""
    entities: tuple[str, ...] = ()
    at: int | None = None


class Comparison(NamedTuple):
    """What two facts are to each other: one of FINDINGS, by a rule ('' where none decided); of an update `newer` is
    0 or 1, else None. `overlap` is the Jaccard of their words, `features` whatever else the decision rests on, as JSON
    values."""

    finding: str
    rule: str
    overlap: float
    newer: int | None
    features: Mapping[str, Any]


def compare(one: Said, other: Said, *, cosine: float | None = None) -> Comparison:
    """What two facts are to each other. The same for (one, other) and (other, one), but for `newer`.

    >>> compare(Said("Ana lives in Porto"), Said("Ana lives in Lisbon")).finding
    'contradiction'
    """
    left, right = word_set(one.text), word_set(other.text)
    overlap = jaccard(left, right)
    exchanged = {"left": sorted(left - right), "right": sorted(right - left)}
    if left == right:
        return Comparison(RESTATEMENT, "", overlap, None, {})
    if left - right and right - left and overlap >= 0.3:
        return Comparison(CONTRADICTION, "word", overlap, None, {"exchanged": exchanged})
    return Comparison(RELATED if overlap else NONE, "", overlap, None, {})


def is_candidate(found: Comparison, constants: Constants) -> bool:
    """Whether what was found of two facts is to wait for a person, by the constants.

    >>> found = compare(Said("Ana lives in Porto"), Said("Ana lives in Lisbon"))
    >>> is_candidate(found, Constants())
    True
    """
    if found.finding not in (UPDATE, CONTRADICTION):
        return False
    return bool(found.overlap >= asdict(constants.candidate_overlap)[found.rule])
