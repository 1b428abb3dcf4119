"""Fitting the squash of freshness to a memory (section 10)."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trustmem.core.constants import REGISTRY, Constants
from trustmem.core.instants import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND

#: Fewer facts with a known age than this tell too little for a fit.
FEWEST = 20

#: No fit makes freshness steeper than this.
LEAST_SCALE = 0.05

#: So many decimals of a fit are tried and adopted.
DECIMALS = 4


class CalibrationError(ValueError):
    """There is no fit, and the message says why."""


class Fit(NamedTuple):
    """The two constants that a fit proposes; a person decides whether they become a new version."""

    activation_midpoint: float
    activation_scale: float


def fit_quartiles(activation: ArrayLike) -> Fit:
    """B0 = median(B), σ = max(0.05, (Q3 − Q1)/(2 ln 3)), quartiles by linear interpolation.

    A column of activations; NaN is an unknown age and left out. The middle half of facts then spreads over
    0.25..0.75. Raises CalibrationError for fewer than 20 known, or where the fit leaves the constants' bounds.
    Section 10.

    >>> fit_quartiles(np.linspace(-3.0, 1.0, 21)).activation_midpoint
    -1.0
    """
    column = np.asarray(activation, np.float64)
    known = column[~np.isnan(column)]
    if len(known) < FEWEST:
        raise CalibrationError(f"a fit needs {FEWEST} facts with a known age; there are {len(known)}")
    low, middle, high = (float(each) for each in np.quantile(known, [0.25, 0.5, 0.75]))
    return _within_bounds(Fit(middle, max(LEAST_SCALE, (high - low) / (2 * math.log(3)))))


def fit_two_ages(age_hi: float, f_hi: float, age_lo: float, f_lo: float, constants: Constants) -> Fit:
    """σ = (B_hi − B_lo) / (logit F_hi − logit F_lo), B0 = B_hi − σ·logit F_hi, with B = −δ·ln age.

    "Seen once, a fact has freshness `f_hi` at `age_hi` days and `f_lo` at `age_lo`": both are then met exactly.
    Raises CalibrationError where no midpoint and scale within bounds can. Section 10.

    >>> [round(each, 2) for each in fit_two_ages(7, 0.8, 90, 0.26, Constants())]
    [-1.7, 0.53]
    """
    floor = constants.age_floor_seconds * MICROSECONDS_PER_SECOND / MICROSECONDS_PER_DAY
    if not floor <= age_hi < age_lo < math.inf:
        raise CalibrationError("the age of the higher freshness must be the lower of the two, and a minute or more")
    if not 0 < f_lo < f_hi < 1:
        raise CalibrationError("the two freshnesses must lie between 0 and 1, the one at the lower age higher")
    b_hi, b_lo = (-constants.activation_decay * math.log(age) for age in (age_hi, age_lo))
    scale = (b_hi - b_lo) / (_logit(f_hi) - _logit(f_lo))
    return _within_bounds(Fit(b_hi - scale * _logit(f_hi), scale))


def rounded(fit: Fit) -> Fit:
    """B0 and σ to four decimals: what people see of a fit is what they try and adopt, and no freshness hangs on more.

    >>> rounded(Fit(-1.6853473298891, 0.5253))
    Fit(activation_midpoint=-1.6853, activation_scale=0.5253)
    """
    return Fit(*(round(each, DECIMALS) for each in fit))


def _logit(freshness: float) -> float:
    return math.log(freshness / (1 - freshness))


def _within_bounds(fit: Fit) -> Fit:
    for name, value in fit._asdict().items():
        meta = REGISTRY[name]
        if not meta.low <= value <= meta.high:
            bounds = f"from {meta.low:g} to {meta.high:g}"
            raise CalibrationError(f'this asks for "{name}" {value:.3g}, which must lie {bounds}')
    return fit
