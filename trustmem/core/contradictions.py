"""Contradictions: what two facts are to each other, decided from features that can be told (section 9.3).

`compare` reads both texts (`reading`, `tokens`, by the words of `lexicon_*`), lays them beside each other (`sides`,
`exchange`), and asks one rule after the other (`conflicts`). docs/finding.md tells how it decides, and how often it is
right.

Features, by name, all JSON values; left and right are the facts as they were given:

    exchanged   what stands on the left and what on the right in its place: [["Lisbon", "Porto"], …]
    negated     the side that denies, and `denied` what of it the other says
    exclusive   the side that says it of this alone, and `words` by which
    status      what each side tells of: "due" or "done"
    changes     words of change in the texts
    newer_by    what tells which is newer: "text" or "birth"
    entities    what both facts name, by the entities that they were given
    cosine      of their vectors, where there are such
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from trustmem.core import claims
from trustmem.core.conflict import Conflict
from trustmem.core.conflicts import conflict
from trustmem.core.constants import Constants
from trustmem.core.lexicon import words
from trustmem.core.reading import Reading
from trustmem.core.same import are_same
from trustmem.core.sides import OTHER, SAME, Said, Sides
from trustmem.core.tokens import DATE, MOST_TOKENS, NUMBER

__all__ = ["DETECTOR", "FINDINGS", "RULES", "Comparison", "Said", "compare", "is_candidate"]

#: The version of the detector: another one wherever it may decide otherwise.
DETECTOR = "4"
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

#: Births (µs) so far apart tell which of two claims is newer; what is said within a day is said at once.
_APART = 86_400_000_000
#: So near before a date stands what puts it aside.
_ASIDE, _SINCE = 2, words("since desde")
_OTHER_SIDE = {"left": "right", "right": "left"}


class Comparison(NamedTuple):
    """What two facts are to each other: one of FINDINGS, by a rule ('' where none decided); of an update `newer` is
    0 or 1, else None. `overlap` is the Jaccard of their words, `features` whatever else the decision rests on, as JSON
    values."""

    finding: str
    rule: str
    overlap: float
    newer: int | None
    features: Mapping[str, Any]


def compare(one: Said, other: Said, *, cosine: float | None = None, restatement_jaccard: float = 0.6) -> Comparison:
    """What two facts are to each other. The same for (one, other) and (other, one), but for `newer`, and for what
    stands left and right in the features.

    >>> found = compare(Said("Ana lives in Porto"), Said("Ana lives in Lisbon"))
    >>> found.finding, found.rule, found.features
    ('contradiction', 'name', {'exchanged': [['Porto', 'Lisbon']]})
    >>> compare(Said("Ana lives in Porto."), Said("Ana now lives in Lisbon since 2024", at=5)).finding
    'contradiction'
    >>> compare(Said("Phase 1 is done"), Said("Phase 2 is done")).finding
    'related'
    """
    if _rank(one) > _rank(other):
        return _mirrored(_compare(other, one, cosine, restatement_jaccard))
    return _compare(one, other, cosine, restatement_jaccard)


def _rank(said: Said) -> tuple[Any, ...]:
    return (said.text, said.subject, said.predicate, said.object, said.entities, said.at is not None, said.at or 0)


def _compare(one: Said, other: Said, cosine: float | None, restatement_jaccard: float) -> Comparison:
    sides = Sides(one, other, cosine)
    features: dict[str, Any] = {} if cosine is None else {"cosine": round(cosine, 3)}
    if shared := sorted(set(one.entities) & set(other.entities)):
        features["entities"] = shared
    found = None if _cannot_be(sides) else conflict(sides)
    if found is not None:
        return _conflicting(sides, found, features)
    if sides.overlap >= restatement_jaccard and _is_whole(sides) and are_same(sides) and _have_same_signs(sides):
        return Comparison(RESTATEMENT, "", sides.overlap, None, features)
    is_related = sides.shared or sides.overlap or sides.fields == SAME
    return Comparison(RELATED if is_related else NONE, "", sides.overlap, None, features)


def _cannot_be(sides: Sides) -> bool:
    """Whether there is nothing to be in conflict about: other subjects, or no word of substance in both and no slot."""
    if sides.fields == OTHER:
        return True
    return not sides.shared and not (sides.fields == SAME and sides.said[0].object and sides.said[1].object)


def _have_same_signs(sides: Sides) -> bool:
    """Of texts that say the same words: `<` and `>` are none, and tell claims apart."""
    one, other = (each.text for each in sides.said)
    return claims.words(one) != claims.words(other) or claims.signs(one) == claims.signs(other)


def _is_whole(sides: Sides) -> bool:
    """Whether both texts were read to their ends: of longer ones, whatever follows may be another claim."""
    cut = max(len(sides.left.tokens), len(sides.right.tokens)) >= MOST_TOKENS
    return not cut or sides.said[0].text == sides.said[1].text


def _conflicting(sides: Sides, found: Conflict, features: dict[str, Any]) -> Comparison:
    newer, by = found.newer, "text"
    if newer is None and found.rule != "order":
        newer = _by_dates(sides)
    if newer is None and found.rule != "order":
        newer, by = _by_birth(sides.said[0].at, sides.said[1].at), "birth"
    told = features | found.features
    if newer is None:
        return Comparison(CONTRADICTION, found.rule, sides.overlap, None, told)
    return Comparison(UPDATE, found.rule, sides.overlap, newer, told | {"newer_by": by})


def _by_birth(one: int | None, other: int | None) -> int | None:
    if one is None or other is None or abs(one - other) < _APART:
        return None
    return int(other > one)


def _by_dates(sides: Sides) -> int | None:
    """Which is newer by the years or dates that both put aside: "(since 2012)", "(2016 est.)"."""
    if len(sides.exchanges) < 2:
        return None
    one, other = (max(_put_aside(reading), default="") for reading in (sides.left, sides.right))
    return int(other > one) if one and other and one != other else None


def _put_aside(reading: Reading) -> list[str]:
    found = []
    for place, token in enumerate(reading.tokens):
        near = reading.tokens[max(place - _ASIDE, 0) : place + 1]
        if any(each.before == "(" or each.key in _SINCE for each in near) and token.kind in (NUMBER, DATE):
            found.append(_year(token.key))
    return [each for each in found if each]


def _year(key: str) -> str:
    """A date or a year, as a text that sorts by time; '' for what is none."""
    head = key[:4]
    return key if head.isdigit() and "1900" <= head <= "2100" and key[4:5] in ("", "-") else ""


def _mirrored(found: Comparison) -> Comparison:
    """The same with left and right exchanged."""
    features = {name: _turned(name, value) for name, value in found.features.items()}
    return found._replace(newer=None if found.newer is None else 1 - found.newer, features=features)


def _turned(name: str, value: Any) -> Any:
    if name == "exchanged":
        return [[right, left] for left, right in value]
    if name == "status":
        return value[::-1]
    return _OTHER_SIDE[value] if name in ("negated", "exclusive") else value


def is_candidate(found: Comparison, constants: Constants) -> bool:
    """Whether what was found of two facts is to wait for a person, by the constants.

    >>> found = compare(Said("Ana lives in Porto"), Said("Ana lives in Lisbon"))
    >>> is_candidate(found, Constants())
    True
    """
    if found.finding not in (UPDATE, CONTRADICTION):
        return False
    return bool(found.overlap >= asdict(constants.candidate_overlap)[found.rule])
