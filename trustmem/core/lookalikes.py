"""Letters of other alphabets that look like Latin ones, and words as they look."""

import re
from unicodedata import normalize

#: What looks like which Latin letter; after the table of UTS 39, without what only resembles.
CYRILLIC = dict(
    zip(
        "АВЕІЈКМНОРСТУХЅԌԚԜҮҺӀаеікорсухјѕһӏԁԛԝүѵҽ",
        "ABEIJKMHOPCTYXSGQWYHIaeikopcyxjshldqwyve",
        strict=True,
    )
)
GREEK = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺοϲϳνͿ", "ABEZHIKMNOPTYXCMocjvJ", strict=True))  # noqa: RUF001
#: Greek letters that resemble Latin ones, and stand beside them as signs.
RESEMBLING = dict(zip("αβγεηικρςστυχω", "abyenikpcotuxw", strict=True))

_PASSES = {ord(each): latin for each, latin in (CYRILLIC | GREEK).items()}
_PASSES_OR_RESEMBLES = _PASSES | {ord(each): latin for each, latin in RESEMBLING.items()}
_WORD = re.compile("[^\\W_](?:[^\\W_]|[\u0300-\u036f])*")
_IS_KIN = re.compile("[\u0370-\u052f]")
_ASCII = re.compile("[A-Za-z]")
#: So many Latin letters make a word of what is a formula else.
_OF_A_WORD = 3


def in_latin(text: str, *, alone: bool = False) -> str:
    """A text (decomposed, where it has such letters) whose words are Latin where they have Latin letters and others
    that pass for such; `alone`: and where they have only others that do.

    >>> in_latin("p\\u0430ypal, 5 k\\u03a9"), in_latin("p\\u0430y", alone=True)
    ('paypal, 5 kΩ', 'pay')
    """
    if not _IS_KIN.search(text):
        return text
    return _WORD.sub(lambda word: _in_latin(word[0], alone), normalize("NFD", text))


def _in_latin(word: str, alone: bool) -> str:
    latin = len(_ASCII.findall(word))
    passes = _PASSES_OR_RESEMBLES if latin >= _OF_A_WORD else _PASSES
    is_latin = (latin or alone) and all(ord(each) in passes for each in _IS_KIN.findall(word))
    return word.translate(passes) if is_latin else word
