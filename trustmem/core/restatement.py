"""Restatement: how much of what two facts say is the same (section 9.3)."""

import re

from trustmem.core import claims

#: Signs of scripts that put no space between words.
_SPACELESS = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_SIGN = re.compile(f"[{_SPACELESS}]")
_PARTS = re.compile(f"[{_SPACELESS}]|[^{_SPACELESS}]+")


def word_set(text: str) -> frozenset[str]:
    """The set of words of a text: NFKC, casefolded; of a script without spaces, its signs one by one. Section 9.3.

    >>> sorted(word_set("Ana lives in PORTO, in Porto!")), sorted(word_set("她住在 Porto"))
    (['ana', 'in', 'lives', 'porto'], ['porto', '住', '在', '她'])
    """
    words = claims.words(text)
    if words.isascii() or not _SIGN.search(words):
        return frozenset(words.split())
    return frozenset(part for word in words.split() for part in _PARTS.findall(word))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """How many words both have, of all that one of them has; 0 for two empty sets. Section 9.3.

    >>> jaccard(word_set("Ana lives in Porto"), word_set("Ana lives in Lisbon"))
    0.6
    """
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0
