"""The report of an import: what became of a file, to read and to keep, and constants that fit what it brought."""

import json
from collections import Counter
from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from trustmem.actions import calibration, folding, uploads
from trustmem.actions import constants as adopting
from trustmem.actions import undo as undoing
from trustmem.actions.errors import Refusal
from trustmem.core.calibration import Fit
from trustmem.core.instants import to_text
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, in_space, may, wants_part
from trustmem.desk.clicks import once
from trustmem.desk.forms import AdoptForm, ReasonForm
from trustmem.desk.instants import when
from trustmem.desk.presenters import calibration as offers
from trustmem.desk.presenters import fits
from trustmem.desk.presenters import imports as presented
from trustmem.store import queries, receipts
from trustmem.store.models import Import, Job, JobState, Line, Role, Space
from trustmem.store.states import NOTHING, shows


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(NOTHING)
def show(request: DeskRequest, space: Space, imported: str) -> HttpResponse:
    """What became of a file; where asked for, with an offer of constants that fit its facts, which POST adopts."""
    found = _import(space, imported)
    form = AdoptForm()
    if request.method == "POST":
        form = AdoptForm(request.POST)
        if _adopted(request, space, form):
            return redirect("import-report", space.name, found.name)
    shown: dict[str, Any] = {"imported": found.name, "form": form, "offer": None}
    if "fit" in request.GET or form.errors:
        shown |= {"offer": _offer(space), "is_slow": calibration.is_slow(space)}
        if wants_part(request):
            return render(request, "imports/report.html#offer", shown)
    return render(request, "imports/report.html", shown | _told(space, found), status=400 if form.errors else 200)


def _told(space: Space, found: Import) -> dict[str, Any]:
    now, act = clock.now(), presented.act_of(found)
    # What was refused when the file came before may have been let in this time.
    statuses = [each for each in ("refused", "rejected") if getattr(found, each)]
    amiss, said = receipts.lines(space, act).filter(tag__in=statuses), _said(space, act)
    first = presented.rejects(receipts.read(space, amiss[: presented.MOST_AMISS]))
    undone = undoing.undone(space, act, folding.void(space, space.folded_to))
    brought = Counter[str]()
    for each in said.values():
        brought.update(each.get("brought", {}))
    return {
        "file": found.file,
        "source": said[found.name].get("source", ""),
        "by": found.by,
        "at": when(found.at, now),
        "act": act,
        "undone": presented.taken_back(undone, now),
        "undoing": presented.undoing(brought),
        "reason": ReasonForm(auto_id="undo_%s"),
        "balance": presented.balance(presented.counts_of(found), first, amiss.count()),
        "brought": presented.has_brought(said[found.name].get("brought", {})),
        "notices": _notices(space, act),
    }


def _offer(space: Space) -> offers.Offer:
    if calibration.is_too_large(space):
        return offers.too_large()
    now = clock.now()
    return offers.offer(space, calibration.preview(space, now), now)


def _adopted(request: DeskRequest, space: Space, form: AdoptForm) -> bool:
    """Put a fit in force as it was shown, be it that another would fit by now; False: the form says why not."""
    if not may(request.role, Role.ADMIN):
        raise PermissionDenied(gettext("It takes an admin to put other constants in force."))
    if calibration.is_slow(space):
        form.add_error("reason", gettext("It takes too long in a space as large as this one; nothing was changed."))
    if not form.is_valid():
        return False
    try:
        values = {name: float(request.POST[name]) for name in offers.FITTED}
        by, now, reason = request.user.username, clock.now(), form.cleaned_data["reason"]
        in_force = fits.squash(queries.constants(space))
        figures = fits.behind(space, request.POST.get(fits.NAME, ""), in_force, Fit(**values))
        told: dict[str, Any] = {"by": by, "now": now, "reason": reason, "figures": figures}
        act = once(request, lambda: adopting.adopt(space, values, **told))
    except (KeyError, ValueError):
        raise BadRequest(gettext("The constants that are to be put in force were not said.")) from None
    except Refusal as refusal:
        form.add_error("reason", str(refusal))
        return False
    notices.done(request, gettext("The fit is in force."), act)
    return True


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def download(request: DeskRequest, space: Space, imported: str) -> HttpResponse:
    """The report as a file, with all that was refused or rejected."""
    found = _import(space, imported)
    act = presented.act_of(found)
    said = _said(space, act)[found.name]
    told = {
        "import": act,
        "space": space.name,
        "file": found.file,
        "digest": found.digest,
        "at": to_text(found.at),
        "by": found.by,
        "undone": act in folding.void(space, space.folded_to),
        "source": said.get("source"),
        "counts": presented.counts_of(found),
        "brought": said.get("brought", {}),
        "notices": _notices(space, act),
        "rejects": presented.rejects(receipts.read(space, receipts.lines(space, act))),
    }
    answer = JsonResponse(told, json_dumps_params={"ensure_ascii": False, "indent": 1})
    answer["Content-Disposition"] = content_disposition_header(True, f"{found.name.replace(':', '-')}.json")
    return answer


def _import(space: Space, name: str) -> Import:
    """The import of that name; or of that act, the first where one file came several times."""
    which = Q(name=name) | Q(name__startswith=f"{name}:")
    found = Import.objects.filter(which, space=space).order_by("pk").first()
    if found is None:
        raise Http404(gettext("This space has no such import."))
    return found


def _said(space: Space, act: str) -> dict[str, Any]:
    """What the lines say that put an import on record, one each time that its file came, by their names."""
    lines = Line.objects.filter(space=space, tag="import", imported=act)
    return {name: json.loads(body) for name, body in lines.values_list("name", "body")}


def _notices(space: Space, act: str) -> list[str]:
    """What the job noticed that took a file in. An import by the shell has told them there."""
    jobs = Job.objects.filter(space=space, kind=uploads.TAKE_IN, state=JobState.DONE)
    result = jobs.filter(result__startswith=json.dumps({"import": act})[:-1]).order_by("pk").last()
    return json.loads(result.result)["notices"] if result else []
