"""The list of facts: filtered, sorted, a page at a time; all that it shows is in its address."""

from dataclasses import replace

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from trustmem.desk import clock
from trustmem.desk.access import DeskRequest, in_space, wants_part
from trustmem.desk.numbers import capped
from trustmem.desk.presenters.facts import View, chips, choices, columns, rows, table
from trustmem.store import lists, mentions
from trustmem.store.models import Role, Space

SIZE = 50


@require_safe
@in_space(Role.READER)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    try:
        view = View.of(request.GET.dict())
    except ValueError as error:
        raise BadRequest(str(error)) from None
    entity = view.filter.entity and mentions.meant(space, view.filter.entity)
    filter = replace(view.filter, entity=entity)
    page = lists.page(space, filter, view.sort, view.after, SIZE)
    count = lists.count(space, filter)
    shown = {
        "rows": table(rows(page.rows, view, clock.now()), space.name),
        "next": view.at(page.next),
        "previous": view.at(page.previous),
        "count": ngettext("{count} fact", "{count} facts", count[0]).format(count=capped(*count)),
        "columns": columns(view),
        "chips": chips(view),
        "view": view,
    }
    if wants_part(request):
        return render(request, "facts/facts.html#found", shown)
    return render(request, "facts/facts.html", shown | {"choices": choices(view)})
