"""The weight of a fact: what it is now, from what it fades, how fast, and what its promotion waits for."""

from typing import Any

import numpy as np

from trustmem.core.consolidation import Clock
from trustmem.core.instants import days, to_text
from trustmem.explanations.memory import Memory
from trustmem.explanations.promotion import waits_until


def weight(asked: Memory, row: dict[str, Any]) -> dict[str, Any]:
    """The weight of the fact of a row of scores.

    `anchor` is the weight at `anchored_at`, the days that the running clock then showed; it shows `clock` now.
    """
    stored, at = asked.folded.stored, asked.row[row["id"]]
    half_life, clock = float(stored.weights.half_life[at]), asked.folded.clock
    anchored_at = int(stored.weights.anchored_at[at])
    last = max((each.at for each in asked.passes), default=None)
    return {
        "derived": row["derived_weight"],
        "weight": row["weight"],
        "as_of": None if last is None else to_text(last),
        "anchor": float(stored.weights.anchor[at]),
        "anchored_at": {"clock": float(days(anchored_at)), "instant": _instant_of(anchored_at, clock)},
        "clock": float(days(clock.at(asked.now))),
        "half_life_days": half_life if np.isfinite(half_life) else None,
        "scope": row["scope"],
        "served": row["weight"] >= stored.constants.min_weight,
        "promotion_waits_until": waits_until(asked, row),
    }


def _instant_of(shown: int, clock: Clock) -> str | None:
    """When the clock showed this; None where it did so for a while, as before the first pass and in a long gap."""
    last = int(np.searchsorted(clock.clocks, shown, side="right")) - 1
    if last < 0 or shown == 0:
        return None
    instant = int(clock.instants[last]) + shown - int(clock.clocks[last])
    stood_still = int(clock.at(instant - 1)) == shown
    return None if stood_still else to_text(instant)
