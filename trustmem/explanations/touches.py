"""Who touched a fact: those to whom it was handed out, and what each source had to say of it."""

from typing import Any, NamedTuple

import numpy as np

from trustmem.core.columns import Bools, Ints
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import CONTRADICTED, CORROBORATED, INJECTED, RECALLED, RESTATED, TOUCH_KINDS
from trustmem.explanations.memory import Memory


class HandedOut(NamedTuple):
    """That a source was handed a fact in a run, by which kind of touch, and when first."""

    source: str
    run: str
    kind: str
    at: int


def served(asked: Memory, id: str) -> list[dict[str, Any]]:
    """Who was handed the fact, once for each run and way, newest first."""
    return [{**each._asdict(), "at": to_text(each.at)} for each in handed_out(asked, id)]


def handed_out(asked: Memory, id: str) -> list[HandedOut]:
    """The same, with instants as such."""
    touches, at = asked.folded.touches, asked.folded.seen.heard.at
    rows = [row for row in _rows(asked, id).tolist() if touches.kind[row] in (RECALLED, INJECTED)]
    sources, runs = asked.folded.history.sources, asked.folded.history.runs
    return [
        HandedOut(sources[touches.source[row]], runs[touches.run[row]], TOUCH_KINDS[touches.kind[row]], int(at[row]))
        for row in sorted(rows, key=lambda row: (-at[row], row))
    ]


def touches(asked: Memory, id: str) -> list[dict[str, Any]]:
    """The touches of each kind by each source: in how many runs, in how many of them for or against the trust in the
    fact, and when the newest was."""
    all_of_them, heard, rows = asked.folded.touches, asked.folded.seen.heard, _rows(asked, id)
    kinds, sources = all_of_them.kind[rows], all_of_them.source[rows]
    speaking = _speaking(asked, rows)
    found = []
    for kind, source in sorted(set(zip(kinds.tolist(), sources.tolist(), strict=True))):
        mine = (kinds == kind) & (sources == source)
        found.append(
            {
                "source": asked.folded.history.sources[source],
                "kind": TOUCH_KINDS[kind],
                "runs": int(mine.sum()),
                "speaking": int(speaking[mine].sum()),
                "last": to_text(heard.at[rows[mine]].max()),
            }
        )
    return found


def _rows(asked: Memory, id: str) -> Ints:
    """The touches of a fact that there are."""
    mine = asked.folded.touches.fact == asked.row[id]
    return np.flatnonzero(mine & asked.folded.seen.heard.present)


def _speaking(asked: Memory, rows: Ints) -> Bools:
    """Which of these touches count for or against trust: no echo, and not the fact's own source in its birth run."""
    all_of_them, kinds = asked.folded.touches, asked.folded.touches.kind[rows]
    telling = np.isin(kinds, (RESTATED, CORROBORATED, CONTRADICTED))
    speaking: Bools = telling & ~asked.folded.seen.heard.echo[rows] & ~all_of_them.own_birth[rows]
    return speaking
