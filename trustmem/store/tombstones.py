"""Tombstones, as folds of the lines that set and lift them: which keep a claim out, and whose fact was forgotten."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import Q

from trustmem.core.claims import Claim, claims, seen_through
from trustmem.core.instants import NEVER
from trustmem.core.lines import Event
from trustmem.core.undo import voided_acts
from trustmem.store import bulk
from trustmem.store.chain import canonical, text_digest
from trustmem.store.history import lines_at
from trustmem.store.models import Fact, Line, Space, Tombstone

#: Tags of the lines that this module tells of.
TAGS = ("tombstone", "event.lifted")
#: Tags of all lines by which it is decided which tombstones stand.
DECIDING = (*TAGS, "event.undone")
#: What of a fact makes its claims.
CLAIM = ("text", "subject", "predicate", "object")


def write(space: Space, void: Collection[str], positions: Collection[int] | None = None) -> None:
    """Bring the tombstones up to date that the lines at some positions (None: all) set or lift; `void` are the acts
    that do not count. Within a transaction.
    """
    lines, lifts = Line.objects.filter(space=space), list(_lifts(space))
    which = [Q()]
    if positions is not None:
        concerned = {lift.of for lift in lifts if lift.position in positions}
        for chunk in bulk.chunks(positions):
            concerned |= set(lines.filter(tag="tombstone", position__in=chunk).values_list("name", flat=True))
        which = [Q(name__in=chunk) for chunk in bulk.chunks(sorted(concerned))]
    lifted = dict[str, int]()
    for lift in lifts:
        if lift.acts.isdisjoint(void):
            lifted[lift.of] = min(lift.at, lifted.get(lift.of, lift.at))  # the first that lifts one lifts it
    for each in which:
        Tombstone.objects.filter(each, space=space).delete()
        stones = lines.filter(each, tag="tombstone").order_by("position")
        rows = stones.values_list("name", "act", "imported", "at", "body")
        standing = [(name, at, json.loads(body)) for name, *acts, at, body in rows if not {*acts} & {*void}]
        bulk.insert(
            Tombstone,
            ("space_id", "name", "digest", "by", "at", "lifted_at"),
            [
                (space.pk, name, says["digest"], says.get("by") or "", at, lifted.get(name, NEVER))
                for name, at, says in standing
            ],
        )


class _Lift(NamedTuple):
    """The line at `position` lifts a tombstone, and belongs to some acts."""

    position: int
    of: str
    at: int
    acts: set[str]


def _lifts(space: Space) -> Iterator[_Lift]:
    lines = Line.objects.filter(space=space, tag="event.lifted")
    for position, act, imported, at, body in lines.values_list("position", "act", "imported", "at", "body"):
        yield _Lift(position, json.loads(body)["of"], at, {act, imported})


class Standing(NamedTuple):
    """A tombstone that nobody has lifted: who set it, and when."""

    name: str
    by: str
    at: int


def digests(space: Space, said: Mapping[str, Any]) -> list[str]:
    """The digests, under the key of the space, of all that a fact claims that says this, however it is written."""
    text, *slot = (said.get(name) for name in CLAIM)
    return _digests(space, seen_through(str(text), *slot))


def digests_of(space: Space, fact: Fact) -> list[str]:
    """Those of what a fact claims that the space has: by them it is kept out."""
    return _digests(space, claims(fact.text, fact.subject, fact.predicate, fact.object))


def _digests(space: Space, said: Iterable[Claim]) -> list[str]:
    return [text_digest(space.digest_key, canonical(["claim", *each])) for each in said]


def standing(space: Space, without: Collection[str] = (), told: Iterable[Event] = ()) -> dict[str, Standing]:
    """The tombstones that stand by the lines of a space, folded or not, by digest: the first of each.

    As if the lines `without` were not there, and the events that a file has `told` were.
    """
    lines = Line.objects.filter(space=space)
    set_here = lines.filter(tag="tombstone").order_by("position")
    columns = [row for row in set_here.values_list("name", "act", "imported", "at", "body") if row[0] not in without]
    if not columns:
        return {}
    positions = lines.filter(tag__in=("event.lifted", "event.undone")).values_list("position", flat=True)
    events = {line.id: line for line in told}
    events |= {line.id: line for line in lines_at(space, positions).lines if isinstance(line, Event)}
    said = [event for event in events.values() if event.id not in without]
    void = voided_acts(event for event in said if event.kind == "undone")
    gone = {event.of for event in said if event.kind == "lifted" and void.isdisjoint({event.act, event.imported})}
    found = dict[str, Standing]()
    for name, act, imported, at, body in columns:
        if name not in gone and void.isdisjoint({act, imported}):
            says = json.loads(body)
            found.setdefault(says["digest"], Standing(name, says.get("by") or "", at))
    return found


def facts_of(space: Space, names: Collection[str]) -> dict[str, str]:
    """The facts that were forgotten when these tombstones were set, by the name of the tombstone; of those alone that
    the space still has.

    The act that set a tombstone forgot the fact. If it forgot several, it is the one that claims what is kept out.
    """
    found = dict[str, str]()
    for chunk in bulk.chunks(sorted(names)):
        told = _told(space, chunk)
        forgotten = _forgotten(space, {act for act, _ in told.values()})
        for name, (act, digest) in told.items():
            only = forgotten[act].get("") or forgotten[act].get(digest)
            found |= {name: only} if only else {}
    return found


def twins(space: Space, name: str) -> set[str]:
    """The digests of all that the fact claims that was forgotten when a tombstone was set: its own is one of them."""
    act, digest = _told(space, [name])[name]
    if not act:
        return {digest}
    forgotten = _forgotten(space, {act})[act]
    if "" in forgotten:  # where it forgot one fact, all that it set is about that
        beside = Line.objects.filter(space=space, tag="tombstone", act=act).values_list("body", flat=True)
        return {json.loads(body)["digest"] for body in beside}
    fact = forgotten.get(digest)
    return {digest, *(each for each, of in forgotten.items() if fact and of == fact)}


def _told(space: Space, names: Collection[str]) -> dict[str, tuple[str, str]]:
    """Act and digest of these tombstones."""
    lines = Line.objects.filter(space=space, name__in=names, tag="tombstone").values_list("name", "act", "body")
    return {name: (act, json.loads(body)["digest"]) for name, act, body in lines}


def _forgotten(space: Space, acts: Collection[str]) -> Mapping[str, Mapping[str, str]]:
    """The facts that some acts forgot, by the digests of what they claim; the only one that an act forgot, by ''."""
    lines = Line.objects.filter(space=space, tag="event.forgotten", act__in=set(acts) - {""})
    by_act = defaultdict[str, set[str]](set)
    for act, body in lines.values_list("act", "body"):
        by_act[act].add(json.loads(body)["fact"])
    facts = dict[str, Fact]()
    for chunk in bulk.chunks(sorted(set().union(*by_act.values()))):
        facts |= {fact.name: fact for fact in Fact.objects.filter(space=space, name__in=chunk).only("name", *CLAIM)}
    found = defaultdict[str, dict[str, str]](dict)
    for act, names in by_act.items():
        for fact in (facts[name] for name in sorted(names) if name in facts):
            found[act] |= dict.fromkeys(digests_of(space, fact) if len(names) > 1 else [""], fact.name)
    return found
