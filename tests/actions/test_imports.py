"""What a file becomes in the database: the same scores as its history has, the same space again from an export."""

import pytest

from tests.core.test_scenarios import SCENARIOS, VECTORS, assert_scores, expected
from tests.makers import day
from trustmem.actions import exports, imports, spaces
from trustmem.core.scores import score
from trustmem.formats import rfc3339
from trustmem.formats.scores import rows
from trustmem.store import chain, queries
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db


def imported(raw, **options):
    space = spaces.create("test")
    report = imports.import_lines(space, raw, file="a file", by="ana", now=day(400), **options)
    return space, report


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_has_its_scores_through_the_database(name):
    right = expected(VECTORS / "scenarios" / f"{name}.expected.json")
    raw = (VECTORS / "scenarios" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    space, report = imported(raw)
    assert report.balance["new"] == len(raw)
    assert_scores(list(rows(score(queries.stored(space), rfc3339.parse(right["now"])))), right["facts"])
    assert chain.verify(space) == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_export_makes_the_same_space_again(name):
    raw = (VECTORS / "scenarios" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    space, _ = imported(raw)
    exported = list(exports.export(space))
    before = state_hash(space)
    again = spaces.create("again")
    space.name = "renamed"
    space.save(update_fields=["name"])
    report = imports.import_lines(again, exported, file="an export", by="ana", now=day(500))
    assert report.balance["new"] == len(exported)
    assert state_hash(again) == before
