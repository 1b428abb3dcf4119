"""Sources: how many facts each has in which bands, and how many of them people found right, which does not enter trust.
To look changes nothing."""

from typing import cast, get_args

from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from trustmem.desk import answers, charts_of_truth, clock
from trustmem.desk.access import DeskRequest, in_space, may
from trustmem.desk.presenters import sources as presented
from trustmem.desk.presenters.paging import Place
from trustmem.desk.presenters.tiles import tile
from trustmem.store import sources
from trustmem.store.models import Role, Space
from trustmem.store.states import GUARDED, NOTHING, shows


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """All sources, a page at a time."""
    by, after = _asked(request)
    found = tile(clock.now(), lambda: presented.page(space, by, after))
    return render(request, "sources/sources.html", {"found": found, "by": by})


def _asked(request: DeskRequest) -> tuple[sources.By, sources.Place | None]:
    """In which order sources are, and where a page of them begins."""
    by, after = request.GET.get("sort", "name"), request.GET.get("after", "")
    if by not in get_args(sources.By):
        raise BadRequest(gettext("Sources are sorted by name or by reliability."))
    try:
        return cast(sources.By, by), sources.Place.of(after) if after else None
    except ValueError:
        raise BadRequest(gettext("This is no place in a list.")) from None


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def figure(request: DeskRequest, space: Space) -> HttpResponse:
    """The reliability of the sources of a page of which something was found."""
    found = [each for each in sources.page(space, *_asked(request), presented.SIZE).rows if each.right + each.wrong]
    names, shares = [presented.listed(space, each).title for each in found], map(presented.reliability, found)
    return answers.figure(charts_of_truth.of_sources(names, list(shares)))


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def table(request: DeskRequest, space: Space) -> HttpResponse:
    """The sources of a page as a table for machines."""
    found = sources.page(space, *_asked(request), presented.SIZE)
    return answers.table("sources", [presented.HEAD, *map(presented.exact, found.rows)])


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def one(request: DeskRequest, space: Space, source: str) -> HttpResponse:
    """One source: what people found of its facts, and the open cases that it brought."""
    if not sources.is_there(space, source):
        raise Http404(gettext("There is no such source."))
    now, place, sees_all = clock.now(), Place.of(request.GET.dict()), may(request.role, Role.REVIEWER)
    by = request.user.username
    shown = {
        "name": source,
        "about": tile(now, lambda: presented.listed(space, *sources.told(space, [source]))),
        "found": tile(now, lambda: presented.founds(space, source, place, now, sees_all=sees_all)),
        "cases": tile(now, lambda: presented.open_cases(space, source, by, now, sees_all=sees_all)),
    }
    return render(request, "sources/source.html", shown)
