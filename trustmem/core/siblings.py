"""Siblings: facts that are told alike of different things, and so are no conflict (section 9.3)."""

from trustmem.core.exchange import ANTONYMS, NAMES, NUMBERS, PATHS, WORDS, Exchange
from trustmem.core.reading import ELIDED, EVENT, INDEFINITE, ORDER, UNREAD, Reading
from trustmem.core.sides import OTHER, PARTLY, SAME, Sides
from trustmem.core.tokens import NAME, NUMBER, STOP, Token, is_verb

#: So many words beyond their subjects two facts share, at least, that tell of one event of two persons.
_LEAST_OF_ONE_EVENT = 4
#: How a text begins that does not say what it is about.
_OF_NOTHING_NAMED = frozenset({EVENT, ORDER, ELIDED, INDEFINITE, UNREAD})


def are_siblings(sides: Sides) -> bool:
    """Whether what was exchanged tells which thing is meant, and not what is claimed of it.

    >>> from trustmem.core.sides import Said
    >>> are_siblings(Sides(Said("Phase 1 sets up the database"), Said("Phase 2 sets up the cache")))
    True
    """
    if sides.fields == OTHER or _enumerated(sides):
        return True
    if sides.fields == SAME and sides.about == OTHER:
        return True
    found = sides.exchanges
    in_subject = [each for each in found if each.in_subject]
    if any(_names_thing(each, sides) for each in in_subject):
        return True
    if 0 < len(in_subject) < sum(not each.loose for each in found):
        return True
    return _are_events(sides) or _another_attribute(sides)


def are_labelled(sides: Sides) -> bool:
    """Whether a label, a path or the place in a row tells which thing is meant.

    >>> from trustmem.core.sides import Said
    >>> are_labelled(Sides(Said("Build 7: moved to Porto"), Said("Build 8: moved to Rome")))
    True
    """
    return _enumerated(sides) or any(
        each.kind in (PATHS, NUMBERS) and _names_thing(each, sides) for each in sides.exchanges if each.in_subject
    )


def _enumerated(sides: Sides) -> bool:
    """Whether both begin with their place in a row, and another one: "1. …", "Step 2: …"."""
    one, other = (_place_in_row(reading) for reading in (sides.left, sides.right))
    return one != other and bool(one and other)


def _place_in_row(reading: Reading) -> str:
    if reading.tokens and reading.tokens[0].key.startswith("#"):
        return reading.tokens[0].key
    for last, token in zip(reading.tokens[:2], reading.tokens[1:3], strict=False):
        if token.kind == NUMBER and not token.before and last.key in reading.lexicon.labels:
            return token.key
    return ""


def _names_thing(found: Exchange, sides: Sides) -> bool:
    """Whether an exchange in the subjects tells which thing is meant. It does not where two persons are named of whom
    one event is told, or who are among several ("Ana and Ben …", "Ana and Eva …"): only one of both can be right."""
    if found.kind == NUMBERS:
        return is_label(sides.left, found.left[0]) or is_label(sides.right, found.right[0])
    if found.kind != NAMES or not (_is_person(found.left) and _is_person(found.right)):
        return found.kind != ANTONYMS
    joined = _is_joined(sides.left, found.left) or _is_joined(sides.right, found.right)
    return not joined and sides.beyond[0] < _LEAST_OF_ONE_EVENT


def _is_person(side: tuple[Token, ...]) -> bool:
    return all(token.kind == NAME and (token.shown.istitle() or token.shown.isupper()) for token in side)


def _is_joined(reading: Reading, side: tuple[Token, ...]) -> bool:
    """Whether something is one of several of which a claim is made: "Ana and Ben"."""
    places = [place for place, token in enumerate(reading.tokens) if token is side[0] or token is side[-1]]
    near = [
        reading.tokens[at].key for place in places for at in (place - 1, place + 1) if 0 <= at < len(reading.tokens)
    ]
    return any(key in reading.lexicon.joins for key in near)


def is_label(reading: Reading, token: Token) -> bool:
    """Whether a number tells which, and not how many: "Phase 1", "python 3.9", "PR #6".

    >>> from trustmem.core.reading import read
    >>> one, other = read("Phase 1 is done"), read("242 tests pass")
    >>> is_label(one, one.tokens[1]), is_label(other, other.tokens[0])
    (True, False)
    """
    place = next(place for place, each in enumerate(reading.tokens) if each is token)
    if not place or token.before:
        return False
    last = reading.tokens[place - 1]
    return last.key in reading.lexicon.labels or (place < reading.verb and last.kind not in (STOP, NUMBER))


def _are_events(sides: Sides) -> bool:
    """Whether both tell of what was done or is to be done, or of some thing, and not of whom or which; then only
    another count tells of a conflict."""
    opens = {sides.left.opens, sides.right.opens}
    if not opens & _OF_NOTHING_NAMED or (opens == {UNREAD} and sides.about == PARTLY):
        return False
    first, *rest = sides.exchanges
    if first.kind == ANTONYMS or _is_one_slot(sides):
        return False
    if first.kind != NUMBERS or (rest and INDEFINITE in opens):
        return True
    if is_label(sides.left, first.left[0]) or is_label(sides.right, first.right[0]):
        return True
    return bool(rest) and _in_one_phrase(sides.left, first.left[-1], rest[0].left[0])


def _is_one_slot(sides: Sides) -> bool:
    """Whether of one thing, which was given, both tell the same but for one thing: "Lives in Porto", "Lives in Rome";
    and not of something that it may have several of."""
    if sides.fields != SAME or {sides.left.opens, sides.right.opens} != {ELIDED} or not sides.differs_once:
        return False
    verb, *rest = sides.left.tokens
    bound = bool(rest) and rest[0].key in sides.left.lexicon.prepositions  # "works from" is of one place
    return (bound or verb.key not in sides.left.lexicon.several) and sides.exchanges[0].place[0] > 0


def _in_one_phrase(reading: Reading, one: Token, other: Token) -> bool:
    """Whether nothing but words of substance stands between two tokens."""
    places = [place for place, token in enumerate(reading.tokens) if token is one or token is other]
    between = reading.tokens[places[0] + 1 : places[-1]]
    return not any(token.kind == STOP or token.before or is_verb(token, reading.lexicon) for token in between)


def _another_attribute(sides: Sides) -> bool:
    """Whether something else is told of the thing: both begin with another word, or have another verb and more."""
    found = [each for each in sides.exchanges if not each.loose]
    if not found or found[0].kind in (ANTONYMS, NUMBERS):
        return False
    first = found[0]
    if first.place == (0, 0) and first.kind == WORDS:
        return True
    return len(found) > 1 and first.place[0] <= sides.left.verb > 0 and first.place[1] <= sides.right.verb
