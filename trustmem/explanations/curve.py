"""Freshness over time, and the instant at which trust falls into the next lower band if nothing more happens."""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from trustmem.core.bands import band
from trustmem.core.columns import Bools, Ints
from trustmem.core.freshness import activation, freshness
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.core.vocabulary import BANDS
from trustmem.explanations.memory import Memory

_HOUR = MICROSECONDS_PER_DAY // 24
#: So far ahead, in hours, a fall is looked for: 50 years.
_FURTHEST = 50 * 365 * 24


def freshness_curve(asked: Memory, id: str, instants: Sequence[int]) -> list[tuple[int, float, float]]:
    """Freshness of a fact at instants: (instant, with its uses, without), under the constants in force.

    Before now only those reinforcements count that had come by then, from now on all of them, as in the scores. Where
    none has come, freshness is one half.
    """
    stored, row, then = asked.folded.stored, asked.row[id], np.array(instants, np.int64)
    times, first_seen = stored.reinforcements, stored.first_seen[row]
    mine = np.flatnonzero(times.owner == row)
    owner, each = np.nonzero(_counts(times.at[mine], then, asked.now))
    active = activation(
        at=times.at[mine][each] - then[owner],
        owner=owner,
        is_use=times.is_use[mine][each],
        baseline_count=np.where(_counts(first_seen[None], then, asked.now)[:, 0], stored.baseline_count[row], 0),
        first_seen=first_seen - then,
        now=0,
        constants=stored.constants,
    )
    columns = [freshness(each, stored.constants).tolist() for each in active]
    return list(zip(then.tolist(), *columns, strict=True))


def falls_at(asked: Memory, id: str) -> tuple[int, str] | None:
    """When trust falls into a lower band if nothing more happens, to the hour, and into which; None: not in 50 years.

    All factors but freshness stay as they are.
    """
    row = asked.row[id]
    before = int(asked.scores.band[row])
    hours = 1 + bisect_left(range(1, _FURTHEST + 1), True, key=lambda hours: _band(asked, id, hours) < before)
    if hours > _FURTHEST:
        return None
    return asked.now + hours * _HOUR, BANDS[_band(asked, id, hours)]


def _counts(at: Ints, then: Ints, now: int) -> Bools:
    """By instants and times: which of the times count at which instant."""
    counts: Bools = (at <= then[:, None]) | (then >= now)[:, None]
    return counts


def _band(asked: Memory, id: str, hours: int) -> int:
    """The code of the band so many hours from now."""
    scores, row = asked.scores, asked.row[id]
    ((_, fresh, _),) = freshness_curve(asked, id, [asked.now + hours * _HOUR])
    lasting = scores.confidence[row] * scores.supersession[row] * scores.provenance[row]
    return int(band([lasting * fresh], asked.folded.stored.constants)[0])
