"""What the next page says on top: what was done, with the act by which it can be undone, or why it was not."""

from django.contrib import messages
from django.http import HttpRequest


def done(request: HttpRequest, sentence: str, act: str = "") -> None:
    """Something was done; `act` is offered to be undone."""
    messages.success(request, sentence, extra_tags=act)


def refused(request: HttpRequest, sentence: str) -> None:
    """Something was not done, and nothing was changed."""
    messages.error(request, sentence)
