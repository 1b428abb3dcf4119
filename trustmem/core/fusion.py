"""Fusion: several rankings of the same things become one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

#: How much the first places of a ranking are levelled (Cormack et al. 2009).
K = 60


def reciprocal_rank(rankings: Iterable[Sequence[int]], k: int = K) -> dict[int, float]:
    """Σ over rankings 1/(k + place), places from 1 on, in shares of what is first in all of them: in (0, 1].

    `rankings` are keys, the best first, each at most once. Cormack, Clarke and Büttcher 2009.

    >>> reciprocal_rank([[7, 8], [7]])[7], round(reciprocal_rank([[7, 8], [7]])[8], 2)
    (1.0, 0.49)
    """
    found, most = defaultdict[int, float](float), 0.0
    for ranking in rankings:
        most += 1 / (k + 1) if ranking else 0.0
        for place, key in enumerate(ranking, start=1):
            found[key] += 1 / (k + place)
    return {key: value / most for key, value in found.items()}
