"""Scores as the interchange specification writes them: one object a fact, full precision."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustmem.core.constants import Constants, fingerprint
from trustmem.core.scores import Scores
from trustmem.core.vocabulary import BANDS, FLAGS, NOTICES, SCOPES, STATES, TIERS

_REINFORCEMENT = (
    "reinforcement",
    "decay_adjustment",
    "retrieval_priority",
    "policy_delta",
    "identity_impact",
    "tool_dependence_delta",
)


def rows(scores: Scores) -> Iterator[dict[str, Any]]:
    """One JSON object a fact, in the order of the columns and with the names of the specification; null where
    a column has NaN. `notices` comes after what is specified.
    """
    columns = {
        "id": scores.ids,
        "state": _words(scores.state, STATES),
        "tier": _words(scores.tier, TIERS),
        "scope": _words(scores.scope, SCOPES),
        "depth": scores.depth.tolist(),
        "r": scores.r.tolist(),
        "s": scores.s.tolist(),
        "evidence": scores.evidence.tolist(),
        "contradictions": scores.contradictions.tolist(),
        "use_count": scores.use_count.tolist(),
        "activation": _or_null(scores.activation),
        "opinion": _objects(
            ("b", "d", "u", "a"),
            np.column_stack((scores.belief, scores.disbelief, scores.uncertainty, scores.base_rate)),
        ),
        "confidence": scores.confidence.tolist(),
        "freshness": scores.freshness.tolist(),
        "freshness_without_use": scores.freshness_without_use.tolist(),
        "supersession": scores.supersession.tolist(),
        "provenance": scores.provenance.tolist(),
        "trust": scores.trust.tolist(),
        "band": _words(scores.band, BANDS),
        "flags": _word_lists(scores.flags, FLAGS),
        "derived_weight": scores.derived_weight.tolist(),
        "weight": scores.weight.tolist(),
        "retrieval_priority": _or_null(scores.retrieval_priority),
        "reinforcement_count": scores.reinforcement_count.tolist(),
        "reinforcement": _objects(_REINFORCEMENT, scores.reinforcement),
        "notices": _word_lists(scores.notices, NOTICES),
    }
    for row in zip(*columns.values(), strict=True):
        yield dict(zip(columns, row, strict=True))


def under(rows: Iterable[dict[str, Any]], version: int | None, constants: Constants) -> Iterator[dict[str, Any]]:
    """The rows, and in each the constants under which it was scored: their version (null: the defaults, by no version)
    and their fingerprint.

    >>> list(under([{"id": "f"}], 2, Constants()))[0]["constants_version"]
    2
    """
    named = {"constants_version": version, "constants_fingerprint": fingerprint(constants)}
    yield from (row | named for row in rows)


def _words(codes: NDArray[np.int8], words: tuple[str, ...]) -> list[str]:
    return [words[code] for code in codes.tolist()]


def _word_lists(marks: NDArray[np.bool_], words: tuple[str, ...]) -> list[list[str]]:
    return [[words[place] for place in np.flatnonzero(row)] for row in marks]


def _or_null(column: NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else value for value in column.tolist()]


def _objects(names: tuple[str, ...], matrix: NDArray[np.float64]) -> list[dict[str, float] | None]:
    return [None if np.isnan(row).any() else dict(zip(names, row.tolist(), strict=True)) for row in matrix]
