"""How often the detector is right, by what people decided; and what other thresholds would come to, which an admin puts
in force as a new version. To look changes nothing."""

from functools import partial
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import replace_url

from trustmem.actions import calibration
from trustmem.actions.errors import Refusal
from trustmem.core.constants import fingerprint
from trustmem.desk import adoption, clock
from trustmem.desk.access import DeskRequest, in_space, wants_part
from trustmem.desk.forms import AdoptForm
from trustmem.desk.presenters import detector as presented
from trustmem.desk.presenters import duplicates, trials
from trustmem.desk.presenters.tiles import tile
from trustmem.store import queries
from trustmem.store.models import Role, Space
from trustmem.store.states import NOTHING, shows

#: How the numbers that are tried here are called in an address.
_OURS = f"{trials.PREFIX}{presented.OVERLAP}."


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """The page; a part of it is what trial thresholds come to."""
    return _page(request, space, 200)


def _page(request: DeskRequest, space: Space, status: int, **more: Any) -> HttpResponse:
    now, in_force = clock.now(), queries.constants(space)
    trial = _tried(request, space)
    shown: dict[str, Any] = {
        "trial": trial,
        "thresholds": tile(now, lambda: presented.thresholds(space, in_force, trial)),
        "width": presented.WIDTH,
        "seen": fingerprint(in_force),
        "is_slow": calibration.is_slow(space),
        "form": AdoptForm(),
    } | more
    if wants_part(request):
        address = request.path + (f"?{trial.query()}" if trial.given else "")
        return replace_url(render(request, "detector/detector.html#thresholds", shown), address)
    shown |= {
        "versions": tile(now, lambda: presented.precision(space)),
        "counts": tile(now, lambda: presented.counts(space)),
        "progress": tile(now, lambda: duplicates.progress(space, now)),
    }
    return render(request, "detector/detector.html", shown, status=400 if trial.errors else status)


def _tried(request: DeskRequest, space: Space) -> trials.Trial:
    """The thresholds that an address or a form has tried."""
    given = (request.POST if request.method == "POST" else request.GET).dict()
    ours = {name: text for name, text in given.items() if name.startswith(_OURS)}
    return trials.tried(queries.constants(space), ours)


@require_POST
@in_space(Role.ADMIN)
def adopt(request: DeskRequest, space: Space) -> HttpResponse:
    """Put trial thresholds in force, as a new version with a reason; in a large space a job does it."""
    trial, form = _tried(request, space), AdoptForm(request.POST)
    if trial.errors:
        raise BadRequest(next(iter(trial.errors.values())))
    if not form.is_valid():
        return _page(request, space, 400, form=form)
    then = reverse("detector", args=[space.name])
    says, back = gettext("In force from now on, as a new version."), f"{then}?{trial.query()}"
    put = partial(_adopted, request, space, form.cleaned_data["reason"])
    return adoption.answer(request, put, says=says, then=then, back=back)


def _adopted(request: DeskRequest, space: Space, reason: str) -> str:
    """The act by which it was done, or the key of the job that does it."""
    in_force, trial = queries.constants(space), _tried(request, space)
    if request.POST.get("seen") != fingerprint(in_force):
        says = gettext("Other constants have come into force since: see what these would do now, and save again.")
        raise Refusal(says)
    values = trials.values(trial, in_force)
    figures = presented.figures(presented.thresholds(space, in_force, trial))
    told: dict[str, Any] = {"by": request.user.username, "now": clock.now(), "reason": reason, "figures": figures}
    return adoption.adopt(space, values, **told)
