"""Settings of a space: the constants by which it counts, and the people who may look into it."""

from collections.abc import Callable, Mapping

from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from trustmem.actions import access
from trustmem.actions.errors import Refusal
from trustmem.desk import clock, notices
from trustmem.desk.access import DeskRequest, in_space, may, role_in
from trustmem.desk.clicks import once
from trustmem.desk.forms import MemberForm, first_error
from trustmem.desk.presenters import members as presented
from trustmem.desk.words import role_title, roles
from trustmem.store.models import Membership, Role, Space, User
from trustmem.store.states import NOTHING, shows

#: In a session: for whom the next page of the members shows a link. The link itself is kept nowhere.
_LET_IN = "let in"


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def constants(request: DeskRequest, space: Space) -> HttpResponse:
    """Where constants are tried and adopted, and where their versions stand."""
    return render(request, "settings/constants.html")


@require_http_methods(["GET", "HEAD", "POST"])
@in_space(Role.READER)
@shows(NOTHING)
def members(request: DeskRequest, space: Space) -> HttpResponse:
    """The members; an admin changes them. What is wrong with somebody new is said at the form, all else on top."""
    form = MemberForm()
    if request.method == "POST":
        if not may(request.role, Role.ADMIN):
            raise PermissionDenied(gettext("Only an admin of this space changes who its members are."))
        form = MemberForm(request.POST)
        if _done(request, space, form):
            # Whoever takes themselves out cannot come back to this page.
            return redirect("members", space.name) if role_in(space, request.user) else redirect("spaces")
    return _page(request, space, form)


def _page(request: DeskRequest, space: Space, form: MemberForm) -> HttpResponse:
    found = _members(space)
    username = request.session.pop(_LET_IN, None) if request.method == "GET" and _LET_IN in request.session else None
    let_in = {each.user_id for each in found if _may_be_let_in(each, request.user)}
    shown = {
        "members": presented.members(found, let_in, clock.now()),
        "owners": list(User.objects.filter(is_superuser=True, is_active=True).order_by("username")),
        "roles": roles(),
        "form": form,
        "link": _link(request, space, username) if username else None,
    }
    return render(request, "settings/members.html", shown, status=400 if form.errors else 200)


def _members(space: Space) -> list[Membership]:
    """All but owners, who are in every space; each with whether they are in another one, too (`is_elsewhere`)."""
    elsewhere = Membership.objects.filter(user=OuterRef("user")).exclude(space=space)
    found = Membership.objects.filter(space=space, user__is_superuser=False).select_related("user")
    return list(found.annotate(is_elsewhere=Exists(elsewhere)).order_by("user__username"))


def _may_be_let_in(membership: Membership, by: User) -> bool:
    """Whether a link may be made for somebody, be it that they forgot their password. It makes whoever has it that
    person, wherever they are a member: so only the owner makes one for somebody who is in other spaces, too."""
    user: User = membership.user
    is_elsewhere: bool = membership.is_elsewhere  # type: ignore[attr-defined]
    return user.is_active and (by.is_superuser or not is_elsewhere)


def _done(request: DeskRequest, space: Space, form: MemberForm) -> bool:
    """Do what was asked for; False: the form says why not."""
    do = request.POST.get("do", "")
    if do == "add":
        return form.is_valid() and _added(request, space, form)
    if do not in _DEEDS:
        raise BadRequest(gettext("That cannot be done with members."))
    try:
        _DEEDS[do](request, space, request.POST.get("username", ""))
    except Refusal as refusal:
        notices.refused(request, str(refusal))
    return True


def _added(request: DeskRequest, space: Space, form: MemberForm) -> bool:
    username = User.normalize_username(form.cleaned_data["username"])
    try:
        if User.objects.filter(username=username, is_superuser=True).exists():
            raise Refusal(gettext("The owner is in every space already."))
        once(request, lambda: _add(space, username, Role(form.cleaned_data["role"])))
    except Refusal as refusal:
        form.add_error("username", str(refusal))
        return False
    if _is_let_in(request, space, username):
        _let_in(request, space, username)
    else:
        said = gettext("{username} is a member now, and comes in as before.")
        notices.done(request, said.format(username=username))
    return True


def _add(space: Space, username: str, role: Role) -> None:
    access.add_member(space, username, role)


def _is_let_in(request: DeskRequest, space: Space, username: str) -> bool:
    found = (each for each in _members(space) if each.user.username == username)
    return any(_may_be_let_in(each, request.user) for each in found)


def _let_in(request: DeskRequest, space: Space, username: str) -> None:
    if not _is_let_in(request, space, username):
        raise Refusal(gettext("Only the owner makes a link for somebody who is in other spaces, too, or in none."))
    request.session[_LET_IN] = username


def _link(request: DeskRequest, space: Space, username: str) -> presented.Link | None:
    """The link by which a member comes in; None where they have been taken out, or let in elsewhere."""
    if not may(request.role, Role.ADMIN) or not _is_let_in(request, space, username):
        return None
    address = reverse("enter", args=access.invitation(User.objects.get(username=username)))
    return presented.Link(username, request.build_absolute_uri(address))


def _change_role(request: DeskRequest, space: Space, username: str) -> None:
    form = MemberForm(request.POST)
    if not form.is_valid():
        raise BadRequest(first_error(form))
    role = Role(form.cleaned_data["role"])
    once(request, lambda: access.change_role(space, username, role))
    notices.done(request, gettext("{username} is now {role}").format(username=username, role=role_title(role)))


def _remove(request: DeskRequest, space: Space, username: str) -> None:
    once(request, lambda: access.remove_member(space, username))
    notices.done(request, gettext("{username} is no member of this space any more.").format(username=username))


_DEEDS: Mapping[str, Callable[[DeskRequest, Space, str], None]] = {
    "role": _change_role,
    "remove": _remove,
    "link": _let_in,
}
