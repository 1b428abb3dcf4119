"""The tokens by which agents come into a space: made, rotated and revoked by admins; what agents are served; and how an
agent is connected."""

from collections.abc import Callable

from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from trustmem.actions import spaces
from trustmem.actions import tokens as actions
from trustmem.actions.errors import Refusal
from trustmem.core.instants import from_datetime
from trustmem.desk import clock, notices, shown_once
from trustmem.desk.access import DeskRequest, in_space, may
from trustmem.desk.clicks import once
from trustmem.desk.forms import ShareForm, TokenForm, focus_first_error
from trustmem.desk.presenters import agents as presented
from trustmem.store.models import Role, Space, Token
from trustmem.store.states import NOTHING, shows

#: Digits of a number that every database holds.
_LONGEST = 18


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(NOTHING)
def agents(request: DeskRequest, space: Space) -> HttpResponse:
    """All tokens, what agents are served, and how to connect; an admin changes these."""
    form, sharing = TokenForm(), ShareForm(initial={"share": space.unreviewed_share})
    if request.method == "POST":
        if not may(request.role, Role.ADMIN):
            raise PermissionDenied(
                gettext("Only an admin of this space changes who its agents are, and what they get.")
            )
        do = request.POST.get("do")
        if do == "make":
            form = TokenForm(request.POST)
        elif do == "share":
            sharing = ShareForm(request.POST)
        if _done(request, space, form, sharing):
            return redirect("agents", space.name)
    administers = may(request.role, Role.ADMIN)
    number, _, token = (shown_once.take(request) if administers else "").partition(" ")
    tokens = presented.tokens(space, clock.now())
    shown = {
        "tokens": tokens,
        "made": next((each for each in tokens.standing if str(each.number) == number), None),
        "form": form,
        "share": presented.share(space, clock.now()),
        "sharing": sharing,
        "scopes": presented.scopes(form["scopes"].value() or ()),
        "token": token,
        "connect": presented.connect(request.build_absolute_uri("/"), token, tells_where=administers),
    }
    return render(request, "settings/agents.html", shown, status=400 if form.errors or sharing.errors else 200)


def _done(request: DeskRequest, space: Space, form: TokenForm, sharing: ShareForm) -> bool:
    """Do what was asked for; False: the form that was filled in says why not."""
    filled = next((each for each in (form, sharing) if each.is_bound), None)
    if filled is None:
        _changed(request, space)
        return True
    if not filled.is_valid():
        focus_first_error(filled)
        return False
    if filled is form:
        return _made(request, space, form)
    percent, by, now = sharing.cleaned_data["share"], request.user.username, clock.now()
    once(request, lambda: spaces.change_unreviewed_share(space, percent, by=by, now=now))
    notices.done(request, gettext("What agents are served is changed, from now on."))
    return True


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
        shown_once.keep(request, f"{token.pk} {shown}")
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
        once(request, lambda: actions.revoke(space, number, by=by, now=now))
        told = gettext("The token {token} has ended: whoever shows it is refused from now on.")
        notices.done(request, format_html(told, token=str(actions.found(space, number))))
    except Refusal as refusal:
        notices.refused(request, str(refusal))
