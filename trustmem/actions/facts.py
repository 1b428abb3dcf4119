"""What a person decides about a fact: it is accepted, forgotten, restored, or corrected. Many can be forgotten at
once."""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from django.db import transaction

from trustmem.actions import acts, batches, since, statements, tombstones
from trustmem.actions.batches import Batch
from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import ERASED, FORGOTTEN, LIVE, PRUNED, SCOPES
from trustmem.formats.fields import MAX_IDENTIFIER
from trustmem.store import bulk, lists
from trustmem.store.lists import Filter, Sort
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
    ask_that(FORGOTTEN, space, [fact], now)
    return act


def forgettable(space: Space, filter: Filter) -> list[int]:
    """The keys of the facts of a list that can be forgotten."""
    of = {None: ("live", "pruned"), "live": ("live",), "pruned": ("pruned",)}.get(filter.state, ())
    listed = (lists.keys(space, replace(filter, state=state), Sort("age"), size=_ALL) for state in of)
    return [key for each in listed for key in each.facts]


@transaction.atomic
def forget_all(
    space: Space, keys: Collection[int], *, by: str, now: int, reason: str = "", seen: int, shown: int
) -> Batch:
    """Take facts out of use, by their keys, as they stood when so many were `shown` and the line at `seen` was the
    last: those that came or changed since are left out; of too many the first. Raises Refusal where nothing is left.
    """
    act = acts.begin(space)
    lines, away, changed = list[Mapping[str, Any]](), list[str](), 0
    for chunk in bulk.chunks(list(keys)[: batches.MOST], _AT_ONCE):
        # By its keys alone, or SQLite walks all that stands in the space.
        rows = Fact.objects.filter(pk__in=chunk, state__in=(LIVE, PRUNED)).order_by("pk")
        found = {row.name: row for row in rows if row.space_id == space.pk}
        fresh, news = _came_since(space, found, seen), since.changes(space, found, seen).keys()
        changed += len(news - fresh)
        for row in (row for name, row in found.items() if name not in news | fresh):
            away.append(row.name)
            line = acts.event("forgotten", fact=row.name, by=by, reason=reason)
            lines += statements.holding(act, line, [row], by=by, place=len(lines) + 1)
            lines += tombstones.setting(space, row, by=by)
    gone = max(min(shown, batches.MOST) - len(away) - changed, 0)
    batch = batches.written(space, lines, Batch(act, len(away), gone, changed), now)
    ask_that(FORGOTTEN, space, away, now)
    return batch


def _came_since(space: Space, names: Collection[str], seen: int) -> set[str]:
    """Those of these facts that nobody was shown."""
    lines = Line.objects.filter(space=space, tag="fact", name__in=names, position__gt=seen)
    return set(lines.values_list("name", flat=True))


#: So many facts are read at once, and as many as there are.
_AT_ONCE, _ALL = 2000, 10**9


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
    ask_that(LIVE, space, [fact], now)
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


def ask_that(state: int, space: Space, facts: Collection[str], now: int) -> None:
    """Of what forgets and what restores the latest decides; an act that comes too late must not look like one."""
    for chunk in bulk.chunks(facts):
        others = Fact.objects.filter(space=space, name__in=chunk).exclude(state=state)
        late = others.order_by("name").values_list("name", flat=True).first()
        if late is not None:
            raise Refusal(f'what was decided about the fact "{late}" is dated later than {to_text(now)}, and stands')
