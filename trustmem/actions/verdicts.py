"""Verdicts: a person decides cases, in one act that can be undone."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Q

from trustmem.actions import acts, cases, edges, facts, folding, statements, tombstones
from trustmem.actions.cases import Closing
from trustmem.actions.errors import Refusal
from trustmem.core.columns import CODE
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import FORGOTTEN, SIGNED
from trustmem.store import bulk, folds
from trustmem.store.cases import (
    BAD_SIGNATURE,
    BULK_CHANGE,
    CANDIDATE,
    CHALLENGE,
    CONTRADICTION,
    CYCLE,
    ORPHAN,
    RESTORED_VALUE,
    STALE_FAVOURITE,
    kind_of,
)
from trustmem.store.history import lines_at
from trustmem.store.models import Case, Fact, Line, Ruling, Space, Statement

_OF_A_PAIR = (
    "keep left",
    "keep right",
    "right updates left",
    "left updates right",
    "both hold",
    "neither",
    "write the right one",
    "not a contradiction",
)
_OF_A_FACT = ("it holds", "forget it", "write the right one")
#: What can be decided about a case of each kind ('': what a file brought).
OFFERED: Mapping[str, tuple[str, ...]] = {
    CONTRADICTION: _OF_A_PAIR,
    CANDIDATE: _OF_A_PAIR,
    CHALLENGE: ("uphold", "dismiss"),
    ORPHAN: _OF_A_FACT,
    CYCLE: ("by age", "let it stand"),
    BAD_SIGNATURE: ("it holds", "forget it", "let it stand"),
    STALE_FAVOURITE: _OF_A_FACT,
    RESTORED_VALUE: ("let it in", "let it stand"),
    BULK_CHANGE: ("let it stand",),
    "": ("let it stand",),
}
#: What needs words of its own, and so is said of one case alone.
OF_ONE = ("write the right one", "both hold")
#: What puts something away.
DESTRUCTIVE = ("keep left", "keep right", "neither", "forget it")

_CONTRADICTS, _UPDATES = CODE["contradicts"], CODE["updates"]
_USE = [CODE[kind] for kind in ("recalled", "injected", "helpful", "unhelpful", "ignored")]


class Decided(Refusal):
    """Somebody has closed the case."""

    def __init__(self, closing: Closing) -> None:
        self.closing = closing
        by = closing.by or "somebody"
        super().__init__(f'{by} decided this case at {to_text(closing.at)}: "{closing.verdict}"')


class Changed(Refusal):
    """What is told of the facts changed since the case was shown, by the lines at these positions."""

    def __init__(self, positions: Sequence[int]) -> None:
        self.positions = positions
        super().__init__("something changed since this case was shown: see what, and decide again")


class Words(NamedTuple):
    """What a person says with a verdict: why; the right claim, in place of both; and how both hold."""

    reason: str = ""
    text: str = ""
    distinction: str = ""


_NO_WORDS = Words()


@dataclass
class _Draft:
    """The lines of an act on their way."""

    space: Space
    act: str
    by: str
    words: Words
    lines: list[Mapping[str, Any]] = field(default_factory=list)

    def event(self, kind: str, note: str | None = None, **names: str) -> None:
        note = self.words.reason if note is None else note
        self.lines.append(acts.event(kind, by=self.by, reason=note, **names))

    def hold(self, line: Mapping[str, Any], harms: Iterable[Fact]) -> None:
        """Say something that holds, be it against a signed fact."""
        place = len(self.lines) + 1
        self.lines += statements.holding(self.act, line, harms, by=self.by, place=place)

    def forget(self, fact: Fact) -> None:
        """Once, however many cases of a batch ask for it."""
        said = acts.event("forgotten", fact=fact.name, by=self.by, reason=self.words.reason)
        if fact.state != FORGOTTEN and said not in self.lines:
            self.hold(said, [fact])
            self.lines += tombstones.setting(self.space, fact, by=self.by)

    def edge(self, newer: str, relation: str, older: Fact, **values: Any) -> None:
        line = {"type": "edge", "from": newer, "relation": relation, "to": older.name, "by": self.by, "tier": "human"}
        note = {"note": self.words.reason} if self.words.reason else {}
        self.hold(line | note | values, [] if values else [older])

    def dismiss(self, said: Iterable[Statement], note: str | None = None) -> None:
        for name in _names(self.space, said):
            self.event("dismissed", note, of=name)


@transaction.atomic
def decide(
    space: Space,
    names: Sequence[str],
    verdict: str,
    *,
    by: str,
    now: int,
    words: Words = _NO_WORDS,
    seen: int | None = None,
) -> str:
    """Decide cases, by their names, all alike and in one act; its id.

    `seen` is the position up to which whoever decides has seen what there is; None: whatever there is. Raises Refusal
    for what is no verdict on such a case or lacks words; Decided where somebody closed one; Changed where what is told
    of its facts changed since; and then nothing is written.
    """
    act = acts.begin(space)
    found = [_open(space, name, verdict) for name in names]
    _ask_for_words(verdict, words, len(found))
    for case in found:
        if seen is not None and (since := changes(space, case, seen)):
            raise Changed(since)
    draft = _Draft(space, act, by, words)
    for case in found:
        _VERDICTS[verdict](draft, case, *_facts(space, case))
        reason = {"reason": words.reason} if words.reason else {}
        draft.lines.append(acts.event("closed", of=case.name, by=by, verdict=verdict) | reason)
    acts.write(space, draft.lines, act=act, now=now)
    return act


def _open(space: Space, name: str, verdict: str) -> Case:
    case = cases.found(space, name)
    closing = cases.closing(space, case)
    if closing:
        raise Decided(closing)
    if not case.stands:
        raise Refusal(f'the case "{name}" has come to rest by itself: what it was about is so no more')
    kind = kind_of(case.key)
    if verdict not in OFFERED[kind]:
        raise Refusal(f'"{verdict}" is no verdict on this case; it is one of {", ".join(OFFERED[kind])}')
    return case


def _ask_for_words(verdict: str, words: Words, count: int) -> None:
    if verdict in OF_ONE and count > 1:
        raise Refusal(f'"{verdict}" is said of one case alone')
    if verdict == "both hold" and not words.distinction.strip():
        raise Refusal("say how both hold: at which time, in which scope, for whom")
    if verdict == "write the right one" and not words.text.strip():
        raise Refusal("write what holds instead")


def _facts(space: Space, case: Case) -> list[Fact]:
    """Its facts, in its order, that are there."""
    there = {fact.name: fact for fact in Fact.objects.filter(space=space, name__in=case.facts[:2])}
    if kind_of(case.key) == CYCLE:
        there = {name: fact for chunk in bulk.chunks(case.facts) for name, fact in _named(space, chunk)}
    return [there[name] for name in case.facts if name in there]


def _named(space: Space, names: Collection[str]) -> Iterable[tuple[str, Fact]]:
    return ((fact.name, fact) for fact in Fact.objects.filter(space=space, name__in=names))


def _between(space: Space, kind: int, *ends: Fact, **which: Any) -> list[Statement]:
    """What of a kind is said about facts alone, and not withdrawn."""
    said = Statement.objects.filter(space=space, kind=kind, withdrawn=False, fact__in=ends, other__in=ends, **which)
    return list(said.order_by("position"))


def _names(space: Space, said: Iterable[Statement]) -> list[str]:
    positions = [each.position for each in said]
    lines = Line.objects.filter(space=space, position__in=positions).order_by("position")
    return list(lines.values_list("name", flat=True))


def _keep(draft: _Draft, kept: Fact, lost: Fact) -> None:
    """Forget the other, and take out what its edge says against this one, behind which a person stands from now on."""
    draft.forget(lost)
    draft.dismiss(_between(draft.space, _CONTRADICTS, kept, lost, in_force=True))
    draft.event("accepted", fact=kept.name)


def _update(draft: _Draft, newer: Fact, older: Fact) -> None:
    """The newer wins; that they contradict each other is taken back, or, where a key signed it, dismissed."""
    edges.refuse_a_circle(draft.space, newer, older)
    draft.edge(newer.name, "updates", older)
    rivals = _between(draft.space, _CONTRADICTS, newer, older, in_force=True)
    if rivals:
        draft.edge(newer.name, "contradicts", older, removed=True)
        draft.dismiss(each for each in rivals if each.tier == SIGNED)


def _both(draft: _Draft, case: Case, left: Fact, right: Fact) -> None:
    """Different in time, scope or holder; which is noted on both."""
    note = " ".join(filter(None, [draft.words.distinction, draft.words.reason]))
    draft.dismiss(_between(draft.space, _CONTRADICTS, left, right, in_force=True), note)


def _neither(draft: _Draft, case: Case, *both: Fact) -> None:
    for fact in both:
        draft.forget(fact)


def _write(draft: _Draft, case: Case, *instead_of: Fact) -> None:
    """A new fact, that a person stands behind, in place of those that are there."""
    held = [fact for fact in instead_of if fact.state != FORGOTTEN]
    said = facts.about(held[0], draft.words.text)
    tombstones.ask_for(draft.space, said)
    new = facts.free_name(draft.space, held[0].name)
    draft.lines.append({"id": new, "source": draft.by, "tier": "human", "producer": "user", **said})
    draft.event("accepted", fact=new)
    for fact in held:
        draft.edge(new, "updates", fact)


def _rule(ruling: statements.Ruling) -> Callable[..., None]:
    """Of all that waits for a ruling between the facts of a case."""

    def rule(draft: _Draft, case: Case, *ends: Fact) -> None:
        others = Q(other__in=ends) if len(ends) > 1 else Q(other=None)
        waiting = Statement.objects.filter(others, space=draft.space, fact__in=ends, challenge=True)
        for said in waiting.select_related("fact").order_by("position"):
            for name in _names(draft.space, [said]):
                draft.event(ruling, of=name)
            draft.lines += statements.keeping(draft.space, said, ruling, draft.by)

    return rule


def _by_age(draft: _Draft, case: Case, *members: Fact) -> None:
    """No older claim updates a newer one."""
    for said in _between(draft.space, _UPDATES, *members, in_force=True):
        if said.other and (said.other.at, said.other.name) < (said.fact.at, said.fact.name):
            draft.dismiss([said])


def _let_in(draft: _Draft, case: Case, forgotten: Fact, *_: Fact) -> None:
    """Lift what keeps out the claim of a fact."""
    draft.lines += tombstones.lifting_of(draft.space, forgotten, by=draft.by)


def _nothing(draft: _Draft, case: Case, *_: Fact) -> None:
    """Nothing but that the case is closed."""


_VERDICTS: Mapping[str, Callable[..., None]] = {
    "keep left": lambda draft, case, left, right: _keep(draft, left, right),
    "keep right": lambda draft, case, left, right: _keep(draft, right, left),
    "right updates left": lambda draft, case, left, right: _update(draft, right, left),
    "left updates right": lambda draft, case, left, right: _update(draft, left, right),
    "both hold": _both,
    "neither": _neither,
    "write the right one": _write,
    "not a contradiction": lambda draft, case, left, right: draft.dismiss(
        _between(draft.space, _CONTRADICTS, left, right, in_force=True)
    ),
    "uphold": _rule("upheld"),
    "dismiss": _rule("dismissed"),
    "it holds": lambda draft, case, fact, *_: draft.event("accepted", fact=fact.name),
    "forget it": lambda draft, case, fact, *_: draft.forget(fact),
    "by age": _by_age,
    "let it in": _let_in,
    "let it stand": _nothing,
}


def changes(space: Space, case: Case, seen: int) -> list[int]:
    """The positions of what was said, ruled or undone about the facts of a case since the line at one position, but for
    that they were used."""
    facts = list(Fact.objects.filter(space=space, name__in=case.facts).values_list("pk", flat=True))
    said = Statement.objects.filter(space=space, position__gt=seen).exclude(kind__in=_USE)
    found = set(said.filter(Q(fact__in=facts) | Q(other__in=facts)).values_list("position", flat=True))
    rulings = Ruling.objects.filter(space=space, position__gt=seen, fact__in=facts)
    return sorted(found | set(rulings.values_list("position", flat=True)) | _undone(space, {*case.facts}, seen))


def _undone(space: Space, facts: set[str], seen: int) -> set[int]:
    """The positions of undos since, of acts that say something about facts."""
    undos = Line.objects.filter(space=space, tag="event.undone", position__gt=seen)
    found = set[int]()
    for position, body in undos.values_list("position", "body"):
        wrote = folding.written_by(space, [json.loads(body)["of"]])
        if any(facts & folds.named(line) for line in lines_at(space, wrote).lines):
            found.add(position)
    return found
