"""Does a fact keep proving useful? Feedback after use, its compounding, and ranking (section 8).

The weights of the channels are fixed by design; they are named here, never tuned.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustmem.core.checks import ABOVE_0, numbers, same_length, whole
from trustmem.core.constants import Constants
from trustmem.core.vocabulary import CHANNELS, OUTCOMES

#: What an outcome says on each channel, where the caller does not say it better.
_PRESETS = {
    "helpful": (0.7, 0.5, 0.8, 0.3, 1.0, 0.0, 0.1, 0.8, 0.5),
    "unhelpful": (0.3, 0.5, 0.2, 0.3, 0.2, 0.0, 0.2, 0.2, 0.5),
    "corrected": (0.3, 0.5, 0.1, 0.3, 0.0, 0.0, 0.9, 0.1, 0.5),
    "ignored": (0.2, 0.5, 0.3, 0.3, 0.5, 0.0, 0.1, 0.5, 0.5),
}
PRESETS = {outcome: dict(zip(CHANNELS, _PRESETS[outcome], strict=True)) for outcome in OUTCOMES}

IMPORTANCE = 0.18
NOVELTY = 0.16
PREDICTION_ACCURACY = 0.14
EMOTIONAL_WEIGHT = 0.12
GOAL_RELEVANCE = 0.14
POLICY_ALIGNMENT = 0.16
NO_CONTRADICTION_RISK = 0.10

#: novelty' = this much novelty, the rest rarity of use.
NOVELTY_ITSELF = 0.7

DECAY_RELIEF = 0.65

PRIORITY_OF_REINFORCEMENT = 0.7
PRIORITY_OF_USAGE = 0.15
PRIORITY_OF_GOAL = 0.15

IDENTITY_OF_NOVELTY = 0.25
IDENTITY_OF_EMOTION = 0.20
IDENTITY_OF_CONTRADICTION = -0.30

#: How far policy and dependence on tools move, per distance from 0.5.
POLICY_STEP = 0.2
TOOL_STEP = 0.2

#: What counts as priority where there was no feedback.
NEUTRAL_PRIORITY = 0.5


class Reinforcement(NamedTuple):
    """What each evaluation gives, as columns."""

    reinforcement: NDArray[np.float64]
    decay_adjustment: NDArray[np.float64]
    retrieval_priority: NDArray[np.float64]
    policy_delta: NDArray[np.float64]
    identity_impact: NDArray[np.float64]
    tool_dependence_delta: NDArray[np.float64]


def channels(outcome: str, signals: Mapping[str, float]) -> tuple[float, ...]:
    """The signals in the order of CHANNELS, gaps filled with what the outcome says: one row for `reinforce`.

    Raises ValueError for an unknown outcome, an unknown channel, or a signal outside [0, 1]. Section 8.

    >>> channels("corrected", {"importance": 1.0})
    (1.0, 0.5, 0.1, 0.3, 0.0, 0.0, 0.9, 0.1, 0.5)
    """
    if outcome not in PRESETS:
        raise ValueError(f'"{outcome}" is not an outcome; these are: {", ".join(OUTCOMES)}')
    for name, value in signals.items():
        if name not in CHANNELS:
            raise ValueError(f'"{name}" is not a channel; these are: {", ".join(CHANNELS)}')
        if not 0 <= value <= 1:
            raise ValueError(f'the signal "{name}" must lie from 0 to 1, not {value:g}')
    filled = {**PRESETS[outcome], **signals}
    return tuple(float(filled[name]) for name in CHANNELS)


def reinforce(channels: ArrayLike) -> Reinforcement:
    """The six results of each evaluation.

    novelty'              = clamp01(0.7·novelty + 0.3·(1 − usage_frequency))
    reinforcement R       = clamp01(0.18·importance + 0.16·novelty' + 0.14·prediction_accuracy
                            + 0.12·emotional_weight + 0.14·goal_relevance + 0.16·policy_alignment
                            + 0.10·(1 − contradiction_risk))
    decay_adjustment      = clamp01(1 − 0.65·R)
    retrieval_priority    = clamp01(0.7·R + 0.15·usage_frequency + 0.15·goal_relevance)
    policy_delta          = clamp±1(0.2·(R − 0.5))
    identity_impact       = clamp±1(0.25·novelty + 0.20·emotional_weight − 0.30·contradiction_risk)
    tool_dependence_delta = clamp±1(0.2·(tool_usefulness − 0.5))

    `channels` is n × 9 in the order of CHANNELS, in [0, 1]; raises ValueError otherwise.
    Section 8; Cognitive Substrate, seven-channel feedback.

    >>> reinforce([channels("helpful", {})]).retrieval_priority.round(4).tolist()
    [0.6525]
    """
    given = np.asarray(channels, np.float64)
    if given.ndim != 2 or given.shape[1] != len(CHANNELS):
        raise ValueError(f"channels must be a matrix of {len(CHANNELS)} columns: {', '.join(CHANNELS)}")
    importance, usage, goal, novelty, accuracy, emotion, risk, alignment, tools = numbers(given, "channels", 0, 1).T
    fresh_novelty = _clamp(NOVELTY_ITSELF * novelty + (1 - NOVELTY_ITSELF) * (1 - usage))
    strength = _clamp(
        IMPORTANCE * importance
        + NOVELTY * fresh_novelty
        + PREDICTION_ACCURACY * accuracy
        + EMOTIONAL_WEIGHT * emotion
        + GOAL_RELEVANCE * goal
        + POLICY_ALIGNMENT * alignment
        + NO_CONTRADICTION_RISK * (1 - risk)
    )
    identity = IDENTITY_OF_NOVELTY * novelty + IDENTITY_OF_EMOTION * emotion + IDENTITY_OF_CONTRADICTION * risk
    return Reinforcement(
        reinforcement=strength,
        decay_adjustment=_clamp(1 - DECAY_RELIEF * strength),
        retrieval_priority=_clamp(
            PRIORITY_OF_REINFORCEMENT * strength + PRIORITY_OF_USAGE * usage + PRIORITY_OF_GOAL * goal
        ),
        policy_delta=_clamp(POLICY_STEP * (strength - 0.5), least=-1),
        identity_impact=_clamp(identity, least=-1),
        tool_dependence_delta=_clamp(TOOL_STEP * (tools - 0.5), least=-1),
    )


def compound(
    priority: ArrayLike,
    count: ArrayLike,
    reinforcement: ArrayLike,
    new_priority: ArrayLike,
    constants: Constants,
) -> NDArray[np.float64]:
    """priority := clamp01( old·p + new·(1 − p) + hebbian_count_bonus · log2(1 + count) · R ), old = new the first time.

    One evaluation of each fact: columns of the priority before it (not read the first time), the count with
    this evaluation in it, R, and what the evaluation gives; p = `hebbian_prior_weight`. The bonus is gated by R,
    so that count alone builds no strength. Raises ValueError for different lengths, a count below 1 or not whole,
    and a priority (where read) or R outside [0, 1] or NaN. Section 8; Cognitive Substrate.

    >>> compound([np.nan], [1], [0.5], [0.6], Constants()).round(3).tolist()
    [0.615]
    """
    times, before = whole(count, "count", 1), np.asarray(priority, np.float64)
    new, strength = numbers(new_priority, "new_priority", 0, 1), numbers(reinforcement, "reinforcement", 0, 1)
    same_length(priority=before, count=times, reinforcement=strength, new_priority=new)
    old = numbers(np.where(times == 1, new, before), "priority", 0, 1)
    kept = constants.hebbian_prior_weight
    bonus = constants.hebbian_count_bonus * np.log2(1.0 + times) * strength
    return _clamp(old * kept + new * (1 - kept) + bonus)


def ranking(relevance: ArrayLike, trust: ArrayLike, priority: ArrayLike) -> NDArray[np.float64]:
    """relevance · TRUST · (0.5 + 0.5·retrieval_priority), priority 0.5 where there was no feedback (NaN).

    Columns of one length, relevance in (0, 1], trust and priority in [0, 1]; raises ValueError otherwise.
    What agents are served by. Section 8.

    >>> ranking([1.0, 1.0], [0.8, 0.8], [1.0, np.nan]).round(3).tolist()
    [0.8, 0.6]
    """
    relevant, trusted = numbers(relevance, "relevance", ABOVE_0, 1), numbers(trust, "trust", 0, 1)
    useful = np.asarray(priority, np.float64)
    useful = numbers(np.where(np.isnan(useful), NEUTRAL_PRIORITY, useful), "priority", 0, 1)
    same_length(relevance=relevant, trust=trusted, priority=useful)
    return relevant * trusted * (0.5 + 0.5 * useful)


def ranking_by_freshness(relevance: ArrayLike, freshness: ArrayLike) -> NDArray[np.float64]:
    """relevance · Freshness: on request, and for people at the desk.

    Columns of one length, relevance in (0, 1], freshness in [0, 1]; raises ValueError otherwise. Section 8.

    >>> ranking_by_freshness([0.5], [0.5]).tolist()
    [0.25]
    """
    relevant, fresh = numbers(relevance, "relevance", ABOVE_0, 1), numbers(freshness, "freshness", 0, 1)
    same_length(relevance=relevant, freshness=fresh)
    return relevant * fresh


def suppressed(priority: ArrayLike, constants: Constants) -> NDArray[np.bool_]:
    """Whether a fact is left out of what agents retrieve: priority < suppress_threshold, never without feedback (NaN).

    >>> suppressed([0.1, 0.35, np.nan], Constants()).tolist()
    [True, False, False]
    """
    return np.asarray(priority, np.float64) < constants.suppress_threshold


def _clamp(column: NDArray[np.float64], least: float = 0) -> NDArray[np.float64]:
    return np.clip(column, least, 1)
