"""Vectors: what the facts of a space mean, as one matrix; which lie nearest to which, and the semantic edges of that.

Live facts take part, of a space with more than MOST of them the newest: all cosines of MOST facts are a matter of
minutes, and of a million of hours. Writing is for whoever holds the lock of the space.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import F
from numpy.typing import NDArray

from trustmem.core.columns import Bools, Ints
from trustmem.core.edges import SemanticEdges
from trustmem.core.embedding import Embedder
from trustmem.core.neighbours import Neighbours
from trustmem.core.vocabulary import LIVE
from trustmem.store import bulk
from trustmem.store.models import Fact, SemanticEdge, Space, Vector

#: So many facts take part at most.
MOST = 150_000
#: So many rows are read at a time.
_READ = 4000

Matrix = NDArray[np.float32]


class Held(NamedTuple):
    """The facts that have a vector with a direction, by their keys, oldest first; their vectors; and which were found
    nearest to each the last time, as rows, with an index below 0 for one that is there no more. Of those that are
    `fresh` nothing is known: all of their row is below 0."""

    pks: Ints
    values: Matrix
    kept: Neighbours
    fresh: Bools


def taking_part(space: Space) -> Ints:
    """The keys of the facts that take part, oldest first; of the same age, by name."""
    newest = Fact.objects.filter(space=space, state=LIVE).order_by("-at", "-name")
    return np.array(newest.values_list("pk", flat=True)[:MOST], np.int64)[::-1]


def without(space: Space, embedder: str, facts: Ints) -> Ints:
    """Those of some facts that have no vector by this embedder: none at all, or a stale one."""
    have = Vector.objects.filter(space=space, embedder=embedder).order_by("pk").values_list("pk", flat=True)
    if len(facts) < _READ:  # or all that there are is read in less time
        have = have.filter(pk__in=facts.tolist())
    return facts[~np.isin(facts, np.fromiter(have.iterator(_READ), np.int64))]


def beside(space: Space, facts: Ints) -> Ints:
    """The facts that have a vector, and are not among these."""
    have = Vector.objects.filter(space=space).order_by("pk").values_list("pk", flat=True)
    return np.setdiff1d(np.fromiter(have.iterator(_READ), np.int64), facts)


def texts(facts: Collection[int]) -> dict[int, str]:
    """What is embedded of some live facts, by their keys: the text, behind the subject where it does not name that."""
    told = Fact.objects.filter(pk__in=facts, state=LIVE).order_by("pk").values_list("pk", "subject", "text")
    return {pk: _said(subject, text) for pk, subject, text in told}


def _said(subject: str, text: str) -> str:
    return text if subject.casefold() in text.casefold() else f"{subject}: {text}"


def write(space: Space, embedder: str, vectors: Mapping[int, NDArray[np.float32]]) -> None:
    """Write vectors of facts, as far as these live, in place of those that they have; nothing is known of what lies
    nearest to them. Within a transaction."""
    live = list(Fact.objects.filter(pk__in=list(vectors), state=LIVE).order_by("pk").values_list("pk", flat=True))
    if not live:
        return
    counted = Space.objects.filter(pk=space.pk)
    counted.update(vectors_written=F("vectors_written") + 1)
    written = counted.values_list("vectors_written", flat=True).get()
    rows = [(pk, space.pk, embedder, vectors[pk].astype("<f4").tobytes(), b"", b"", written) for pk in live]
    bulk.upsert(Vector, "fact_id", ("space_id", "embedder", "values", "nearest", "cosines", "written"), rows)


def drop(space: Space, facts: Collection[int]) -> None:
    """Drop the vectors of some facts, as far as these have any. Within a transaction."""
    gone, _ = Vector.objects.filter(pk__in=facts).delete()
    if gone:
        Space.objects.filter(pk=space.pk).update(vectors_dropped=F("vectors_dropped") + 1)


def held(space: Space, embedder: Embedder, facts: Ints, neighbours: int) -> Held:
    """What is held of some facts, in their order."""
    values = np.zeros((len(facts), embedder.dimensions), np.float32)
    near, cosine = dict[int, Ints](), dict[int, NDArray[np.float64]]()
    for pks, some, keys, cosines in _rows(space, embedder):
        row = bulk.places(facts, pks)
        is_one = row >= 0
        values[row[is_one]] = some[is_one]
        for at, place in enumerate(row.tolist()):
            near[place], cosine[place] = np.frombuffer(keys[at], "<i8"), np.frombuffer(cosines[at], "<f8")
    directed = np.flatnonzero(values.any(axis=1))
    k = min(neighbours, len(directed) - 1)
    pks, shape = facts[directed], (len(directed), max(k, 0))
    keys_of, cosine_of, fresh = np.full(shape, -1, np.int64), np.zeros(shape), np.ones(len(pks), np.bool_)
    for at, place in enumerate(directed.tolist()):
        if len(near[place]) == k:  # another number of neighbours was asked for before, or there were fewer facts
            keys_of[at], cosine_of[at], fresh[at] = near[place], cosine[place], False
    index = bulk.places(pks, keys_of.ravel()).reshape(shape)
    return Held(pks, values if len(pks) == len(facts) else values[directed], Neighbours(index, cosine_of), fresh)


def _rows(space: Space, embedder: Embedder) -> Iterator[tuple[Ints, Matrix, list[bytes], list[bytes]]]:
    """The vectors of a space, some at a time: the facts' keys, the vectors, and what is kept with each."""
    rows = Vector.objects.filter(space=space, embedder=embedder.name).order_by("pk")
    told = rows.values_list("pk", "values", "nearest", "cosines").iterator(_READ)
    for chunk in bulk.chunks(told, _READ):
        pks, values, keys, cosines = zip(*chunk, strict=True)
        matrix = np.frombuffer(b"".join(values), "<f4").reshape(len(pks), embedder.dimensions)
        yield np.array(pks, np.int64), matrix, list(map(bytes, keys)), list(map(bytes, cosines))


def changed(before: Held, found: Neighbours) -> Ints:
    """The rows of which something else lies nearest by now: first those of which something was known.

    In this order they are to be written. A fact of which something is kept counts as known to all others, and so it
    must be, wherever writing is cut short.
    """
    same = (before.kept.nearest == found.nearest).all(axis=1) & (before.kept.cosine == found.cosine).all(axis=1)
    return np.concatenate([np.flatnonzero(~same & ~before.fresh), np.flatnonzero(before.fresh)])


def keep(of: Held, found: Neighbours, rows: Sequence[int]) -> None:
    """Write what lies nearest to some facts, by their rows. Within a transaction."""
    keys = of.pks[found.nearest[rows]].astype("<i8")
    cosines = found.cosine[rows].astype("<f8")
    told = zip(of.pks[rows].tolist(), keys, cosines, strict=True)
    bulk.update(Vector, "fact_id", ("nearest", "cosines"), [(pk, a.tobytes(), b.tobytes()) for pk, a, b in told])


class Difference(NamedTuple):
    """What has to be done to the semantic edges of a space: rows to delete, by their keys; to change and to insert."""

    gone: list[int]
    moved: list[tuple[int, float, float]]
    new: list[tuple[int, int, int, float, float]]


def difference(space: Space, pks: Ints, edges: SemanticEdges) -> Difference:
    """How the semantic edges that there are differ from those that there ought to be."""
    names = ("id", "older", "newer", "to_newer", "to_older")
    row = bulk.read(SemanticEdge, [SemanticEdge.objects.filter(space=space).order_by("pk")], names)
    n = len(pks)
    ends = [bulk.places(pks, row[name]) for name in ("older", "newer")]
    code, there = edges.i * n + edges.j, np.where((ends[0] >= 0) & (ends[1] >= 0), ends[0] * n + ends[1], -1)
    place = bulk.places(code, there)
    stays = place >= 0
    is_same = (
        (row["to_newer"] == edges.weight_ij[place]) & (row["to_older"] == edges.weight_ji[place])
        if len(code)
        else stays
    )
    moves, is_new = stays & ~is_same, np.ones(len(code), np.bool_)
    is_new[place[stays]] = False
    return Difference(
        row["id"][~stays].tolist(),
        list(zip(row["id"][moves].tolist(), *_weights(edges, place[moves]), strict=True)),
        [
            (space.pk, *each)
            for each in zip(
                pks[edges.i[is_new]].tolist(), pks[edges.j[is_new]].tolist(), *_weights(edges, is_new), strict=True
            )
        ],
    )


def _weights(edges: SemanticEdges, which: NDArray[np.generic]) -> tuple[list[float], list[float]]:
    return edges.weight_ij[which].tolist(), edges.weight_ji[which].tolist()


def reweigh(moved: Sequence[tuple[int, float, float]]) -> None:
    """Set the weights of semantic edges, given behind their keys. Within a transaction."""
    bulk.update(SemanticEdge, "id", ("to_newer", "to_older"), moved)


def connect(new: Sequence[tuple[int, int, int, float, float]]) -> None:
    """Insert semantic edges between facts that live. Within a transaction."""
    ends = {end for _, older, newer, _, _ in new for end in (older, newer)}
    live = {
        pk
        for chunk in bulk.chunks(sorted(ends))
        for pk in Fact.objects.filter(pk__in=chunk, state=LIVE).values_list("pk", flat=True)
    }
    rows = [row for row in new if row[1] in live and row[2] in live]
    bulk.insert(SemanticEdge, ("space_id", "older_id", "newer_id", "to_newer", "to_older"), rows)


def nearest(
    space: Space, facts: Collection[int], embedder: Embedder, neighbours: int = 10
) -> dict[int, list[tuple[int, float]]]:
    """The facts that lie nearest to each of some facts, with their cosines, nearest first.

    What is kept is taken as it was found the last time. For a fact of which nothing is kept, all vectors of the space
    are looked at, some at a time, in single precision. Facts that are not live, or say nothing, are left out.
    """
    found, asked = dict[int, list[tuple[int, float]]](), dict[int, NDArray[np.float32]]()
    for chunk in bulk.chunks(sorted(facts)):
        rows = Vector.objects.filter(space=space, pk__in=chunk, embedder=embedder.name)
        for pk, values, keys, cosines in rows.order_by("pk").values_list("pk", "values", "nearest", "cosines"):
            if keys:
                near = np.frombuffer(bytes(keys), "<i8")[:neighbours], np.frombuffer(bytes(cosines), "<f8")
                found[pk] = list(zip(near[0].tolist(), near[1].tolist(), strict=False))
            else:
                asked[pk] = np.frombuffer(bytes(values), "<f4")
        told = texts([pk for pk in chunk if pk not in found and pk not in asked])
        asked |= dict(zip(told, embedder.embed([*told.values()]), strict=True))
    asked = {pk: values for pk, values in asked.items() if values.any()}
    return found | _looked_for(space, asked, embedder, neighbours) if asked else found


def _looked_for(
    space: Space, asked: Mapping[int, NDArray[np.float32]], embedder: Embedder, neighbours: int
) -> dict[int, list[tuple[int, float]]]:
    mine, sought = np.array([*asked], np.int64), np.array([*asked.values()], np.float32)
    keys = np.empty((len(mine), 0), np.int64)
    cosines = np.empty((len(mine), 0), np.float32)
    for pks, values, _, _ in _rows(space, embedder):
        near = sought @ values.T
        near[mine[:, None] == pks] = -np.inf
        some = np.argpartition(-near, min(neighbours, len(pks)) - 1, axis=1)[:, :neighbours]
        keys, cosines = np.hstack([keys, pks[some]]), np.hstack([cosines, np.take_along_axis(near, some, 1)])
        order = np.lexsort((keys, -cosines.round(5)))[:, :neighbours]
        keys, cosines = np.take_along_axis(keys, order, 1), np.take_along_axis(cosines, order, 1)
    rows = zip(mine.tolist(), keys.tolist(), cosines.tolist(), strict=True)
    return {pk: [each for each in zip(near, how, strict=True) if each[1] > -1.5] for pk, near, how in rows}
