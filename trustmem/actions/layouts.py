"""Layouts: where the nodes of the picture of a whole space stand, worked out by the job of the graph and kept, so that
nobody waits for it."""

from collections.abc import Callable

from django.db import transaction

from trustmem.store import bulk, chain, graph, ties
from trustmem.store.models import Place, Space

#: So many ties between the nodes of a sample have a say in where they stand.
_MOST_TIES = 20_000


def sample_and_place(space: Space, *, conclude: Callable[[], None] = lambda: None) -> int:
    """Choose what stands for a space and place it; how many nodes that are. It takes the place of what was placed
    before; rows stand in the order of importance. `conclude` is called in the transaction that writes.

    For the job of the graph, once centrality is known: it takes a second or two for the nodes, and the time to count
    the ties of all facts.
    """
    nodes = graph.sample(space)
    found = ties.within(space, nodes, ties.Filter(), _MOST_TIES)
    places = graph.placed(nodes, found, is_centred=False)
    names = graph.names(space, [node for node in nodes if isinstance(node, int)])
    rows = [
        (space.pk, isinstance(node, str), node if isinstance(node, str) else names[node], *at)
        for node, at in places.items()
        if isinstance(node, str) or node in names
    ]
    with transaction.atomic():
        chain.lock(space)  # two that place at once write one after the other
        Place.objects.filter(space=space).delete()
        bulk.insert(Place, ("space_id", "is_entity", "name", "x", "y"), rows)
        conclude()
    return len(rows)
