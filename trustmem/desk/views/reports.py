"""The report of an import: what became of a file, to read and to keep, and constants that fit what it brought."""

import json
from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from trustmem.actions import calibration, folding, uploads
from trustmem.actions import constants as adopting
from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_text
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, in_space, may
from trustmem.desk.forms import ReasonForm
from trustmem.desk.instants import when
from trustmem.desk.presenters import calibration as offers
from trustmem.desk.presenters import imports as presented
from trustmem.store.models import Import, Job, JobState, Line, Reject, Role, Space

#: In a space of more lines those that one import brought are not looked for while somebody waits.
_MANY_LINES = 300_000


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
def show(request: DeskRequest, space: Space, imported: str) -> HttpResponse:
    """What became of a file; where asked for, with an offer of constants that fit its facts, which POST adopts."""
    found = _import(space, imported)
    form = ReasonForm()
    if request.method == "POST":
        form = ReasonForm(request.POST)
        if _adopted(request, space, form):
            return redirect("import-report", space.name, found.name)
    shown: dict[str, Any] = {"imported": found.name, "form": form, "offer": None}
    if "fit" in request.GET or form.errors:
        shown["offer"] = _offer(space)
        if request.htmx:
            return render(request, "imports/report.html#offer", shown)
    return render(request, "imports/report.html", shown | _told(space, found), status=400 if form.errors else 200)


def _told(space: Space, found: Import) -> dict[str, Any]:
    now, act = clock.now(), presented.act_of(found)
    amiss = _rejects(space, found)
    first = presented.rejects(amiss[: presented.MOST_AMISS])
    return {
        "file": found.file,
        "by": found.by,
        "at": when(found.at, now),
        "act": act,
        "is_undone": act in folding.void(space, space.folded_to),
        "balance": presented.balance(presented.counts_of(found), first, amiss.count()),
        "facts": _new_facts(space, found),
        "notices": _notices(space, act),
    }


def _offer(space: Space) -> offers.Offer:
    if calibration.is_too_large(space):
        return offers.too_large()
    return offers.offer(calibration.preview(space, clock.now()))


def _adopted(request: DeskRequest, space: Space, form: ReasonForm) -> bool:
    """Put a fit in force as it was shown, be it that another would fit by now; False: the form says why not."""
    if not may(request.role, Role.ADMIN):
        raise PermissionDenied(gettext("It takes an admin to put other constants in force."))
    form.fields["reason"].required = True
    form.fields["reason"].error_messages["required"] = gettext("Say why, for those who read the constants later.")
    if not form.is_valid():
        return False
    try:
        values = {name: float(request.POST[name]) for name in offers.FITTED}
        act = adopting.adopt(
            space, values, by=request.user.username, now=clock.now(), reason=form.cleaned_data["reason"]
        )
    except (KeyError, ValueError):
        raise BadRequest(gettext("The constants that are to be put in force were not said.")) from None
    except Refusal as refusal:
        form.add_error("reason", str(refusal))
        return False
    notices.done(request, gettext("The fit is in force."), act)
    return True


@require_safe
@in_space(Role.READER)
def download(request: DeskRequest, space: Space, imported: str) -> HttpResponse:
    """The report as a file, with all that was refused or rejected."""
    found = _import(space, imported)
    act = presented.act_of(found)
    told = {
        "import": act,
        "space": space.name,
        "file": found.file,
        "digest": found.digest,
        "at": to_text(found.at),
        "by": found.by,
        "undone": act in folding.void(space, space.folded_to),
        "counts": presented.counts_of(found),
        "notices": _notices(space, act),
        "rejects": presented.rejects(_rejects(space, found)),
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


def _rejects(space: Space, found: Import) -> QuerySet[Reject]:
    """The receipts of a file, which stand once, however often it came."""
    same = Import.objects.filter(space=space, name__startswith=f"{presented.act_of(found)}:")
    return Reject.objects.filter(space=space, of_import__in=same).order_by("number", "pk")


def _notices(space: Space, act: str) -> list[str]:
    """What the job noticed that took a file in. An import by the shell has told them there."""
    jobs = Job.objects.filter(space=space, kind=uploads.TAKE_IN, state=JobState.DONE)
    result = jobs.filter(result__startswith=json.dumps({"import": act})[:-1]).order_by("pk").last()
    return json.loads(result.result)["notices"] if result else []


def _new_facts(space: Space, found: Import) -> str:
    """How many facts an import brought: those between the line that concludes it and the one before, where it came
    before."""
    if space.head_position > _MANY_LINES:
        return ""
    ours = Line.objects.filter(space=space, imported=presented.act_of(found))
    concluded = dict(ours.filter(tag="import").values_list("name", "position"))
    end = concluded[found.name]
    begin = max((each for each in concluded.values() if each < end), default=0)
    return presented.new_facts(ours.filter(tag="fact", position__gt=begin, position__lt=end).count())
