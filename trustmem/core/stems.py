"""Stems: words without the endings that bend them."""

import re
from functools import lru_cache

from trustmem.core.lexicon import Lexicon
from trustmem.core.lexicon_english import ENGLISH
from trustmem.core.lexicon_han import HAN
from trustmem.core.lexicon_spanish import SPANISH

_VOWEL = re.compile("[aeiouy]")
#: Stems of the infinitive are told from words of other kinds by so many letters.
_INFINITIVE = 4


@lru_cache(1 << 16)
def stem(word: str) -> str:
    """An English word, casefolded, without the endings that bend it. More than enough is cut, never a short word.

    >>> stem("studies"), stem("stopped"), stem("using"), stem("validation"), stem("frequently")
    ('study', 'stop', 'us', 'validat', 'frequent')
    """
    if len(word) < 3 or not word.isalpha():
        return word
    word = _singular(word)
    if word.endswith("tion") and len(word) >= 8:
        return word[:-3]
    if word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    for ending in ("ing", "ed"):
        left = len(word) - len(ending)
        if word.endswith(ending) and left >= 2 and _VOWEL.search(word, 0, left):
            word = _unbent(word[:left])
            break
    return word[:-1] if word.endswith("e") and len(word) > 2 else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _unbent(word: str) -> str:
    """What is left of "stopped", "studied" once their ending is cut: "stop", "study"."""
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        return word[:-1]
    return word[:-1] + "y" if word.endswith("i") else word


def stem_in(word: str, lexicon: Lexicon) -> str:
    """A word without the endings that bend it in this language.

    >>> stem_in("vivir", SPANISH), stem_in("vive", SPANISH), stem_in("pruebas", SPANISH), stem_in("lives", ENGLISH)
    ('viv', 'viv', 'prueba', 'liv')
    """
    if lexicon is SPANISH and len(word) >= _INFINITIVE:
        if word.endswith(("ar", "er", "ir")) and len(word) > _INFINITIVE:
            return word[:-2]
        if word in lexicon.verbs:
            return word.rstrip("n").rstrip("aeo")
    return stem(word)


#: The stems of all verbs, by the code of their language.
VERBS = {
    lexicon.code: frozenset(stem(verb) for verb in lexicon.verbs | lexicon.orders)
    for lexicon in (ENGLISH, SPANISH, HAN)
}
