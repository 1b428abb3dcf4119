"""What holds for every answer of the desk."""

import logging
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.http import urlencode
from django.utils.translation import gettext

from trustmem.desk.views import errors

_log = logging.getLogger(__name__)
_BUSY = ("database is locked", "canceling statement due to lock timeout")


class SignedIn(LoginRequiredMiddleware):
    """Whoever is not in is led to the door; and what they sent, to the page that they sent it from."""

    def handle_no_permission(self, request: HttpRequest, view_func: Callable[..., Any]) -> HttpResponseRedirect:
        if request.method in ("GET", "HEAD"):
            return super().handle_no_permission(request, view_func)
        messages.error(request, gettext("You had been signed out, and what you sent was not kept."))
        came_from = urlsplit(request.headers.get("Referer", ""))
        back = came_from.path if came_from.netloc == request.get_host() else ""
        return redirect(f"{reverse('sign-in')}?{urlencode({'next': back})}" if back else reverse("sign-in"))


class Answered:
    """One address gives a page or a part of it: no cache may give one for the other, and none may keep what is private.
    Going back in a browser asks anew, so that it never shows a part without its page. Whatever is answered has words.
    """

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.answer(request)
        if response.status_code == 405:
            response = errors.not_so(request, response["Allow"])
        patch_vary_headers(response, ["HX-Request", "HX-History-Restore-Request"])
        if "Cache-Control" not in response:
            patch_cache_control(response, private=True, no_store=True)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """A database that somebody else writes to all the while is no fault of whoever asks, and passes."""
        if isinstance(exception, OperationalError) and any(each in str(exception) for each in _BUSY):
            _log.warning("the database was busy for too long: %s %s", request.method, request.path)
            return errors.busy(request)
        return None
