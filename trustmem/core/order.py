"""Order: who does it to whom, where two texts have the same words."""

from itertools import combinations
from typing import NamedTuple

from trustmem.core.conflict import Conflict
from trustmem.core.reading import NAMED, Reading
from trustmem.core.sides import OTHER, PARTLY, UNKNOWN, Sides
from trustmem.core.tokens import DATE, MARK, NUMBER, STOP, Token, is_verb

_AGENT, _OBJECT = "agent", "object"
#: Of what is said beside names so much has to be the same where a claim is told of one and of another.
_LEAST_TOLD = 0.5
_DOERS = frozenset({"by", "por"})


class Part(NamedTuple):
    """What part a word plays: its `role` is the preposition that binds it to the word at its `head`, else whether it
    does or suffers what the verb says; of a number, what it counts."""

    head: str
    role: str


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
    for first, second in combinations(moved_parts(left, right), 2):
        if _alike(one[first], other[second], first, second) and _alike(one[second], other[first], first, second):
            shown = {token.stem: token.shown for token in left.tokens}
            return Conflict("order", {"exchanged": [[shown[first], shown[second]]]})
    return None


def _alike(one: Part, other: Part, first: str, second: str) -> bool:
    """Whether two parts are one, be it that either word stands for the other at their head."""
    return one.role == other.role and (one.head == other.head or {one.head, other.head} == {first, second})


def moved_parts(left: Reading, right: Reading) -> list[str]:
    """The words (stems) that play one part on the left and another on the right.

    >>> from trustmem.core.reading import read
    >>> moved_parts(read("Ana manages Ben"), read("Ben manages Ana"))
    ['ana', 'ben']
    """
    one, other = parts(left), parts(right)
    return [stem for stem, part in one.items() if stem in other and _is_moved(part, other[stem])]


def _is_moved(one: Part, other: Part) -> bool:
    """Whether two parts differ; at the begin of a sentence nothing is at the head of what a preposition binds."""
    return one.role != other.role or (one.head != other.head and bool(one.head and other.head))


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


def parts(reading: Reading) -> dict[str, Part]:
    """The part that each word plays.

    >>> from trustmem.core.reading import read
    >>> for stem, part in parts(read("Ana moved from Porto to Lisbon")).items():
    ...     print(stem, *part)
    ana  agent
    mov  object
    porto mov from
    lisbon mov to
    """
    found: dict[str, Part] = {}
    before = _OBJECT if _passive(reading) else _AGENT
    lexicon, bound, head = reading.lexicon, "", ""
    for place, token in enumerate(reading.tokens):
        if token.kind in (STOP, MARK):
            bound = token.key if token.key in lexicon.prepositions else bound
            continue
        role = _counted(reading.tokens, place) if token.kind in (NUMBER, DATE) else ""
        role = role or bound or (before if place < reading.verb else _OBJECT)
        found.setdefault(token.stem, Part(head if bound else "", _AGENT if role in _DOERS else role))
        head = head if bound else token.stem
        if not _is_listed(reading, place):
            bound = ""
    return found


def _is_listed(reading: Reading, place: int) -> bool:
    """Whether the word after this one plays the same part beside it: "tea and coffee", "tea, coffee"."""
    after = reading.tokens[place + 1 : place + 3]
    if not after or after[0].key not in reading.lexicon.joins:
        return bool(after) and after[0].before == "," and place >= reading.verb
    return len(after) > 1 and not is_verb(after[1], reading.lexicon)


def _counted(tokens: tuple[Token, ...], place: int) -> str:
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    return after.stem if after and after.kind not in (STOP, MARK, NUMBER, DATE) and not after.before else ""
