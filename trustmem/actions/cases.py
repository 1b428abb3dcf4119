"""Cases: what waits for a person, who closes it with a verdict in words."""

import json
from typing import NamedTuple

from django.db import transaction

from trustmem.actions import acts, folding
from trustmem.actions.errors import Refusal
from trustmem.core.instants import NEVER
from trustmem.store.models import Case, Line, Space, Text


@transaction.atomic
def close(space: Space, case: str, verdict: str, *, by: str, now: int, reason: str = "") -> str:
    """Say what a case came to. The id of the act, which opens it again if it is undone.

    Raises Refusal for what is unknown or closed already, and without a verdict.
    """
    act = acts.begin(space)
    if found(space, case).closed_at != NEVER:
        raise Refusal(f'the case "{case}" is closed already')
    if not verdict.strip():
        raise Refusal("a case is closed with a verdict")
    line = acts.event("closed", of=case, by=by, verdict=verdict) | ({"reason": reason} if reason else {})
    return acts.write(space, [line], act=act, now=now)


def found(space: Space, name: str) -> Case:
    """The case of that name. Raises Refusal where there is none that counts."""
    row = Case.objects.filter(space=space, name=name).first()
    if row is None:
        raise Refusal(f'the space "{space.name}" has no case "{name}"')
    return row


class Closing(NamedTuple):
    """Who closed a case, when, with which verdict and why; undoing the `act` ('': it has none) opens it again."""

    act: str
    by: str
    at: int
    verdict: str
    reason: str


def closing(space: Space, case: Case) -> Closing | None:
    """What closed a case; None: it is open."""
    if case.closed_at == NEVER:
        return None
    void = folding.void(space, space.folded_to)
    lines = Line.objects.filter(space=space, tag="event.closed", at=case.closed_at).order_by("name")
    for position, act, imported, body in lines.values_list("position", "act", "imported", "body"):
        says = json.loads(body)
        if says["of"] == case.name and not {act, imported} & void:
            text = Text.objects.filter(space=space, position=position).values_list("body", flat=True).first()
            words = json.loads(text or "{}")
            return Closing(act, says.get("source") or "", case.closed_at, case.verdict, words.get("reason") or "")
    return None
