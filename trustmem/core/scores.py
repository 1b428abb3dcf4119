"""The scores of a folded space at an instant, every factor kept (sections 2 to 8)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trustmem.core.bands import band, flags
from trustmem.core.columns import Bools, Codes, Floats, Ints
from trustmem.core.fold import Folded, newest_evaluation
from trustmem.core.freshness import Activation, activation, freshness
from trustmem.core.opinion import opinion
from trustmem.core.reinforcement import compound
from trustmem.core.touches import reinforcements
from trustmem.core.trust import trust
from trustmem.core.vocabulary import LIVE


@dataclass(frozen=True, slots=True)
class Scores:
    """One row a fact, by id; names and meaning as in the Scores of an interchange file.

    `state`, `tier`, `scope` and `band` are codes of the vocabulary; `flags` is n × len(FLAGS), `notices`
    n × len(NOTICES), `reinforcement` n × 6. NaN stands for null.
    """

    ids: list[str]
    state: Codes
    tier: Codes
    accepted: Bools
    scope: Codes
    depth: Ints
    r: Ints
    s: Ints
    evidence: Ints
    contradictions: Ints
    use_count: Ints
    activation: Floats
    activation_without_use: Floats
    belief: Floats
    disbelief: Floats
    uncertainty: Floats
    base_rate: Floats
    confidence: Floats
    freshness: Floats
    freshness_without_use: Floats
    supersession: Floats
    provenance: Floats
    trust: Floats
    band: Codes
    flags: Bools
    derived_weight: Floats
    weight: Floats
    retrieval_priority: Floats
    reinforcement_count: Ints
    reinforcement: Floats
    notices: Bools

    def __len__(self) -> int:
        return len(self.ids)


def score(folded: Folded, now: int) -> Scores:
    """Every score of every fact at `now` (microseconds); weights are as of the last pass. Sections 2 to 8.

    Times after `now` count as now, and the fact has the notice `future-time`.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Fact
    >>> score(fold([Fact(id="f", at=0, arrived=0)]), now=7 * 86_400_000_000).trust.round(2).tolist()
    [0.38]
    """
    history, seen, constants = folded.history, folded.seen, folded.constants
    standing, counts = seen.standing, seen.counts
    activity = _activity(folded, now)
    without_use = freshness(activity.without_use, constants)
    opinions = opinion(counts.r, counts.s, standing.tier, constants)
    trusted = trust(counts.r, counts.s, standing.tier, activity.with_use, standing.depth, constants)
    priority, evaluated, newest = _feedback(folded)
    return Scores(
        ids=history.facts.ids,
        state=folded.state,
        tier=standing.tier,
        accepted=standing.accepted,
        scope=folded.weights.scope,
        depth=standing.depth,
        r=counts.r,
        s=counts.s,
        evidence=counts.evidence,
        contradictions=counts.contradictions,
        use_count=counts.use_count,
        activation=activity.with_use,
        activation_without_use=activity.without_use,
        belief=opinions.belief,
        disbelief=opinions.disbelief,
        uncertainty=opinions.uncertainty,
        base_rate=opinions.base_rate,
        confidence=trusted.confidence,
        freshness=trusted.freshness,
        freshness_without_use=without_use,
        supersession=trusted.supersession,
        provenance=trusted.provenance,
        trust=trusted.trust,
        band=band(trusted.trust, constants),
        flags=flags(
            depth=standing.depth,
            disbelief=opinions.disbelief,
            uncertainty=opinions.uncertainty,
            live_contradiction=standing.rivals.among(folded.state == LIVE),
            challenged=standing.challenged,
            activation=activity.with_use,
            freshness=trusted.freshness,
            freshness_without_use=without_use,
            constants=constants,
        ),
        derived_weight=folded.weights.derived,
        weight=folded.weight,
        retrieval_priority=priority,
        reinforcement_count=evaluated,
        reinforcement=newest,
        notices=np.column_stack([history.facts.bad_signature, _in_future(folded, now)]),
    )


def _activity(folded: Folded, now: int) -> Activation:
    facts, seen = folded.history.facts, folded.seen
    times = reinforcements(folded.touches, seen.heard, facts, seen.standing.arrived)
    return activation(
        times.at,
        times.owner,
        times.is_use,
        facts.baseline_count,
        facts.first_seen,
        now,
        folded.constants,
    )


def _feedback(folded: Folded) -> tuple[Floats, Ints, Floats]:
    """Retrieval priority compounded over all feedback in order, how much there was, and what the newest gave."""
    evaluations, constants, n = folded.history.evaluations, folded.constants, len(folded.history.facts)
    owner = folded.history.statements.fact[evaluations.statement]
    each = folded.reinforcement
    priority, evaluated = np.full(n, np.nan), np.zeros(n, np.int64)
    for rows in _rounds(owner):
        fact = owner[rows]
        evaluated[fact] += 1
        priority[fact] = compound(
            priority[fact], evaluated[fact], each.reinforcement[rows], each.retrieval_priority[rows], constants
        )
    newest = newest_evaluation(folded.history, folded.seen.standing.known)
    values = np.full((n, len(each)), np.nan)
    values[newest >= 0] = np.column_stack(each)[newest[newest >= 0]]
    return priority, evaluated, values


def _rounds(owner: Ints) -> Iterator[Ints]:
    """The first row of every owner, then the second of those that have one, and so on; within each, once an owner."""
    left = np.arange(len(owner))
    while len(left):
        first = np.unique(owner[left], return_index=True)[1]
        yield left[first]
        left = np.delete(left, first)


def _in_future(folded: Folded, now: int) -> Bools:
    history = folded.history
    ahead = history.facts.at > now
    late = np.flatnonzero(history.statements.at > now)
    ahead[history.statements.fact[late]] = True
    newer = history.statements.newer[late]
    ahead[newer[newer >= 0]] = True
    return ahead
