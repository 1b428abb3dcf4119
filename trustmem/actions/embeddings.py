"""Embeddings: the vectors of facts, made while nobody waits."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from trustmem.core.embedding import Embedder
from trustmem.store import bulk, vectors

#: So many texts are embedded at once.
_AT_ONCE = 100


def made(
    embedder: Embedder, facts: Sequence[int], tell: Callable[[int], None] = lambda done: None
) -> dict[int, NDArray[np.float32]]:
    """The vectors of some facts, by their keys, as far as they live; told is now and then how many are made."""
    found = dict[int, NDArray[np.float32]]()
    for some in bulk.chunks(vectors.texts(facts).items(), _AT_ONCE):
        found |= zip([pk for pk, _ in some], embedder.embed([text for _, text in some]), strict=True)
        tell(len(found))
    return found
