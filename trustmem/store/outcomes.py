"""Outcomes as columns, as whoever looks asks for them."""

import json
from collections import defaultdict
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, Q, QuerySet

from trustmem.core.outcomes import Outcomes
from trustmem.core.touches import Reinforcements
from trustmem.core.vocabulary import BANDS
from trustmem.store import cases
from trustmem.store.cases import SAMPLE
from trustmem.store.models import Case, Outcome, Space

_FLOATS = ("trust", "confidence", "freshness", "supersession", "provenance")
_CODES = ("band", "tier", "producer")
_INTS = ("at", "r", "s", "depth", "baseline_count")
_BOOLS = ("right", "sampled")
_KINDS = {
    **dict.fromkeys(_FLOATS, np.float64),
    **dict.fromkeys(_CODES, np.int8),
    **dict.fromkeys(_INTS, np.int64),
    **dict.fromkeys(_BOOLS, np.bool_),
}


def columns(
    space: Space,
    source: str | None = None,
    producer: int | None = None,
    sampled: bool | None = None,
    since: int | None = None,
) -> Outcomes:
    """The outcomes of a space, or of them those of facts of a source or by a producer (its code), that were drawn at
    random or were not, or that were found at an instant or later."""
    asked = {"source": source, "producer": producer, "sampled": sampled, "at__gte": since}
    rows = Outcome.objects.filter(space=space, **{name: value for name, value in asked.items() if value is not None})
    return _columns(rows.order_by("at", "position", "fact"))


def _columns(rows: "QuerySet[Outcome]") -> Outcomes:
    names = (*_KINDS, "source", "first_seen", "times")
    found = list(rows.values_list(*names))
    column = dict(zip(names, zip(*found, strict=True) if found else [()] * len(names), strict=True))
    told: dict[str, Any] = {name: np.array(column[name], kind) for name, kind in _KINDS.items()}
    # NEVER, where nothing was counted before, has no age.
    first_seen = np.where(told["baseline_count"] > 0, -np.array(column["first_seen"], np.int64), 0)
    return Outcomes(**told, first_seen=first_seen, times=_times(column["times"]), source=list(column["source"]))


def _times(rows: tuple[list[tuple[int, bool]], ...]) -> Reinforcements:
    owner = np.repeat(np.arange(len(rows)), [len(times) for times in rows]).astype(np.int64)
    ages = np.array([age for times in rows for age, _ in times], np.int64)
    return Reinforcements(owner, -ages, np.array([is_use for times in rows for _, is_use in times], np.bool_))


class Stratum(NamedTuple):
    """How many facts a band had when facts were drawn of it at random (after several draws: on average over what was
    drawn), and what was found of `n` of these."""

    band: str
    of: float
    n: int
    right: int


def strata(space: Space) -> list[Stratum]:
    """What was found of the calibration sample, by the band of which each fact was drawn, in the order of bands; bands
    of which nothing was found yet among them."""
    right = dict(Outcome.objects.filter(space=space, sampled=True).values_list("case", "right"))
    rows = Case.objects.filter(space=space, key__startswith=cases.prefix(SAMPLE)).values_list("name", "factors")
    drawn, found = defaultdict[str, list[int]](list), defaultdict[str, list[bool]](list)
    for name, factors in rows.order_by("position").iterator():
        match json.loads(factors).get("sample"):
            case {"band": str(band), "of": int(of)} if band in BANDS:
                drawn[band].append(of)
                found[band] += [right[name]] if name in right else []
    there = [band for band in BANDS if band in drawn]
    return [Stratum(band, fmean(drawn[band]), len(found[band]), sum(found[band])) for band in there]


def by_source(space: Space) -> list[tuple[str, int, int]]:
    """How many facts of each source were found right, and how many wrong; by name."""
    rows = Outcome.objects.filter(space=space).values("source").order_by("source")
    counted = rows.annotate(found_right=Count("pk", Q(right=True)), found_wrong=Count("pk", Q(right=False)))
    return list(counted.values_list("source", "found_right", "found_wrong"))
