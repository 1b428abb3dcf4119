"""The smallest parts of pages. They stand in every row, so they are made in Python and kept where they can be."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape  # Django's own takes texts that are lazy or safe as well, and four times as long

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from trustmem.core.vocabulary import BANDS
from trustmem.desk.instants import When
from trustmem.desk.words import OF_FLAGS, advice_on, word
from trustmem.explanations.differences import Part
from trustmem.explanations.text import LINE_END, Piece, marks, names_of, pieces, points, within


def band(name: str, trust: str = "") -> SafeString:
    """A trust band: its glyph, its word, and the score as text."""
    return _band(get_language(), name, trust)


@lru_cache(4096)
def _band(_language: str, name: str, trust: str) -> SafeString:
    place = BANDS.index(name) + 1
    return format_html(
        '<span class="band band-{}"><svg class="bars" aria-hidden="true"><use href="#bars-{}"/></svg>{}{}</span>',
        place,
        place,
        word(name),
        format_html(' <span class="num">{}</span>', trust) if trust else "",
    )


def flag(name: str) -> SafeString:
    """A flag, a notice or a state as a chip; what to do about it is its tooltip."""
    return _flag(get_language(), name)


@lru_cache(256)
def _flag(_language: str, name: str) -> SafeString:
    kind = "flag" if name == "settled" or name not in OF_FLAGS else "flag hot"
    return format_html('<span class="{}" title="{}">{}</span>', kind, advice_on(name), word(name))


def when(instant: When | None) -> SafeString:
    """An instant: how long ago, and to the minute where one points at it."""
    if instant is None:
        return SafeString(f'<span class="soft">{escape(gettext("unknown"))}</span>')
    machine, minute, ago = map(escape, instant)
    return SafeString(f'<time datetime="{machine}" title="{minute}">{ago}</time>')


def told(text: str | None, state: str | None) -> SafeString:
    """What a fact says; in place of that, why it is not told: by the state in which it is by now."""
    if text is not None or state not in ("forgotten", ""):
        return marked(text)
    says = gettext("(forgotten)") if state else gettext("(counts no more)")
    return SafeString(f'<span class="soft">{escape(says)}</span>')


def marked(text: str | None) -> SafeString:
    """A text of users as it is, with a sign in place of every character that would hide, move or reorder something, and
    one after letters that pass for others."""
    if text is None:
        return SafeString(f'<span class="soft">{escape(gettext("(erased)"))}</span>')
    if text.isascii() and text.isprintable():
        return SafeString(escape(text))
    return _joined(pieces(text))


def compared(text: str, parts: Iterable[Part], is_left: bool) -> SafeString:
    """A text beside another one, as much of it as the parts are: what differs is marked as gone on the left and as new
    on the right, and a sign stands for what is left out."""
    found, place = marks(text), 0
    shown: list[str] = []
    for part in parts:
        end = part.start + len(part.text)
        inner = _joined(within(text, found, part.start, end))
        shown.append(_LEFT_OUT if part.start > place else "")
        shown.append(_differing(part.text, inner, is_left) if part.differs else inner)
        place = end
    return SafeString("".join(shown) + (_LEFT_OUT if place < len(text) else ""))


_SPACES = frozenset(
    " \t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_LEFT_OUT = '<span class="left-out">…</span>'


def _differing(text: str, inner: str, is_left: bool) -> str:
    """What differs, said to those who hear the page too. Of spaces alone one could not see how they do."""
    tag, said = ("del", gettext("only left:")) if is_left else ("ins", gettext("only right:"))
    seen = _piece("", points(text)) if _SPACES.issuperset(text) else inner
    return f'<{tag}><span class="unseen" dir="auto">{escape(said)} </span>{seen}</{tag}>'


def _joined(found: Iterable[Piece]) -> SafeString:
    return SafeString("".join(_piece(*piece) for piece in found))


def _piece(shown: str, sign: str) -> str:
    if not sign:
        return escape(shown)
    if sign == LINE_END:
        return f'<span class="line-mark">{sign}</span>'
    mark = f'<span class="hidden-mark">{escape(sign)}</span>'
    return f'<span class="odd-mark" title="{escape(names_of(shown))}">{escape(shown)}{mark}</span>' if shown else mark
