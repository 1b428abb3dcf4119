"""Columns and rows: what the core folds of a space, as the tables that are folds, and back. Here and nowhere else."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from trustmem.core.affirmations import News
from trustmem.core.columns import Floats, Ints
from trustmem.core.consolidation import Weights, readable
from trustmem.core.constants import Constants
from trustmem.core.fold import Folded
from trustmem.core.statements import Edges
from trustmem.core.stored import Stored
from trustmem.core.touches import Heard, Reinforcements, Touches, Witnesses
from trustmem.core.vocabulary import PRODUCERS
from trustmem.store import bulk
from trustmem.store.models import Edge, Fact, Touch
from trustmem.store.models.facts import NO_FEEDBACK

#: Columns of Fact that are columns of Stored, of its Weights and of its News, by the same name.
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
    "reinforcement_count",
    "weighed_at",
    "prior",
)
_WEIGHTS = ("scope", "pruned", "lapsed", "anchored_at", "stamp", "derived", "half_life", "anchor")
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
FACT = ("name", *_BORN, *_STORED, *_WEIGHTS, *News._fields, *_FEEDBACK, *_TIMES)
#: What a pass writes of a fact.
PASS = (*_WEIGHTS, *News._fields, "weighed_at", "state", "contradicted")
_USER = PRODUCERS.index("user")


def fact_rows(folded: Folded) -> Iterator[tuple[Any, ...]]:
    """The columns FACT of each fact, by name, as a database takes them."""
    history, facts, stored = folded.history, folded.history.facts, folded.stored
    columns: list[Sequence[Any]] = [facts.ids]
    columns.append([history.sources[code] for code in facts.source])
    columns.append([history.runs[code] for code in facts.run])
    columns += [getattr(facts, name).tolist() for name in _BORN[2:]]
    columns += [getattr(stored, name).tolist() for name in _STORED]
    columns += [getattr(stored.weights, name).tolist() for name in _WEIGHTS]
    columns += [column.tolist() for column in stored.news]
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


def of_pass(stored: Stored) -> list[NDArray[Any]]:
    """The columns PASS of facts."""
    columns = [getattr(stored.weights, name) for name in _WEIGHTS]
    return [*columns, *stored.news, stored.weighed_at, stored.state, stored.contradicted]


def pass_rows(pks: Ints, stored: Stored, rows: Ints) -> Iterator[tuple[Any, ...]]:
    """The keys of some facts and their columns PASS, as a database takes them."""
    return zip(*(column[rows].tolist() for column in (pks, *of_pass(stored))), strict=True)


class Reading(NamedTuple):
    """How weights are read: at the clock of the last pass, under the constants `then` in force; and those of `now`."""

    clock: int
    then: Constants
    now: Constants


def stored(
    facts: Sequence[QuerySet[Fact]], reading: Reading, edges: Sequence[tuple[int, int, int]], for_pass: bool = False
) -> tuple[Ints, Stored]:
    """Keys of some facts, asked for apart, and they as the core scores them, with those `edges` that lie among them.

    `for_pass` without names and what else neither a pass nor trust asks for.
    """
    column = bulk.read(Fact, facts, ("id", *(FOR_PASS if for_pass else _SCORED)))
    return column["id"], of_columns(column, reading, edges)


def of_columns(column: dict[str, NDArray[Any]], reading: Reading, edges: Sequence[tuple[int, int, int]]) -> Stored:
    """The same of columns that were read, FOR_PASS at least and the key."""
    n = len(column["id"])
    unread = [field for field in Fact._meta.concrete_fields if field.name in set(_SCORED) - set(column)]
    column |= {field.name: np.full(n, field.get_default()) for field in unread}
    priority, *newest = (np.where(column[name] == NO_FEEDBACK, np.nan, column[name]) for name in _FEEDBACK)
    weights = Weights(**{name: column[name] for name in _WEIGHTS})
    return Stored(
        ids=column["name"].tolist(),
        core=column["core"],
        by_user=column["producer"] == _USER,
        **{name: column[name] for name in _STORED},
        reinforcements=_unpacked(column["times"].tolist(), column["uses"].tolist()),
        weights=weights,
        weight=readable(weights.at(reading.clock, reading.then)),
        news=News(*(column[name] for name in News._fields)),
        retrieval_priority=priority,
        reinforcement=np.column_stack(newest),
        edges=_edges(edges, column["id"]),
        constants=reading.now,
    )


#: What the core scores a fact by.
_SCORED = ("name", "core", "producer", *_STORED, *_WEIGHTS, *News._fields, *_FEEDBACK, *_TIMES)
_UNASKED = {"name", "dismissible", "reinforcement_count", *_FEEDBACK} - {"newest_decay_adjustment"}
#: What of that a pass and trust ask for.
FOR_PASS = tuple(name for name in _SCORED if name not in _UNASKED)


def _unpacked(times: Sequence[bytes], uses: Sequence[bytes]) -> Reinforcements:
    counts = [len(each) for each in uses]
    at = np.frombuffer(b"".join(times), "<i8").astype(np.int64)
    is_use = np.frombuffer(b"".join(uses), np.uint8).astype(bool)
    return Reinforcements(np.repeat(np.arange(len(counts)), counts), at, is_use)


def witnesses(
    touches: Iterable[QuerySet[Touch]], facts: Iterable[QuerySet[Fact]], pks: Ints, counted: Stored
) -> Witnesses:
    """Who stands behind some facts, of these keys, and who speaks against them, by their touches; each asked for apart.
    `counted` are the facts themselves."""
    touch = bulk.read(Touch, touches, ("fact", "source", "run", "kind", "at", "echo"))
    there = bulk.places(pks, touch["fact"]) >= 0
    touch = {name: column[there] for name, column in touch.items()}
    born = bulk.read(Fact, facts, ("id", "source", "run"))
    place = bulk.places(born["id"], pks)
    source, home = _coded(touch["source"], born["source"][place])
    run, birth = _coded(touch["run"], born["run"][place])
    fact = bulk.places(pks, touch["fact"])
    rows, all_of_them = np.arange(len(fact)), np.ones(len(fact), bool)
    own_birth = (source == home[fact]) & (run == birth[fact])
    told = Touches.numbered(rows, rows, fact, source, run, touch["kind"], own_birth)
    heard = Heard(all_of_them, touch["at"], touch["echo"], np.ones(len(fact), np.int64))
    return Witnesses.of(told, heard, counted.evidence, counted.contradictions)


def _coded(*columns: NDArray[Any]) -> list[Ints]:
    """Columns of names as columns of numbers, the same for the same name."""
    names = [column.tolist() for column in columns]
    code = {name: number for number, name in enumerate(dict.fromkeys(itertools.chain(*names)))}
    return [np.array([code[name] for name in column], np.int64) for column in names]


def carried(asked: Iterable[QuerySet[Edge]]) -> list[tuple[int, int, int]]:
    """Of edges, asked for apart, those that are carried: (newer, older, relation), each once."""
    rows = (each.filter(carried=True).values_list("newer_id", "older_id", "relation") for each in asked)
    return sorted({edge for found in rows for edge in found})


def _edges(edges: Sequence[tuple[int, int, int]], pks: Ints) -> Edges:
    newer, older, relation = np.array(edges, np.int64).reshape(-1, 3).T
    newer, older = bulk.places(pks, newer), bulk.places(pks, older)
    among = (newer >= 0) & (older >= 0)
    return Edges(newer[among], older[among], relation[among].astype(np.int8))
