"""Versions of the constants: all of them, what each changed and how it differs from others, and going back to one. None
is ever changed."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from trustmem.actions import calibration, constants
from trustmem.actions.constants import Version
from trustmem.core.constants import Constants
from trustmem.desk import adoption, clock
from trustmem.desk.access import DeskRequest, in_space, wants_part
from trustmem.desk.forms import AdoptForm, ReasonForm
from trustmem.desk.presenters import constants as told
from trustmem.desk.presenters import lab
from trustmem.desk.presenters import versions as presented
from trustmem.desk.presenters.needs import follows_defaults
from trustmem.desk.presenters.tiles import Tile, tile
from trustmem.store.models import Role, Space
from trustmem.store.states import NOTHING, shows


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """All versions, the newest first; the newest is in force, and can be taken back."""
    now = clock.now()
    works = _working(space, now)
    if wants_part(request):
        return _part(request, works)
    found = constants.versions(space)
    shown = {
        "works": works,
        "listed": presented.listed(space, found, request.GET.dict(), now),
        "is_calibrated": not follows_defaults(found[-1].constants if found else Constants()),
        "gone": presented.gone(space, now),
        "back": told.back(space, found[-1]) if found else None,
        "is_slow": calibration.is_slow(space),
        "reason": ReasonForm(auto_id="undo_%s"),
    }
    return render(request, "versions/versions.html", shown)


def _working(space: Space, now: int) -> Tile[list[lab.Working]]:
    return tile(now, lambda: lab.working(space, now, presented.ADOPTING))


def _part(request: DeskRequest, works: Tile[list[lab.Working]]) -> HttpResponse:
    """What is worked on, until it is done."""
    if works.shown and any(each.is_open for each in works.shown):
        return render(request, "calibration/work.html", {"works": works})
    return HttpResponseClientRefresh()


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def version(request: DeskRequest, space: Space, number: int) -> HttpResponse:
    """A version: what differs from the one before or another, all constants as they were, and what goes by it."""
    now = clock.now()
    works = _working(space, now)
    if wants_part(request):
        return _part(request, works)
    found = constants.versions(space)
    gone = presented.gone(space, now, number) if number not in {each.number for each in found} else []
    if gone:
        return render(request, "versions/undone.html", {"number": number, "gone": gone})
    some = _some(found, number, request.GET.get("name", ""))
    if len(some) > 1:
        twins = [presented.told(space, each, found, now) for each in some[::-1]]
        return render(request, "versions/twins.html", {"number": number, "twins": twins})
    return _page(request, space, found, some[0], now, works=works)


def _some(found: Sequence[Version], number: int, name: str) -> list[Version]:
    """The versions of a number, which files may have given to several; of a name there is one."""
    some = [each for each in found if each.number == number and name in ("", each.name)]
    if not some:
        raise Http404(gettext("This space has no such version."))
    return some


def _page(
    request: DeskRequest,
    space: Space,
    found: Sequence[Version],
    version: Version,
    now: int,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    place, in_force = found.index(version), found[-1].constants
    before, after = found[place - 1] if place else None, found[place + 1] if place + 1 < len(found) else None
    against = _against(request, found, version) or before
    shown = {
        "version": presented.told(space, version, found, now),
        "older": before and presented.told(space, before, found, now),
        "newer": after and presented.told(space, after, found, now),
        "against": against and presented.told(space, against, found, now),
        "is_before": against is before,
        "differing": presented.differing(against.constants, version.constants) if against else [],
        "other_way": against and presented.href(space, against, found, against=presented.tokens(found)[version.name]),
        "choices": presented.choices(found, version, against, now),
        "groups": told.groups(version.constants),
        "goes": tile(now, lambda: presented.going(space, version, found)),
        "trial": presented.trial(space, in_force, version.constants),
        "roll_back": presented.href(space, version, found, "roll-back"),
        "is_slow": calibration.is_slow(space),
        "works": _working(space, now),
        "form": AdoptForm(),
    }
    return render(request, "versions/version.html", shown | more, status=status)


def _against(request: DeskRequest, found: Sequence[Version], version: Version) -> Version | None:
    """The version that an address sets against this one; None: it names none."""
    token = request.GET.get("against", "")
    other = presented.chosen(found, token) if token else None
    if token and (other is None or other is version):
        raise BadRequest(gettext("There is no such version to set against this one."))
    return other


@require_POST
@in_space(Role.ADMIN)
def roll_back(request: DeskRequest, space: Space, number: int) -> HttpResponse:
    """Put the constants of a version in force again, as a new version with a reason; in a large space a job does it."""
    now, found, form = clock.now(), constants.versions(space), AdoptForm(request.POST)
    some = _some(found, number, request.GET.get("name", ""))
    if len(some) > 1:
        raise BadRequest(gettext("Several versions have this number: say which by its name."))
    (older,) = some
    if not form.is_valid():
        return _page(request, space, found, older, now, 400, form=form, works=Tile(None))  # nothing looks here again
    put = partial(_rolled_back, request, space, older, form.cleaned_data["reason"])
    says, then = gettext("In force again, as a new version."), reverse("versions", args=[space.name])
    return adoption.answer(request, put, says=says, then=then, back=presented.href(space, older, found))


def _rolled_back(request: DeskRequest, space: Space, older: Version, reason: str) -> str:
    """The act by which it was done, or the key of the job that does it."""
    told: dict[str, Any] = {"by": request.user.username, "now": clock.now(), "reason": reason}
    if calibration.is_slow(space):
        return str(constants.roll_back_later(space, older.name, **told).pk)
    return constants.roll_back(space, older.name, **told)
