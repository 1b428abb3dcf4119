"""Weight: what a pass of consolidation does to each fact, step by step (section 7).

A pass takes what is stored of each fact (`Weights`) and what is known of it by then (`Findings`), both as
columns, and gives what is stored afterwards. Clocks are whole microseconds of running time.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trustmem.core.checks import ABOVE_0, codes, numbers, same_length, whole
from trustmem.core.columns import Bools, Codes, Floats, Ints
from trustmem.core.constants import Constants
from trustmem.core.instants import NEVER, days, span
from trustmem.core.statements import Edges
from trustmem.core.vocabulary import AUTO, GLOBAL, LIVE, PRODUCERS, SCOPES, SESSION

#: No stamp: the derived weight does not stand above the promotion threshold.
NO_STAMP = -1


def corroboration(evidence: ArrayLike, constants: Constants) -> Floats:
    """corrob(c) = corroboration_max · c / (c + corroboration_half_saturation); section 7.1, ADR-0091.
    Raises ValueError for evidence that is negative or not finite.

    >>> corroboration([0, 2], Constants()).tolist()
    [0.0, 0.125]
    """
    c = numbers(evidence, "evidence", 0)
    return constants.corroboration_max * c / (c + constants.corroboration_half_saturation)


def contradiction(contradictions: ArrayLike, constants: Constants) -> Floats:
    """contra(k) = min(contradiction_delta · k, contradiction_max); section 7.1, ADR-0091.
    Raises ValueError for contradictions that are negative or not finite.

    >>> contradiction([1, 9], Constants()).tolist()
    [0.1, 0.3]
    """
    k = numbers(contradictions, "contradictions", 0)
    return np.minimum(constants.contradiction_delta * k, constants.contradiction_max)


def birth_prior(producer: Codes, core: Bools, constants: Constants) -> Floats:
    """The prior of facts that come without one: `birth_weight` by producer, that of core for core facts; 7.1.
    Raises ValueError for codes that are no producer.

    >>> birth_prior(np.array([PRODUCERS.index("user"), 0], np.int8), np.array([False, True]), Constants()).tolist()
    [0.95, 1.0]
    """
    by_producer = np.array([getattr(constants.birth_weight, name) for name in PRODUCERS])
    return np.where(core, constants.birth_weight.core, by_producer[codes(producer, PRODUCERS, "producer")])


def migrated_prior(weight: Floats, evidence: ArrayLike, contradictions: ArrayLike, constants: Constants) -> Floats:
    """prior = weight − corrob(evidence) + contra(contradictions): a stored weight, normalised once; 7.1.

    >>> migrated_prior(np.array([0.8]), [2], [1], Constants()).round(3).tolist()
    [0.775]
    """
    return weight - corroboration(evidence, constants) + contradiction(contradictions, constants)


def derived_weight(
    prior: Floats, evidence: Ints, contradictions: Ints, superseded: Bools, core: Bools, constants: Constants
) -> Floats:
    """derivedW = clamp01(prior + corrob(evidence) − contra(contradictions) − superseded_penalty·superseded).

    Not core: at most max(reconfirm_cap, prior). Rounded to 12 decimals. Section 7.1, ADR-0091.

    >>> derived_weight(*map(np.array, ([0.7], [6], [1], [False], [False])), Constants()).tolist()
    [0.7875]
    """
    raw = (
        prior
        + corroboration(evidence, constants)
        - contradiction(contradictions, constants)
        - constants.superseded_penalty * superseded
    )
    cap = np.where(core, 1.0, np.maximum(constants.reconfirm_cap, prior))
    return np.round(np.clip(np.minimum(raw, cap), 0.0, 1.0), 12)


def half_life(
    scope: Codes, use_count: Ints, superseded: Bools, decay_adjustment: Floats, core: Bools, constants: Constants
) -> Floats:
    """h, in days: slowed by use, shortened by being superseded and by feedback; infinite for core. Section 7.3.

    h = scope's half-life · (1 + use_decay_slowing · min(use_count, cap)) · (superseded_half_life if superseded)
    · (decay_neutral / decay_adjustment if there was feedback; NaN: there was none)
    Raises ValueError for different lengths, no scope, uses below 0 or not whole, an adjustment outside (0, 1].

    >>> half_life(*map(np.array, ([SESSION], [2], [False], [np.nan], [False])), Constants()).tolist()
    [4.5]
    """
    codes(scope, SCOPES, "scope")
    whole(use_count, "use_count", 0)
    adjustment = np.where(np.isnan(decay_adjustment), constants.decay_neutral, decay_adjustment)
    numbers(adjustment, "decay_adjustment", ABOVE_0, 1)
    same_length(scope=scope, use_count=use_count, superseded=superseded, decay_adjustment=adjustment, core=core)
    base = np.where(scope == GLOBAL, constants.global_half_life_days, constants.session_half_life_days)
    use = 1 + constants.use_decay_slowing * np.minimum(use_count, constants.use_decay_slowing_cap)
    held = np.where(superseded, constants.superseded_half_life, 1.0)
    return np.where(core, np.inf, base * use * held * (constants.decay_neutral / adjustment))


def decayed(anchor: Floats, elapsed: Floats, half_life: Floats, scope: Codes, constants: Constants) -> Floats:
    """W = floor + (W_anchor − floor) · 2^(−elapsed/h) if W_anchor > floor and elapsed > 0, else W_anchor; 7.3.

    `elapsed` and `half_life` in days; the floor is `global_floor` for global facts, else 0. Unclamped.
    Raises ValueError for different lengths, no scope, an anchor or a time not finite, a half-life not above 0.

    >>> decayed(*map(np.array, ([0.8], [3.0], [3.0], [SESSION])), Constants()).tolist()
    [0.4]
    """
    anchor, elapsed = numbers(anchor, "anchor"), numbers(elapsed, "elapsed")
    half_life = numbers(half_life, "half_life", ABOVE_0, np.inf)
    same_length(anchor=anchor, elapsed=elapsed, half_life=half_life, scope=scope)
    floor = np.where(codes(scope, SCOPES, "scope") == GLOBAL, constants.global_floor, 0.0)
    decaying = (anchor > floor) & (elapsed > 0)
    return np.where(decaying, floor + (anchor - floor) * np.exp2(-np.maximum(elapsed, 0) / half_life), anchor)


def readable(weight: Floats) -> Floats:
    """The weight that readers see: clamped to [0, 1]; section 7.3.

    >>> readable(np.array([-0.2, 1.5])).tolist()
    [0.0, 1.0]
    """
    return np.clip(weight, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Clock:
    """The running clock: it runs only while the system does, at most `max_pass_gap_days` between passes; 7.2.

    `instants` and `clocks` of the passes in order; `gaps` is the most that it may run after each of them.
    """

    instants: Ints
    clocks: Ints
    gaps: Ints

    @classmethod
    def of(cls, instants: list[int], gap_days: list[float]) -> "Clock":
        """`gap_days`: before each pass and after the last. Raises ValueError for others and unordered `instants`."""
        at = whole(instants, "instants").astype(np.int64, copy=False)
        if len(gap_days) != len(at) + 1 or np.any(at[1:] < at[:-1]):
            raise ValueError(f"instants must be in order, and gap_days one more than these {len(at)}")
        gaps = np.array([span(each) for each in numbers(gap_days, "gap_days", 0).tolist()], np.int64)
        steps = np.minimum(np.diff(at, prepend=at[:1]), gaps[:-1])
        return cls(at, np.cumsum(steps), gaps[1:])

    def at(self, instant: ArrayLike) -> Ints:
        """clock(t) = 0 before the first pass, else C + min(t − T, gap) of the last pass at or before t.

        >>> int(Clock.of([0, 86_400_000_000], [1.0, 1.0, 1.0]).at(3 * 86_400_000_000)) / 86_400_000_000
        2.0
        """
        t = np.asarray(instant, np.int64)
        if not len(self.instants):
            return np.zeros(t.shape, np.int64)
        last = np.searchsorted(self.instants, t, side="right") - 1
        ran = self.clocks[last] + np.minimum(t - self.instants[last], self.gaps[last])
        return np.where(last < 0, 0, ran)


@dataclass(frozen=True, slots=True)
class Weights:
    """What consolidation stores of each fact.

    `anchor` is W at clock `anchored_at`; `derived` and `half_life` (days) are as last weighed; `stamp` is the
    clock since which the derived weight has stood above the threshold (NO_STAMP: it does not); `lapsed` says
    that the fact was pruned since it was last weighed.
    """

    scope: Codes
    pruned: Bools
    lapsed: Bools
    derived: Floats
    half_life: Floats
    anchor: Floats
    anchored_at: Ints
    stamp: Ints

    def at(self, clock: ArrayLike, constants: Constants) -> Floats:
        """W(c), unclamped."""
        elapsed = days(np.asarray(clock, np.int64) - self.anchored_at)
        return decayed(self.anchor, elapsed, self.half_life, self.scope, constants)


class Findings(NamedTuple):
    """What a pass knows of each fact.

    `held` as in `Standing`, of facts that have arrived (`arrived`). `reaffirmed_at` is the instant of the newest
    re-affirmation that is new since the fact was last weighed, of the kinds that re-anchor (NEVER: none);
    `corroborated_at` likewise of corroborated touches, which re-anchor only what had lapsed. `decay_adjustment` is
    that of the newest feedback, or NaN.
    """

    arrived: Bools
    held: Codes
    tier: Codes
    core: Bools
    by_user: Bools
    accepted: Bools
    prior: Floats
    evidence: Ints
    contradictions: Ints
    use_count: Ints
    superseded: Bools
    decay_adjustment: Floats
    reaffirmed_at: Ints
    corroborated_at: Ints

    def live(self, weights: Weights) -> Bools:
        """Which facts are live, given what passes have pruned."""
        live: Bools = self.arrived & (self.held == LIVE) & ~weights.pruned
        return live


def effective_prior(prior: Floats, accepted: Bools, constants: Constants) -> Floats:
    """From `accepted` on, the prior is at least that of `user`; section 7.1.

    >>> effective_prior(np.array([0.6]), np.array([True]), Constants()).tolist()
    [0.95]
    """
    return np.where(accepted, np.maximum(prior, constants.birth_weight.user), prior)


def revive(weights: Weights, findings: Findings) -> Weights:
    """Step 1: a pruned fact lives again if a new re-affirmation reached it: one that re-anchors, or a corroboration.

    Section 7.4.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Event, Fact, Pass
    >>> lines = [Fact(id="f", at=0, arrived=0, prior=0.04), Event(id="e", kind="restated", fact="f", at=2, arrived=2)]
    >>> [fold(lines, [Pass(1), Pass(at)]).stored.weights.pruned.tolist() for at in (1, 3)]
    [[True], [False]]
    """
    reached = np.maximum(findings.reaffirmed_at, findings.corroborated_at) > NEVER
    return replace(weights, pruned=weights.pruned & ~reached)


def weigh(weights: Weights, findings: Findings, clock: Clock, now: int, constants: Constants) -> Weights:
    """Step 2: each live fact is weighed; a re-affirmation re-anchors it, any other change moves its anchor.

    re-affirmed:           W_anchor := derivedW, c_anchor := clock(the newest re-affirmation)
    derivedW or h changed: W_anchor := W(C) under the h before + derivedW(after) − derivedW(before), c_anchor := C

    `now` is the instant of the pass; what is said to have happened later counts as now. Section 7.4.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Event, Fact, Pass
    >>> lines = [Fact(id="f", at=0, arrived=0, prior=0.5), Event(id="e", kind="restated", fact="f", at=2, arrived=2)]
    >>> [fold(lines, [Pass(at)]).stored.weights.anchor.round(3).tolist() for at in (1, 3)]
    [[0.5], [0.583]]
    """
    live = findings.live(weights)
    prior = effective_prior(findings.prior, findings.accepted, constants)
    derived = derived_weight(
        prior, findings.evidence, findings.contradictions, findings.superseded, findings.core, constants
    )
    h = half_life(
        weights.scope, findings.use_count, findings.superseded, findings.decay_adjustment, findings.core, constants
    )
    at = np.maximum(findings.reaffirmed_at, np.where(weights.lapsed, findings.corroborated_at, NEVER))
    reaffirmed = live & (at > NEVER)
    changed = live & ~reaffirmed & ((derived != weights.derived) | (h != weights.half_life))
    moved = weights.at(clock.at(now), constants) + derived - weights.derived
    return replace(
        weights,
        anchor=np.select([reaffirmed, changed], [derived, moved], weights.anchor),
        anchored_at=np.select(
            [reaffirmed, changed], [clock.at(np.minimum(at, now)), clock.at(now)], weights.anchored_at
        ),
        derived=np.where(live, derived, weights.derived),
        half_life=np.where(live, h, weights.half_life),
        lapsed=weights.lapsed & ~live,
    )


def prune(weights: Weights, findings: Findings, clock: int, constants: Constants) -> Weights:
    """Step 3: live facts with tier = auto, not core, and W(C) < prune_threshold are pruned. `clock` is C; section 7.4.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Event, Fact, Pass
    >>> facts = [Fact(id="f", at=0, arrived=0, prior=0.04), Fact(id="g", at=0, arrived=0, prior=0.04, tier="human")]
    >>> fold(facts, [Pass(1)]).stored.weights.pruned.tolist()
    [True, False]
    """
    faded = (
        findings.live(weights)
        & (findings.tier == AUTO)
        & ~findings.core
        & (readable(weights.at(clock, constants)) < constants.prune_threshold)
    )
    return replace(weights, pruned=weights.pruned | faded, lapsed=weights.lapsed | faded)


def stamp(weights: Weights, findings: Findings, clock: int, constants: Constants) -> Weights:
    """Step 4: since which clock derivedW ≥ promote_threshold of each live fact; NO_STAMP where it is not. Section 7.4.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Event, Fact, Pass
    >>> facts = [Fact(id="f", at=0, arrived=0, prior=0.8), Fact(id="g", at=0, arrived=0, prior=0.7)]
    >>> fold(facts, [Pass(1), Pass(5)]).stored.weights.stamp.tolist()
    [0, -1]
    """
    above = weights.derived >= constants.promote_threshold
    stamped = np.where(above, np.where(weights.stamp == NO_STAMP, clock, weights.stamp), NO_STAMP)
    return replace(weights, stamp=np.where(findings.live(weights), stamped, weights.stamp))


class Promotion(NamedTuple):
    """Over facts: which session facts become global, and which would have but are disputed or superseded."""

    promoted: Bools
    deferred: Bools


def promotion(weights: Weights, findings: Findings, disputed: Bools, clock: int, constants: Constants) -> Promotion:
    """Step 5: which live session facts become global, and which would but for a dispute or a newer claim.

    fast:  core, producer user or accepted, and derivedW ≥ promote_threshold
    else:  that, evidence ≥ promote_evidence and C − above_threshold_since ≥ promote_stable_days

    `disputed` has a live `contradicts` edge as edges stand after pruning; `clock` is C. Section 7.4.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Event, Fact, Pass
    >>> facts = [Fact(id="f", at=0, arrived=0, producer="user"), Fact(id="g", at=0, arrived=0)]
    >>> (fold(facts, [Pass(1)]).stored.weights.scope == GLOBAL).tolist()
    [True, False]
    """
    candidates = findings.live(weights) & (weights.scope == SESSION) & (weights.derived >= constants.promote_threshold)
    fast = findings.core | findings.by_user | findings.accepted
    stable = (weights.stamp != NO_STAMP) & (clock - weights.stamp >= span(constants.promote_stable_days))
    ready = candidates & (fast | (findings.evidence >= constants.promote_evidence) & stable)
    held_back = disputed | findings.superseded
    return Promotion(ready & ~held_back, ready & held_back)


def promote(weights: Weights, findings: Findings, promoted: Bools, clock: int, constants: Constants) -> Weights:
    """Step 5: the `promoted` become global: W_anchor := W(C), c_anchor := C, h the global one from the next pass on.

    Section 7.4.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Event, Fact, Pass
    >>> fold([Fact(id="f", at=0, arrived=0, producer="user")], [Pass(1)]).stored.weights.half_life.tolist()
    [60.0]
    """
    scope = np.where(promoted, GLOBAL, weights.scope).astype(np.int8)
    h = half_life(scope, findings.use_count, findings.superseded, findings.decay_adjustment, findings.core, constants)
    return replace(
        weights,
        scope=scope,
        anchor=np.where(promoted, weights.at(clock, constants), weights.anchor),
        anchored_at=np.where(promoted, clock, weights.anchored_at),
        half_life=np.where(promoted, h, weights.half_life),
    )


class Outcome(NamedTuple):
    """What a pass leaves: the weights, and over facts which it weighed, promoted and held back from promotion."""

    weights: Weights
    weighed: Bools
    promoted: Bools
    deferred: Bools


def consolidate(
    weights: Weights, findings: Findings, rivals: Edges, clock: Clock, instant: int, constants: Constants
) -> Outcome:
    """One pass at an instant, all five steps. `rivals` are the contradictions in force, as in `Standing`.

    Running the same pass again changes nothing. Section 7.4.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Event, Fact, Pass
    >>> weights = fold([Fact(id="f", at=0, arrived=0, producer="user", prior=0.9)], [Pass(1)]).stored.weights
    >>> (weights.scope == GLOBAL).tolist(), weights.anchor.tolist(), weights.stamp.tolist()
    ([True], [0.9], [0])
    """
    now = int(clock.at(instant))
    weights = revive(weights, findings)
    weighed = findings.live(weights)
    weights = weigh(weights, findings, clock, instant, constants)
    weights = prune(weights, findings, now, constants)
    weights = stamp(weights, findings, now, constants)
    live = findings.live(weights)
    disputed = rivals.among(live).ends(len(live))
    promoted, deferred = promotion(weights, findings, disputed, now, constants)
    weights = promote(weights, findings, promoted, now, constants)
    return Outcome(weights, weighed, promoted, deferred)
