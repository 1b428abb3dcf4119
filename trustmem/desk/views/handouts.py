"""What somebody does with a case in hand beside deciding it: puts it aside, or takes it up again."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from trustmem.actions import handouts
from trustmem.actions.errors import Refusal
from trustmem.core.instants import from_datetime
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, in_space
from trustmem.desk.forms import SnoozeForm, first_error
from trustmem.desk.instants import ahead
from trustmem.desk.presenters.turns import called
from trustmem.desk.views.cases import found
from trustmem.desk.views.review import asked_of
from trustmem.desk.views.verdicts import onward
from trustmem.store.models import Role, Space


@require_POST
@in_space(Role.REVIEWER)
def skip(request: DeskRequest, space: Space, case: str) -> HttpResponse:
    """Put a case behind all others, for whoever does, and go on to the next."""
    try:
        handouts.skip(space, case, by=request.user.username, now=clock.now())
    except Refusal as refusal:
        return _refused(request, space, case, str(refusal))
    said = format_html(gettext("Skipped for now: “{claim}”"), claim=called(space, case))
    notices.done(request, said, back=_back(request, space, case))
    return onward(request, space)


@require_POST
@in_space(Role.REVIEWER)
def snooze(request: DeskRequest, space: Space, case: str) -> HttpResponse:
    """Put a case aside for everybody until an instant, and go on to the next."""
    form, now = SnoozeForm(request.POST), clock.now()
    if not form.is_valid():
        return _refused(request, space, case, first_error(form))
    until = from_datetime(form.cleaned_data["until"])
    try:
        handouts.snooze(space, case, by=request.user.username, now=now, until=until)
    except Refusal as refusal:
        return _refused(request, space, case, str(refusal))
    told = gettext("Snoozed until {at}: “{claim}”")
    said = format_html(told, at=ahead(until, now).minute, claim=called(space, case))
    notices.done(request, said, back=_back(request, space, case))
    return onward(request, space)


@require_POST
@in_space(Role.REVIEWER)
def take_up(request: DeskRequest, space: Space, case: str) -> HttpResponse:
    """Undo that a case was put aside, and take it in hand."""
    by, row = request.user.username, found(space, case)
    if handouts.take_up(space, case, by=by):
        notices.done(request, format_html(gettext("Taken up again: “{claim}”"), claim=called(space, case)))
    handouts.take(space, row.name, by=by, now=clock.now())
    return _to(request, space, case)


def _back(request: DeskRequest, space: Space, case: str) -> str:
    """Where a form goes by which a case is taken up again."""
    return reverse("case-take-up", args=[space.name, case]) + asked_of(request.GET.dict()).query()


def _refused(request: DeskRequest, space: Space, case: str, why: str) -> HttpResponse:
    notices.refused(request, why)
    return _to(request, space, found(space, case).name)


def _to(request: DeskRequest, space: Space, case: str) -> HttpResponse:
    asked = asked_of(request.GET.dict())
    return redirect(reverse("case", args=[space.name, case]) + asked.query())
