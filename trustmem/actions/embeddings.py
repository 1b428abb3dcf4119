"""Embeddings: facts are given their vectors, some at a time. Whoever does it again gives those that are left theirs."""

from typing import Any

from django.db import transaction

from trustmem.actions.passes import Progress
from trustmem.core.columns import Ints
from trustmem.core.embedding import Embedder
from trustmem.store import bulk, chain, vectors
from trustmem.store.models import Space

#: So many vectors are written in one transaction; and so many texts are embedded at once.
STEP, _AT_ONCE = 2000, 100


def embed(space: Space, embedder: Embedder, facts: Ints, progress: Progress, written: Progress) -> None:
    """Give those of some facts a vector by an embedder that have none, as far as they live.

    Told is how many are done, of how many: `progress` while nobody waits, `written` in each transaction.
    """
    left = vectors.without(space, embedder.name, facts).tolist()
    for done, chunk in enumerate(bulk.chunks(left, STEP)):
        made = dict[int, Any]()
        for some in bulk.chunks(vectors.texts(chunk).items(), _AT_ONCE):
            made |= zip([pk for pk, _ in some], embedder.embed([text for _, text in some]), strict=True)
            progress(done * STEP + len(made), len(left))
        with transaction.atomic():
            chain.lock(space)
            vectors.write(space, embedder.name, made)
            written(done * STEP + len(made), len(left))
        bulk.give_way()
