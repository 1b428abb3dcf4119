"""The queue: the open cases, what it can be narrowed to, and the next of them to decide."""

from collections.abc import Mapping
from dataclasses import replace

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from trustmem.actions import handouts, saved_views
from trustmem.actions.errors import Refusal
from trustmem.desk import clicks, clock, notices
from trustmem.desk.access import DeskRequest, in_space, may, wants_part
from trustmem.desk.forms import SavedViewForm, first_error
from trustmem.desk.presenters import review as presented
from trustmem.desk.presenters.queue import Asked
from trustmem.desk.presenters.tiles import tile
from trustmem.store import aside
from trustmem.store.models import Case, Role, Space
from trustmem.store.states import GUARDED, shows

#: What a form says beside what is looked at.
_OF_FORMS = (clicks.FIELD, "csrfmiddlewaretoken")


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """The queue; a part of it is the cases that come after a place."""
    asked, by, now = asked_of(request.GET.dict()), request.user.username, clock.now()
    sees_all = may(request.role, Role.REVIEWER)
    if wants_part(request) and asked.after is not None:
        found = tile(now, lambda: presented.rows(space, asked, by, now, sees_all=sees_all))
        return render(request, "review/review.html#rows", {"found": found})
    shown = presented.page(space, asked, by, now, sees_all=sees_all)
    shown |= {"form": SavedViewForm(prefix="view"), "may_decide_all": may(request.role, Role.CURATOR)}
    return render(request, "review/review.html", shown)


def asked_of(given: Mapping[str, str], *others: str) -> Asked:
    """What is looked at, as an address or a form says it, which may say `others` beside. Raises BadRequest for what
    that cannot mean."""
    try:
        asked = Asked.of(given, (*_OF_FORMS, *others))
    except ValueError as error:
        raise BadRequest(str(error)) from None
    return replace(asked, filter=replace(asked.filter, now=clock.now()))


@require_POST
@in_space(Role.REVIEWER)
def following(request: DeskRequest, space: Space) -> HttpResponse:
    """Hand out the next case. Whoever begins works on what there is then: what comes later is new."""
    asked, by = asked_of(request.POST.dict()), request.user.username
    upto = asked.filter.upto if asked.filter.upto is not None else space.head_position
    filter = replace(asked.filter, upto=upto, aside=False)
    case = handouts.hand_out(space, filter, by=by, now=clock.now())
    query = Asked(filter).query()
    if case is None:
        notices.refused(request, gettext("Nothing is left that could be handed out: see who has what."))
        return redirect(reverse("review", args=[space.name]) + query)
    say_if_round(request, case)
    return redirect(reverse("case", args=[space.name, case.name]) + query)


def say_if_round(request: DeskRequest, case: Case) -> None:
    """Whoever is handed out what they skipped has skipped all that is left."""
    if aside.is_skipped(request.space, case.name, request.user.username):
        notices.done(request, gettext("You have skipped all that is left: here they come again."))


@require_POST
@in_space(Role.READER)
def keep(request: DeskRequest, space: Space) -> HttpResponse:
    """Keep what is looked at as a view."""
    form = SavedViewForm(request.POST, prefix="view")
    asked = asked_of(request.POST.dict(), "view-title")
    if not form.is_valid():
        raise BadRequest(first_error(form))
    query = asked.query(upto=None)
    try:
        saved_views.save(space, form.cleaned_data["title"], query.removeprefix("?"), by=request.user.username)
        notices.done(request, gettext("Kept: you find it above the queue."))
    except Refusal as refusal:
        notices.refused(request, str(refusal))
    return redirect(reverse("review", args=[space.name]) + query)


@require_POST
@in_space(Role.READER)
def drop(request: DeskRequest, space: Space) -> HttpResponse:
    """Keep a view no more."""
    form, asked = SavedViewForm(request.POST, prefix="view"), asked_of(request.POST.dict(), "view-title")
    if form.is_valid():
        saved_views.delete(space, form.cleaned_data["title"], by=request.user.username)
    return redirect(reverse("review", args=[space.name]) + asked.query())
