"""Fits of constants to what people found. None is ever put in force here: what is offered is tried in the lab first."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from trustmem.actions import fitting
from trustmem.actions.errors import Refusal
from trustmem.core.calibration import Fit
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, ask_for, in_space, wants_part
from trustmem.desk.clicks import once
from trustmem.desk.presenters import fitting as presented
from trustmem.desk.presenters import lab, truth_page
from trustmem.desk.presenters.tiles import tile
from trustmem.store import queries
from trustmem.store.models import Role, Space
from trustmem.store.states import NOTHING, shows

#: No constant has a longer name; of what is none, no more is said again.
_LONGEST_NAME = 100


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(NOTHING)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """What can be fitted, and what earlier fits found. Sent to it, a form asks for another one."""
    if request.method == "POST":
        return _fit(request, space)
    now, in_force = clock.now(), queries.constants(space)
    works = tile(now, lambda: lab.working(space, now, presented.RUNNING))
    if wants_part(request):
        if works.shown and any(each.is_open for each in works.shown):
            return render(request, "calibration/work.html", {"works": works})
        return HttpResponseClientRefresh()
    shown = {
        "works": works,
        "fittable": presented.fittable(in_force, list(Fit._fields)),
        "missing": tile(now, lambda: presented.missing(space, now)),
        "collected": tile(now, lambda: truth_page.collected(space, now)),
        "fits": tile(now, lambda: presented.fits(space, in_force, now)),
    }
    return render(request, "calibration/fit.html", shown)


def _fit(request: DeskRequest, space: Space) -> HttpResponse:
    ask_for(request, Role.REVIEWER)
    names, by = [name[:_LONGEST_NAME] for name in request.POST.getlist("names")], request.user.username
    if not names:
        notices.refused(request, gettext("Tick one constant or more."))
        return redirect("fit", space.name)

    def ask() -> str:
        if lacks := presented.missing(space, clock.now()):
            raise Refusal(lacks)
        return str(fitting.ask(space, names, by=by, now=clock.now()).pk)

    try:
        once(request, ask)
    except Refusal as refusal:
        notices.refused(request, str(refusal))
    else:
        notices.done(request, gettext("Constants are being fitted; nothing is put in force by that."))
    return redirect("fit", space.name)
