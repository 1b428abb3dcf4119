"""Claims: what a fact says, as far as it is the same however it is written."""

from functools import lru_cache
from unicodedata import category, normalize

#: Marks and letters that nobody sees, beside the characters that only format.
_UNSEEN = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)}
_UNSEEN.update(range(0xE0100, 0xE01F0))


def claims(text: str, subject: str | None, predicate: str | None, object: str | None) -> list[tuple[str, ...]]:
    """(words of the text), and (words of subject, of predicate, of object) where all three are given.

    Of two facts that share one of these, each is the other told again: another id, letter case, width, composition or
    punctuation is no other claim. Interchange, *tombstone*.

    >>> claims("It IS 5 o’clock!", "Tea", "time", "Five.")
    [('it is 5 o clock',), ('tea', 'time', 'five')]
    """
    said: list[tuple[str, ...]] = [(words(text),)]
    if subject and predicate and object:
        said.append((words(subject), words(predicate), words(object)))
    return said


def words(text: str) -> str:
    """The words of a text in order: NFKC, casefolded, runs of letters, marks, digits and `_`; of one without any, all
    of its signs. Section 9.3.

    >>> words("Tea—at the\\tCAFE\u0301_5!"), words("→ ✓")
    ('tea at the café_5', '→ ✓')
    """
    plain = normalize("NFKC", normalize("NFKC", text).casefold())
    return " ".join("".join(map(_of_a_word, plain)).split() or plain.split())


@lru_cache(1 << 14)
def _of_a_word(character: str) -> str:
    """A character that a word is made of; '' of one that nobody sees, and a space of one between two words."""
    kind = category(character)
    if kind == "Cf" or ord(character) in _UNSEEN:
        return ""
    return character if kind[0] in "LMN" or character == "_" else " "
