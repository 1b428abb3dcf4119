"""Consolidation passes: what waits, runs and is due, all that were taken, what each did; asking for one, and when."""

from typing import Any

from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import retarget

from trustmem.actions import consolidation, folding, jobs, schedules, undo
from trustmem.core.instants import to_text
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, in_space, may, wants_part
from trustmem.desk.clicks import once
from trustmem.desk.forms import ReasonForm, ScheduleForm, focus_first_error
from trustmem.desk.instants import when
from trustmem.desk.presenters import changes as reports
from trustmem.desk.presenters import passes as presented
from trustmem.desk.presenters import schedule as planning
from trustmem.desk.presenters.imports import taken_back
from trustmem.desk.presenters.paging import Place
from trustmem.desk.presenters.tiles import tile
from trustmem.explanations.passes import limits
from trustmem.formats import rfc3339
from trustmem.store import queries
from trustmem.store.models import OPEN, Fact, Job, Pass, Role, Space
from trustmem.store.states import NOTHING, STANDING, shows


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """Each part is read by itself; who looks time and again gets what is worked on, and all once that has ended."""
    now, place = clock.now(), Place.of(request.GET.dict())
    works = _works(space, request.get_full_path(), now)
    if wants_part(request) and works["is_going_on"]:
        return render(request, "passes/passes.html#now", works)
    shown = works | _live(request, space, place, now)
    if wants_part(request):
        return retarget(render(request, "passes/passes.html#live", shown), "#live")
    return render(request, "passes/passes.html", shown | _planned(space, now))


def _works(space: Space, here: str, now: int) -> dict[str, Any]:
    """What is worked on; while it is, the page at `here` looks time and again."""
    works = tile(now, lambda: presented.working(space, now))
    return {"works": works, "is_going_on": any(each.is_open for each in works.shown or ()), "here": here}


def _live(request: DeskRequest, space: Space, place: Place, now: int) -> dict[str, Any]:
    """All but what is worked on, and the schedule."""
    return {
        "waiting": tile(now, lambda: presented.waiting(space, now)),
        "due": tile(now, lambda: presented.due(space, now)),
        "checked": tile(now, lambda: presented.checked(space, now)),
        "history": tile(now, lambda: presented.history(space, place, now)),
        "titles": presented.titles(),
        "stops": limits(),
        "is_empty": tile(now, lambda: not Fact.objects.filter(space=space).exists()),
        "may_run": may(request.role, Role.CURATOR),
    }


def _planned(space: Space, now: int, kind: str = "", form: ScheduleForm | None = None) -> dict[str, Any]:
    """The schedules with their forms, of which one may hold what was given."""

    def read() -> list[Any]:
        kept = schedules.of(space)
        forms = {each: ScheduleForm(initial=planning.initial(each, kept[each]), auto_id=f"{each}_%s") for each in kept}
        if form is not None:
            forms[kind] = form
        return [(each, forms[each.kind]) for each in planning.planned(space, now)]

    return {"schedules": tile(now, read)}


@require_POST
@in_space(Role.CURATOR)
def schedule(request: DeskRequest, space: Space) -> HttpResponse:
    """Have passes, or what else is due time and again, come in another rhythm."""
    kind, now = request.POST.get("kind", ""), clock.now()
    if kind not in schedules.DEFAULTS:
        raise BadRequest(gettext("There is no schedule for that."))
    form = ScheduleForm(request.POST, auto_id=f"{kind}_%s")
    if not form.is_valid():
        focus_first_error(form)
        works = _works(space, reverse("passes", args=[space.name]), now)
        shown = works | _live(request, space, Place(), now) | _planned(space, now, kind, form)
        return render(request, "passes/passes.html", shown, status=400)
    rhythm = planning.rhythm(form.cleaned_data, schedules.of(space)[kind], now)
    once(request, lambda: schedules.change(space, kind, rhythm, by=request.user.username, now=now))
    notices.done(request, gettext("The schedule is changed, from now on."))
    return redirect("passes", space.name)


@require_POST
@in_space(Role.CURATOR)
def run(request: DeskRequest, space: Space) -> HttpResponse:
    """Ask for a pass now; the one that is under way, if there is one."""
    by, now = request.user.username, clock.now()
    return redirect("pass-job", space.name, once(request, lambda: str(consolidation.ask(space, by=by, now=now).pk)))


@require_POST
@in_space(Role.REVIEWER)
def preview(request: DeskRequest, space: Space) -> HttpResponse:
    """Ask what a pass would do now; nothing is written."""
    by, now = request.user.username, clock.now()
    return redirect("pass-job", space.name, once(request, lambda: str(previewing(space, by=by, now=now).pk)))


@transaction.atomic
def previewing(space: Space, *, by: str, now: int) -> Job:
    """The job of a preview: the one that is still to be done, if there is one."""
    open_one = Job.objects.filter(space=space, kind=jobs.PREVIEW, state__in=OPEN).first()
    return open_one or jobs.ask(space, jobs.PREVIEW, by=by, now=now)


@require_safe
@in_space(Role.READER)
@shows(STANDING)
def report(request: DeskRequest, space: Space, instant: str) -> HttpResponse:
    """What a pass did, fact by fact, and the way to roll it back or bring it back."""
    now, taken, view = clock.now(), _pass(space, instant), reports.View.of(request.GET.dict())
    name = to_text(taken.instant)
    undone = undo.undone(space, name, folding.void(space, space.folded_to))
    shown = {
        "name": name,
        "at": when(taken.instant, now),
        "counts": presented.counts_of(taken),
        "defers": taken.deferred > 0,
        "is_under_way": not taken.void and presented.is_under_way(taken),
        "is_void": taken.void,
        "is_held": undone is not None and undone.by == consolidation.BREAKER,
        "undone": taken_back(undone, now),
        "asked": tile(now, lambda: reports.asked(space, taken, now)),
        "version": tile(now, lambda: queries.version(space, taken.instant)),
        "changes": tile(now, lambda: reports.listed(space, taken, view)),
        "did": view.did,
        "may_run": may(request.role, Role.CURATOR),
        "reason": ReasonForm(auto_id="undo_%s"),
    }
    return render(request, f"passes/report.html{'#changes' if wants_part(request) else ''}", shown)


def _pass(space: Space, name: str) -> Pass:
    try:
        found = Pass.objects.filter(space=space, instant=rfc3339.parse(name)).first()
    except ValueError:
        found = None
    if found is None:
        raise Http404(gettext("This space has no pass at that instant."))
    return found
