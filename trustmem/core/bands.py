"""What people read of a score: its band, and the flags that say what to do (section 6)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.checks import numbers, same_length, truths, whole
from trustmem.core.constants import Constants
from trustmem.core.vocabulary import FLAGS


def band(trust: ArrayLike, constants: Constants) -> NDArray[np.int8]:
    """The number of `band_edges` at or below the score, which is its code among BANDS.

    A score on an edge belongs to the upper band; `trust` is the unrounded column.
    Raises ValueError for a score outside [0, 1] or NaN. Section 6.

    >>> band([0.19, 0.2, 0.81], Constants()).tolist()
    [0, 1, 4]
    """
    score = numbers(trust, "trust", 0, 1)
    return np.searchsorted(constants.band_edges, score, side="right").astype(np.int8)


def flags(
    *,
    depth: ArrayLike,
    disbelief: ArrayLike,
    uncertainty: ArrayLike,
    live_contradiction: ArrayLike,
    challenged: ArrayLike,
    activation: ArrayLike,
    freshness: ArrayLike,
    freshness_without_use: ArrayLike,
    constants: Constants,
) -> NDArray[np.bool_]:
    """Which of FLAGS apply, in their order; `settled` where no other does.

    superseded: k > 0 · disputed: a live `contradicts` edge, or d ≥ dispute_threshold · challenged ·
    stale: Freshness < stale_threshold · use-only: not stale, but without its uses it would be ·
    age-unknown: B is NaN · uncertain: u ≥ uncertainty_threshold

    Columns of one length n in, a matrix n × 8 out. Raises ValueError for different lengths, a depth that is
    negative or not whole, and a share (d, u, either freshness) outside [0, 1] or NaN. Section 6.

    >>> calm = dict(depth=[0], disbelief=[0], uncertainty=[0.2], live_contradiction=[False], challenged=[False])
    >>> often_read = dict(activation=[0.0], freshness=[0.9], freshness_without_use=[0.1])
    >>> [FLAGS[at] for at in flags(**calm, **often_read, constants=Constants())[0].nonzero()[0]]
    ['use-only']
    """
    shares = {
        "disbelief": disbelief,
        "uncertainty": uncertainty,
        "freshness": freshness,
        "freshness_without_use": freshness_without_use,
    }
    d, u, fresh, without_use = (numbers(share, name, 0, 1) for name, share in shares.items())
    k, b = whole(depth, "depth", 0), np.asarray(activation, np.float64)
    rivals, doubts = truths(live_contradiction, "live_contradiction"), truths(challenged, "challenged")
    same_length(depth=k, live_contradiction=rivals, challenged=doubts, activation=b, **shares)
    stale = fresh < constants.stale_threshold
    warnings = [
        k > 0,
        rivals | (d >= constants.dispute_threshold),
        doubts,
        stale,
        ~stale & (without_use < constants.stale_threshold),
        np.isnan(b),
        u >= constants.uncertainty_threshold,
    ]
    return np.column_stack([*warnings, ~np.any(warnings, axis=0)]).reshape(-1, len(FLAGS))
