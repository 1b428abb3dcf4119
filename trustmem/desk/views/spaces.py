"""All spaces that somebody may look into, and a new one."""

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from trustmem.actions import spaces
from trustmem.actions.errors import Refusal
from trustmem.desk.access import DeskRequest, last_space, spaces_of
from trustmem.desk.forms import SpaceForm
from trustmem.desk.presenters.spaces import listed
from trustmem.formats import fields


@require_http_methods(["GET", "HEAD", "POST"])
def show(request: DeskRequest) -> HttpResponse:
    form = SpaceForm(request.POST or None)
    if request.method == "POST":
        if not request.user.is_superuser:
            raise PermissionDenied(gettext("Only the owner makes spaces."))
        if form.is_valid():
            try:
                made = spaces.create(fields.identifier(form.cleaned_data["name"]))
                return redirect("agents" if request.POST.get("next") == "agents" else "imports", made.name)
            except (Refusal, ValueError) as error:
                form.add_error("name", str(error))
    shown = {"listed": listed(spaces_of(request.user)), "form": form, "back": last_space(request)}
    return render(request, "spaces/spaces.html", shown, status=400 if form.errors else 200)
