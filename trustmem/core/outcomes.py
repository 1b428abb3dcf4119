"""Outcomes: what people found right or wrong, with all that trust needs, as it was when they were asked."""

from dataclasses import dataclass

from trustmem.core.columns import Bools, Codes, Floats, Ints
from trustmem.core.constants import Constants
from trustmem.core.freshness import activation
from trustmem.core.touches import Reinforcements
from trustmem.core.trust import Trust, trust


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One row an outcome, by `at` (when it was found), then by position. `sampled`: it was asked about at random.

    The factors, `band`, `r`, `s`, `tier` and `depth` are as they were when the person was asked, and so are the terms
    of freshness, as instants (µs) relative to then, most of them negative: `times`, whose owner is a row, and
    `first_seen`, which is minus L, read where `baseline_count` (n0) is more than 0.
    """

    at: Ints
    right: Bools
    sampled: Bools
    trust: Floats
    confidence: Floats
    freshness: Floats
    supersession: Floats
    provenance: Floats
    band: Codes
    r: Ints
    s: Ints
    tier: Codes
    depth: Ints
    baseline_count: Ints
    first_seen: Ints
    times: Reinforcements
    source: list[str]
    producer: Codes

    def __len__(self) -> int:
        return len(self.at)


def rescored(outcomes: Outcomes, constants: Constants) -> Trust:
    """TRUST = Confidence · Freshness · SupersessionPenalty · ProvenanceGate of each outcome, as of when it was asked.

    Under the constants then in force that is the trust that was judged; `runs_per_source` alone is as it was, since r
    and s are counts. One row an outcome; each factor is in (0, 1]. Raises ValueError as `trust` and `activation` do.
    Sections 2 to 6.

    >>> import numpy as np
    >>> day, none = -86_400_000_000, np.zeros(1, np.int64)
    >>> some, code = np.zeros(1), none.astype(np.int8)
    >>> born = Reinforcements(none, np.array([7 * day]), np.array([False]))
    >>> asked = Outcomes(
    ...     none, none > 0, none > 0, *[some] * 5, code, none, none, code, none, none, none, born, ["crm"], code
    ... )
    >>> rescored(asked, Constants()).trust.round(2).tolist()
    [0.38]
    """
    times, counted, since = outcomes.times, outcomes.baseline_count, outcomes.first_seen
    active = activation(times.at, times.owner, times.is_use, counted, since, 0, constants)
    return trust(outcomes.r, outcomes.s, outcomes.tier, active.with_use, outcomes.depth, constants)
