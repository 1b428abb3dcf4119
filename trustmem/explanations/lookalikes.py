"""Letters that pass for others: words that are not written in the letters in which they seem to be written.

This has the ends of Unicode's UTS 39, not its means. That a word mixes scripts is no sign by itself: Japanese, Thai,
Arabic or Hindi set foreign names amid their own letters, and science sets Greek ones beside Latin. So scripts that are
kin to the Latin one are held to keep apart, by what their letters look like, and all others may stand beside it.

Not seen: a name that stands alone and is whole in such letters (it may be honest, as the Russian for Sara); Latin ones
that differ by a dot or an accent, which some language has; letters that resemble each other within other scripts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from trustmem.core.lookalikes import CYRILLIC, GREEK, RESEMBLING

_ASCII = "A-Za-z"
_LATIN = (
    f"{_ASCII}\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f"
    "\ua722-\ua7ff\uab30-\uab6f"
)
#: Greek, Cyrillic, Armenian, Georgian, Cherokee, Canadian, Runic, Glagolitic, Coptic, Tifinagh, Lisu, Vai and others of
#: less use: letters of the same build as Latin ones.
_KIN = (
    "\u0370-\u0373\u0376-\u037d\u037f\u0386\u0388-\u0481\u048a-\u0556\u0560-\u0588\u10a0-\u10ff\u13a0-\u13fd"
    "\u1400-\u166c\u166f-\u167f\u16a0-\u16f8\u18b0-\u18ff\u1c80-\u1cbf\u1f00-\u1fff\u2c00-\u2c5f\u2c80-\u2cee"
    "\u2d00-\u2d6f\ua4d0-\ua62b\ua640-\ua66e\ua680-\ua69d\uab70-\uabbf\U00010280-\U000107ff"
    "\U000118a0-\U000118df\U00016f00-\U00016f4a"
)
_RAISED = "\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u2071\u207f\u2090-\u209c"
_ROMAN = "\u2160-\u217f"
_FULL_WIDTH = "\uff21-\uff3a\uff41-\uff5a"
_SIGNS = "\u2100-\u214e"
#: Latin letters in another dress: these, and those of formulas, in circles and in squares.
_DRESSED = f"{_RAISED}{_ROMAN}{_FULL_WIDTH}{_SIGNS}\u249c-\u24e9\U0001d400-\U0001d7cb\U0001f110-\U0001f189"
_SMALL_CAPITALS = "\u1d00-\u1d22\ua730\ua731"
#: Latin letters of few languages, with twins among those of all.
_TWINS = "\u0251\u0261\u0185\u01bd\u01c0"
_BESIDE_LETTERS = "\u0300-\u036f\u0483-\u04890-9"
_PLAIN = f"{_LATIN}{_BESIDE_LETTERS}"
_DOUBTFUL = f"{_KIN}{_DRESSED}{_SMALL_CAPITALS}{_TWINS}"

_IS_DOUBTFUL = re.compile(f"[{_DOUBTFUL}]")
#: A word with a doubtful letter. No place is looked at twice, however long words are.
_WORD = re.compile(f"(?<![{_PLAIN}{_DOUBTFUL}])(?:(?![{_DOUBTFUL}])[{_PLAIN}])*+[{_DOUBTFUL}][{_PLAIN}{_DOUBTFUL}]*")
_OF_ONE_SCRIPT = re.compile("(?P<CYRILLIC>[\u0400-\u052f]+)|(?P<GREEK>[\u0370-\u03e1\u1f00-\u1fff]+)")
_TOPPED = re.compile(".[\u0300-\u036f\u0483-\u0489]{0,4}", re.DOTALL)
_IS_LATIN = re.compile(f"[{_LATIN}]")
_IS_KIN = re.compile(f"[{_KIN}]")
_IS_DRESSED = re.compile(f"[{_DRESSED}]")
_IS_ASCII = re.compile(f"[{_ASCII}]")
_IS_RAISED = re.compile(f"[{_RAISED}]")
_IS_ROMAN = re.compile(f"[{_ROMAN}]")
_IS_FULL_WIDTH = re.compile(f"[{_FULL_WIDTH}]")
_IS_SIGN = re.compile(f"[{_SIGNS}]")
_IS_SMALL_CAPITAL = re.compile(f"[{_SMALL_CAPITALS}]")
#: These, and those that phonetics has.
_IS_ANY_SMALL_CAPITAL = re.compile(f"[{_SMALL_CAPITALS}\u0262\u026a\u0274\u0280\u028f\u0299\u029c\u029f]")
_ASCII_AND_TWINS = re.compile(f"[\\x00-\\x7f{_TWINS}]+")
_IS_EASTERN = re.compile("[\u1100-\u11ff\u3041-\u318f\u3400-\u9fff\uac00-\ud7ff\U00020000-\U0003ffff]")
_RAISED_AHEAD = re.compile(f"^[\u1d2c-\u1d6a]|[\u1d2c-\u1d6a](?=[{_ASCII}])")

#: By script, what looks like a Latin letter; after the table of UTS 39, without what only resembles.
PASSING = {
    "CYRILLIC": "".join(CYRILLIC),
    "GREEK": "".join(GREEK),
    "ARMENIAN": "ՏՍՕԼգզհյոռսցքօ",
    "CHEROKEE": "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎵᎷᎻᎽᏀᏂᏃᏎᏏᏒᏔᏕᏗᏙᏚᏞᏟᏢᏦᏧᏩᏮᏯᏳᏴꭰꭱꭲꭵꭺꮁꮃꮋꮓꮩꮪꮮꮯꮲ",
    "CANADIAN": "ᐯᑌᑎᑕᑭᑲᒍᒪᕁᕼᕽᖇᖯᖴᗅᗞᗪᗰᗷ",
    "COPTIC": "ⲀⲂⲈⲎⲒⲔⲘⲚⲞⲟⲢⲣⲤⲥⲦⲬⲨ",
    "LISU": "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",  # noqa: RUF001
    "TIFINAGH": "ⵏⵔⵙⵝ",
    "RUNIC": "ᚷᛁᛕᛖ",  # noqa: RUF001
    "GEORGIAN": "ყჿ",  # noqa: RUF001
}
_RESEMBLING = "".join(RESEMBLING)
_PASSES = re.compile(f"[{''.join(PASSING.values())}]")
_PASSES_OR_RESEMBLES = re.compile(f"[{''.join(PASSING.values())}{_RESEMBLING}]")
_ALL_PASS = re.compile(f"(?:{_PASSES.pattern}|[{_BESIDE_LETTERS}])+")
_ALL_PASS_OR_RESEMBLE = re.compile(f"(?:{_PASSES_OR_RESEMBLES.pattern}|[{_BESIDE_LETTERS}])+")
#: The other way round: what looks like a letter of kin.
_PASSES_BACK = re.compile("[ABCEHIJKMOPSTXYaceghijkopsuxy]")
#: Twins of l, d, q and w that few languages have.
_RARE = re.compile("[ӏԁԛԝ]")  # noqa: RUF001

_ARE_SIGNS = re.compile("[\u0391-\u03a9\u03b1-\u03c9\u03d1\u03d5\u03f5]+")
#: What is of three letters and stands beside signs.
_BESIDE_SIGNS = re.compile("abs|avg|cos|cot|eff|exp|log|max|min|net|ref|rel|sec|sin|tan|tot")
_AMID_A_WORD = re.compile(
    f"[a-z][{_RESEMBLING}]+[{_ASCII}]|[{_ASCII}][{_RESEMBLING}]+[a-z]|[a-z]{{2}}[\u0391-\u03c9]+[a-z]{{2}}"
)
_AT_AN_END = re.compile(f"^[{_RESEMBLING}]|[{_RESEMBLING}]$")

#: What passes for o, l or i amid a word, of scripts that may stand beside Latin; dots and strokes amid an address.
_AMID = re.compile(
    "[{o}](?<=[{ascii}].)[{o}]*(?=[{ascii}])|[{dot}](?<=[{ascii}]{{3}}.)(?=[{ascii}]{{3}})".format(
        o="\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u101d\u1040"
        "\u05d5\u05df\u05e1\u0627\u0647\u0665\u06be\u06c1\u06d5\u3007\u3147\u3163\u4e28",
        dot="\u2024\u2044\u2215\u29f8",
        ascii=_ASCII,
    )
)
#: How far away the neighbours of a word are looked for.
_NEAR = 40
_LETTER = re.compile(r"[^\W\d_]")


def lookalikes(text: str) -> list[tuple[int, int]]:
    """Where letters stand that pass for others: both ends of each run of them, in order.

    >>> lookalikes("p\\u0430ypal"), lookalikes("5 k\\u03a9")
    ([(1, 2)], [])
    """
    odd = {place for found in _AMID.finditer(text) for place in range(*found.span())}
    if _IS_DOUBTFUL.search(text):
        odd |= _odd_letters(text)
    return list(_runs(text, sorted(odd)))


def _odd_letters(text: str) -> set[int]:
    """The places of letters that are odd where they stand."""
    odd: set[int] = set()
    passing: list[re.Match[str]] = []
    plain: set[str] = set()  # scripts that some word shows
    is_eastern = bool(_IS_EASTERN.search(text))
    for word in _WORD.finditer(text):
        script = _script_of(word[0])
        if not script:
            odd.update(word.start() + place for place in _mixed(text, word, is_eastern))
        elif _ALL_PASS_OR_RESEMBLE.fullmatch(word[0]):
            passing.append(word)
        elif len(word[0]) > 1:
            plain.add(script)
    has_ascii = bool(_IS_ASCII.search(text))
    for word in passing:
        if _is_disguised(word, _script_of(word[0]) in plain, has_ascii):
            odd.update(word.start() + place for place, each in enumerate(word[0]) if _PASSES_OR_RESEMBLES.match(each))
    return odd


def _script_of(word: str) -> str:
    """The script of a word that is written in one of kin to Latin; '': in more, or in Latin letters."""
    if usual := _OF_ONE_SCRIPT.fullmatch(word):
        return str(usual.lastgroup)
    kin, dressed, latin = _sorted(word)
    scripts = {_script(word[place]) for place in kin}
    return "" if dressed or latin or len(scripts) != 1 else scripts.pop()


def _sorted(word: str) -> tuple[list[int], list[int], list[int]]:
    """The places of letters of kin, of dressed ones, and of other Latin ones."""
    places: dict[str, list[int]] = {"kin": [], "dressed": [], "latin": [], "": []}
    for place, each in enumerate(word):
        places[_sort(each)].append(place)
    return places["kin"], places["dressed"], places["latin"]


@lru_cache(4096)
def _sort(letter: str) -> str:
    if _IS_KIN.match(letter):
        return "kin"
    if _IS_DRESSED.match(letter):
        return "dressed" if _IS_ASCII.fullmatch(unicodedata.normalize("NFKC", letter)) else ""
    return "latin" if _IS_LATIN.match(letter) else ""


@lru_cache(4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _mixed(text: str, word: re.Match[str], is_eastern: bool) -> Iterator[int]:
    """What is odd in a word that has Latin letters, in whatever dress, or letters of several scripts."""
    letters = word[0]
    kin, dressed, latin = _sorted(letters)
    if not dressed and not latin:
        yield from _of_the_fewest(letters, kin)
        return
    if len(kin) + len(dressed) + len(latin) > 1:
        yield from _oddly_dressed(letters, dressed, len(dressed) + len(latin), is_eastern)
        yield from _odd_twins(letters, latin, text[max(word.start() - 1, 0) : word.start()])
    if kin and latin and not (_is_science(letters, kin) or _is_joined(letters, kin, latin)):
        yield from _strangers(letters, kin, latin)


def _oddly_dressed(letters: str, dressed: list[int], count: int, is_eastern: bool) -> Iterator[int]:
    """Letters that are dressed for something else than such dress is for."""
    first = _IS_ASCII.search(letters)
    is_raised_ahead = bool(_RAISED_AHEAD.search(letters))
    for place in dressed:
        if _IS_RAISED.match(letters, place):  # at the ends of words, as in 19th, and in phonetics
            is_odd = is_raised_ahead
        elif _IS_FULL_WIDTH.match(letters, place):  # for words amid Eastern writing
            is_odd = bool(first) or not is_eastern
        elif _IS_ROMAN.match(letters, place):  # for numbers, before which the East puts no space
            is_odd = bool(_IS_ASCII.match(letters, place + 1) or (first and first.start() < place and not is_eastern))
        else:  # for formulas; some for units, as those of litres and kelvins
            is_odd = count > 2 or not _IS_SIGN.match(letters, place)
        if is_odd:
            yield place


def _odd_twins(letters: str, latin: list[int], before: str) -> Iterator[int]:
    """Letters of phonetics, and small capitals, in a word that is written in none."""
    if _IS_SMALL_CAPITAL.search(letters):
        yield from (place for place in latin if _IS_ANY_SMALL_CAPITAL.match(letters, place))
    if len(latin) > 2 and before not in ("/", "[") and _ASCII_AND_TWINS.fullmatch(letters):
        yield from (place for place in latin if letters[place] in _TWINS)


def _is_science(word: str, kin: list[int]) -> bool:
    """Whether Greek letters stand beside Latin ones as signs: in units and formulas, in names of proteins."""
    signs = "".join(word[place] for place in kin)
    if not _ARE_SIGNS.fullmatch(signs):
        return False
    if _PASSES.search(signs):
        return len(word) == 2 and signs == "ν"
    if _AMID_A_WORD.search(word):
        return False
    beside = "".join(re.findall("[a-z]", word))
    return len(beside) < 3 or bool(_BESIDE_SIGNS.fullmatch(beside)) or not _AT_AN_END.search(word)


def _is_joined(word: str, kin: list[int], latin: list[int]) -> bool:
    """Whether a foreign name has an ending of one's own, or a word of one's own before it, which shows what it is."""
    is_ending = latin[-1] < kin[0]
    if len(latin) < 2 or not (is_ending or (kin[-1] < latin[0] and len(kin) > 1)):
        return False
    return not all(_PASSES_OR_RESEMBLES.match(word, place) for place in kin)


def _strangers(word: str, kin: list[int], latin: list[int]) -> list[int]:
    """The letters that are not of the script in which a word seems to be written."""
    if all(_PASSES_OR_RESEMBLES.match(word, place) for place in kin):
        return kin
    if all(_PASSES_BACK.match(word, place) for place in latin):
        return latin
    return min(kin, latin, key=len)


def _of_the_fewest(word: str, kin: list[int]) -> list[int]:
    """The letters of other scripts than that of most."""
    scripts = [_script(word[place]) for place in kin]
    most = Counter(scripts).most_common(1)
    return [place for place, script in zip(kin, scripts, strict=True) if script != most[0][0]]


def _is_disguised(word: re.Match[str], is_shown: bool, has_ascii: bool) -> bool:
    """Whether a word, all of whose letters pass for Latin ones, stands where a Latin one would; `is_shown`: other words
    show its script."""
    if word[0] == "ν" or not _PASSES.search(word[0]):
        return False
    if not is_shown:
        return has_ascii or bool(_RARE.search(word[0]))
    return len(word[0]) > 3 and bool(_ALL_PASS.fullmatch(word[0])) and _is_amid_latin(word)


def _is_amid_latin(word: re.Match[str]) -> bool:
    """Whether the nearest letters before and after a word are those of English."""
    before = _LETTER.findall(word.string, max(word.start() - _NEAR, 0), word.start())
    after = _LETTER.search(word.string, word.end(), word.end() + _NEAR)
    return bool(before and after and before[-1].isascii() and after[0].isascii())


def _runs(text: str, places: list[int]) -> Iterator[tuple[int, int]]:
    """Places as runs, each with the marks that stand on top of its letters."""
    start = end = -1
    for place in places:
        if place != end:
            if end > start:
                yield start, end
            start = place
        topped = _TOPPED.match(text, place)
        end = topped.end() if topped else place + 1
    if end > start:
        yield start, end
