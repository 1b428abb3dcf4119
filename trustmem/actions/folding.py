"""Folding: the tables that are folds are brought up to the head of the chain."""

from django.db import transaction

from trustmem.actions.purging import purge
from trustmem.core.fold import Folded, PassTaken, fold
from trustmem.store import chain, folds
from trustmem.store.history import history
from trustmem.store.models import Space


def folded(space: Space) -> tuple[Folded, list[PassTaken]]:
    """What the lines of a space come to, and every pass on the way."""
    lines, passes = history(space)
    taken: list[PassTaken] = []
    return fold(lines, passes, watch=taken.append), taken


@transaction.atomic
def refold(space: Space) -> None:
    """Write the folds of a space anew, unless they are up to date."""
    chain.lock(space)
    if space.folded_to == space.head_position:
        return
    purge(space)
    result, taken = folded(space)
    folds.write(space, result, taken)
    space.folded_to = space.head_position
    space.save(update_fields=["folded_to"])
