"""Links to facts, named by what they say."""

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from trustmem.desk.components import marked, told
from trustmem.desk.presenters.texts import beginning

_BEGINNING = 80


def linked(space: str, id: str, text: str | None, state: str | None = None) -> SafeString:
    """A link to a fact by the beginning of its text (None: erased, or in a `state` in which none is told), which keeps
    to its own direction of writing."""
    says = told(None if text is None else beginning(text, _BEGINNING), state)
    return format_html('<a href="{}"><bdi translate="no">{}</bdi></a>', reverse("fact", args=[space, id]), says)


def called(name: str) -> SafeString:
    """A name within a sentence, which keeps to its own direction of writing."""
    return format_html('<bdi translate="no">{}</bdi>', marked(name))
