"""Batches: many cases decided alike, or many facts forgotten, in one act and with one way back.

What was shown before is what is done: what is not so any more, or of which something was said since, is left out and
counted.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from trustmem.actions import acts
from trustmem.actions.errors import Refusal
from trustmem.store.models import Space

#: So many are done in one act: more would not fit into the memory of a small machine.
MOST = 10_000


class Batch(NamedTuple):
    """What became of many: in which `act`, how many were `done`, and of those shown how many waited no more
    (`gone`), had `changed` since, or could not be dealt with so (`refused`)."""

    act: str
    done: int
    gone: int = 0
    changed: int = 0
    refused: int = 0


def written(space: Space, lines: Sequence[Mapping[str, Any]], batch: Batch, now: int) -> Batch:
    """Write the lines of a batch. Raises Refusal where nothing of it is left."""
    if not batch.done:
        raise Refusal("nothing of it is left as it was shown: look again")
    acts.write(space, lines, act=batch.act, now=now)
    return batch
