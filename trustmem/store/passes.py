"""Passes as rows: what each did to whom."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from django.db.models import F

from trustmem.core.columns import Bools, Ints
from trustmem.core.instants import EVER
from trustmem.core.passes import PassTaken
from trustmem.store import bulk
from trustmem.store.models import DEEDS, Change, Pass, Space

#: What a pass can change of a fact, and a Change row tells.
_CHANGING = ("scope", "pruned", "derived", "half_life", "anchor", "anchored_at", "stamp")
COUNTS = ("weighed", "changed", "revived", "pruned", "promoted", "deferred")


def write(space: Space, passes: Sequence[PassTaken], pks: Sequence[int]) -> None:
    """All passes of a space, over the facts of these keys, in place of what there is. Within a transaction."""
    for model in (Change, Pass):
        model._default_manager.filter(space=space).delete()
    keyed = list(zip(bulk.keys(Pass, len(passes)), passes, strict=True))
    rows = [
        (pk, space.pk, taken.instant, taken.clock, not taken.counts, EVER, *counts(taken).values())
        for pk, taken in keyed
    ]
    bulk.insert(Pass, ("id", "space_id", "instant", "clock", "void", "through", *COUNTS), rows)
    _note_changes(space, keyed, pks)


def add(space: Space, of_pass: int, taken: PassTaken, pks: Sequence[int]) -> None:
    """What the pass of this key did to more facts."""
    _count(of_pass, counts(taken))
    _note_changes(space, [(of_pass, taken)], pks)


def amend(space: Space, before: Sequence[PassTaken], after: Sequence[PassTaken], pks: Sequence[int]) -> None:
    """What all passes did to some facts, by now of these keys: after more or less is known of them than before."""
    of_instant = dict(Pass.objects.filter(space=space).values_list("instant", "pk"))
    for chunk in bulk.chunks(pks):
        Change.objects.filter(space=space, fact__in=chunk).delete()
    for old, new in zip(before, after, strict=True):
        was = counts(old)
        _count(of_instant[new.instant], {name: count - was[name] for name, count in counts(new).items()})
    _note_changes(space, [(of_instant[each.instant], each) for each in after], pks)


def _count(of_pass: int, more: dict[str, int]) -> None:
    if any(more.values()):
        Pass.objects.filter(pk=of_pass).update(**{name: F(name) + count for name, count in more.items()})


def _note_changes(space: Space, keyed: Sequence[tuple[int, PassTaken]], pks: Sequence[int]) -> None:
    """A row for each fact that each of the passes changed."""
    rows = [
        (space.pk, of_pass, pks[row], did, json.dumps(before), json.dumps(after))
        for of_pass, taken in keyed
        for row, did, before, after in changes(taken)
    ]
    bulk.insert(Change, ("space_id", "of_pass_id", "fact_id", "did", "before", "after"), rows)


def counts(taken: PassTaken) -> dict[str, int]:
    """How many facts a pass weighed, changed and so on, by the names of COUNTS."""
    pruned, revived = turned(taken)
    found = (taken.weighed, changed(taken), revived, pruned, taken.promoted, taken.deferred)
    return {name: int(rows.sum()) for name, rows in zip(COUNTS, found, strict=True)}


def turned(taken: PassTaken) -> tuple[Bools, Bools]:
    """Which facts a pass pruned, and which came back."""
    before, after = taken.before.pruned, taken.after.pruned
    return after & ~before, before & ~after


def did(taken: PassTaken) -> Ints:
    """What a pass did to each fact: a bit for each of DEEDS."""
    before, after = taken.before, taken.after
    # A promotion moves anchor and half-life by itself.
    moved = (before.anchor != after.anchor) | (before.anchored_at != after.anchored_at)
    weighed_anew = (before.derived != after.derived) | ~taken.promoted & (moved | (before.half_life != after.half_life))
    deeds = (*turned(taken), taken.promoted, weighed_anew, before.stamp != after.stamp)
    bits: Ints = np.column_stack(deeds) @ (1 << np.arange(len(DEEDS), dtype=np.int64))
    return bits


def changed(taken: PassTaken) -> Bools:
    """Which facts a pass changed."""
    differs = [getattr(taken.before, name) != getattr(taken.after, name) for name in _CHANGING]
    anywhere: Bools = np.logical_or.reduce(differs)
    return anywhere


def changes(taken: PassTaken) -> Iterator[tuple[int, int, dict[str, Any], dict[str, Any]]]:
    """(row, what it did, before, after) of each fact that the pass changed, with what differs."""
    columns = [(name, getattr(taken.before, name), getattr(taken.after, name)) for name in _CHANGING]
    rows = np.flatnonzero(changed(taken)).tolist()
    values = [(name, before[rows].tolist(), after[rows].tolist()) for name, before, after in columns]
    for place, (row, deed) in enumerate(zip(rows, did(taken)[rows].tolist(), strict=True)):
        names = [(name, before[place], after[place]) for name, before, after in values if before[place] != after[place]]
        yield row, deed, {name: before for name, before, _ in names}, {name: after for name, _, after in names}
