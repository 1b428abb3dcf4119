"""Claims: what a fact says, as far as it is the same however it is written."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from unicodedata import category, decimal, normalize

from trustmem.core.lookalikes import in_latin

#: Marks, letters and unassigned code points that nobody sees, beside the characters that only format or control.
_UNSEEN = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2065, 0x3164, *range(0xFE00, 0xFE10)}
_UNSEEN.update([0xFFA0, *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000)])
#: Marks that are struck through letters, and those for symbols: no language tells words apart by them; nor by a pile.
_DECORATING = {*range(0x0334, 0x0339), *range(0x20D0, 0x2100)}
_PILE = re.compile("[\u0300-\u036f]{5,}")
#: Stands where nobody sees anything.
_HIDDEN = "\0"
_BESIDE_SPACE = re.compile("\0*(\\s)\0*")
#: So many places at which nobody sees anything are taken one by one, each for nothing or for a space.
_MOST = 4

Claim = tuple[str, ...]
#: What may stand for a minus; kinds of characters that are symbols, and signs that are none and tell as much.
_MINUS, _SYMBOLS, _TELLING = "-\u2010\u2011\u2012\u2013\u2212", ("Sm", "Sc", "So"), "%#\u2030"


def claims(text: str, subject: str | None, predicate: str | None, object: str | None) -> list[Claim]:
    """(words of the text), and (words of subject, of predicate, of object) where all three are given.

    Of two facts that share one of these, each is the other told again: another id, letter case, width, composition or
    punctuation is no other claim. Interchange, *tombstone*.

    >>> claims("It IS 5 o’clock!", "Tea", "time", "Five.")
    [('it is 5 o clock',), ('tea', 'time', 'five')]
    """
    return list(_claims(lambda text, _: [words(text)], text, subject, predicate, object))


def claims_with_signs(
    text: str, subject: str | None, predicate: str | None, object: str | None
) -> set[tuple[Claim, tuple[str, ...]]]:
    """The same, each with the signs in it: in these claims can differ whose words are the same.

    >>> claims_with_signs("At -5 °C.", None, None, None)
    {(('at 5 c',), ('-', '°'))}
    """
    said = claims(text, subject, predicate, object)
    written = (text, f"{subject} {predicate} {object}")
    return {(claim, signs(each)) for claim, each in zip(said, written, strict=False)}


def signs(text: str) -> tuple[str, ...]:
    """The signs that are no words and may tell claims apart, in order: of mathematics, money and other symbols, % and
    #, what stands between digits, and a minus before one.

    >>> signs("-5 < x, C++ 1/2 50%"), signs("Tea - at 5 o'clock!")
    (('-', '<', '+', '+', '/', '%'), ())
    """
    plain = f" {normalize('NFKC', text)} "
    found = list[str]()
    for before, sign, after in zip(plain, plain[1:], plain[2:], strict=False):
        if sign.isalnum() or sign.isspace():
            continue
        if sign in _MINUS and not before.isalnum() and (after.isdigit() or category(after) == "Sc"):
            found.append("-")
        elif category(sign) in _SYMBOLS or sign in _TELLING or sign + after == "!=" or (before + after).isdigit():
            found.append(sign)
    return tuple(found)


def seen_through(text: str, subject: str | None, predicate: str | None, object: str | None) -> list[Claim]:
    """The same, and what the fact claims as well if it is written so as to look like it: what nobody sees stands for a
    space, or words all of whose letters pass for Latin ones are Latin.

    >>> seen_through("Tea\\u200btime", None, None, None)
    [('teatime',), ('tea time',)]
    """
    return list(dict.fromkeys(_claims(_ways, text, subject, predicate, object)))


def _claims(read: Callable[[str, int], list[str]], text: str, *slot: str | None) -> Iterator[Claim]:
    yield from product(read(text, _MOST))
    given = [each for each in slot if each]
    if len(given) == len(slot):
        yield from product(*(read(each, 1) for each in given))


def _ways(text: str, most: int) -> list[str]:
    """The words of a text, however what nobody sees in it is taken, one by one at so many places at the most."""
    parts = re.split("\0+", _BESIDE_SPACE.sub(r"\1", _marked(text)).strip(_HIDDEN))
    gaps = len(parts) - 1
    signs = product(("", " "), repeat=gaps) if gaps <= most else (("",) * gaps, (" ",) * gaps)
    read = ["".join(map("".join, zip(parts, (*between, ""), strict=True))) for between in signs]
    return list(dict.fromkeys(words(way) for each in read for way in (each, in_latin(each, alone=True))))


def words(text: str) -> str:
    """The words of a text in order: NFKC, casefolded, runs of letters, marks and digits; of one without any, all of its
    signs. Section 9.3.

    What nobody sees and what is struck through a letter is left out, digits of all scripts are 0 to 9, and letters that
    pass for Latin ones amid a Latin word are these.

    >>> words("Tea—at the\\tCAFE\u0301_5!"), words("→ ✓"), words("\u0665 p\u0430ls")
    ('tea at the café 5', '→ ✓', '5 pals')
    """
    plain = text if text.isascii() and text.isprintable() else in_latin(_undecorated(text))
    plain = normalize("NFKC", in_latin(normalize("NFKC", plain.casefold())))
    return " ".join("".join(map(_of_a_word, plain)).split() or plain.split() or normalize("NFKC", text).split())


def is_blank(text: str) -> bool:
    """Whether nobody sees anything of a text.

    >>> is_blank(" \\u200b"), is_blank("\u2192")
    (True, False)
    """
    return not _marked(text).replace(_HIDDEN, "").strip()


def _undecorated(text: str) -> str:
    return normalize("NFKC", _PILE.sub("", normalize("NFKD", _marked(text).replace(_HIDDEN, ""))))


def _marked(text: str) -> str:
    """A text, NFKC, with `_HIDDEN` for each character that nobody sees."""
    return "".join(map(_seen, normalize("NFKC", text)))


@lru_cache(1 << 14)
def _seen(character: str) -> str:
    """A character; `_HIDDEN` for one that nobody sees, and '' for a mark that only decorates."""
    kind, point = category(character), ord(character)
    if kind == "Cf" or point in _UNSEEN or (kind == "Cc" and not character.isspace()):
        return _HIDDEN
    return "" if kind == "Me" or point in _DECORATING else character


@lru_cache(1 << 14)
def _of_a_word(character: str) -> str:
    """A character that a word is made of, digits as ASCII; a space for one between two words."""
    kind = category(character)
    if kind == "Nd":
        return str(decimal(character))
    return character if kind[0] in "LMN" else " "
