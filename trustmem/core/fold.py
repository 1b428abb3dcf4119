"""The definition: from nothing but lines and passes to the state of a space (sections 1 and 7).

Import, rebuild, undo, preview and every faster path must equal `fold`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trustmem.core.affirmations import Affirmations, News
from trustmem.core.columns import Bools, Floats, History, Ints, latest_per_fact
from trustmem.core.consolidation import (
    NO_STAMP,
    Clock,
    Findings,
    Outcome,
    Weights,
    birth_prior,
    consolidate,
    derived_weight,
    half_life,
    migrated_prior,
    readable,
)
from trustmem.core.constants import Constants
from trustmem.core.instants import EVER, NEVER
from trustmem.core.lines import Line, Pass
from trustmem.core.passes import PassTaken
from trustmem.core.reinforcement import Reinforcement, compound, reinforce
from trustmem.core.statements import Standing, standing
from trustmem.core.stored import Stored
from trustmem.core.touches import Counts, Heard, Touches, count, heard, reinforcements
from trustmem.core.undo import standing_lines, timetable
from trustmem.core.vocabulary import LIVE, PRODUCERS, PRUNED

_USER = PRODUCERS.index("user")
_NO_PASS = np.iinfo(np.int64).max
_DECAY_ADJUSTMENT = Reinforcement._fields.index("decay_adjustment")


class Seen(NamedTuple):
    """What one set of arrived lines says; the passes in between change nothing of it."""

    standing: Standing
    heard: Heard
    counts: Counts


@dataclass(frozen=True, slots=True)
class Folded:
    """A space after all its lines and passes: what is `stored` of its facts, and how that came about.

    `seen` is as of all lines. `promotion_deferred` is summed over all passes. `void` are the acts that were undone.
    """

    void: frozenset[str]
    history: History
    touches: Touches
    seen: Seen
    clock: Clock
    stored: Stored
    promotion_deferred: int


def fold(
    lines: Iterable[Line],
    passes: Iterable[Pass] = (),
    constants: Constants | None = None,
    *,
    watch: Callable[[PassTaken], None] | None = None,
    kept: Stored | None = None,
) -> Folded:
    """The state of a space, from all that ever happened in it.

    `lines` may come in any order and more than once; lines that name something unknown wait, without effect.
    A pass at T folds exactly what has arrived by T. `constants` are in force until a line changes them
    (default: those of section 11). `watch` is told of every pass as it is taken. `kept` is what the passes have left
    of some facts, about which no line has come since that had arrived by the last pass, nor gone that had: their passes
    are not taken again.
    Raises ConstantError where a constants line is out of bounds. Sections 1 and 7.

    >>> from trustmem.core.lines import Fact
    >>> fold([Fact(id="f", at=0, arrived=0)]).history.facts.ids
    ['f']
    """
    counted, void = standing_lines(lines)
    first_to_arrive = {line.id: line for line in sorted(counted, key=lambda line: line.arrived, reverse=True)}
    history = History.of(first_to_arrive.values(), constants or Constants())
    walk = _Walk(void, history, timetable(passes, void))
    if kept is not None:
        walk.take_up(kept)
        return walk.end()
    for instant, counts in walk.course:
        taken = walk.take(instant, counts)
        if watch:
            watch(taken)
    return walk.end()


class _Walk:
    """One walk of a history through its passes, and what it carries from pass to pass.

    `known` says which re-affirmations were known when their facts were last weighed, which was at `weighed_at`.
    """

    def __init__(self, void: frozenset[str], history: History, course: Sequence[tuple[int, bool]]) -> None:
        self.void = void
        self.history = history
        self.course = course
        self.touches = Touches.of(history)
        self.affirmations = Affirmations.of(history, self.touches)
        self.reinforcement = reinforce(history.evaluations.channels)
        in_force = [history.constants_at(instant) for instant, _ in course] + [history.constants_at(None)]
        self.clock = Clock.of([instant for instant, _ in course], [each.max_pass_gap_days for each in in_force])
        self.arrivals = _arrivals(history)
        self.looks: tuple[int, Seen] | None = None
        self.weights, self.prior = _birth(history, course, self.clock)
        self.known = np.zeros(len(self.affirmations.owner), bool)
        self.weighed_at = np.full(len(history.facts), NEVER)
        self.last_weighing = max((instant for instant, counts in course if counts), default=NEVER)
        self.deferred = 0

    def take_up(self, kept: Stored) -> None:
        """Stand where the last pass has left these facts; the others have come since."""
        place = {id: row for row, id in enumerate(self.history.facts.ids)}
        theirs = np.array([row for row, id in enumerate(kept.ids) if id in place], np.int64)
        ours = np.array([place[id] for id in kept.ids if id in place], np.int64)
        self.weights = Weights(
            **{
                each.name: _with(getattr(self.weights, each.name), ours, getattr(kept.weights, each.name)[theirs])
                for each in fields(Weights)
            }
        )
        self.prior = _with(self.prior, ours, kept.prior[theirs])
        had_come = self.history.facts.arrived[ours] <= self.last_weighing
        weighed_at = np.where(had_come, np.minimum(kept.weighed_at[theirs], self.last_weighing), NEVER)
        self.weighed_at = _with(self.weighed_at, ours, weighed_at)
        for instant in np.unique(weighed_at[weighed_at > NEVER]).tolist():
            seen = self._look(instant)
            then = self.affirmations.present(seen.standing, seen.heard)
            self.known |= then & (self.weighed_at == instant)[self.affirmations.owner]

    def take(self, instant: int, counts: bool) -> PassTaken:
        clock, before = int(self.clock.at(instant)), self.weights
        if not counts:
            nobody = np.zeros(len(self.history.facts), bool)
            return PassTaken(instant, clock, False, before, before, nobody, nobody, nobody)
        outcome = self._consolidated(instant)
        self.weights = outcome.weights
        self.deferred += int(outcome.deferred.sum())
        return PassTaken(instant, clock, True, before, *outcome)

    def _consolidated(self, instant: int) -> Outcome:
        seen = self._look(instant)
        present = self.affirmations.present(seen.standing, seen.heard)
        news = self.affirmations.news(present & ~self.known, self.history, seen.heard)
        findings, rivals = self._findings(seen, news), seen.standing.rivals
        constants = self.history.constants_at(instant)
        outcome = consolidate(self.weights, findings, rivals, self.clock, instant, constants)
        self.known = np.where(outcome.weighed[self.affirmations.owner], present, self.known)
        self.weighed_at = np.where(outcome.weighed, instant, self.weighed_at)
        return outcome

    def end(self) -> Folded:
        """The space once the last line is in."""
        seen = self._look(None)
        return Folded(
            void=self.void,
            history=self.history,
            touches=self.touches,
            seen=seen,
            clock=self.clock,
            stored=self._stored(seen),
            promotion_deferred=self.deferred,
        )

    def _stored(self, seen: Seen) -> Stored:
        facts, standing, counts = self.history.facts, seen.standing, seen.counts
        news = self.affirmations.present(standing, seen.heard) & ~self.known
        # What a person's word has brought back since the last pass has not waited for the next.
        pruned = self.weights.pruned & ~self.affirmations.revived_at_once(news, len(facts))
        state = np.where((standing.held == LIVE) & pruned, PRUNED, standing.held).astype(np.int8)
        left_out = (facts.arrived <= self.last_weighing) & (self.weighed_at < self.last_weighing)
        priority, evaluated = _compounded(self.history, self.reinforcement, self.history.constants_at(None))
        return Stored(
            ids=facts.ids,
            core=facts.core,
            by_user=facts.producer == _USER,
            state=state,
            tier=standing.tier,
            accepted=standing.accepted,
            depth=standing.depth,
            r=counts.r,
            s=counts.s,
            evidence=counts.evidence,
            contradictions=counts.contradictions,
            use_count=counts.use_count,
            dismissible=counts.dismissible,
            challenged=standing.challenged,
            contradicted=standing.rivals.live(state == LIVE).ends(len(facts)),
            bad_signature=facts.bad_signature,
            latest_at=_latest_at(self.history),
            baseline_count=facts.baseline_count,
            first_seen=facts.first_seen,
            reinforcements=reinforcements(self.touches, seen.heard, facts),
            prior=self.prior,
            weights=self.weights,
            weight=readable(self.weights.at(*self._last_reading())),
            news=self.affirmations.news(news, self.history, seen.heard),
            weighed_at=np.where((state == LIVE) & ~left_out, EVER, self.weighed_at),
            retrieval_priority=priority,
            reinforcement_count=evaluated,
            reinforcement=self._newest_feedback(standing.known),
            edges=standing.edges,
            constants=self.history.constants_at(None),
        )

    def _last_reading(self) -> tuple[int, Constants]:
        """The clock of the last pass and the constants then in force; before any pass, 0 and the newest."""
        last = self.course[-1][0] if self.course else None
        return (0 if last is None else int(self.clock.at(last))), self.history.constants_at(last)

    def _look(self, until: int | None) -> Seen:
        """What the lines say that have arrived; looked at anew only where some have arrived since."""
        arrived = len(self.arrivals) if until is None else int(np.searchsorted(self.arrivals, until, side="right"))
        if self.looks is None or self.looks[0] != arrived:
            stands = standing(self.history, until)
            told = heard(self.touches, self.history.statements.at, stands.counted)
            counts = count(self.touches, told, self.history.facts, self.history.constants_at(until))
            self.looks = arrived, Seen(stands, told, counts)
        return self.looks[1]

    def _findings(self, seen: Seen, news: News) -> Findings:
        facts = self.history.facts
        return Findings(
            arrived=seen.standing.arrived,
            held=seen.standing.held,
            tier=seen.standing.tier,
            core=facts.core,
            by_user=facts.producer == _USER,
            accepted=seen.standing.accepted,
            prior=self.prior,
            evidence=seen.counts.evidence,
            contradictions=seen.counts.contradictions,
            use_count=seen.counts.use_count,
            superseded=seen.standing.superseded,
            decay_adjustment=self._newest_feedback(seen.standing.known)[:, _DECAY_ADJUSTMENT],
            reaffirmed_at=news.reaffirmed_at,
            corroborated_at=news.corroborated_at,
        )

    def _newest_feedback(self, known: Bools) -> Floats:
        """What section 8 gives for each fact's newest feedback among the known statements, n × 6; NaN for none."""
        evaluations, n = self.history.evaluations, len(self.history.facts)
        rows = np.flatnonzero(known[evaluations.statement])
        values = np.full((n, len(self.reinforcement)), np.nan)
        # Rows stand in order, so that the newest comes last and stays.
        values[self.history.statements.fact[evaluations.statement[rows]]] = np.column_stack(self.reinforcement)[rows]
        return values


def _with(column: NDArray[Any], rows: Ints, values: NDArray[Any]) -> NDArray[Any]:
    """The column, with these values in these rows."""
    changed = column.copy()
    changed[rows] = values
    return changed


def _compounded(history: History, each: Reinforcement, constants: Constants) -> tuple[Floats, Ints]:
    """Retrieval priority of each fact over all its feedback in order (NaN without any), and how much there was."""
    owner, n = history.statements.fact[history.evaluations.statement], len(history.facts)
    priority, evaluated = np.full(n, np.nan), np.zeros(n, np.int64)
    for rows in _rounds(owner):
        fact = owner[rows]
        evaluated[fact] += 1
        new = each.retrieval_priority[rows]
        priority[fact] = compound(priority[fact], evaluated[fact], each.reinforcement[rows], new, constants)
    return priority, evaluated


def _rounds(owner: Ints) -> Iterator[Ints]:
    """The first row of every owner, then the second of those that have one, and so on."""
    by_owner = np.argsort(owner, kind="stable")
    turn = np.arange(len(owner)) - np.searchsorted(owner[by_owner], owner[by_owner])
    by_turn = by_owner[np.argsort(turn, kind="stable")]
    yield from np.split(by_turn, np.flatnonzero(np.diff(np.sort(turn))) + 1) if len(owner) else ()


def _latest_at(history: History) -> Ints:
    """The latest instant of anything said about each fact, its birth included."""
    statements, n = history.statements, len(history.facts)
    linked = statements.newer >= 0
    said = latest_per_fact(statements.fact, statements.at, n)
    asserted = latest_per_fact(statements.newer[linked], statements.at[linked], n)
    latest: Ints = np.maximum.reduce([history.facts.at, said, asserted])
    return latest


def _arrivals(history: History) -> Ints:
    """Every instant at which something comes to be known, in order."""
    since = np.array([instant for instant, _ in history.versions], np.int64)
    parts = [history.facts.arrived, history.statements.known_from, history.rulings.known_from, since]
    return np.sort(np.concatenate(parts))


def _birth(history: History, course: Sequence[tuple[int, bool]], clock: Clock) -> tuple[Weights, Floats]:
    """Weights and priors as facts are born: with the baseline's counts alone, under the constants then in force.

    A birth that is still to come when the first pass meets the fact counts as that pass's instant.
    """
    facts = history.facts
    folding = np.array([instant for instant, counts in course if counts] + [_NO_PASS], np.int64)
    met = folding[np.searchsorted(folding, facts.arrived)]
    n = len(facts)
    prior, derived, h = np.zeros(n), np.zeros(n), np.zeros(n)
    version = np.searchsorted([since for since, _ in history.versions], facts.arrived, side="right") - 1
    no, nothing = np.zeros(n, bool), np.full(n, np.nan)
    for number in np.unique(version):
        constants, born = history.versions[number][1], np.flatnonzero(version == number)
        prior[born] = _prior(history, born, constants)
        counts = facts.baseline_evidence[born], facts.baseline_contradictions[born]
        core = facts.core[born]
        derived[born] = derived_weight(prior[born], *counts, no[born], core, constants)
        uses = facts.baseline_uses[born]
        h[born] = half_life(facts.scope[born], uses, no[born], nothing[born], core, constants)
    weights = Weights(
        scope=facts.scope,
        pruned=no,
        lapsed=no,
        derived=derived,
        half_life=h,
        anchor=derived,
        anchored_at=clock.at(np.minimum(facts.at, met)),
        stamp=np.full(n, NO_STAMP),
    )
    return weights, prior


def _prior(history: History, born: Ints, constants: Constants) -> Floats:
    """The priors of some facts, given or by their producer; a weight that came without one is turned into one."""
    facts = history.facts
    given, weight = facts.prior[born], facts.weight[born]
    counts = facts.baseline_evidence[born], facts.baseline_contradictions[born]
    unset = np.isnan(given) | (given == 0)
    default = np.where(np.isnan(given), birth_prior(facts.producer[born], facts.core[born], constants), given)
    return np.where(unset & ~np.isnan(weight), migrated_prior(weight, *counts, constants), default)
