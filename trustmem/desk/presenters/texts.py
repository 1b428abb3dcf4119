"""Long texts of users, cut for places that show the beginning, and texts beside each other."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from trustmem.desk.components import compared, marked
from trustmem.desk.numbers import whole
from trustmem.explanations.differences import Part, differences
from trustmem.explanations.text import graphemes

#: More of a subject is no help.
_LONGEST_SUBJECT = 60
#: How much of a text that stands beside another is shown at first.
_LONGEST_BESIDE = 600
#: How much is shown on both sides of what differs.
_AROUND = 120
#: What is longer is set smaller.
_LONG = 160


def about(subject: str, text: str) -> str:
    """Whom or what a claim is about, where it does not say so itself: '' where it does.

    >>> about("Anna", "Prefers email."), about("Anna", "Anna prefers email.")
    ('Anna', '')
    """
    return "" if subject.casefold() in text.casefold() else beginning(subject, _LONGEST_SUBJECT)


def beginning(text: str, most: int) -> str:
    """The text, or its first characters and a sign that there is more; cut between perceived characters.

    >>> beginning("abcdef", 4), beginning("abcd", 4)
    ('abc…', 'abcd')
    """
    if len(text) <= most:
        return text
    kept = "".join(each for each, _ in pairwise(graphemes(text[:most])))
    return kept.rstrip() + "…"


def show_whole(text: str) -> str:
    """What leads to the whole of a text of which not all is shown."""
    count = len(text)
    shown = ngettext("Show all of it: {count} character", "Show all of it: {count} characters", count)
    return shown.format(count=whole(count))


class Beside(NamedTuple):
    """A text that stands beside another, what differs marked: as much as is shown at first, and the whole of it where
    that is longer ('': it is not)."""

    shown: SafeString
    whole: SafeString
    show_whole: str
    is_long: bool


def beside(left: str | None, right: str | None) -> tuple[Beside, Beside]:
    """Two texts (None: erased) for people to compare."""
    if left is None or right is None:
        alone = [[Part(0, text, differs=False)] for text in (left or "", right or "")]
        return _side(left, alone[0], is_left=True), _side(right, alone[1], is_left=False)
    parts = differences(left, right)
    return _side(left, parts[0], is_left=True), _side(right, parts[1], is_left=False)


def _side(text: str | None, parts: list[Part], is_left: bool) -> Beside:
    if text is None:
        return Beside(marked(None), SafeString(), "", is_long=False)
    shown = excerpt(parts, _LONGEST_BESIDE)
    is_cut = shown != parts
    return Beside(
        shown=compared(text, shown, is_left),
        whole=compared(text, parts, is_left) if is_cut else SafeString(),
        show_whole=show_whole(text) if is_cut else "",
        is_long=len(text) > _LONG,
    )


def excerpt(parts: Sequence[Part], most: int) -> list[Part]:
    """At most so many perceived characters of a text: its beginning, and what differs with some words on both sides.

    >>> parts = [Part(0, "far away " * 50, False), Part(450, "here", True), Part(454, " and on" * 50, False)]
    >>> [(part.start, len(part.text)) for part in excerpt(parts, 600)]
    [(0, 116), (333, 117), (450, 4), (454, 119)]
    """
    if sum(len(part.text) for part in parts) <= most:
        return list(parts)
    shown: list[Part] = []
    for part in _in_view(parts):
        characters = _characters(part.text)
        shown.append(part if len(characters) <= most else _first(part, most))
        most -= len(characters)
        if most <= 0:
            break
    return shown


def _in_view(parts: Sequence[Part]) -> Iterator[Part]:
    """What differs, and of all else what stands near it."""
    for number, part in enumerate(parts, 1):
        size = len(_characters(part.text))
        if len(parts) == 1 or part.differs or size <= 2 * _AROUND:
            yield part
        else:
            yield _first(part, _AROUND)
            if number < len(parts):
                yield _last(part, _AROUND)


def _first(part: Part, most: int) -> Part:
    kept = "".join(_characters(part.text)[:most])
    return part._replace(text=kept.rpartition(" ")[0] or kept)


def _last(part: Part, most: int) -> Part:
    kept = "".join(_characters(part.text)[-most:])
    kept = kept.partition(" ")[2] or kept
    return part._replace(start=part.start + len(part.text) - len(kept), text=kept)


def _characters(text: str) -> Sequence[str]:
    return text if text.isascii() else list(graphemes(text))
