"""Keys that sign: registered for a source by whoever shows that they have it, and revoked."""

from typing import Literal

from django.db import transaction

from trustmem.actions import acts
from trustmem.actions.errors import Refusal
from trustmem.core.instants import NEVER, to_text
from trustmem.formats import signed
from trustmem.formats.fields import FieldError
from trustmem.formats.interchange_types import DEFAULTS, parse_record
from trustmem.store import signatures
from trustmem.store.models import Key, Line, Space


@transaction.atomic
def register(
    space: Space,
    key: str,
    *,
    source: str,
    public: str,
    proof: str,
    valid_from: int | None = None,
    valid_to: int | None = None,
    by: str,
    now: int,
) -> str:
    """Register a public key (base64) for a source under a name, from an instant on (None: now). The id of the act,
    which cannot be undone.

    `proof` (base64) is the key's own signature of `signed.possession`. The line of a key says nothing of who registered
    it, so `by` is not on record. Raises Refusal for a name or a key that is taken, for what is no key, or none that may
    sign, and where the proof does not hold.
    """
    act = acts.begin(space)
    if Line.objects.filter(space=space, name=key).exists():
        raise Refusal(f'the space "{space.name}" has a "{key}" already')
    until = {} if valid_to is None else {"valid_to": to_text(valid_to)}
    line = {"type": "key", "id": key, "source": source, "public": public, **until}
    try:
        record = parse_record(line | {"at": to_text(now if valid_from is None else valid_from), "act": act})
    except FieldError as error:
        raise Refusal(str(error)) from None
    if record["valid_to"] is not None and record["valid_to"] <= record["at"]:
        raise Refusal("a key is valid until later than from when on it is")
    if not signed.proves(proof, space.name, source, public):
        raise Refusal("the proof does not hold: it is to be made with this very key, for this space and source")
    # Under two names, what is revoked by one would go on by the other.
    twin = Key.objects.filter(space=space, public=public).first()
    if twin is not None:
        raise Refusal(f'this key is registered already, as "{twin.name}": another one takes its place')
    acts.append(space, [DEFAULTS["key"] | record | {"arrived": acts.stamp(space, now)}])
    return act


def signed_by(space: Space, key: str) -> list[str]:
    """The facts that a key has signed, by name, be it that they count or not."""
    positions = signatures.lines_of(space, [key])
    lines = Line.objects.filter(space=space, tag="fact", position__in=positions)
    return list(lines.order_by("position").values_list("name", flat=True))


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
