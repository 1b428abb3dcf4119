"""Order: who does it to whom, where two texts have the same words."""

from trustmem.core.conflict import Conflict
from trustmem.core.reading import NAMED, Reading
from trustmem.core.sides import OTHER, PARTLY, UNKNOWN, Sides
from trustmem.core.tokens import DATE, MARK, NUMBER, STOP, Token

_AGENT, _OBJECT = "agent", "object"
#: Of what is said beside names so much has to be the same where a claim is told of one and of another.
_LEAST_TOLD = 0.5
_DOERS = frozenset({"by", "por"})


def order(sides: Sides) -> Conflict | None:
    """The same words in other parts: who does it, to whom, from where, before what. Where words stand and join alike
    ("tea and coffee"), or move with what binds them ("in Porto"), their order changes nothing.

    >>> from trustmem.core.sides import Said
    >>> order(Sides(Said("Ana manages Ben"), Said("Ben manages Ana"))).features
    {'exchanged': [['Ana', 'Ben']]}
    >>> order(Sides(Said("Ana lives in Porto"), Said("In Porto, Ana lives")))
    """
    if sides.left.content == sides.right.content and sides.gaps:
        return _swapped(sides.left, sides.right)
    return _traded(sides)


def _swapped(left: Reading, right: Reading) -> Conflict | None:
    if left.content & left.lexicon.mutual:
        return None
    one, other = parts(left), parts(right)
    moved = moved_parts(left, right)
    for place, first in enumerate(moved):
        for second in moved[place + 1 :]:
            if one[first] == other[second] and one[second] == other[first]:
                shown = {token.stem: token.shown for token in left.tokens}
                return Conflict("order", {"exchanged": [[shown[first], shown[second]]]})
    return None


def moved_parts(left: Reading, right: Reading) -> list[str]:
    """The words (stems) that play one part on the left and another on the right.

    >>> from trustmem.core.reading import read
    >>> moved_parts(read("Ana manages Ben"), read("Ben manages Ana"))
    ['ana', 'ben']
    """
    one, other = parts(left), parts(right)
    return [stem for stem, part in one.items() if stem in other and part != other[stem]]


def _traded(sides: Sides) -> Conflict | None:
    """The same told of one thing that the other text tells of another, which both know."""
    left, right = sides.left, sides.right
    if sides.fields != UNKNOWN or NAMED not in (left.opens, right.opens) or sides.about not in (OTHER, PARTLY):
        return None
    ones, others = left.subject & left.names, right.subject & right.names
    if not ((ones - others) & right.names or (others - ones) & left.names):
        return None
    rest = [reading.content - reading.names for reading in (left, right)]
    least = min(map(len, rest))
    if not least or len(rest[0] & rest[1]) < _LEAST_TOLD * least:
        return None
    shown = [" ".join(token.shown for token in r.tokens[: r.verb] if token.stem in r.names) for r in (left, right)]
    return Conflict("order", {"exchanged": [shown]})


def _passive(reading: Reading) -> bool:
    return any(token.key in _DOERS for token in reading.tokens[reading.verb :])


def parts(reading: Reading) -> dict[str, str]:
    """The part that each word plays: a preposition that binds it, else whether it does or suffers what the verb says;
    of a number, what it counts.

    >>> from trustmem.core.reading import read
    >>> parts(read("Ana moved from Porto to Lisbon"))
    {'ana': 'agent', 'mov': 'object', 'porto': 'from', 'lisbon': 'to'}
    """
    found: dict[str, str] = {}
    before = _OBJECT if _passive(reading) else _AGENT
    lexicon, bound = reading.lexicon, ""
    for place, token in enumerate(reading.tokens):
        if token.kind in (STOP, MARK):
            bound = token.key if token.key in lexicon.prepositions else bound
            continue
        if token.kind in (NUMBER, DATE):
            part = _counted(reading.tokens, place) or bound
        else:
            part = bound or (before if place < reading.verb else _OBJECT)
        found.setdefault(token.stem, _AGENT if part in _DOERS else part)
        after = reading.tokens[place + 1 : place + 2]
        listed = after and after[0].before == "," and place >= reading.verb
        if not (listed or (after and after[0].key in lexicon.joins)):
            bound = ""
    return found


def _counted(tokens: tuple[Token, ...], place: int) -> str:
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    return after.stem if after and after.kind not in (STOP, MARK, NUMBER, DATE) and not after.before else ""
