"""Imports: a file is given, judged, and taken in or thrown away; and what became of those that came before."""

import json
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from trustmem.actions import folding, uploads
from trustmem.actions import undo as undoing
from trustmem.actions.errors import Refusal
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, ask_for, in_space, may, wants_part
from trustmem.desk.clicks import once
from trustmem.desk.forms import UploadForm
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import imports as presented
from trustmem.desk.presenters.jobs import Doing, doing
from trustmem.formats import fields
from trustmem.store.models import OPEN, Fact, Import, Job, JobState, Line, Role, Space, Upload
from trustmem.store.states import NOTHING, shows

#: So many imports are listed, the newest, and so many of the jobs on files.
_NEWEST = 50


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(NOTHING)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """A place for a file, and what came before. A file that is none of ours is refused at once."""
    form = UploadForm()
    if request.method == "POST":
        if not may(request.role, Role.CURATOR):
            raise PermissionDenied(gettext("It takes a curator to bring files in."))
        form = UploadForm(request.POST, request.FILES)
        job = _given(request, space, form) if form.is_valid() else ""
        if job:
            return redirect("import-job", space.name, job)
    return render(request, "imports/imports.html", _all(space, form), status=400 if form.errors else 200)


def _all(space: Space, form: UploadForm) -> dict[str, Any]:
    now, found = clock.now(), Import.objects.filter(space=space)
    older, newest = max(found.count() - _NEWEST, 0), list(found.order_by("-at", "-pk")[:_NEWEST])
    undone = folding.void(space, space.folded_to)
    return {
        "form": form,
        "doing": _doing(space, now),
        "imports": presented.listed(newest, _said(space, newest), undone, now),
        "older": ngettext("and {count} older import", "and {count} older imports", older).format(count=whole(older))
        if older
        else "",
    }


def _said(space: Space, imports: list[Import]) -> dict[str, Any]:
    """What the lines say that put imports on record, by their names."""
    lines = Line.objects.filter(space=space, name__in=[each.name for each in imports])
    return {name: json.loads(body) for name, body in lines.values_list("name", "body")}


def _doing(space: Space, now: int) -> list[Doing]:
    """The files that are on their way in, each with the job that is furthest; and those at which one failed."""
    found = dict(Upload.objects.filter(space=space).values_list("pk", "name"))
    slots = Job.objects.filter(space=space, kind__in=(uploads.JUDGE, uploads.TAKE_IN), slot__in=map(str, found))
    jobs = {job.slot: job for job in slots.defer("result").order_by("asked_at", "pk")}
    return [doing(job, found[int(slot)], "", now) for slot, job in list(jobs.items())[-_NEWEST:]]


def _given(request: DeskRequest, space: Space, form: UploadForm) -> str:
    """The key of the job that judges a file; '': the form says why there is none."""
    file: UploadedFile[bytes] = form.cleaned_data["file"]
    try:
        source = fields.identifier(form.cleaned_data["source"])
    except ValueError as error:
        form.add_error("source", gettext("Such a name {why}.").format(why=error))
        return ""
    by, now = request.user.username, clock.now()
    try:
        # Not in one transaction: to read and pack a file takes long, and nobody else could write meanwhile.
        upload = uploads.keep(space, file, name=file.name or "", source=source, by=by, now=now)
    except Refusal as refusal:
        form.add_error("file", str(refusal))
        return ""
    judging = once(request, lambda: str(uploads.judge(upload, by=by, now=now).pk))
    if not Job.objects.filter(space=space, kind=uploads.JUDGE, slot=str(upload.pk)).exists():
        uploads.discard(space, upload.pk)  # the form came twice, and the file that came first is judged
    return judging


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.CURATOR)
@shows(NOTHING)
def job(request: DeskRequest, space: Space, job: int) -> HttpResponse:
    """How far a job on a file is; POST tries again what failed. A page that looks time and again gets its part."""
    try:
        found = _job(space, job)
    except Http404:
        if wants_part(request):  # which would ask for it again for ever
            return HttpResponseClientRedirect(reverse("imports", args=[space.name]))
        raise
    if request.method == "POST":
        return _tried_again(request, space, found)
    if found.kind == uploads.TAKE_IN and found.state == JobState.DONE:
        return _to_report(request, space, json.loads(found.result)["import"])
    now = clock.now()
    name, source = _upload(space, found)
    shown: dict[str, Any] = {"job": doing(found, name, source, now)}
    if found.state == JobState.DONE:
        shown["judged"] = judged = presented.judged(found, now)
        shown["asks_admin"] = _asks_admin(space, found)
        shown["may_take"] = not shown["asks_admin"] or may(request.role, Role.ADMIN)
        shown["undone"] = presented.taken_back(_undone(space, judged.act), now)
    return render(request, f"imports/job.html{'#state' if wants_part(request) else ''}", shown)


@require_POST
@in_space(Role.CURATOR)
def take(request: DeskRequest, space: Space, job: int) -> HttpResponse:
    """Take in a file that was judged; or bring back what it brought before, where that is undone."""
    try:
        done = once(request, lambda: _taken(request, space, _job(space, job)))
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        return redirect("import-job", space.name, job)
    if done.isdecimal():
        return redirect("import-job", space.name, done)
    notices.done(request, gettext("Brought back: what this file brought counts again."), done)
    return _to_report(request, space, undoing.undid(space, undoing.undid(space, done) or "") or "")


def _taken(request: DeskRequest, space: Space, job: Job) -> str:
    """The key of the job that takes a file in that was judged, or the act that brings back what it brought before."""
    upload = Upload.objects.filter(space=space, pk=job.asked["upload"]).first()
    if upload is None or job.kind != uploads.JUDGE or job.state != JobState.DONE:
        raise Refusal(gettext("Only a file that was judged can be imported."))
    undone = _undone(space, json.loads(job.result)["import"])
    by, now = request.user.username, clock.now()
    if undone is None and "back" not in request.POST:
        _ask_for_role(request, space, job)
        return str(uploads.take_in(upload, by=by, now=now).pk)
    if undone is None or request.POST.get("back") != undone.act:
        raise Refusal(gettext("Meanwhile somebody undid this import, or brought it back. Nothing was done."))
    uploads.discard(space, upload.pk)  # it is needed no more
    return undoing.undo(space, undone.act, by=by, now=now)


def _ask_for_role(request: DeskRequest, space: Space, judging: Job | None) -> None:
    """Raises PermissionDenied where somebody may not take in a file that was judged; or was not, so that nobody knows
    what it takes."""
    if judging is None or _asks_admin(space, judging):
        ask_for(request, Role.ADMIN)


def _asks_admin(space: Space, judging: Job) -> bool:
    """Whether a file that was judged takes back or decides what people decided in a space that holds facts."""
    takes_back = json.loads(judging.result).get("takes_back")
    return bool(takes_back) and Fact.objects.filter(space=space).exists()


def _undone(space: Space, act: str) -> undoing.Undone | None:
    return undoing.undone(space, act, folding.void(space, space.head_position))


@require_POST
@in_space(Role.CURATOR)
def cancel(request: DeskRequest, space: Space, job: int) -> HttpResponse:
    """Take in a file no more that was to be, unless it is being written; it stays, as it was judged."""
    found = _job(space, job)
    if not uploads.cancel(space, found.pk):
        notices.refused(request, gettext("It is being written already; once that is done, it can be undone."))
        return redirect("import-job", space.name, found.pk)
    notices.done(request, gettext("Cancelled. The file is kept for a day."))
    judged = Job.objects.filter(space=space, kind=uploads.JUDGE, slot=found.slot).first()
    return redirect("import-job", space.name, judged.pk) if judged else redirect("imports", space.name)


@require_POST
@in_space(Role.CURATOR)
def discard(request: DeskRequest, space: Space, job: int) -> HttpResponse:
    """Throw a file away, unless it is being taken in."""
    found = _job(space, job)
    if Job.objects.filter(space=space, kind=uploads.TAKE_IN, slot=found.slot, state__in=OPEN).exists():
        notices.refused(request, gettext("It is being imported already; once that is done, it can be undone."))
        return redirect("imports", space.name)
    uploads.discard(space, found.asked["upload"])
    notices.done(request, gettext("The file was thrown away; nothing of it was kept."))
    return redirect("imports", space.name)


def _job(space: Space, pk: int) -> Job:
    found = Job.objects.filter(space=space, pk=pk, kind__in=(uploads.JUDGE, uploads.TAKE_IN)).first()
    if found is None:
        raise Http404(gettext("There is no such file on its way in: it was imported, or thrown away."))
    return found


def _upload(space: Space, job: Job) -> tuple[str, str]:
    """The name of the file that a job is about, and who says what it holds."""
    found = Upload.objects.filter(space=space, pk=job.asked["upload"]).values_list("name", "source").first()
    return found or (gettext("a file that is not there any more"), "")


def _tried_again(request: DeskRequest, space: Space, job: Job) -> HttpResponse:
    upload = Upload.objects.filter(space=space, pk=job.asked["upload"]).first()
    if upload is None:
        notices.refused(request, gettext("The file is not there any more; give it again."))
        return redirect("imports", space.name)
    by, now = request.user.username, clock.now()
    if job.kind == uploads.JUDGE:
        again = uploads.judge(upload, by=by, now=now)
    else:
        judgings = Job.objects.filter(space=space, kind=uploads.JUDGE, slot=job.slot, state=JobState.DONE)
        _ask_for_role(request, space, judgings.first())
        again = uploads.take_in(upload, by=by, now=now, every=job.asked["every"])
    return redirect("import-job", space.name, again.pk)


def _to_report(request: DeskRequest, space: Space, act: str) -> HttpResponse:
    """On to the report of an import by its act, the newest where one file came several times."""
    newest = Import.objects.filter(space=space, name__startswith=f"{act}:").order_by("pk").last()
    address = reverse("import-report", args=[space.name, newest.name if newest else act])
    return HttpResponseClientRedirect(address) if wants_part(request) else redirect(address)
