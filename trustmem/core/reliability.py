"""Reliability: how well trust told which facts people would find right (section 6).

`trust` is always a column of what was stated, from 0 to 1, and `right` one of what was found, True or False. What
cannot be said of so few outcomes is None, never 0.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.checks import numbers, same_length, truths
from trustmem.core.columns import Bools, Floats

#: Ten equal bins.
TEN = np.linspace(0, 1, 11)

#: A normal number lies within this of 0 in 95 cases of 100.
Z = 1.96

#: Nearer to 0 or 1 than this no trust is taken for the log loss; what one double adds to 1, as scikit-learn has it.
LEAST = float(np.finfo(np.float64).eps)


class Interval(NamedTuple):
    """Where a share lies, as far as the outcomes tell."""

    low: float
    high: float


class Posterior(NamedTuple):
    """What is to be thought of a share after some outcomes: its mean, and where it lies in 95 cases of 100."""

    mean: float
    low: float
    high: float


class Weighted(NamedTuple):
    """A share of a whole of which parts were looked at, and where it lies in 95 cases of 100."""

    share: float
    interval: Interval


class Decomposition(NamedTuple):
    """Parts of the Brier score: reliability − resolution + uncertainty + within_variance − within_covariance."""

    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float
    within_covariance: float


class Bin(NamedTuple):
    """One row of a diagram: of `n` outcomes whose trust is in [low, high), `right` were right.

    `mean_trust`, the `share` that was right and its Wilson `interval` are None where there are no outcomes.
    """

    low: float
    high: float
    n: int
    right: int
    mean_trust: float | None
    share: float | None
    interval: Interval | None


class _Binned(NamedTuple):
    """Bin by bin: how many outcomes, how many right, the sum of trust; and the bin of each outcome."""

    n: NDArray[np.int64]
    right: Floats
    trust: Floats
    of: NDArray[np.int64]


def brier(trust: ArrayLike, right: ArrayLike) -> float | None:
    """Brier = mean of (trust − right)²; None without outcomes.

    0 is best; always saying one half gives 0.25. Raises ValueError for trust outside [0, 1] and for columns of
    different lengths. Brier 1950, in the form for two classes.

    >>> brier([0.5, 1.0], [True, True])
    0.125
    """
    stated, found = _columns(trust, right)
    return float(np.mean((stated - found) ** 2)) if len(stated) else None


def log_loss(trust: ArrayLike, right: ArrayLike) -> float | None:
    """Log loss = −mean of ln p, p = trust where right, else 1 − trust; None without outcomes.

    0 is best; always saying one half gives ln 2. Trust is first moved into [ε, 1 − ε], ε = 2^−52, so that a wrong
    fact of trust 1 costs 36 and not more than there is. Raises ValueError as `brier` does. Good 1952.

    >>> round(log_loss([0.5, 1.0], [True, True]), 4)
    0.3466
    """
    losses = log_losses(trust, right)
    return float(np.mean(losses)) if len(losses) else None


def log_losses(trust: ArrayLike, right: ArrayLike) -> Floats:
    """Of each outcome, −ln p, p = trust where right, else 1 − trust, with trust moved into [2^−52, 1 − 2^−52].

    A column in, a column out; raises ValueError as `brier` does.

    >>> log_losses([1.0, 0.0], [True, True]).round(1).tolist()
    [0.0, 36.0]
    """
    stated, found = _columns(trust, right)
    p = np.clip(stated, LEAST, 1 - LEAST)
    losses: Floats = -np.log(np.where(found, p, 1 - p))
    return losses


def auc(trust: ArrayLike, right: ArrayLike) -> float | None:
    """AUC = the chance that of one right and one wrong fact the right one has more trust, ties counted half.

    None unless there are both. 0.5 tells nothing apart, 1 everything. It is the U of Mann and Whitney over the number
    of pairs, counted in whole numbers. Raises ValueError as `brier` does. Hanley & McNeil 1982.

    >>> auc([0.2, 0.8, 0.8], [False, False, True])
    0.75
    """
    stated, found = _columns(trust, right)
    _, place = np.unique(stated, return_inverse=True)
    rights, all_there = np.bincount(place[found]), np.bincount(place)
    rights = np.pad(rights, (0, len(all_there) - len(rights)))
    wrongs = all_there - rights
    pairs = int(rights.sum()) * int(wrongs.sum())
    if not pairs:
        return None
    below = np.cumsum(wrongs) - wrongs
    return int(np.sum(rights * (2 * below + wrongs))) / (2 * pairs)


def decomposition(trust: ArrayLike, right: ArrayLike, edges: ArrayLike = TEN) -> Decomposition | None:
    """Brier = reliability − resolution + uncertainty + within_variance − within_covariance; None without outcomes.

    With n_k outcomes in bin k, mean trust p_k and share right y_k, and y of all n:
    reliability = Σ n_k (p_k − y_k)² / n, resolution = Σ n_k (y_k − y)² / n, uncertainty = y (1 − y), and over
    single outcomes within_variance = Σ (p − p_k)² / n, within_covariance = 2 Σ (p − p_k)(y − y_k) / n. The last two are
    what binning leaves out: only with them do the parts sum to the score.
    `edges` as in `diagram`. Raises ValueError as that does. Murphy 1973; Stephenson, Coelho & Jolliffe 2008.

    >>> decomposition([0.25, 0.25, 0.75, 0.75], [False, True, True, True], [0, 0.5, 1])
    Decomposition(reliability=0.0625, resolution=0.0625, uncertainty=0.1875, within_variance=0.0, within_covariance=0.0)
    """
    stated, found = _columns(trust, right)
    binned = _binned(stated, found, edges)
    if not len(stated):
        return None
    count = np.maximum(binned.n, 1)
    mean_trust, share, all_right = binned.trust / count, binned.right / count, float(np.mean(found))
    off_trust, off_share = stated - mean_trust[binned.of], found - share[binned.of]
    weight = binned.n / len(stated)
    return Decomposition(
        reliability=float(np.sum(weight * (mean_trust - share) ** 2)),
        resolution=float(np.sum(weight * (share - all_right) ** 2)),
        uncertainty=all_right * (1 - all_right),
        within_variance=float(np.mean(off_trust**2)),
        within_covariance=float(2 * np.mean(off_trust * off_share)),
    )


def expected_calibration_error(trust: ArrayLike, right: ArrayLike, edges: ArrayLike = TEN) -> float | None:
    """ECE = Σ n_k / n · |mean trust of bin k − share right in it|; None without outcomes.

    By default over ten equal bins, each with its lower edge and the last with both. The figure hangs on the bins: it is
    told with them. Raises ValueError as `diagram` does. Naeini, Cooper & Hauskrecht 2015; Guo et al. 2017.

    >>> round(expected_calibration_error([0.25, 0.75, 0.75], [False, True, True]), 9)
    0.25
    """
    stated, found = _columns(trust, right)
    binned = _binned(stated, found, edges)
    return float(np.sum(np.abs(binned.trust - binned.right)) / len(stated)) if len(stated) else None


def diagram(trust: ArrayLike, right: ArrayLike, edges: ArrayLike = TEN) -> list[Bin]:
    """One Bin for each two edges that follow each other: what a reliability diagram shows, and the table behind it.

    `edges` rise from 0 to 1. A trust on an edge belongs to the upper bin, as with bands, and 1 to the last; so the
    counts of all bins sum to the number of outcomes. Raises ValueError for other edges, for trust outside [0, 1], and
    for columns of different lengths. Bröcker & Smith 2007.

    >>> [(each.n, each.right, each.share) for each in diagram([0.2, 0.5, 1.0], [False, False, True], [0, 0.5, 0.9, 1])]
    [(1, 0, 0.0), (1, 0, 0.0), (1, 1, 1.0)]
    """
    bounds = _risen(edges)
    binned = _binned(*_columns(trust, right), bounds)
    columns = bounds[:-1].tolist(), bounds[1:].tolist(), binned.n.tolist(), binned.right.tolist(), binned.trust.tolist()
    return [_bin(low, high, n, round(rights), summed) for low, high, n, rights, summed in zip(*columns, strict=True)]


def quantile_edges(trust: ArrayLike, bins: int) -> Floats:
    """Edges from 0 to 1 between which about equally many outcomes lie: at the quantiles of trust.

    Each inner edge is a trust that occurs, and no bin is empty; many alike make fewer bins than asked for.
    Raises ValueError for fewer than one bin, and for trust outside [0, 1].

    >>> quantile_edges([0.1, 0.2, 0.3, 0.4], 2).tolist()
    [0.0, 0.3, 1.0]
    """
    if bins < 1:
        raise ValueError("there must be one bin or more")
    stated = np.sort(numbers(trust, "trust", 0, 1))
    inner = stated[np.arange(1, bins) * len(stated) // bins] if len(stated) else stated
    inner = inner[(inner > stated[:1].max(initial=0)) & (inner < 1)]
    return np.concatenate([[0.0], np.unique(inner), [1.0]])


def wilson(right: int, n: int, z: float = Z) -> Interval | None:
    """( p + z²/2n ± z·√(p(1 − p)/n + z²/4n²) ) / (1 + z²/n), p = right/n; None where n is 0.

    Where the true share lies, by default with 95 % confidence. Raises ValueError unless 0 ≤ right ≤ n.
    Wilson 1927.

    >>> [round(each, 4) for each in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    if not 0 <= right <= n:
        raise ValueError(f"of {n} outcomes {right} cannot be right")
    if not n:
        return None
    p, spread = right / n, z * z / n
    middle, half = p + spread / 2, z * math.sqrt(p * (1 - p) / n + spread / (4 * n))
    low = (middle - half) / (1 + spread) if right else 0.0
    high = (middle + half) / (1 + spread) if right < n else 1.0
    return Interval(low, high)


def stratified(right: ArrayLike, n: ArrayLike, of: ArrayLike, z: float = Z) -> Weighted | None:
    """share = Σ w_b y_b, w_b = N_b/Σ N, y_b = k_b/n_b;  ± z·√( Σ w_b² (1 − n_b/N_b) q_b(1 − q_b)/n_b ), within [0, 1].

    What share of a whole is right, of which in each part b of `of` N_b facts `n` n_b were drawn at random, and `right`
    k_b of these were right. q_b = (k_b + 1)/(n_b + 2) stands for y_b beneath the root, so that a part of which all
    that was looked at is right is not taken to be known; where all of it was looked at, it is. None where nothing was
    drawn of a part, or there is none. Columns of one length; raises ValueError unless 0 ≤ k_b ≤ n_b.
    Cochran 1977, chapter 5, with the normal approximation; q by Laplace's rule of succession.

    >>> found = stratified([9, 1], [10, 10], [30, 90])
    >>> round(found.share, 3), [round(each, 3) for each in found.interval]
    (0.3, [0.13, 0.47])
    """
    k, drawn, there = (numbers(each, name, 0) for each, name in ((right, "right"), (n, "n"), (of, "of")))
    same_length(right=k, n=drawn, of=there)
    if np.any(k > drawn):
        raise ValueError("no more can be right than were looked at")
    if not len(k) or np.any(drawn == 0) or not np.sum(there):
        return None
    weight, q = there / np.sum(there), (k + 1) / (drawn + 2)
    left = np.clip(1 - drawn / np.maximum(there, drawn), 0, 1)
    share = float(np.sum(weight * k / drawn))
    half = z * math.sqrt(float(np.sum(weight**2 * left * q * (1 - q) / drawn)))
    return Weighted(share, Interval(max(share - half, 0.0), min(share + half, 1.0)))


def beta_interval(right: int, wrong: int, level: float = 0.95) -> Posterior:
    """Beta(right + 1, wrong + 1): mean (right + 1)/(right + wrong + 2), and its quantiles at both ends of `level`.

    What a share is after these outcomes, if any was as likely before. Raises ValueError for counts below 0.
    Bayes 1763; Laplace's rule of succession.

    >>> [round(each, 3) for each in beta_interval(0, 0)]
    [0.5, 0.025, 0.975]
    """
    if min(right, wrong) < 0:
        raise ValueError("counts must be at least 0")
    from scipy.special import betaincinv  # it takes long to load, for what few need

    tail, a, b = (1 - level) / 2, right + 1, wrong + 1
    return Posterior(a / (a + b), float(betaincinv(a, b, tail)), float(betaincinv(a, b, 1 - tail)))


def needed(width: float, share: float = 0.5, z: float = Z) -> int:
    """The least n for which the Wilson interval about `share` is at most `width` wide.

    With N = n + z² the width is 2z·√(share(1 − share)(N − z²) + z²/4) / N; solved for N. By default for one half, where
    the interval is widest: so many are enough whatever is found. Raises ValueError unless 0 < width < 1 and
    0 ≤ share ≤ 1.

    >>> needed(0.2), needed(0.1)
    (93, 381)
    """
    if not (0 < width < 1 and 0 <= share <= 1):
        raise ValueError("a width lies between 0 and 1, a share from 0 to 1")
    spread, squares = share * (1 - share), z * z
    total = squares * (2 * spread + math.sqrt(4 * spread**2 + width**2 * (1 - 4 * spread))) / width**2
    return max(1, math.ceil(total - squares))


def _columns(trust: ArrayLike, right: ArrayLike) -> tuple[Floats, Bools]:
    stated, found = numbers(trust, "trust", 0, 1), truths(right, "right")
    same_length(trust=stated, right=found)
    return stated, found


def _risen(edges: ArrayLike) -> Floats:
    bounds = np.asarray(edges, np.float64)
    if bounds.ndim != 1 or len(bounds) < 2 or not np.all(np.diff(bounds) > 0) or bounds[0] != 0 or bounds[-1] != 1:
        raise ValueError("edges must rise from 0 to 1")
    return bounds


def _binned(stated: Floats, found: Bools, edges: ArrayLike) -> _Binned:
    bounds = _risen(edges)
    bins = len(bounds) - 1
    of = np.searchsorted(bounds[1:-1], stated, side="right")
    rights, summed = (np.asarray(np.bincount(of, each, bins), np.float64) for each in (found, stated))
    return _Binned(np.bincount(of, minlength=bins), rights, summed, of)


def _bin(low: float, high: float, n: int, right: int, summed: float) -> Bin:
    return Bin(low, high, n, right, summed / n if n else None, right / n if n else None, wilson(right, n))
