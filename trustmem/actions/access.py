"""Who may come in: the owner, people who are invited by a link that works once, and their roles in spaces."""

from typing import Any

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.encoding import force_bytes, force_str
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_datetime
from trustmem.store.models import Membership, Role, Space, User

OWNER = "owner"


class _Tokens(PasswordResetTokenGenerator):
    """A link holds for somebody as they were when it was made: one that is let in elsewhere since needs a new one, so
    that nobody opens by it what they were not to see."""

    key_salt = "trustmem.actions.access"

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        roles = sorted(Membership.objects.filter(user=user).values_list("space", "role"))
        return f"{super()._make_hash_value(user, timestamp)}{roles}"


_TOKENS = _Tokens()


@transaction.atomic
def owner() -> User:
    """Who may do everything; made where there is nobody yet."""
    found = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    return found or User.objects.create_superuser(OWNER)


def invitation(user: User) -> tuple[str, str]:
    """The two parts of a link by which somebody comes in, once: it ends when they came in, when their roles change, and
    after three days."""
    return urlsafe_base64_encode(force_bytes(user.pk)), _TOKENS.make_token(user)


def invited(uid: str, token: str) -> User | None:
    """Whom an invitation is for; None where it is none, was used, or is too old."""
    try:
        user = User.objects.filter(pk=int(force_str(urlsafe_base64_decode(uid))), is_active=True).first()
    except (ValueError, OverflowError):
        return None
    return user if user is not None and _TOKENS.check_token(user, token) else None


@transaction.atomic
def use(uid: str, token: str, *, now: int) -> User | None:
    """Use an invitation up; None where somebody else just did. Of two at once one comes in."""
    user = invited(uid, token)
    if user is None:
        return None
    mine = User.objects.filter(pk=user.pk, last_login=user.last_login).update(last_login=to_datetime(now))
    user.refresh_from_db()
    return user if mine else None


@transaction.atomic
def add_member(space: Space, username: str, role: Role) -> User:
    """Let somebody into a space; whoever is new here gets an account. Raises Refusal for a name that is none."""
    try:
        UnicodeUsernameValidator()(username)
    except ValidationError as error:
        raise Refusal(error.messages[0]) from None
    user = User.objects.filter(username=username).first() or User.objects.create_user(username)
    if Membership.objects.filter(space=space, user=user).exists():
        raise Refusal(f'"{username}" is a member already')
    Membership.objects.create(space=space, user=user, role=role)
    return user


def change_role(space: Space, username: str, role: Role) -> None:
    """Raises Refusal where there is no such member."""
    if not Membership.objects.filter(space=space, user__username=username).update(role=role):
        raise Refusal(f'"{username}" is no member of this space')


def remove_member(space: Space, username: str) -> None:
    """Raises Refusal where there is no such member."""
    if not Membership.objects.filter(space=space, user__username=username).delete()[0]:
        raise Refusal(f'"{username}" is no member of this space')
