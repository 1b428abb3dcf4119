"""Histograms of the live facts of a space, counted now and then and kept, so that nobody waits for them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from trustmem.actions import jobs
from trustmem.actions.passes import Progress, nobody
from trustmem.core import histograms as core
from trustmem.core.columns import Bools, Codes, Floats
from trustmem.core.histograms import BINS, MEASURES, SPANS
from trustmem.core.instants import utc_date
from trustmem.core.scores import score
from trustmem.core.vocabulary import LIVE, PRODUCERS, SCOPES, TIERS
from trustmem.store import chain
from trustmem.store import histograms as rows_of_facts
from trustmem.store.histograms import REST, Read
from trustmem.store.models import ConstantsVersion, Fact, Histogram, Import, Job, Space


def ask(space: Space, *, by: str, now: int) -> Job:
    """The job that counts them; asked for twice on a day on which nothing came, they are counted once."""
    return jobs.ask(space, jobs.HISTOGRAMS, by=by, now=now, slot=f"{utc_date(now)}:{space.head_position}")


def ask_for_the_first(space: Space, *, by: str, now: int) -> None:
    """Have them counted after the first import of a space. Within the transaction that puts it on record."""
    if not Import.objects.filter(space=space)[1:2].exists():
        ask(space, by=by, now=now)


def count(space: Space, *, now: int, progress: Progress = nobody, conclude: Callable[[], None] = lambda: None) -> None:
    """Count all histograms of a space at `now` (µs); they take the place of those that were counted before.

    The bins of a measure are the same for all groups, so that the counts of groups add up to those of all. `progress`
    is told how many facts are read, of how many; `conclude` is called in the transaction that writes.
    """
    version = ConstantsVersion.objects.filter(space=space).order_by("since", "pk").last()
    number = version.number if version else 1
    sources = rows_of_facts.largest_sources(space)
    of = Fact.objects.filter(space=space).count() if progress is not nobody else 0
    measured, done = _Measured(), 0
    for read in rows_of_facts.read(space, sources):
        measured.add(read, now)
        done += len(read.stored)
        progress(done, of)
    names = {"scope": SCOPES, "producer": PRODUCERS, "source": (*sources, REST), "tier": TIERS}
    rows = list[Histogram]()
    for measure in MEASURES:
        told = _counted(measure, measured, names)
        rows += [Histogram(space=space, at=now, constants_version=number, measure=measure, **each) for each in told]
        progress(done, of)  # what is at work is held on to
    with transaction.atomic():
        chain.lock(space)  # two that count at once write one after the other
        Histogram.objects.filter(space=space).delete()
        Histogram.objects.bulk_create(rows)
        conclude()


@dataclass(frozen=True, slots=True)
class _Measured:
    """What was measured of the live facts that were read: eight bytes a value, and a few for the groups of a fact."""

    values: dict[str, list[Floats]] = field(default_factory=lambda: {measure: [] for measure in MEASURES})
    codes: dict[str, list[Codes]] = field(default_factory=lambda: {by: [] for by in core.BY[1:]})
    #: Of which fact each gap is, among those read with it.
    gap_of: list[NDArray[np.int32]] = field(default_factory=list)

    def add(self, read: Read, now: int) -> None:
        """Measure some facts."""
        stored, scored = read.stored, score(read.stored, now)
        live = scored.state == LIVE
        times = stored.reinforcements
        gaps, gap_of = core.gaps(times, now)
        is_live = live[gap_of]
        self.gap_of.append((np.cumsum(live) - 1)[gap_of[is_live]].astype(np.int32))
        values = {
            "age": core.age(read.at, read.at_known, now),
            "since confirmed": core.since_confirmed(times, read.at, read.at_known, now),
            "activation": scored.activation,
            "trust": scored.trust,
            "weight": scored.weight,
        }
        self.values["gap"].append(gaps[is_live])
        for measure, column in values.items():
            self.values[measure].append(column[live])
        codes = {"scope": scored.scope, "producer": read.producer, "source": read.source, "tier": scored.tier}
        for by, groups in codes.items():
            self.codes[by].append(groups[live])

    def take(self, measure: str) -> Floats:
        """The values of a measure, once: they are many."""
        return np.concatenate([np.empty(0), *self.values.pop(measure)])

    def groups(self, by: str, measure: str) -> Codes:
        """The group of each value of a measure."""
        some = self.codes[by]
        if measure == "gap":
            some = [codes[facts] for codes, facts in zip(some, self.gap_of, strict=True)]
        return np.concatenate([np.empty(0, np.int8), *some])


def _counted(measure: str, measured: _Measured, names: Mapping[str, Sequence[str]]) -> Iterator[dict[str, Any]]:
    """The histograms of a measure, of all and group by group; the columns of each row."""
    values = measured.take(measure)
    edges = {bins: core.edges(measure, bins, values) for bins in (BINS if measure in SPANS else BINS[:1])}
    for by, of, chosen in _groups(measure, measured, names):
        some = values[chosen]
        quartiles = core.quartiles(measure, some)
        for bins, bounds in edges.items():
            found = (core.log_histogram if bins == "log" else core.histogram)(some, bounds)
            counts = found._asdict() | {"counts": found.counts.tolist()}
            yield {"by": by, "of": of, "bins": bins, "edges": bounds.tolist(), "quartiles": quartiles, **counts}


def _groups(
    measure: str, measured: _Measured, names: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, Bools | slice]]:
    """By what, which group, and which values of a measure are its own; groups without facts are none."""
    yield "", "", slice(None)
    for by, named in names.items():
        codes = measured.groups(by, measure)
        for code in np.flatnonzero(np.bincount(measured.groups(by, MEASURES[0]), minlength=len(named))).tolist():
            yield by, named[code], codes == code
