"""Reads: what a space holds, as the core wants it. Every query names its space."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from operator import itemgetter

from trustmem.core.columns import Ints
from trustmem.core.consolidation import Clock
from trustmem.core.constants import Constants, changed
from trustmem.core.instants import NEVER
from trustmem.core.stored import Stored
from trustmem.core.vocabulary import STATES
from trustmem.store import bulk, columns
from trustmem.store.columns import Reading
from trustmem.store.models import ConstantsVersion, Edge, Fact, Pass, Space
from trustmem.store.states import GUARDED


def constants(space: Space, at: int | None = None) -> Constants:
    """The constants in force at an instant; the newest for None."""
    return _in_force(_versions(space), at)


def version(space: Space, at: int | None = None) -> int | None:
    """The number of the version of the constants that is in force at an instant; of the newest for None. None: there is
    none yet."""
    found = ConstantsVersion.objects.filter(space=space)
    by_then = found if at is None else found.filter(since__lte=at)
    return by_then.order_by("since", "pk").values_list("number", flat=True).last()


def untold(space: Space, names: Collection[str], *, sees_all: bool) -> dict[str, str]:
    """Those of some facts that do not say to whoever looks what they say, each with its state by now ('': it counts no
    more); `sees_all`: to somebody who decides about facts."""
    found = dict[str, str]()
    for chunk in () if sees_all else bulk.chunks(names):
        states = dict(Fact.objects.filter(space=space, name__in=chunk).values_list("name", "state"))
        hidden = [name for name in chunk if states.get(name) not in GUARDED.to_readers]
        found |= {name: STATES[states[name]] if name in states else "" for name in hidden}
    return found


def last_pass(space: Space) -> Pass | None:
    """The latest pass of a space; None before any."""
    return Pass.objects.filter(space=space).order_by("instant").last()


def clock(space: Space, also: Sequence[int] = (), trial: Constants | None = None) -> Clock:
    """The running clock of a space, with all its passes, and those that there might be later, in order; were `trial`
    in force since the last of its own."""
    instants = [*Pass.objects.filter(space=space).order_by("instant").values_list("instant", flat=True), *also]
    versions = _versions(space, trial)
    return Clock.of(instants, [_in_force(versions, each).max_pass_gap_days for each in [*instants, None]])


def reading(space: Space) -> Reading:
    """How the weights of a space are read: as of its last pass."""
    last = last_pass(space)
    versions = _versions(space)
    then = _in_force(versions, last.instant if last else None)
    return Reading(last.clock if last else 0, then, _in_force(versions, None))


def stored(space: Space, pks: Collection[int] | None = None) -> Stored:
    """Facts of a space (None: all, by name) as the core scores them; weights as the last pass left them."""
    return keyed(space, pks)[1]


def keyed(space: Space, pks: Collection[int] | None = None) -> tuple[Ints, Stored]:
    """The same facts, by name, with their keys before them."""
    facts, edges = [Fact.objects.filter(space=space)], [Edge.objects.filter(space=space)]
    if pks is not None:
        # By its keys alone, or SQLite might walk the whole space.
        facts = [Fact.objects.filter(pk__in=chunk) for chunk in bulk.chunks(pks)]
        edges = [edges[0].filter(newer__in=chunk) for chunk in bulk.chunks(pks)]
    return columns.stored([each.order_by("name") for each in facts], reading(space), columns.carried(edges))


def _versions(space: Space, trial: Constants | None = None) -> list[tuple[int, Constants]]:
    """(since, constants) in order; the first from the beginning. The last is `trial`, were that put in force now."""
    versions = [(NEVER, Constants())]
    changes = ConstantsVersion.objects.filter(space=space).order_by("since", "pk")
    for since, values in changes.values_list("since", "values"):
        versions.append((since, changed(versions[-1][1], values)))
    if trial is not None:
        last = last_pass(space)
        versions.append((max(versions[-1][0], last.instant + 1 if last else NEVER), trial))
    return versions


def _in_force(versions: list[tuple[int, Constants]], at: int | None) -> Constants:
    latest = len(versions) if at is None else bisect_right(versions, at, key=itemgetter(0))
    return versions[latest - 1][1]
