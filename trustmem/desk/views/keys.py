"""The keys by which sources of a space sign: registered by whoever has them, and revoked."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from trustmem.actions import keys as actions
from trustmem.actions.errors import Refusal
from trustmem.core.instants import from_datetime
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, in_space, may
from trustmem.desk.clicks import once
from trustmem.desk.forms import KeyForm, focus_first_error
from trustmem.desk.presenters import keys as presented
from trustmem.store.models import Role, Space
from trustmem.store.states import NOTHING, shows


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(NOTHING)
def keys(request: DeskRequest, space: Space) -> HttpResponse:
    """All keys; an admin registers new ones and revokes them."""
    form = KeyForm()
    if request.method == "POST":
        if not may(request.role, Role.ADMIN):
            raise PermissionDenied(gettext("Only an admin of this space registers and revokes keys."))
        if request.POST.get("do") == "revoke":
            _revoke(request, space)
            return redirect("keys", space.name)
        form = KeyForm(request.POST)
        if form.is_valid() and _registered(request, space, form):
            return redirect("keys", space.name)
        if not form.non_field_errors():
            focus_first_error(form)
    shown = {"keys": presented.keys(space, clock.now()), "form": form}
    return render(request, "settings/keys.html", shown, status=400 if form.errors else 200)


def _registered(request: DeskRequest, space: Space, form: KeyForm) -> bool:
    given = form.cleaned_data
    try:
        once(request, lambda: _register(space, given, by=request.user.username))
    except Refusal as refusal:
        form.add_error(None, str(refusal))
        return False
    told = gettext("The key {key} signs for {source}.")
    notices.done(request, format_html(told, key=given["name"], source=given["source"]))
    return True


def _register(space: Space, given: Mapping[str, Any], *, by: str) -> str:
    valid_from, valid_to = (given[name] and from_datetime(given[name]) for name in ("valid_from", "valid_to"))
    return actions.register(
        space,
        given["name"],
        source=given["source"],
        public=given["public"],
        proof=given["proof"],
        valid_from=valid_from,
        valid_to=valid_to,
        by=by,
        now=clock.now(),
    )


def _revoke(request: DeskRequest, space: Space) -> None:
    key, why = request.POST.get("key", ""), request.POST.get("why", "")
    by, now = request.user.username, clock.now()
    try:
        act = once(request, lambda: actions.revoke(space, key, why, by=by, now=now))  # type: ignore[arg-type]
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        return
    facts = len(actions.signed_by(space, key))
    told = gettext("The key {key} is revoked; facts that it ever signed: {facts}.")
    notices.done(request, format_html(told, key=key, facts=facts), act)
