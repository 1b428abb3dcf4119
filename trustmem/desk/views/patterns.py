"""The kit of parts of which pages are made, for those who build them."""

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from trustmem.desk import charts, clock
from trustmem.desk.access import DeskRequest
from trustmem.desk.presenters.patterns import counted, samples


@require_safe
def show(request: DeskRequest) -> HttpResponse:
    """Every part in all that it can be; its figure is the same address with `?figure`."""
    if not settings.DEBUG:
        raise Http404
    now = clock.now()
    if "figure" in request.GET:
        return HttpResponse(charts.bands_over_time(counted(now)), content_type="application/json")
    return render(request, "patterns/patterns.html", samples(now))
