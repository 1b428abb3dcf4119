"""Clicks: every form carries what tells one sending of it from another, so that a second one does nothing more."""

import hashlib
import secrets
from collections.abc import Callable

from django.utils.html import format_html
from django.utils.safestring import SafeString

from trustmem.actions import clicks
from trustmem.desk import clock
from trustmem.desk.access import DeskRequest

#: The field of a form that holds it.
FIELD = "click"
_OF_A_PAGE = "csrfmiddlewaretoken"


def field() -> SafeString:
    """A field that no two forms have alike, nor the same form on a page that is drawn anew. (Without the attribute, a
    browser may put what it had before in its place.)"""
    return format_html(
        '<input type="hidden" name="{}" value="{}" autocomplete="off">', FIELD, secrets.token_urlsafe(12)
    )


def once(request: DeskRequest, do: Callable[[], str | None]) -> str:
    """Do what a form of a page of a space asks for, unless it was sent before; the act or job that it was ('': it was
    none).

    Raises Refusal as that does, and where it was done before and undone since.
    """
    by, now = request.user.username, clock.now()
    return clicks.once(request.space, _token(request), lambda: do() or "", by=by, now=now)


def _token(request: DeskRequest) -> str:
    """What a form says and where it went, as a digest: whoever goes back and says something else is heard. '': it is
    none of a page of ours, and counts each time."""
    if not request.POST.get(FIELD):
        return ""
    said = [(name, values) for name, values in sorted(request.POST.lists()) if name != _OF_A_PAGE]
    files = [(name, [(each.name, each.size) for each in given]) for name, given in request.FILES.lists()]
    return hashlib.sha256(repr((request.path, said, files)).encode()).hexdigest()
