"""Refresh: what is stored and moves with the clock is brought up to now: trust, by which lists filter and sort, and the
consequence of open cases. No pass is taken."""

from collections.abc import Callable

import numpy as np
from django.db import transaction
from django.db.models import Q

from trustmem.actions import favourites, queue
from trustmem.core.scores import score
from trustmem.store import bulk, chain, columns, queries, scores
from trustmem.store.models import Fact, Score, Space

#: So many facts are scored in one transaction.
_AT_ONCE = 2000


def refresh(
    space: Space,
    *,
    now: int,
    progress: Callable[[int, int], None] = lambda done, of: None,
    conclude: Callable[[int], None] = lambda moved: None,
) -> int:
    """Score all facts of a space at `now` (µs) and write those scores that moved; how many did. Then open cases are
    weighed by these, and stale favourites looked for.

    `progress` is told in each transaction how many facts are scored, of how many; `conclude` is called in the last with
    how many moved.
    """
    of, done, moved, start, is_last = Fact.objects.filter(space=space).count(), 0, 0, 0, False
    while not is_last:
        with transaction.atomic():
            chain.lock(space)
            facts = Fact.objects.filter(space=space, pk__gt=start).order_by("pk")
            pks = list(facts.values_list("pk", flat=True)[:_AT_ONCE])
            moved += _refresh(space, start, pks[-1], now) if pks else 0
            done += len(pks)
            progress(done, of)
        start, is_last = max(pks, default=start), len(pks) < _AT_ONCE
        bulk.give_way()
    queue.reweigh(space, now=now)
    with transaction.atomic():
        favourites.look(space, now=now)
        conclude(moved)
    return moved


def _refresh(space: Space, start: int, end: int, now: int) -> int:
    """Score the facts after one key up to another; how many scores moved."""
    here = Q(space=space, pk__gt=start, pk__lte=end)
    pks, stored = columns.stored([Fact.objects.filter(here).order_by("pk")], queries.reading(space), (), for_pass=True)
    scored = score(stored, now)
    beyond = Score.objects.filter(space=space, fact__gt=start, fact__lte=end)
    moved = np.flatnonzero(scores.moved([beyond], pks, scored))
    scores.update(pks, scored, moved, now)
    return len(moved)
