"""What people decide about a fact, each as one act with a reason; and taking an act back."""

from collections.abc import Callable, Iterable

from django.core.exceptions import BadRequest
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_POST

from trustmem.actions import calibration, facts, jobs, statements
from trustmem.actions import undo as undoing
from trustmem.actions.errors import Refusal
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, ask_for, in_space
from trustmem.desk.clicks import once
from trustmem.desk.forms import CorrectForm, ReasonForm, first_error
from trustmem.desk.views import errors
from trustmem.store.models import Line, Role, Space

_DECISIONS = {
    "accept": (facts.accept, gettext_lazy("Accepted: a person stands behind it now.")),
    "forget": (facts.forget, gettext_lazy("Forgotten: it is served to nobody any more.")),
    "restore": (facts.restore, gettext_lazy("Restored: it is live again.")),
}
#: What only some may undo. Each concerns every fact of a space, or many.
_TAKES = {"constants": Role.ADMIN, "import": Role.CURATOR, "pass": Role.CURATOR}
_OF_ALL = _TAKES.keys()


@require_POST
@in_space(Role.REVIEWER)
def decide(request: DeskRequest, space: Space, fact: str, decision: str) -> HttpResponse:
    """Accept, forget or restore a fact."""
    do, said = _DECISIONS[decision]

    def act(form: Form) -> str:
        return do(space, fact, by=request.user.username, now=clock.now(), reason=form.cleaned_data["reason"])

    return _decided(request, fact, ReasonForm, decision, act, str(said))


@require_POST
@in_space(Role.REVIEWER)
def correct(request: DeskRequest, space: Space, fact: str) -> HttpResponse:
    """Leads to the new fact, which is what holds now."""

    def act(form: Form) -> str:
        text, reason = form.cleaned_data["text"], form.cleaned_data["reason"]
        act, _ = facts.correct(space, fact, text, by=request.user.username, now=clock.now(), reason=reason)
        return act

    said = gettext("Corrected: this claim holds now, and updates the one before.")
    return _decided(request, fact, CorrectForm, "correct", act, said)


@require_POST
@in_space(Role.REVIEWER)
def rule(request: DeskRequest, space: Space, fact: str) -> HttpResponse:
    """Uphold or dismiss a statement against the fact."""
    of, (ruling, said) = request.POST.get("of", ""), _ruling(request.POST.get("ruling", ""))

    def act(form: Form) -> str:
        if "\0" in of or not statements.harms(space, of, fact):
            raise Refusal(gettext("There is no such statement against this fact."))
        reason = form.cleaned_data["reason"]
        return statements.rule(space, of, ruling, by=request.user.username, now=clock.now(), reason=reason)

    return _decided(request, fact, ReasonForm, "rule", act, said)


def _ruling(given: str) -> tuple[statements.Ruling, str]:
    """A ruling, and what is said once it is made. Raises BadRequest for what is none."""
    if given == "upheld":
        return "upheld", gettext("Upheld: it is in force now.")
    if given == "dismissed":
        return "dismissed", gettext("Dismissed: it counts as if it had never been said.")
    raise BadRequest(gettext("A ruling upholds or dismisses."))


@require_POST
@in_space(Role.REVIEWER)
def undo(request: DeskRequest, space: Space) -> HttpResponse:
    """Take back an act, an import or a pass, or bring it back; back to where one was. What takes long is a job."""
    name, form, back = request.POST.get("act", ""), ReasonForm(request.POST), _back(request)
    if not form.is_valid():
        raise BadRequest(first_error(form))
    try:
        done = once(request, lambda: _taken_back(request, space, name, form.cleaned_data["reason"], back))
    except undoing.Final as final:
        return errors.final(request, final)
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        return redirect(back)
    if done.isdecimal():
        return redirect("pass-job", space.name, done)
    notices.done(request, _undone(space, name), done)
    return redirect(back)


def _taken_back(request: DeskRequest, space: Space, name: str, reason: str, back: str) -> str:
    """The act by which one was undone, or the key of the job that does it."""
    if not name or "\0" in name:
        raise Refusal(gettext("There is no such act."))
    ask_for(request, takes(space, name))
    by, now = request.user.username, clock.now()
    of_all = undoing.concerned(space, name) & _OF_ALL and calibration.is_slow(space)
    if of_all or undoing.is_large(space, name):
        slot = f"{undoing.standing(space, name)}:{space.head_position}"  # asked for twice, it is done once
        return str(jobs.ask(space, jobs.UNDO, by=by, now=now, slot=slot, act=name, reason=reason, back=back).pk)
    return undoing.undo(space, name, by=by, now=now, reason=reason)


def _back(request: DeskRequest) -> str:
    """Where one was."""
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return back if is_ours else reverse("dashboard", args=[request.space.name])


def _undone(space: Space, act: str) -> str:
    if undoing.brings_back(space, act):
        return gettext("Brought back: it counts again.")
    if "pass" in undoing.concerned(space, act):
        return gettext("Rolled back: the pass keeps its place on the clock, and changed nothing.")
    return gettext("Undone. It counts as if it had never been.")


def takes(space: Space, act: str) -> Role:
    """The role that it takes to undo an act."""
    return role_for(undoing.concerned(space, act))


def role_for(tags: Iterable[str]) -> Role:
    """The role that it takes to undo what lines of these tags wrote."""
    asked = (_TAKES.get(tag, Role.REVIEWER) for tag in tags)
    return max(asked, key=list(Role).index, default=Role.REVIEWER)


def _decided(
    request: DeskRequest, fact: str, form_of: type[Form], prefix: str, do: Callable[[Form], str], said: str
) -> HttpResponse:
    """Do what a form asks for and go to the fact that this made, or else back, where it says what was done or why
    not."""
    form = form_of(request.POST, prefix=prefix)
    if not form.is_valid():
        raise BadRequest(first_error(form))
    try:
        act = once(request, lambda: do(form))
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        return redirect("fact", request.space.name, fact)
    notices.done(request, said, act)
    made = Line.objects.filter(space=request.space, act=act, tag="fact").values_list("name", flat=True).first()
    return redirect("fact", request.space.name, made or fact)
