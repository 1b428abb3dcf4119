"""The detector: how often people found it right, by version and rule; and what it would have come to, had a rule asked
for more or less overlap. Nothing is written.

A candidate was right if there was something to decide between its two claims, whatever was decided; a duplicate if it
was merged.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from trustmem.core.columns import Floats
from trustmem.core.contradictions import RULES
from trustmem.core.instants import NEVER
from trustmem.core.reliability import Interval, wilson
from trustmem.core.vocabulary import LIVE
from trustmem.store import bulk, cases, duplicates, folds, pairs
from trustmem.store.cases import CANDIDATE, DUPLICATE, kind_of
from trustmem.store.duplicates import APART, MERGE
from trustmem.store.models import Case, Pair, Space

#: Of fewer decisions than these no share is told without a warning.
FEW = 20
#: By a verdict on a case of each kind, whether the detector was right; by others nothing is said of it.
FINDS: Mapping[str, Mapping[str, bool]] = {
    CANDIDATE: {
        "keep left": True,
        "keep right": True,
        "right updates left": True,
        "left updates right": True,
        "write the right one": True,
        "neither": True,
        "both hold": False,
        "not a contradiction": False,
        MERGE: False,
    },
    DUPLICATE: {MERGE: True, APART: False},
}
#: Pairs of so many overlaps a histogram has in each of its bins, from 0 to 1.
BINS = 20
#: Of more pairs the first that were found are looked at.
MOST_PAIRS = 200_000
_AT_ONCE = 2000


class Judged(NamedTuple):
    """What became of a case that the detector found: by which version and rule, and of which overlap (None: it does not
    say), and whether that was `right` (None: it waits). `facts` are those of a candidate."""

    kind: str
    detector: str
    rule: str
    overlap: float | None
    right: bool | None
    facts: tuple[str, ...]


def judged(space: Space) -> Iterator[Judged]:
    """All cases that the detector found and that somebody decided, or that wait."""
    for kind in (CANDIDATE, DUPLICATE):
        rows = Case.objects.filter(space=space, key__startswith=cases.prefix(kind)).order_by("pk")
        columns = ("key", "facts", "factors", "stands", "closed_at", "verdict")
        for key, facts, factors, stands, closed_at, verdict in rows.values_list(*columns).iterator(_AT_ONCE):
            right = FINDS[kind_of(key)].get(verdict)
            told = _told(factors)
            if told and ((closed_at == NEVER and stands) or (closed_at != NEVER and right is not None)):
                yield Judged(kind, *told, right if closed_at != NEVER else None, tuple(facts[:2]))


def _told(factors: str) -> tuple[str, str, float | None] | None:
    """What a case says of how it was found; None: nothing, be it that it was erased."""
    match json.loads(factors):
        case {"detector": str(detector), "rule": str(rule), "overlap": int() | float() as overlap} if detector:
            return detector, rule, float(overlap) if 0 <= overlap <= 1 else None
        case {"detector": str(detector), "rule": str(rule)} if detector:
            return detector, rule, None
    return None


class Precision(NamedTuple):
    """How often what a version of the detector found by a rule was right, of so many that were decided; and how many
    wait."""

    kind: str
    detector: str
    rule: str
    right: int
    wrong: int
    waiting: int

    @property
    def n(self) -> int:
        return self.right + self.wrong

    @property
    def share(self) -> float | None:
        return self.right / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        return wilson(self.right, self.n)


def precision(space: Space) -> list[Precision]:
    """By kind, version and rule; the newest version first."""
    counts = Counter((each.kind, each.detector, each.rule, each.right) for each in judged(space))
    rows = {key[:3] for key in counts}
    found = [Precision(*key, *(counts[*key, right] for right in (True, False, None))) for key in rows]
    return sorted(found, key=lambda each: (each.kind, _descending(each.detector), -each.n, each.rule))


def _descending(version: str) -> tuple[int, str]:
    return (-int(version), "") if version.isdecimal() and len(version) < 10 else (0, version)


@dataclass(frozen=True, slots=True)
class Rule:
    """The overlaps of the pairs that a rule has found, each rising: of those about which nobody has decided, and of
    those of which the detector was right, and wrong."""

    name: str
    undecided: Floats
    right: Floats
    wrong: Floats

    def at(self, least: float) -> "Outlook":
        """What there would be, were these to wait from an overlap on."""
        return Outlook(
            _from(self.undecided, least),
            _from(self.right, least),
            len(self.right),
            len(self.wrong) - _from(self.wrong, least),
            len(self.wrong),
        )

    def histogram(self) -> list[tuple[int, int, int]]:
        """How many of each there are, in bins from 0 to 1."""
        columns = (self.undecided, self.right, self.wrong)
        counts = [np.histogram(column, BINS, (0, 1))[0].tolist() for column in columns]
        return list(zip(*counts, strict=True))


class Outlook(NamedTuple):
    """How many pairs would wait for a person; how many of those that were right would have waited, of how many; and how
    many of those that were wrong would not have, of how many."""

    waiting: int
    right_kept: int
    right: int
    wrong_dropped: int
    wrong: int


def _from(overlaps: Floats, least: float) -> int:
    return len(overlaps) - int(np.searchsorted(overlaps, least, side="left"))


def rules(space: Space) -> tuple[list[Rule], bool]:
    """What each rule has found, in the order of RULES; and whether there are more pairs than are looked at."""
    told = [each for each in judged(space) if each.kind == CANDIDATE]
    decided = [each for each in told if each.right is not None]
    found, is_capped = _undecided(space, decided)
    return [_rule(name, found, decided) for name in RULES], is_capped


def _rule(name: str, undecided: Mapping[str, Any], decided: list[Judged]) -> Rule:
    of_rule = [each for each in decided if each.rule == name and each.overlap is not None]
    right, wrong = ([each.overlap for each in of_rule if each.right is is_right] for is_right in (True, False))
    columns = (undecided["overlap"][undecided["rule"] == name], right, wrong)
    return Rule(name, *(np.sort(np.asarray(column, np.float64)) for column in columns))


def _undecided(space: Space, decided: list[Judged]) -> tuple[dict[str, Any], bool]:
    """The pairs about which nobody has decided: both facts are live, and no edge between them says which holds."""
    live = Pair.objects.filter(space=space, finding__in=pairs.IN_CONFLICT, older__state=LIVE, newer__state=LIVE)
    every = live.order_by("pk")
    found = bulk.read(Pair, [every[: MOST_PAIRS + 1]], ("older", "newer", "rule", "overlap"))
    is_capped = len(found["rule"]) > MOST_PAIRS
    found = {name: column[:MOST_PAIRS] for name, column in found.items()}
    keys = folds.keys(space, {name for each in decided for name in each.facts})
    gone = {frozenset(keys.get(name, 0) for name in each.facts) for each in decided}
    gone |= duplicates.told_apart(space, np.unique(np.concatenate([found["older"], found["newer"]])))
    touched = np.isin(found["older"], [key for ends in gone for key in ends])
    kept = np.ones(len(touched), bool)
    for row in np.flatnonzero(touched).tolist():
        kept[row] = frozenset((int(found["older"][row]), int(found["newer"][row]))) not in gone
    return {name: column[kept] for name, column in found.items()}, is_capped
