"""How well a fact is attested: confidence, and the opinion that it is made of (section 2)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.checks import numbers, same_length
from trustmem.core.constants import Constants
from trustmem.core.provenance import by_tier


class Opinion(NamedTuple):
    """Columns of subjective logic; belief + disbelief + uncertainty = 1."""

    belief: NDArray[np.float64]
    disbelief: NDArray[np.float64]
    uncertainty: NDArray[np.float64]
    base_rate: NDArray[np.float64]


def opinion(r: ArrayLike, s: ArrayLike, tier: ArrayLike, constants: Constants) -> Opinion:
    """b = r/(r+s+W), d = s/(r+s+W), u = W/(r+s+W), a = base_rate[tier].

    r and s are columns of counts for and against, `tier` one of codes; four columns come back.
    Raises ValueError for different lengths, counts that are negative or not finite, and codes that are no tier.
    Section 2; Jøsang, *Subjective Logic*.

    >>> [column.tolist() for column in opinion([1], [1], [0], Constants())]
    [[0.25], [0.25], [0.5], [0.6]]
    """
    r, s, base_rate = _attested(r, s, tier, constants)
    total = r + s + constants.prior_weight
    return Opinion(r / total, s / total, constants.prior_weight / total, base_rate)


def confidence(r: ArrayLike, s: ArrayLike, tier: ArrayLike, constants: Constants) -> NDArray[np.float64]:
    """Confidence = (r + a·W) / (r + s + W), which is b + a·u.

    r and s are columns of counts for and against, `tier` one of codes; values lie in (0, 1].
    Raises ValueError for different lengths, counts that are negative or not finite, and codes that are no tier.
    Section 2; Jøsang, *Subjective Logic*.

    >>> confidence([0, 6], [0, 0], [0, 0], Constants()).tolist()
    [0.6, 0.9]
    """
    r, s, base_rate = _attested(r, s, tier, constants)
    return (r + base_rate * constants.prior_weight) / (r + s + constants.prior_weight)


def _attested(
    r: ArrayLike, s: ArrayLike, tier: ArrayLike, constants: Constants
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """r, s and base rate, as columns of one length."""
    pros, cons, base_rate = numbers(r, "r", 0), numbers(s, "s", 0), by_tier(constants.base_rate, tier)
    same_length(r=pros, s=cons, tier=base_rate)
    return pros, cons, base_rate
