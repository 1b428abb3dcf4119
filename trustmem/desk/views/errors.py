"""What is said where a page cannot be: one sentence, and a way on."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext


def not_understood(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    said = str(exception) if exception and exception.args else ""
    return _page(request, 400, gettext("That was not understood"), said)


def not_allowed(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    said = str(exception) if exception and exception.args else ""
    return _page(request, 403, gettext("That is not yours to do"), said)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    # What Django says of an address that leads nowhere lists all that lead somewhere, and is no sentence.
    said = exception.args[0] if exception and exception.args and isinstance(exception.args[0], str) else ""
    return _page(request, 404, gettext("There is nothing here"), said)


def refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that did not come from a page of ours, or from one that is too old."""
    said = gettext("The form was too old, or came from another site. Go back, load the page anew and send it again.")
    return _page(request, 403, gettext("That form was not taken"), said)


def failed(request: HttpRequest) -> HttpResponse:
    """Nothing of the frame is drawn: whatever failed may fail there again."""
    return render(request, "errors/failed.html", status=500)


def _page(request: HttpRequest, status: int, title: str, sentence: str) -> HttpResponse:
    shown: dict[str, Any] = {"title": title, "sentence": sentence, "status": status}
    return render(request, "errors/error.html", shown, status=status)
