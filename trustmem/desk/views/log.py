"""The log of a space: everything that was written, who did it and why, and whether it is unbroken."""

from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from trustmem.actions import jobs, kinds
from trustmem.core.instants import to_text
from trustmem.desk import clock
from trustmem.desk.access import DeskRequest, in_space, may, wants_part
from trustmem.desk.forms import ReasonForm
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import log as presented
from trustmem.desk.presenters import log_file
from trustmem.desk.presenters import proof as proofs
from trustmem.desk.presenters.log import Row, View
from trustmem.desk.presenters.paging import Place
from trustmem.desk.presenters.tiles import tile
from trustmem.desk.views.acts import role_for
from trustmem.store.log import group_of
from trustmem.store.models import OPEN, Job, JobState, Role, Space
from trustmem.store.states import GUARDED, NOTHING, shows

#: So many lines are verified while somebody waits; more are a job for a worker.
_AT_ONCE = 20_000
_FORMATS = {
    "jsonl": (log_file.as_json, "application/jsonl"),
    "csv": (log_file.as_table, "text/csv; charset=utf-8"),
}


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """Rows of the log; all that is shown is in the address. While it is verified, the page asks how far that is."""
    if wants_part(request) and request.htmx.target == "proof":
        return render(request, "log/log.html#proof", _proof(space))
    view, now = View.of(request.GET.dict()), clock.now()
    listed = tile(now, lambda: presented.listed(space, view, now, sees_all=may(request.role, Role.REVIEWER)))
    shown: dict[str, Any] = {
        "listed": listed,
        "rows": _rows(request, listed.shown.rows) if listed.shown else [],
        "view": view,
        "query": view.address(),
        "chips": presented.chips(view),
        "choices": presented.choices(view),
        "labels": presented.labels(),
    }
    if wants_part(request):
        return render(request, "log/log.html#found", shown)
    return render(request, "log/log.html", shown | _proof(space))


def _proof(space: Space) -> dict[str, Any]:
    """Whether the log is unbroken, as it was found last."""
    now = clock.now()
    head = {"position": whole(space.head_position), "digest": space.head_digest}
    return {"head": head, "proof": tile(now, lambda: proofs.last(space, now))}


@require_POST
@in_space(Role.REVIEWER)
def verify(request: DeskRequest, space: Space) -> HttpResponse:
    """Ask whether the log is unbroken; that is found at once where it takes a moment."""
    _verify(request, space)
    if wants_part(request):
        return render(request, "log/log.html#proof", _proof(space))
    return redirect("log", space.name)


def _verify(request: DeskRequest, space: Space) -> None:
    open_one = Job.objects.filter(space=space, kind=jobs.VERIFY, state__in=OPEN).first()
    asked = open_one or jobs.ask(space, jobs.VERIFY, by=request.user.username, now=clock.now())
    if space.head_position <= _AT_ONCE and (job := jobs.claim(asked.pk, now=clock.now())):
        kinds.do(job, clock.now)


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def report(request: DeskRequest, space: Space, job: int) -> HttpResponse:
    """The report of a verification, to be kept elsewhere."""
    found = Job.objects.filter(space=space, kind=jobs.VERIFY, pk=job, state=JobState.DONE).first()
    if found is None:
        raise Http404(gettext("There is no such report."))
    answer = HttpResponse(proofs.report_of(found), content_type="application/json")
    name = f"{space.name}-{to_text(found.ended_at)[:10]}-{found.pk}.json"
    answer["Content-Disposition"] = content_disposition_header(True, name)
    return answer


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def export(request: DeskRequest, space: Space, format: str) -> StreamingHttpResponse:
    """The log as a file, as it is filtered."""
    found = log_file.records(space, View.of(request.GET.dict()), sees_all=may(request.role, Role.REVIEWER))
    write, type = _FORMATS[format]
    answer = StreamingHttpResponse(write(found), content_type=type)
    answer["Content-Disposition"] = content_disposition_header(True, f"{space.name}-log.{format}")
    return answer


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def entry(request: DeskRequest, space: Space, of: str) -> HttpResponse:
    """All lines of one act, import or pass."""
    group = group_of(space, of)
    if group is None:
        raise Http404(gettext("The log has no such entry."))
    found = presented.entry(
        space, group, Place.of(request.GET.dict()), clock.now(), sees_all=may(request.role, Role.REVIEWER)
    )
    (row,) = _rows(request, [found.row])
    return render(request, "log/entry.html", {"entry": found, "each": row})


def _rows(request: DeskRequest, rows: list[Row]) -> list[dict[str, Any]]:
    """Each with the form by which it is undone, where whoever looks may do that."""
    return [
        {
            "row": row,
            "undoing": row.undoing if row.undoing and may(request.role, role_for(row.tags)) else None,
            "reason": ReasonForm(auto_id=f"undo-{place}_%s"),
        }
        for place, row in enumerate(rows)
    ]
