"""The smallest parts of pages. They stand in every row, so they are made in Python and kept where they can be."""

from functools import lru_cache
from html import escape  # Django's own takes texts that are lazy or safe as well, and four times as long

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from trustmem.core.vocabulary import BANDS
from trustmem.desk.instants import When
from trustmem.desk.words import OF_FLAGS, advice_on, word
from trustmem.explanations.text import pieces


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


def marked(text: str | None) -> SafeString:
    """A text of users as it is, with a mark in place of every character that would hide, move or reorder something."""
    if text is None:
        return SafeString(f'<span class="soft">{escape(gettext("(erased)"))}</span>')
    if text.isascii() and text.isprintable():
        return SafeString(escape(text))
    return SafeString("".join(_piece(escape(piece), is_mark) for piece, is_mark in pieces(text)))


def _piece(escaped: str, is_mark: bool) -> str:
    return f'<span class="hidden-mark">{escaped}</span>' if is_mark else escaped
