"""Who may see and do what: each page of a space names the role that it takes."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from django_htmx.middleware import HtmxDetails

from trustmem.desk.words import word
from trustmem.store.models import Membership, Role, Space, User

_P = ParamSpec("_P")
#: The cookie that names the space whose pages somebody saw last.
_LAST = "space"
_RANKS = {role: rank for rank, role in enumerate(Role)}


class DeskRequest(HttpRequest):
    """A request of somebody who signed in; `space` and `role` on pages of a space."""

    user: User
    htmx: HtmxDetails
    space: Space
    role: Role


def wants_part(request: DeskRequest) -> bool:
    """Whether a part of a page is asked for: not by who goes back to it, who has no page around a part."""
    return bool(request.htmx) and not request.htmx.history_restore_request


def spaces_of(user: User) -> QuerySet[Space]:
    """The spaces that somebody may look into, by name."""
    every = Space.objects.order_by("name")
    return every if user.is_superuser else every.filter(memberships__user=user)


def role_in(space: Space, user: User) -> Role | None:
    """What somebody is in a space; None: it does not concern them."""
    if user.is_superuser:
        return Role.ADMIN
    found = Membership.objects.filter(space=space, user=user).values_list("role", flat=True).first()
    return None if found is None else Role(found)


def may(role: Role, needed: Role) -> bool:
    """Whether a role has the rights of another."""
    return _RANKS[role] >= _RANKS[needed]


def ask_for(request: DeskRequest, needed: Role) -> None:
    """Raises PermissionDenied where somebody has not the rights of that role in the space of the page."""
    if not may(request.role, needed):
        said = gettext("That takes the role {needed}, and yours here is {role}.")
        raise PermissionDenied(said.format(needed=word(needed), role=word(request.role)))


def last_space(request: DeskRequest) -> Space | None:
    """The space whose pages somebody saw last, if they may still look into it."""
    key = request.COOKIES.get(_LAST, "")
    return spaces_of(request.user).filter(pk=key).first() if key.isdecimal() and len(key) < 19 else None


def _remembered(request: DeskRequest, response: HttpResponseBase) -> HttpResponseBase:
    """With a cookie that says which space it is of: no row is written for that."""
    key = str(request.space.pk)
    if request.COOKIES.get(_LAST) != key:
        response.set_cookie(_LAST, key, httponly=True, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    return response


def in_space(
    needed: Role,
) -> Callable[[Callable[Concatenate[Any, Space, _P], HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """A view of a space, for those who have that role there.

    Whoever has none there cannot tell whether there is such a space.
    """

    def decorate(view: Callable[Concatenate[Any, Space, _P], HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def run(request: DeskRequest, space: str, *given: _P.args, **named: _P.kwargs) -> HttpResponseBase:
            found = Space.objects.filter(name=space).first() or Space.objects.filter(alias=space).first()
            role = None if found is None else role_in(found, request.user)
            if found is None or role is None:
                raise Http404(gettext("There is no such space."))
            request.space, request.role = found, role
            ask_for(request, needed)
            return _remembered(request, view(request, found, *given, **named))

        return run

    return decorate
