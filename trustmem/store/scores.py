"""Stored scores: what each fact was worth at an instant, so that lists can filter and sort by it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

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


#: A stored trust that is off by no more is left as it is.
TOLERANCE = 0.005


def moved(stored: Iterable[QuerySet[Score]], pks: Ints, scored: Scores) -> Bools:
    """Of which facts, by their keys, the stored score is to be written anew: where trust is off by more than TOLERANCE,
    or the band, a flag or the state is another. What is stored of them is asked for apart."""
    column = bulk.read(Score, stored, ("fact_id", "trust", "band", "flags", "state"))
    place = bulk.places(column["fact_id"], pks)
    there = place >= 0
    place = place[there]
    flags = packed(scored.flags, scored.notices)
    now: dict[str, NDArray[Any]] = {"band": scored.band, "flags": flags, "state": scored.state}
    differs = np.zeros(len(pks), bool)
    differs[there] = np.logical_or.reduce(
        [
            np.abs(column["trust"][place] - scored.trust[there]) > TOLERANCE,
            *(column[name][place] != each[there] for name, each in now.items()),
        ]
    )
    return differs


def update(pks: Ints, scored: Scores, rows: Ints, now: int) -> None:
    """Write the stored scores of some facts, which have one. Within a transaction."""
    columns: list[NDArray[Any]] = [column[rows] for column in (pks, scored.state, scored.trust, scored.band)]
    columns.append(packed(scored.flags[rows], scored.notices[rows]))
    values = zip(*(column.tolist() for column in columns), strict=True)
    bulk.update(Score, "fact_id", ("state", "trust", "band", "flags", "scored_at"), ((*row, now) for row in values))


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
