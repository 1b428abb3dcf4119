"""Links to facts, named by what they say."""

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from trustmem.core.vocabulary import STATES
from trustmem.desk.components import marked, told
from trustmem.desk.presenters.texts import beginning
from trustmem.store.lists import Row
from trustmem.store.states import STANDING

_BEGINNING = 80


def linked(space: str, id: str, text: str | None, state: str | None = None) -> SafeString:
    """A link to a fact by the beginning of its text (None: erased, or in a `state` in which none is told), which keeps
    to its own direction of writing."""
    says = told(None if text is None else beginning(text, _BEGINNING), state)
    return format_html('<a href="{}"><bdi translate="no">{}</bdi></a>', reverse("fact", args=[space, id]), says)


def to_other(space: str, row: Row) -> SafeString:
    """A link to a fact that stands beside others: what is forgotten is told on no page but its own."""
    return linked(space, row.name, STANDING.told(row.text, row.state), STATES[row.state])


def called(name: str) -> SafeString:
    """A name within a sentence, which keeps to its own direction of writing."""
    return format_html('<bdi translate="no">{}</bdi>', marked(name))
