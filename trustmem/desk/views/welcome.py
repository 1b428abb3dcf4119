"""Where everybody comes in: on to the space there is, or a first look at the demo."""

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from trustmem.actions import demo as story
from trustmem.actions.errors import Refusal
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, spaces_of


@require_safe
def show(request: DeskRequest) -> HttpResponse:
    found = list(spaces_of(request.user)[:2])
    if len(found) == 1:
        return redirect("dashboard", found[0].name)
    return redirect("spaces") if found else render(request, "spaces/welcome.html")


@require_POST
def demo(request: DeskRequest) -> HttpResponse:
    """Make the space that tells a story. Asked for twice, it is there once."""
    if not request.user.is_superuser:
        raise PermissionDenied(gettext("Only the owner makes spaces."))
    try:
        made = story.make(by=request.user.username, now=clock.now())
    except Refusal as refusal:
        notices.refused(request, str(refusal))
        return redirect("spaces")
    return redirect("dashboard", made.name)
