"""Touches: what happened to a fact, by whom, in which run; and what is counted from them (section 1).

A touch is (fact, source, run, kind) at its earliest time: however often it is repeated, it counts once.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from trustmem.core.columns import Bools, Codes, Facts, History, Ints, count_per_fact, distinct, is_any
from trustmem.core.constants import Constants
from trustmem.core.vocabulary import (
    CONTRADICTED,
    CORROBORATED,
    INJECTED,
    LINKED,
    RECALLED,
    RESTATED,
)

_LATE = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Touches:
    """All touches that the statements of a history can make, one row each, by (fact, run, kind, source).

    `statement` and `starts` say which statements make each touch. The other columns number what touches share:
    a *sitting* is (fact, run), an *occasion* (fact, run, kind), a *voice* (fact, source, run), a *witness*
    (fact, source); `of_...` columns lead from one to the next.
    """

    statement: Ints
    starts: Ints
    fact: Ints
    source: Ints
    run: Ints
    kind: Codes
    own_birth: Bools
    sitting: Ints
    occasion: Ints
    voice: Ints
    sitting_fact: Ints
    occasion_row: Ints
    voice_witness: Ints
    witness_fact: Ints

    @classmethod
    def of(cls, history: History) -> Self:
        statement, fact, kind = _made_by(history)
        source, run = history.statements.source[statement], history.statements.run[statement]
        order = np.lexsort((statement, source, kind, run, fact))
        statement, fact, kind, source, run = statement[order], fact[order], kind[order], source[order], run[order]
        touch, _ = distinct(fact, run, kind, source)
        starts = np.flatnonzero(np.diff(touch, prepend=-1))
        fact, kind, source, run = fact[starts], kind[starts], source[starts], run[starts]
        facts = history.facts
        own_birth = (source == facts.source[fact]) & (run == facts.run[fact])
        return cls.numbered(statement, starts, fact, source, run, kind, own_birth)

    @classmethod
    def numbered(
        cls, statement: Ints, starts: Ints, fact: Ints, source: Ints, run: Ints, kind: Codes, own_birth: Bools
    ) -> Self:
        """Touches, a row each, with the numbers of what they share."""
        sitting, sitting_row = distinct(fact, run)
        occasion, occasion_row = distinct(fact, run, kind)
        voice, voice_row = distinct(fact, source, run)
        witness, witness_row = distinct(fact[voice_row], source[voice_row])
        return cls(
            statement=statement,
            starts=starts,
            fact=fact,
            source=source,
            run=run,
            kind=kind,
            own_birth=own_birth,
            sitting=sitting,
            occasion=occasion,
            voice=voice,
            sitting_fact=fact[sitting_row],
            occasion_row=occasion_row,
            voice_witness=witness,
            witness_fact=fact[voice_row][witness_row],
        )


def _made_by(history: History) -> tuple[Ints, Ints, Codes]:
    """(statement, fact touched, kind) for each touch that a statement makes when it counts."""
    facts, statements = history.facts, history.statements
    rows = {kind: np.flatnonzero(is_any(statements.kind, kind)) for kind in _TOUCHING}
    helpful = rows["helpful"]
    extends = rows["extends"]
    independent = statements.source[extends] != facts.source[statements.fact[extends]]
    parts = [
        (rows["restated"], statements.fact, RESTATED),
        (rows["corroborated"], statements.fact, CORROBORATED),
        (rows["accepted"], statements.fact, CORROBORATED),
        (helpful[statements.confirmed[helpful]], statements.fact, CORROBORATED),
        (extends[independent], statements.fact, CORROBORATED),
        (extends[~independent], statements.fact, LINKED),
        (rows["derives"], statements.fact, LINKED),
        (rows["updates"], statements.newer, LINKED),
        (rows["recalled"], statements.fact, RECALLED),
        (rows["injected"], statements.fact, INJECTED),
        (rows["contradicted"], statements.fact, CONTRADICTED),
        (rows["corrected"], statements.fact, CONTRADICTED),
        (rows["contradicts"], statements.fact, CONTRADICTED),
        (rows["contradicts"], statements.newer, CONTRADICTED),
    ]
    return (
        np.concatenate([part for part, _, _ in parts]),
        np.concatenate([end[part] for part, end, _ in parts]),
        np.concatenate([np.full(len(part), kind, np.int8) for part, _, kind in parts]),
    )


_TOUCHING = (
    "restated",
    "corroborated",
    "accepted",
    "helpful",
    "extends",
    "derives",
    "updates",
    "recalled",
    "injected",
    "contradicted",
    "corrected",
    "contradicts",
)


class Heard(NamedTuple):
    """Over touches: which there are, their earliest time (meaningless where there is none), which are echo, and how
    many statements make each."""

    present: Bools
    at: Ints
    echo: Bools
    statements: Ints

    @property
    def confirming(self) -> Bools:
        """Touches that stand for the fact without repeating what was handed out; to be met with a kind."""
        return self.present & ~self.echo


def heard(touches: Touches, at: Ints, counted: Bools) -> Heard:
    """The touches that the counted statements make; `at` (microseconds) and `counted` are over statements.

    A `restated` touch is echo if the fact had been handed out in that run, to anybody, at an earlier or
    equal time. Section 1, *Touch* and *Echo*.

    >>> from trustmem.core.lines import Event, Fact
    >>> said = [Event(id=kind, kind=kind, fact="f", run="r", at=1, arrived=1) for kind in ("recalled", "restated")]
    >>> history = History.of([Fact(id="f", at=0, arrived=0), *said], Constants())
    >>> touches, all_count = Touches.of(history), np.array([True, True])
    >>> heard(touches, history.statements.at, all_count).echo.tolist()
    [True, False]
    """
    first = _earliest(np.where(counted, at, _LATE)[touches.statement], touches.starts)
    present = first < _LATE
    handed_out = np.full(len(touches.sitting_fact), _LATE)
    handing = present & np.isin(touches.kind, (RECALLED, INJECTED))
    np.minimum.at(handed_out, touches.sitting[handing], first[handing])
    echo = present & (touches.kind == RESTATED) & (handed_out[touches.sitting] <= first)
    made_by = np.add.reduceat(counted[touches.statement], touches.starts, dtype=np.int64) if len(present) else first
    return Heard(present, first, echo, made_by)


def _earliest(at: Ints, starts: Ints) -> Ints:
    # Each touch has at least one statement, so that reduceat meets no empty segment.
    return np.minimum.reduceat(at, starts) if len(starts) else np.empty(0, np.int64)


class Counts(NamedTuple):
    """Over facts: counts by runs for weight, by independent sources (`r`, `s`) for trust.

    `dismissible`: dismissing a single statement would take one off s.
    """

    evidence: Ints
    contradictions: Ints
    use_count: Ints
    r: Ints
    s: Ints
    dismissible: Bools


def count(touches: Touches, heard: Heard, facts: Facts, constants: Constants) -> Counts:
    """Counts for weight, by runs, and for trust, by independent sources; section 1.

    evidence       = distinct runs with a restated (no echo), corroborated or linked touch + baseline
    contradictions = distinct runs with a contradicted touch + baseline
    use_count      = distinct (run, kind) among restated, recalled, injected + baseline
    r = Σ over sources min(runs with a restated (no echo) or corroborated touch, runs_per_source) + baseline
    s = the same of contradicted touches; the fact's own source does not count in its birth run

    >>> from trustmem.core.lines import Event, Fact
    >>> said = [Event(id=kind, kind=kind, fact="f", run="r", at=1, arrived=1) for kind in ("recalled", "restated")]
    >>> history = History.of([Fact(id="f", at=0, arrived=0), *said], Constants())
    >>> touches, all_count = Touches.of(history), np.array([True, True])
    >>> told = heard(touches, history.statements.at, all_count)
    >>> [each.tolist() for each in count(touches, told, history.facts, Constants())]
    [[0], [0], [2], [0], [0], [False]]
    """
    used = heard.present & np.isin(touches.kind, (RESTATED, RECALLED, INJECTED))
    n, cap = len(facts), constants.runs_per_source
    r, s = _witnesses(touches, heard, facts.baseline_evidence, facts.baseline_contradictions).counts(constants)
    return Counts(
        evidence=_sittings(touches, _evident(touches, heard), n) + facts.baseline_evidence,
        contradictions=_sittings(touches, _against(touches, heard), n) + facts.baseline_contradictions,
        use_count=_occasions(touches, used, n) + facts.baseline_uses,
        r=r,
        s=s,
        dismissible=_dismissible(touches, heard, _against(touches, heard) & ~touches.own_birth, cap, n),
    )


@dataclass(frozen=True, slots=True)
class Witnesses:
    """In how many runs each source stands behind the fact `owner`, and speaks against it, but for the birth run of its
    own; a row a witness. Over facts, what came with them as totals."""

    owner: Ints
    speaking: Ints
    against: Ints
    baseline_evidence: Ints
    baseline_contradictions: Ints

    @classmethod
    def of(cls, touches: Touches, heard: Heard, evidence: Ints, contradictions: Ints) -> "Witnesses":
        """Those of facts of which touches are kept and the counts for weight, which hold the totals that came."""
        n = len(evidence)
        baseline_evidence = evidence - _sittings(touches, _evident(touches, heard), n)
        return _witnesses(
            touches, heard, baseline_evidence, contradictions - _sittings(touches, _against(touches, heard), n)
        )

    def counts(self, constants: Constants) -> tuple[Ints, Ints]:
        """r and s: Σ over sources min(runs, runs_per_source) + min(baseline, runs_per_source); section 1.

        >>> two_runs = Witnesses(*map(np.array, ([0], [2], [0], [5], [0])))
        >>> [[each.tolist() for each in two_runs.counts(Constants(runs_per_source=cap))] for cap in (1, 3)]
        [[[2], [0]], [[5], [0]]]
        """
        cap = constants.runs_per_source
        return self._capped(self.speaking, self.baseline_evidence, cap), self._capped(
            self.against, self.baseline_contradictions, cap
        )

    def _capped(self, runs: Ints, baseline: Ints, cap: int) -> Ints:
        total = np.minimum(baseline, cap)
        np.add.at(total, self.owner, np.minimum(runs, cap))
        return total


def _witnesses(touches: Touches, heard: Heard, evidence: Ints, contradictions: Ints) -> Witnesses:
    runs_for, runs_against = _runs(touches, _speaking(touches, heard)), _runs(touches, _against(touches, heard))
    return Witnesses(touches.witness_fact, runs_for, runs_against, evidence, contradictions)


def _speaking(touches: Touches, heard: Heard) -> Bools:
    return heard.confirming & np.isin(touches.kind, (RESTATED, CORROBORATED))


def _evident(touches: Touches, heard: Heard) -> Bools:
    return _speaking(touches, heard) | heard.present & np.isin(touches.kind, LINKED)


def _against(touches: Touches, heard: Heard) -> Bools:
    return heard.present & np.isin(touches.kind, CONTRADICTED)


def _sittings(touches: Touches, chosen: Bools, n_facts: int) -> Ints:
    marked = np.zeros(len(touches.sitting_fact), bool)
    marked[touches.sitting[chosen]] = True
    return count_per_fact(touches.sitting_fact[marked], n_facts)


def _occasions(touches: Touches, chosen: Bools, n_facts: int) -> Ints:
    marked = np.zeros(len(touches.occasion_row), bool)
    marked[touches.occasion[chosen]] = True
    return count_per_fact(touches.fact[touches.occasion_row[marked]], n_facts)


def _runs(touches: Touches, chosen: Bools) -> Ints:
    """Over witnesses: the runs in which they made one of the chosen touches, but for the birth of their own fact."""
    marked = np.zeros(len(touches.voice_witness), bool)
    marked[touches.voice[chosen & ~touches.own_birth]] = True
    return np.bincount(touches.voice_witness[marked], minlength=len(touches.witness_fact))


def _dismissible(touches: Touches, heard: Heard, against: Bools, cap: int, n_facts: int) -> Bools:
    """Facts with a run against them that rests on one statement, of a source that has no more runs than count."""
    runs = np.bincount(touches.voice_witness[touches.voice[against]], minlength=len(touches.witness_fact))
    alone = against & (heard.statements == 1) & (runs[touches.voice_witness[touches.voice]] <= cap)
    return np.isin(np.arange(n_facts), touches.fact[alone])


class Reinforcements(NamedTuple):
    """Reinforcement times in canonical order (fact, time, run, kind): whose, when, and whether it is only use."""

    owner: Ints
    at: Ints
    is_use: Bools


def reinforcements(touches: Touches, heard: Heard, facts: Facts) -> Reinforcements:
    """Birth, and for each (run, kind) but contradicted the earliest time of that kind in that run; section 1.

    Confirming are birth, corroborated and restated at its earliest time that is no echo; the rest is use. Birth
    is left out where its time is unknown or the baseline has counted it.

    >>> from trustmem.core.lines import Event, Fact
    >>> said = [Event(id=kind, kind=kind, fact="f", run="r", at=1, arrived=1) for kind in ("recalled", "restated")]
    >>> history = History.of([Fact(id="f", at=0, arrived=0), *said], Constants())
    >>> touches, all_count = Touches.of(history), np.array([True, True])
    >>> told = heard(touches, history.statements.at, all_count)
    >>> [each.tolist() for each in reinforcements(touches, told, history.facts)]
    [[0, 0, 0], [0, 1, 1], [False, True, True]]
    """
    first, confirming = _first_by_occasion(touches, heard)
    told = np.flatnonzero((first < _LATE) & (touches.kind[touches.occasion_row] != CONTRADICTED))
    row = touches.occasion_row[told]
    born = np.flatnonzero(facts.at_known & (facts.baseline_count == 0))
    owner = np.concatenate([born, touches.fact[row]])
    at = np.concatenate([facts.at[born], first[told]])
    is_use = np.concatenate([np.zeros(len(born), bool), ~confirming[told]])
    run = np.concatenate([facts.run[born], touches.run[row]])
    kind = np.concatenate([np.full(len(born), -1), touches.kind[row]])
    order = np.lexsort((kind, run, at, owner))
    return Reinforcements(owner[order], at[order], is_use[order])


def _first_by_occasion(touches: Touches, heard: Heard) -> tuple[Ints, Bools]:
    """Over occasions: the earliest time, and whether it confirms."""
    confirming = np.zeros(len(touches.occasion_row), bool)
    confirming[touches.occasion[heard.confirming & np.isin(touches.kind, (RESTATED, CORROBORATED))]] = True
    # Where one is no echo, it comes before any echo: what was handed out by then was so for all that follow.
    first = np.full(len(touches.occasion_row), _LATE)
    np.minimum.at(first, touches.occasion[heard.present], heard.at[heard.present])
    return first, confirming
