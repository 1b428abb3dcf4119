"""Keys that sign: registered for a source, and revoked. Whether a signature counts is not looked at yet."""

from typing import Literal

from django.db import transaction

from trustmem.actions import acts
from trustmem.actions.errors import Refusal
from trustmem.core.instants import NEVER, to_text
from trustmem.store.models import Key, Line, Space


@transaction.atomic
def register(
    space: Space, key: str, *, source: str, public: str, valid_to: int | None = None, by: str, now: int
) -> str:
    """Register a public key (base64) for a source under a name. The id of the act, which cannot be undone.

    The line of a key says nothing of who registered it, so `by` is not on record. Raises Refusal for a name that is
    taken, and for what is no key.
    """
    act = acts.begin(space)
    if Line.objects.filter(space=space, name=key).exists():
        raise Refusal(f'the space "{space.name}" has a "{key}" already')
    until = {} if valid_to is None else {"valid_to": to_text(valid_to)}
    line = {"type": "key", "id": key, "source": source, "public": public, **until}
    return acts.write(space, [line], act=act, now=now)


@transaction.atomic
def revoke(space: Space, key: str, reason: Literal["lost", "compromised"], *, by: str, now: int) -> str:
    """Revoke a key. The id of the act.

    Raises Refusal for a key that is unknown or revoked; but one that was lost may turn out to be compromised.
    """
    act = acts.begin(space)
    row = Key.objects.filter(space=space, name=key).first()
    if row is None:
        raise Refusal(f'the space "{space.name}" has no key "{key}"')
    if row.compromised or (row.revoked_at != NEVER and reason == "lost"):
        raise Refusal(f'the key "{key}" is revoked already')
    return acts.write(space, [acts.event("revoked", of=key, by=by) | {"reason": reason}], act=act, now=now)
