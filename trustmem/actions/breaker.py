"""The breaker: a pass that would do more than it may waits for a person."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from trustmem.actions import folding, previews
from trustmem.actions.previews import Preview
from trustmem.core.constants import Constants
from trustmem.core.fold import fold
from trustmem.core.scores import score
from trustmem.core.stored import Stored
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.store import queries
from trustmem.store.history import history
from trustmem.store.models import Job, Line, Pass, Space

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


def judge(space: Space, instant: int, allowed: Mapping[str, Any] | None = None) -> Verdict:
    """Whether a pass at an instant may be taken: beyond what a person `allowed`, the keys of global facts to be pruned
    and how many facts may have moved, it may do what any pass may."""
    preview, moved = previews.preview(space, instant), moved_by_events(space, instant)
    known = {"pruned": [], "moved": 0, **(allowed or {})}
    beyond: dict[Reason, tuple[int, float]] = {
        "pruned": (len(set(preview.doomed).difference(known["pruned"])), PRUNED),
        "moved": (moved.facts - known["moved"], MOVED),
    }
    reasons = (reason for reason, (facts, share) in beyond.items() if facts > max(FEW, share * preview.live))
    return Verdict(preview, moved, tuple(reasons))


def moved_by_events(space: Space, instant: int) -> Moved:
    """How many facts that were live at the last pass of ours are forgotten, or stand in another band at `instant` than
    they would if nothing had come since; under the constants that are in force now, which are of people's choice."""
    position = _last_pass(space)
    if position is None:
        return Moved(0, exact=True)
    _, pks, lines = since = folding.since(space, position)
    if pks is None and space.head_position > _MOST_LINES:
        return Moved(len(since.names), exact=False)
    if pks is None:
        lines = history(space).upto(position).lines
    return Moved(_in_another_band(fold(lines).stored, queries.stored(space, pks), instant), exact=True)


def _last_pass(space: Space) -> int | None:
    """The position of the last pass that counts and was taken here, or came with the first file that had some: what a
    later file brings is no look at what came before. None: there is no such pass."""
    lines = Line.objects.filter(space=space, tag="pass")
    first = lines.order_by("position").values_list("imported", flat=True).first() or ""
    ours = lines.filter(imported__in=("", first)).order_by("-at").values_list("position", "at")
    void = set(Pass.objects.filter(space=space, void=True).values_list("instant", flat=True))
    return next((position for position, at in ours.iterator() if at not in void), None)


def _in_another_band(then: Stored, now: Stored, instant: int) -> int:
    before, after = _bands(then, now.constants, instant), _bands(now, now.constants, instant)
    gone = {name for name, state in zip(now.ids, now.state.tolist(), strict=True) if state == FORGOTTEN}
    return sum(name in gone or (name in after and before[name] != after[name]) for name in before)


def _bands(stored: Stored, constants: Constants, instant: int) -> dict[str, int]:
    """The band of each live fact, by name."""
    scored = score(replace(stored, constants=constants), instant)
    rows = zip(scored.ids, scored.band.tolist(), (scored.state == LIVE).tolist(), strict=True)
    return {name: band for name, band, is_live in rows if is_live}


def as_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as the result of a job keeps it."""
    moved = verdict.moved._asdict()
    return {"preview": previews.as_json(verdict.preview), "moved": moved, "reasons": list(verdict.reasons)}


def of_job(job: Job) -> Verdict:
    """The verdict that is the result of a job."""
    return of_json(json.loads(job.result))


def of_json(kept: Mapping[str, Any]) -> Verdict:
    """A verdict as it was before `as_json`."""
    return Verdict(previews.of_json(kept["preview"]), Moved(**kept["moved"]), tuple(kept["reasons"]))
