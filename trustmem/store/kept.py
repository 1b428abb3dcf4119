"""Spaces kept in memory: the columns of the last two that were asked for, so that they are not read again while
somebody tries what other constants would make of them. Of a space that has changed since they are read anew."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np
from django.db.models import QuerySet

from trustmem.core.columns import Bools, Ints
from trustmem.core.instants import EVER
from trustmem.core.stored import Stored
from trustmem.core.touches import Witnesses
from trustmem.core.vocabulary import LIVE, RELATIONS
from trustmem.store import bulk, columns, queries
from trustmem.store.models import Edge, Fact, Space, Touch

_SPACES = 2
_CONTRADICTS = RELATIONS.index("contradicts")
#: So often a space is read again that changed meanwhile.
_TRIES = 3
_Made = TypeVar("_Made")


class Stand(NamedTuple):
    """What the folds of a space stand at: as long as it is the same, so are they."""

    space: int
    head: str
    folded_to: int
    last_pass: int
    through: int

    @property
    def is_under_way(self) -> bool:
        """Whether not all facts have gone through the last pass yet."""
        return self.through < EVER


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Facts of a space in the order of their keys, all of them or a sample, and with a sample what contradicts these
    (`chosen`: they are of it). `live` are those of the whole space. `witnesses` only where they were asked for."""

    stand: Stand
    most: int
    pks: Ints
    chosen: Bools
    is_sample: bool
    live: int
    stored: Stored
    born: Ints
    arrived: Ints
    witnesses: Witnesses | None
    _made: dict[str, tuple[Hashable, Any]] = field(default_factory=dict)

    def once(self, what: str, of: Hashable, make: Callable[[], _Made]) -> _Made:
        """What is made of these columns, if it is not what was made last."""
        kept = self._made.get(what)
        if kept is None or kept[0] != of:
            kept = self._made[what] = (of, make())
        made: _Made = kept[1]
        return made


_kept: list[Kept] = []
_lock = Lock()


def stand(space: Space) -> Stand:
    """What the folds of a space stand at by now."""
    head, folded_to = Space.objects.values_list("head_digest", "folded_to").get(pk=space.pk)
    last = queries.last_pass(space)
    return Stand(space.pk, head, folded_to, last.pk if last else 0, last.through if last else EVER)


def of(space: Space, most: int, *, with_witnesses: bool = False) -> Kept:
    """The facts of a space; of more than `most`, every k-th by key."""
    for tries in count(1):
        now = stand(space)
        with _lock:  # of many who ask at once one reads, and the others find it there
            kept = next((each for each in _kept if (each.stand, each.most) == (now, most)), None)
            is_there = kept is not None and (kept.witnesses is not None or not with_witnesses)
            if kept is None or not is_there:
                kept = _read(space, now, most, with_witnesses)
            is_torn = not is_there and stand(space) != now
            if not is_torn:
                _keep(kept)
        if not is_torn or tries == _TRIES:
            return kept
    raise AssertionError


def _keep(found: Kept) -> None:
    """As the newest; of one space once."""
    _kept[:] = [found, *(each for each in _kept if each.stand.space != found.stand.space)][:_SPACES]


def forget() -> None:
    """Keep nothing."""
    with _lock:
        _kept.clear()


def _read(space: Space, now: Stand, most: int, with_witnesses: bool) -> Kept:
    facts = Fact.objects.filter(space=space)
    pks = np.array(facts.order_by("pk").values_list("pk", flat=True), np.int64)
    step = -(-len(pks) // most) or 1
    sample, rivals = pks[::step], columns.carried([Edge.objects.filter(space=space, relation=_CONTRADICTS)])
    asked, touches = [facts.order_by("pk")], [Touch.objects.filter(space=space)]
    if step > 1:
        chunks = list(bulk.chunks(_with_rivals(sample, rivals)))
        asked = [Fact.objects.filter(pk__in=chunk).order_by("pk") for chunk in chunks]
        touches = [Touch.objects.filter(space=space, fact__in=chunk) for chunk in chunks]
    read, stored = columns.stored(asked, queries.reading(space), rivals)
    born = bulk.read(Fact, asked, ("id", "at", "arrived"))
    place = bulk.places(born["id"], read)
    return Kept(
        stand=now,
        most=most,
        pks=read,
        chosen=np.isin(read, sample),
        is_sample=step > 1,
        live=_live(facts, stored, step > 1),
        stored=stored,
        born=born["at"][place],
        arrived=born["arrived"][place],
        witnesses=columns.witnesses(touches, asked, read, stored) if with_witnesses else None,
    )


def _with_rivals(sample: Ints, rivals: Sequence[tuple[int, int, int]]) -> list[int]:
    chosen = set(sample.tolist())
    beside = {end for newer, older, _ in rivals if newer in chosen or older in chosen for end in (newer, older)}
    return sorted(chosen | beside)


def _live(facts: QuerySet[Fact], stored: Stored, is_sample: bool) -> int:
    return facts.filter(state=LIVE).count() if is_sample else int((stored.state == LIVE).sum())
