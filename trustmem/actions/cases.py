"""Cases: what waits for a person, who closes it with a verdict in words."""

import json
from typing import NamedTuple

from django.db import transaction

from trustmem.actions import acts
from trustmem.actions.errors import Refusal
from trustmem.core.instants import NEVER
from trustmem.store import cases
from trustmem.store.models import Case, Space, Text


@transaction.atomic
def close(space: Space, case: str, verdict: str, *, by: str, now: int, reason: str = "") -> str:
    """Say in words what a case came to that nothing but words decides: a bulk change, or what a file called a case. The
    id of the act, which opens it again if it is undone.

    Raises Refusal for what is unknown, of another kind or closed already, and without a verdict.
    """
    act = acts.begin(space)
    row = found(space, case)
    if cases.kind_of(row.key) not in ("", cases.BULK_CHANGE):
        raise Refusal(f'the case "{case}" is decided by a verdict that has an effect')
    if row.closed_at != NEVER:
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
    said = cases.closings(space, [case.name]).get(case.name)
    if said is None:
        return None
    text = Text.objects.filter(space=space, position=said.position).values_list("body", flat=True).first()
    reason = json.loads(text or "{}").get("reason") or ""
    return Closing(said.act, said.by, said.at, case.verdict, reason)
