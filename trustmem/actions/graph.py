"""The graph of a space, worked out anew by a job: vectors, semantic edges, co-occurrence, centrality, and places.

Nobody waits for what is reckoned; what it came to is written some rows at a time, each in a transaction of its own. A
job that is cut short leaves rows of which each is right by itself, and whoever does it again comes to the same. What is
erased meanwhile is not written any more.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from django.db import transaction

from trustmem.actions import embedders, embeddings, jobs, vector_indexes
from trustmem.actions.passes import Progress, nobody
from trustmem.actions.threads import meanwhile, side_by_side
from trustmem.core.columns import Ints
from trustmem.core.edges import centrality, mutual, npmi
from trustmem.core.embedding import Embedder
from trustmem.core.instants import MICROSECONDS_PER_SECOND, utc_date
from trustmem.core.neighbours import directions, mended
from trustmem.core.occurrence import occurrences, together
from trustmem.core.vocabulary import LIVE
from trustmem.store import bulk, chain, graph, queries, ties, vector_index, vectors
from trustmem.store import occurrences as rows_of_entities
from trustmem.store.models import Centrality, CoOccurrence, Fact, Job, SemanticEdge, Space

#: So many facts are embedded, or rows written, in one transaction; and of so many that were read it is told.
STEP, _AT_ONCE = 2000, 100
#: Between so many nodes of the picture of a space at most so many ties draw them together.
_TIES = 20_000


class _Stale(Exception):
    """Something was erased since it was read."""


def ask(space: Space, *, by: str, now: int) -> Job:
    """The job that works it out; asked for twice on a day on which nothing came, it is done once."""
    return jobs.ask(space, jobs.GRAPH, by=by, now=now, slot=f"{utc_date(now)}:{space.head_position}")


def make(
    space: Space,
    *,
    clock: Callable[[], int],
    progress: Progress = nobody,
    conclude: Callable[[Mapping[str, Any]], None] = lambda result: None,
) -> dict[str, Any]:
    """Work out the graph of a space: how many there are of what, by which embedder, and how many
    seconds each step took.

    `progress` is told in each transaction how far it is, and in between now and then; `conclude` is called with the
    result in the last one. Raises Refusal where there is no embedder to be had.
    """
    embedder, facts = embedders.current(), vectors.taking_part(space)
    steps: dict[str, Callable[[_Telling], dict[str, int]]] = {
        "vectors": lambda telling: _embed(space, embedder, facts, telling),
        "semantic edges": lambda telling: _connect(space, embedder, facts, telling),
        "co-occurrence": lambda telling: _occur(space, telling),
    }
    if vector_index.can_be_made():
        steps["index"] = lambda telling: vector_indexes.keep(space, embedder, telling.now)
    counts, seconds = {"facts": Fact.objects.filter(space=space, state=LIVE).count(), "taking part": len(facts)}, {}
    for place, (name, step) in enumerate(steps.items()):
        begun = clock()
        counts |= step(_Telling(progress, clock, place, len(steps) + 1, max(len(facts), 1)))
        seconds[name] = _seconds(clock() - begun)
    begun, told = clock(), {"embedder": embedder.name, "counts": counts, "seconds": seconds}

    def end(placed: int) -> None:
        counts["placed"], seconds["places"] = placed, _seconds(clock() - begun)
        conclude(told)

    while not _place(space, end, _Telling(progress, clock, len(steps), len(steps) + 1, max(len(facts), 1))):
        pass
    return told


def _seconds(span: int) -> float:
    return round(span / MICROSECONDS_PER_SECOND, 1)


class _Telling:
    """How far a step is, as a part of the whole: each step counts for as much as all facts do."""

    def __init__(self, progress: Progress, clock: Callable[[], int], place: int, steps: int, facts: int) -> None:
        self._progress, self._clock, self._told = progress, clock, clock()
        self._place, self._steps, self._facts = place, steps, facts

    def now(self, done: int = 0, of: int = 1) -> None:
        """Say it."""
        here = self._facts * min(done, of) // max(of, 1)
        self._told = self._clock()
        self._progress(self._place * self._facts + here, self._steps * self._facts)

    def sometimes(self, done: int, of: int) -> None:
        """Say it, unless it was said within the last second."""
        if self._clock() - self._told > MICROSECONDS_PER_SECOND:
            self.now(done, of)


def _in_steps(space: Space, rows: Sequence[Any], write: Callable[[list[Any]], None], telling: _Telling) -> None:
    """Write rows, each so many in a transaction of their own."""
    for chunk in bulk.chunks(rows, STEP):
        with transaction.atomic():
            chain.lock(space)
            write(chunk)
            telling.now()
        bulk.give_way()


def _embed(space: Space, embedder: Embedder, facts: Ints, telling: _Telling) -> dict[str, int]:
    """Give each fact that takes part a vector by this embedder, and drop the vectors of those that do not."""
    _in_steps(space, vectors.beside(space, facts).tolist(), partial(vectors.drop, space), telling)
    left = vectors.without(space, embedder.name, facts).tolist()
    for done, chunk in enumerate(bulk.chunks(left, STEP)):
        made = embeddings.made(embedder, chunk, lambda n, done=done: telling.sometimes(done * STEP + n, len(left)))  # type: ignore[misc]
        with transaction.atomic():
            chain.lock(space)
            vectors.write(space, embedder.name, made)
            telling.now(done * STEP + len(made), len(left))
        bulk.give_way()
    return {}


def _connect(space: Space, embedder: Embedder, facts: Ints, telling: _Telling) -> dict[str, int]:
    """Find which facts lie nearest to which, and keep that and the semantic edges of it."""
    held = vectors.held(space, embedder, facts, queries.constants(space).neighbours)
    telling.now()
    with side_by_side(telling.sometimes) as run:
        found = mended(directions(held.values), held.kept.nearest.shape[1], held.kept, held.fresh, run=run)
    _in_steps(space, vectors.changed(held, found).tolist(), partial(vectors.keep, held, found), telling)
    edges = mutual(found)
    differ = vectors.difference(space, held.pks, edges)
    _in_steps(space, differ.gone, partial(rows_of_entities.delete, SemanticEdge), telling)
    _in_steps(space, differ.moved, vectors.reweigh, telling)
    _in_steps(space, differ.new, vectors.connect, telling)
    return {"vectors": len(held.pks), "semantic edges": len(edges.i)}


def _occur(space: Space, telling: _Telling) -> dict[str, int]:
    """Count which entities occur in how many facts, and together, and how central each is; anew where something was
    erased meanwhile."""
    while True:
        erased = rows_of_entities.erased(space)
        found = _occurring(space, telling)
        try:
            for model, rows in ((CoOccurrence, found.pairs), (Centrality, found.entities)):
                differ = rows_of_entities.difference(space, model, rows)
                for some, write in (
                    (differ.gone, rows_of_entities.delete),
                    (differ.moved, rows_of_entities.move),
                    (differ.new, rows_of_entities.insert),
                ):
                    _in_steps(space, some, partial(_unless_erased, space, erased, partial(write, model)), telling)
        except _Stale:
            continue
        return {"entities": len(found.entities), "co-occurrences": len(found.pairs)}


def _unless_erased(space: Space, erased: int, write: Callable[[list[Any]], None], rows: list[Any]) -> None:
    if rows_of_entities.erased(space) != erased:
        raise _Stale
    write(rows)


class _Occurring(NamedTuple):
    """The rows that there ought to be: of two entities, and of one."""

    pairs: list[tuple[str, str, int, float]]
    entities: list[tuple[str, float, int]]


def _occurring(space: Space, telling: _Telling) -> _Occurring:
    """What occurs in the live facts of a space, each being one context (section 9.2), and how central it is (9.4)."""
    of, contexts = Fact.objects.filter(space=space, state=LIVE).count(), 0

    def read() -> Iterator[tuple[Sequence[str], str]]:
        nonlocal contexts
        for told in rows_of_entities.told(space):
            contexts += 1
            if contexts % _AT_ONCE == 0:
                telling.sometimes(contexts, of)
            yield told

    found = occurrences(read(), rows_of_entities.called(space))
    names, facts = found.names, np.bincount(found.entity, minlength=len(found.names))
    both = together(found.fact, found.entity)
    weight = npmi(facts[both.one], facts[both.other], both.facts, contexts)
    tied = np.flatnonzero(weight > 0)
    one, other, weight, shared = both.one[tied], both.other[tied], weight[tied], both.facts[tied]
    rank = centrality(np.append(one, other), np.append(other, one), np.append(weight, weight), len(names))
    pairs = np.lexsort((other, one, -weight, -shared))[: rows_of_entities.MOST_PAIRS]
    pairs = np.sort(pairs)
    central = np.sort(np.lexsort((np.arange(len(names)), -rank))[: rows_of_entities.MOST_ENTITIES])
    return _Occurring(
        [
            (names[x], names[y], n, w)
            for x, y, n, w in zip(*(column[pairs].tolist() for column in (one, other, shared, weight)), strict=True)
        ],
        [(names[entity], float(rank[entity]), int(facts[entity])) for entity in central.tolist()],
    )


def _place(space: Space, end: Callable[[int], None], telling: _Telling) -> bool:
    """Place what stands for the space, and end; False where something was erased meanwhile."""
    erased = rows_of_entities.erased(space)
    nodes = graph.sample(space)
    tied = ties.within(space, nodes, ties.Filter(), ties.refuted(space), _TIES)
    tied.sort(key=str)  # else in the order of their keys
    found = meanwhile(lambda: graph.placed(nodes, tied, is_centred=False), partial(telling.sometimes, 0, 1))
    called = graph.names(space, [node for node in nodes if isinstance(node, int)])
    places = [
        (isinstance(node, str), node if isinstance(node, str) else called[node], *found[node])
        for node in nodes
        if isinstance(node, str) or node in called
    ]
    with transaction.atomic():
        chain.lock(space)
        if rows_of_entities.erased(space) != erased:
            return False
        rows_of_entities.place(space, places)
        end(len(places))
    return True
