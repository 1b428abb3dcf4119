"""Duplicates: what pairs hold together, one by one or by way of others."""

import numpy as np
from numpy.typing import ArrayLike

from trustmem.core.checks import same_length
from trustmem.core.columns import Ints


def clusters(one: ArrayLike, other: ArrayLike) -> tuple[Ints, Ints]:
    """The connected components of the graph whose edges are the pairs (one, other).

    Two columns of keys of one length, a row a pair. Gives every key once, rising, and with each the least key of its
    cluster. Linear in the pairs. Raises ValueError for columns of different lengths.
    Ours: what is to be merged at once.

    >>> [column.tolist() for column in clusters([1, 2, 7], [2, 5, 9])]
    [[1, 2, 5, 7, 9], [1, 1, 1, 7, 7]]
    """
    from scipy.sparse import coo_array  # they take long to load, for what few need
    from scipy.sparse.csgraph import connected_components

    left, right = np.asarray(one, np.int64), np.asarray(other, np.int64)
    same_length(one=left, other=right)
    keys, place = np.unique(np.concatenate([left, right]), return_inverse=True)
    rows, columns = place[: len(left)], place[len(left) :]
    graph = coo_array((np.ones(len(left), bool), (rows, columns)), (len(keys), len(keys)))
    _, label = connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)
    return keys, keys[first[label]]
