"""Drafts: what a person says with verdicts becomes the lines of an act, by what stands about the facts of its cases."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Q

from trustmem.actions import acts, edges, merging, statements, tombstones
from trustmem.core.columns import CODE
from trustmem.core.vocabulary import FORGOTTEN
from trustmem.store import bulk
from trustmem.store.cases import CYCLE, kind_of
from trustmem.store.models import Case, Fact, Line, Space, Statement

CONTRADICTS, UPDATES = CODE["contradicts"], CODE["updates"]
#: Cases whose facts are read at once have so many of them.
_AT_ONCE = 2000


class Words(NamedTuple):
    """What a person says with a verdict: why; the right claim, in place of both; and how both hold."""

    reason: str = ""
    text: str = ""
    distinction: str = ""


NO_WORDS = Words()


class Draft:
    """The lines of an act on their way, by which cases are decided."""

    def __init__(self, space: Space, act: str, by: str, now: int, words: Words = NO_WORDS) -> None:
        self.space, self.act, self.by, self.now, self.words = space, act, by, now, words
        self.lines: list[Mapping[str, Any]] = []
        self.known = _Known({}, {}, {})
        #: The cases that it decides, and the facts that it forgets.
        self.decided, self.forgotten = list[str](), set[str]()

    def read(self, found: Iterable[Case]) -> None:
        """Read at once what it takes to decide some cases."""
        self.known = _known(self.space, found)

    def facts_of(self, case: Case) -> list[Fact]:
        """Those that a verdict on a case is about, and that are there."""
        return [self.known.facts[each] for each in _named(case) if each in self.known.facts]

    def event(self, kind: str, note: str | None = None, **names: str) -> None:
        note = self.words.reason if note is None else note
        self.lines.append(acts.event(kind, by=self.by, reason=note, **names))

    def hold(self, line: Mapping[str, Any], harms: Iterable[Fact]) -> None:
        """Say something that holds, be it against a signed fact."""
        place = len(self.lines) + 1
        self.lines += statements.holding(self.act, line, harms, by=self.by, place=place)

    def forget(self, fact: Fact) -> None:
        """Once, however many cases of a batch ask for it."""
        if fact.state != FORGOTTEN and fact.name not in self.forgotten:
            self.forgotten.add(fact.name)
            self.hold(acts.event("forgotten", fact=fact.name, by=self.by, reason=self.words.reason), [fact])
            self.lines += tombstones.setting(self.space, fact, by=self.by)

    def merge(self, kept: Fact, others: Sequence[Fact]) -> None:
        """Raises Refusal, and then there is no line more."""
        merging.ask_for(self.space, kept, others, self.forgotten)
        place, reason = len(self.lines) + 1, self.words.reason
        self.lines += merging.lines(self.space, self.act, kept, others, by=self.by, reason=reason, place=place)
        self.forgotten |= {fact.name for fact in others}

    def edge(self, newer: str, relation: str, older: Fact, **values: Any) -> None:
        line = {"type": "edge", "from": newer, "relation": relation, "to": older.name, "by": self.by, "tier": "human"}
        note = {"note": self.words.reason} if self.words.reason else {}
        self.hold(line | note | values, [] if values else [older])

    def dismiss(self, said: Iterable[Statement], note: str | None = None) -> None:
        for each in said:
            self.event("dismissed", note, of=self.known.names[each.position])

    def between(self, kind: int, *ends: Fact) -> list[Statement]:
        """What of a kind is said about facts alone, and in force."""
        keys = {fact.pk for fact in ends}
        said = (each for pk in sorted(keys) for each in self.known.said.get(pk, ()))
        found = [each for each in said if each.other_id in keys and each.kind == kind and each.in_force]
        return sorted((each for each in found if not each.withdrawn), key=lambda each: each.position)

    @cached_property
    def updates(self) -> edges.Updates:
        return edges.Updates(self.space)


class _Known(NamedTuple):
    """What is read of some cases: their facts by name, what is said about each of these and one other of them, or waits
    for a ruling, by its key; and the names of these lines by position."""

    facts: Mapping[str, Fact]
    said: Mapping[int, list[Statement]]
    names: Mapping[int, str]


def _named(case: Case) -> list[str]:
    """The facts that a verdict on a case is about."""
    return list(case.facts) if kind_of(case.key) == CYCLE else list(case.facts[:2])


def _known(space: Space, found: Iterable[Case]) -> _Known:
    names = dict.fromkeys(name for case in found for name in _named(case))
    there = {each.pk: each for chunk in bulk.chunks(names) for each in Fact.objects.filter(space=space, name__in=chunk)}
    said = defaultdict[int, list[Statement]](list)
    for each in _said(space, list(there)):
        each.fact = there[each.fact_id]
        said[each.fact_id].append(each)
    positions = [each.position for some in said.values() for each in some]
    lines = Line.objects.filter(space=space)
    called = {
        position: name
        for chunk in bulk.chunks(positions)
        for position, name in lines.filter(position__in=chunk).values_list("position", "name")
    }
    return _Known({fact.name: fact for fact in there.values()}, said, called)


def _said(space: Space, pks: list[int]) -> Iterator[Statement]:
    edges = Q(kind__in=(CONTRADICTS, UPDATES), withdrawn=False) | Q(challenge=True)
    for chunk in bulk.chunks(pks):
        about = Statement.objects.filter(space=space, fact__in=chunk)
        yield from about.filter(challenge=True, other=None)
        for others in bulk.chunks(pks):
            yield from about.filter(edges, other__in=others)


def portions(found: Iterable[Case]) -> Iterator[list[Case]]:
    """Cases, so many at a time as have facts that can be read at once."""
    portion, size = list[Case](), 0
    for case in found:
        portion.append(case)
        size += len(_named(case))
        if size >= _AT_ONCE:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion
