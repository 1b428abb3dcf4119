"""Exchange: what stands in one text where something else stands in another."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trustmem.core.lexicon import Lexicon
from trustmem.core.measures import number
from trustmem.core.reading import Reading
from trustmem.core.tokens import DATE, MARK, NAME, NUMBER, PATH, STOP, WORD, Token

#: What can be exchanged.
ANTONYMS, NUMBERS, NAMES, PATHS, KINDS, WORDS = ("antonym", "number", "name", "path", "kind", "word")
#: Of one token no more places are tried than this.
_REPEATED = 16
#: A word of so many letters that differs in one amid it is the same word, spelled another way.
_SPELLED = 7
#: Numbers below this are told exactly: 1.5 is not 2.
_ROUNDED = 10
#: A word of so many letters is of a kind with one that has one of these endings beside.
_ROOT, _ENDINGS = 5, ("n", "an", "ian", "ese", "ish")
#: So long a word has to be that a prefix denies: "unsealed", not "into".
_DENIED = 4
#: In stretches of no more tokens than this, one word opposed to another tells of the same.
_SHORT = 4


class Exchange(NamedTuple):
    """What was exchanged: one of the kinds above, the tokens of the left and of the right, where the stretches begin,
    whether they belong to the subjects of both, and whether they stand anywhere (`loose`)."""

    kind: str
    left: tuple[Token, ...]
    right: tuple[Token, ...]
    place: tuple[int, int]
    in_subject: bool
    loose: bool

    @property
    def shown(self) -> list[str]:
        """As a reviewer reads it: left and right."""
        return [" ".join(token.shown for token in side) for side in (self.left, self.right)]


class Gap(NamedTuple):
    """A stretch of both texts, as half-open ranges, between two tokens that they share; one of them may be empty."""

    left: int
    left_end: int
    right: int
    right_end: int


def gaps(left: Reading, right: Reading) -> list[Gap]:
    """The stretches in which two texts differ, in order, around the longest run of tokens that both have.

    >>> from trustmem.core.reading import read
    >>> gaps(read("Ana lives in Porto"), read("Ana lives in Lisbon"))
    [Gap(left=3, left_end=4, right=3, right_end=4)]
    """
    one, other = [token.stem for token in left.tokens], [token.stem for token in right.tokens]
    found, at_left, at_right = [], 0, 0
    for i, j in [*_common(one, other), (len(one), len(other))]:
        if i > at_left or j > at_right:
            found.extend(_parted(Gap(at_left, i, at_right, j), left.verb, right.verb))
        at_left, at_right = i + 1, j + 1
    return found


def _parted(gap: Gap, verb: int, other: int) -> list[Gap]:
    """A gap that holds the ends of both subjects as two gaps, of which the first is in the subjects."""
    if gap.left < verb < gap.left_end and gap.right < other < gap.right_end:
        return [Gap(gap.left, verb, gap.right, other), Gap(verb, gap.left_end, other, gap.right_end)]
    return [gap]


def _common(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """The places of a longest common run of two sequences, by the method of Hunt and Szymanski (1977). Of what is
    repeated over and over, the first places count."""
    least = min(len(one), len(other))
    start = next((k for k in range(least) if one[k] != other[k]), least)
    end = next((k for k in range(least - start) if one[-1 - k] != other[-1 - k]), least - start)
    where: dict[str, list[int]] = {}
    for j in range(start, len(other) - end):
        where.setdefault(other[j], []).append(j)
    ends: list[int] = []  # of the shortest run of each length so far
    heads: list[int] = []  # the link that ends it
    links: list[tuple[int, int, int]] = []
    for i in range(start, len(one) - end):
        for j in reversed(where.get(one[i], ())[:_REPEATED]):
            length = bisect_left(ends, j)
            links.append((i, j, heads[length - 1] if length else -1))
            ends[length : length + 1], heads[length : length + 1] = [j], [len(links) - 1]
    middle: list[tuple[int, int]] = []
    link = heads[-1] if heads else -1
    while link >= 0:
        i, j, link = links[link]
        middle.append((i, j))
    tail = [(len(one) - end + k, len(other) - end + k) for k in range(end)]
    return [(k, k) for k in range(start)] + middle[::-1] + tail


def exchanges(left: Reading, right: Reading, differing: Sequence[Gap]) -> list[Exchange]:
    """What was exchanged in these gaps, in order; then names and numbers that only one has, for such as only the other
    has, wherever they stand (`loose`).

    >>> from trustmem.core.reading import read
    >>> one, other = read("Ana waits 5 ms in Porto"), read("Ana waits 5 s in Lisbon")
    >>> [(found.kind, found.shown) for found in exchanges(one, other, gaps(one, other))]
    [('number', ['5 ms', '5 s']), ('name', ['Porto', 'Lisbon'])]
    """
    found: list[Exchange] = []
    used: set[int] = set()
    for gap in differing:
        if gap.left == gap.left_end or gap.right == gap.right_end:
            continue
        in_subject = gap.left_end <= left.verb and gap.right_end <= right.verb
        for kind, ones, others in _exchanged(left, right, gap):
            if _is_subject_alone(left, right, gap, kind):
                continue
            used.update(map(id, (*ones, *others)))
            found.append(Exchange(kind, tuple(ones), tuple(others), (gap.left, gap.right), in_subject, False))
    found += _loose(left, right, used)
    return found or _repeated(left, right, differing)


def _loose(left: Reading, right: Reading, used: set[int]) -> list[Exchange]:
    """Names, and numbers, that only the one has, for those that only the other has."""
    found = []
    for kind, kinds in ((NAMES, {NAME}), (NUMBERS, {NUMBER, DATE})):
        ones, others = _alone(left, right, kinds, used), _alone(right, left, kinds, used)
        if not ones or not others or any(is_same(one, other) for _, one in ones for _, other in others):
            continue
        in_subject = ones[-1][0] < left.verb and others[-1][0] < right.verb
        one, other = (tuple(token for _, token in side) for side in (ones, others))
        found.append(Exchange(kind, one, other, (ones[0][0], others[0][0]), in_subject, True))
    return found


def _alone(own: Reading, other: Reading, kinds: set[int], used: set[int]) -> list[tuple[int, Token]]:
    """The tokens of these kinds, by place, that only one text has, and that are in no exchange yet."""
    return [
        (place, token)
        for place, token in enumerate(own.tokens)
        if token.kind in kinds and id(token) not in used and _substance([token], own, other)
    ]


def _repeated(left: Reading, right: Reading, differing: Sequence[Gap]) -> list[Exchange]:
    """The one exchange of two texts that differ nowhere else, though its words stand elsewhere in them."""
    if len(differing) != 1:
        return []
    gap = differing[0]
    one = tuple(token for token in left.tokens[gap.left : gap.left_end] if token.stem in left.content)
    other = tuple(token for token in right.tokens[gap.right : gap.right_end] if token.stem in right.content)
    if not one or not other or any(is_same(each, its) for each in one for its in other):
        return []
    in_subject = gap.left_end <= left.verb and gap.right_end <= right.verb
    return [Exchange(_kind(list(one), list(other), left), one, other, (gap.left, gap.right), in_subject, False)]


def _is_subject_alone(left: Reading, right: Reading, gap: Gap, kind: str) -> bool:
    """Whether a name is what the one text is about, and the other has none there: "She …", "Ana …"."""
    before = (gap.left_end <= left.verb, gap.right_end <= right.verb)
    return kind == NAMES and before[0] != before[1] and not (left.subject and right.subject)


def _exchanged(left: Reading, right: Reading, gap: Gap) -> Iterator[tuple[str, list[Token], list[Token]]]:
    ones, others = list(left.tokens[gap.left : gap.left_end]), list(right.tokens[gap.right : gap.right_end])
    for place, one in enumerate(list(ones)):
        found = [(at, each) for at, each in enumerate(others) if is_opposite(one.key, each.key, left.lexicon)]
        if found and (place == found[0][0] or max(len(ones), len(others)) <= _SHORT):
            ones.remove(one)
            others.remove(found[0][1])
            yield ANTONYMS, [one], [found[0][1]]
    ones, others = _substance(ones, left, right), _substance(others, right, left)
    for one in list(ones):
        other = next((each for each in others if is_same(one, each)), None)
        if other:
            ones.remove(one)
            others.remove(other)
    numbers = [[token for token in side if token.kind in (NUMBER, DATE)] for side in (ones, others)]
    if all(numbers):
        yield NUMBERS, numbers[0], numbers[1]
        ones, others = ([token for token in side if token.kind not in (NUMBER, DATE)] for side in (ones, others))
    if ones and others:
        yield _kind(ones, others, left), ones, others


def _substance(side: list[Token], own: Reading, other: Reading) -> list[Token]:
    """What is claimed in a gap, and nowhere in the other text."""
    lexicon = own.lexicon
    return [
        token
        for token in side
        if token.kind not in (STOP, MARK)
        and token.stem not in other.content
        and token.key not in lexicon.filler
        and (token.key not in lexicon.negations or token.before == ":")
        and token.key not in own.quantities
    ]


def _kind(ones: list[Token], others: list[Token], reading: Reading) -> str:
    if any(token.kind == PATH for token in ones) and any(token.kind == PATH for token in others):
        return PATHS
    groups = reading.lexicon.groups
    held = {groups[token.key] for token in ones if token.key in groups}
    is_short = max(len(ones), len(others)) <= _SHORT
    if is_short and any(groups.get(token.key) in held for token in others):
        return KINDS
    named = all(any(token.kind == NAME for token in side) for side in (ones, others))
    return NAMES if named else WORDS


def is_opposite(one: str, other: str, lexicon: Lexicon) -> bool:
    """Whether one word is opposed to the other, or is the other denied by how it begins.

    >>> from trustmem.core.lexicon_english import ENGLISH
    >>> is_opposite("enabled", "disabled", ENGLISH), is_opposite("sealed", "unsealed", ENGLISH)
    (True, True)
    """
    if other in lexicon.opposites.get(one, ()):
        return True
    if one[-_DENIED:] != other[-_DENIED:]:
        return False
    short, long = sorted((one, other), key=len)
    return len(short) >= _DENIED and any(long == prefix + short for prefix in lexicon.prefixes)


def is_same(one: Token, other: Token) -> bool:
    """Whether two tokens, as they stand in place of each other, are one thing: a word spelled another way, or a number
    rounded.

    >>> from trustmem.core.lexicon_english import ENGLISH
    >>> from trustmem.core.tokens import tokens
    >>> [is_same(*tokens(pair, ENGLISH)) for pair in ("gregarian gregorian", "82.25% 82.3%", "kafka kafta")]
    [True, True, False]
    """
    if one.kind == other.kind == NUMBER:
        return _is_rounded(one, other)
    if one.kind in (WORD, NAME) and other.kind in (WORD, NAME) and one.key[0] == other.key[0]:
        return _is_respelled(one.key, other.key) or _is_kin(one.key, other.key)
    return False


def _is_rounded(one: Token, other: Token) -> bool:
    """Whether one number is the other with fewer digits, of the same unit: "82.25 years", "82.3 years". Without a unit
    it may be a version."""
    (digits, unit), (others, of_other) = ((written.partition(" ")[::2]) for written in (one.shown, other.shown))
    values = [number(written)[1] for written in (digits, others)]
    if values[0] is None or values[1] is None or unit != of_other or not (unit or "%" in digits):
        return False
    after_point = [len(written.partition(".")[2].rstrip("%")) for written in (digits, others)]
    (few, short), (many, long) = sorted(zip(after_point, (values[0], values[1]), strict=True))
    return few < many and abs(long) >= _ROUNDED and abs(long - short) <= 0.5 * 10.0**-few


def _is_kin(one: str, other: str) -> bool:
    """Whether one word is the other with an ending that tells of whom or where: "Jamaica", "Jamaican"."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _ROOT and any(long in (short + ending, short[:-1] + ending) for ending in _ENDINGS)


def _is_respelled(one: str, other: str) -> bool:
    """Whether two long words differ in one letter, neither the first nor the last."""
    if abs(len(one) - len(other)) > 1 or min(len(one), len(other)) < _SPELLED:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    short, long = sorted((one, other), key=len)
    rest = long[start + 1 :]
    return bool(rest) and rest == (short[start + 1 :] if len(short) == len(long) else short[start:])
