"""The language of what this floor tells: English as written, unless whoever asks has put another in place."""

from collections.abc import Callable

Translate = Callable[[str], str]
TranslatePlural = Callable[[str, str, int], str]


def _as_written(text: str) -> str:
    return text


def _as_written_of_many(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


_translate: Translate = _as_written
_translate_plural: TranslatePlural = _as_written_of_many


def speak(gettext: Translate = _as_written, ngettext: TranslatePlural = _as_written_of_many) -> None:
    """From now on, tell in the language of these functions; without any, in English as written."""
    global _translate, _translate_plural
    _translate, _translate_plural = gettext, ngettext


def say(template: str, **values: object) -> str:
    """The template in the reader's language, with its values put in.

    >>> say("{id} updates it", id="f")
    'f updates it'
    """
    return _translate(template).format(**values)


def counted(count: int, one: str, many: str, **values: object) -> str:
    """The template for so many in the reader's language, with `count` and its values put in.

    >>> counted(2, "{count} run", "{count} runs")
    '2 runs'
    """
    return _translate_plural(one, many, count).format(count=count, **values)
