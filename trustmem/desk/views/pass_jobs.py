"""Jobs about passes: how far one is, what a pass would do, and a person's word on one that waits for it."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from trustmem.actions import breaker, consolidation, jobs
from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_text
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, ask_for, in_space, may, wants_part
from trustmem.desk.clicks import once
from trustmem.desk.presenters import passes as presented
from trustmem.desk.presenters.previews import previewed
from trustmem.desk.views.acts import takes
from trustmem.desk.views.passes import previewing
from trustmem.store.models import Job, JobState, Role, Space
from trustmem.store.states import STANDING, shows

_KINDS = (jobs.CONSOLIDATION, jobs.PREVIEW, jobs.UNDO, jobs.REFRESH, jobs.DETECTION)


@require_safe
@in_space(Role.READER)
@shows(STANDING)
def show(request: DeskRequest, space: Space, job: int) -> HttpResponse:
    """How far a job is, and what came of it: a report, a preview, or where one was before."""
    found = _job(space, job)
    if found is None and wants_part(request):  # which would ask for it again for ever
        return HttpResponseClientRedirect(reverse("passes", args=[space.name]))
    if found is None:
        raise Http404(gettext("There is no such job: what it came to is among the passes."))
    if found.state == JobState.DONE and found.kind != jobs.PREVIEW:
        return _on(request, _outcome(space, found))
    return render(request, f"passes/job.html{'#state' if wants_part(request) else ''}", _told(request, space, found))


def _told(request: DeskRequest, space: Space, job: Job) -> dict[str, Any]:
    now = clock.now()
    shown: dict[str, Any] = {"job": presented.work(job, now), "may_run": may(request.role, Role.CURATOR)}
    if job.state == JobState.NEEDS_A_PERSON:
        shown["waits"] = presented.waits(job, now)
    if job.result and job.state in (JobState.NEEDS_A_PERSON, JobState.DONE):
        verdict = breaker.of_job(job)
        shown["preview"] = previewed(space, verdict, now, request.GET.get("list", ""))
    return shown


def _on(request: DeskRequest, address: str) -> HttpResponse:
    return HttpResponseClientRedirect(address) if wants_part(request) else redirect(address)


def _outcome(space: Space, job: Job) -> str:
    """Where that is to be seen what a job did."""
    if job.kind == jobs.CONSOLIDATION:
        return reverse("pass", args=[space.name, to_text(job.instant)])
    return job.asked.get("back") or reverse("passes", args=[space.name])


@require_POST
@in_space(Role.CURATOR)
def approve(request: DeskRequest, space: Space, job: int) -> HttpResponse:
    """Have a pass taken that waits, as it was shown: not one that was looked at anew meanwhile."""
    by, now = request.user.username, clock.now()
    try:
        head = int(request.POST.get("head", ""))
        asked = once(request, lambda: str(consolidation.approve(space, job, head, by=by, now=now).pk))
    except (Refusal, ValueError):
        said = gettext("This pass was looked at anew meanwhile, or does not wait any more: see how it stands now.")
        notices.refused(request, said)
        return redirect("passes", space.name)
    return redirect("pass-job", space.name, asked)


@require_POST
@in_space(Role.REVIEWER)
def again(request: DeskRequest, space: Space, job: int) -> HttpResponse:
    """Look anew at a pass that waits, or try again what failed."""
    try:
        return redirect("pass-job", space.name, once(request, lambda: str(_asked_again(request, space, job).pk)))
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        return redirect("passes", space.name)


def _asked_again(request: DeskRequest, space: Space, pk: int) -> Job:
    job, by, now = _job(space, pk), request.user.username, clock.now()
    if job is None or job.state not in (JobState.FAILED, JobState.NEEDS_A_PERSON):
        raise Refusal(gettext("It was done meanwhile, or somebody else tries it again."))
    if job.kind == jobs.PREVIEW:
        return previewing(space, by=by, now=now)
    if job.kind == jobs.UNDO:
        ask_for(request, takes(space, job.asked["act"]))
        return jobs.ask(space, jobs.UNDO, by=by, now=now, slot=job.slot, **job.asked)
    ask_for(request, Role.CURATOR)
    if job.kind == jobs.REFRESH:
        return jobs.ask(space, jobs.REFRESH, by=by, now=now)
    return consolidation.ask(space, by=by, now=now)


def _job(space: Space, pk: int) -> Job | None:
    return Job.objects.filter(space=space, pk=pk, kind__in=_KINDS).first()
