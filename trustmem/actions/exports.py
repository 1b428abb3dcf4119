"""Exports: a space as an interchange file, from which it can be made again."""

from collections.abc import Iterator

from trustmem.actions.records import records
from trustmem.formats import writer
from trustmem.store.models import Space


def export(space: Space) -> Iterator[bytes]:
    """The lines of a space as an interchange file, in the order of its chain. An erased fact has no texts in it."""
    space.refresh_from_db()
    for record, _ in records(space):
        yield writer.line(record)
