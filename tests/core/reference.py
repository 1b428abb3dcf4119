"""The model once more, scalar and slow, written from the text of model.md alone.

An oracle: it shares only the shapes of lines and constants with the core, none of its sums. Every pass and every
reading starts again from the set of lines known at that instant; only what a pass decides is carried on.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from trustmem.core.constants import Constants, changed
from trustmem.core.instants import to_text, utc_date
from trustmem.core.lines import ConstantsChange, Edge, Event, Fact, Feedback, Line, Pass
from trustmem.core.vocabulary import BANDS, BY_PEOPLE, FACT_EVENTS, FLAGS, RULINGS, TIERS

DAY = 86_400_000_000
DEPTH_LIMIT = 64
AT_ONCE = ("accepted", "restored", "dismissed")

_CHANNELS = (
    "importance",
    "usage_frequency",
    "goal_relevance",
    "novelty",
    "prediction_accuracy",
    "emotional_weight",
    "contradiction_risk",
    "policy_alignment",
)
_OUTCOMES = {
    "helpful": (0.7, 0.5, 0.8, 0.3, 1.0, 0.0, 0.1, 0.8),
    "unhelpful": (0.3, 0.5, 0.2, 0.3, 0.2, 0.0, 0.2, 0.2),
    "corrected": (0.3, 0.5, 0.1, 0.3, 0.0, 0.0, 0.9, 0.1),
    "ignored": (0.2, 0.5, 0.3, 0.3, 0.5, 0.0, 0.1, 0.5),
}


@dataclass
class Result:
    """`facts` holds the scores of interchange.md by id."""

    facts: dict[str, dict[str, Any]]
    passes_deferred: int


def fold(lines: Iterable[Line], passes: Iterable[Pass], constants: Constants, now: int) -> Result:
    """All lines through all passes, and the scores at `now`."""
    lines = list(lines)
    undone = undone_acts(lines)
    standing = standing_lines(lines, undone)
    arrivals = effective_arrivals(standing)
    changes = sorted(
        (c for c in standing.values() if isinstance(c, ConstantsChange)), key=lambda c: (c.arrived, c.at, c.id)
    )
    records: dict[str, Record] = {}
    clock, deferred, last = Clock(), 0, now

    def in_force_at(instant: float) -> Constants:
        latest = constants
        for change in changes:
            if change.arrived <= instant:
                latest = changed(latest, change.values)
        return latest

    def known_at(arrived: float, instant: int, gap: int) -> Known:
        """What had arrived; facts seen for the first time get their records."""
        known = Known([standing[name] for name, arrival in arrivals.items() if arrival <= arrived])
        for fact in known.facts.values():
            if fact.id not in records:
                records[fact.id] = born(fact, clock.at(min(fact.at, instant), gap), in_force_at(fact.arrived))
        return known

    for each in sorted(passes, key=lambda each: each.at):
        last, current = each.at, in_force_at(each.at)
        gap = gap_of(current)
        clock.strike(last, gap)
        if each.act not in undone and to_text(last) not in undone:
            deferred += run_pass(known_at(last, last, gap), records, clock, last, gap, current)
    current = in_force_at(math.inf)
    known = known_at(math.inf, now, gap_of(current))
    return Result(read(known, records, now, clock.latest(), current, in_force_at(last)), deferred)


# --- Which lines count, and since when (section 1, *Undo*; interchange.md, *Time*)


def moment(line: Line) -> tuple[int, str]:
    return line.at, line.id


def undone_acts(lines: Iterable[Line]) -> set[str]:
    """An `undone` line holds unless one that holds names its own act; undos in a ring are not for the oracle."""
    undone = [line for line in lines if isinstance(line, Event) and line.kind == "undone"]

    def holds(line: Event) -> bool:
        return not any(holds(other) for other in undone if other.of == line.act)

    return {line.of for line in undone if line.of is not None and holds(line)}


def standing_lines(lines: Iterable[Line], undone: set[str]) -> dict[str, Line]:
    """Each id once, as it first arrived, without what was undone."""
    first: dict[str, Line] = {}
    for line in sorted(lines, key=lambda line: line.arrived):
        final = isinstance(line, Event) and line.kind == "erased"
        if line.act not in undone or final:
            first.setdefault(line.id, line)
    return first


def effective_arrivals(standing: Mapping[str, Line]) -> dict[str, int]:
    """When each line takes effect; one that names something unknown waits, and is left out."""
    arrivals = {name: line.arrived for name, line in standing.items() if isinstance(line, Fact)}
    facts = set(arrivals)
    for name, line in standing.items():
        named = names(line)
        if named and facts.issuperset(named):
            arrivals[name] = max(line.arrived, *(arrivals[fact] for fact in named))
    for name, line in standing.items():
        if isinstance(line, Event) and line.kind in RULINGS and line.of in arrivals:
            arrivals[name] = max(line.arrived, arrivals[line.of])
    return arrivals


def names(line: Line) -> tuple[str, ...]:
    if isinstance(line, Edge):
        return line.newer, line.older
    if isinstance(line, Feedback):
        return (line.fact,)
    if isinstance(line, Event) and line.kind in FACT_EVENTS and line.fact is not None:
        return (line.fact,)
    return ()


# --- Section 1


def harms(line: Line) -> tuple[str, ...]:
    """The facts that a statement harms; () for one that is not harmful."""
    if isinstance(line, Edge) and not line.removed:
        return {"updates": (line.older,), "contradicts": (line.newer, line.older)}.get(line.relation, ())
    if isinstance(line, Event) and line.kind in ("contradicted", "forgotten") and line.fact is not None:
        return (line.fact,)
    return (line.fact,) if isinstance(line, Feedback) and line.outcome == "corrected" else ()


def author_tier(line: Edge | Event | Feedback) -> int:
    if isinstance(line, Edge) and line.signature is True:
        return TIERS.index("signed")
    if isinstance(line, Event) and line.kind in BY_PEOPLE:
        return TIERS.index("human")
    return TIERS.index(line.tier)


class Known:
    """What is known at an instant, and what section 1 makes of it. Nothing in here depends on passes."""

    def __init__(self, lines: Iterable[Line]) -> None:
        ordered = sorted(lines, key=moment)
        self.facts = {line.id: line for line in ordered if isinstance(line, Fact)}
        self.edges = [line for line in ordered if isinstance(line, Edge)]
        self.events: dict[str, list[Event]] = defaultdict(list)
        self.feedback: dict[str, list[Feedback]] = defaultdict(list)
        self.rulings: dict[str, Event] = {}
        self.dismissals: list[Event] = []
        for line in ordered:
            if isinstance(line, Event) and line.of is not None:
                self.rulings[line.of] = line  # in order of time: the latest stays
                self.dismissals += [line] if line.kind == "dismissed" else []
            elif isinstance(line, Event) and line.fact is not None:
                self.events[line.fact].append(line)
            elif isinstance(line, Feedback):
                self.feedback[line.fact].append(line)
        self.harmful: list[Any] = [line for line in ordered if harms(line)]
        self.touches: dict[str, dict[tuple[str, str, str], int]] = defaultdict(dict)
        for line in ordered:
            self._touch_by(line)
        self.held_edges = {
            edge_key(edge)
            for edge in self.edges
            if not edge.removed and self.in_force(edge) and not self.withdrawn(edge)
        }

    def tier(self, fact: str, at: float = math.inf) -> int:
        line = self.facts[fact]
        if line.signature is True:
            return TIERS.index("signed")
        accepted = any(event.kind == "accepted" and event.at <= at for event in self.events[fact])
        return TIERS.index("human" if accepted or line.tier == "human" else "auto")

    def accepted(self, fact: str) -> bool:
        return any(event.kind == "accepted" for event in self.events[fact])

    def has_authority(self, line: Edge | Event | Feedback) -> bool:
        return all(author_tier(line) >= self.tier(fact, line.at) for fact in harms(line))

    def in_force(self, line: Edge | Event | Feedback) -> bool:
        if harms(line) and line.id in self.rulings:
            return self.rulings[line.id].kind == "upheld"
        return self.has_authority(line)

    def withdrawn(self, line: Line) -> bool:
        return isinstance(line, Edge) and any(
            other.removed
            and edge_key(other) == edge_key(line)
            and other.at >= line.at
            and author_tier(other) >= author_tier(line)
            for other in self.edges
        )

    def challenged(self, fact: str) -> bool:
        return any(
            fact in harms(line)
            and line.id not in self.rulings
            and not self.has_authority(line)
            and not self.withdrawn(line)
            for line in self.harmful
        )

    def _touch_by(self, line: Line) -> None:
        if isinstance(line, Edge) and not line.removed and self.in_force(line):
            by = line.by if line.by is not None else self.facts[line.newer].source
            own = by == self.facts[line.older].source
            for fact, kind in {
                "updates": [(line.newer, "linked")],
                "derives": [(line.older, "linked")],
                "extends": [(line.older, "linked" if own else "corroborated")],
                "contradicts": [(line.newer, "contradicted"), (line.older, "contradicted")],
            }[line.relation]:
                self._touch(fact, by, line.run, kind, line.at)
        elif isinstance(line, Event) and line.fact is not None and self.in_force(line):
            own_source = "person" if line.kind == "accepted" else self.facts[line.fact].source
            source = line.source if line.source is not None else own_source
            kind = "corroborated" if line.kind == "accepted" else line.kind
            if kind in ("restated", "corroborated", "recalled", "injected", "contradicted"):
                self._touch(line.fact, source, line.run, kind, line.at)
        elif isinstance(line, Feedback) and self.in_force(line):
            source = line.source if line.source is not None else self.facts[line.fact].source
            if line.outcome == "corrected":
                self._touch(line.fact, source, line.run, "contradicted", line.at)
            elif line.outcome == "helpful" and line.confirmed:
                self._touch(line.fact, source, line.run, "corroborated", line.at)

    def _touch(self, fact: str, source: str, run: str | None, kind: str, at: int) -> None:
        key = (source, run if run is not None else f"{source}@{utc_date(at)}", kind)
        self.touches[fact][key] = min(at, self.touches[fact].get(key, at))

    def heard(self, fact: str) -> list[tuple[str, str, str, int]]:
        """Every touch as (kind, source, run, at), an echo under the kind `echo`."""
        touches = self.touches[fact]
        handed_out: dict[str, int] = {}
        for (_, run, kind), at in touches.items():
            if kind in ("recalled", "injected"):
                handed_out[run] = min(at, handed_out.get(run, at))
        return [
            ("echo" if kind == "restated" and handed_out.get(run, math.inf) <= at else kind, source, run, at)
            for (source, run, kind), at in touches.items()
        ]

    def weight_counts(self, fact: str) -> tuple[int, int, int]:
        """evidence, contradictions, use_count."""
        base, heard = self.facts[fact].baseline, self.heard(fact)
        evidence = {run for kind, _, run, _ in heard if kind in ("restated", "corroborated", "linked")}
        against = {run for kind, _, run, _ in heard if kind == "contradicted"}
        uses = {
            (run, "restated" if kind == "echo" else kind)
            for kind, _, run, _ in heard
            if kind in ("restated", "echo", "recalled", "injected")
        }
        return len(evidence) + base.evidence, len(against) + base.contradictions, len(uses) + base.uses

    def trust_counts(self, fact: str, per_source: int) -> tuple[int, int]:
        """r, s."""
        line = self.facts[fact]
        birth = (line.source, line.run if line.run is not None else f"{line.source}@{utc_date(line.at)}")

        def independent(kinds: tuple[str, ...], total: int) -> int:
            runs = defaultdict(set)
            for kind, source, run, _ in self.heard(fact):
                if kind in kinds and (source, run) != birth:
                    runs[source].add(run)
            return sum(min(len(each), per_source) for each in runs.values()) + min(total, per_source)

        return (
            independent(("restated", "corroborated"), line.baseline.evidence),
            independent(("contradicted",), line.baseline.contradictions),
        )

    def reinforcement_times(self, fact: str) -> tuple[list[int], list[int]]:
        """Confirming times and times of use, birth included where it is one."""
        line = self.facts[fact]
        earliest: dict[tuple[str, str], int] = {}
        for kind, _, run, at in self.heard(fact):
            earliest[run, kind] = min(at, earliest.get((run, kind), at))
        confirming = [at for (_, kind), at in earliest.items() if kind in ("restated", "corroborated")]
        if line.at_known and line.baseline.reinforcements == 0:
            confirming.append(line.at)
        use = [
            at
            for (run, kind), at in earliest.items()
            if kind in ("linked", "recalled", "injected") or (kind == "echo" and (run, "restated") not in earliest)
        ]
        return sorted(confirming), sorted(use)

    def reaffirmations(self, fact: str) -> dict[tuple[str, ...], int]:
        """What re-affirms a fact, by (kind, what tells it apart), with its time."""
        found: dict[tuple[str, ...], int] = {}
        for kind, source, run, at in self.heard(fact):
            if kind in ("restated", "corroborated"):
                found[kind, source, run] = at
        found |= {(e.kind, e.id): e.at for e in self.events[fact] if e.kind in ("accepted", "restored")}
        for line in self.harmful:
            if fact in harms(line):
                found |= {("dismissed", ruling.id): ruling.at for ruling in self.dismissals if ruling.of == line.id}
        return found

    def state(self, fact: str, pruned: bool) -> str:
        events = self.events[fact]
        if self.facts[fact].erased or any(event.kind == "erased" for event in events):
            return "erased"
        turns = [e for e in events if e.kind == "restored" or (e.kind == "forgotten" and self.in_force(e))]
        if turns and turns[-1].kind == "forgotten":
            return "forgotten"
        return "pruned" if pruned else "live"

    def live_edges(self, states: Mapping[str, str]) -> set[tuple[str, str, str]]:
        """(relation, newer, older), given the states; none that is part of a cycle of corrections."""
        live = {
            (relation, a, b)
            for relation, a, b in self.held_edges
            if {states[a], states[b]} <= ({"live", "pruned"} if relation == "updates" else {"live"})
        }
        below = defaultdict(set)
        for relation, newer, older in live:
            if relation == "updates":
                below[newer].add(older)
        return {(relation, a, b) for relation, a, b in live if relation != "updates" or a not in reachable(below, b)}


def edge_key(edge: Edge) -> tuple[str, str, str]:
    ends = sorted((edge.newer, edge.older)) if edge.relation == "contradicts" else (edge.newer, edge.older)
    return edge.relation, ends[0], ends[1]


def reachable(below: Mapping[str, set[str]], start: str) -> set[str]:
    seen, ahead = {start}, [start]
    while ahead:
        fresh = below.get(ahead.pop(), set()) - seen
        seen |= fresh
        ahead.extend(fresh)
    return seen


def depths(edges: set[tuple[str, str, str]]) -> dict[str, int]:
    """The longest chain of live `updates` edges above each fact, up to 64 (section 4)."""
    depth: dict[str, int] = defaultdict(int)
    for _ in range(DEPTH_LIMIT):
        for relation, newer, older in edges:
            if relation == "updates":
                depth[older] = min(DEPTH_LIMIT, max(depth[older], depth[newer] + 1))
    return depth


# --- Section 7


def gap_of(c: Constants) -> int:
    return round(c.max_pass_gap_days * DAY)


class Clock:
    """The running clock, in microseconds (7.2); what ran between two passes ran under the gap of the second."""

    def __init__(self) -> None:
        self.passes: list[tuple[int, int, int]] = []

    def strike(self, instant: int, gap: int) -> None:
        self.passes.append((instant, self.at(instant, gap), gap))

    def latest(self) -> int:
        return self.passes[-1][1] if self.passes else 0

    def at(self, instant: int, gap: int) -> int:
        past = [each for each in self.passes if each[0] <= instant]
        after = self.passes[len(past) :]
        return past[-1][1] + min(instant - past[-1][0], after[0][2] if after else gap) if past else 0


@dataclass
class Record:
    """What passes carry on about one fact. `half_life` is in days, None for a core fact."""

    prior: float
    derived: float
    half_life: float | None
    anchor: float
    c_anchor: int
    scope: str
    since: int | None = None
    pruned: bool = False
    faded: bool = False  # was pruned since it was last weighed
    folded: set[tuple[str, ...]] = field(default_factory=set)  # re-affirmations known when it was last weighed


def clamp(value: float, low: float = 0.0, high: float = 1.0) -> float:
    return max(low, min(high, value))


def corrob(evidence: int, c: Constants) -> float:
    return c.corroboration_max * evidence / (evidence + c.corroboration_half_saturation)


def contra(contradictions: int, c: Constants) -> float:
    return min(c.contradiction_delta * contradictions, c.contradiction_max)


def derived_weight(
    prior: float, evidence: int, contradictions: int, superseded: bool, core: bool, c: Constants
) -> float:
    weight = clamp(prior + corrob(evidence, c) - contra(contradictions, c) - c.superseded_penalty * superseded)
    return round(weight if core else min(weight, max(c.reconfirm_cap, prior)), 12)


def half_life(
    fact: Fact, scope: str, uses: int, superseded: bool, adjustment: float | None, c: Constants
) -> float | None:
    if fact.core:
        return None
    days = c.session_half_life_days if scope == "session" else c.global_half_life_days
    days *= 1 + c.use_decay_slowing * min(uses, c.use_decay_slowing_cap)
    days *= c.superseded_half_life if superseded else 1.0
    return days if adjustment is None else days * c.decay_neutral / adjustment


def weight_at(record: Record, clock: int, c: Constants) -> float:
    floor = c.global_floor if record.scope == "global" else 0.0
    if record.half_life is None or record.anchor <= floor or clock <= record.c_anchor:
        return record.anchor
    return floor + (record.anchor - floor) * 2 ** (-(clock - record.c_anchor) / DAY / record.half_life)


def born(fact: Fact, clock: int, c: Constants) -> Record:
    """As a fact stands before any pass: with its baseline alone."""
    base = fact.baseline
    if fact.weight is not None and not fact.prior:
        prior = fact.weight - corrob(base.evidence, c) + contra(base.contradictions, c)
    elif fact.prior is not None:
        prior = fact.prior
    else:
        prior = float(getattr(c.birth_weight, "core" if fact.core else fact.producer))
    derived = derived_weight(prior, base.evidence, base.contradictions, False, fact.core, c)
    return Record(prior, derived, half_life(fact, fact.scope, base.uses, False, None, c), derived, clock, fact.scope)


def run_pass(known: Known, records: dict[str, Record], clock: Clock, instant: int, gap: int, c: Constants) -> int:
    """The five steps of 7.4; how many promotions were deferred."""
    now = clock.latest()

    def states() -> dict[str, str]:
        return {fact: known.state(fact, records[fact].pruned) for fact in known.facts}

    for fact in known.facts:
        record = records[fact]
        if set(known.reaffirmations(fact)) - record.folded:
            record.pruned = False
    before = states()
    superseded = {older for relation, _, older in known.live_edges(before) if relation == "updates"}
    live = [fact for fact in known.facts if before[fact] == "live"]
    for fact in live:
        weigh(known, fact, records[fact], fact in superseded, clock, instant, gap, c)
    for fact in live:
        fades = known.tier(fact) == TIERS.index("auto") and not known.facts[fact].core
        if fades and clamp(weight_at(records[fact], now, c)) < c.prune_threshold:
            records[fact].pruned = records[fact].faded = True
    after = states()
    disputed = {end for relation, *ends in known.live_edges(after) if relation == "contradicts" for end in ends}
    deferred = 0
    for fact in (fact for fact in live if after[fact] == "live"):
        record = records[fact]
        if record.derived < c.promote_threshold:
            record.since = None
            continue
        record.since = now if record.since is None else record.since
        stable = now - record.since >= round(c.promote_stable_days * DAY)
        fast = known.facts[fact].core or known.facts[fact].producer == "user" or known.accepted(fact)
        if record.scope == "session" and (fast or (stable and known.weight_counts(fact)[0] >= c.promote_evidence)):
            if fact in disputed or fact in superseded:
                deferred += 1
            else:
                record.anchor, record.c_anchor, record.scope = weight_at(record, now, c), now, "global"
                record.half_life = half_life_now(known, fact, "global", fact in superseded, c)
    return deferred


def half_life_now(known: Known, fact: str, scope: str, superseded: bool, c: Constants) -> float | None:
    feedback = known.feedback[fact]
    adjustment = reinforcement(feedback[-1])["decay_adjustment"] if feedback else None
    return half_life(known.facts[fact], scope, known.weight_counts(fact)[2], superseded, adjustment, c)


def weigh(
    known: Known, fact: str, record: Record, superseded: bool, clock: Clock, instant: int, gap: int, c: Constants
) -> None:
    """Step 2 for one live fact."""
    evidence, contradictions, _ = known.weight_counts(fact)
    prior = max(record.prior, c.birth_weight.user) if known.accepted(fact) else record.prior
    derived = derived_weight(prior, evidence, contradictions, superseded, known.facts[fact].core, c)
    life = half_life_now(known, fact, record.scope, superseded, c)
    affirmed = known.reaffirmations(fact)
    anew = [
        at for key, at in affirmed.items() if key not in record.folded and (key[0] != "corroborated" or record.faded)
    ]
    if anew:
        record.anchor, record.c_anchor = derived, clock.at(min(max(anew), instant), gap)
    elif (derived, life) != (record.derived, record.half_life):
        record.anchor = weight_at(record, clock.latest(), c) + derived - record.derived
        record.c_anchor = clock.latest()
    record.derived, record.half_life = derived, life
    record.folded, record.faded = set(affirmed), False


# --- Section 8


def reinforcement(feedback: Feedback) -> dict[str, float]:
    filled = dict(zip(_CHANNELS, _OUTCOMES[feedback.outcome], strict=True))
    x = filled | {"tool_usefulness": 0.5} | dict(feedback.signals)
    novelty = clamp(0.7 * x["novelty"] + 0.3 * (1 - x["usage_frequency"]))
    strength = clamp(
        0.18 * x["importance"]
        + 0.16 * novelty
        + 0.14 * x["prediction_accuracy"]
        + 0.12 * x["emotional_weight"]
        + 0.14 * x["goal_relevance"]
        + 0.16 * x["policy_alignment"]
        + 0.10 * (1 - x["contradiction_risk"])
    )
    return {
        "reinforcement": strength,
        "decay_adjustment": clamp(1 - 0.65 * strength),
        "retrieval_priority": clamp(0.7 * strength + 0.15 * x["usage_frequency"] + 0.15 * x["goal_relevance"]),
        "policy_delta": clamp(0.2 * (strength - 0.5), -1),
        "identity_impact": clamp(
            0.25 * x["novelty"] + 0.20 * x["emotional_weight"] - 0.30 * x["contradiction_risk"], -1
        ),
        "tool_dependence_delta": clamp(0.2 * (x["tool_usefulness"] - 0.5), -1),
    }


def compounded(feedback: Iterable[Feedback], c: Constants) -> float | None:
    priority: float | None = None
    for count, each in enumerate(map(reinforcement, feedback), start=1):
        new, p = each["retrieval_priority"], c.hebbian_prior_weight
        old = new if priority is None else priority
        bonus = c.hebbian_count_bonus * math.log2(1 + count) * each["reinforcement"]
        priority = clamp(old * p + new * (1 - p) + bonus)
    return priority


# --- Sections 2 to 6


def freshness(known: Known, fact: str, now: int, c: Constants) -> tuple[float | None, float, float]:
    """activation (None where nothing is known), freshness, freshness_without_use."""
    line, delta = known.facts[fact], c.activation_decay

    def trace(at: int) -> float:
        return float((max(now - at, round(c.age_floor_seconds * 1_000_000)) / DAY) ** -delta)

    confirming, use = (sum(map(trace, times)) for times in known.reinforcement_times(fact))
    if line.baseline.reinforcements > 0:
        first_seen = line.baseline.first_seen if line.baseline.first_seen is not None else line.at
        confirming += line.baseline.reinforcements * trace(first_seen) / (1 - delta)

    def squashed(total: float) -> float:
        if total == 0:
            return 0.5
        x = (math.log(total) - c.activation_midpoint) / c.activation_scale
        return 1 / (1 + math.exp(-x)) if x > -700 else math.exp(x)

    total = confirming + c.use_activation * use
    return math.log(total) if total > 0 else None, squashed(total), squashed(confirming)


def read(
    known: Known, records: dict[str, Record], now: int, clock: int, c: Constants, as_of_last_pass: Constants
) -> dict[str, dict[str, Any]]:
    """The scores at `now`; weights as the last pass left them."""
    states = {}
    for fact in known.facts:
        anew = set(known.reaffirmations(fact)) - records[fact].folded
        states[fact] = known.state(fact, records[fact].pruned and not any(key[0] in AT_ONCE for key in anew))
    edges = known.live_edges(states)
    depth = depths(edges)
    contested = {end for relation, *ends in edges if relation == "contradicts" for end in ends}
    scores = {}
    for fact in known.facts:
        record, feedback, tier = records[fact], known.feedback[fact], TIERS[known.tier(fact)]
        r, s = known.trust_counts(fact, c.runs_per_source)
        evidence, contradictions, use_count = known.weight_counts(fact)
        total, a = r + s + c.prior_weight, float(getattr(c.base_rate, tier))
        b, d, u = r / total, s / total, c.prior_weight / total
        activation, fresh, fresh_without_use = freshness(known, fact, now, c)
        confidence, supersession = (r + a * c.prior_weight) / total, c.supersession_factor ** depth[fact]
        provenance = float(getattr(c.provenance_gate, tier))
        trust = confidence * fresh * supersession * provenance
        stale = fresh < c.stale_threshold
        flags = {
            "superseded": depth[fact] > 0,
            "disputed": fact in contested or d >= c.dispute_threshold,
            "challenged": known.challenged(fact),
            "stale": stale,
            "use-only": not stale and fresh_without_use < c.stale_threshold,
            "age-unknown": activation is None,
            "uncertain": u >= c.uncertainty_threshold,
        }
        scores[fact] = {
            "id": fact,
            "state": states[fact],
            "tier": tier,
            "scope": record.scope,
            "depth": depth[fact],
            "r": r,
            "s": s,
            "evidence": evidence,
            "contradictions": contradictions,
            "use_count": use_count,
            "activation": activation,
            "opinion": {"b": b, "d": d, "u": u, "a": a},
            "confidence": confidence,
            "freshness": fresh,
            "freshness_without_use": fresh_without_use,
            "supersession": supersession,
            "provenance": provenance,
            "trust": trust,
            "band": BANDS[sum(trust >= edge for edge in c.band_edges)],
            "flags": [flag for flag in FLAGS if flags.get(flag)] or ["settled"],
            "derived_weight": record.derived,
            "weight": clamp(weight_at(record, clock, as_of_last_pass)),
            "retrieval_priority": compounded(feedback, c),
            "reinforcement_count": len(feedback),
            "reinforcement": reinforcement(feedback[-1]) if feedback else None,
        }
    return scores
