"""One pass over what is stored: it comes to what `fold` comes to, and looks at no history (section 7.4)."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from trustmem.core.affirmations import News
from trustmem.core.columns import Bools
from trustmem.core.consolidation import Clock, Findings, Weights, consolidate, readable
from trustmem.core.instants import EVER, NEVER
from trustmem.core.reinforcement import Reinforcement
from trustmem.core.stored import Stored
from trustmem.core.vocabulary import LIVE, PRUNED

_DECAY_ADJUSTMENT = Reinforcement._fields.index("decay_adjustment")


class PassTaken(NamedTuple):
    """What a pass did: at which instant and clock, what was stored before and after, and whom it promoted or not.

    An undone pass has `counts` False and changed nothing.
    """

    instant: int
    clock: int
    counts: bool
    before: Weights
    after: Weights
    weighed: Bools
    promoted: Bools
    deferred: Bools


def take(stored: Stored, clock: Clock) -> tuple[Stored, PassTaken]:
    """What stands after the last pass of `clock`, of which `stored` knows nothing yet; and what it did.

    All that is said about these facts must have arrived by then; every fact that contradicts one of them must be among
    them. Sections 7.2 and 7.4.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Fact
    >>> born = fold([Fact(id="f", at=0, arrived=0, producer="user")]).stored
    >>> after, taken = take(born, Clock.of([1], [1.0, 1.0]))
    >>> after.weights.scope.tolist(), taken.promoted.tolist()
    ([1], [True])
    """
    instant, now = int(clock.instants[-1]), int(clock.clocks[-1])
    # A birth that is still to come counts as the instant of the first pass that meets the fact.
    before = replace(stored.weights, anchored_at=np.minimum(stored.weights.anchored_at, now))
    findings, rivals = _findings(stored), stored.edges.of("contradicts")
    weights, weighed, promoted, deferred = consolidate(before, findings, rivals, clock, instant, stored.constants)
    state = np.where((findings.held == LIVE) & weights.pruned, PRUNED, findings.held).astype(np.int8)
    after = replace(
        stored,
        state=state,
        contradicted=rivals.live(state == LIVE).ends(len(stored)),
        weights=weights,
        weight=readable(weights.at(now, stored.constants)),
        news=News(*(np.where(weighed, NEVER, each) for each in stored.news)),
        weighed_at=np.where(weighed, np.where(state == LIVE, EVER, instant), stored.weighed_at),
    )
    return after, PassTaken(instant, now, True, before, weights, weighed, promoted, deferred)


def _findings(stored: Stored) -> Findings:
    return Findings(
        arrived=np.ones(len(stored), bool),
        held=np.where(stored.state == PRUNED, LIVE, stored.state).astype(np.int8),
        tier=stored.tier,
        core=stored.core,
        by_user=stored.by_user,
        accepted=stored.accepted,
        prior=stored.prior,
        evidence=stored.evidence,
        contradictions=stored.contradictions,
        use_count=stored.use_count,
        superseded=stored.depth > 0,
        decay_adjustment=stored.reinforcement[:, _DECAY_ADJUSTMENT],
        reaffirmed_at=stored.news.reaffirmed_at,
        corroborated_at=stored.news.corroborated_at,
    )
