"""Calibration: what other constants of freshness would make of a space, before anybody adopts them."""

from dataclasses import dataclass

import numpy as np

from trustmem.actions import what_if
from trustmem.actions.what_if import MOST_FACTS, MOST_FOLDED
from trustmem.core.calibration import LEAST_SCALE, CalibrationError, Fit, fit_quartiles
from trustmem.core.constants import Constants, changed
from trustmem.core.freshness import freshness
from trustmem.store import queries
from trustmem.store.models import Fact, Space

#: Constants that fit a space leave half of its facts fresher and half of them less fresh than something in here.
_WITHIN = (0.25, 0.75)


@dataclass(frozen=True, slots=True)
class Preview:
    """The quartile fit of a space beside what is `in_force`: how many live facts stand in each band, in the order of
    BANDS, and the median `freshness` of those whose age is known, as it is now."""

    fit: Fit
    in_force: Fit
    before: list[int]
    after: list[int]
    freshness: float

    @property
    def is_off(self) -> bool:
        """Whether the facts are far older, or younger, than the constants in force expect."""
        low, high = _WITHIN
        return not low <= self.freshness <= high

    @property
    def is_of_one_age(self) -> bool:
        """Whether the ages are so nearly equal that they say nothing of how widely freshness is to spread."""
        return self.fit.activation_scale <= LEAST_SCALE


def is_too_large(space: Space) -> bool:
    """Whether a space has more than MOST_FACTS."""
    return _has_more(space, MOST_FACTS)


def is_slow(space: Space) -> bool:
    """Whether it takes more than a moment to put other constants in force, which folds every fact anew."""
    return _has_more(space, MOST_FOLDED)


def _has_more(space: Space, most: int) -> bool:
    return Fact.objects.filter(space=space).order_by("pk")[most : most + 1].exists()


def by_quartiles(space: Space, trial: Constants, now: int, most: int = MOST_FACTS) -> Fit:
    """The squash that spreads the live facts of a space as they are at `now`, were `trial` in force; in one of more
    than `most` facts, of a sample. Raises CalibrationError where there is none."""
    return fit_quartiles(what_if.activation(space, trial, now, most))


def preview(space: Space, now: int) -> Preview | None:
    """What the quartile fit would make of a space at `now` (µs); None where there is none. Writes nothing."""
    in_force = queries.constants(space)
    try:
        fit = by_quartiles(space, in_force, now)
    except CalibrationError:
        return None
    bands = what_if.bands(space, changed(in_force, fit._asdict()), now)
    active = what_if.activation(space, in_force, now)
    median = float(np.median(freshness(active[~np.isnan(active)], in_force)))
    squash = Fit(in_force.activation_midpoint, in_force.activation_scale)
    return Preview(fit, squash, bands.before, bands.after, median)
