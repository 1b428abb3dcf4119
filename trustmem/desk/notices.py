"""What the next page says on top: what was done, with the act by which it can be undone, or why it was not."""

from typing import cast

from django.contrib import messages
from django.contrib.messages.storage.base import BaseStorage
from django.contrib.messages.storage.session import SessionStorage
from django.http import HttpRequest


def done(request: HttpRequest, sentence: str, act: str = "", *, back: str = "") -> None:
    """Something was done; `act` is offered to be undone, or what is none by a form that goes to the address `back`.
    However often a form was sent, it is said once."""
    if (sentence, act or back) not in _waiting(request):
        messages.success(request, sentence, extra_tags=act or back)


def refused(request: HttpRequest, sentence: str) -> None:
    """Something was not done, and nothing was changed."""
    messages.error(request, sentence)


def forget(request: HttpRequest) -> None:
    """What was to be said is said no more, and this request does not write it back to where it was erased."""
    request.session.pop(SessionStorage.session_key, None)


def _waiting(request: HttpRequest) -> list[tuple[str, str]]:
    """What is to be said and was not yet."""
    storage = cast(BaseStorage, messages.get_messages(request))
    found = [(str(each.message), each.extra_tags or "") for each in storage]
    storage.used = False  # looked at, it would count as said
    return found
