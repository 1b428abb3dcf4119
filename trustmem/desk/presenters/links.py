"""Links to facts, named by what they say."""

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from trustmem.desk.components import marked
from trustmem.desk.presenters.texts import beginning

_BEGINNING = 80


def linked(space: str, id: str, text: str | None) -> SafeString:
    """A link to a fact by the beginning of its text (None: erased), which keeps to its own direction of writing."""
    return format_html(
        '<a href="{}"><bdi translate="no">{}</bdi></a>',
        reverse("fact", args=[space, id]),
        marked(None if text is None else beginning(text, _BEGINNING)),
    )


def called(name: str) -> SafeString:
    """A name within a sentence, which keeps to its own direction of writing."""
    return format_html('<bdi translate="no">{}</bdi>', marked(name))
