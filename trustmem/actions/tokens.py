"""Tokens: what agents come in by. A token is of one agent in one space; it is the source of all that comes by it."""

import hashlib
import secrets
from collections.abc import Collection

from django.db import transaction
from django.db.models import Q, QuerySet

from trustmem.actions.errors import Refusal
from trustmem.core.instants import MICROSECONDS_PER_SECOND, NEVER, span
from trustmem.formats import fields
from trustmem.store.models import Answered, Space, Token

#: What a token may allow, each by itself.
SCOPES = ("read", "write", "feedback", "import")
#: How a token begins, so that one that lies around is known for what it is.
PREFIX = "tm_"
#: When it was used last is written so seldom (µs).
_MINUTE = 60 * MICROSECONDS_PER_SECOND

#: For so long what was answered under a key is kept (µs).
ANSWERS_KEPT = span(1)


@transaction.atomic
def issue(
    space: Space,
    source: str,
    scopes: Collection[str],
    *,
    by: str,
    now: int,
    title: str = "",
    valid_to: int | None = None,
) -> tuple[Token, str]:
    """A new token for a source; and what the agent shows, which is kept nowhere. Raises Refusal for scopes, a source or
    an end that cannot be."""
    wrong = [each for each in scopes if each not in SCOPES]
    if wrong or not scopes:
        raise Refusal(f"a token has some of the scopes {', '.join(SCOPES)}")
    try:
        fields.identifier(source)
    except ValueError as error:
        raise Refusal(f"the source of a token {error}") from None
    if valid_to is not None and valid_to <= now:
        raise Refusal("a token is valid until later than now")
    shown = PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(
        space=space,
        digest=_digest(shown),
        title=title,
        source=source,
        scopes=[each for each in SCOPES if each in scopes],
        by=by,
        at=now,
        valid_to=NEVER if valid_to is None else valid_to,
    )
    return token, shown


@transaction.atomic
def rotate(space: Space, pk: int, *, by: str, now: int) -> tuple[Token, str]:
    """Another token in the place of one, which ends. Raises Refusal where that has ended already."""
    old = found(space, pk)
    revoke(space, pk, by=by, now=now)
    valid_to = None if old.valid_to == NEVER else old.valid_to
    return issue(space, old.source, old.scopes, by=by, now=now, title=old.title, valid_to=valid_to)


def revoke(space: Space, pk: int, *, by: str, now: int) -> None:
    """End a token. Raises Refusal where it has ended already."""
    found(space, pk)
    if not _standing(now).filter(space=space, pk=pk).update(revoked_at=now, revoked_by=by):
        raise Refusal("this token has ended already")


def found(space: Space, pk: int) -> Token:
    """A token of a space. Raises Refusal where there is none."""
    token = Token.objects.filter(space=space, pk=pk).first()
    if token is None:
        raise Refusal(f'the space "{space.name}" has no such token')
    return token


def who(shown: str, *, now: int) -> Token | None:
    """Whose token somebody shows; None where it is none, or has ended."""
    token = _standing(now).filter(digest=_digest(shown)).select_related("space").first()
    if token is not None and not token.last_used <= now < token.last_used + _MINUTE:
        Token.objects.filter(pk=token.pk).update(last_used=now)
    return token


def sweep(now: int) -> None:
    """Forget, in all spaces, what was answered under keys long ago."""
    for space in Space.objects.values_list("pk", flat=True):
        Answered.objects.filter(space=space, at__lt=now - ANSWERS_KEPT).delete()


def _standing(now: int) -> "QuerySet[Token]":
    ends_later = Q(valid_to=NEVER) | Q(valid_to__gt=now)
    return Token.objects.filter(ends_later, revoked_at=NEVER)


def _digest(shown: str) -> str:
    """A token is as long as a digest and drawn at random: nobody finds it by trying, so one round is enough."""
    return hashlib.sha256(shown.encode()).hexdigest()
