"""A case: what waits for a person, all that it is about, and what it came to."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from trustmem.actions import cases, handouts
from trustmem.actions.errors import Refusal
from trustmem.core.instants import MICROSECONDS_PER_DAY, to_datetime
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, in_space, may
from trustmem.desk.clicks import once
from trustmem.desk.forms import CloseForm, ReasonForm, SnoozeForm, first_error
from trustmem.desk.presenters import alarms, turns, verdicts
from trustmem.desk.presenters import cases as presented
from trustmem.desk.presenters.cards import Known
from trustmem.desk.presenters.queue import Asked
from trustmem.desk.presenters.review import alike
from trustmem.desk.views.review import asked_of
from trustmem.store import decisions
from trustmem.store.cases import BULK_CHANGE, kind_of
from trustmem.store.models import Case, Role, Space
from trustmem.store.states import GUARDED, shows

#: What the address of a case says beside what of the queue somebody goes through: where a page of its facts begins.
_OF_PAGES = ("after", "before")
#: In so many days, at this hour (UTC), a case that is snoozed comes back.
_TOMORROW, _NEXT_WEEK, _MORNING = 1, 7, MICROSECONDS_PER_DAY // 4


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def show(request: DeskRequest, space: Space, case: str) -> HttpResponse:
    """Looking at a case takes nothing in hand."""
    return drawn(request, found(space, case))


def found(space: Space, name: str) -> Case:
    """The case of that name. Raises Http404 with a sentence."""
    case = Case.objects.filter(space=space, name=name).first()
    if case is None:
        raise Http404(gettext("This space has no such case."))
    return case


def drawn(request: DeskRequest, case: Case, status: int = 200, **more: Any) -> HttpResponse:
    """The page of a case; `more` is what it says beside: what somebody sent that was not done, and why."""
    space, now = request.space, clock.now()
    asked = asked_of(request.GET.dict(), *_OF_PAGES)
    shown = _way(request, case, asked, now) | more
    if kind_of(case.key) in ("", BULK_CHANGE):
        return render(request, "cases/alarm.html", shown | _alarm(request, case, now), status=status)
    facts, sees_all = presented.known(space, case, now), may(request.role, Role.REVIEWER)
    shown |= presented.page(space, case, facts, now, sees_all=sees_all)
    shown["opening"] = ReasonForm(auto_id="open_%s")
    if may(request.role, Role.CURATOR):
        shown["alike"] = alike(space, case)
    if sees_all and shown["is_open"]:
        shown |= _dock(request, case, facts, more.get("given", {}))
    return render(request, "cases/case.html", shown, status=status)


def _alarm(request: DeskRequest, case: Case, now: int) -> dict[str, Any]:
    """A bulk change, or what a file calls a case."""
    shown = alarms.page(request.space, case, request.GET.dict(), now, sees_all=may(request.role, Role.REVIEWER))
    shown["written"] = [
        (each, ReasonForm(auto_id=f"undo-{place}_%s")) for place, each in enumerate(shown.get("written", ()))
    ]
    shown["is_open"] = shown["closed"] is None
    return shown | {"form": CloseForm(prefix="close"), "opening": ReasonForm(auto_id="open_%s")}


def _way(request: DeskRequest, case: Case, asked: Asked, now: int) -> dict[str, Any]:
    """Where somebody stands in the queue, and what they can do in it."""
    space, by = request.space, request.user.username
    shown: dict[str, Any] = {
        "case": case.name,
        "query": asked.query(),
        "fields": asked.fields(),
        "looked_at": turns.looked_at(asked),
        "progress": turns.progress(space, asked),
    }
    if may(request.role, Role.REVIEWER):
        mine = turns.turns(space, by, asked, now)
        shown |= {"trail": mine.trail, "last": mine.last, "in_hand": handouts.in_hand(space, case.name, by=by, now=now)}
        shown["snoozes"] = _snoozes(now)
    return shown


def _snoozes(now: int) -> dict[str, Any]:
    morning = now - now % MICROSECONDS_PER_DAY + _MORNING
    tomorrow, next_week = (to_datetime(morning + days * MICROSECONDS_PER_DAY) for days in (_TOMORROW, _NEXT_WEEK))
    return {"tomorrow": tomorrow, "next_week": next_week, "form": SnoozeForm(auto_id="snooze-%s")}


def _dock(request: DeskRequest, case: Case, facts: Sequence[Known], given: Mapping[str, str]) -> dict[str, Any]:
    """What can be decided, by what stands on the page: the position up to which the folds of it go."""
    space = request.space
    return {
        "offers": verdicts.offers(kind_of(case.key), facts, space.name, given),
        "reasons": decisions.reasons(space, request.user.username),
        "seen": space.folded_to,
    }


@require_POST
@in_space(Role.REVIEWER)
def close(request: DeskRequest, space: Space, case: str) -> HttpResponse:
    """Say what a case came to."""
    form, asked = CloseForm(request.POST, prefix="close"), asked_of(request.GET.dict())
    found(space, case)
    if not form.is_valid():
        raise BadRequest(first_error(form))
    try:
        given = form.cleaned_data
        by, now = request.user.username, clock.now()
        act = once(request, lambda: cases.close(space, case, given["verdict"], by=by, now=now, reason=given["reason"]))
        notices.done(request, gettext("Closed: it needs nobody any more."), act)
    except Refusal as refusal:
        notices.refused(request, str(refusal))
    return redirect(reverse("case", args=[space.name, case]) + asked.query())
