"""A history lived through line by line and pass by pass comes, after every pass, to what it comes to as a whole."""

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import connection, transaction

from tests.core.test_passes import assert_same
from tests.core.test_scenarios import SCENARIOS, VECTORS
from trustmem.actions import consolidation, folding, spaces
from trustmem.actions.folding import refold
from trustmem.actions.records import entry
from trustmem.actions.verify import verify
from trustmem.core.instants import span
from trustmem.core.statements import Edges
from trustmem.formats import interchange
from trustmem.formats.interchange_types import Record
from trustmem.store import chain, queries
from trustmem.store.models import Pass, Space

pytestmark = pytest.mark.django_db


def live_through(
    name: str, raw: Sequence[bytes], instants: Sequence[int], together: int
) -> Iterator[tuple[Space, Pass]]:
    """The space after each pass. What comes in between comes in the order of its arrival, together what came within so
    many microseconds."""
    read = interchange.read(raw)
    lines = sorted(
        (each for each in read.records.values() if each["type"] not in ("pass", "space")),
        key=lambda record: (record["arrived"], record["at"], record["id"]),
    )
    space = spaces.create(name)
    for instant in instants:
        come = [line for line in lines if line["arrived"] <= instant]
        lines = lines[len(come) :]
        add(space, come, together)
        yield space, consolidation.consolidate(space, at=instant, by="ana", now=instant)
    add(space, lines, together)


@transaction.atomic
def add(space: Space, records: Sequence[Record], together: int) -> None:
    if space.head_position == 0:
        chain.append(space, [entry(each) for each in spaces.founding_records(space, 0, set())])
    for _, some in groupby(records, key=lambda record: record["arrived"] // together):
        chain.append(space, [entry(each) for each in some])
        refold(space)


def passes_of(raw: Sequence[bytes], every: int) -> list[int]:
    read = interchange.read(raw)
    own = sorted(each["at"] for each in read.records.values() if each["type"] == "pass")
    return own or read.instants_every(every)


@pytest.fixture
def _bit_by_bit(monkeypatch: Any) -> None:
    monkeypatch.setattr(folding, "_are_many", lambda space, count: False)


@pytest.mark.usefixtures("_bit_by_bit")
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario(name, pytestconfig: pytest.Config):
    raw = (VECTORS / "scenarios" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    apart = 1 if pytestconfig.getoption("thorough") else 5 if connection.vendor == "sqlite" else 20
    for number, (space, _) in enumerate(live_through(name, raw, passes_of(raw, span(1)), span(1))):
        assert number % apart or verify(space, rebuild=True) == []
    assert verify(space, rebuild=True) == []


@pytest.mark.realdata
@pytest.mark.usefixtures("_bit_by_bit")
def test_weeks_of_a_real_history_with_a_pass_each(realdata: Path, pytestconfig: pytest.Config):
    raw = gzip.decompress((realdata / "interchange" / "endoflife.jsonl.gz").read_bytes()).splitlines(keepends=True)
    weeks = live_through("endoflife", raw, passes_of(raw, span(7)), span(7))
    for space, _ in islice(weeks, pytestconfig.getoption("weeks")):
        assert_as_folded(space)
    assert verify(space, rebuild=True) == []


def assert_as_folded(space: Space) -> None:
    mine, right = queries.stored(space), folding.folded(space)[0].stored
    assert_same(replace(mine, edges=in_order(mine.edges)), replace(right, edges=in_order(right.edges)))


def in_order(edges: Edges) -> Edges:
    order = np.lexsort((edges.relation, edges.older, edges.newer))
    return edges.where(order)
