"""The reinforcement history of a fact: each feedback, and how useful the fact is taken to be before it and with it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from trustmem.core.reinforcement import compound, reinforce
from trustmem.core.vocabulary import CHANNELS
from trustmem.explanations.memory import Memory
from trustmem.store.feedback import is_implicit


class Evaluation(NamedTuple):
    """A feedback: what `by` reported in a run, by which channels: those that were `given`, and those that its outcome
    `filled` in; `implicit`: nobody reported it of this fact by itself. `strength` is R. Priority and decay adjustment
    are before it (None: it was the first) and with it."""

    at: int
    by: str
    run: str
    outcome: str
    confirmed: bool
    implicit: bool
    note: str
    given: Mapping[str, float]
    filled: Mapping[str, float]
    strength: float
    priority_before: float | None
    priority: float
    decay_before: float | None
    decay: float


def evaluations(asked: Memory, id: str) -> list[Evaluation]:
    """All that counts of a fact, by time: what was undone, or waits for something, does not."""
    history, constants = asked.folded.history, asked.folded.stored.constants
    said, of = history.statements, history.evaluations
    rows = np.flatnonzero(said.fact[of.statement] == asked.row[id])
    if not len(rows):
        return []
    each, told = reinforce(of.channels[rows]), list[Evaluation]()
    for place, statement in enumerate(of.statement[rows].tolist()):
        record = asked.reading.records[said.ids[statement]]
        channels = dict(zip(CHANNELS, of.channels[rows[place]].tolist(), strict=True))
        before = told[-1] if told else None
        of_this = each.reinforcement[[place]], each.retrieval_priority[[place]]
        priority = compound([before.priority if before else np.nan], [place + 1], *of_this, constants)
        told.append(
            Evaluation(
                at=record["at"],
                by=history.sources[said.source[statement]],
                run=history.runs[said.run[statement]],
                outcome=record["outcome"],
                confirmed=record["confirmed"],
                implicit=is_implicit(record["id"], record["act"]),
                note=record["note"] or "",
                given={name: value for name, value in channels.items() if name in record["signals"]},
                filled={name: value for name, value in channels.items() if name not in record["signals"]},
                strength=each.reinforcement[place].item(),
                priority_before=before and before.priority,
                priority=priority.item(),
                decay_before=before and before.decay,
                decay=each.decay_adjustment[place].item(),
            )
        )
    return told
