"""Erasing a fact: what would be gone, said before; done once somebody has said twice that they mean it."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from trustmem.actions import erasing, purging
from trustmem.actions.errors import Refusal
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, in_space
from trustmem.desk.clicks import once
from trustmem.desk.forms import EraseForm
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import erasing as presented
from trustmem.desk.presenters.claim import claim
from trustmem.store.models import Fact, Line, Role, Space
from trustmem.store.states import KEPT, shows


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.ADMIN)
@shows(KEPT)
def show(request: DeskRequest, space: Space, fact: str) -> HttpResponse:
    """What would be gone with a fact, and what else tells the same; sent, the form there erases it."""
    if not Line.objects.filter(space=space, name=fact, tag="fact").exists():
        raise Http404(gettext("This space holds no such fact."))
    if "finish" in request.POST:
        return _finished(request, space, fact)
    form = EraseForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and _erased(request, space, fact, form):
        return _on(space, fact)
    if fact in purging.erased(space):
        return render(request, "erasing/left.html", {"id": fact}) if space.to_scrub else _on(space, fact)
    shown = _told(request, space, fact, form)
    return render(request, "erasing/erasing.html", shown, status=400 if form.errors else 200)


def _told(request: DeskRequest, space: Space, fact: str, form: EraseForm) -> dict[str, Any]:
    ticked = request.POST.getlist("also") if request.method == "POST" else None
    return {
        "id": fact,
        "claim": claim(next(iter(erasing.says(space, [fact])), None)),
        "goes": presented.goes(space, fact),
        "cases": presented.cases(space, fact, clock.now()),
        "noted": erasing.noted(space, fact),
        "repeating": presented.repeating(erasing.repeating(space, fact), ticked),
        "form": form,
    }


def _erased(request: DeskRequest, space: Space, fact: str, form: EraseForm) -> bool:
    """Erase it with those that are ticked; False: the form says why not."""
    found = presented.repeating(erasing.repeating(space, fact), None).rows
    if {each.name for each in found if each.is_ticked} - {*request.POST.getlist("shown")}:
        form.add_error(None, gettext("Meanwhile more was made from it that repeats it: look at that, too."))
        return False
    also = [name for name in request.POST.getlist("also") if "\0" not in name]
    by, now, reason = request.user.username, clock.now(), form.cleaned_data["reason"]
    try:
        once(request, lambda: erasing.erase(space, fact, by=by, now=now, reason=reason, also=also))
    except purging.Unscrubbed:
        return True  # it is erased, and the page that comes next says what is left to do
    except Refusal as refusal:
        form.add_error("reason", str(refusal))
        return False
    if not Space.objects.get(pk=space.pk).to_scrub:
        notices.done(request, _said(len(also)))
    return True


def _said(others: int) -> str:
    if not others:
        return gettext("Erased: its text is gone for good.")
    said = ngettext(
        "Erased: its text is gone for good, and that of {count} that was made from it or says the same.",
        "Erased: its text is gone for good, and those of {count} that were made from it or say the same.",
        others,
    )
    return said.format(count=whole(others))


def _finished(request: DeskRequest, space: Space, fact: str) -> HttpResponse:
    """Clear the files of the database of what was erased."""
    try:
        purging.scrub()
    except purging.Unscrubbed:
        notices.refused(request, gettext("Somebody else is still using the database. Try again in a while."))
        return redirect("erase", space.name, fact)
    notices.done(request, gettext("Cleared: nothing of what was erased is left in the files of the database."))
    return _on(space, fact)


def _on(space: Space, fact: str) -> HttpResponse:
    """To the page of a fact that is erased, or what is left to do; of an undone one there is no page."""
    if Space.objects.get(pk=space.pk).to_scrub:
        return redirect("erase", space.name, fact)
    is_there = Fact.objects.filter(space=space, name=fact).exists()
    return redirect("fact", space.name, fact) if is_there else redirect("facts", space.name)
