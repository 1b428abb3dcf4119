"""The members of a space as settings show them."""

from collections.abc import Iterable
from typing import NamedTuple

from trustmem.core.instants import from_datetime
from trustmem.desk.instants import When, when
from trustmem.desk.words import role_title
from trustmem.store.models import Membership


class Member(NamedTuple):
    """Somebody with a role, and when they last came in (None: never); `may_be_let_in`: by a new link."""

    username: str
    role: str
    title: str
    came_in: When | None
    may_be_let_in: bool


class Link(NamedTuple):
    """The address by which somebody comes in, once."""

    username: str
    address: str


class Right(NamedTuple):
    """A space that somebody may look into, and what they are there."""

    space: str
    title: str
    role: str


def rights(found: Iterable[Membership]) -> list[Right]:
    return [Right(each.space.name, str(each.space), role_title(each.role)) for each in found]


def members(found: Iterable[Membership], let_in: set[int], now: int) -> list[Member]:
    """Members in their order; `let_in` are the keys of the users whom a new link may be made for."""
    return [
        Member(
            each.user.username,
            each.role,
            role_title(each.role),
            when(from_datetime(each.user.last_login), now) if each.user.last_login else None,
            each.user_id in let_in,
        )
        for each in found
    ]
