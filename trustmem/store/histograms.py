"""What histograms are made of, read some facts at a time, and those that are kept."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import Count

from trustmem.core.columns import Bools, Codes, Ints
from trustmem.core.histograms import BINS, BY, MEASURES
from trustmem.core.stored import Stored
from trustmem.core.vocabulary import LIVE
from trustmem.store import bulk, columns, queries
from trustmem.store.models import Fact, Histogram, Space

#: The sources that have a group of their own; in which group the facts of all others are, which no source can be
#: called: no name has a tab.
SOURCES, REST = 20, "\tthe rest"
#: So many facts are read at a time.
_READ = 16_000
#: What is read of a fact beside what it is scored by.
_BORN = ("at", "at_known", "source")


class Read(NamedTuple):
    """Some facts as the core scores them, when they were born, how they came about and who said them: `source` is a
    place among the sources with a group of their own, or the one after these."""

    stored: Stored
    at: Ints
    at_known: Bools
    producer: Codes
    source: Codes


def largest_sources(space: Space) -> list[str]:
    """The sources of the most live facts, first those of more, then by name."""
    by_source = Fact.objects.filter(space=space, state=LIVE).order_by().values("source").annotate(facts=Count("pk"))
    return list(by_source.order_by("-facts", "source").values_list("source", flat=True)[:SOURCES])


def read(space: Space, sources: Sequence[str]) -> Iterator[Read]:
    """All facts of a space, whatever their state, by the constants that are in force when the first of them are read;
    `sources` are those with a group of their own."""
    start, is_last, reading = 0, False, queries.reading(space)
    places = {source: place for place, source in enumerate(sources)}
    while not is_last:
        facts = Fact.objects.filter(space=space, pk__gt=start).order_by("pk")
        pks = list(facts.values_list("pk", flat=True)[:_READ])
        if pks:
            column = bulk.read(Fact, [facts.filter(pk__lte=pks[-1])], ("id", *columns.FOR_PASS, *_BORN))
            said = [places.get(source, len(places)) for source in column["source"].tolist()]
            stored = columns.of_columns(column, reading, ())
            yield Read(stored, column["at"], column["at_known"], column["producer"], np.array(said, np.int8))
        start, is_last = max(pks, default=start), len(pks) < _READ


def found(space: Space, measure: str, by: str = "", bins: str = "linear") -> list[Histogram]:
    """The histograms of a measure that were counted last, one of each group, in the order of `groups`."""
    return list(Histogram.objects.filter(space=space, measure=measure, by=by, bins=bins).order_by("pk"))


def groups(space: Space) -> dict[str, list[str]]:
    """The groups that were counted last, by what facts are told apart: those of sources first where there are more
    facts, REST last; the others in the order of the vocabulary."""
    rows = Histogram.objects.filter(space=space, measure=MEASURES[0], bins=BINS[0]).order_by("pk")
    kept = list(rows.values_list("by", "of"))
    return {by: [of for each, of in kept if each == by] for by in BY} if kept else {}
