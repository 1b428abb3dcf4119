"""Outcomes as columns, as whoever looks asks for them."""

from typing import Any

import numpy as np
from django.db.models import Count, Q, QuerySet

from trustmem.core.outcomes import Outcomes
from trustmem.core.touches import Reinforcements
from trustmem.store.models import Outcome, Space

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


def by_source(space: Space) -> list[tuple[str, int, int]]:
    """How many facts of each source were found right, and how many wrong; by name."""
    rows = Outcome.objects.filter(space=space).values("source").order_by("source")
    counted = rows.annotate(found_right=Count("pk", Q(right=True)), found_wrong=Count("pk", Q(right=False)))
    return list(counted.values_list("source", "found_right", "found_wrong"))
