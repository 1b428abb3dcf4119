"""What the next page says on top: what was done, with the act by which it can be undone, or why it was not."""

import json
import secrets
from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.contrib.messages.storage.base import BaseStorage, Message
from django.contrib.messages.storage.cookie import MessageDecoder, MessageEncoder
from django.http import HttpRequest, HttpResponse

from trustmem.desk import clock
from trustmem.store.models import Told

#: Under which a session knows its browser.
_BROWSER = "notices"


def done(request: HttpRequest, sentence: str, act: str = "", *, back: str = "") -> None:
    """Something was done; `act` is offered to be undone, or what is none by a form that goes to the address `back`."""
    messages.success(request, sentence, extra_tags=act or back)


def refused(request: HttpRequest, sentence: str) -> None:
    """Something was not done, and nothing was changed."""
    messages.error(request, sentence)


class Rows(BaseStorage):
    """Each in a row of its own, and read before anything else is done. Where a form is sent twice, the page that the
    browser leaves would take with it what the one that comes instead is to say: a session, since it is written as a
    whole, and what is read as a page is drawn, since that takes its time."""

    def __init__(self, request: HttpRequest, *args: Any, **more: Any) -> None:
        super().__init__(request, *args, **more)
        browser = request.session.get(_BROWSER)
        rows = Told.objects.filter(browser=browser).order_by("pk") if browser else Told.objects.none()
        self._rows = list(rows.values_list("pk", "says"))

    def __iter__(self) -> Iterator[Message]:
        """However often something was said, it stands there once."""
        return iter({(each.level, each.message, each.extra_tags): each for each in super().__iter__()}.values())

    def _get(self, *args: Any, **more: Any) -> tuple[list[Message], bool]:
        return [json.loads(says, cls=MessageDecoder) for _, says in self._rows], True

    def _store(self, messages: list[Message], response: HttpResponse, *args: Any, **more: Any) -> list[Message]:
        """What was read and not said comes first: it stays as it is, unless it was erased meanwhile."""
        if self.used:
            Told.objects.filter(pk__in=[pk for pk, _ in self._rows]).delete()
        new = messages if self.used else messages[len(self._rows) :]
        if new:
            browser = self.request.session.setdefault(_BROWSER, secrets.token_urlsafe(12))
            says = [json.dumps(each, cls=MessageEncoder) for each in new]
            Told.objects.bulk_create(Told(browser=browser, says=each, at=clock.now()) for each in says)
        return []
