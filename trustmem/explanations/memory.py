"""What there is to explain: a history, lived through and scored at an instant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from trustmem.core.fold import Folded
from trustmem.core.lines import Pass
from trustmem.core.scores import Scores
from trustmem.formats import scores
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

    @cached_property
    def constants_version(self) -> int | None:
        """The number of the version under which it is scored; None: the defaults, by no version."""
        records = [each for each in self.reading.records.values() if each["type"] == "constants"]
        standing = [each for each in records if each["act"] not in self.folded.void]
        newest = max(standing, key=lambda record: (record["arrived"], record["at"], record["id"]), default=None)
        return None if newest is None else int(newest["version"])

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The scores of each fact, as files have them."""
        return list(scores.under(scores.rows(self.scores), self.constants_version, self.folded.stored.constants))

    def text(self, id: str) -> str | None:
        """What a fact says; None if that was erased, be it later, or is not told to whoever asks."""
        record = self.reading.records[id]
        if id in self.untold or record.get("erased"):
            return None
        return KEPT.told(record["text"], self.scores.state[self.row[id]])
