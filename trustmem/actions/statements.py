"""Rulings: a person decides whether a harmful statement counts."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from django.db import transaction

from trustmem.actions import acts, tombstones
from trustmem.actions.errors import Refusal
from trustmem.core.columns import STATEMENTS
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import FORGOTTEN, SIGNED
from trustmem.store.models import Fact, Line, Space, Statement

Ruling = Literal["upheld", "dismissed"]

#: Tags of the statements that can be ruled on (section 1, *Harmful statements*).
_HARMFUL = ("edge.updates", "edge.contradicts", "event.contradicted", "event.forgotten", "feedback.corrected")
_CODES = {"upheld": 1, "dismissed": -1}


@transaction.atomic
def rule(space: Space, statement: str, ruling: Ruling, *, by: str, now: int, reason: str = "") -> str:
    """Put a harmful statement in force, or out of it. The id of the act.

    Raises Refusal for what is no harmful statement or does not count, and for a ruling that stands already.
    """
    act = acts.begin(space)
    row = _harmful(space, statement)
    if row.ruling == _CODES[ruling]:
        raise Refusal(f'the statement "{statement}" is {ruling} already')
    said = acts.event(ruling, of=statement, by=by, reason=reason)
    acts.write(space, [said, *keeping(space, row, ruling, by)], act=act, now=now)
    if _harmful(space, statement).ruling != _CODES[ruling]:
        raise Refusal(f'the ruling on the statement "{statement}" is dated later than {to_text(now)}, and stands')
    return act


def keeping(space: Space, row: Statement, ruling: Ruling, by: str) -> list[Mapping[str, Any]]:
    """Who forgets a fact, if only by a ruling, keeps out what it claims; who brings it back lifts that."""
    if STATEMENTS[row.kind] != "forgotten":
        return []
    if ruling == "upheld":
        return tombstones.setting(space, row.fact, by=by)
    return tombstones.lifting_of(space, row.fact, by=by) if row.fact.state == FORGOTTEN else []


def holding(
    act: str, line: Mapping[str, Any], harms: Iterable[Fact], *, by: str, place: int = 1
) -> list[Mapping[str, Any]]:
    """A person's statement as the line at a place of an act; against a signed fact it comes with the ruling by which it
    holds.
    """
    against_signed = any(fact.tier == SIGNED for fact in harms)
    return [line, acts.event("upheld", of=acts.line_id(act, place), by=by)] if against_signed else [line]


def of_line(space: Space, name: str) -> Statement | None:
    """What a line says about a fact; None where it was undone, or waits for what it names."""
    position = Line.objects.filter(space=space, name=name).values("position")
    return Statement.objects.filter(space=space, position__in=position).first()


def harms(space: Space, name: str, fact: str) -> bool:
    """Whether a line says something about a fact that could harm it: a contradiction harms both of its ends."""
    row = of_line(space, name)
    if row is None:
        return False
    ends = [row.fact, row.other] if STATEMENTS[row.kind] == "contradicts" else [row.fact]
    return any(each is not None and each.name == fact for each in ends)


def _harmful(space: Space, name: str) -> Statement:
    line = Line.objects.filter(space=space, name=name).first()
    if line is None:
        raise Refusal(f'the space "{space.name}" has no statement "{name}"')
    if line.tag not in _HARMFUL or json.loads(line.body).get("removed"):
        raise Refusal(f'"{name}" harms no fact, and only a statement that does can be ruled on')
    row = of_line(space, name)
    if row is None:
        raise Refusal(f'the statement "{name}" does not count: it was undone, or waits for what it names')
    return row
