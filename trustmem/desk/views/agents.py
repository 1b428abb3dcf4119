"""The tokens by which agents come into a space: made, rotated and revoked by admins; and how an agent is connected."""

from collections.abc import Callable

from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from trustmem.actions import tokens as actions
from trustmem.actions.errors import Refusal
from trustmem.core.instants import from_datetime
from trustmem.desk import clock, notices, shown_once
from trustmem.desk.access import DeskRequest, in_space, may
from trustmem.desk.clicks import once
from trustmem.desk.forms import TokenForm, focus_first_error
from trustmem.desk.presenters import agents as presented
from trustmem.store.models import Role, Space, Token
from trustmem.store.states import NOTHING, shows

#: Digits of a number that every database holds.
_LONGEST = 18


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(NOTHING)
def agents(request: DeskRequest, space: Space) -> HttpResponse:
    """All tokens, and how to connect; an admin makes, rotates and ends them."""
    form = TokenForm()
    if request.method == "POST":
        if not may(request.role, Role.ADMIN):
            raise PermissionDenied(gettext("Only an admin of this space makes, rotates and revokes tokens."))
        if request.POST.get("do") != "make":
            _changed(request, space)
            return redirect("agents", space.name)
        form = TokenForm(request.POST)
        if form.is_valid() and _made(request, space, form):
            return redirect("agents", space.name)
        if not form.non_field_errors():
            focus_first_error(form)
    shown = {
        "tokens": presented.tokens(space, clock.now()),
        "form": form,
        "scopes": presented.scopes(form["scopes"].value() or ()),
        "token": (token := shown_once.take(request) if may(request.role, Role.ADMIN) else ""),
        "connect": presented.connect(request.build_absolute_uri("/"), token),
    }
    return render(request, "settings/agents.html", shown, status=400 if form.errors else 200)


def _made(request: DeskRequest, space: Space, form: TokenForm) -> bool:
    given = form.cleaned_data
    valid_to = given["valid_to"] and from_datetime(given["valid_to"])

    def make() -> tuple[Token, str]:
        return actions.issue(
            space,
            given["source"],
            given["scopes"],
            by=request.user.username,
            now=clock.now(),
            title=given["title"],
            valid_to=valid_to,
        )

    try:
        _show(request, make)
    except Refusal as refusal:
        form.add_error(None, str(refusal))
        return False
    return True


def _show(request: DeskRequest, make: Callable[[], tuple[Token, str]]) -> None:
    """Make a token, once for each form, and have the next page show it."""

    def do() -> str:
        token, shown = make()
        shown_once.keep(request, shown)
        return str(token.pk)

    once(request, do)


def _changed(request: DeskRequest, space: Space) -> None:
    do, given = request.POST.get("do", ""), request.POST.get("token", "")
    if do not in ("rotate", "revoke") or not (given.isascii() and given.isdecimal() and len(given) <= _LONGEST):
        raise BadRequest(gettext("That cannot be done with tokens."))
    number, by, now = int(given), request.user.username, clock.now()
    try:
        if do == "rotate":
            _show(request, lambda: actions.rotate(space, number, by=by, now=now))
            return
        once(request, lambda: actions.revoke(space, number, now=now))
        told = gettext("The token {token} has ended: whoever shows it is refused from now on.")
        notices.done(request, format_html(told, token=str(actions.found(space, number))))
    except Refusal as refusal:
        notices.refused(request, str(refusal))
