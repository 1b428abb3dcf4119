"""What is kept of each fact: all that a score, a list or a page needs, one column each."""

from dataclasses import dataclass

from trustmem.core.affirmations import News
from trustmem.core.columns import Bools, Codes, Floats, Ints
from trustmem.core.consolidation import Weights
from trustmem.core.constants import Constants
from trustmem.core.statements import Edges
from trustmem.core.touches import Reinforcements
from trustmem.core.vocabulary import LIVE


@dataclass(frozen=True, slots=True)
class Stored:
    """The facts of a space, one row each, by id; NaN stands for null.

    `state` and `tier` are codes; `prior` is as set at birth; `weights` are as the last pass left them and `weight` is
    what they then read (W, clamped). `contradicted`: at an end of a live `contradicts` edge; `dismissible`: see
    `Counts`. `latest_at` is the latest instant of anything said about the fact. `baseline_count` and `first_seen` are
    n0 and its L; `reinforcements` the times that stand beside it. `reinforcement` is n × 6, what section 8 gives for
    the newest feedback.
    `edges` are those that some assertion carries and neither of whose ends is forgotten or erased; `constants` those in
    force.

    What the next pass starts from: `core` and `by_user` are as born; `news` is what is new since each fact was last
    weighed; `weighed_at` is the instant of the pass that did so (NEVER: none did), but EVER for a live fact that the
    last pass has not left out.
    """

    ids: list[str]
    core: Bools
    by_user: Bools
    state: Codes
    tier: Codes
    accepted: Bools
    depth: Ints
    r: Ints
    s: Ints
    evidence: Ints
    contradictions: Ints
    use_count: Ints
    dismissible: Bools
    challenged: Bools
    contradicted: Bools
    bad_signature: Bools
    latest_at: Ints
    baseline_count: Ints
    first_seen: Ints
    reinforcements: Reinforcements
    prior: Floats
    weights: Weights
    weight: Floats
    news: News
    weighed_at: Ints
    retrieval_priority: Floats
    reinforcement_count: Ints
    reinforcement: Floats
    edges: Edges
    constants: Constants

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def live_edges(self) -> Edges:
        """The edges that are live: all are between live facts, but for updates, which a pruned end keeps alive."""
        return self.edges.live(self.state == LIVE)
