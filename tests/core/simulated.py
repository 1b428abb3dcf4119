"""A reviewer whose constants are known: they find a fact right as often as its trust under those says."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from trustmem.core.bands import band
from trustmem.core.constants import Constants
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.core.outcomes import Outcomes, rescored
from trustmem.core.touches import Reinforcements


def asked_about(n: int, seed: int = 0) -> Outcomes:
    """`n` facts of all ages, tiers and depths, said once or often, read or not, some with a history that is known as
    totals only; an hour apart, all found right."""
    rng = np.random.default_rng(seed)
    age = np.exp(rng.uniform(np.log(0.02), np.log(400), n))
    confirmed, used = rng.poisson(0.8, n), rng.poisson(1.5, n)
    again = rng.uniform(0, 1, confirmed.sum() + used.sum())
    owner = np.concatenate([np.arange(n), np.repeat(np.arange(n), confirmed), np.repeat(np.arange(n), used)])
    ages = age[owner] * np.concatenate([np.ones(n), again])
    is_use = np.arange(len(owner)) >= n + confirmed.sum()
    order = np.lexsort((-ages, owner))
    totals = np.where(rng.uniform(0, 1, n) < 0.1, rng.integers(1, 20, n), 0)
    times = Reinforcements(owner, (-ages * MICROSECONDS_PER_DAY).astype(np.int64), is_use)
    born_apart = np.isin(np.arange(len(owner)), np.arange(n)[totals > 0])  # counted in the totals
    order = order[~born_apart[order]]
    unjudged = Outcomes(
        at=np.arange(n) * 3_600_000_000,
        right=np.ones(n, bool),
        sampled=np.zeros(n, bool),
        trust=np.zeros(n),
        confidence=np.zeros(n),
        freshness=np.zeros(n),
        supersession=np.zeros(n),
        provenance=np.zeros(n),
        band=np.zeros(n, np.int8),
        r=rng.poisson(1.5, n),
        s=rng.poisson(0.7, n),
        tier=rng.choice(3, n, p=[0.5, 0.3, 0.2]).astype(np.int8),
        depth=rng.choice(3, n, p=[0.7, 0.2, 0.1]),
        baseline_count=totals,
        first_seen=(-age * MICROSECONDS_PER_DAY).astype(np.int64),
        times=Reinforcements(*(column[order] for column in times)),
        source=[f"agent-{each % 3}" for each in range(n)],
        producer=rng.choice(4, n).astype(np.int8),
    )
    return stated(unjudged, Constants())


def stated(outcomes: Outcomes, constants: Constants) -> Outcomes:
    """With the trust that these constants state."""
    found = rescored(outcomes, constants)
    return replace(outcomes, **found._asdict(), band=band(found.trust, constants))


def judged(outcomes: Outcomes, right: Any) -> Outcomes:
    return replace(outcomes, right=np.asarray(right, bool))


def reviewed(n: int, true: Constants, seed: int = 0) -> Outcomes:
    """What a reviewer finds whose constants are `true`."""
    outcomes = asked_about(n, seed)
    dice = np.random.default_rng([seed, 1]).uniform(0, 1, n)
    return judged(outcomes, dice < rescored(outcomes, true).trust)


def tossed(n: int, seed: int = 0, share: float = 0.5) -> Outcomes:
    """What a coin finds."""
    return judged(asked_about(n, seed), np.random.default_rng([seed, 2]).uniform(0, 1, n) < share)


def only(outcomes: Outcomes, rows: Any) -> Outcomes:
    """Some of the outcomes: those of a mask, in their order."""
    rows = np.asarray(rows, bool)
    number = np.cumsum(rows) - 1
    of_them = rows[outcomes.times.owner]
    owner, at, is_use = (column[of_them] for column in outcomes.times)
    names = [name for name in outcomes.__slots__ if name not in ("times", "source")]
    columns: Mapping[str, Any] = {name: getattr(outcomes, name)[rows] for name in names}
    source = [name for name, is_there in zip(outcomes.source, rows, strict=True) if is_there]
    return Outcomes(**columns, times=Reinforcements(number[owner], at, is_use), source=source)
