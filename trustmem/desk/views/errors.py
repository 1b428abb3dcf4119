"""What is said where a page cannot be: one sentence, and a way on."""

from typing import Any

from django.core.exceptions import (
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext


def not_understood(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    # What Django says of requests that look like an attack speaks of its settings.
    if isinstance(exception, RequestDataTooBig | TooManyFieldsSent | TooManyFilesSent):
        said = gettext("More was sent than a form of the desk can hold.")
    elif isinstance(exception, SuspiciousOperation):
        said = gettext("It did not look like what a browser sends to this desk.")
    else:
        said = str(exception) if exception and exception.args else ""
    return _page(request, 400, gettext("That was not understood"), said)


def not_so(request: HttpRequest, allowed: str) -> HttpResponse:
    """An address that is asked in a way in which it does not answer: somebody came to where only forms go."""
    said = gettext("This is where a form goes, and no page. Go back and send it from there.")
    answer = _page(request, 405, gettext("There is no page here"), said)
    answer["Allow"] = allowed
    return answer


def busy(request: HttpRequest) -> HttpResponse:
    """Nothing of the frame is drawn, which would ask the database."""
    answer = render(request, "errors/busy.html", status=503)
    answer["Retry-After"] = "10"
    return answer


def not_allowed(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    said = str(exception) if exception and exception.args else ""
    return _page(request, 403, gettext("That is not yours to do"), said)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    # What Django says of an address that leads nowhere lists all that lead somewhere, and is no sentence.
    said = exception.args[0] if exception and exception.args and isinstance(exception.args[0], str) else ""
    return _page(request, 404, gettext("There is nothing here"), said)


def final(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Somebody wants to undo what nothing undoes."""
    return _page(request, 409, gettext("That cannot be undone"), str(exception))


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
