"""The breaker: a pass that would do more than it may waits for a person."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from trustmem.actions import folding, previews
from trustmem.actions.previews import Preview
from trustmem.core.constants import Constants
from trustmem.core.fold import fold
from trustmem.core.instants import to_text
from trustmem.core.scores import score
from trustmem.core.stored import Stored
from trustmem.core.vocabulary import LIVE
from trustmem.store import queries
from trustmem.store.history import history
from trustmem.store.models import Line, Pass, Space

#: A pass may prune so many global facts, and come after events that moved so many facts to another band; or so large a
#: share of all that are live.
FEW, PRUNED, MOVED = 20, 0.05, 0.20
#: More lines than these are not folded once more to see which facts moved.
_MOST_LINES = 200_000

Reason = Literal["pruned", "moved"]


class Moved(NamedTuple):
    """How many live facts stand in another band by what came since the last pass; where it is not `exact`, at most so
    many."""

    facts: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a pass would do, what came before it, and for which reasons it waits for a person."""

    preview: Preview
    moved: Moved
    reasons: tuple[Reason, ...]


def judge(space: Space, instant: int, allowed: Mapping[str, int] | None = None) -> Verdict:
    """Whether a pass at an instant may be taken: it may prune what a person `allowed`, or few."""
    preview, moved = previews.preview(space, instant), moved_by_events(space, instant)
    found: dict[Reason, tuple[int, float]] = {
        "pruned": (preview.global_pruned, PRUNED),
        "moved": (moved.facts, MOVED),
    }
    reasons = tuple(
        reason
        for reason, (count, share) in found.items()
        if count > max(FEW, share * preview.live, (allowed or {}).get(reason, 0))
    )
    return Verdict(preview, moved, reasons)


def moved_by_events(space: Space, instant: int) -> Moved:
    """How many facts that were there at the last pass stand in another band at `instant` than they would if nothing had
    come since; under the constants that are in force now, for those are of people's choice."""
    last = Pass.objects.filter(space=space, void=False).order_by("instant").last()
    if last is None:
        return Moved(0, exact=True)
    line = Line.objects.get(space=space, tag="pass", name=to_text(last.instant))
    _, pks, lines = since = folding.since(space, line.position)
    if pks is None and space.head_position > _MOST_LINES:
        return Moved(len(since.names), exact=False)
    if pks is None:
        lines = history(space).upto(line.position).lines
    return Moved(_in_another_band(fold(lines).stored, queries.stored(space, pks), instant), exact=True)


def _in_another_band(then: Stored, now: Stored, instant: int) -> int:
    before, after = _bands(then, now.constants, instant), _bands(now, now.constants, instant)
    return sum(before[name] != after[name] for name in before.keys() & after.keys())


def _bands(stored: Stored, constants: Constants, instant: int) -> dict[str, int]:
    """The band of each live fact, by name."""
    scored = score(replace(stored, constants=constants), instant)
    rows = zip(scored.ids, scored.band.tolist(), (scored.state == LIVE).tolist(), strict=True)
    return {name: band for name, band, is_live in rows if is_live}


def as_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as the result of a job keeps it."""
    moved = verdict.moved._asdict()
    return {"preview": previews.as_json(verdict.preview), "moved": moved, "reasons": list(verdict.reasons)}


def of_json(kept: Mapping[str, Any]) -> Verdict:
    """A verdict as it was before `as_json`."""
    return Verdict(previews.of_json(kept["preview"]), Moved(**kept["moved"]), tuple(kept["reasons"]))
