"""Exports: a space as an interchange file, from which it can be made again."""

from collections.abc import Iterator

from trustmem.actions import folding
from trustmem.actions.records import records
from trustmem.formats import writer
from trustmem.formats.interchange_types import Record
from trustmem.store.models import Line, Space


def export(space: Space) -> Iterator[bytes]:
    """The lines of a space as an interchange file, in the order of its chain. An erased fact has no texts in it.

    A file does not say which import brought a line. So what undone imports brought is left out, and so are undos that
    are of imports, and undos of these: the space that is made again counts the same.
    """
    space.refresh_from_db()
    imports = set(Line.objects.filter(space=space, tag="import").values_list("imported", flat=True))
    undone = folding.void(space, space.head_position) & imports
    nowhere = set(imports)
    for record, imported in records(space):
        if imported in undone and not _is_final(record):
            continue
        if record.get("kind") == "undone" and record["of"] in nowhere:
            nowhere.add(record["act"])
            continue
        yield writer.line(record)


def _is_final(record: Record) -> bool:
    return record["type"] in ("key", "space") or record.get("kind") == "erased"
