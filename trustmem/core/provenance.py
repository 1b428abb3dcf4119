"""The provenance gate: the most that a fact of a tier can be trusted (section 5)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.checks import codes
from trustmem.core.constants import Constants
from trustmem.core.nested import ByTier
from trustmem.core.vocabulary import TIERS


def provenance(tier: ArrayLike, constants: Constants) -> NDArray[np.float64]:
    """ProvenanceGate = provenance_gate[tier]: three buckets, never a slope.

    `tier` is a column of codes. Raises ValueError for a code that is no tier. Section 5; ADR-029.

    >>> provenance([0, 1, 2], Constants()).tolist()
    [0.8, 0.9, 1.0]
    """
    return by_tier(constants.provenance_gate, tier)


def by_tier(values: ByTier, tier: ArrayLike) -> NDArray[np.float64]:
    """The value of each fact's tier. Raises ValueError for a code that is no tier.

    >>> by_tier(Constants().base_rate, [2, 0]).tolist()
    [0.95, 0.6]
    """
    return np.take([getattr(values, name) for name in TIERS], codes(tier, TIERS, "tier"))
