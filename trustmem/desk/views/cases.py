"""A case: what waits for a person, all that it is about, and what it came to."""

from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from trustmem.actions import cases
from trustmem.actions.errors import Refusal
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, in_space
from trustmem.desk.clicks import once
from trustmem.desk.forms import CloseForm, ReasonForm, first_error
from trustmem.desk.presenters.cases import page
from trustmem.store.models import Case, Role, Space


@require_safe
@in_space(Role.READER)
def show(request: DeskRequest, space: Space, case: str) -> HttpResponse:
    found = Case.objects.filter(space=space, name=case).first()
    if found is None:
        raise Http404(gettext("This space has no such case."))
    shown = page(space, found, request.GET.dict(), clock.now())
    shown["written"] = [
        (each, ReasonForm(auto_id=f"undo-{place}_%s")) for place, each in enumerate(shown.get("written", ()))
    ]
    forms = {"form": CloseForm(prefix="close"), "opening": ReasonForm(auto_id="open_%s")}
    return render(request, "cases/case.html", shown | forms)


@require_POST
@in_space(Role.REVIEWER)
def close(request: DeskRequest, space: Space, case: str) -> HttpResponse:
    """Say what a case came to."""
    form = CloseForm(request.POST, prefix="close")
    if not form.is_valid():
        raise BadRequest(first_error(form))
    try:
        given = form.cleaned_data
        by, now = request.user.username, clock.now()
        act = once(request, lambda: cases.close(space, case, given["verdict"], by=by, now=now, reason=given["reason"]))
        notices.done(request, gettext("Closed: it needs nobody any more."), act)
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        if not Case.objects.filter(space=space, name=case).exists():
            return redirect("dashboard", space.name)
    return redirect("case", space.name, case)
