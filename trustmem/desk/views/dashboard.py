"""The desk of a space: what needs a person now, and how its facts stand."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import retarget

from trustmem.actions import jobs
from trustmem.desk import charts, clock
from trustmem.desk.access import DeskRequest, in_space, wants_part
from trustmem.desk.presenters.dashboard import dashboard
from trustmem.desk.presenters.tiles import tile
from trustmem.desk.presenters.trend import points, slot, trend
from trustmem.store.models import Fact, Role, Space
from trustmem.store.states import ALIVE, NOTHING, shows


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(ALIVE)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """The desk; sent to it, a form asks that bands be counted, since what only looks writes nothing."""
    now = clock.now()
    if request.method == "POST":
        jobs.ask(space, jobs.TRENDS, by=request.user.username, now=now, slot=slot(space, now))
        if not request.htmx:
            return redirect("dashboard", space.name)
    if wants_part(request):
        return _counting(request, space, now)
    if tile(now, lambda: not Fact.objects.filter(space=space).exists()).shown:
        return render(request, "dashboard/empty.html")
    return render(request, "dashboard/dashboard.html", dashboard(space, now) | {"is_page": True})


def _counting(request: DeskRequest, space: Space, now: int) -> HttpResponse:
    """How far the count is; in place of all that is shown of it where it has just begun or ended."""
    shown = {"trend": tile(now, lambda: trend(space, now))}
    if request.method != "POST" and shown["trend"].shown and shown["trend"].shown.is_counting:
        return render(request, "dashboard/dashboard.html#counting", shown)
    return retarget(render(request, "dashboard/dashboard.html#trend", shown), "#trend")


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def bands(request: DeskRequest, space: Space) -> HttpResponse:
    """The figure of bands over time."""
    return HttpResponse(charts.bands_over_time(points(space)), content_type="application/json")
