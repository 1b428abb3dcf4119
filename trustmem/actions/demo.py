"""The demo: a memory that tells a story of ninety days, told so that it ends now."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from importlib import resources

from django.db import transaction

from trustmem.actions import graph, histograms, imports, spaces
from trustmem.core.instants import MICROSECONDS_PER_DAY, from_datetime
from trustmem.formats import interchange, writer
from trustmem.formats.fields import instant
from trustmem.formats.interchange_types import FIELDS, Record
from trustmem.store.models import Space

NAME = "demo"
SAMPLE = resources.files("trustmem") / "samples" / "demo.jsonl"
#: When the story ends, as the sample tells it.
END = from_datetime(datetime(2026, 6, 1, 9, tzinfo=UTC))


@transaction.atomic
def make(*, by: str, now: int, name: str = NAME) -> Space:
    """A new space that has lived through the story, with a pass a day, and whose histograms and graph are to be worked
    out. Raises Refusal if there is one of that name."""
    space = spaces.create(name)
    lines = list(_told(name, now - END))
    imports.import_lines(space, lines, file=SAMPLE.name, by=by, now=now, every=MICROSECONDS_PER_DAY, strict=True)
    histograms.ask(space, by=by, now=now)
    graph.ask(space, by=by, now=now)
    return space


def _told(name: str, later: int) -> Iterator[bytes]:
    """The lines of the sample, of a space of that name, so much later (µs)."""
    for record in interchange.read(SAMPLE.read_bytes().splitlines()).records.values():
        moved = _moved(record, later)
        yield writer.line(moved | {"id": name} if record["type"] == "space" else moved)


def _moved(record: Record, later: int) -> Record:
    """Every instant of a record so much later."""
    instants = [field for field, each in FIELDS[record["type"]].items() if each.parse is instant]
    moved = {field: record[field] + later for field in instants if record[field] is not None}
    if record["type"] == "fact" and record["baseline"].first_seen is not None:
        moved["baseline"] = replace(record["baseline"], first_seen=record["baseline"].first_seen + later)
    return record | moved
