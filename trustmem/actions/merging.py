"""Merging: facts that say the same become one. What was said of the others is said of the one that is kept, by whom and
when it was; they are forgotten, and nothing keeps out what they claim, for that stands.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from trustmem.actions import acts, statements
from trustmem.actions.errors import Refusal
from trustmem.core.columns import CODE
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import CORROBORATED, INJECTED, LIVE, RECALLED, RESTATED, STATES, TOUCH_KINDS
from trustmem.store import bulk, duplicates
from trustmem.store.duplicates import CHALLENGED, DENIED, DISPUTED, SUPERSEDED, SUPERSEDES
from trustmem.store.models import Fact, Space, Statement, Touch

#: So many facts are merged into one at once.
MOST = 1000
#: What touches of a fact go with it. What was said against one would be lost, so that it is not merged.
_CARRIED = (RESTATED, CORROBORATED, RECALLED, INJECTED)
#: Why a fact cannot be merged into another.
_SAYS: Mapping[str, str] = {
    SUPERSEDED: 'a newer claim than the fact "{name}" holds already: that one can be merged',
    SUPERSEDES: 'the fact "{name}" took the place of another, which would hold again: keep it, or look at that first',
    DISPUTED: 'a contradiction stands against the fact "{name}": decide about that first, or keep it',
    CHALLENGED: 'an objection to the fact "{name}" waits for a ruling: decide about that first, or keep it',
    DENIED: 'somebody spoke against the fact "{name}", which would be lost: keep it, or dismiss that first',
}


def ask_for(space: Space, kept: Fact, others: Sequence[Fact], away: Collection[str] = ()) -> None:
    """Raises Refusal where facts cannot be merged into one; `away` are those that the same act forgets already."""
    if not others:
        raise Refusal("it takes two facts or more to merge them")
    if len(others) > MOST:
        raise Refusal(f"at most {MOST} facts are merged into one at once")
    if len({fact.name for fact in (kept, *others)}) <= len(others):
        raise Refusal("a fact cannot be merged into itself, nor twice")
    for fact in (kept, *others):
        if fact.name in away:
            raise Refusal(f'the fact "{fact.name}" is merged by the same act already')
        if fact.state != LIVE:
            raise Refusal(f'the fact "{fact.name}" is {STATES[fact.state]}: only what is live is merged')
    if kept.depth:
        raise Refusal(f'a newer claim than the fact "{kept.name}" holds already: keep another')
    for name, why in duplicates.obstacles(space, others).items():
        raise Refusal(_SAYS[why].format(name=name))


def lines(
    space: Space, act: str, kept: Fact, others: Sequence[Fact], *, by: str, reason: str = "", place: int = 1
) -> list[Mapping[str, Any]]:
    """The lines from a place of an act on by which others are merged into the fact that is kept."""
    found: list[Mapping[str, Any]] = [_said(kept, each) for each in _touches(space, others)]
    note = ": ".join(filter(None, [f"merged into {kept.name}", reason]))
    for fact in others:
        line = acts.event("forgotten", fact=fact.name, by=by, reason=note)
        found += statements.holding(act, line, [fact], by=by, place=place + len(found))
    return found


class _Touched(NamedTuple):
    """What befell a fact that is merged: that it was said (`was`: for the first time, as this fact), or used."""

    kind: int
    source: str
    run: str
    at: int
    was: str = ""


def _said(kept: Fact, each: _Touched) -> dict[str, Any]:
    """The same of the fact that is kept."""
    note = {"note": f"was {each.was}"} if each.was else {}
    said = {"type": "event", "kind": TOUCH_KINDS[each.kind], "fact": kept.name, "at": to_text(each.at)}
    return said | {"source": each.source, "run": each.run} | note


def _touches(space: Space, facts: Sequence[Fact]) -> Iterator[_Touched]:
    """The birth of each fact, and of each touch of any of them the earliest; but for what repeats what had been handed
    out."""
    yield from (_Touched(RESTATED, fact.source, fact.run, fact.at, fact.name) for fact in facts)
    first, accepted = dict[tuple[int, str, str], int](), set[tuple[str, str]]()
    for chunk in bulk.chunks(fact.pk for fact in facts):
        said = Statement.objects.filter(space=space, fact__in=chunk, kind=CODE["accepted"])
        accepted.update(said.values_list("source", "run"))
    for chunk in bulk.chunks(fact.pk for fact in facts):
        rows = Touch.objects.filter(space=space, fact__in=chunk, kind__in=_CARRIED, echo=False)
        for kind, source, run, at in rows.values_list("kind", "source", "run", "at"):
            if kind != CORROBORATED or (source, run) not in accepted:  # whoever accepts a claim accepts that one alone
                first[kind, source, run] = min(at, first.get((kind, source, run), at))
    yield from (_Touched(*touch, at) for touch, at in sorted(first.items()))
