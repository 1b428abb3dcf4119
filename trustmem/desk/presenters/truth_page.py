"""The page on whether trust predicts truth: what was collected, and all that is told of the outcomes asked for."""

from collections.abc import Mapping
from typing import NamedTuple

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from trustmem.actions import jobs
from trustmem.core.constants import Constants
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import truth, truth_asked
from trustmem.desk.presenters.bench import Table
from trustmem.desk.presenters.lab import last
from trustmem.desk.presenters.texts import beginning
from trustmem.desk.presenters.truth import Enough, Figure, Found
from trustmem.desk.presenters.truth_asked import Asked, Choices
from trustmem.desk.words import word
from trustmem.store import outcomes
from trustmem.store.models import JobState, Outcome, Space

COLLECTING: Mapping[str, object] = {jobs.OUTCOMES: _("Collecting outcomes")}
_LONGEST_NAME = 60


class Collected(NamedTuple):
    """How many outcomes there are, right and wrong, how many of them were asked about at random, and when they were
    collected (None: not lately); `is_none`: there is none."""

    right: str
    wrong: str
    sampled: str
    at: When | None
    is_none: bool


def collected(space: Space, now: int) -> Collected:
    all_there = Outcome.objects.filter(space=space)
    right, wrong, sampled = all_there.aggregate(
        found_right=Count("pk", Q(right=True)),
        found_wrong=Count("pk", Q(right=False)),
        drawn=Count("pk", Q(sampled=True)),
    ).values()
    job = last(space, jobs.OUTCOMES)
    at = when(job.ended_at, now) if job is not None and job.state == JobState.DONE else None
    return Collected(whole(right), whole(wrong), whole(sampled), at, is_none=not right + wrong)


class Diagram(NamedTuple):
    """A figure with its table, and the addresses of both for machines."""

    id: str
    src: str
    csv: str
    table: Table


class OfSource(NamedTuple):
    """A row of the table of sources: its name ('': all others), its page, and what else stands in it."""

    name: str
    href: str
    cells: list[str]


class Told(NamedTuple):
    """What is told of the outcomes that are asked for, held against what was stated of them. `is_sample`: all of them
    were drawn at random; what that says `of_the_whole` memory ('': nothing)."""

    measure: str
    enough: Enough
    is_sample: bool
    of_the_whole: str
    bands: Diagram
    tenths: Diagram
    months: Diagram
    figures: list[Figure]
    figures_csv: str
    measures: Table
    sources: list[OfSource]
    sources_head: list[str]
    sources_csv: str
    producers: Table
    producers_csv: str


def told(space: Space, asked: Asked, constants: Constants) -> Told | None:
    """None: there are no such outcomes."""
    found = truth.found(space, asked)
    if not len(found.right):
        return None
    sources = truth.by_source(found, asked.of)
    table = truth.groups_table(gettext("source"), sources)
    months = truth.groups_table(gettext("month"), truth.by_month(found, asked.of))
    return Told(
        truth_asked.title(asked.of),
        truth.enough(found),
        found.is_sample,
        truth.of_the_whole(outcomes.strata(space)) if found.is_sample and not asked.is_of_some else "",
        _diagram(space, asked, "bands", _bands(found, asked, constants)),
        _diagram(space, asked, "tenths", truth.diagram_table(truth.by_tenths(found, asked.of))),
        _diagram(space, asked, "months", months),
        truth.told_figures(found, asked.of),
        _csv(space, asked, "figures"),
        truth.by_measure(found),
        [_of_source(space, each.name, row) for each, row in zip(sources, table.rows, strict=True)],
        table.head,
        _csv(space, asked, "sources"),
        truth.groups_table(gettext("producer"), truth.by_producer(found, asked.of), word),
        _csv(space, asked, "producers"),
    )


def _bands(found: Found, asked: Asked, constants: Constants) -> Table:
    return truth.diagram_table(truth.by_band(found, asked.of, constants), in_bands=asked.of == "trust")


def _of_source(space: Space, name: str | None, row: list[str]) -> OfSource:
    href = reverse("source", args=[space.name, name]) if name is not None else ""
    return OfSource(beginning(name or "", _LONGEST_NAME), href, row[1:])


def _diagram(space: Space, asked: Asked, of: str, table: Table) -> Diagram:
    src = f"{reverse('truth-figure', args=[space.name, of])}?{asked.query()}"
    return Diagram(of, src, _csv(space, asked, of), table)


def _csv(space: Space, asked: Asked, table: str) -> str:
    return f"{reverse('truth-csv', args=[space.name])}?{asked.query(table=table)}"


def choices_of(space: Space, asked: Asked) -> Choices:
    """By what outcomes can be looked at."""
    return truth_asked.choices(asked, outcomes.by_source(space))
