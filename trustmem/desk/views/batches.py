"""Many at once: all cases of a filter are decided alike, or all facts of a list forgotten, once somebody has seen how
many they are and what that comes to."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from trustmem.actions import facts as deciding
from trustmem.actions import jobs, verdicts
from trustmem.actions.batches import Batch
from trustmem.actions.errors import Refusal
from trustmem.desk import clicks, clock, notices
from trustmem.desk.access import DeskRequest, in_space, wants_part
from trustmem.desk.clicks import once
from trustmem.desk.forms import BatchForm, DecideAllForm, first_error
from trustmem.desk.presenters import batches as presented
from trustmem.desk.presenters.facts import View
from trustmem.desk.presenters.queue import Asked
from trustmem.desk.views.review import asked_of
from trustmem.store import mentions, queue
from trustmem.store.lists import Filter
from trustmem.store.models import Case, Job, Line, Role, Space
from trustmem.store.states import KEPT, NOTHING, STANDING, shows

#: More are done by a worker.
FEW = 200
#: What the forms say beside what they are about.
_SAID = ("seen", "shown", "reason", "verdict", "leave_out")


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.CURATOR)
@shows(KEPT)
def cases(request: DeskRequest, space: Space) -> HttpResponse:
    """Decide all cases of a filter alike."""
    asked = asked_of((request.POST if request.method == "POST" else request.GET).dict(), *_SAID)
    if asked.filter.kind is None:
        raise BadRequest(gettext("Cases of different kinds cannot be decided alike: choose a kind first."))
    if not verdicts.of_many(asked.filter.kind):
        raise BadRequest(gettext("Facts that were drawn at random are judged one by one: that is what they are for."))
    if request.method != "POST":
        return _confirm(request, space, asked, DecideAllForm())
    form = DecideAllForm(request.POST)
    if not form.is_valid():
        return _confirm(request, space, asked, form)
    given = form.cleaned_data
    back = reverse("review", args=[space.name]) + Asked(queue.Filter(upto=asked.filter.upto)).query()
    filter = replace(asked.filter, left_out=_left_out(request, space))
    given["shown"] = max(given["shown"] - len(filter.left_out), 0)
    what = {"of": "cases", "filter": asdict(filter), "verdict": given["verdict"]}

    def act(**told: Any) -> Batch:
        return verdicts.decide_all(space, filter, given["verdict"], **told)

    return _done(request, given, what, act, back, reverse("review-all", args=[space.name]) + asked.query())


def _left_out(request: DeskRequest, space: Space) -> list[str]:
    """The cases of those shown that are to be left out, by their names."""
    said = {each for each in request.POST.getlist("leave_out") if "\0" not in each}
    return sorted(Case.objects.filter(space=space, name__in=said).values_list("name", flat=True))


def _confirm(request: DeskRequest, space: Space, asked: Asked, form: DecideAllForm) -> HttpResponse:
    shown = presented.of_cases(space, asked, request.user.username, clock.now())
    shown["left_out"] = request.POST.getlist("leave_out")
    return render(request, "batches/cases.html", shown | {"form": form}, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.CURATOR)
@shows(STANDING)
def facts(request: DeskRequest, space: Space) -> HttpResponse:
    """Forget all facts of a list."""
    view, filter = _listed(space, (request.POST if request.method == "POST" else request.GET).dict())
    if request.method != "POST":
        shown = presented.of_facts(space, view, filter, clock.now())
        return render(request, "batches/facts.html", shown | {"form": BatchForm()})
    form = BatchForm(request.POST)
    if not form.is_valid():
        raise BadRequest(first_error(form))

    def act(**told: Any) -> Batch:
        return deciding.forget_all(space, deciding.forgettable(space, filter), **told)

    back = reverse("facts", args=[space.name]) + view.address()
    again = reverse("forget-all", args=[space.name]) + view.address()
    return _done(request, form.cleaned_data, {"of": "facts", "filter": asdict(filter)}, act, back, again)


def _listed(space: Space, given: dict[str, str]) -> tuple[View, Filter]:
    """The list of an address or a form, which asks for some facts; and its filter, with the entity that is meant."""
    beside = (*_SAID, clicks.FIELD, "csrfmiddlewaretoken")
    try:
        view = View.of({name: value for name, value in given.items() if name not in beside})
    except ValueError as error:
        raise BadRequest(str(error)) from None
    if not presented.is_narrowed(view):
        raise BadRequest(gettext("That would be every fact of the space: filter the list first."))
    entity = view.filter.entity and mentions.meant(space, view.filter.entity)
    return view, replace(view.filter, entity=entity)


def _done(
    request: DeskRequest,
    given: dict[str, Any],
    what: dict[str, Any],
    act: Callable[..., Batch],
    back: str,
    again: str,
) -> HttpResponse:
    """Do it, or have a worker do it; and back to where it is seen, or to look again where it could not be."""
    space, found = request.space, list[Batch]()
    told = {name: given[name] for name in ("reason", "seen", "shown")}

    def do() -> str:
        by, now = request.user.username, clock.now()
        if given["shown"] > FEW:
            return str(jobs.ask(space, jobs.DECISION, by=by, now=now, back=back, **what, **told).pk)
        found.append(act(by=by, now=now, **told))
        return found[0].act

    try:
        done = once(request, do)
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        return redirect(again)
    if done.isdecimal():
        return redirect("batch-job", space.name, done)
    notices.done(request, _says(space, done, what["of"]), done)
    for left in filter(None, map(presented.left_out, found)):
        notices.done(request, left)
    return redirect(back)


def _says(space: Space, act: str, of: str) -> str:
    tag, says = ("event.forgotten", presented.forgotten) if of == "facts" else ("event.closed", presented.decided)
    return says(Line.objects.filter(space=space, act=act, tag=tag).count())


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def job(request: DeskRequest, space: Space, job: int) -> HttpResponse:
    """How far a batch is, and what it came to."""
    found = Job.objects.filter(space=space, pk=job, kind=jobs.DECISION).first()
    if found is None and wants_part(request):  # which would ask for it again for ever
        return HttpResponseClientRedirect(reverse("review", args=[space.name]))
    if found is None:
        raise Http404(gettext("There is no such job: what it came to stands in the log."))
    shown = {"job": presented.doing(found, clock.now())}
    if not wants_part(request):
        return render(request, "batches/job.html", shown)
    if not shown["job"].is_open:  # how many cases are open changes in the frame, too
        return HttpResponseClientRedirect(request.path)
    return render(request, "batches/job.html#state", shown)
