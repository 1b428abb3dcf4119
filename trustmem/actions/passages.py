"""Passages: where a text repeats what another says, so that nobody overlooks it when that is to be erased."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from unicodedata import normalize

#: So many words in a row make a passage, if they come to so many characters: "it is a" tells nothing.
RUN, _LEAST = 3, 8
#: Scripts that put no spaces between words: each sign counts as one.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = rf"(?:(?![{_UNSPACED}])\w)"
_WORD = re.compile(rf"[{_UNSPACED}]|{_LETTER}+(?:[^\w\s]+{_LETTER}+)*")
#: A number of some digits, or letters with digits; an address; capital letters amid a word.
_CODE = re.compile(r"(?=.*\d).{4,}|.*(?:@|://).*|.*[a-z][A-Z].*")


class Span(NamedTuple):
    """A part of a text: where it begins, and where it ends."""

    start: int
    end: int


def repeated(text: str, of: Iterable[str], run: int = RUN) -> list[Span]:
    """Where a text repeats what others say, in order: a `run` of their words or more, all of one that has fewer, or a
    word that looks like a code, whatever stands around it.

    >>> text = "The alarm (code VERMILION-88) is tested on Mondays."
    >>> [text[start:end] for start, end in repeated(text, ["The alarm code is VERMILION-88."])]
    ['The alarm (code', 'VERMILION-88']
    >>> repeated(text, ["The alarm rings at noon."])
    []
    """
    words = [
        _Word(Span(*found.span()), _key(found[0]), bool(_CODE.fullmatch(found[0]))) for found in _WORD.finditer(text)
    ]
    return list(_joined(sorted(each for other in of for each in _repeated(words, other, run))))


def codes(text: str) -> list[str]:
    """The words of a text that look like codes.

    >>> codes("Ask ana@example.org for VERMILION-88 at 9.")
    ['ana@example.org', 'VERMILION-88']
    """
    return [found[0] for found in _WORD.finditer(text) if _CODE.fullmatch(found[0])]


class _Word(NamedTuple):
    span: Span
    key: str
    is_code: bool


def _key(word: str) -> str:
    """A word, however it is written."""
    return normalize("NFKC", word).casefold()


def _repeated(words: list[_Word], other: str, run: int) -> Iterator[Span]:
    said = [_key(found[0]) for found in _WORD.finditer(other)]
    yield from (word.span for word in words if word.is_code and word.key in said)
    yield from (span for span in _joined(_runs(words, said, min(run, len(said)))) if span.end - span.start >= _LEAST)


def _runs(words: list[_Word], said: list[str], size: int) -> Iterator[Span]:
    """Runs of so many words that are said in that order."""
    runs = {tuple(said[start : start + size]) for start in range(len(said) - size + 1)}
    for start in range(len(words) - size + 1) if size else ():
        if tuple(word.key for word in words[start : start + size]) in runs:
            yield Span(words[start].span.start, words[start + size - 1].span.end)


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Spans in order, those that overlap as one."""
    last: Span | None = None
    for span in spans:
        if last is not None and span.start <= last.end:
            last = Span(last.start, max(last.end, span.end))
        else:
            if last is not None:
                yield last
            last = span
    if last is not None:
        yield last
