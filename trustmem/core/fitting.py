"""Fitting constants to verdicts: those under which trust would best have told what people found (section 10)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from trustmem.core.columns import Bools, Floats, Ints
from trustmem.core.constants import REGISTRY, Constants, changed, differences, flat, to_json
from trustmem.core.outcomes import Outcomes, rescored
from trustmem.core.reliability import Z, log_losses

#: Fewer outcomes than this, or fewer right or wrong ones among them, tell too little for a fit.
FEWEST, FEWEST_OF_A_KIND = 50, 10

#: Such a share of the outcomes, the earliest, trains; the rest is held out.
TRAINING = 0.7

_ENTERING = (
    "prior_weight",
    "base_rate",
    "activation_decay",
    "activation_midpoint",
    "activation_scale",
    "use_activation",
    "supersession_factor",
    "provenance_gate",
)

#: What can be fitted: the numbers that trust depends on, of nested constants each part (`base_rate.auto`).
FITTABLE = tuple(name for name in flat(Constants()) if name.partition(".")[0] in _ENTERING)

#: What there may be to say of an estimate.
AT_LOWER, AT_UPPER = "at its lower bound", "at its upper bound"
IDLE, UNTOLD = "no outcome depends on it", "the outcomes do not tell"

#: Amounts that work by their ratio: they are sought, and their intervals made, as logarithms.
_BY_RATIO = ("prior_weight", "activation_scale")

#: How far apart the second differences lie that the information is made of.
_STEP = 1e-3
#: A direction in which the outcomes tell less, by this, than in the best is one in which they tell nothing.
_FLAT = 1e-9


class FittingError(ValueError):
    """There is no fit, and the message says why."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a fit found for one number: the likeliest `value`, and from `low` to `high` where it lies with 95 %
    confidence. Both are None where no outcome depends on it, as `note` then says."""

    name: str
    in_force: float
    value: float
    low: float | None
    high: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """The outcomes that train, or those that are held out: how many, and how many of them were right; from the instant
    of the `first` to that of the `last` (µs)."""

    n: int
    right: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Gain:
    """By how much the mean log loss of the outcomes held out is lower `after` than `before`, and the standard error of
    that mean difference."""

    before: float
    after: float
    gain: float
    error: float

    @property
    def is_clear(self) -> bool:
        """Whether it is greater than its standard error."""
        return self.gain > self.error


@dataclass(frozen=True, slots=True)
class FitToVerdicts:
    """The likeliest constants, and how they did with outcomes that they had not seen.

    `values` are the constants that differ from those in force, as JSON values. `over_in_force` sets them against the
    constants in force, `over_share` against stating the same of every fact: the share of the training outcomes that
    was right.
    """

    estimates: tuple[Estimate, ...]
    values: dict[str, Any]
    training: Part
    held_out: Part
    over_in_force: Gain
    over_share: Gain

    @property
    def is_offered(self) -> bool:
        """Whether they beat the constants in force by more than the standard error, and know anything of the facts:
        beat stating the same of every one, likewise."""
        return self.over_in_force.is_clear and self.over_share.is_clear


def fit(
    outcomes: Outcomes, names: Iterable[str], in_force: Constants, watch: Callable[[int], None] = lambda tried: None
) -> FitToVerdicts:
    """The constants that make −Σ ln p least over the training outcomes, p = TRUST where right, else 1 − TRUST.

    `names` are of FITTABLE, or nested constants whole; all others stay as they are `in_force`. The earliest 70 % of the
    outcomes train, and none that is of one instant with a later one; the rest is held out, and judges. Each number
    stays within its bounds (L-BFGS-B, from the constants in force and from the defaults, the likelier of the two).
    Intervals: value ± 1.96·√((H⁻¹)ᵢᵢ), no further than the bounds, H the second derivatives of that sum (observed
    information) by the numbers that are at no bound; of `prior_weight` and `activation_scale` by their logarithms. Of a
    number at a bound: from there to where the sum is greater by 1.96²/2, all others as found.
    The same comes out each time, and nothing is put in force. `watch` is told how often trust has been computed, each
    time that it is. Raises FittingError for names that cannot be fitted, and
    where outcomes are too few or all alike. Byrd, Lu, Nocedal & Zhu 1995; Efron & Hinkley 1978.

    >>> from trustmem.core.touches import Reinforcements
    >>> n, none = np.arange(100), np.zeros(100, np.int64)
    >>> never, sign = Reinforcements(none[:0], none[:0], none[:0] > 0), none.astype(np.int8) + 2
    >>> asked = Outcomes(
    ...     n, n % 5 < 2, n < 0, *[n / 100] * 5, sign, none, none, sign, none, none, none, never, ["crm"] * 100, sign
    ... )
    >>> found = fit(asked, ["base_rate.signed"], Constants())
    >>> round(found.estimates[0].value, 4), found.training.n, found.is_offered
    (0.8, 70, False)
    """
    sought = chosen(names)
    trains = _earliest(outcomes)
    search = _Search(outcomes, trains, in_force, sought, watch)
    places = search.likeliest()
    fitted = search.constants(places)
    after = log_losses(rescored(outcomes, fitted).trust, outcomes.right)[~trains]
    before = log_losses(rescored(outcomes, in_force).trust, outcomes.right)[~trains]
    share = np.full(len(outcomes), np.mean(outcomes.right[trains]))
    return FitToVerdicts(
        estimates=tuple(_estimates(search, places, sought, in_force)),
        values=differences(in_force, fitted),
        training=_part(outcomes, trains),
        held_out=_part(outcomes, ~trains),
        over_in_force=_gain(before, after),
        over_share=_gain(log_losses(share, outcomes.right)[~trains], after),
    )


def chosen(names: Iterable[str]) -> list[str]:
    """The numbers that these names stand for, in the order of FITTABLE; nested constants by their parts.

    Raises FittingError, saying why, for one that cannot be fitted, and for none at all.

    >>> chosen(["base_rate", "prior_weight"])
    ['prior_weight', 'base_rate.auto', 'base_rate.human', 'base_rate.signed']
    """
    given = set(names)
    for name in sorted(given - {*FITTABLE, *_ENTERING}):
        raise FittingError(_why_not(name))
    found = [name for name in FITTABLE if {name, name.partition(".")[0]} & given]
    if not found:
        raise FittingError("choose one constant or more to fit")
    return found


def _why_not(name: str) -> str:
    if name not in REGISTRY:
        return f'"{name}" is not a constant'
    if not REGISTRY[name].tunable:
        return f'"{name}" cannot be fitted: it is fixed'
    if name == "runs_per_source":
        return f'"{name}" cannot be fitted: outcomes hold what it let count, not what there was'
    return f'"{name}" cannot be fitted: trust does not depend on it'


def _earliest(outcomes: Outcomes) -> Bools:
    """Which outcomes train. Raises FittingError where they, or all, tell too little."""
    right, n = outcomes.right, len(outcomes)
    _at_least(FEWEST, n, "outcomes")
    _at_least(FEWEST_OF_A_KIND, int(right.sum()), "outcomes that found a fact right")
    _at_least(FEWEST_OF_A_KIND, int(n - right.sum()), "outcomes that found a fact wrong")
    trains: Bools = outcomes.at < np.sort(outcomes.at)[int(n * TRAINING)]
    if not trains.any():
        raise FittingError("all of the later outcomes are of one instant, and none is earlier: none could train")
    for kind, found in (("right", right[trains]), ("wrong", ~right[trains])):
        if not found.any():
            raise FittingError(f"none of the {len(found)} earliest outcomes, which are to train, found a fact {kind}")
    return trains


class Missing(NamedTuple):
    """How many outcomes a fit takes beyond those that there are, and how many of these have to be right, and wrong."""

    outcomes: int
    right: int
    wrong: int


def missing(n: int, right: int) -> Missing:
    """How many are missing where there are `n` outcomes, `right` of them right: no fewer than the right and the wrong
    ones that are missing.

    >>> missing(45, 38)
    Missing(outcomes=5, right=0, wrong=3)
    """
    rights, wrongs = (max(FEWEST_OF_A_KIND - each, 0) for each in (right, n - right))
    return Missing(max(FEWEST - n, rights + wrongs, 0), rights, wrongs)


def _at_least(needed: int, there: int, what: str) -> None:
    if there < needed:
        missing = needed - there
        is_missing = f"{missing} {'is' if missing == 1 else 'are'} missing"
        raise FittingError(f"a fit needs {needed} {what}; there are {there}, so {is_missing}")


class _Search:
    """The numbers that are sought, each on an axis, and the sum that is to be least there."""

    def __init__(
        self,
        outcomes: Outcomes,
        trains: Bools,
        in_force: Constants,
        sought: Sequence[str],
        watch: Callable[[int], None],
    ) -> None:
        self.outcomes, self.trains, self.in_force = outcomes, trains, in_force
        self.watch, self.tried = watch, 0
        self.right = outcomes.right[trains]
        self.names = [name for name in sought if not self._is_idle(name)]
        self.bounds = np.array([_placed(name, _bounds(name)) for name in self.names]).reshape(-1, 2)

    def constants(self, places: Floats) -> Constants:
        """The constants in force, with the numbers at these places."""
        return _with(self.in_force, dict(zip(self.names, map(_value, self.names, places.tolist()), strict=True)))

    def loss(self, places: Floats) -> float:
        """−Σ ln p over the training outcomes."""
        return float(np.sum(log_losses(self._trust(self.constants(places)), self.right)))

    def likeliest(self) -> Floats:
        from scipy.optimize import minimize  # it takes half a second to load

        starts = [np.array([_placed(name, flat(each)[name]) for name in self.names]) for each in self._starts()]
        if not self.names:
            return starts[0]
        options = {"ftol": 1e-11, "gtol": 1e-7}
        n = len(self.right)

        def mean_loss(places: Floats) -> float:
            return self.loss(places) / n

        ends = [
            minimize(mean_loss, start, method="L-BFGS-B", jac="3-point", bounds=self.bounds, options=options)
            for start in starts
        ]
        best: Floats = min(ends, key=lambda end: float(end.fun)).x
        return best

    def intervals(self, places: Floats) -> Floats:
        """From where to where each number lies on its axis: two columns."""
        low, high = self.bounds.T
        free = np.flatnonzero((places > low) & (places < high))
        half = np.zeros(len(places))
        half[free] = Z * self._spreads(places, free)
        found = np.clip(np.column_stack([places - half, places + half]), low[:, None], high[:, None])
        for number in np.flatnonzero((places <= low) | (places >= high)).tolist():
            side = 1 if places[number] <= low[number] else 0
            found[number, side] = self._reach(places, number, self.bounds[number, side])
        return found

    def _spreads(self, places: Floats, free: Ints) -> Floats:
        """The standard errors of the numbers that are at no bound."""
        low, high = self.bounds.T
        centre = np.clip(places, low + _STEP, high - _STEP)
        information = np.zeros((len(free), len(free)))
        for i, j in combinations_with_replacement(range(len(free)), 2):
            information[i, j] = information[j, i] = _second_difference(self.loss, centre, free[i], free[j])
        told, direction = np.linalg.eigh(information)
        told = np.maximum(told, max(told.max(initial=0) * _FLAT, _FLAT))
        spreads: Floats = np.sqrt(np.sum(direction**2 / told, axis=1))
        return spreads

    def _reach(self, places: Floats, number: int, far: float) -> float:
        """How far from its bound a number may lie, at most as far as the other."""
        from scipy.optimize import brentq

        most = self.loss(places) + Z**2 / 2

        def over(place: float) -> float:
            return self.loss(np.where(np.arange(len(places)) == number, place, places)) - most

        return far if over(far) <= 0 else float(brentq(over, places[number], far))

    def _starts(self) -> list[Constants]:
        return [self.in_force] if self.in_force == Constants() else [self.in_force, Constants()]

    def _trust(self, constants: Constants) -> Floats:
        self.tried += 1
        self.watch(self.tried)
        return rescored(self.outcomes, constants).trust[self.trains]

    def _is_idle(self, name: str) -> bool:
        low, high = (self._trust(_with(self.in_force, {name: bound})) for bound in _bounds(name))
        return np.array_equal(low, high)


def _bounds(name: str) -> tuple[float, float]:
    meta = REGISTRY[name.partition(".")[0]]
    return meta.low, meta.high


def _placed(name: str, values: Any) -> Any:
    return np.log(values) if name in _BY_RATIO else values


def _value(name: str, place: float) -> float:
    low, high = _bounds(name)
    return min(max(float(np.exp(place)) if name in _BY_RATIO else place, low), high)


def _with(constants: Constants, numbers: dict[str, float]) -> Constants:
    values = to_json(constants)
    for flat_name, number in numbers.items():
        name, _, part = flat_name.partition(".")
        if part:
            values[name] = values[name] | {part: number}
        else:
            values[name] = number
    return changed(constants, values)


def _second_difference(loss: Callable[[Floats], float], centre: Floats, i: int, j: int) -> float:
    """∂²/∂i∂j at `centre`, by central differences."""
    along, across = (np.arange(len(centre)) == each for each in (i, j))
    if i == j:
        around = loss(centre + _STEP * along) + loss(centre - _STEP * along)
        return (around - 2 * loss(centre)) / _STEP**2
    alike = loss(centre + _STEP / 2 * (1.0 * along + across)) + loss(centre - _STEP / 2 * (1.0 * along + across))
    unlike = loss(centre + _STEP / 2 * (1.0 * along - across)) + loss(centre - _STEP / 2 * (1.0 * along - across))
    return (alike - unlike) / _STEP**2


def _estimates(search: _Search, places: Floats, sought: Sequence[str], in_force: Constants) -> Iterable[Estimate]:
    rows = [*zip(places.tolist(), *search.intervals(places).T.tolist(), strict=True)]
    found = dict(zip(search.names, rows, strict=True))
    for name in sought:
        was = flat(in_force)[name]
        if name in found:
            yield _estimate(name, was, *(_value(name, place) for place in found[name]))
        else:
            yield Estimate(name, was, was, None, None, IDLE)


def _estimate(name: str, was: float, value: float, low: float, high: float) -> Estimate:
    bounds = _bounds(name)
    note = {bounds[0]: AT_LOWER, bounds[1]: AT_UPPER}.get(value, "")
    return Estimate(name, was, value, low, high, UNTOLD if (low, high) == bounds else note)


def _part(outcomes: Outcomes, rows: Bools) -> Part:
    at = outcomes.at[rows]
    return Part(int(rows.sum()), int(outcomes.right[rows].sum()), int(at.min()), int(at.max()))


def _gain(before: Floats, after: Floats) -> Gain:
    gains = before - after
    error = float(np.std(gains, ddof=1) / np.sqrt(len(gains)))
    return Gain(float(np.mean(before)), float(np.mean(after)), float(np.mean(gains)), error)
