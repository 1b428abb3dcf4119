"""Readings: what the detector of contradictions sees in one text, before it is compared with any other."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from trustmem.core.lexicon import Lexicon, words
from trustmem.core.restatement import word_set
from trustmem.core.tokens import DATE, MARK, NAME, NUMBER, PATH, STOP, WORD, Token, is_verb, language, tokens

_TICKS = frozenset("✅✓✔☑") | {"[x]"}
_BOXES = frozenset("☐⏳🚧") | {"[ ]"}
#: How a text begins: with what it is about, or else.
NAMED, PLAIN, UNREAD, FIRST, INDEFINITE, EVENT, ORDER, ELIDED = (
    "named",
    "plain",
    "unread",
    "first person",
    "indefinite",
    "event",
    "order",
    "elided",
)


#: So far into a text its subject can reach, and so far what is due is said.
_LONGEST_SUBJECT, _HEAD = 24, 12
#: What was left by a change stands so near behind the word of change, and has so many words.
_BESIDE, _LONGEST_LEFT = 2, 6
_ARTICLES = words("the a an this that its their his her el la los las un una")
_RELATIVES = words("to that which who when where if que quien cuando donde")
#: Words of which there are many without an ending that tells.
_MANY = words("people men women children they we you i everyone")
#: Verbs that stand beside one thing without an ending that tells.
_BENT = words(
    """
    became began built came drank drove ate found fought gave got went grew held hired kept knew led left lost made
    meant met paid ran read said sang sat saw sent set sold slept spoke spent stood took taught told thought threw won
    wore wrote
    """
)


class Reading(NamedTuple):
    """One text as it is compared. `verb` is the place of the token with which the subject is over (0 where it has
    none); `subject` the stems of what stands before it, `content` those of all that is claimed. `denials` are the
    places of what denies, `changes` the words of change, `left` the stems of what was left by
    one ("moved from Porto"), `status` is "done", "due" or ''."""

    lexicon: Lexicon
    tokens: tuple[Token, ...]
    words: frozenset[str]
    content: frozenset[str]
    names: frozenset[str]
    subject: frozenset[str]
    verb: int
    opens: str
    denials: tuple[int, ...]
    quantities: frozenset[str]
    changes: tuple[str, ...]
    left: frozenset[str]
    status: str


@lru_cache(1 << 10)
def read(text: str) -> Reading:
    """The reading of a text; the last ones are kept.

    >>> found = read("Ana does not use Redis")
    >>> sorted(found.subject), found.verb, [found.tokens[place].key for place in found.denials]
    (['ana'], 1, ['not'])
    """
    lexicon = language(text)
    found = tokens(text, lexicon)
    verb, opens = _opening(found, lexicon)
    return Reading(
        lexicon,
        tuple(found),
        word_set(text),
        frozenset(_content(found, lexicon)),
        frozenset(token.stem for token in found if token.kind in (NAME, PATH)),
        frozenset(_content(found[:verb], lexicon)),
        verb,
        opens,
        _denials(found, lexicon),
        frozenset(token.key for token in found if _is_quantity(token.key, lexicon)),
        tuple(sorted({" ".join(phrase) for _, phrase in _occurring(found, lexicon.changes)})),
        _left(found, lexicon),
        _status(found, lexicon, opens),
    )


def _denials(found: list[Token], lexicon: Lexicon) -> tuple[int, ...]:
    forgiven, denying = _places(found, lexicon.forgiven), _places(found, lexicon.denying)
    return tuple(
        place
        for place, token in enumerate(found)
        if place not in forgiven and (place in denying or token.key in lexicon.negations)
    )


def _left(found: list[Token], lexicon: Lexicon) -> frozenset[str]:
    """What a text says was left by a change: behind the word for that, which stands right after the word of change, or
    in scripts without spaces anywhere."""
    after = {place + len(phrase) for place, phrase in _occurring(found, lexicon.changes)}
    stems = set[str]()
    for place, token in enumerate(found):
        near = lexicon.code == "han" or not after.isdisjoint(range(place - _BESIDE, place + 1))
        if after and token.key in lexicon.origins and near:
            ahead = found[place + 1 : place + 1 + _LONGEST_LEFT]
            ends = (at for at, each in enumerate(ahead) if each.kind in (STOP, MARK) or (at and each.before))
            stems.update(each.stem for each in ahead[: next(ends, len(ahead))])
    return frozenset(stems)


def _is_quantity(key: str, lexicon: Lexicon) -> bool:
    return key in lexicon.universal or key in lexicon.partial or key in lexicon.exclusive


def _content(found: list[Token], lexicon: Lexicon) -> list[str]:
    """The stems of what a text claims, dates by their parts, too."""
    stems = []
    for token in found:
        if token.kind in (STOP, MARK) or token.key in lexicon.negations:
            continue
        stems.append(token.stem)
        if token.kind == DATE:
            stems.extend(part for part in token.key.split("-") if len(part) == 4)
    return stems


def _places(found: list[Token], phrases: frozenset[tuple[str, ...]]) -> set[int]:
    """The places of the tokens that make one of the phrases."""
    held: set[int] = set()
    for place, phrase in _occurring(found, phrases):
        held.update(range(place, place + len(phrase)))
    return held


def _occurring(found: Sequence[Token], phrases: frozenset[tuple[str, ...]]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Where which phrase stands."""
    heads = _by_head(phrases)
    for place, token in enumerate(found):
        for phrase in heads.get(token.key, ()):
            if tuple(each.key for each in found[place : place + len(phrase)]) == phrase:
                yield place, phrase


@lru_cache(32)
def _by_head(phrases: frozenset[tuple[str, ...]]) -> dict[str, list[tuple[str, ...]]]:
    heads: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrases):
        heads.setdefault(phrase[0], []).append(phrase)
    return heads


def _opening(found: list[Token], lexicon: Lexicon) -> tuple[int, str]:
    """Where the subject is over, and how the text begins."""
    start = next((place for place, token in enumerate(found) if not _is_aside(token, lexicon)), 0)
    head = found[start : start + _LONGEST_SUBJECT]
    if not head:
        return 0, ELIDED
    first = head[0]
    over = next((place for place in range(1, len(head)) if _ends(head, place, lexicon)), 0)
    if first.key in lexicon.first_person:
        return start + (over or 1), FIRST
    if first.key in lexicon.orders and over != 1 and not _is_noun(head, over, lexicon):
        return start, ORDER
    if first.kind == WORD and is_verb(first, lexicon) and not _is_noun(head, over, lexicon):
        return start, EVENT if first.key.endswith("ed") else ELIDED
    if (first.key in lexicon.indefinite and first.kind != NAME) or (first.kind == NUMBER and over):
        return start + over, INDEFINITE
    if not over:
        return start, UNREAD
    return start + over, NAMED if any(token.kind == NAME for token in head[:over]) else PLAIN


def _is_aside(token: Token, lexicon: Lexicon) -> bool:
    """Whether a text may open with this before it begins: a tick, "Successfully"."""
    free = token.key in lexicon.filler - _ARTICLES or (lexicon.code == "en" and token.key.endswith("ly"))
    return free or token.kind in (MARK, DATE)


def _is_noun(head: list[Token], over: int, lexicon: Lexicon) -> bool:
    """Whether a first word that might be a verb is what a text is about: another verb follows in the same clause."""
    if over <= 1 or head[over].key not in lexicon.auxiliaries:
        return over == 1 and head[0].key.endswith("s") and not head[1].before
    return not any(token.before or token.key in lexicon.joins or token.key in _RELATIVES for token in head[1:over])


def _ends(head: list[Token], place: int, lexicon: Lexicon) -> bool:
    """Whether the subject is over before this token."""
    token, last = head[place], head[place - 1]
    if token.before and token.before in ":=→—":
        return True
    if token.kind == STOP:
        return token.key in lexicon.auxiliaries
    if token.kind != WORD or (last.kind == STOP and (last.key in lexicon.prepositions or last.key in _ARTICLES)):
        return False
    if token.key in lexicon.negations:
        return last.kind in (WORD, NAME, NUMBER)
    named = (last.kind == NAME or (last.kind == NUMBER and place > 1)) and token.shown[:1].islower()
    if lexicon.code == "en" and token.kind == WORD:
        if token.key.endswith(("s", "ed")) and not token.key.endswith("ss"):
            return named or (is_verb(token, lexicon) and not (place == 1 and last.kind == NUMBER))
        plural = (last.key.endswith("s") or last.key in _MANY) and not last.shown.isupper()
        return is_verb(token, lexicon) and (plural or last.kind == STOP or token.key in _BENT or _joined(head, place))
    return is_verb(token, lexicon)


def _joined(head: list[Token], place: int) -> bool:
    return any(token.key in ("and", "both") for token in head[:place])


def _status(found: list[Token], lexicon: Lexicon, opens: str) -> str:
    """Whether a text tells of what is done or of what is due, '' for neither."""
    marks = {token.key for token in found if token.kind == MARK}
    if marks & _TICKS:
        return "done"
    if marks & _BOXES or opens == ORDER or any(True for _ in _occurring(found[:_HEAD], lexicon.due)):
        return "due"
    head = [token.key for token in found[:2]]
    return "done" if opens == EVENT or any(key in lexicon.done for key in head) else ""
