"""Stored scores: what each fact was worth at an instant, so that lists can filter and sort by it."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from trustmem.core.columns import Bools, Ints
from trustmem.core.scores import Scores, score
from trustmem.core.stored import Stored
from trustmem.store import bulk
from trustmem.store.models import Score, Space

_COLUMNS = ("space_id", "state", "source", "trust", "band", "flags", "scored_at")


def write(
    space: Space,
    stored: Stored,
    pks: Sequence[int],
    sources: Sequence[str],
    now: int,
    *,
    only: Ints | None = None,
) -> None:
    """Score the facts of a space at `now` and store that: for all of them, or for `only` these rows of `stored`.

    `pks` and `sources` are their keys and sources, in the order of `stored`. Within a transaction.
    """
    scored = score(stored, now)
    if only is None:
        kept = Score.objects.filter(space=space)
        kept._raw_delete(kept.db)
        bulk.insert(Score, ("fact_id", *_COLUMNS), _rows(space, scored, pks, sources, now, range(len(stored))))
    else:
        bulk.upsert(Score, "fact_id", _COLUMNS, _rows(space, scored, pks, sources, now, only.tolist()))


def packed(*flags: Bools) -> Ints:
    """Matrices of flags and notices as one number a row: a bit for each column, the lowest for the first.

    >>> packed(np.array([[True, False]]), np.array([[True]])).tolist()
    [5]
    """
    bits = np.column_stack(flags)
    return bits @ (1 << np.arange(bits.shape[1], dtype=np.int64))


def _rows(
    space: Space, scored: Scores, pks: Sequence[int], sources: Sequence[str], now: int, only: Sequence[int]
) -> Iterator[tuple[Any, ...]]:
    states, trust, band = scored.state.tolist(), scored.trust.tolist(), scored.band.tolist()
    flags = packed(scored.flags, scored.notices).tolist()
    for row in only:
        yield pks[row], space.pk, states[row], sources[row], trust[row], band[row], flags[row], now
