"""What holds at an instant: tiers, rulings, withdrawals, states, live edges (section 1).

All of it is a function of the set of lines that have arrived by then, but for one thing that passes
decide: which facts are `pruned`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trustmem.core.chains import chains
from trustmem.core.columns import CODE, Bools, Codes, History, Ints, distinct, is_any
from trustmem.core.instants import NEVER
from trustmem.core.vocabulary import ERASED, FORGOTTEN, HUMAN, LIVE, RELATIONS, TIERS

_LATE = np.iinfo(np.int64).max
_UPDATES = RELATIONS.index("updates")


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges, each once: positions of the newer (or deriving) and of the older fact, and the code of the relation."""

    newer: Ints
    older: Ints
    relation: Codes

    def __contains__(self, ends: tuple[int, int]) -> bool:
        """Whether an edge leads from the newer to the older of two facts."""
        return bool(((self.newer == ends[0]) & (self.older == ends[1])).any())

    def where(self, chosen: Bools) -> "Edges":
        return Edges(self.newer[chosen], self.older[chosen], self.relation[chosen])

    def of(self, relation: str) -> "Edges":
        return self.where(self.relation == RELATIONS.index(relation))

    def among(self, facts: Bools) -> "Edges":
        """The edges whose two ends are both among the chosen facts."""
        return self.where(facts[self.newer] & facts[self.older])

    def live(self, facts: Bools) -> "Edges":
        """The edges that are live, given which facts are: a pruned correction still supersedes."""
        return self.where((self.relation == _UPDATES) | facts[self.newer] & facts[self.older])

    def ends(self, n_facts: int) -> Bools:
        """Which facts stand at an end of an edge."""
        at_end = np.zeros(n_facts, bool)
        at_end[self.newer] = True
        at_end[self.older] = True
        return at_end


@dataclass(frozen=True)
class Standing:
    """How everything stands for one set of arrived lines.

    Over statements: `known` (arrived), `ruling` (the latest: 1 upheld, 0 dismissed, -1 none), `withdrawn`, `in_force`,
    `counted` (touches come from these), `challenges` (without effect until a person rules on them).
    Over facts: `arrived`, `tier`, `accepted`, `held` (LIVE, FORGOTTEN or ERASED, before pruning), `challenged`.
    `edges` are those that some assertion carries and neither of whose ends is forgotten or erased, but for updates on
    a cycle, which are the `circular` ones. An edge of another relation than `updates` waits while an end is pruned.
    """

    history: History
    until: int
    known: Bools
    ruling: Ints
    withdrawn: Bools
    in_force: Bools
    counted: Bools
    challenges: Bools
    arrived: Bools
    tier: Codes
    accepted: Bools
    held: Codes
    challenged: Bools
    edges: Edges
    circular: Edges
    depth: Ints

    @cached_property
    def rivals(self) -> Edges:
        """The contradictions among the edges; live while both ends are."""
        return self.edges.of("contradicts")

    @cached_property
    def superseded(self) -> Bools:
        return self.depth > 0

    @cached_property
    def dismissals(self) -> Bools:
        """Over rulings: the dismissals that have arrived; each re-affirms what its statement harmed."""
        rulings = self.history.rulings
        return ~rulings.upheld & (rulings.known_from <= self.until)


def standing(history: History, until: int | None = None) -> Standing:
    """How everything stood at `until` (microseconds); None: with all lines.

    A statement is in force if its author's tier is at least the tier that every fact it harms had at its `at`,
    unless a person's ruling says otherwise; else it is a challenge. Section 1.

    >>> from trustmem.core.constants import Constants
    >>> from trustmem.core.lines import Event, Fact
    >>> lines = [Fact(id="f", at=0, arrived=0), Event(id="e", kind="forgotten", fact="f", at=5, arrived=5)]
    >>> [standing(History.of(lines, Constants()), until).held.tolist() for until in (4, 5)]
    [[0], [2]]
    """
    end = _LATE if until is None else until
    facts, statements = history.facts, history.statements
    known = statements.known_from <= end
    accepted_at = _first_accepted(history, known)
    ruling = _rulings(history, end)
    reaches = _reaches(history, accepted_at)
    in_force = known & np.where(ruling >= 0, ruling == 1, reaches)
    withdrawn = _withdrawn(history, known)
    challenges = known & ~reaches & (ruling < 0) & ~withdrawn
    held = _held(history, known, in_force)
    edges = _edges(history, in_force & ~withdrawn, held)  # a removal withdraws itself
    updates = np.flatnonzero(edges.relation == _UPDATES)
    linked = chains(edges.newer[updates], edges.older[updates], len(facts))
    on_cycle = np.zeros(len(edges.newer), bool)
    on_cycle[updates] = linked.on_cycle
    return Standing(
        history=history,
        until=end,
        known=known,
        ruling=ruling,
        withdrawn=withdrawn,
        in_force=in_force,
        counted=in_force & ~statements.removed,
        challenges=challenges,
        arrived=facts.arrived <= end,
        tier=np.maximum(facts.tier, np.where(accepted_at < _LATE, HUMAN, 0)).astype(np.int8),
        accepted=accepted_at < _LATE,
        held=held,
        challenged=_challenged(history, challenges),
        edges=edges.where(~on_cycle),
        circular=edges.where(on_cycle),
        depth=linked.depth,
    )


def harmed(history: History, rows: Ints) -> tuple[Ints, Ints]:
    """(place in `rows`, fact) for each fact that the statements of these rows harm: both ends of a contradiction.

    `rows` are of harmful statements. Section 1, *Harmful statements*.

    >>> from trustmem.core.constants import Constants
    >>> from trustmem.core.lines import Edge, Fact
    >>> facts = [Fact(id="f", at=0, arrived=0), Fact(id="g", at=0, arrived=0)]
    >>> rivals = Edge(id="e", newer="g", relation="contradicts", older="f", at=1, arrived=1)
    >>> [column.tolist() for column in harmed(History.of([*facts, rivals], Constants()), np.array([0]))]
    [[0, 0], [0, 1]]
    """
    statements = history.statements
    both = np.flatnonzero(statements.kind[rows] == CODE["contradicts"])
    place = np.concatenate([np.arange(len(rows)), both])
    return place, np.concatenate([statements.fact[rows], statements.newer[rows[both]]])


def _first_accepted(history: History, known: Bools) -> Ints:
    first = np.full(len(history.facts), _LATE)
    rows = np.flatnonzero(known & is_any(history.statements.kind, "accepted"))
    np.minimum.at(first, history.statements.fact[rows], history.statements.at[rows])
    return first


def _rulings(history: History, end: int) -> Ints:
    """The latest ruling on each statement: 1 upheld, 0 dismissed, -1 none. Rows are in order, so the last wins."""
    rulings = history.rulings
    ruling = np.full(len(history.statements), -1)
    known = rulings.known_from <= end
    ruling[rulings.of[known]] = rulings.upheld[known]
    return ruling


def _reaches(history: History, accepted_at: Ints) -> Bools:
    """Whether each statement's author stands as high as all that it harms stood at its `at`."""
    facts, statements = history.facts, history.statements
    reaches = np.ones(len(statements), bool)
    rows = np.flatnonzero(statements.harmful)
    place, fact = harmed(history, rows)
    row = rows[place]
    then = np.maximum(facts.tier[fact], np.where(accepted_at[fact] <= statements.at[row], HUMAN, 0))
    np.logical_and.at(reaches, row, statements.tier[row] >= then)
    return reaches


def _withdrawn(history: History, known: Bools) -> Bools:
    """Assertions of an edge at or before a `removed` line for it by an author of the same tier or a higher one."""
    statements = history.statements
    withdrawn = np.zeros(len(statements), bool)
    for tier in range(len(TIERS)):
        last = np.full(statements.edge.max(initial=-1) + 1, NEVER)
        strong = known & statements.removed & (statements.tier >= tier)
        np.maximum.at(last, statements.edge[strong], statements.at[strong])
        asserted = np.flatnonzero((statements.edge >= 0) & (statements.tier == tier))
        withdrawn[asserted] = statements.at[asserted] <= last[statements.edge[asserted]]
    return withdrawn


def _held(history: History, known: Bools, in_force: Bools) -> Codes:
    """LIVE, FORGOTTEN or ERASED: the latest of what forgets and what restores decides; erased is final."""
    facts, statements = history.facts, history.statements
    deciding = in_force & is_any(statements.kind, "forgotten") | known & is_any(statements.kind, "restored")
    rows = np.flatnonzero(deciding)
    held = np.full(len(facts), LIVE, np.int8)
    held[statements.fact[rows]] = np.where(is_any(statements.kind[rows], "forgotten"), FORGOTTEN, LIVE)
    erasing = is_any(statements.kind, "erased")
    held[statements.fact[known & erasing]] = ERASED
    # A fact that travels erased was so from its birth on only where no line says when that was.
    told = np.isin(np.arange(len(facts)), statements.fact[erasing])
    held[facts.erased & ~told] = ERASED
    return held


def _edges(history: History, asserted: Bools, held: Codes) -> Edges:
    """Edges that some assertion carries and neither of whose ends is forgotten or erased."""
    statements = history.statements
    rows = np.flatnonzero(asserted & (statements.edge >= 0))
    rows = rows[distinct(statements.edge[rows])[1]]
    relation = (statements.kind[rows] - CODE[RELATIONS[0]]).astype(np.int8)
    return Edges(statements.newer[rows], statements.fact[rows], relation).among(held == LIVE)


def _challenged(history: History, challenges: Bools) -> Bools:
    """Facts that a challenge would harm."""
    return np.isin(np.arange(len(history.facts)), harmed(history, np.flatnonzero(challenges))[1])
