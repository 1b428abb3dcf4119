"""The members of a space as settings show them."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import pgettext_lazy

from trustmem.core.instants import from_datetime
from trustmem.desk.instants import When, when
from trustmem.store.models import Membership, Role

#: What each may do, beside its name.
ROLES = {
    Role.READER: pgettext_lazy("role", "reader: sees everything"),
    Role.REVIEWER: pgettext_lazy("role", "reviewer: and decides about facts"),
    Role.CURATOR: pgettext_lazy("role", "curator: and takes files in"),
    Role.ADMIN: pgettext_lazy("role", "admin: and sets constants and members"),
}


class Member(NamedTuple):
    """Somebody with a role, and when they last came in (None: never); `may_be_let_in`: by a new link."""

    username: str
    role: str
    title: str
    came_in: When | None
    may_be_let_in: bool


def choices() -> list[tuple[str, str]]:
    """The roles that can be given, each with what it may do."""
    return [(role.value, str(title)) for role, title in ROLES.items()]


def members(found: Iterable[Membership], let_in: set[int], now: int) -> list[Member]:
    """Members in their order; `let_in` are the keys of the users whom a new link may be made for."""
    return [
        Member(
            each.user.username,
            each.role,
            str(ROLES[Role(each.role)]),
            when(from_datetime(each.user.last_login), now) if each.user.last_login else None,
            each.user_id in let_in,
        )
        for each in found
    ]
