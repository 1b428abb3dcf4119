"""What there is to explain: a history, lived through and scored at an instant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from trustmem.core.fold import Folded
from trustmem.core.lines import Pass
from trustmem.core.scores import Scores
from trustmem.formats.interchange import Reading
from trustmem.store.states import KEPT


@dataclass(frozen=True)
class Memory:
    """A history and what became of it; `name` is of the file or the space.

    `passes` are those of the history and those that were asked for. `imports` has the import that brought a line, by
    the id of the line; a file knows of none. `untold` are the facts that do not say to whoever asks what they say, each
    with its state by now ('': it counts no more).
    """

    name: str
    reading: Reading
    passes: list[Pass]
    folded: Folded
    scores: Scores
    now: int
    imports: Mapping[str, str] = field(default_factory=dict)
    untold: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def row(self) -> dict[str, int]:
        """Where each fact stands in the columns."""
        return {id: row for row, id in enumerate(self.scores.ids)}

    def text(self, id: str) -> str | None:
        """What a fact says; None if that was erased, be it later, or is not told to whoever asks."""
        record = self.reading.records[id]
        if id in self.untold or record.get("erased"):
            return None
        return KEPT.told(record["text"], self.scores.state[self.row[id]])
