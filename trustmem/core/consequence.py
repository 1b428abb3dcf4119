"""Consequence: what there is to lose while a case is open, by which the queue is ordered."""

import numpy as np
from numpy.typing import ArrayLike

from trustmem.core.checks import numbers, same_length, whole
from trustmem.core.columns import Floats
from trustmem.core.constants import Constants


def consequence(
    served: ArrayLike, trust: ArrayLike, support: ArrayLike, opposition: ArrayLike, constants: Constants
) -> Floats:
    """How much hangs on deciding each case: use · trust at stake · doubt.

    consequence = (1 + served) · trust · (1 − |r − s| / (r + s + W))        W = prior_weight

    Columns of one length: `served`, how often its facts were handed out lately; `trust` of the fact that has most of
    it; `support` r and `opposition` s of that fact. Raises ValueError for different lengths, counts that are negative
    or not whole, and a trust outside [0, 1]. Ours: the order of a queue, and never part of trust.

    >>> consequence([41, 0], [0.5, 0.5], [2, 2], [1, 0], Constants()).tolist()
    [16.8, 0.25]
    """
    uses, r, s = whole(served, "served", 0), whole(support, "support", 0), whole(opposition, "opposition", 0)
    at_stake = numbers(trust, "trust", 0, 1)
    same_length(served=uses, trust=at_stake, support=r, opposition=s)
    doubt = 1 - np.abs(r - s) / (r + s + constants.prior_weight)
    return np.asarray((1 + uses) * at_stake * doubt, np.float64)
