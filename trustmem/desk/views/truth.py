"""Whether trust predicts truth, by what people found; and the calibration sample, of which they are asked at random."""

from typing import Any

from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from trustmem.actions import jobs, sampling
from trustmem.actions.errors import Refusal
from trustmem.desk import answers, charts_of_truth, clock, notices
from trustmem.desk.access import DeskRequest, in_space, wants_part
from trustmem.desk.clicks import once
from trustmem.desk.forms import SampleForm, first_error
from trustmem.desk.presenters import lab, truth, truth_page
from trustmem.desk.presenters.tiles import tile
from trustmem.desk.presenters.truth_asked import Asked
from trustmem.store import queries
from trustmem.store.cases import SAMPLE
from trustmem.store.models import OPEN, Job, Role, Space
from trustmem.store.states import NOTHING, shows


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(NOTHING)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """What people found of facts, held against their trust. Sent to it, a form asks that outcomes be collected anew, as
    what only looks writes nothing."""
    now = clock.now()
    if request.method == "POST":
        _collect(space, by=request.user.username, now=now)
        return redirect(request.get_full_path())
    works = tile(now, lambda: lab.working(space, now, truth_page.COLLECTING))
    if wants_part(request):
        if works.shown and any(each.is_open for each in works.shown):
            return render(request, "calibration/work.html", {"works": works})
        return HttpResponseClientRefresh()
    return _page(request, space, now, works=works, sample=SampleForm())


def _page(request: DeskRequest, space: Space, now: int, status: int = 200, **more: Any) -> HttpResponse:
    asked = Asked.read(request.GET.dict())
    shown = {
        "asked": asked,
        "collected": tile(now, lambda: truth_page.collected(space, now)),
        "told": tile(now, lambda: truth_page.told(space, asked, queries.constants(space))),
        "choices": tile(now, lambda: truth_page.choices_of(space, asked)),
        "sample_href": _queue(space),
    }
    return render(request, "calibration/truth.html", shown | more, status=status)


def _queue(space: Space) -> str:
    return f"{reverse('review', args=[space.name])}?kind={SAMPLE.replace(' ', '+')}"


@transaction.atomic
def _collect(space: Space, *, by: str, now: int) -> None:
    """Have outcomes collected, unless that is still to be done anyway."""
    if not Job.objects.filter(space=space, kind=jobs.OUTCOMES, state__in=OPEN).exists():
        jobs.ask(space, jobs.OUTCOMES, by=by, now=now)


@require_POST
@in_space(Role.REVIEWER)
def draw(request: DeskRequest, space: Space) -> HttpResponse:
    """Draw a calibration sample, and go to the queue of its cases."""
    form, now = SampleForm(request.POST), clock.now()
    if not form.is_valid():
        raise BadRequest(first_error(form))
    size, by = int(form.cleaned_data["size"]), request.user.username
    try:
        act = once(request, lambda: sampling.draw(space, size, by=by, now=now))
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        return redirect("truth", space.name)
    notices.done(request, gettext("A calibration sample is drawn: what do you find?"), act)
    return redirect(_queue(space))


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def figure(request: DeskRequest, space: Space, of: str) -> HttpResponse:
    """The reliability diagram by bands or by tenths, or months."""
    asked = Asked.read(request.GET.dict())
    found = truth.found(space, asked)
    if of == "months":
        months = truth.by_month(found, asked.of)
        return answers.figure(charts_of_truth.over_time(months, truth.groups_table(gettext("month"), months)))
    if of not in ("bands", "tenths"):
        raise Http404(gettext("There is no such figure."))
    in_bands = of == "bands"
    bins = truth.by_band(found, asked.of, queries.constants(space)) if in_bands else truth.by_tenths(found, asked.of)
    table = truth.diagram_table(bins, in_bands=in_bands and asked.of == "trust")
    return answers.figure(charts_of_truth.reliability_diagram(bins, asked.of, table))


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def table(request: DeskRequest, space: Space) -> HttpResponse:
    """One of the tables of the page for machines, in full precision."""
    asked, name = Asked.read(request.GET.dict()), request.GET.get("table", "")
    try:
        rows = truth.rows_of(truth.found(space, asked), name, asked.of, queries.constants(space))
    except KeyError:
        raise Http404(gettext("There is no such table.")) from None
    return answers.table(name, rows)
