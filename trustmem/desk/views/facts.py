"""The list of facts: filtered, sorted, a page at a time, as of any instant; all that it shows is in its address."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from trustmem.actions.past import listed
from trustmem.desk import clock
from trustmem.desk.access import DeskRequest, in_space, may, wants_part
from trustmem.desk.numbers import capped
from trustmem.desk.presenters import past
from trustmem.desk.presenters.batches import forget_href
from trustmem.desk.presenters.facts import (
    View,
    chips,
    choices,
    columns,
    only_of_birth,
    replacing,
    rows,
    search_href,
    table,
)
from trustmem.desk.presenters.graph import leads_around
from trustmem.explanations.past import claims
from trustmem.store import lists, mentions, queries
from trustmem.store.lists import Filter
from trustmem.store.models import Pass, Role, Space
from trustmem.store.states import GUARDED, shows

SIZE = 50


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    try:
        view = View.of(request.GET.dict())
    except ValueError as error:
        raise BadRequest(str(error)) from None
    entity = view.filter.entity and mentions.meant(space, view.filter.entity)
    searched = None if may(request.role, Role.REVIEWER) else GUARDED.to_readers
    filter, now = replace(view.filter, entity=entity, searched=searched), clock.now()
    shown = _now(space, view, filter, now) if view.then is None else _then(space, view, filter, view.then, now)
    shown |= {"columns": columns(view), "chips": chips(view), "view": view, "as_of": _as_of(space, view, now)}
    if wants_part(request) and request.htmx.target != "main":
        return render(request, "facts/facts.html#found", shown)
    return render(request, "facts/facts.html", shown | {"choices": choices(view), "of_birth": only_of_birth()})


def _as_of(space: Space, view: View, now: int) -> past.AsOf:
    """The time slider, whose marks are passes; what is filtered by then stays."""
    kept = {name: value for name, value in view.asked().items() if name in ("source", "entity", "text")}
    return past.as_of(view.then, now, Pass.objects.filter(space=space).values_list("instant", flat=True), kept)


def _now(space: Space, view: View, filter: Filter, now: int) -> dict[str, Any]:
    page = lists.page(space, filter, view.sort, view.after, SIZE)
    count, untold = lists.count(space, filter), _untold(space, filter, [row.name for row in page.rows])
    return {
        "rows": table(rows(page.rows, view, now, replacing(space, view, page.rows), untold=untold), space.name),
        "next": view.at(page.next),
        "previous": view.at(page.previous),
        "title": ngettext("{count} fact", "{count} facts", count[0]).format(count=capped(*count)),
        "search_href": search_href(space, view),
        "forget_href": forget_href(space, view) if page.rows else "",
        "graph_href": leads_around(space.name, entity=filter.entity) if filter.entity else "",
    }


def _untold(space: Space, filter: Filter, names: Sequence[str]) -> dict[str, str]:
    """Those that do not say to whoever looks what they say: nobody finds them by that either."""
    return queries.untold(space, names, sees_all=filter.searched is None)


def _then(space: Space, view: View, filter: Filter, then: int, now: int) -> dict[str, Any]:
    """What had come by an instant, as it stood then."""
    if then > now:
        return {"title": gettext("Nothing to show"), "missing": past.to_come(then, now)}
    page = listed(space, filter, then, view.after, SIZE)
    found, untold = past.rows(claims(space, page.names, then), page.names), _untold(space, filter, page.names)
    return {
        "rows": table(rows(found, view, then, untold=untold), space.name, f"?{past.query(then)}"),
        "next": view.at(page.next),
        "previous": view.at(page.previous),
        "title": gettext("What had come by then, the newest first"),
        "missing": "" if page.names or view.after or chips(view) else gettext("Nothing had come by then."),
    }
