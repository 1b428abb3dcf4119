"""Texts of facts as people are shown them: whatever they hold, people see what is there and nothing moves."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len

from trustmem.explanations.lookalikes import lookalikes

#: What leaves no mark of its own, directs the terminal, or moves what stands around it.
_HIDING = (
    "\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\U000f0000-\U0010ffff"
)
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
_SUSPECT = re.compile(
    "|".join(
        (
            # The flags of England, Scotland and Wales are written so, and no others.
            "(?P<flag>\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
            "|\U000e0077\U000e006c\U000e0073)\U000e007f)",
            "(?P<tags>[\U000e0020-\U000e007e]+)",
            f"(?P<pile>(?<={_MARK}{{4}}){_MARK}+)",
            "(?P<again>(?P<one>[\u0591-\u1cff\ua66f-\uabed])(?P=one){2,})",
            f"(?P<hiding>\r\n|[{_HIDING}])",
        )
    )
)

#: What any of these begins or goes on with, to pass quickly over texts without.
_CANDIDATE = re.compile(
    f"[{_HIDING}\u0300-\u036f\u0483-\u0489\u0591-\u1cff\u1dc0-\u1dff\u20d0-\u20ff\ua66f-\uabed\U0001f3f4]"
)

_CURSIVE = "\u0620-\u074f\u0750-\u077f\u07ca-\u07f5\u0840-\u085b\u0860-\u08ff\u1820-\u18aa\ufb50-\ufdfb\ufe70-\ufefc"
_INDIC = (
    "\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff\u1900-\u1aad\u1b00-\u1c4f\ua800-\uaaff\uabc0-\uabff\U00011000-\U00011fff"
)
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u103a\u17d2"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u1aad"
_PICTURE = "\u00a9\u00ae\u203c-\u2049\u2122-\u27bf\u2934-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
#: What hides where writing needs it.
_NEEDED = re.compile(
    "|".join(
        (
            f"(?<=[{_CURSIVE}])(?:\u200d|\u200c(?=[^\\s{_HIDING}]))|(?<=[^\\s{_HIDING}])[\u200c\u200d](?=[{_CURSIVE}])",
            f"(?<=[{_INDIC}])[\u200c\u200d](?=[{_INDIC}])|(?<=[{_VIRAMA}])[\u200c\u200d]",
            f"(?<=[{_UNSPACED}])\u200b",  # a break between words that have no space between them
            f"(?<=[{_PICTURE}\ufe0f])\u200d(?=[{_PICTURE}])|(?<=[{_PICTURE}])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)",
            f"(?<=[{_HAN}])[\ufe00-\ufe02\U000e0100-\U000e010f]",  # as names have them
            "(?<=[\u1820-\u18aa])[\u180b-\u180f]",
            "(?<=[\u2800-\u28ff])\u2800|\u2800(?=[\u2801-\u28ff])",
        )
    )
)
#: The sign of a line end, which hides nothing.
LINE_END = "␤"
_MOST_POINTS = 2
_DIRECTING = "\u061c\u200e\u200f"
_LETTER = re.compile(r"[^\W\d_]")
_FROM_RIGHT = re.compile(
    "(?=[^\\W\\d_])[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
#: How far away from a sign of direction letters are looked for.
_NEAR = 60
#: What belongs to the character before it, beside marks: joiners, tones of skin, the letters of a flag, parts of a
#: syllable, and a vowel of Thai and of Lao.
_GOES_ON = re.compile("[\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\u1160-\u11ff\u0e33\u0eb3]")
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")


class Mark(NamedTuple):
    """A place in a text that people are to see: both its ends, and the sign that stands instead of what stands there,
    or after it."""

    start: int
    end: int
    sign: str
    instead: bool


class Piece(NamedTuple):
    """A part of a text as it is shown: what of the text is seen, and the sign that stands there ('': all is plain)."""

    shown: str
    sign: str


def visible(text: str) -> str:
    """The text with a sign in place of every character that would hide, move or reorder something, and one after
    letters that pass for others."""
    return "".join(shown + sign for shown, sign in pieces(text))


def pieces(text: str) -> Iterator[Piece]:
    """The text in pieces: runs of what is plain, and each place with a sign.

    >>> [tuple(piece) for piece in pieces("to\\u200bday")]
    [('to', ''), ('', '<U+200B>'), ('day', '')]
    """
    return within(text, marks(text), 0, len(text))


def within(text: str, found: Sequence[Mark], start: int, end: int) -> Iterator[Piece]:
    """The pieces of a part of a text, all of whose marks were found; a sign goes to the part where its place begins."""
    place = start
    for mark in found[bisect_right(found, start, key=lambda mark: mark.end) :]:
        if mark.start >= end:
            break
        if mark.start > place:
            yield Piece(_flat(text[place : mark.start]), "")
        if mark.instead and mark.start >= start:
            yield Piece("", mark.sign)
        elif not mark.instead:
            yield Piece(text[max(mark.start, start) : min(mark.end, end)], mark.sign)
        place = mark.end
    if place < end:
        yield Piece(_flat(text[place:end]), "")


def _flat(text: str) -> str:
    return text.replace("\t", " ")


def marks(text: str) -> list[Mark]:
    """What people are to see in a text, in order: what hides, moves or reorders something, what passes for others."""
    if text.isascii() and text.isprintable():
        return []
    suspects = _SUSPECT.finditer(text) if _CANDIDATE.search(text) else ()
    found = [mark for suspect in suspects if (mark := _mark(suspect))]
    for start, end in () if text.isascii() else lookalikes(text):
        sign = points(text[start:end])
        if not text.startswith(sign, end):  # as it does in what was made visible before
            found.append(Mark(start, end, sign, False))
    return sorted(found)


def _mark(suspect: re.Match[str]) -> Mark | None:
    """What people see of a suspect; None: it stands as it is."""
    (start, end), found = suspect.span(), suspect[0]
    if suspect["tags"]:
        return Mark(start, end, f"<tags: {''.join(chr(ord(each) - 0xE0000) for each in found)}>", True)
    if suspect["pile"]:
        return Mark(start, end, f"<{len(found)} more marks>", True)
    if suspect["again"] and unicodedata.category(found[0]).startswith("M"):
        return Mark(start + 2, end, f"<{len(found) - 2} more marks>", True)
    if not suspect["hiding"] or _is_needed(suspect):
        return None
    return Mark(start, end, LINE_END if found in ("\n", "\r\n") else points(found), True)


def points(text: str) -> str:
    """A sign that names the first few characters by their code points.

    >>> points("\u200b")
    '<U+200B>'
    """
    named = [f"U+{ord(each):04X}" for each in text[:_MOST_POINTS]]
    return f"<{' '.join(named)}{' …' if len(text) > _MOST_POINTS else ''}>"


def names_of(letters: str) -> str:
    """What the first few letters are called by Unicode.

    >>> names_of("\u0430")
    'CYRILLIC SMALL LETTER A'
    """
    names = [unicodedata.name(each, f"U+{ord(each):04X}") for each in letters[:_MOST_POINTS]]
    return ", ".join(names) + (" …" if len(letters) > _MOST_POINTS else "")


def _is_needed(suspect: re.Match[str]) -> bool:
    """Whether something stands where writing needs it."""
    if suspect[0] not in _DIRECTING:
        return bool(_NEEDED.match(suspect.string, suspect.start()))
    # A sign of direction moves no letter, unlike all others of its kind. In texts written from right to left it is the
    # plain way to keep what stands between words and names of other letters in its place; elsewhere it is of no use.
    start, end = suspect.span()
    beside = _LETTER.findall(suspect.string, max(start - _NEAR, 0), start)[-1:]
    beside += _LETTER.findall(suspect.string, end, end + _NEAR)[:1]
    return any(map(_FROM_RIGHT.match, beside)) or _is_from_right(suspect.string)


@lru_cache(1)
def _is_from_right(text: str) -> bool:
    """Whether a good part of the letters of a text are written from right to left."""
    return 0 < len(_LETTER.findall(text)) <= 3 * len(_FROM_RIGHT.findall(text))


def graphemes(text: str) -> Iterator[str]:
    """The characters as people perceive them, close enough to Unicode's rules to cut between them."""
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not _continues(text, start, place):
            yield text[start:place]
            start = place


def _continues(text: str, start: int, place: int) -> bool:
    here, before = text[place], text[place - 1]
    if before == "\u200d" or _GOES_ON.match(here):
        return True
    if _FLAG_LETTER.match(here):
        return place - start == 1 and bool(_FLAG_LETTER.match(before))
    return unicodedata.category(here) in ("Mn", "Me", "Mc")


def columns_of(text: str) -> int:
    """The columns of a terminal that a text takes."""
    return len(text) if text.isascii() else sum(_width(each) for each in graphemes(text))


def _width(grapheme: str) -> int:
    return min(cell_len(grapheme), 2)


def shortened(text: str, columns: int) -> str:
    """The text as one line of at most so many columns, made visible, and cut between perceived characters."""
    beginning = visible(text[: 8 * columns])
    kept, used = [], 0
    for each in graphemes(beginning):
        used += _width(each)
        if used > columns:
            break
        kept.append(each)
    else:
        if len(text) <= 8 * columns:
            return beginning
        kept.pop()  # it may go on beyond the beginning
    while sum(map(_width, kept)) >= columns:
        kept.pop()
    return "".join(kept).rstrip() + "…"
