"""What if: what trial constants would make of a space, by the very functions that scores and passes are made with.
Nothing is written.

It comes to what is stored once these constants are adopted and the space is scored at the same instant: most of what is
stored of a fact stays as it is then, and what does not is counted or worked out anew here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal, NamedTuple

import numpy as np

from trustmem.actions import acts, consolidation, jobs, previews, schedules
from trustmem.core import passes as core
from trustmem.core.columns import Bools, Codes, Floats, Ints
from trustmem.core.consolidation import Clock
from trustmem.core.constants import REGISTRY, Constants, differences
from trustmem.core.freshness import Activation
from trustmem.core.instants import NEVER
from trustmem.core.lines import ConstantsChange
from trustmem.core.passes import PassTaken
from trustmem.core.scores import Scores, score
from trustmem.core.stored import Stored
from trustmem.core.vocabulary import BANDS, FLAGS, LIVE
from trustmem.store import bulk, kept, queries
from trustmem.store import passes as rows_of_passes
from trustmem.store.kept import Kept
from trustmem.store.models import Fact, Pass, Space

#: A space of more facts is not scored whole while somebody waits; nor is one of more than that folded anew.
MOST_FACTS, MOST_FOLDED = 200_000, 20_000
#: So many names it gives of the facts that a pass would prune, and of those that it would promote.
NAMED = 10
#: What facts that change band can be sorted by; a `-` before it turns that round.
Sort = Literal["name", "before", "after", "move", "-name", "-before", "-after", "-move"]
#: Constants by which a pass weighs facts; by none of them are they scored.
_OF_PASSES = frozenset(name for name, meta in REGISTRY.items() if meta.group == "weight")
#: B hangs on these.
_OF_ACTIVATION = ("activation_decay", "use_activation")
#: So often it is worked out again where the space changes meanwhile.
_TRIES = 3


class Moved(NamedTuple):
    """A fact whose band changes: its name, and its trust and the place of its band among BANDS before and after."""

    name: str
    trust_before: float
    trust_after: float
    band_before: int
    band_after: int


@dataclass(frozen=True, slots=True)
class Changed:
    """The facts whose band changes, a row each, in columns; by name."""

    names: list[str]
    trust_before: Floats
    trust_after: Floats
    band_before: Codes
    band_after: Codes

    def __len__(self) -> int:
        return len(self.names)

    def row(self, place: int) -> Moved:
        columns = (self.trust_before, self.trust_after, self.band_before, self.band_after)
        return Moved(self.names[place], *(column[place].item() for column in columns))

    def order(self, sort: Sort) -> Ints:
        """The rows in an order, "move" by how far trust moves, be it up or down; what is equal stays by name."""
        key = {
            "name": np.arange(len(self)),
            "before": self.trust_before,
            "after": self.trust_after,
            "move": np.abs(self.trust_after - self.trust_before),
        }[sort.removeprefix("-")]
        return np.argsort(-key if sort.startswith("-") else key, kind="stable")


class Doing(NamedTuple):
    """How many facts the next pass would do something to: under the constants in force, and under the trial ones; and
    the `names` of some that it would under these, the first that came."""

    before: int
    after: int
    names: list[str]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What trial constants would make of the live facts of a space.

    `n` were scored, `of` so many that there are; `is_sample`: not all of them, but every k-th by key, and all that is
    counted is counted of these. `matrix[b][a]` are those in band b before and a after, in the order of BANDS; `flags`
    how many have each before and after; `changed` those whose band is another. `pruned` and `promoted` are what the
    next pass would do, at `instant`; None where that would have to be folded from too many lines.
    """

    n: int
    of: int
    is_sample: bool
    matrix: list[list[int]]
    flags: Mapping[str, tuple[int, int]]
    instant: int
    pruned: Doing | None
    promoted: Doing | None
    changed: Changed

    def changed_page(self, sort: Sort = "-move", after: str = "", size: int = 50) -> list[Moved]:
        """The facts whose band changes, from the one that comes after the name `after` on ('', or one that is not among
        them: from the first)."""
        rows = self.changed.order(sort).tolist()
        shown = [self.changed.names[row] for row in rows]
        start = shown.index(after) + 1 if after in shown else 0
        return [self.changed.row(row) for row in rows[start : start + size]]


def what_if(space: Space, trial: Constants, now: int) -> WhatIf:
    """What `trial` would make of a space, were they adopted at `now` (µs) and it were scored then."""
    for tries in count(1):
        space.refresh_from_db()
        columns = _columns(space, trial)
        found = _what_if(space, columns, trial, now)
        if tries == _TRIES or kept.stand(space) == columns.stand:
            return found
    raise AssertionError


def tried(space: Space, trial: Constants, now: int) -> tuple[Scores, Scores]:
    """The scores of a space (of a large one, of a sample) at `now` under the constants in force, and under `trial`."""
    return _scored(_columns(space, trial), trial, now)


class Bands(NamedTuple):
    """How many live facts stand in each band, in the order of BANDS; of `n` that were scored, of so many that there
    are. `changed` is how many stand in another after, and `matrix` as in WhatIf."""

    n: int
    of: int
    before: list[int]
    after: list[int]
    changed: int
    matrix: list[list[int]]


def bands(space: Space, trial: Constants, now: int, most: int | None = None) -> Bands:
    """How many live facts stand in each band at `now` under the constants in force, and under `trial`; in a space of
    more facts than `most`, of a sample."""
    columns = _columns(space, trial, most)
    before, after = _scored(columns, trial, now)
    live = columns.chosen & (before.state == LIVE)
    matrix = _matrix(before, after, live)
    return Bands(
        n=int(live.sum()),
        of=columns.live,
        before=matrix.sum(axis=1).tolist(),
        after=matrix.sum(axis=0).tolist(),
        changed=int(matrix.sum() - matrix.trace()),
        matrix=matrix.tolist(),
    )


def _matrix(before: Scores, after: Scores, live: Bools) -> Ints:
    """How many live facts go from which band to which, in the order of BANDS."""
    pairs = np.bincount(before.band[live] * np.int64(len(BANDS)) + after.band[live], minlength=len(BANDS) ** 2)
    return pairs.reshape(len(BANDS), len(BANDS))


def activation(space: Space, trial: Constants, now: int, most: int | None = None) -> Floats:
    """B of each live fact at `now`, were `trial` in force (NaN: no age is known); in a space of more facts than `most`,
    of a sample."""
    columns = _columns(space, trial, most)
    after = _scored(columns, trial, now)[1]
    of_live: Floats = after.activation[columns.chosen & (after.state == LIVE)]
    return of_live


def _columns(space: Space, trial: Constants, most: int | None = None) -> Kept:
    columns = kept.of(space, most or MOST_FACTS)
    is_recounted = trial.runs_per_source != columns.stored.constants.runs_per_source
    return kept.of(space, most or MOST_FACTS, with_witnesses=True) if is_recounted else columns


def _what_if(space: Space, columns: Kept, trial: Constants, now: int) -> WhatIf:
    before, after = _scored(columns, trial, now)
    live = columns.chosen & (before.state == LIVE)
    instant = next_pass(space, now)
    doings = _doings(space, columns, trial, now, instant)
    flags = zip(FLAGS, *(_counted(each.flags, live) for each in (before, after)), strict=True)
    return WhatIf(
        n=int(live.sum()),
        of=columns.live,
        is_sample=columns.is_sample,
        matrix=_matrix(before, after, live).tolist(),
        flags={flag: (was, would) for flag, was, would in flags},
        instant=instant,
        pruned=doings and doings[0],
        promoted=doings and doings[1],
        changed=_changed(before, after, np.flatnonzero(live & (before.band != after.band))),
    )


def _counted(flags: Bools, live: Bools) -> list[int]:
    """How many live facts have each flag; column by column, which is many times as fast as picking rows."""
    return [int(np.count_nonzero(column & live)) for column in flags.T]


def _changed(before: Scores, after: Scores, rows: Ints) -> Changed:
    rows = np.array(sorted(rows.tolist(), key=before.ids.__getitem__), np.int64)
    names = [before.ids[row] for row in rows.tolist()]
    return Changed(names, before.trust[rows], after.trust[rows], before.band[rows], after.band[rows])


# Scores


def _scored(columns: Kept, trial: Constants, now: int) -> tuple[Scores, Scores]:
    """Under the constants in force, and under the trial ones."""
    in_force = columns.stored.constants
    before = columns.once("scores", now, lambda: score(columns.stored, now))
    if _OF_PASSES.issuperset(differences(in_force, trial)):
        return before, before
    is_as_active = all(getattr(trial, name) == getattr(in_force, name) for name in _OF_ACTIVATION)
    active = Activation(before.activation, before.activation_without_use) if is_as_active else None
    return before, score(_recounted(columns, trial), now, active)


def _recounted(columns: Kept, trial: Constants) -> Stored:
    """The facts under trial constants: r and s hang on them."""
    if columns.witnesses is None or trial.runs_per_source == columns.stored.constants.runs_per_source:
        return replace(columns.stored, constants=trial)
    r, s = columns.witnesses.counts(trial)
    return replace(columns.stored, constants=trial, r=r, s=s)


# Passes


def next_pass(space: Space, now: int) -> int:
    """When the next pass is due by the schedule, or one could be taken now where none is."""
    due = schedules.next_due(schedules.of(space)[jobs.CONSOLIDATION], now)
    return consolidation.instant_of(space, None, due if due > NEVER else now)


def _doings(space: Space, columns: Kept, trial: Constants, now: int, instant: int) -> tuple[Doing, Doing] | None:
    """What a pass at an instant would prune and promote."""
    since = acts.stamp(space, now)
    if _is_plain(space, columns, instant, since):
        before, after = _taken(space, columns, trial, instant)
    elif Fact.objects.filter(space=space).order_by("pk")[MOST_FOLDED : MOST_FOLDED + 1].exists():
        return None
    else:
        values = differences(columns.stored.constants, trial)
        change = ConstantsChange(id=f"trial:{since}", at=now, arrived=since, version=0, values=values)
        before, after = (_folded(space, columns, instant, lines) for lines in ([], [change]))
    return _doing(columns, before.pruned, after.pruned), _doing(columns, before.promoted, after.promoted)


class _Does(NamedTuple):
    """Over columns, what a pass does."""

    pruned: Bools
    promoted: Bools


def _is_plain(space: Space, columns: Kept, instant: int, since: int) -> bool:
    """Whether what is stored is all that a pass asks for: every line is folded and has arrived by then, no pass is
    under way, and nothing was born as late as trial constants would come into force."""
    is_folded = space.folded_to == space.head_position and space.arrived_to <= instant
    return is_folded and not columns.stand.is_under_way and not (columns.arrived >= since).any()


def _taken(space: Space, columns: Kept, trial: Constants, instant: int) -> tuple[_Does, _Does]:
    """What a pass does to the facts as they are stored, under the constants in force and under trial ones."""
    in_force = columns.stored.constants
    clock = columns.once("clock", instant, lambda: queries.clock(space, [instant]))
    before = columns.once("pass", instant, lambda: _does(core.take(columns.stored, clock)[1]))
    changed = {name: value for name, value in differences(in_force, trial).items() if name in _OF_PASSES}
    if not changed:
        return before, before
    return before, columns.once("trial pass", (instant, str(changed)), lambda: _tried(space, columns, trial, clock))


def _tried(space: Space, columns: Kept, trial: Constants, clock: Clock) -> _Does:
    """What a pass does under trial constants; `clock` is that of the constants in force."""
    if trial.max_pass_gap_days == columns.stored.constants.max_pass_gap_days:
        return _does(core.take(replace(columns.stored, constants=trial), clock)[1])
    clock = queries.clock(space, clock.instants[-1:].tolist(), trial)
    return _does(core.take(_born_anew(space, columns, trial, clock), clock)[1])


def _does(taken: PassTaken) -> _Does:
    return _Does(rows_of_passes.turned(taken)[0], taken.promoted)


def _born_anew(space: Space, columns: Kept, trial: Constants, clock: Clock) -> Stored:
    """The facts under trial constants: by which clock those were born that no pass has met hangs on them."""
    last = Pass.objects.filter(space=space, void=False).order_by("instant").values_list("instant", flat=True).last()
    unmet = columns.arrived > (NEVER if last is None else last)
    weights = columns.stored.weights
    anchored_at = np.where(unmet, clock.at(columns.born), weights.anchored_at)
    return replace(columns.stored, constants=trial, weights=replace(weights, anchored_at=anchored_at))


def _folded(space: Space, columns: Kept, instant: int, also: list[ConstantsChange]) -> _Does:
    """What a pass does by way of all lines, and some that there might be."""
    part = previews.by_lines(space, instant, also)
    did, rows = _does(part.taken), bulk.places(part.pks, columns.pks)
    return _Does(*((rows >= 0) & column[rows] for column in did))


def _doing(columns: Kept, before: Bools, after: Bools) -> Doing:
    was, would = before & columns.chosen, after & columns.chosen
    names = [columns.stored.ids[row] for row in np.flatnonzero(would)[:NAMED].tolist()]
    return Doing(int(was.sum()), int(would.sum()), sorted(names))
