"""Indexes of vectors: a large space has one where the database can, as long as it finds what it ought to."""

from collections.abc import Callable

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from trustmem.actions.threads import meanwhile
from trustmem.core.embedding import Embedder
from trustmem.store import near, vector_index, vectors
from trustmem.store.models import Space, Vector

#: Of the ten nearest it has to find this share, or none is better. That is tried with so many queries of so many words:
#: facts themselves are found more easily.
RECALL, _SAMPLE, _WORDS = 0.98, 200, 3


def keep(space: Space, embedder: Embedder, tell: Callable[[], None]) -> dict[str, int]:
    """Have an index for a space, or none where none is of use; told is how much of a thousand it finds, unless somebody
    else is at it. `tell` is called now and then while it is made and tried, which takes minutes. Outside of a
    transaction."""
    if not vector_index.is_worth_it(space, embedder):
        vector_index.drop(space)
        return {}

    def made() -> float | None:
        try:
            return _tried(space, embedder) if vector_index.make(space, embedder) else None
        finally:
            connection.close()  # that of this thread

    found = meanwhile(made, tell)
    return {} if found is None else {"found of 1000 by the index": round(found * 1000)}


def _tried(space: Space, embedder: Embedder) -> float:
    """Have the index be asked for as many at once as it takes, or drop it. Which share it finds."""
    found = 0.0
    for sought, found in near.recalls(space, embedder, _queries(space, embedder)):
        if found >= RECALL:
            vector_index.put_into_use(space, embedder, sought)
            return found
    vector_index.drop(space)
    return found


def _queries(space: Space, embedder: Embedder) -> NDArray[np.float32]:
    """Vectors of some words of some facts."""
    chance = np.random.default_rng(0)
    pks = list(Vector.objects.filter(space=space, embedder=embedder.name).order_by("pk").values_list("pk", flat=True))
    told = vectors.texts(chance.choice(pks, min(_SAMPLE, len(pks)), replace=False).tolist())
    words = [text.split() for _, text in sorted(told.items())]
    return embedder.embed(
        [" ".join(chance.choice(each, min(_WORDS, len(each)), replace=False)) for each in words if each]
    )
