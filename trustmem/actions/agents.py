"""What agents do: they remember, relate, report and flag, each in the name of their token's source.

Agents propose and report; they never certify. All that they write is of the tier auto, and in force only where that
holds against what it harms (section 1): else it is a challenge, which waits for a person.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction

from trustmem.actions import acts, edges, facts, serving, statements, tombstones
from trustmem.actions.errors import Refusal
from trustmem.actions.speakers import Speaker
from trustmem.core.claims import claims
from trustmem.core.contradictions import CONTRADICTION, RESTATEMENT, UPDATE, Comparison, Said, compare, is_candidate
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import AUTO, FORGOTTEN, LIVE, PRUNED
from trustmem.formats.fields import FieldError
from trustmem.formats.interchange_types import Record, parse_record
from trustmem.store import blocking, chain, pairs, queries
from trustmem.store.chain import Entry
from trustmem.store.models import Fact, Line, Space

#: What an agent says of a fact that it remembers; all else is for the store to say, or for people.
SAYS = ("text", "subject", "predicate", "object", "entities", "producer", "valid_from", "valid_to", "tags", "meta")


class Alike(NamedTuple):
    """A fact that is there, what the detector finds of it and what was said, and what decided."""

    fact: str
    comparison: Comparison


class Remembered(NamedTuple):
    """What became of what an agent said: it is `new`, a fact is `restated`, `known` already, or it is `refused`, with
    the tombstone that keeps it out. `alike` are facts that it may be in conflict with, which a person will be asked
    about."""

    status: str
    fact: str
    act: str
    alike: tuple[Alike, ...] = ()
    tombstone: str = ""
    reason: str = ""


def remember(speaker: Speaker, said: Mapping[str, Any], *, now: int, id: str | None = None) -> Remembered:
    """Keep what an agent says. What restates a fact is a touch of that, and nothing else.

    It is compared before it is written, while nobody waits for that; whatever comes in between is found by the
    detector later. Raises Refusal for what cannot be said, and for an `id` that something else has.
    """
    space = speaker.space
    record = _fact(speaker, said, now, id)
    alike = _alike(space, record)
    with transaction.atomic():
        if any(each.comparison.finding == RESTATEMENT for each in alike):
            serving.put_on_record(
                space, now=now
            )  # who repeats what they were just handed must not seem to vouch for it
        act = acts.begin(space)
        there = Line.objects.filter(space=space, name=record["id"]).exists()
        if there:
            return _known(space, record)
        kept_out = _kept_out(space, record, act, now)
        if kept_out is not None:
            return kept_out
        restated = next((each.fact for each in alike if each.comparison.finding == RESTATEMENT), None)
        if restated is not None and _is_there(space, restated):
            serving.put_on_record(
                space, now=now
            )  # or who repeats what they were just handed would seem to vouch for it
            line = {"type": "event", "kind": "restated", "fact": restated, **speaker.says}
            acts.write(space, [line], act=act, now=now)
            return Remembered("restated", restated, act)
        acts.write(space, [_given(speaker, said, record["id"])], act=act, now=now)
        return Remembered("new", record["id"], act, tuple(alike))


def _given(speaker: Speaker, said: Mapping[str, Any], id: str) -> dict[str, Any]:
    return {"type": "fact", "id": id, **{name: said[name] for name in SAYS if said.get(name)}, **speaker.says}


def _fact(speaker: Speaker, said: Mapping[str, Any], now: int, id: str | None) -> Record:
    name = id if id is not None else f"fact:{secrets.token_hex(8)}"
    try:
        return parse_record(_given(speaker, said, name) | {"at": to_text(now)})
    except FieldError as error:
        raise Refusal(str(error)) from None


def _known(space: Space, record: Record) -> Remembered:
    """The same fact again is known; another one under its id is refused."""
    row = Fact.objects.filter(space=space, name=record["id"], source=record["source"], text=record["text"]).first()
    if row is None:
        raise Refusal(f'the space "{space.name}" has a "{record["id"]}" already, which says something else')
    return Remembered("known", row.name, "")


def _kept_out(space: Space, record: Record, act: str, now: int) -> Remembered | None:
    """That somebody forgot what is said, with a receipt of it; None: nobody did."""
    out = tombstones.kept_out(space, [record], imported="", written=()).get(0)
    if out is None:
        return None
    body = {"number": 1, "tombstone": out.tombstone, "source": out.source}
    text = {"field": "", "reason": out.reason, "raw": ""}
    receipt = Entry(name=f"{act}:receipt", tag="refused", at=now, arrived=acts.stamp(space, now), body=body, text=text)
    chain.append(space, [receipt])
    return Remembered("refused", "", act, (), out.tombstone, out.reason)


def _is_there(space: Space, name: str) -> bool:
    return Fact.objects.filter(space=space, name=name, state__in=(LIVE, PRUNED)).exists()


def _alike(space: Space, record: Record) -> list[Alike]:
    """What is there that says the same, or may be in conflict with what is said; restatements first."""
    constants = queries.constants(space)
    words = (record["text"], record["subject"] or "", record["predicate"] or "", record["object"] or "")
    said = Said(*words, tuple(record["entities"]), record["at"])
    others = pairs.said(blocking.partners_of(space, said))
    mine = claims(*words)
    found = list[Alike]()
    for born in others.values():
        other = born.said
        if not {*mine}.isdisjoint(claims(other.text, other.subject, other.predicate, other.object)):
            found.append(Alike(born.name, Comparison(RESTATEMENT, "", 1.0, None, {})))
            continue
        comparison = compare(other, said)
        if comparison.finding == RESTATEMENT or (
            comparison.finding in (UPDATE, CONTRADICTION) and is_candidate(comparison, constants)
        ):
            found.append(Alike(born.name, comparison))
    return sorted(found, key=lambda each: (each.comparison.finding != RESTATEMENT, -each.comparison.overlap, each.fact))


@transaction.atomic
def relate(speaker: Speaker, newer: str, relation: str, older: str, *, now: int, note: str = "") -> tuple[str, bool]:
    """Say that one fact updates, extends, derives from or contradicts another; the act, and whether it counts: what
    harms a fact that is vouched for better is a challenge, which waits for a person.

    Raises Refusal for facts that are unknown or erased, an edge from a fact to itself, and one that would close a
    circle of `updates` edges.
    """
    space = speaker.space
    act = acts.begin(space)
    ends = facts.found(space, newer), facts.found(space, older)
    edges.ask_for(space, relation, *ends)
    line = {"type": "edge", "from": newer, "relation": relation, "to": older, "by": speaker.source}
    line |= ({"run": speaker.run} if speaker.run else {}) | ({"note": note} if note else {})
    acts.write(space, [line], act=act, now=now)
    return act, _counts(space, act)


@transaction.atomic
def flag(speaker: Speaker, fact: str, *, now: int, note: str = "") -> tuple[str, bool]:
    """Say that a fact is wrong; the act, and whether that counts, or waits for a person. Raises Refusal for what is
    unknown or erased."""
    space = speaker.space
    act = acts.begin(space)
    facts.found(space, fact)
    line = {"type": "event", "kind": "contradicted", "fact": fact, **speaker.says} | ({"note": note} if note else {})
    acts.write(space, [line], act=act, now=now)
    return act, _counts(space, act)


@transaction.atomic
def report(
    speaker: Speaker,
    names: Sequence[str],
    outcome: str,
    *,
    now: int,
    signals: Mapping[str, float] | None = None,
    confirmed: bool = False,
    note: str = "",
) -> str:
    """What came of using facts, all of them alike; the act (section 8). Useful is not true: only what is `confirmed`
    speaks for a fact. Raises Refusal for facts that are unknown or erased, and for what is no outcome or signal."""
    space = speaker.space
    act = acts.begin(space)
    if not names:
        raise Refusal("feedback is about at least one fact")
    said: dict[str, Any] = {"outcome": outcome, **speaker.says} | ({"note": note} if note else {})
    said |= ({"signals": dict(signals)} if signals else {}) | ({"confirmed": True} if confirmed else {})
    lines = [{"type": "feedback", "fact": facts.found(space, name).name, **said} for name in dict.fromkeys(names)]
    return acts.write(space, lines, act=act, now=now)


@transaction.atomic
def forget(speaker: Speaker, fact: str, *, now: int, reason: str = "") -> str:
    """An agent takes back what it said itself, of the tier auto. Raises Refusal for anything else: it may flag that."""
    space = speaker.space
    act = acts.begin(space)
    row = facts.found(space, fact)
    if row.source != speaker.source or row.tier != AUTO:
        raise Refusal(f'the fact "{fact}" is not yours alone to forget: flag it, and a person decides')
    if row.state == FORGOTTEN:
        raise Refusal(f'the fact "{fact}" is forgotten already')
    line = {"type": "event", "kind": "forgotten", "fact": fact, **speaker.says} | ({"note": reason} if reason else {})
    return acts.write(space, [line], act=act, now=now)


def _counts(space: Space, act: str) -> bool:
    """Whether the statement of an act is in force."""
    said = statements.of_line(space, acts.line_id(act, 1))
    return said is None or not said.challenge
