"""To put constants in force from a page: by an act at once, or in a large space by a job."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from trustmem.actions import calibration, constants
from trustmem.actions.errors import Refusal
from trustmem.desk import notices
from trustmem.desk.access import DeskRequest
from trustmem.desk.clicks import once
from trustmem.store.models import Space


def answer(request: DeskRequest, put: Callable[[], str], *, says: str, then: str, back: str) -> HttpResponse:
    """Put constants in force, however often the form is sent, and go to the address `then`, which says so; where it is
    refused, to `back`, which says why. `put` gives the act by which it was done, or the key of the job that does it."""
    try:
        done = once(request, put)
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        return redirect(back)
    if done.isdecimal():
        notices.done(request, gettext("It is being put in force: every fact is reckoned anew."))
    else:
        notices.done(request, says, done)
    return redirect(then)


def adopt(space: Space, values: Mapping[str, Any], **told: Any) -> str:
    """Adopt constants; the act by which it was done, or the key of the job that does it."""
    if calibration.is_slow(space):
        return str(constants.adopt_later(space, values, **told).pk)
    return constants.adopt(space, values, **told)
