"""Tokens: a text cut into what the detector of contradictions weighs, and what each of it is."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from trustmem.core.claims import words as plain_words
from trustmem.core.lexicon import Lexicon
from trustmem.core.lexicon_english import ENGLISH
from trustmem.core.lexicon_han import HAN
from trustmem.core.lexicon_spanish import SPANISH
from trustmem.core.measures import MONTHS, date, multiplied, number, quantity, time
from trustmem.core.stems import VERBS, stem_in

#: What a token can be. A MARK is a tick, a cross or a box.
WORD, STOP, NUMBER, DATE, NAME, PATH, MARK = range(7)
#: Of a longer text only so many signs and so many tokens are read for what was exchanged.
MOST_SIGNS, MOST_TOKENS = 8_000, 400

_SPACELESS = "\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNSEEN = re.compile("[\0\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe0e\ufe0f\ufeff]")
_MONTH = "|".join(sorted(MONTHS, key=lambda each: (-len(each), each)))
_ENDINGS = (
    "py|js|ts|tsx|jsx|go|rs|md|json|jsonl|ya?ml|toml|txt|cs|java|cpp|hpp|rb|php|html|css|scss|sql|sh|ini|cfg|conf|env"
    "|lock|csv|xml|razor|vue|svelte|ipynb|pdf|png|jpg|svg|log"
)
_OF_HAN = "|".join(
    sorted(
        {
            each
            for group in (HAN.stop, HAN.negations, HAN.universal, HAN.partial, HAN.exclusive, HAN.done, HAN.verbs)
            for each in group
        }
        | {each for group in (HAN.opposites, HAN.groups) for each in group}
        | {each for phrase in HAN.changes | HAN.forgiven | HAN.due for each in phrase},
        key=lambda each: (-len(each), each),
    )
)
_TOKEN = re.compile(
    rf"""
    (?P<plain>(?-i:[a-záéíóúüñ])+(?=[\s,;:!?)]|\.\s|\.?$))
    |(?P<short>\b(?:[A-Za-z]\.){{2,}})
    |(?P<path>https?://[^\s,;)\]}}"'<>]+
        |(?<!\w)(?:~|\.{{1,2}}|[A-Za-z]:)?[/\\][\w.@%+*-]+(?:[/\\][\w.@%+*-]+)*[/\\]?(?<!\.)
        |\w[\w.@-]{{0,99}}(?:[/\\][\w.@-]{{1,99}}){{0,29}}[/\\](?:[\w@-]{{1,99}}(?:\.\w{{1,9}})+|(?=[\s,;.)]|$))
        |\w[\w-]{{0,99}}(?:\.[\w-]{{1,99}}){{0,9}}\.(?:{_ENDINGS})\b)
    |(?P<date>\d{{4}}-\d{{2}}-\d{{2}}(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?
        |\d{{1,4}}\s*年\s*\d{{1,2}}\s*月(?:\s*\d{{1,2}}\s*日)?
        |\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?:{_MONTH})\b\.?(?:,?\s+(?:de\s+|del\s+)?\d{{4}}\b)?
        |\b(?:{_MONTH})\b\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,?\s+\d{{4}}\b)?)
    |(?P<time>\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s*[ap]\.?m\b)?|\b\d{{1,2}}\s*[ap]\.?m\b)
    |(?P<dotted>(?<![\w.])\d{{1,3}}(?:\.\d{{3}}){{2,}}(?![\w.]))
    |(?P<version>\bv\d+(?:\.\d+)*(?:-\w+)?|\b\d+(?:\.\d+){{2,}}(?:-?(?:rc|alpha|beta|dev|b|a)\.?\d*)?)
    |(?P<number>(?:(?<![\w.)-])[-+−])?[$€£¥]?\d+(?:[.,]\d+)*(?:\s?[%€£])?)
    |(?P<mark>[✅✓✔☑❌✗✘☐⏳🚧]|\[[ xX]\])
    |(?P<han>{_OF_HAN}|[{_SPACELESS}])
    |(?P<word>[^\W\d{_SPACELESS}][^\W{_SPACELESS}]*(?:['’][^\W\d_]+)?)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HAN = re.compile(f"[{_SPACELESS}]")
_TOGETHER = re.compile(r"\b([Cc]o)-(?=[a-z])")
_CODE = re.compile(r"\w[_A-Z]|\d")
#: Signs that end a part of a sentence.
_PARTING = frozenset(":=→;,.!?(—–|•\n")
#: Signs after which a word has a capital whatever it is.
_OPENING = frozenset(".!?\n:•")
#: Tens, to which a word for ones is added: "twenty-five".
_TENS = frozenset({20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0})
#: What "can't" and the like are short for.
_NOT = {"ca": "can", "wo": "will", "sha": "shall"}
_SHORT_FOR = {"m": "am", "re": "are", "ve": "have", "ll": "will", "s": "'s"}


#: What else a token can be, by the group of the pattern that finds it, and how its key is made of what is written.
_KEYS: dict[str, tuple[int, Callable[[str], str]]] = {
    "path": (PATH, lambda written: written.lower().rstrip("/\\")),
    "short": (WORD, lambda written: written.lower().replace(".", "")),
    "version": (NUMBER, lambda written: written.lower().removeprefix("v")),
    "mark": (MARK, str.lower),
    "date": (DATE, date),
    "time": (DATE, time),
}


class Token(NamedTuple):
    """One token: what it is (a kind), its `key` (the same for the same claim), its `stem` (the same for a word however
    it is bent), as `shown`, the number it stands for, and the sign before it, if one ends a part of the sentence."""

    kind: int
    key: str
    stem: str
    shown: str
    value: float | None
    before: str


def language(text: str) -> Lexicon:
    """The lexicon for a text: that of most of its marking words, English where there are none.

    >>> language("la casa es de Ana") is SPANISH, language("她住在里斯本") is HAN, language("x") is ENGLISH
    (True, True, True)
    """
    head = text[:MOST_SIGNS]
    if len(_HAN.findall(head)) * 4 > len(head):
        return HAN
    found = re.findall(r"\w+", head.casefold())
    spanish, english = (
        sum(word in lexicon.marks or word in lexicon.verbs for word in found) for lexicon in (SPANISH, ENGLISH)
    )
    return SPANISH if spanish > english or (spanish == english and re.search("[áéíóúñ¿¡]", head)) else ENGLISH


def telling(question: str) -> str:
    """A question without the words that claim nothing by themselves, unless it has no others. What stands in quotes is
    kept as it is.

    >>> telling("Where is the ferry?"), telling('what says "to be or not"'), telling("who is it?")
    ('ferry?', 'says "to be or not"', 'who is it?')
    """
    stop = language(question).stop
    parts = question.split('"')
    for place in range(0, len(parts), 2):
        kept = (each for each in parts[place].split() if not stop.issuperset(plain_words(each).split() or [each]))
        parts[place] = f" {' '.join(kept)} "
    told = '"'.join(parts).strip()
    return told if plain_words(told) else question


def tokens(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a text in order, at most MOST_TOKENS.

    >>> [(token.key, token.kind) for token in tokens("Ana waits 5 s", ENGLISH)]
    [('ana', 4), ('waits', 0), ('time:5', 2)]
    """
    plain = _TOGETHER.sub(r"\1", _UNSEEN.sub("", normalize("NFKC", text[:MOST_SIGNS])))
    found: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(plain):
        kind, shown = match.lastgroup or "word", match[0].strip()
        before, end = _sign(plain[end : match.start()]), match.end()
        if kind == "number" and not plain[: match.start()].strip() and plain[end : end + 1] in {".", ")"}:
            found.append(Token(MARK, f"#{shown}", f"#{shown}", shown, None, before))
        else:
            parts = _parts(shown) if kind == "word" else [shown]
            found.append(_token(kind, parts[0], before, lexicon))
            found.extend(_token(kind, part, "", lexicon) for part in parts[1:])
        if len(found) >= MOST_TOKENS:
            break
    return _named(_measured(found), lexicon)


def _sign(between: str) -> str:
    """The first sign between two tokens that ends a part of a sentence."""
    sign = next((each for each in between if each in _PARTING), "")
    return sign or ("—" if " - " in between else "")


def _parts(shown: str) -> list[str]:
    """The words of which one is short: "don't"."""
    low = shown.lower().replace("’", "'")
    if low == "cannot":
        return ["can", "not"]
    if low.endswith("n't") and len(low) > len("n't"):
        return [_NOT.get(low[:-3], low[:-3]), "not"]
    head, _, tail = low.partition("'")
    return [shown[: len(head)], _SHORT_FOR[tail]] if head and tail in _SHORT_FOR else [shown]


def _token(kind: str, shown: str, before: str, lexicon: Lexicon) -> Token:
    if kind in ("plain", "word", "han"):
        return _word(kind, shown, before, lexicon)
    if kind in ("number", "dotted"):
        written, value = number(shown.replace(".", "") if kind == "dotted" else shown)
        return Token(NUMBER, written, written, shown, value, before)
    of_kind, make = _KEYS[kind]
    key = make(shown)
    key = lexicon.same.get(key, key)
    return Token(of_kind, key, key, shown, None, before)


def _word(kind: str, shown: str, before: str, lexicon: Lexicon) -> Token:
    key = _key(shown)
    key = lexicon.same.get(key, key)
    if key in lexicon.numbers:
        value = lexicon.numbers[key]
        return Token(NUMBER, str(value), str(value), shown, float(value), before)
    if key in lexicon.stop or key == "'s":
        return Token(STOP, key, key, shown, None, before)
    if _CODE.search(shown) and not shown.isupper():
        return Token(NAME, key, key, shown, None, before)
    return Token(WORD, key, key if kind == "han" else stem_in(key, lexicon), shown, None, before)


@lru_cache(1 << 14)
def _key(shown: str) -> str:
    return shown.lower() if shown.isascii() else plain_words(shown).replace(" ", "") or shown


def _measured(found: list[Token]) -> list[Token]:
    """Numbers with the factor, the unit or the ones that follow them taken in."""
    held: list[Token] = []
    for token in found:
        taken = _taken_in(held[-1], token) if held and held[-1].kind == NUMBER and not token.before else None
        if taken:
            held[-1] = taken
        else:
            held.append(token)
    return held


def _taken_in(last: Token, token: Token) -> Token | None:
    if last.value is None:
        return None
    word, shown = token.shown.lower(), f"{last.shown} {token.shown}"
    if times := multiplied(last.key, last.value, word):
        return Token(NUMBER, times[0], times[0], shown, times[1], last.before)
    if ":" not in last.key and (key := quantity(last.value, token.key)):
        return Token(NUMBER, key, key, shown, last.value, last.before)
    if last.value in _TENS and last.shown.isalpha() and word.isalpha() and token.value and token.value < 10:
        value = last.value + token.value
        return Token(NUMBER, f"{value:g}", f"{value:g}", shown, value, last.before)
    return None


def _named(found: list[Token], lexicon: Lexicon) -> list[Token]:
    """The same, words that are names told as such: with a capital amid a sentence, or before a name or a verb."""
    return [
        token._replace(kind=NAME) if _is_named(found, place, lexicon) else token for place, token in enumerate(found)
    ]


def _is_named(found: list[Token], place: int, lexicon: Lexicon) -> bool:
    token = found[place]
    if token.shown == "A":
        return place > 0 or (len(found) > 1 and _bends(found[1]))
    if token.kind != WORD:
        return False
    return "\u30a0" <= token.shown[0] <= "\u30ff" or (token.shown[0].isupper() and _is_name(found, place, lexicon))


def _bends(token: Token) -> bool:
    """Whether a word may be a verb after a name of one letter: "A manages B"."""
    return token.shown.islower() and token.key.endswith(("s", "ed")) and not token.before


def _is_name(found: list[Token], place: int, lexicon: Lexicon) -> bool:
    """Whether a word with a capital is a name."""
    token = found[place]
    if token.key in lexicon.universal or token.key in lexicon.partial or token.key in lexicon.exclusive:
        return False
    if place and found[place - 1].kind != MARK and token.before not in _OPENING:
        return True
    after = found[place + 1] if place + 1 < len(found) and not found[place + 1].before else None
    if after is None or (token.key in lexicon.orders and not after.key.endswith("s")) or _is_bent(token, lexicon):
        return False
    if after.key in lexicon.joins:
        return place + 2 < len(found) and found[place + 2].shown[:1].isupper()
    if after.kind == WORD and after.shown[:1].isupper():
        return True
    return after.key in lexicon.negations or after.key == "'s" or is_verb(after, lexicon)


def _is_bent(token: Token, lexicon: Lexicon) -> bool:
    """Whether a word is a verb with an ending."""
    return token.stem in VERBS[lexicon.code] and token.key.endswith(("s", "ed", "ing"))


def is_verb(token: Token, lexicon: Lexicon) -> bool:
    """Whether a token is a verb that a claim may be made with.

    >>> [is_verb(token, ENGLISH) for token in tokens("Ana manages", ENGLISH)]
    [False, True]
    """
    return token.kind in (WORD, STOP) and (
        token.key in lexicon.verbs or token.stem in VERBS[lexicon.code] or token.key in lexicon.auxiliaries
    )
