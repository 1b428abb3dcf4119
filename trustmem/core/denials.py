"""Denials: what a text denies, and whether another text says it."""

from collections import Counter
from collections.abc import Iterator

from trustmem.core.conflict import Conflict
from trustmem.core.lexicon import words
from trustmem.core.reading import FIRST, NAMED, Reading
from trustmem.core.sides import OTHER, PARTLY, SAME, UNKNOWN, Sides
from trustmem.core.tokens import MARK, STOP

#: A denial reaches so many tokens, unless the part of the sentence ends before.
_REACH = 11
#: Words and signs at which it ends.
_TURNS, _ENDS = words("but pero sino 但"), frozenset(";.(:!?\n")
#: Two denials so near to each other take each other back.
_NEAR = 3
#: Of what is denied so much has to be said by the other text, and of the shorter text so much by the longer.
_LEAST_MET, _LEAST_SHARED = 0.3, 0.25
#: Where texts do not begin with one thing, so much of their words has to be the same, and twice that of the shorter.
_MUCH = 0.25
#: What a claim of this alone has to share, beyond its subject, with the shorter text.
_LEAST_BEYOND = 0.34


def denial(sides: Sides) -> Conflict | None:
    """Something that one text denies and the other says, of one thing.

    >>> from trustmem.core.sides import Said
    >>> denial(Sides(Said("Ana uses Redis"), Said("Ana does not use Redis"))).features
    {'negated': 'right', 'denied': ['use', 'Redis']}
    """
    for name, denying, other in (("left", sides.left, sides.right), ("right", sides.right, sides.left)):
        if not denying.denials:
            continue
        if sides.about == OTHER and not denying.names & other.names:
            return None
        also = {stem for each in denied(other) for stem in each}
        for said in denied(denying):
            claimed = [stem for stem in said if stem not in denying.subject and stem not in other.subject]
            met = [stem for stem in claimed if stem in other.content and stem not in also]
            if met and met != claimed and set(met) <= _said_as_well(denying):
                continue
            if met and _is_met(met, claimed, sides):
                shown = [token.shown for token in denying.tokens if token.stem in met]
                return Conflict("negation", {"negated": name, "denied": list(dict.fromkeys(shown))})
    return _exclusion(sides)


def _said_as_well(denying: Reading) -> set[str]:
    """What a text that denies says beside that: in "uses A and does not use B", it uses something."""
    counts = Counter(token.stem for token in denying.tokens)
    counts.subtract(stem for each in denied(denying) for stem in each)
    return {stem for stem, count in counts.items() if count > 0}


def _is_met(met: list[str], claimed: list[str], sides: Sides) -> bool:
    """Whether enough of what is denied is said, and of the same thing: its verb, or two words of it; of a name alone
    ("not Ben") only where the rest is said of both."""
    if len(met) < _LEAST_MET * len(claimed) or sides.contained < _LEAST_SHARED or not _is_of_one(sides):
        return False
    names = sides.left.names | sides.right.names
    if set(met) <= names:
        aside = names | sides.left.subject | sides.right.subject
        least = min(len(reading.content - aside) for reading in (sides.left, sides.right))
        return 0 < len(sides.shared - aside) >= least / 2
    return len(met) > 1 or met[0] == claimed[0]


def _is_of_one(sides: Sides) -> bool:
    """Whether both are about one thing by what they say, or else say much the same."""
    opens = {sides.left.opens, sides.right.opens}
    if sides.begins == SAME or FIRST in opens:
        return True
    if NAMED in opens and sides.fields == UNKNOWN and (sides.begins == PARTLY or _is_named(sides)):
        return True
    return sides.overlap >= _MUCH and sides.contained >= 2 * _MUCH


def _is_named(sides: Sides) -> bool:
    """Whether what one text is about is named in the other."""
    left, right = sides.left, sides.right
    return bool(left.subject & left.names & right.names or right.subject & right.names & left.names)


def _exclusion(sides: Sides) -> Conflict | None:
    """Something said of this alone, where the other text says it of more or of another."""
    left, right = sides.left, sides.right
    only = [reading.quantities & reading.lexicon.exclusive for reading in (left, right)]
    if bool(only[0]) == bool(only[1]) or sides.begins not in (SAME, PARTLY):
        return None
    if any(r.tokens[r.verb].before == ":" for r in (left, right) if r.verb):
        return None
    shared, share = sides.beyond
    if not shared or share < _LEAST_BEYOND or not all(sides.alone):
        return None
    name = "left" if only[0] else "right"
    return Conflict("negation", {"exclusive": name, "words": sorted(only[0] or only[1])})


def denied(reading: Reading) -> Iterator[list[str]]:
    """What each denial of a text denies, as stems; a denial of a denial denies nothing.

    >>> from trustmem.core.reading import read
    >>> list(denied(read("Ana never sings, nor does she dance.")))
    [['sing'], ['danc']]
    """
    taken: set[int] = set()
    for place in reading.denials:
        if place not in taken and (found := _reached(reading, place, taken)):
            yield found


def _reached(reading: Reading, place: int, taken: set[int]) -> list[str]:
    """What the denial at a place denies; the denials amid it are `taken` with it."""
    found: list[str] = []
    last = place
    for at in range(place + 1, min(place + 1 + _REACH, len(reading.tokens))):
        token = reading.tokens[at]
        is_denial = at in reading.denials
        if token.key in _TURNS or token.before in _ENDS or (is_denial and token.before == ","):
            break
        if is_denial:
            taken.add(at)
            if 1 < at - last <= _NEAR:
                return []
            last = at
        elif token.kind not in (STOP, MARK):
            found.append(token.stem)
    return found
