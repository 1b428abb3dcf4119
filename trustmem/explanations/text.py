"""Texts of facts as people are shown them: whatever they hold, people see what is there and nothing moves."""

import re
import unicodedata
from collections.abc import Iterator

from rich.cells import cell_len

#: Categories that leave no mark of their own or direct the terminal, and more characters that leave none.
_HIDING = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0d\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
#: What may have to be marked: letters that are tags, what of a pile of marks is too much, any character beyond ASCII.
_SUSPECT = re.compile(f"(?P<tags>[\U000e0020-\U000e007e]+)|(?P<pile>(?<={_MARK}{{4}}){_MARK}+)|[^ -~]")
_JOINERS = "\u200c\u200d"
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")
_SKIN = re.compile("[\U0001f3fb-\U0001f3ff]")


def visible(text: str) -> str:
    """The text with a mark in place of every character that would hide, move or reorder something."""
    return "".join(piece for piece, _ in pieces(text))


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces: runs of what is plain (False), and each mark that stands in place of something (True).

    >>> list(pieces("to\\u200bday"))
    [('to', False), ('<U+200B>', True), ('day', False)]
    """
    text, plain = text.replace("\t", " "), 0
    for suspect in _SUSPECT.finditer(text):
        mark = _mark(suspect)
        if mark is None:
            continue
        if suspect.start() > plain:
            yield text[plain : suspect.start()], False
        yield mark, True
        plain = suspect.end()
    if plain < len(text):
        yield text[plain:], False


def _mark(suspect: re.Match[str]) -> str | None:
    """What people see in place of a suspect; None: the suspect itself."""
    hidden = suspect[0]
    if suspect["tags"]:
        return f"<tags: {''.join(chr(ord(each) - 0xE0000) for each in hidden)}>"
    if suspect["pile"]:
        return f"<{len(hidden)} more marks>"
    if hidden == "\n":
        return "␤"
    hides = unicodedata.category(hidden) in _HIDING or _UNSEEN.match(hidden)
    return f"<U+{ord(hidden):04X}>" if hides and not (hidden in _JOINERS and _joins(suspect)) else None


def _joins(joiner: re.Match[str]) -> bool:
    """Whether a joiner stands where writing needs one: inside an emoji, or in a script without letter case."""
    text, start, end = joiner.string, joiner.start(), joiner.end()
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    kinds = {unicodedata.category(each) for each in before.replace("\ufe0f", "☺") + after}
    return bool(before and after) and (kinds <= {"So", "Sk"} or kinds <= {"Lo", "Mn", "Mc"})


def graphemes(text: str) -> Iterator[str]:
    """The characters as people perceive them, close enough to Unicode's rules to cut between them."""
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not _continues(text, start, place):
            yield text[start:place]
            start = place


def _continues(text: str, start: int, place: int) -> bool:
    here, before = text[place], text[place - 1]
    if before == "\u200d" or here in _JOINERS or _SKIN.match(here) or "\u1160" <= here <= "\u11ff":
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
