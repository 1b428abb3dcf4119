"""The scores of a space at an instant, every factor kept (sections 2 to 8)."""

from dataclasses import dataclass

import numpy as np

from trustmem.core.bands import band, flags
from trustmem.core.columns import Bools, Codes, Floats, Ints
from trustmem.core.freshness import Activation, activation, freshness
from trustmem.core.opinion import opinion
from trustmem.core.stored import Stored
from trustmem.core.trust import trust


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
    dismissible: Bools
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


def score(stored: Stored, now: int, active: Activation | None = None) -> Scores:
    """Every score of every fact at `now` (microseconds); weights are as of the last pass. `active` is B at that
    instant, where it is known already. Sections 2 to 8.

    Times after `now` count as now, and the fact has the notice `future-time`.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Fact
    >>> score(fold([Fact(id="f", at=0, arrived=0)]).stored, now=7 * 86_400_000_000).trust.round(2).tolist()
    [0.38]
    """
    constants = stored.constants
    active = active or _active(stored, now)
    without_use = freshness(active.without_use, constants)
    opinions = opinion(stored.r, stored.s, stored.tier, constants)
    trusted = trust(stored.r, stored.s, stored.tier, active.with_use, stored.depth, constants)
    return Scores(
        ids=stored.ids,
        state=stored.state,
        tier=stored.tier,
        accepted=stored.accepted,
        scope=stored.weights.scope,
        depth=stored.depth,
        r=stored.r,
        s=stored.s,
        evidence=stored.evidence,
        contradictions=stored.contradictions,
        use_count=stored.use_count,
        dismissible=stored.dismissible,
        activation=active.with_use,
        activation_without_use=active.without_use,
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
            depth=stored.depth,
            disbelief=opinions.disbelief,
            uncertainty=opinions.uncertainty,
            live_contradiction=stored.contradicted,
            challenged=stored.challenged,
            activation=active.with_use,
            freshness=trusted.freshness,
            freshness_without_use=without_use,
            constants=constants,
        ),
        derived_weight=stored.weights.derived,
        weight=stored.weight,
        retrieval_priority=stored.retrieval_priority,
        reinforcement_count=stored.reinforcement_count,
        reinforcement=stored.reinforcement,
        notices=np.column_stack([stored.bad_signature, stored.latest_at > now]),
    )


def _active(stored: Stored, now: int) -> Activation:
    times = stored.reinforcements
    counted, since = stored.baseline_count, stored.first_seen
    return activation(times.at, times.owner, times.is_use, counted, since, now, stored.constants)
