"""The graph: what hangs together around a fact or an entity, or a sample of all of a space; its view is its address."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRefresh

from trustmem.actions import graph as actions
from trustmem.desk import clock
from trustmem.desk.access import DeskRequest, ask_for, in_space, may, wants_part
from trustmem.desk.clicks import once
from trustmem.desk.presenters import graph as presented
from trustmem.desk.presenters.graph import View
from trustmem.desk.presenters.graph_nodes import Known, Picture, picture
from trustmem.desk.presenters.tiles import tile
from trustmem.explanations.text import shortened
from trustmem.store import graph, lists, mentions, queries
from trustmem.store.models import Fact, Role, Space
from trustmem.store.states import GUARDED, shows
from trustmem.store.ties import Filter, Key, Tie

_SHORT = 60


class _Eyes(NamedTuple):
    """Whose they are: of which states they see facts beside others, and by facts of which states they are told of
    entities (None: of all that there are)."""

    states: frozenset[int]
    told_by: frozenset[int] | None


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(GUARDED)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """The picture. Sent to it, a form asks for the job that works the graph out, as what only looks writes nothing."""
    now = clock.now()
    if request.method == "POST":
        ask_for(request, Role.CURATOR)
        once(request, lambda: str(actions.ask(space, by=request.user.username, now=now).pk))
        return redirect(request.get_full_path())
    if wants_part(request) and request.htmx.target == "work":
        return _work(request, space, now)
    view = View.of(request.GET)
    sees_all = may(request.role, Role.REVIEWER)
    eyes = _Eyes(GUARDED.to_reviewers, None) if sees_all else _Eyes(GUARDED.to_readers, GUARDED.to_readers)
    shown = (_around if view.is_centred else _all)(space, view, eyes) | {"view": view}
    shown |= {"job": presented.last_job(space, now), "works": tile(now, lambda: presented.working(space, now))}
    if wants_part(request) and request.htmx.target != "main":
        return render(request, "graph/graph.html#found", shown)
    return render(request, "graph/graph.html", shown | {"choices": presented.choices(view, eyes.states)})


def _work(request: DeskRequest, space: Space, now: int) -> HttpResponse:
    """What is worked on, until it is done."""
    works = tile(now, lambda: presented.working(space, now))
    if works.shown and works.shown[0].is_open:
        return render(request, "calibration/work.html", {"works": works})
    return HttpResponseClientRefresh()


def _around(space: Space, view: View, eyes: _Eyes) -> dict[str, Any]:
    centre, filter = _centre(space, view, eyes)
    found = graph.around(space, centre, filter, depth=view.depth, most=view.most, skip=view.skip, told_by=eyes.told_by)
    places = graph.placed(found.nodes, found.ties, is_centred=True)
    shown = _picture(space, view, eyes, places, found.nodes, found.ties)
    return {
        "picture": shown,
        "centre": shown.nodes[0],
        "says": presented.says_around(len(shown.nodes), len(found.ties), found.more),
        "left_out": presented.left_out(view, found.left_out),
        "is_known": isinstance(centre, int) or len(shown.nodes) > 1 or graph.is_entity(space, centre),
    }


def _centre(space: Space, view: View, eyes: _Eyes) -> tuple[Key, Filter]:
    """The node in the middle, and what may be followed from there: nothing from a fact of which it is not told what it
    says. Raises Http404 where there is no such fact."""
    filter = view.filter(eyes.states)
    if view.entity:
        return mentions.known_as(mentions.meant(space, view.entity)), filter
    found = Fact.objects.filter(space=space, name=view.fact).values_list("pk", "state").first()
    if found is None:
        raise Http404(gettext("This space holds no fact “{name}”.").format(name=shortened(view.fact, _SHORT)))
    key, state = found
    return key, filter if state in eyes.states else Filter(ties=frozenset())


def _all(space: Space, view: View, eyes: _Eyes) -> dict[str, Any]:
    found = graph.overview(space, view.filter(eyes.states), most=view.most, told_by=eyes.told_by)
    shown = _picture(space, view, eyes, found.places, {}, found.ties)
    every = lists.Filter(state=None)
    return {
        "picture": shown,
        "says": presented.says_of_all(
            len(shown.nodes), found.of, lists.count(space, every), len(found.ties), found.more
        ),
        "is_placed": found.of > 0,
        "has_facts": found.of > 0 or lists.count(space, every, 1)[0] > 0,
    }


def _picture(
    space: Space,
    view: View,
    eyes: _Eyes,
    places: Mapping[Key, tuple[float, float]],
    hops: Mapping[Key, int],
    ties: Sequence[Tie],
) -> Picture:
    facts = {row.pk: row for row in lists.rows([node for node in places if isinstance(node, int)])}
    names: Collection[str] = [row.name for row in facts.values()]
    known = Known(
        facts,
        graph.entities(space, [node for node in places if isinstance(node, str)]),
        queries.untold(space, names, sees_all=eyes.told_by is None),
    )
    return picture(view, space.name, places, hops, ties, known)
