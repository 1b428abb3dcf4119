"""The claims above and below a fact, along live `updates` edges."""

from collections import defaultdict
from dataclasses import dataclass

from trustmem.core.columns import Ints
from trustmem.explanations.memory import Memory


@dataclass(frozen=True, slots=True)
class Link:
    """A claim of a chain. `step` is how many edges it stands above the fact, negative below, 0 the fact itself."""

    id: str
    at: int
    step: int


def chain(asked: Memory, id: str) -> list[Link]:
    """The whole chain of a fact, newest first; empty where it stands alone."""
    updates, facts, start = asked.folded.seen.standing.edges.of("updates"), asked.folded.history.facts, asked.row[id]
    above = _steps(updates.older, updates.newer, start)
    below = _steps(updates.newer, updates.older, start)
    steps = {row: -step for row, step in below.items()} | above
    links = [Link(facts.ids[row], int(facts.at[row]), step) for row, step in steps.items()]
    return sorted(links, key=lambda link: (-link.step, -link.at, link.id)) if len(links) > 1 else []


def _steps(near: Ints, far: Ints, start: int) -> dict[int, int]:
    """How many edges lead from one fact to each that it reaches, itself included."""
    beyond: dict[int, list[int]] = defaultdict(list)
    for here, there in zip(near.tolist(), far.tolist(), strict=True):
        beyond[here].append(there)
    steps, reached, step = {start: 0}, [start], 0
    while reached:
        step += 1
        reached = sorted({there for here in reached for there in beyond[here]} - steps.keys())
        steps |= dict.fromkeys(reached, step)
    return steps
