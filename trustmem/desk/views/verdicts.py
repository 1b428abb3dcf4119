"""Verdicts: a person decides a case and goes on to the next, or takes a decision back."""

from django.core.exceptions import BadRequest
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from trustmem.actions import handouts, undo, verdicts
from trustmem.actions.drafts import Words
from trustmem.actions.errors import Refusal
from trustmem.actions.verdicts import Changed, Decided
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, ask_for, in_space
from trustmem.desk.clicks import once
from trustmem.desk.forms import ReasonForm, VerdictForm, first_error
from trustmem.desk.presenters import cases, evidence
from trustmem.desk.presenters import verdicts as said
from trustmem.desk.views import errors
from trustmem.desk.views.acts import takes
from trustmem.desk.views.cases import drawn, found
from trustmem.desk.views.review import asked_of, say_if_round
from trustmem.store import decisions
from trustmem.store.cases import RESTORED_VALUE, SAMPLE, kind_of
from trustmem.store.models import Case, Closing, Role, Space

#: A reason that was given before, sent by a button of its own.
_BECAUSE = "because"
#: No verdict is longer; of what is none, no more is said again.
_LONGEST_VERDICT = 100


@require_POST
@in_space(Role.REVIEWER)
def decide(request: DeskRequest, space: Space, case: str) -> HttpResponse:
    """Decide a case, by what stood on its page, and go on to the next. Where that is not so any more, or somebody else
    was first, nothing is done: the page says what happened."""
    asked_of(request.GET.dict())
    row, verdict, seen = found(space, case), request.POST.get("verdict", "")[:_LONGEST_VERDICT], _seen(request)
    form, by = VerdictForm(verdict, _said(request)), request.user.username
    if not form.is_valid():
        return _not_done(request, row, 400, refused=first_error(form))
    given = form.cleaned_data
    words = Words(given["reason"], given.get("text", ""), given.get("distinction", ""))
    try:
        act = once(
            request,
            lambda: verdicts.decide(space, [case], verdict, by=by, now=clock.now(), words=words, seen=seen),
        )
    except Decided:
        return _not_done(request, row, 409, overtaken=True, sent=said.word(verdict))
    except Changed as changed:
        return _not_done(request, row, 409, since=evidence.since(space, changed.positions, clock.now()))
    except Refusal as refusal:
        return _not_done(request, row, 409, refused=str(refusal))
    notices.done(request, _told(space, by, act, row, verdict), act)
    return onward(request, space)


def _said(request: DeskRequest) -> QueryDict:
    """What a form says, with a reason that was given before in place of what was written."""
    said = request.POST.copy()
    because = request.POST.get(_BECAUSE)
    if because:
        said["reason"] = because
    return said


def _seen(request: DeskRequest) -> int:
    """Up to which line somebody had seen what there is. Raises BadRequest for what is no line of the space."""
    given = request.POST.get("seen", "")
    if given.isascii() and given.isdecimal() and len(given) < 19 and int(given) <= request.space.head_position:
        return int(given)
    raise BadRequest(gettext("This does not say what was seen of the space: open the case and decide it there."))


def _not_done(request: DeskRequest, case: Case, status: int, **why: object) -> HttpResponse:
    """The page of the case as it is by now, with what was sent in its form again, and why that was not done."""
    request.space.refresh_from_db()
    case.refresh_from_db()
    answer = drawn(request, case, status, given=request.POST.dict(), **why)
    answer["HX-Push-Url"] = "false"
    return answer


def _told(space: Space, by: str, act: str, case: Case, verdict: str) -> str:
    """What was decided, by its name, and what is left to do."""
    names = [name for each, name in _named(space, by) if each == act]
    done = format_html(gettext("Decided: {what}"), what=names[0]) if names else gettext("Decided.")
    if kind_of(case.key) == SAMPLE and (worth := cases.worth(case)):
        return format_html("{} · {}", done, worth)
    if verdict != "let it in":
        return done
    return format_html(
        "{}. {} {}", done, said.means(verdict, RESTORED_VALUE), evidence.again(evidence.brought(space, case))
    )


def _named(space: Space, by: str) -> list[tuple[str, str]]:
    last = decisions.last(space, by, 1)
    return list(zip([each.act for each in last], said.names(space, last), strict=True))


def onward(request: DeskRequest, space: Space) -> HttpResponse:
    """To the next case of what somebody goes through, which they have in hand from then on; to the queue, where there
    is none."""
    asked = asked_of(request.GET.dict())
    case = handouts.hand_out(space, asked.filter, by=request.user.username, now=clock.now())
    if case is None:
        return redirect(reverse("review", args=[space.name]) + asked.query())
    say_if_round(request, case)
    return redirect(reverse("case", args=[space.name, case.name]) + asked.query())


@require_POST
@in_space(Role.REVIEWER)
def take_back(request: DeskRequest, space: Space, case: str) -> HttpResponse:
    """Undo the act by which a case was closed, that one and no other, and take the case in hand again."""
    asked, act = asked_of(request.GET.dict()), request.POST.get("act", "")
    form, by, now = ReasonForm(request.POST), request.user.username, clock.now()
    if not form.is_valid():
        raise BadRequest(first_error(form))

    def do() -> str:
        if "\0" in act or not Closing.objects.filter(space=space, of=case, act=act).exclude(act="").exists():
            raise Refusal(gettext("This decision stands no more: somebody has taken it back already."))
        ask_for(request, takes(space, act))
        return undo.undo(space, act, by=by, now=now, reason=form.cleaned_data["reason"])

    try:
        done = once(request, do)
        notices.done(request, gettext("Undone, as if it had never been decided: the case is open again."), done)
    except undo.Final as final:
        return errors.final(request, final)
    except Refusal as refusal:
        notices.refused(request, str(refusal))
    handouts.take(space, found(space, case).name, by=by, now=now)
    return redirect(reverse("case", args=[space.name, case]) + asked.query())
