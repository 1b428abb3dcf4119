"""What a person decides about one fact: it is accepted, forgotten, restored, or corrected."""

import json
from itertools import count
from typing import Any

from django.db import transaction

from trustmem.actions import acts, statements, tombstones
from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import ERASED, FORGOTTEN, LIVE, SCOPES
from trustmem.formats.fields import MAX_IDENTIFIER
from trustmem.store.models import Fact, Line, Space


@transaction.atomic
def accept(space: Space, fact: str, *, by: str, now: int, reason: str = "") -> str:
    """A person says that it is so; each time anew. The id of the act. Raises Refusal for what is unknown or erased."""
    act = acts.begin(space)
    found(space, fact)
    return acts.write(space, [acts.event("accepted", fact=fact, by=by, reason=reason)], act=act, now=now)


@transaction.atomic
def forget(space: Space, fact: str, *, by: str, now: int, reason: str = "") -> str:
    """Take a fact out of use, and keep out what it claims; `restore` brings it back. The id of the act. Raises Refusal
    if it is so already.
    """
    act = acts.begin(space)
    row = found(space, fact)
    if row.state == FORGOTTEN:
        raise Refusal(f'the fact "{fact}" is forgotten already')
    line = acts.event("forgotten", fact=fact, by=by, reason=reason)
    lines = [*statements.holding(act, line, [row], by=by), *tombstones.setting(space, row, by=by)]
    acts.write(space, lines, act=act, now=now)
    _ask_for(FORGOTTEN, space, fact, now)
    return act


@transaction.atomic
def restore(space: Space, fact: str, *, by: str, now: int, reason: str = "") -> str:
    """Bring back what was forgotten or has faded, and lift what keeps out what it claims. The id of the act. Raises
    Refusal also where a fact is live.
    """
    act = acts.begin(space)
    row = found(space, fact)
    if row.state == LIVE:
        raise Refusal(f'the fact "{fact}" is live already')
    line = acts.event("restored", fact=fact, by=by, reason=reason)
    acts.write(space, [line, *tombstones.lifting_of(space, row, by=by)], act=act, now=now)
    _ask_for(LIVE, space, fact, now)
    return act


@transaction.atomic
def correct(space: Space, fact: str, text: str, *, by: str, now: int, reason: str = "") -> tuple[str, str]:
    """Say what holds instead: a new fact that the person accepts, and that updates the other. The ids of the act and of
    the new fact.

    It keeps what the other is about. Raises Refusal where that is forgotten or superseded, and where it says the same,
    nothing, or what somebody forgot.
    """
    act = acts.begin(space)
    row = found(space, fact)
    if row.state == FORGOTTEN:
        raise Refusal(f'the fact "{fact}" is forgotten: restore it first, or leave it so')
    if row.depth:
        raise Refusal(f'a newer claim than the fact "{fact}" holds already: correct that one')
    if not text.strip() or _plain(text) == _plain(row.text):
        raise Refusal("a correction has to say something else")
    said = about(row, text)
    tombstones.ask_for(space, said)
    new = free_name(space, fact)
    edge: dict[str, Any] = {"type": "edge", "from": new, "relation": "updates", "to": fact, "by": by, "tier": "human"}
    lines = [
        *statements.holding(act, edge | ({"note": reason} if reason else {}), [row], by=by),
        {"id": new, "source": by, "tier": "human", "producer": "user", **said},
        acts.event("accepted", fact=new, by=by),
    ]
    acts.write(space, lines, act=act, now=now)
    return act, new


def free_name(space: Space, fact: str) -> str:
    """An id for what holds instead of a fact, which tells of it: no line has it yet."""
    beginning = fact[: MAX_IDENTIFIER - len("-corrected-1000000")]
    names = (f"{beginning}-corrected{f'-{number}' if number > 1 else ''}" for number in count(1))
    return next(name for name in names if not Line.objects.filter(space=space, name=name).exists())


def about(row: Fact, text: str) -> dict[str, Any]:
    """A claim in place of another: of the same subject and scope, and about the same entities."""
    slot = {"subject": row.subject, "predicate": row.predicate, "entities": json.loads(row.entities)}
    given = {name: value for name, value in slot.items() if value}
    return {"type": "fact", "text": text, "scope": SCOPES[row.scope], **given}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def found(space: Space, name: str) -> Fact:
    """The fact of that name. Raises Refusal where there is none that counts, or it is erased."""
    row = Fact.objects.filter(space=space, name=name).first()
    if row is None:
        raise Refusal(f'the space "{space.name}" has no fact "{name}"')
    if row.state == ERASED:
        raise Refusal(f'the fact "{name}" is erased')
    return row


def _ask_for(state: int, space: Space, fact: str, now: int) -> None:
    """Of what forgets and what restores the latest decides; an act that comes too late must not look like one."""
    if found(space, fact).state != state:
        raise Refusal(f'what was decided about the fact "{fact}" is dated later than {to_text(now)}, and stands')
