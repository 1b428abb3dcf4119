"""What forgetting a fact comes to: what would hold again, what was made from it, and who has it already."""

from dataclasses import dataclass

from trustmem.core.columns import Ints
from trustmem.core.instants import span
from trustmem.core.vocabulary import LIVE
from trustmem.explanations.memory import Memory
from trustmem.explanations.touches import handed_out
from trustmem.explanations.words import counted, say

#: How far back "of late" reaches.
_LATELY = span(30)


@dataclass(frozen=True, slots=True)
class Impact:
    """The live facts that only this one supersedes, and that derive from it; and to how many sources it was handed out,
    in how many runs, ever and in the last 30 days."""

    heads: list[str]
    derived: list[str]
    sources: int
    runs: int
    lately: int

    def told(self) -> list[tuple[str, list[str]]]:
        """What there is to say of it, in sentences, each with the facts that it is about; nothing where there is
        nothing."""
        newer = counted(
            len(self.heads),
            "It superseded {count} claim, which would hold again: look whether it should.",
            "It superseded {count} claims, which would hold again: look which of them should.",
        )
        made = counted(
            len(self.derived),
            "{count} claim derives from it and stays: it may repeat what this one says.",
            "{count} claims derive from it and stay: they may repeat what this one says.",
        )
        about = [(sentence, facts) for sentence, facts in ((newer, self.heads), (made, self.derived)) if facts]
        return [*about, *([(self._served(), [])] if self.runs else [])]

    def _served(self) -> str:
        return say(
            "It was handed out to {sources}: in {lately} in the last 30 days, in {runs} ever.",
            sources=counted(self.sources, "{count} source", "{count} sources"),
            lately=counted(self.lately, "{count} run", "{count} runs"),
            runs=counted(self.runs, "{count} run", "{count} runs"),
        )


def impact(asked: Memory, id: str) -> Impact:
    """What forgetting a fact would come to, as of the instant of the scores."""
    edges, row = asked.folded.seen.standing.edges, asked.row[id]
    updates, derives = edges.of("updates"), edges.of("derives")
    others = set(updates.older[updates.newer != row].tolist())
    served = handed_out(asked, id)
    return Impact(
        heads=[each for each in _live(asked, updates.older[updates.newer == row]) if asked.row[each] not in others],
        derived=_live(asked, derives.newer[derives.older == row]),
        sources=len({touch.source for touch in served}),
        runs=len({touch.run for touch in served}),
        lately=len({touch.run for touch in served if touch.at > asked.now - _LATELY}),
    )


def _live(asked: Memory, rows: Ints) -> list[str]:
    """The names of those of the facts that are live."""
    return [asked.scores.ids[row] for row in sorted(set(rows.tolist())) if asked.scores.state[row] == LIVE]
