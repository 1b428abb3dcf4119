"""What a space knows of a question, in the order for people; or just what an agent is served that asks it. To look
changes nothing, and counts as no use."""

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from trustmem.actions.search import Found, search
from trustmem.desk import clock
from trustmem.desk.access import DeskRequest, in_space, may, wants_part
from trustmem.desk.presenters import search as presented
from trustmem.desk.presenters.search import View
from trustmem.store.models import Role, Space
from trustmem.store.states import GUARDED, shows


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    try:
        view = View.of(request.GET.dict())
    except ValueError as error:
        raise BadRequest(str(error)) from None
    sees_all = may(request.role, Role.REVIEWER)
    shown = presented.page(space, view, sees_all=sees_all)
    if view.question:
        shown |= presented.results(space, view, _found(space, view, sees_all=sees_all), sees_all=sees_all)
    return render(request, f"search/search.html{'#found' if wants_part(request) else ''}", shown)


def _found(space: Space, view: View, *, sees_all: bool) -> Found:
    """What is found: for agents, and for whoever only reads, not by the words of what is forgotten, which is not even
    counted."""
    return search(
        space,
        view.question,
        now=clock.now(),
        limit=view.limit,
        order=view.order,
        history=view.history,
        sees_all=not view.by_agent,
        searched=None if sees_all and not view.by_agent else GUARDED.to_readers,
    )
