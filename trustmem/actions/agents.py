"""What agents do: they remember, relate, report and flag, each in the name of their token's source.

Agents propose and report; they never certify. All that they write is of the tier auto, and in force only where that
holds against what it harms (section 1): else it is a challenge, which waits for a person.
"""

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from trustmem.actions import acts, edges, facts, records, serving, signatures, statements, tombstones, wishes
from trustmem.actions.errors import Refusal, Unfit
from trustmem.actions.speakers import Speaker
from trustmem.core.claims import claims_with_signs, is_blank
from trustmem.core.contradictions import CONTRADICTION, RESTATEMENT, UPDATE, Comparison, Said, compare, is_candidate
from trustmem.core.instants import MICROSECONDS_PER_SECOND, to_text
from trustmem.core.vocabulary import AUTO, FORGOTTEN, LIVE, PRUNED
from trustmem.formats.fields import FieldError
from trustmem.formats.interchange_types import Record, parse_record
from trustmem.store import blocking, bulk, chain, folds, pairs, queries
from trustmem.store.chain import Entry
from trustmem.store.models import Fact, Line, Space

#: So far ahead of now a signed claim may be dated: clocks differ.
AHEAD = 60 * MICROSECONDS_PER_SECOND
#: What an agent says of a fact that it remembers; all else is for the store to say, or for people.
SAYS = ("text", "subject", "predicate", "object", "entities", "producer", "valid_from", "valid_to", "tags", "meta")
#: The events that an agent may tell of.
EVENTS = ("restated", "corroborated", "contradicted", "recalled", "injected")


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


class Forgotten(NamedTuple):
    """What came of an agent's word that a fact be forgotten: the `act` that did it, or the `case` by which a person is
    asked."""

    act: str = ""
    case: str = ""


def remember(
    speaker: Speaker,
    said: Mapping[str, Any],
    *,
    now: int,
    id: str | None = None,
    at: str | None = None,
    signature: Mapping[str, str] | None = None,
) -> Remembered:
    """Keep what an agent says. What restates a fact is a touch of that, and nothing else; but what is signed is a fact
    of its own, since it is the signer's word, `at` the instant that it claims.

    It is compared before it is written, while nobody waits for that, and then with what came in between alone. Raises
    Unfit for what cannot be said, and Refusal for an `id` that something else has.
    """
    space = speaker.space
    space.refresh_from_db()
    seen = space.head_position
    line = _given(speaker, said, f"fact:{secrets.token_hex(8)}" if id is None else id)
    line |= _signed(at, signature, is_named=id is not None)
    record = _parsed(line, now)
    alike = _alike(space, record, blocking.partners_of(space, _said(record)))
    with transaction.atomic():
        chain.lock(space)
        alike = _ordered([*alike, *_alike(space, record, _came_since(space, seen))])
        if any(each.comparison.finding == RESTATEMENT for each in alike):
            # Or who repeats what they were just handed would seem to vouch for it.
            serving.put_on_record(space, now=now)
        act = acts.begin(space)
        is_there = Line.objects.filter(space=space, name=record["id"]).exists()
        if is_there and _standing(space).filter(name=record["id"]).exists():
            return _known(space, record)
        _ask_for_a_signature(space, record, now)
        kept_out = _kept_out(space, record, act, now)
        if kept_out is not None:
            return kept_out
        if is_there:
            _known(space, record)
            raise Refusal(f'the "{record["id"]}" that says this was forgotten: say it under another id')
        restated = next((each.fact for each in alike if each.comparison.finding == RESTATEMENT), None)
        if signature is None and restated is not None and _standing(space).filter(name=restated).exists():
            event = {"type": "event", "kind": "restated", "fact": restated, **speaker.says}
            acts.write(space, [event], act=act, now=now)
            return Remembered("restated", restated, act)
        acts.write(space, [line], act=act, now=now)
        return Remembered("new", record["id"], act, tuple(alike))


def _given(speaker: Speaker, said: Mapping[str, Any], id: str) -> dict[str, Any]:
    return {"type": "fact", "id": id, **{name: said[name] for name in SAYS if said.get(name)}, **speaker.says}


def _signed(at: str | None, signature: Mapping[str, str] | None, *, is_named: bool) -> dict[str, Any]:
    """What a line has of a signed claim. Raises Unfit where that is not whole, or where it is dated by nobody's word
    but the agent's."""
    if signature is None:
        if at is not None:
            raise Unfit('"at" is the clock\'s to say, but for a claim that is signed', "at")
        return {}
    if at is None or not is_named:
        missing = "at" if is_named else "id"
        raise Unfit(f'"{missing}" is missing: what is signed names its id and its instant', missing)
    return {"at": at, "signature": dict(signature)}


def _parsed(line: Mapping[str, Any], now: int) -> Record:
    try:
        record = parse_record({"at": to_text(now), **line})
    except FieldError as error:
        raise Unfit(str(error), error.field or "") from None
    if record["type"] == "fact" and is_blank(record["text"]):
        raise Unfit('"text" has no sign that anybody sees', "text")
    if record["at"] > now + AHEAD:
        raise Unfit(f'"at" is ahead of now, {to_text(now)}, by more than a minute', "at")
    return record


def _ask_for_a_signature(space: Space, record: Record, now: int) -> None:
    """Raises Unfit for a signature that would not count: never is it taken in as if there were none."""
    if record["signature"] is None:
        return
    why = signatures.why_not(signatures.ring(space), space.name, record, arrives=acts.stamp(space, now))
    if why:
        raise Unfit(f"the signature {why}", "signature")


def _known(space: Space, record: Record) -> Remembered:
    """The same fact again is known; another one under its id is refused."""
    _ask_for_the_same(space, record, ("type", "source", "text", "subject", "predicate", "object", "signature"))
    return Remembered("known", record["id"], "")


def _ask_for_the_same(space: Space, record: Record, fields: Sequence[str]) -> None:
    """Raises Refusal where what the space has under an id says something else."""
    there = next((each for each, _ in records.named(space, [record["id"]])), None)
    if there is None or any(there.get(name) != record[name] for name in fields):
        raise Refusal(f'the space "{space.name}" has a "{record["id"]}" already, which says something else')


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


def _said(record: Record) -> Said:
    words = (record["text"], record["subject"] or "", record["predicate"] or "", record["object"] or "")
    return Said(*words, tuple(record["entities"]), record["at"])


def _came_since(space: Space, position: int) -> list[int]:
    """The keys of the facts that came after a position."""
    came = Line.objects.filter(space=space, tag="fact", position__gt=position).values_list("name", flat=True)
    return list(folds.keys(space, came).values()) if space.head_position > position else []


def _alike(space: Space, record: Record, facts: Collection[int]) -> list[Alike]:
    """Which of some facts of a space, by their keys, say the same, or may be in conflict with what is said; what is
    forgotten is told to nobody."""
    constants, said = queries.constants(space), _said(record)
    mine = claims_with_signs(said.text, said.subject, said.predicate, said.object)
    told = set[int]()
    for chunk in bulk.chunks(facts):  # by their keys alone, or SQLite walks all that stands in the space
        told |= {*Fact.objects.filter(pk__in=chunk, state__in=(LIVE, PRUNED)).values_list("pk", flat=True)}
    found = list[Alike]()
    for born in pairs.said(told).values():
        other = born.said
        theirs = claims_with_signs(other.text, other.subject, other.predicate, other.object)
        is_same = not mine.isdisjoint(theirs)
        comparison = compare(other, said)
        if comparison.finding in (UPDATE, CONTRADICTION):
            if is_candidate(comparison, constants):
                found.append(Alike(born.name, comparison))
        elif is_same:
            found.append(Alike(born.name, Comparison(RESTATEMENT, "", 1.0, None, {})))
        elif comparison.finding == RESTATEMENT:
            found.append(Alike(born.name, comparison))
    return _ordered(found)


def _ordered(alike: Iterable[Alike]) -> list[Alike]:
    """Restatements first, then the more that is the same."""
    return sorted(alike, key=lambda each: (each.comparison.finding != RESTATEMENT, -each.comparison.overlap, each.fact))


def _standing(space: Space) -> "QuerySet[Fact]":
    return Fact.objects.filter(space=space, state__in=(LIVE, PRUNED))


@transaction.atomic
def relate(
    speaker: Speaker,
    newer: str,
    relation: str,
    older: str,
    *,
    now: int,
    note: str = "",
    id: str | None = None,
    at: str | None = None,
    signature: Mapping[str, str] | None = None,
) -> tuple[str, bool]:
    """Say that one fact updates, extends, derives from or contradicts another; the act, and whether it counts: what
    harms a fact that is vouched for better is a challenge, which waits for a person. A signed edge has an `id`, and is
    dated as it claims; said again, it is known, and there is no act.

    Raises Refusal for facts that are unknown or erased, an edge from a fact to itself, and one that would close a
    circle of `updates` edges; Unfit for a signature that does not count.
    """
    space = speaker.space
    line = {"type": "edge", "from": newer, "relation": relation, "to": older, "by": speaker.source}
    line |= ({"run": speaker.run} if speaker.run else {}) | ({"note": note} if note else {})
    line |= _signed(at, signature, is_named=id is not None)
    act = acts.begin(space)
    line["id"] = acts.line_id(act, 1) if signature is None or id is None else id
    record = _parsed(line, now)
    if Line.objects.filter(space=space, name=record["id"]).exists():
        _ask_for_the_same(space, record, ("type", "from", "relation", "to", "by", "signature"))
        return "", _counts(space, record["id"])
    ends = facts.found(space, newer), facts.found(space, older)
    edges.ask_for(space, relation, *ends)
    _ask_for_a_signature(space, record, now)
    acts.write(space, [line], act=act, now=now)
    return act, _counts(space, record["id"])


def flag(speaker: Speaker, fact: str, *, now: int, note: str = "") -> tuple[str, bool]:
    """Say that a fact is wrong; the act, and whether that counts, or waits for a person. Raises Refusal for what is
    unknown or erased."""
    return tell(speaker, "contradicted", fact, now=now, note=note)


@transaction.atomic
def tell(speaker: Speaker, kind: str, fact: str, *, now: int, note: str = "") -> tuple[str, bool]:
    """Tell of what happened to a fact, one of EVENTS (section 1); the act, and whether that counts, or waits for a
    person. Raises Refusal for what is unknown or erased."""
    space = speaker.space
    if kind == "restated":  # what was handed out before comes first, or an echo would not be one
        serving.put_on_record(space, now=now)
    act = acts.begin(space)
    facts.found(space, fact)
    line = {"type": "event", "kind": kind, "fact": fact, **speaker.says} | ({"note": note} if note else {})
    acts.write(space, [line], act=act, now=now)
    return act, _counts(space, acts.line_id(act, 1))


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
def forget(speaker: Speaker, fact: str, *, now: int, reason: str = "") -> Forgotten:
    """An agent takes back what it said itself, of the tier auto; of anything else a person is asked whether it is to be
    forgotten. Raises Refusal for what is unknown, erased or forgotten, and where a person has decided that before."""
    space = speaker.space
    act = acts.begin(space)
    row = facts.found(space, fact)
    if row.state == FORGOTTEN:
        raise Refusal(f'the fact "{fact}" is forgotten already')
    if row.source != speaker.source or row.tier != AUTO:
        return Forgotten(case=wishes.ask_to_forget(speaker, row, now=now, reason=reason))
    line = {"type": "event", "kind": "forgotten", "fact": fact, **speaker.says} | ({"note": reason} if reason else {})
    return Forgotten(act=acts.write(space, [line], act=act, now=now))


def _counts(space: Space, name: str) -> bool:
    """Whether the statement of a line is in force."""
    said = statements.of_line(space, name)
    return said is None or not said.challenge
