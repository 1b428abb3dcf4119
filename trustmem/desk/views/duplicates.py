"""Duplicates: clusters of facts that say the same, to be merged or told apart, one by one or a page of them at once."""

import json
from collections.abc import Callable, Mapping

from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from trustmem.actions import duplicates as deciding
from trustmem.actions.batches import Batch
from trustmem.actions.duplicates import Group
from trustmem.actions.errors import Refusal
from trustmem.actions.verdicts import Changed, Decided
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, in_space, may, wants_part
from trustmem.desk.clicks import once
from trustmem.desk.forms import ReasonForm, SeenForm, first_error
from trustmem.desk.instants import when
from trustmem.desk.presenters import batches
from trustmem.desk.presenters import duplicates as presented
from trustmem.desk.presenters.duplicates import Chosen
from trustmem.desk.presenters.tiles import tile
from trustmem.explanations import cases as said
from trustmem.store import duplicates
from trustmem.store.models import Fact, Line, Role, Space
from trustmem.store.states import ALIVE, shows


@require_safe
@in_space(Role.READER)
@shows(ALIVE)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """A page of clusters."""
    now, asked = clock.now(), request.GET.dict()
    presented.place(asked)
    shown = {
        "page": tile(now, lambda: presented.page(space, asked, now)),
        "progress": tile(now, lambda: presented.progress(space, now)),
        "seen": space.folded_to,
        "may_merge_all": may(request.role, Role.CURATOR),
        "form": ReasonForm(),
    }
    return render(request, "duplicates/duplicates.html", shown)


@require_safe
@in_space(Role.READER)
@shows(ALIVE)
def one(request: DeskRequest, space: Space, fact: str) -> HttpResponse:
    """The cluster that a fact is in, with what somebody chose of it; a part of it is the cluster alone."""
    key = Fact.objects.filter(space=space, name=fact).values_list("pk", flat=True).first()
    cluster = duplicates.about(space, key) if key is not None else None
    if cluster is None:
        raise Http404(gettext("This fact is in no cluster by now: it was decided about, or says what no other does."))
    chosen = Chosen(request.GET.get("kept", ""), request.GET.getlist("other") if "kept" in request.GET else None)
    (shown,) = presented.shown(space, [cluster], clock.now(), chosen)
    told = {"cluster": shown, "seen": space.folded_to, "form": ReasonForm()}
    part = "#cluster" if wants_part(request) else ""
    return render(request, f"duplicates/duplicate.html{part}", told)


@require_POST
@in_space(Role.REVIEWER)
def merge(request: DeskRequest, space: Space) -> HttpResponse:
    """Merge what was chosen of a cluster."""
    kept, others = _chosen(request)
    others = [name for name in others if name != kept]
    return _done(
        request,
        lambda **told: deciding.merge(space, kept, others, **told),
        gettext("Merged: what was said of the others counts for the one that is kept."),
    )


@require_POST
@in_space(Role.REVIEWER)
def apart(request: DeskRequest, space: Space) -> HttpResponse:
    """Say that what was chosen of a cluster is not the same; where nothing was but the fact that is kept, all of it."""
    kept, others = _chosen(request)
    others = others if set(others) - {kept} else _named(request, "member")
    names = list(dict.fromkeys(filter(None, [kept, *others])))
    return _done(
        request,
        lambda **told: deciding.apart(space, names, **told),
        gettext("Not the same: they stay as they are, and are not found to be duplicates again."),
    )


def _chosen(request: DeskRequest) -> tuple[str, list[str]]:
    """The fact that is kept, and the others, as a form says it. Raises BadRequest for what no fact is called."""
    return (_named(request, "kept") or [""])[0], _named(request, "other")


def _named(request: DeskRequest, field: str) -> list[str]:
    names = request.POST.getlist(field)
    if any("\0" in name for name in names):
        raise BadRequest(gettext("No fact is called so."))
    return names


def _done(request: DeskRequest, act: Callable[..., str], says: str) -> HttpResponse:
    """Do it, and back to where it was seen; what was not done is told there, as it is by now."""
    form, by = SeenForm(request.POST), request.user.username
    if not form.is_valid():
        raise BadRequest(first_error(form))
    given, back = form.cleaned_data, _back(request)
    try:
        done = once(request, lambda: act(by=by, now=clock.now(), reason=given["reason"], seen=given["seen"]))
    except Refusal as refusal:
        notices.refused(request, _why(refusal))
    else:
        notices.done(request, says, done)
    return redirect(back)


def _why(refusal: Refusal) -> str:
    if isinstance(refusal, Changed):
        return gettext("Something was said of these facts since they were shown: look again, and decide.")
    if isinstance(refusal, Decided):
        by, verdict = refusal.closing.by or gettext("somebody"), refusal.closing.verdict
        word = said.verdict(verdict) if verdict in (duplicates.MERGE, duplicates.APART) else verdict
        says = gettext("{by} decided about these {when}: {verdict}.")
        return says.format(by=by, when=when(refusal.closing.at, clock.now()).ago, verdict=word)
    return str(refusal)


def _back(request: DeskRequest) -> str:
    """The page of clusters that somebody came from."""
    return _back_to(request, request.POST.dict())


def _back_to(request: DeskRequest, asked: Mapping[str, str]) -> str:
    after = presented.place(asked)
    return reverse("duplicates", args=[request.space.name]) + (f"?{presented.query(after)}" if after else "")


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.CURATOR)
@shows(ALIVE)
def all_of(request: DeskRequest, space: Space) -> HttpResponse:
    """Merge all clusters of a page, once somebody has looked at them a second time."""
    if request.method != "POST":
        return _second_look(request, space)
    form, by = SeenForm(request.POST), request.user.username
    if not form.is_valid():
        raise BadRequest(first_error(form))
    groups, given, found = _groups(request), form.cleaned_data, list[Batch]()

    def do() -> str:
        told = {name: given[name] for name in ("reason", "seen")}
        found.append(deciding.merge_all(space, groups, by=by, now=clock.now(), **told))
        return found[0].act

    try:
        act = once(request, do)
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        return redirect(_back(request))
    count = Line.objects.filter(space=space, act=act, tag="event.closed").count()
    notices.done(request, presented.merged(count), act)
    for left in filter(None, map(batches.left_out, found)):
        notices.done(request, left)
    return redirect("duplicates", space.name)


def _second_look(request: DeskRequest, space: Space) -> HttpResponse:
    now, asked = clock.now(), request.GET.dict()
    page = presented.page(space, asked, now)
    some = [cluster for cluster in page["clusters"] if cluster.is_mergeable]
    shown = {
        "page": page,
        "clusters": some,
        "told": presented.all_of(some),
        "seen": space.folded_to,
        "back": _back_to(request, asked),
        "form": ReasonForm(),
    }
    return render(request, "duplicates/all.html", shown)


def _groups(request: DeskRequest) -> list[Group]:
    """The clusters that a form says are to be merged: of each the names of its facts, the one that is kept first."""
    found = list[Group]()
    for given in request.POST.getlist("cluster"):
        try:
            names = json.loads(given)
        except ValueError:
            names = None
        if not isinstance(names, list) or not names or not all(map(_is_name, names)):
            raise BadRequest(gettext("This names no facts."))
        found.append(Group(names[0], names[1:]))
    return found


def _is_name(given: object) -> bool:
    return isinstance(given, str) and "\0" not in given
