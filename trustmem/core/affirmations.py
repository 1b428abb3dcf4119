"""Re-affirmations: what makes a fact's weight stand anew, and revives what was pruned (section 7.4).

Each counts once, in the first weighing of its fact that knows of it. So they are kept as rows, one each, and
a flag a row says whether it was known when its fact was last weighed.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from trustmem.core.columns import Bools, History, Ints, is_any, latest_per_fact
from trustmem.core.statements import Standing, harmed
from trustmem.core.touches import Heard, Touches
from trustmem.core.vocabulary import CORROBORATED, RESTATED


class News(NamedTuple):
    """Over facts, the newest instant of what is new to each (NEVER: nothing); see `Findings`."""

    reaffirmed_at: Ints
    corroborated_at: Ints


@dataclass(frozen=True, slots=True)
class Affirmations:
    """Rows: restated and corroborated touches, then `accepted` and `restored`, then dismissals by harmed fact.

    `touch`, `statement` and `ruling` say which rows of their tables the three parts stand for.
    """

    touch: Ints
    statement: Ints
    ruling: Ints
    owner: Ints
    corroborates: Bools
    at_once: Bools

    @classmethod
    def of(cls, history: History, touches: Touches) -> Self:
        touch = np.flatnonzero(np.isin(touches.kind, (RESTATED, CORROBORATED)))
        statement = np.flatnonzero(is_any(history.statements.kind, "accepted", "restored"))
        dismissals = np.flatnonzero(~history.rulings.upheld)
        place, spared = harmed(history, history.rulings.of[dismissals])
        owner = np.concatenate([touches.fact[touch], history.statements.fact[statement], spared])
        corroborates = np.zeros(len(owner), bool)
        corroborates[: len(touch)] = touches.kind[touch] == CORROBORATED
        return cls(touch, statement, dismissals[place], owner, corroborates, np.arange(len(owner)) >= len(touch))

    def present(self, standing: Standing, heard: Heard) -> Bools:
        """Which there are by then; echo re-affirms nothing."""
        return np.concatenate(
            [
                heard.present[self.touch] & ~heard.echo[self.touch],
                standing.known[self.statement],
                standing.dismissals[self.ruling],
            ]
        )

    def news(self, fresh: Bools, history: History, heard: Heard) -> News:
        """The newest of the `fresh` rows of each fact."""
        at = np.concatenate(
            [heard.at[self.touch], history.statements.at[self.statement], history.rulings.at[self.ruling]]
        )

        def latest(chosen: Bools) -> Ints:
            return latest_per_fact(self.owner[chosen], at[chosen], len(history.facts))

        return News(latest(fresh & ~self.corroborates), latest(fresh & self.corroborates))

    def revived_at_once(self, fresh: Bools, n_facts: int) -> Bools:
        """Facts that `accepted`, `restored` or `dismissed` brings back without waiting for a pass."""
        revived = np.zeros(n_facts, bool)
        revived[self.owner[fresh & self.at_once]] = True
        return revived
