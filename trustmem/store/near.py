"""Near: which facts of a space lie nearest in meaning to something that is asked. Exactly so: of all vectors of the
space, which the process holds in memory as one matrix. Only where an index of them stands (`store.vector_index`), that
is asked, and finds nearly all.

What it holds is brought up to date before each answer: what was written since is read, and what was dropped goes. Where
nothing changed, that costs one row of the database; then the answer is one product of a matrix and a vector.
"""

from collections import OrderedDict
from collections.abc import Iterator
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from trustmem.core.columns import Ints
from trustmem.core.embedding import Embedder
from trustmem.store import bulk, vector_index
from trustmem.store.models import Space, Vector

#: So many bytes of vectors a process holds, or those of one space: two times the most that a space has.
_BOUND = 512 << 20
#: So many rows are read at a time.
_READ = 4000
#: Cosines that differ by less are equal: in which order a product adds up is up to the processor.
_DIGITS = 5

Vectors = NDArray[np.float32]


def near(space: Space, embedder: Embedder, asked: Vectors, limit: int) -> list[tuple[int, float]]:
    """The facts of a space whose vectors by an embedder lie nearest to a unit vector, with their cosines: the nearest
    first, of those that lie as near the oldest, `limit` at most."""
    found = vector_index.find(space, embedder, asked, limit)
    if found is None:
        return _nearest(*_held(space, embedder), asked, limit)
    return sorted(found, key=lambda each: (-round(each[1], _DIGITS), each[0]))


def recalls(space: Space, embedder: Embedder, queries: Vectors, nearest: int = 10) -> Iterator[tuple[int, float]]:
    """Of the facts that lie nearest to some queries, which share the index of a space finds: for each of the numbers
    that it may seek at once, the least first."""
    every = _Held(embedder.dimensions)  # not kept: who asks this serves no searches
    every.bring_up_to_date(space, embedder)
    asked = [(query, _nearest(every.pks, every.values, query, nearest)) for query in queries]
    for sought in vector_index.SOUGHT:
        found = right = 0
        for query, exact in asked:
            least = exact[-1][1] - 10**-_DIGITS
            told = vector_index.find(space, embedder, query, nearest, sought) or ()
            found, right = found + sum(cosine >= least for _, cosine in told), right + len(exact)
        yield sought, found / max(right, 1)


def _nearest(pks: Ints, values: Vectors, asked: Vectors, limit: int) -> list[tuple[int, float]]:
    if not len(pks):
        return []
    cosines = values @ asked
    last = np.partition(cosines, -limit)[-limit] if limit < len(pks) else -1.0
    best = np.flatnonzero(cosines >= last - 10**-_DIGITS)
    best = best[np.lexsort((pks[best], -cosines[best].round(_DIGITS)))][:limit]
    return list(zip(pks[best].tolist(), cosines[best].tolist(), strict=True))


class _Held:
    """The vectors of a space by one embedder, as this process holds them: of the facts `pks`, as rows of `values`.

    Rows that stand are never changed: new ones go behind them, and where some have to go, all are copied. So who has
    taken both out under the `lock` may go on with them outside of it.
    """

    def __init__(self, dimensions: int) -> None:
        self.lock = Lock()
        self.pks: Ints = np.empty(0, np.int64)
        self.values: Vectors = np.empty((0, dimensions), np.float32)
        self._room = self.values
        self._written = self._dropped = -1

    def bring_up_to_date(self, space: Space, embedder: Embedder) -> None:
        """Take in what was written and dropped since the last time. Under the lock.

        The counts are read first. What is written or dropped after that may be seen too, and is looked at once more.
        """
        counts = Space.objects.values_list("vectors_written", "vectors_dropped")
        written, dropped = counts.get(pk=space.pk)
        if written != self._written:
            for pks, is_ours, values in _written_since(space, embedder, self._written):
                self._keep(~np.isin(self.pks, pks))
                self._add(pks[is_ours], values)
        if dropped != self._dropped:
            there = bulk.read(Vector, [Vector.objects.filter(space=space, embedder=embedder.name)], ["fact"])["fact"]
            self._keep(np.isin(self.pks, there))
        self._written, self._dropped = written, dropped

    def _keep(self, which: NDArray[np.bool_]) -> None:
        if not which.all():
            self.pks, self._room = self.pks[which], self.values[which]
            self.values = self._room

    def _add(self, pks: Ints, values: Vectors) -> None:
        held, after = len(self.pks), len(self.pks) + len(pks)
        if after > len(self._room):  # what is not written to takes no memory
            self._room = np.empty((2 * after, values.shape[1]), np.float32)
            self._room[:held] = self.values
        self._room[held:after] = values
        self.pks, self.values = np.concatenate([self.pks, pks]), self._room[:after]


def _written_since(space: Space, embedder: Embedder, written: int) -> Iterator[tuple[Ints, NDArray[np.bool_], Vectors]]:
    """The facts whose vectors were written since, some at a time; which of them by this embedder, and those vectors."""
    rows = Vector.objects.filter(space=space, written__gt=written)
    for chunk in bulk.chunks(rows.values_list("pk", "embedder", "values").iterator(_READ), _READ):
        ours = [values for _, name, values in chunk if name == embedder.name]
        matrix = np.frombuffer(b"".join(ours), "<f4").reshape(-1, embedder.dimensions)
        is_ours = np.array([name == embedder.name for _, name, _ in chunk])
        yield np.array([pk for pk, _, _ in chunk], np.int64), is_ours, matrix


_spaces, _lock = OrderedDict[tuple[int, str, str], _Held](), Lock()


def _held(space: Space, embedder: Embedder) -> tuple[Ints, Vectors]:
    """The facts of a space that have a vector by an embedder, and these, as of now."""
    # The digest key tells a space from one of the same number in a database that was made anew.
    key = space.pk, space.digest_key, embedder.name
    with _lock:
        held = _spaces.setdefault(key, _Held(embedder.dimensions))
        _spaces.move_to_end(key)
    with held.lock:
        held.bring_up_to_date(space, embedder)
        found = held.pks, held.values
    with _lock:
        while len(_spaces) > 1 and sum(each.values.nbytes for each in _spaces.values()) > _BOUND:
            _spaces.popitem(last=False)
    return found
