"""Previews: what a pass would do, fact by fact, worked out by what passes are taken with. Nothing is written."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from trustmem.actions import passes
from trustmem.core.columns import Bools, Ints
from trustmem.core.consolidation import readable
from trustmem.core.fold import fold
from trustmem.core.lines import Line, Pass
from trustmem.core.passes import PassTaken
from trustmem.core.stored import Stored
from trustmem.core.vocabulary import GLOBAL
from trustmem.store import folds
from trustmem.store import passes as rows_of_passes
from trustmem.store.history import history
from trustmem.store.models import DEEDS, Fact, Space
from trustmem.store.passes import COUNTS

#: Why a promotion waits.
SUPERSEDED, DISPUTED = "superseded", "disputed"
#: What a fact can be listed under: a deed, or that its promotion waits.
DEFERRED = "deferred"
LISTS = (*DEEDS, DEFERRED)
#: So many facts a preview lists for each.
LISTED = 1000


class Fate(NamedTuple):
    """What a pass would do to a fact, by its key: `did` as in `Change`, with what is stored `before` and `after` where
    it differs; why its promotion waits (`deferred`: it does not where that is empty); and the weight (W) that it has at
    the instant of the pass without it, and after it."""

    fact: int
    did: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    deferred: tuple[str, ...]
    weight: tuple[float, float]

    @property
    def lists(self) -> Iterator[str]:
        """The names of LISTS under which it stands."""
        yield from (deed for place, deed in enumerate(DEEDS) if self.did >> place & 1)
        if self.deferred:
            yield DEFERRED


@dataclass(frozen=True, slots=True)
class Preview:
    """What a pass at an instant would come to, as of the line at `head`: how many facts are `live`, how many it would
    weigh, change and so on (`counts`), how many stand in each of LISTS (`sizes`), which global facts would be
    pruned, by their keys (`doomed`), and the `fates` of those concerned, of each list the first."""

    instant: int
    head: int
    live: int
    counts: Mapping[str, int]
    sizes: Mapping[str, int]
    doomed: list[int]
    fates: list[Fate]

    @property
    def global_pruned(self) -> int:
        """How many global facts it would prune."""
        return len(self.doomed)


def preview(space: Space, instant: int, most: int = LISTED) -> Preview:
    """What a pass at `instant` would do, which is to be later than the last."""
    space.refresh_from_db()
    head = space.head_position
    counts, sizes = Counter[str](dict.fromkeys(COUNTS, 0)), Counter[str](dict.fromkeys(LISTS, 0))
    listed, fates = Counter[str](), list[Fate]()
    live, doomed = 0, list[int]()
    for part in _parts(space, instant):
        counts.update(rows_of_passes.counts(part.taken))
        sizes.update(_sizes(part.taken))
        pruned, revived = rows_of_passes.turned(part.taken)
        live += int((part.taken.weighed & ~revived).sum())
        doomed += part.pks[pruned & (part.taken.before.scope == GLOBAL)].tolist()
        for fate in _fates(part):
            lists = list(fate.lists)
            if any(listed[name] < most for name in lists):
                listed.update(lists)
                fates.append(fate)
    return Preview(instant, head, live, dict(counts), dict(sizes), doomed, fates)


def _sizes(taken: PassTaken) -> dict[str, int]:
    """How many facts would stand in each of LISTS."""
    did = rows_of_passes.did(taken)
    return {deed: int((did >> place & 1).sum()) for place, deed in enumerate(DEEDS)} | {
        DEFERRED: int(taken.deferred.sum())
    }


class Part(NamedTuple):
    """Some facts by their keys (-1: it has none yet), and what a pass would do to them; of each whether a contradiction
    or a newer claim holds it back, and its weight without the pass and after it."""

    pks: Ints
    taken: PassTaken
    disputed: Bools
    superseded: Bools
    weight: tuple[Any, Any]


def _parts(space: Space, instant: int) -> Iterator[Part]:
    """All facts, some at a time; or at once, by way of all lines, where not every one is folded, or some are to be
    folded later than the pass."""
    is_folded = space.folded_to == space.head_position and space.arrived_to <= instant
    if not is_folded or passes.under_way(space):
        yield by_lines(space, instant)
        return
    for turn, rows in passes.turns(space, instant):
        taken = passes.of_some(turn.taken, rows)
        yield _part(turn.pks[rows], taken, turn.after, rows)


def by_lines(space: Space, instant: int, also: Sequence[Line] = ()) -> Part:
    """All facts through a pass, by way of all lines and those that there might be."""
    told, taken = history(space), list[PassTaken]()
    stored = fold([*told.lines, *also], [*told.passes, Pass(instant)], watch=taken.append).stored
    of_name = folds.keys(space, None)
    pks = np.array([of_name.get(name, -1) for name in stored.ids], np.int64)
    return _part(pks, taken[-1], stored, np.ones(len(pks), bool))


def _part(pks: Ints, taken: PassTaken, after: Stored, rows: Bools) -> Part:
    constants = after.constants
    without, with_it = (readable(each.at(taken.clock, constants)) for each in (taken.before, taken.after))
    return Part(pks, taken, after.contradicted[rows], after.depth[rows] > 0, (without, with_it))


def _fates(part: Part) -> Iterator[Fate]:
    changes = {row: (did, before, after) for row, did, before, after in rows_of_passes.changes(part.taken)}
    deferred = set(np.flatnonzero(part.taken.deferred).tolist())
    for row in sorted(changes.keys() | deferred):
        did, before, after = changes.get(row, (0, {}, {}))
        reasons = {SUPERSEDED: part.superseded[row], DISPUTED: part.disputed[row]} if row in deferred else {}
        why = tuple(reason for reason, holds in reasons.items() if holds)
        without, with_it = (float(each[row]) for each in part.weight)
        yield Fate(int(part.pks[row]), did, before, after, why, (without, with_it))


def as_json(preview: Preview) -> dict[str, Any]:
    """A preview as the result of a job keeps it: facts by their keys, so that no text of one is in it."""
    fates = [each._asdict() for each in preview.fates if each.fact >= 0]
    return {
        "instant": preview.instant,
        "head": preview.head,
        "live": preview.live,
        "counts": dict(preview.counts),
        "sizes": dict(preview.sizes),
        "doomed": preview.doomed,
        "fates": fates,
    }


def of_json(kept: Mapping[str, Any]) -> Preview:
    """A preview as it was before `as_json`."""
    fates = [
        Fate(**each | {"deferred": tuple(each["deferred"]), "weight": tuple(each["weight"])}) for each in kept["fates"]
    ]
    return Preview(**{**kept, "fates": fates})


def names(space: Space, preview: Preview) -> dict[int, tuple[str, str]]:
    """The name and text of each fact that a preview lists, by its key; those that are there."""
    facts = Fact.objects.filter(space=space, pk__in=[each.fact for each in preview.fates])
    return {pk: (name, text) for pk, name, text in facts.values_list("pk", "name", "text")}
