"""Same: whether two texts claim the same in other signs, and nothing of substance was exchanged (section 9.3)."""

from trustmem.core.order import moved_parts
from trustmem.core.reading import Reading
from trustmem.core.sides import OTHER, Sides
from trustmem.core.tokens import MARK


def are_same(sides: Sides) -> bool:
    """Whether two texts have the same words in the same parts, but for those that may be added freely (articles,
    "also"). Letter case, punctuation, how a number, a date or a unit is written, and sure synonyms tell none apart; a
    bent word, another preposition or anything added does.

    >>> from trustmem.core.sides import Said
    >>> are_same(Sides(Said("The tests take 5 seconds."), Said("tests take five s")))
    True
    >>> are_same(Sides(Said("Ana lives in Porto"), Said("Ana lived in Porto")))
    False
    """
    if sides.fields == OTHER or sides.left.status != sides.right.status:
        return False
    one, other = _keys(sides.left), _keys(sides.right)
    if one == other:
        return bool(one) or sides.left.words == sides.right.words
    if sorted(one) != sorted(other):
        return False
    return _content(sides.left) == _content(sides.right) or len(moved_parts(sides.left, sides.right)) < 2


def _keys(reading: Reading) -> list[str]:
    free = reading.lexicon.filler
    return [
        token.key
        for token in reading.tokens
        if token.key not in free and (token.kind != MARK or token.key.startswith("#"))
    ]


def _content(reading: Reading) -> list[str]:
    return [token.stem for token in reading.tokens if token.stem in reading.content]
