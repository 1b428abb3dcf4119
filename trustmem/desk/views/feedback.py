"""What helps and what misleads. To look changes nothing."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from trustmem.desk import clock
from trustmem.desk.access import DeskRequest, in_space, wants_part
from trustmem.desk.presenters import feedback as presented
from trustmem.desk.presenters.feedback import Asked
from trustmem.desk.presenters.tiles import tile
from trustmem.store.models import Role, Space
from trustmem.store.states import ALIVE, shows


@require_safe
@in_space(Role.READER)
@shows(ALIVE)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """The live facts that proved useful, and those that did not."""
    asked = Asked.of(request.GET.dict())
    shown = {"found": tile(clock.now(), lambda: presented.lists_of(space, asked)), "asked": asked}
    return render(request, f"feedback/feedback.html{'#found' if wants_part(request) else ''}", shown)
