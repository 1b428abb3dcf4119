"""Calibration: what other constants of freshness would make of a space, before anybody adopts them."""

from dataclasses import dataclass, replace

import numpy as np

from trustmem.core.calibration import LEAST_SCALE, CalibrationError, Fit, fit_quartiles
from trustmem.core.columns import Bools
from trustmem.core.constants import Constants, changed
from trustmem.core.scores import Scores, score
from trustmem.core.vocabulary import BANDS, LIVE
from trustmem.store import queries
from trustmem.store.models import Fact, Space

#: A space of more facts is not scored twice while somebody waits; nor is one of more than that folded anew.
MOST_FACTS, MOST_FOLDED = 200_000, 20_000
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


def preview(space: Space, now: int) -> Preview | None:
    """What the quartile fit would make of a space at `now` (µs); None where there is none. Writes nothing."""
    facts = queries.stored(space)
    before = score(facts, now)
    live = before.state == LIVE
    try:
        fit = fit_quartiles(before.activation[live])
    except CalibrationError:
        return None
    after = score(replace(facts, constants=changed(facts.constants, fit._asdict())), now)
    known = live & ~np.isnan(before.activation)
    return Preview(
        fit, _in_force(facts.constants), _by_band(before, live), _by_band(after, live), _median(before, known)
    )


def _in_force(constants: Constants) -> Fit:
    return Fit(constants.activation_midpoint, constants.activation_scale)


def _by_band(scores: Scores, live: Bools) -> list[int]:
    counts: list[int] = np.bincount(scores.band[live], minlength=len(BANDS)).tolist()
    return counts


def _median(scores: Scores, known: Bools) -> float:
    return float(np.median(scores.freshness[known]))
