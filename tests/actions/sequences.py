"""Sequences of acts: what three people, an agent and a file do, one after the other, to a small space in which there is
something of everything that a person has to decide. The same for a seed wherever it is done."""

import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import isclose
from typing import Any

from tests.actions.world import as_file, registered, signed
from tests.makers import daily, day, edge, event, fact
from trustmem.actions import (
    acts,
    consolidation,
    constants,
    edges,
    erasing,
    exports,
    facts,
    imports,
    spaces,
    statements,
    tombstones,
    undo,
    verdicts,
)
from trustmem.actions.errors import Refusal
from trustmem.actions.verify import verify
from trustmem.core.instants import NEVER, span, to_text
from trustmem.core.vocabulary import RELATIONS, TIERS
from trustmem.store.cases import kind_of
from trustmem.store.models import Case, Fact, Line, Pass, Queued, Space, Tombstone
from trustmem.store.state_hash import _rows

Chance = random.Random
PEOPLE = ("ana", "ben", "cem")
AGENTS = ("bot-1", "bot-2", "crawler")
#: When the first act is done, and how long it is to the next.
BEGIN, APART = day(10), span(0.5)
_ACT = re.compile("act:[0-9]{9}-[0-9a-f]{12}")
#: When all is undone.
END = day(30)
#: Spaces of one key name their cases and tombstones alike.
_KEY = "5e" * 32


def world(name: str, *, signing: bool = True) -> Space:
    """Twelve facts, and two that are signed if it has signatures: contradictions, challenges, a chain, a cycle,
    something forgotten, a signature that does not hold, and two cases that somebody has decided."""
    space = spaces.create(name)
    Space.objects.filter(pk=space.pk).update(digest_key=_KEY)
    imports.import_lines(space, as_file(list(_told()), daily(6, 8)), file="a file", by="ana", now=day(9))
    if signing:
        signed(space, fact("g0", 2, source="notary", prior=0.6))
        signed(space, fact("g1", 2, source="notary"), holds=False)
        acts.write(space, [{"type": "event", "kind": "contradicted", "fact": "g0", "source": "bot-1"}], now=day(9))
    for name, verdict in (("f0", "not a contradiction"), ("f2", "keep left")):
        found = Case.objects.get(space=space, about__fact=name, closed_at=NEVER)
        verdicts.decide(space, [found.name], verdict, by="ana", now=day(9.5))
    return space


def _told() -> Iterator[Any]:
    for number in range(12):
        values = {"tier": "human"} if number in (4, 5) else {"prior": 0.3 + 0.05 * number}
        yield fact(f"f{number}", number / 4, source=f"bot-{number % 3}", **values)
    for number, ends in enumerate((("f1", "f0"), ("f3", "f2"), ("f6", "f1"), ("f5", "f4"))):
        yield edge(ends[0], "contradicts", ends[1], 4, by="bot-1", id=f"not{number}")
    yield event("contradicted", "f4", 5, source="bot-2", id="doubt0")
    yield edge("f6", "updates", "f5", 5, by="bot-2", id="doubt1")
    for newer, older in (("f8", "f7"), ("f9", "f8")):
        yield edge(newer, "updates", older, 4, by="bot-0", id=f"{newer}-{older}")
    for newer, older in (("f10", "f9"), ("f11", "f10"), ("f9", "f11")):
        yield edge(newer, "updates", older, 5, by="bot-0", id=f"round-{newer}")
    yield event("restated", "f1", 5, source="crm", id="again")


# What somebody does. Each gives the id of its act, or raises Refusal.


Doing = Callable[[Space, Chance, Any], str]


def _name(space: Space, chance: Chance) -> str:
    return _ends(space, chance)[0]


def _ends(space: Space, chance: Chance) -> tuple[str, str]:
    """Two facts; rather such as somebody told of late."""
    names = list(Fact.objects.filter(space=space).order_by("at", "name").values_list("name", flat=True))
    first = len(names) // 2 if chance.random() < 0.4 else 0
    one, other = chance.sample(names[first:], 2)
    return one, other


def _assert(space: Space, chance: Chance, who: Any) -> str:
    newer, older = _ends(space, chance)
    return edges.assert_edge(space, newer, chance.choice(RELATIONS), older, **who)


def _withdraw(space: Space, chance: Chance, who: Any) -> str:
    tags = [f"edge.{relation}" for relation in RELATIONS]
    lines = Line.objects.filter(space=space, tag__in=tags).order_by("position")
    body = chance.choice([record for record in _bodies(lines) if not record.get("removed")])
    return edges.withdraw_edge(space, body["from"], body["relation"], body["to"], **who)


def _bodies(lines: Any) -> Iterator[dict[str, Any]]:
    for tag, body in lines.values_list("tag", "body"):
        yield json.loads(body) | {"relation": tag.partition(".")[2]}


def _rule(space: Space, chance: Chance, who: Any) -> str:
    harmful = Line.objects.filter(space=space, tag__in=statements._HARMFUL).order_by("position")
    name = chance.choice(list(harmful.values_list("name", flat=True)))
    return statements.rule(space, name, chance.choice(["upheld", "dismissed"]), **who)


def _agent_says(space: Space, chance: Chance, who: Any) -> str:
    """What opens cases, and opens them again."""
    newer, older = _ends(space, chance)
    said = {"run": f"r{chance.randint(1, 3)}"}
    by, relation = chance.choice(AGENTS), chance.choice(["contradicts", "contradicts", "updates", "derives"])
    line: dict[str, Any] = {"type": "edge", "relation": relation, "from": newer, "to": older, "by": by}
    if chance.random() < 0.4:
        kind = chance.choice(["contradicted", "restated", "corroborated", "forgotten", "recalled"])
        line = {"type": "event", "kind": kind, "fact": newer, "source": by}
    return acts.write(space, [line | said], now=who["now"])


def _agent_denies(space: Space, chance: Chance, who: Any) -> str:
    """What a person said of late."""
    said_last = Fact.objects.filter(space=space, tier=TIERS.index("human")).order_by("-at", "name").first()
    line = {"type": "event", "kind": "contradicted", "fact": said_last.name, "source": chance.choice(AGENTS)}
    return acts.write(space, [line], now=who["now"])


def _decide(space: Space, chance: Chance, who: Any) -> str:
    case = chance.choice(_open(space))
    verdict = chance.choice(verdicts.OFFERED[kind_of(case.key)])
    words = verdicts.Words("So.", f"The right one at {who['now']}.", "at other times")
    return verdicts.decide(space, [case.name], verdict, words=words, **who)


def _decide_all(space: Space, chance: Chance, who: Any) -> str:
    """A batch."""
    kind = kind_of(chance.choice(_open(space)).key)
    some = [each.name for each in _open(space) if kind_of(each.key) == kind]
    verdict = chance.choice([each for each in verdicts.OFFERED[kind] if each not in verdicts.OF_ONE])
    return verdicts.decide(space, some, verdict, **who)


def _open(space: Space) -> list[Case]:
    return [each.case for each in Queued.objects.filter(space=space).select_related("case").order_by("position")]


def _lift(space: Space, chance: Chance, who: Any) -> str:
    names = Tombstone.objects.filter(space=space).order_by("name").values_list("name", flat=True)
    return tombstones.lift(space, chance.choice(list(names)), **who)


def _adopt(space: Space, chance: Chance, who: Any) -> str:
    values = [
        {"session_half_life_days": chance.choice([2.0, 9.0])},
        {"prune_threshold": chance.choice([0.05, 0.3])},
        {"max_pass_gap_days": chance.choice([1.0, 4.0])},
        {"promote_threshold": 0.7, "promote_evidence": 1},
        {"runs_per_source": chance.choice([1, 2])},
    ]
    return constants.adopt(space, chance.choice(values), reason="", **who)


def _import(space: Space, chance: Chance, who: Any) -> str:
    """A file that brings a fact, something against another, and what was forgotten."""
    new, one = f"n{chance.randint(0, 3)}", _name(space, chance)
    file = [
        fact(new, 9, source="mail", prior=0.7),
        edge(new, chance.choice(["contradicts", "updates", "extends"]), one, 9.2, by="mail"),
        event("restated", one, 9.3, source="mail"),
    ]
    raw = as_file(file)
    gone = Fact.objects.filter(space=space, state=2).order_by("name").first()
    if gone:
        raw[0] = raw[0].replace(f"What {new} says.".encode(), gone.text.encode())
    return imports.import_lines(space, raw, file=f"file {who['now']}", **who).imported


DOINGS: tuple[Doing, ...] = (
    lambda space, chance, who: facts.accept(space, _name(space, chance), **who),
    lambda space, chance, who: facts.forget(space, _name(space, chance), reason="So.", **who),
    lambda space, chance, who: facts.restore(space, _name(space, chance), **who),
    lambda space, chance, who: facts.correct(space, _name(space, chance), f"Rather {who['now']}.", **who)[0],
    _assert,
    _withdraw,
    _rule,
    _agent_says,
    _agent_says,
    _agent_denies,
    _decide,
    _decide,
    _decide,
    _decide_all,
    _lift,
    _adopt,
    _import,
)


def live(space: Space, chance: Chance, *, count: int = 20, undoing: bool = True) -> Iterator[str]:
    """So many acts, one after the other, some of which undo others; their ids."""
    done = list[str]()
    while len(done) < count:
        who = {"by": chance.choice(PEOPLE), "now": BEGIN + len(done) * APART}
        with suppress(Refusal, IndexError):  # it cannot be done, or there is nothing to do it to
            done.append(_next(space, chance, who, done if undoing else []))
            yield done[-1]


def _next(space: Space, chance: Chance, who: Any, done: list[str]) -> str:
    if done and chance.random() < 0.2:
        return undo.undo(space, chance.choice(done), **who)
    last = Pass.objects.filter(space=space).order_by("instant").last()
    if done and last and chance.random() < 0.03:
        return undo.undo(space, to_text(last.instant), **who)
    return chance.choice(DOINGS)(space, chance, who)


# What is wrong once all is undone, in a world; `beside` is one that is alike.


def amiss_without_passes(space: Space, beside: Space, seed: int) -> list[str]:
    chance = Chance(seed)
    before = standing(space)
    for act in reversed(list(live(space, chance))):
        undo.undo(space, act, by=chance.choice(PEOPLE), now=END)
    return _differing(before, standing(space)) + verify(space, rebuild=True)


def amiss_in_any_order(space: Space, beside: Space, seed: int) -> list[str]:
    """Of acts of which none undoes another, whichever is undone first."""
    chance = Chance(seed)
    before = standing(space)
    done = list(live(space, chance, undoing=False))
    for act in chance.sample(done, len(done)):
        undo.undo(space, act, by=chance.choice(PEOPLE), now=END)
    return _differing(before, standing(space)) + verify(space, rebuild=True)


def amiss_amid_passes(lived: Space, never: Space, seed: int) -> list[str]:
    """Where the other goes through the same passes, and nobody does anything to it."""
    chance = Chance(seed)

    def may_pass(at: int) -> None:
        if chance.random() < 0.3:
            for space in (lived, never):
                consolidation.consolidate(space, at=at, by="clock", now=at)

    done = list[str]()
    for act in live(lived, chance):
        done.append(act)
        may_pass(BEGIN + len(done) * APART - APART // 2)
    for number, act in enumerate(reversed(done)):
        undo.undo(lived, act, by=chance.choice(PEOPLE), now=END + number * APART)
        may_pass(END + number * APART + APART // 2)
    return _differing(standing(never), standing(lived)) + verify(lived, rebuild=True)


def amiss_but_for_what_is_final(lived: Space, alone: Space, seed: int) -> list[str]:
    """Where nobody does anything to the other but erase a fact and name a key, which no undo takes back."""
    chance = Chance(seed)
    done, final = list[str](), list[str]()
    for act in live(lived, chance):
        done.append(act)
        if len(done) == 10:
            who = {"by": "ana", "now": BEGIN + len(done) * APART - APART // 2}
            _finally(alone, seed, who)
            final = _finally(lived, seed, who)
            done += final
    refused = list[str]()
    for act in reversed(done):
        try:
            undo.undo(lived, act, by=chance.choice(PEOPLE), now=END)
        except undo.Final:
            refused.append(act)
    amiss = [] if refused == final[::-1] else [f"of {final} were refused: {refused}"]
    return amiss + _differing(standing(alone), standing(lived)) + verify(lived, rebuild=True)


def _finally(space: Space, seed: int, who: Any) -> list[str]:
    erased = erasing.erase(space, f"f{seed % 12}", reason="They asked for it.", **who)
    return [erased, registered(space, "k0", source="ana", **who)]


def amiss_on_the_way(space: Space, beside: Space, seed: int) -> list[str]:
    """After each act, pass and undo, of what is folded bit by bit."""
    chance, done = Chance(seed), list[str]()
    for act in live(space, chance):
        done.append(act)
        amiss = verify(space, rebuild=True)
        if chance.random() < 0.4:
            at = BEGIN + len(done) * APART - APART // 2
            consolidation.consolidate(space, at=at, by="clock", now=at)
            amiss += verify(space, rebuild=True)
        if amiss:
            return [f"after act {len(done)}", *amiss]
    for act in chance.sample(done, len(done)):
        with suppress(Refusal):  # it is undone already
            undo.undo(space, act, by="ana", now=END)
        if amiss := verify(space, rebuild=True):
            return [f"after the undo of act {done.index(act) + 1}", *amiss]
    return []


def amiss_once_exported(seed: int) -> list[str]:
    """In a space that an export makes again, after acts and passes; with no signatures, which are made up here."""
    space, chance = world("first", signing=False), Chance(seed)
    for number, _ in enumerate(live(space, chance), start=1):
        if chance.random() < 0.2:
            at = BEGIN + number * APART - APART // 2
            consolidation.consolidate(space, at=at, by="clock", now=at)
    exported, before, waited = list(exports.export(space)), standing(space), _waiting(space)
    Space.objects.filter(pk=space.pk).update(name="renamed")
    again = spaces.create("again")
    imports.import_lines(again, exported, file="an export", by="ana", now=END)
    amiss = [] if _waiting(again) == waited else ["another queue"]
    return amiss + _differing(before, standing(again)) + verify(again, rebuild=True)


def _waiting(space: Space) -> list[tuple[str, str, str]]:
    found = Queued.objects.filter(space=space).order_by("case__name")
    return list(found.values_list("case__name", "kind", "source"))


def standing(space: Space) -> tuple[set[str], dict[str, float]]:
    """All that a space comes to: what is in its hash, but for the random names of acts; and weights by their names."""
    weights = {
        f"{row['name']}: {name}": value
        for row in Fact.objects.filter(space=space).values()
        for name, value in row.items()
        if isinstance(value, float)
    }
    return {_ACT.sub("act", row) for row in _rows(space)}, weights


def _differing(right: tuple[set[str], dict[str, float]], found: tuple[set[str], dict[str, float]]) -> list[str]:
    (rows, weights), (other_rows, other_weights) = right, found
    amiss = [f"is gone: {row}" for row in sorted(rows - other_rows)]
    amiss += [f"is new: {row}" for row in sorted(other_rows - rows)]
    both = weights.keys() & other_weights.keys()
    return amiss + [
        f"{name}: {other_weights[name]} instead of {weights[name]}"
        for name in sorted(both)
        if not isclose(weights[name], other_weights[name], rel_tol=0, abs_tol=1e-9)
    ]
