"""Pairs: what the detector found of two facts, and how far the facts of a space are checked."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet

from trustmem.core.constants import Constants
from trustmem.core.contradictions import CONTRADICTION, DETECTOR, FINDINGS, UPDATE, Comparison, Said
from trustmem.core.instants import NEVER
from trustmem.core.vocabulary import ERASED
from trustmem.store import bulk, queries
from trustmem.store.models import Detection, Fact, Pair, Space

#: What may wait for a person, by code.
IN_CONFLICT = (FINDINGS.index(UPDATE), FINDINGS.index(CONTRADICTION))


class Found(NamedTuple):
    """What a version of the detector found of two facts, by their keys, the older first."""

    older: int
    newer: int
    comparison: Comparison
    detector: str


_COLUMNS = ("older_id", "newer_id", "finding", "rule", "overlap", "features", "detector")


def found(rows: "QuerySet[Pair]") -> Iterator[Found]:
    """What rows stand for."""
    for older, newer, finding, rule, overlap, told, detector in rows.values_list(*_COLUMNS):
        features = json.loads(told)
        comparison = Comparison(FINDINGS[finding], rule, overlap, features.pop(_NEWER, None), features)
        yield Found(older, newer, comparison, detector)


#: Among the features of a pair: which of both is newer, by the detector.
_NEWER = "newer"


def row(space: Space, pair: Found, at: int) -> Pair:
    """The row of what was found at an instant."""
    said = pair.comparison
    features = {**said.features} if said.newer is None else {**said.features, _NEWER: said.newer}
    return Pair(
        space=space,
        older_id=pair.older,
        newer_id=pair.newer,
        finding=FINDINGS.index(said.finding),
        rule=said.rule,
        overlap=said.overlap,
        detector=pair.detector,
        features=json.dumps(features, ensure_ascii=False),
        at=at,
    )


def in_conflict(space: Space, facts: Collection[int] | None = None) -> list[Found]:
    """What may wait for a person of some facts, by their keys (None: of all), in the order of these."""
    pairs = Pair.objects.filter(space=space, finding__in=IN_CONFLICT)
    if facts is None:
        return sorted(found(pairs), key=_ends)
    ends = (Q(**{f"{end}__in": chunk}) for chunk in bulk.chunks(sorted(facts)) for end in ("older", "newer"))
    return sorted({_ends(each): each for which in ends for each in found(pairs.filter(which))}.values(), key=_ends)


def _ends(pair: Found) -> tuple[int, int]:
    return pair.older, pair.newer


class Checked(NamedTuple):
    """That facts with keys up to one are checked, by a detector ('': none has begun), as of `at`."""

    detector: str = ""
    upto: int = 0
    at: int = NEVER


def by(space: Space) -> str:
    """The detector as it checks a space: in its version, and with the overlap that restatements ask for, where a space
    has one of its own."""
    asked = queries.constants(space).restatement_jaccard
    return DETECTOR if asked == Constants().restatement_jaccard else f"{DETECTOR} ({asked:g})"


def checked(space: Space) -> Checked:
    """How far a space is checked."""
    kept = Detection.objects.filter(space=space).values_list("detector", "checked_to", "at").first()
    return Checked(*kept) if kept else Checked()


def start(space: Space) -> int:
    """The key up to which the detector as it is now has checked a space."""
    kept = checked(space)
    return kept.upto if kept.detector == by(space) else 0


def unchecked(space: Space, after: int | None = None) -> "QuerySet[Fact]":
    """The facts that the detector has not looked at: those with keys `after` one. What is erased says nothing."""
    return Fact.objects.filter(space=space, pk__gt=start(space) if after is None else after).exclude(state=ERASED)


class Standing(NamedTuple):
    """How many facts are checked, of how many, by which version of the detector ('': none has begun) and when last;
    whether all are that say anything."""

    done: int
    of: int
    detector: str
    at: int
    is_through: bool


def standing(space: Space) -> Standing:
    """How far the detector is in a space."""
    kept, facts = checked(space), Fact.objects.filter(space=space).exclude(state=ERASED)
    done, of = facts.filter(pk__lte=kept.upto).count(), facts.count()
    return Standing(done, of, kept.detector, kept.at, kept.detector in ("", by(space)) and done == of)


def counts(space: Space) -> dict[str, dict[str, int]]:
    """How many pairs there are, by what was found and by which rule."""
    rows = Pair.objects.filter(space=space).values("finding", "rule").annotate(pairs=Count("pk"))
    told: dict[str, dict[str, int]] = {}
    for finding, rule, pairs in rows.order_by("finding", "rule").values_list("finding", "rule", "pairs"):
        told.setdefault(FINDINGS[finding], {})[rule] = pairs
    return told


class Born(NamedTuple):
    """What a fact says, and by what it is older or newer than another."""

    at: int
    name: str
    said: Said


def said(facts: Iterable[int]) -> Mapping[int, Born]:
    """What facts say for the detector, by their keys; what is erased says nothing, and is left out."""
    told: dict[int, Born] = {}
    columns = ("pk", "at", "name", "at_known", "text", "subject", "predicate", "object", "entities")
    for chunk in bulk.chunks(facts):
        rows: Iterable[Any] = Fact.objects.filter(pk__in=chunk).exclude(state=ERASED).values_list(*columns)
        for pk, at, name, at_known, text, subject, predicate, object, entities in rows:
            names = tuple(json.loads(entities))
            told[pk] = Born(at, name, Said(text, subject, predicate, object, names, at if at_known else None))
    return told
