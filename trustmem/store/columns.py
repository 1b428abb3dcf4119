"""Columns and rows: what the core folds of a space, as the tables that are folds, and back. Here and nowhere else."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustmem.core.columns import Floats, Ints
from trustmem.core.consolidation import Weights, readable
from trustmem.core.constants import Constants
from trustmem.core.fold import Folded
from trustmem.core.statements import Edges
from trustmem.core.stored import Stored
from trustmem.core.touches import Reinforcements
from trustmem.store.models import Edge, Fact, Space
from trustmem.store.models.facts import NO_FEEDBACK

#: Columns of Fact that are columns of Stored, and of its Weights, by the same name.
_STORED = (
    "state",
    "tier",
    "accepted",
    "depth",
    "r",
    "s",
    "evidence",
    "contradictions",
    "use_count",
    "dismissible",
    "challenged",
    "contradicted",
    "bad_signature",
    "latest_at",
    "baseline_count",
    "first_seen",
    "prior",
    "reinforcement_count",
)
_WEIGHTS = ("scope", "pruned", "lapsed", "derived", "half_life", "anchor", "anchored_at", "stamp")
_FEEDBACK = (
    "retrieval_priority",
    "newest_reinforcement",
    "newest_decay_adjustment",
    "newest_retrieval_priority",
    "newest_policy_delta",
    "newest_identity_impact",
    "newest_tool_dependence_delta",
)
_BORN = ("source", "run", "producer", "core", "at", "at_known", "arrived")
_TIMES = ("times", "uses")
#: What a fold gives of a fact, in the order of `fact_rows`; copies of texts stand beside it.
FACT = ("name", *_BORN, *_STORED, *_WEIGHTS, *_FEEDBACK, *_TIMES)
_CODES = ("state", "tier", "scope")


def fact_rows(folded: Folded) -> Iterator[tuple[Any, ...]]:
    """The columns FACT of each fact, by name, as a database takes them."""
    history, facts, stored = folded.history, folded.history.facts, folded.stored
    columns: list[Sequence[Any]] = [facts.ids]
    columns.append([history.sources[code] for code in facts.source])
    columns.append([history.runs[code] for code in facts.run])
    columns += [getattr(facts, name).tolist() for name in _BORN[2:]]
    columns += [getattr(stored, name).tolist() for name in _STORED]
    columns += [getattr(stored.weights, name).tolist() for name in _WEIGHTS]
    columns += [_filled(column) for column in (stored.retrieval_priority, *stored.reinforcement.T)]
    columns += _packed(stored.reinforcements, len(facts))
    return zip(*columns, strict=True)


def _filled(column: Floats) -> list[float]:
    filled: list[float] = np.where(np.isnan(column), NO_FEEDBACK, column).tolist()
    return filled


def _packed(times: Reinforcements, n_facts: int) -> list[list[bytes]]:
    """The reinforcement times of each fact as one blob of int64, little-endian, and one of a byte a time."""
    ends = np.searchsorted(times.owner, np.arange(n_facts + 1)).tolist()
    at, use = times.at.astype("<i8").tobytes(), times.is_use.astype(np.uint8).tobytes()
    spans = list(itertools.pairwise(ends))
    return [[at[8 * start : 8 * end] for start, end in spans], [use[start:end] for start, end in spans]]


def stored(space: Space, constants: Constants, clock: int, in_force_then: Constants) -> Stored:
    """The facts of a space as the core scores them. `clock` is that of the last pass, `in_force_then` its constants."""
    names = ("name", *_STORED, *_WEIGHTS, *_FEEDBACK, *_TIMES)
    rows = list(Fact.objects.filter(space=space).order_by("name").values_list("pk", *names))
    pks, ids, *columns = (
        (list(column) for column in zip(*rows, strict=True)) if rows else [[] for _ in range(2 + len(names) - 1)]
    )
    column = dict(zip(names[1:], columns, strict=True))
    weights = Weights(**{name: _array(name, column[name]) for name in _WEIGHTS})
    feedback = [np.array(column[name], np.float64) for name in _FEEDBACK]
    priority, *newest = (np.where(each == NO_FEEDBACK, np.nan, each) for each in feedback)
    return Stored(
        ids=ids,
        **{name: _array(name, column[name]) for name in _STORED},
        reinforcements=_unpacked(column["times"], column["uses"]),
        weights=weights,
        weight=readable(weights.at(clock, in_force_then)),
        retrieval_priority=priority,
        reinforcement=np.column_stack(newest),
        edges=_edges(space, np.array(pks, np.int64)),
        constants=constants,
    )


def _array(name: str, values: Sequence[Any]) -> NDArray[Any]:
    field = Fact._meta.get_field(name).get_internal_type()
    kind: Any = {"BooleanField": np.bool_, "FloatField": np.float64}.get(field, np.int64)
    return np.array(values, np.int8 if name in _CODES else kind)


def _unpacked(times: Sequence[bytes], uses: Sequence[bytes]) -> Reinforcements:
    counts = [len(bytes(each)) for each in uses]
    at = np.frombuffer(b"".join(map(bytes, times)), "<i8").astype(np.int64)
    is_use = np.frombuffer(b"".join(map(bytes, uses)), np.uint8).astype(bool)
    return Reinforcements(np.repeat(np.arange(len(counts)), counts), at, is_use)


def _edges(space: Space, pks: Ints) -> Edges:
    rows = Edge.objects.filter(space=space, live=True).values_list("newer_id", "older_id", "relation")
    newer, older, relation = np.array(list(rows), np.int64).reshape(-1, 3).T
    order = np.argsort(pks)
    place = order[np.searchsorted(pks[order], np.stack([newer, older]))] if len(newer) else np.empty((2, 0), np.int64)
    return Edges(place[0], place[1], relation.astype(np.int8))
