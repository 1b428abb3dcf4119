"""Entities that a text names: a light reading by signs alone, which knows no dictionary and learns nothing.

Names, paths and files, versions, identifiers of code, @handles, hosts of addresses, and what stands in quotes in a text
without spaces. English, Spanish, and whatever else writes names with capitals; Chinese and Japanese.
"""

import re
from itertools import groupby
from typing import NamedTuple

#: So much of a text is looked at, and so many entities are taken of it; a longer word is none.
_LONGEST, MOST, _LONGEST_WORD = 4000, 12, 100

#: Scripts without spaces: Han and hiragana, and with katakana beside them.
_PLAIN = "\u2e80-\u2fdf\u3005-\u3007\u3041-\u30a0\u3400-\u9fff\uf900-\ufaff"
_EAST = f"{_PLAIN}\u30a1-\u30ff"
_PIECE = re.compile(
    rf"`(?P<code>[^`\n]{{2,60}})`|[「『《〈](?P<quoted>[^」』》〉\n]{{2,30}})[」』》〉]"
    rf"|[“\"](?P<east>[^”\"\n]{{0,29}}[{_EAST}][^”\"\n]{{0,29}})[”\"]"
    rf"|(?P<kana>[\u30a1-\u30fa][\u30a1-\u30ff]{{2,29}})|[{_PLAIN}]+|[\u30a1-\u30ff]+|(?P<word>[^\s`“”{_EAST}「」『』《》〈〉\u3001\u3002\uff08\uff09\uff0c\uff1a\uff1b]+)"
)
_ADDRESS = re.compile(r"\w+://(?:[^@/\s]*@)?(?:www\.)?([\w.-]+)")
_HANDLE = re.compile(r"@[\w.-]*\w(?:/[\w.-]*\w)?")
_VERSION = re.compile(r"v\d+(?:\.\d+)*(?:-[\w.]+)?|\d+(?:\.\d+){2,}(?:-[\w.]+)?")
_FILE = re.compile(
    r"[\w@.+-]*\w\.(?:py|js|ts|tsx|jsx|json|jsonl|md|toml|ya?ml|ini|cfg|sh|sql|html|css|rs|go|java|rb|php|c|h|cpp|txt|csv"
    r"|lock|env|log|xml|svg|png|pdf|ipynb|sqlite3?|db)"
)
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w@.+~-]+)+[/\\]?|[\w@.+-]+(?:/[\w@.+-]+){2,}/?")
_CODE = re.compile(
    r"_*[A-Za-z]\w*(?:\.[A-Za-z]\w*){2,}|--[a-z][\w-]+"
    r"|_*[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+_*|[a-z]+\d*(?:[A-Z][a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z]+[a-z0-9]*)+"
)
_EDGES = "\"'’‘«»()[]{}<>,;:!?¡¿*#|…—–“”"  # noqa: RUF001
_ENDS = (".", "!", "?", ":", ";", "…", "—", "|", "•", "*", "-")
#: What may stand within a name, between words that have capitals.
_WITHIN = frozenset("de del la las los el da do dos di of van von der den y & al bin ibn".split())  # noqa: SIM905
#: What has a capital and is no name: of the language itself, of calendars, and labels.
_NONE = frozenset(
    "I I'm I've I'll I'd OK TODO NOTE FIXME YES NO NOT AND OR IF THE NEVER ALWAYS MUST DO DON'T AM PM"  # noqa: SIM905
    " Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August"
    " September October November December Lunes Martes Miércoles Jueves Viernes Sábado Domingo Enero Febrero Marzo"
    " Abril Mayo Junio Julio Agosto Septiembre Octubre Noviembre Diciembre Mr Mrs Ms Dr Sr Sra".split()
)
#: With what sentences begin that name nothing.
_OPENING = frozenset(
    "The This That These Those There Then They We You He She It Its A An In On At To For From With Without By If When"  # noqa: SIM905
    " While After Before Since As And But Or So No Not All Any Each Every Some Do Does Did Don't Use Uses Used Using Is"
    " Are Was Were Be Has Have Had My Your Our Their His Her What Where Which Who Why How User Users Never Always Must"
    " Should Can Will Would Prefer Prefers Also Only Now New El La Los Las Un Una Este Esta Esto Ese Esa En Con Sin Por"
    " Para Si Cuando Como Qué Que No Y O Pero Se Su Sus Mi Tu Nuestro Usa Usar Siempre Nunca Todo Todos Hay Es Son"
    " Prefiere Usuario".split()
)


class Named(NamedTuple):
    """What a text names, in the order of the text, each once; and what may be a name, or begin a sentence."""

    sure: list[str]
    maybe: list[str]


class _Word(NamedTuple):
    text: str
    opens: bool
    ends: bool


def named(text: str) -> Named:
    """The entities that a text names.

    A word with a capital at the beginning of a sentence is told apart: it names something where another text of the
    space is sure of it.

    >>> named("Ana moved the API from Acme Corp to https://acme.io/v2, see docs/adr/07.md and `run all`.").sure
    ['API', 'Acme Corp', 'acme.io', 'docs/adr/07.md', 'run all']
    >>> named("Redis runs in Porto"), named("東京の「青空」でデータベースを使う").sure
    (Named(sure=['Porto'], maybe=['Redis']), ['青空', 'データベース'])
    """
    sure, maybe, run = dict[str, None](), dict[str, None](), list[_Word]()
    shouts = sum(each.isupper() for each in text[:_LONGEST]) > sum(each.islower() for each in text[:_LONGEST])
    is_opening = True

    def end() -> None:
        for name, is_sure in _names(run, shouts):
            (sure if is_sure else maybe).setdefault(name)
        run.clear()

    for piece in _PIECE.finditer(text[:_LONGEST]):
        kind = piece.lastgroup
        if kind != "word":
            end()
            if kind is not None:
                sure.setdefault(piece[kind].strip())
            is_opening = False
            continue
        word = piece["word"]
        bare = word.lstrip(_EDGES).rstrip(_EDGES + ".").removesuffix("'s").removesuffix("’s")
        found = _sign(bare) if len(bare) <= _LONGEST_WORD else None
        if found or found is None:
            end()
            if found:
                sure.setdefault(found)
        elif bare:
            ends = word.endswith((*_ENDS, ",", ")", '"'))
            if word[0] in '("“[' or not _may_be_within(bare):
                end()
            if _may_be_within(bare):
                run.append(_Word(bare, is_opening, ends))
            if ends:
                end()
        is_opening = word.endswith(_ENDS)
    end()
    names = list(sure)[:MOST]
    return Named(names, [name for name in maybe if name not in sure][:MOST])


def _sign(word: str) -> str | None:
    """What a word names by its signs; '' where these tell nothing, None where it names nothing for sure."""
    if address := _ADDRESS.match(word):
        return address[1].lower().strip(".")
    if word.startswith("@"):
        return word if _HANDLE.fullmatch(word) and len(word) > 2 else None
    if "@" in word and "/" not in word:
        return None  # an address of mail is nobody's business
    if any(each in word for each in "./\\_-") or any(each.isdigit() for each in word) or _has_humps(word):
        for kind in (_VERSION, _FILE, _PATH, _CODE):
            if kind.fullmatch(word):
                return word
    return ""


def _has_humps(word: str) -> bool:
    return any(each.isupper() for each in word[1:]) and any(each.islower() for each in word)


def _may_be_within(word: str) -> bool:
    return word[:1].isupper() or word in _WITHIN


def _names(run: list[_Word], shouts: bool) -> list[tuple[str, bool]]:
    """The names in words that follow each other, and whether each is sure to be one."""
    while run and (run[0].text in _WITHIN or run[0].text in _NONE or (run[0].opens and run[0].text in _OPENING)):
        del run[0]
    while run and run[-1].text in _WITHIN:
        del run[-1]
    if not run:
        return []
    parts = [list(each) for is_none, each in groupby(run, lambda word: word.text in _NONE) if not is_none]
    found = [_name(part) for part in parts]
    return [(name, sure) for name, sure in found if name and not (shouts and name.isupper())]


def _name(words: list[_Word]) -> tuple[str, bool]:
    while words and words[-1].text in _WITHIN:
        del words[-1]
    capitals = [word for word in words if word.text not in _WITHIN]
    text = " ".join(word.text for word in words[:6])
    if not capitals or len(text) < 2 or (text.isupper() and len(capitals) > 1):
        return "", False
    return text, len(capitals) > 1 or not words[0].opens or (text.isupper() and len(text) <= 5)
