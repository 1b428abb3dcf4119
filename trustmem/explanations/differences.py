"""Two texts beside each other: which words of each the other has as well, in the same order, and which differ."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise, product
from typing import NamedTuple

#: No more pairs of equal words than these are looked at; those of the rarest words come first, for they tell most.
_MOST_PAIRS = 20_000
#: More than all distances together between the two places of the words of a row.
_FAR = 1 << 40
#: What goes on for longer is no word, and is compared in pieces of so many letters.
_LONGEST = 60
#: How many parts a word or a number has at most that are joined by other signs, as in don't and 10,000.50.
_MOST_JOINED = 8
_JOINERS = "\u200c\u200d"
_SKINS = "\U0001f3fb-\U0001f3ff"
_FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"
_KATAKANA = "\u30a1-\u30ff"
#: Thai, Lao, Burmese, Khmer, kana and Han have no spaces between words: each perceived character counts as one.
_UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
Pair = tuple[int, int]


class Part(NamedTuple):
    """A part of a text: where it begins, what it says, and whether it is what the other text has not."""

    start: int
    text: str
    differs: bool


def differences(left: str, right: str) -> tuple[list[Part], list[Part]]:
    """Both texts in parts, which together are the whole of each: what both say in the same order, and what differs.

    Whole words and numbers differ. Two ways to write the same characters are no difference, all else is.

    >>> for side in differences("It is port 7000.", "It is now port 7443."):
    ...     print([part.text for part in side if part.differs])
    ['7000']
    ['now', '7443']
    """
    words = [_words().findall(text) for text in (left, right)]
    keys = [[each if each.isascii() else unicodedata.normalize("NFC", each) for each in side] for side in words]
    kept = _kept(*keys)
    return _parts(words[0], {place for place, _ in kept}), _parts(words[1], {place for _, place in kept})


@cache
def _words() -> re.Pattern[str]:
    """What a text is made of: words and numbers, spaces, and other characters as they are perceived, one by one."""
    marks = "".join(each for each in map(chr, range(0x300, 0xFE30)) if unicodedata.category(each).startswith("M"))
    letter = f"(?:(?![{_UNSPACED}{_KATAKANA}])[\\w{marks}{_JOINERS}])"
    word = f"{letter}{{1,{_LONGEST}}}[{marks}{_JOINERS}]*"
    return re.compile(
        f"[{_FLAG_LETTERS}]{{2}}|[{_UNSPACED}][{marks}{_JOINERS}]*|[{_KATAKANA}]+"
        f"|{word}(?:['’]{word}|(?<=\\d)[.,:](?=\\d){word}){{,{_MOST_JOINED}}}"
        f"|\\s+|.(?:[{marks}{_JOINERS}{_SKINS}]|(?<=\u200d).)*",
        re.DOTALL,
    )


def _kept(left: Sequence[str], right: Sequence[str]) -> list[Pair]:
    """The places, on the left and on the right, of what both have in the same order: of words, and of whatever stands
    beside such words on both sides."""
    kept, start, end = _at_ends(left, right, (0, 0), (len(left), len(right)))
    words = _rising(_pairs(left, right, start, end), start)
    corners = [(start[0] - 1, start[1] - 1), *words, end]
    for (before, before_right), gap_end in pairwise(corners):
        kept += _at_ends(left, right, (before + 1, before_right + 1), gap_end)[0]
    return kept + words


def _at_ends(left: Sequence[str], right: Sequence[str], start: Pair, end: Pair) -> tuple[list[Pair], Pair, Pair]:
    """What both sides of a gap have at its start and at its end, and both ends of the gap that is left."""
    kept: list[Pair] = []
    (i, j), (k, m) = start, end
    while i < k and j < m and left[i] == right[j]:
        kept.append((i, j))
        i, j = i + 1, j + 1
    while i < k and j < m and left[k - 1] == right[m - 1]:
        k, m = k - 1, m - 1
        kept.append((k, m))
    return kept, (i, j), (k, m)


def _pairs(left: Sequence[str], right: Sequence[str], start: Pair, end: Pair) -> list[Pair]:
    """The places of equal words in a gap, by that on the left, and then by that on the right from the last on."""
    places: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, words in enumerate((left, right)):
        for place in range(start[side], end[side]):
            if words[place][0].isalnum():
                places[words[place]][side].append(place)
    found: list[Pair] = []
    for ours, theirs in sorted(places.values(), key=lambda both: len(both[0]) * len(both[1])):
        if len(found) + len(ours) * len(theirs) > _MOST_PAIRS:
            break
        found += product(ours, theirs)
    return sorted(found, key=lambda pair: (pair[0], -pair[1]))


def _rising(pairs: Sequence[Pair], start: Pair) -> list[Pair]:
    """The most pairs that rise on both sides; of as many, those whose two places are nearest to each other.

    Pairs are looked at from left to right. For each length of the right side (a Fenwick tree) the best row so far that
    ends within it is known.
    """
    if not pairs:
        return []
    size = max(right for _, right in pairs) - start[1] + 1
    best, scores, before = [0] * (size + 1), [0], [0]  # the row of no pairs is number 0
    for number, (left, right) in enumerate(pairs, 1):
        here = right - start[1]
        previous, place = 0, here
        while place:
            previous = max(previous, best[place], key=scores.__getitem__)
            place &= place - 1
        scores.append(scores[previous] + _FAR - abs(left - start[0] - here))
        before.append(previous)
        place = here + 1
        while place <= size:
            best[place] = max(best[place], number, key=scores.__getitem__)
            place += place & -place
    row, number = [], max(range(len(scores)), key=scores.__getitem__)
    while number:
        row.append(pairs[number - 1])
        number = before[number]
    return row[::-1]


def _parts(words: Sequence[str], kept: set[int]) -> list[Part]:
    """The words of a side as parts. Spaces at the ends of what differs are left out of it."""
    parts: list[Part] = []
    for differs, run in groupby(_told(words, kept), lambda told: told[1]):
        start = parts[-1].start + len(parts[-1].text) if parts else 0
        parts.append(Part(start, "".join(text for text, _ in run), differs))
    return parts


def _told(words: Sequence[str], kept: set[int]) -> Iterator[tuple[str, bool]]:
    """Runs of words in order, each with whether it differs; no run is empty."""
    for is_kept, places in groupby(range(len(words)), kept.__contains__):
        text = "".join(words[place] for place in places)
        core = text.strip()
        if is_kept or not core:
            yield text, not is_kept
            continue
        start = text.index(core)
        runs = ((text[:start], False), (core, True), (text[start + len(core) :], False))
        yield from (run for run in runs if run[0])
