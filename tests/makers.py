"""Histories for tests: a short way to write one by hand, and Hypothesis strategies that draw whole ones."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any

from hypothesis import strategies as st

from trustmem.core import lines
from trustmem.core.instants import MICROSECONDS_PER_DAY, from_datetime
from trustmem.core.vocabulary import CHANNELS, OUTCOMES, PRODUCERS, RELATIONS, SCOPES

#: Day 0 of every history that is made here.
START = from_datetime(datetime(2026, 1, 1, 9, tzinfo=UTC))
_numbers = count()


def day(number: float) -> int:
    """The instant of a day, in microseconds."""
    return START + round(number * MICROSECONDS_PER_DAY)


def _stamped(values: dict[str, Any], on: float, arrived: float | None) -> dict[str, Any]:
    return {"id": f"l{next(_numbers)}", **values, "at": day(on), "arrived": day(on if arrived is None else arrived)}


def fact(id: str, on: float = 0, *, arrived: float | None = None, **values: Any) -> lines.Fact:
    return lines.Fact(**_stamped({"id": id, **values}, on, arrived))


def event(
    kind: str, fact: str | None = None, on: float = 1, *, arrived: float | None = None, **values: Any
) -> lines.Event:
    return lines.Event(**_stamped({"kind": kind, "fact": fact, **values}, on, arrived))


def edge(
    newer: str, relation: str, older: str, on: float = 1, *, arrived: float | None = None, **values: Any
) -> lines.Edge:
    return lines.Edge(**_stamped({"newer": newer, "relation": relation, "older": older, **values}, on, arrived))


def feedback(outcome: str, fact: str, on: float = 1, *, arrived: float | None = None, **values: Any) -> lines.Feedback:
    return lines.Feedback(**_stamped({"outcome": outcome, "fact": fact, **values}, on, arrived))


def constants(
    changes: Mapping[str, object], on: float = 1, *, arrived: float | None = None, **values: Any
) -> lines.ConstantsChange:
    return lines.ConstantsChange(**_stamped({"version": 2, "values": changes, **values}, on, arrived))


def daily(first: int, last: int) -> list[lines.Pass]:
    """A pass a day, at noon of the days from first to last."""
    return [lines.Pass(day(number + 0.125)) for number in range(first, last + 1)]


# Strategies. Instants lie on a coarse grid and names are few, so that ties and repetitions are common.

_SOURCES = st.sampled_from(["ana", "crm", "mail", None])
_RUNS = st.sampled_from(["r1", "r2", "r3", None])
_ACTS = st.sampled_from([None, None, None, "A", "B", "C"])
_TIERS = st.sampled_from(["auto", "auto", "human"])
_DAYS = st.integers(0, 80).map(lambda quarter: quarter / 4)
_EVENT_KINDS = st.sampled_from(
    ["restated"] * 4
    + ["corroborated", "recalled", "injected", "contradicted"] * 2
    + ["accepted", "forgotten", "restored", "erased"]
)


@st.composite
def facts(draw: st.DrawFn, id: str) -> lines.Fact:
    baselines = st.builds(
        lines.Baseline,
        evidence=st.integers(0, 4),
        contradictions=st.integers(0, 3),
        uses=st.integers(0, 5),
        reinforcements=st.integers(0, 6),
        first_seen=st.none() | st.integers(-90, 0).map(day),
    )
    born = draw(st.integers(0, 20).map(lambda quarter: quarter / 4))
    return fact(
        id,
        born,
        arrived=born + draw(st.sampled_from([0, 0, 0, 3, 9])),
        source=draw(_SOURCES) or "unknown",
        run=draw(_RUNS),
        producer=draw(st.sampled_from(PRODUCERS)),
        core=draw(st.sampled_from([False] * 7 + [True])),
        scope=draw(st.sampled_from(SCOPES)),
        tier=draw(_TIERS),
        at_known=draw(st.sampled_from([True] * 4 + [False])),
        prior=draw(st.none() | st.sampled_from([0.0, 0.1, 0.7, 0.9])),
        weight=draw(st.sampled_from([None, None, None, 0.3, 0.8])),
        baseline=draw(st.just(lines.Baseline()) | baselines),
        signature=draw(st.sampled_from([None] * 6 + [True, False])),
        act=draw(_ACTS),
    )


@st.composite
def histories(draw: st.DrawFn, undos: bool = True, changing_constants: bool = True) -> list[lines.Line]:
    """Lines of a small space: facts and all that can befall them, arriving on time or late."""
    ids = [f"f{number}" for number in range(draw(st.integers(1, 5)))]
    made: list[lines.Line] = [draw(facts(id)) for id in ids]
    for number in range(draw(st.integers(0, 14))):
        made.append(draw(_happenings(ids, f"e{number:02}")))
    statements = [line.id for line in made if not isinstance(line, lines.Fact)]
    for number in range(draw(st.integers(0, 3)) if statements else 0):
        kind, of = draw(st.sampled_from(["upheld", "dismissed"])), draw(st.sampled_from(statements))
        made.append(event(kind, of=of, on=draw(_DAYS), id=f"r{number}", act=draw(_ACTS)))
    if changing_constants:
        made += draw(st.lists(_changes(), max_size=2, unique_by=lambda line: line.id))
    return made + (draw(_undos()) if undos else [])


@st.composite
def _happenings(draw: st.DrawFn, ids: Sequence[str], id: str) -> lines.Line:
    on = draw(_DAYS)
    about = {"id": id, "on": on, "arrived": on + draw(st.sampled_from([0, 0, 0, 0, 2, 11]))}
    about |= {"run": draw(_RUNS), "tier": draw(_TIERS), "act": draw(_ACTS)}
    one = draw(st.sampled_from(ids))
    what = draw(st.sampled_from(["event", "event", "event", "edge", "edge", "feedback"]))
    if what == "edge" and len(ids) > 1:
        other = draw(st.sampled_from([each for each in ids if each != one]))
        about |= {"by": draw(_SOURCES), "removed": draw(st.sampled_from([False] * 5 + [True]))}
        return edge(one, draw(st.sampled_from([*RELATIONS, "updates", "contradicts"])), other, **about)
    about["source"] = draw(_SOURCES)
    if what == "feedback":
        signals = draw(st.dictionaries(st.sampled_from(CHANNELS), st.sampled_from([0.0, 0.3, 1.0]), max_size=3))
        confirmed = draw(st.booleans())
        return feedback(draw(st.sampled_from(OUTCOMES)), one, confirmed=confirmed, signals=signals, **about)
    return event(draw(_EVENT_KINDS), one, **about)


@st.composite
def _changes(draw: st.DrawFn) -> lines.ConstantsChange:
    values = draw(
        st.sampled_from(
            [
                {"session_half_life_days": 9.0},
                {"promote_threshold": 0.7},
                {"max_pass_gap_days": 3.0},
                {"birth_weight": {"core": 1.0, "user": 0.97, "document": 0.8, "inference": 0.5, "unknown": 0.4}},
                {"global_floor": 0.1, "prune_threshold": 0.3},
                {"runs_per_source": 2, "activation_decay": 0.4},
            ]
        )
    )
    return constants(values, draw(_DAYS), id=f"c-{min(values)}", act=draw(_ACTS))


@st.composite
def _undos(draw: st.DrawFn) -> list[lines.Event]:
    """Undos of acts, of passes, and of such undos; each act undoes only what is named before it, so no rings."""
    names = ["A", "B", "C"]
    undone = []
    for number in range(draw(st.integers(0, 3))):
        of = draw(st.sampled_from(names))
        undone.append(event("undone", of=of, on=draw(_DAYS), id=f"u{number}", act=f"U{number}"))
        names.append(f"U{number}")
    return undone


def schedules() -> st.SearchStrategy[list[lines.Pass]]:
    """Passes at some of the noons of the first 25 days."""
    noons = st.sets(st.integers(0, 25), max_size=12)
    return noons.map(lambda numbers: [lines.Pass(day(number + 0.125)) for number in sorted(numbers)])
