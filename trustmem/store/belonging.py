"""What was found to belong together goes with the facts that it was worked out from."""

from collections.abc import Collection

from django.db.models import Q

from trustmem.store import bulk, vectors
from trustmem.store.models import Centrality, CoOccurrence, Pair, Place, SemanticEdge, Space, Vector

#: What tells of the texts of facts; and what names entities, wherever these were mentioned.
OF_TEXTS = (Pair, Vector, SemanticEdge)
OF_ENTITIES = (CoOccurrence, Centrality, Place)


def forget(space: Space, facts: Collection[int]) -> None:
    """Drop what was worked out of some facts, by their keys. Within a transaction."""
    for chunk in bulk.chunks(facts):
        vectors.drop(space, chunk)
        for model in (Pair, SemanticEdge):
            for end in (Q(older__in=chunk), Q(newer__in=chunk)):
                model._default_manager.filter(end, space=space).delete()


def forget_entities(space: Space) -> None:
    """Drop all that names entities of a space: one of them may have been told of by what is erased. It is worked out
    anew by the next job. Within a transaction."""
    for model in OF_ENTITIES:
        model._default_manager.filter(space=space).delete()
