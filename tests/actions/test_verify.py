"""Verify: what is stored beside the lines is what they come to, in every table and column but for the last bits."""

import pytest
from django.db import models, transaction

from tests.core.test_scenarios import SCENARIOS, VECTORS
from tests.makers import day
from trustmem.actions import imports, spaces
from trustmem.actions.verify import TABLES, TOLERANCE, verify
from trustmem.store import belonging
from trustmem.store import models as tables
from trustmem.store.chain import Entry, append
from trustmem.store.models.folds import Fold

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        yield imported(VECTORS / "scenarios" / f"{SCENARIOS[0]}.jsonl", name="diary")
        transaction.set_rollback(True)


@pytest.fixture
def space(made, db):
    return tables.Space.objects.get(pk=made.pk)


def imported(file, name=""):
    space = spaces.create(name or file.stem)
    raw = file.read_bytes().splitlines(keepends=True)
    imports.import_lines(space, raw, file=file.name, by="ana", now=day(400))
    space.refresh_from_db()
    return space


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_space_that_only_its_lines_made_is_found_in_order(name):
    assert verify(imported(VECTORS / "scenarios" / f"{name}.jsonl"), rebuild=True) == []


def test_every_table_that_is_a_fold_is_compared_but_what_belongs_to_an_instant():
    by_jobs = {*belonging.OF_TEXTS, *belonging.OF_ENTITIES, tables.Detection}
    assert set(TABLES) == set(Fold.__subclasses__()) - {tables.Score, tables.EarlyTurn, tables.Words} - by_jobs


def changed(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return value + 1e-6
    if isinstance(value, int):
        return value - 1 if value > 0 else value + 1
    if isinstance(value, str):
        return value + "x"
    return b"x" * 8 if isinstance(value, bytes | memoryview) else {"other": 1}


FACT = [field.name for field in tables.Fact._meta.concrete_fields if field.name not in ("id", "space")]


@pytest.mark.parametrize("column", FACT)
def test_a_change_in_any_column_of_a_fact_is_found_and_named(space, column):
    fact = tables.Fact.objects.filter(space=space).first()
    tables.Fact.objects.filter(pk=fact.pk).update(**{column: changed(getattr(fact, column))})
    findings = verify(space, rebuild=True)
    assert findings
    assert column == "name" or all(f": {column} is stored as " in each for each in findings)
    assert verify(space) == []


@pytest.mark.parametrize("model", [tables.Touch, tables.Statement, tables.Edge, tables.Pass, tables.Change])
def test_a_row_too_few_or_too_many_is_found(space, model):
    row = model.objects.filter(space=space).first()
    assert row is not None
    row.pk = 1_000_000
    for field in model._meta.concrete_fields:  # unique with what it was copied from
        if isinstance(field, models.BigIntegerField) and field.name in ("instant", "position"):
            setattr(row, field.name, getattr(row, field.name) + 1_000_000)
        elif model is tables.Edge and field.name == "relation":
            row.relation = 3 - row.relation
    row.save(force_insert=True)
    assert [each.endswith("is stored, and follows from no line") for each in verify(space, rebuild=True)] == [True]
    for each in (tables.Change, model) if model is tables.Pass else (model,):
        each.objects.filter(space=space).delete()
    assert all(each.endswith("is not stored, and follows from the lines") for each in verify(space, rebuild=True))


@pytest.mark.parametrize(("by", "found"), [(TOLERANCE / 10, False), (TOLERANCE * 10, True)])
def test_the_last_bits_of_a_float_may_differ(space, by, found):
    tables.Fact.objects.filter(space=space).update(derived=models.F("derived") + by)
    assert bool(verify(space, rebuild=True)) is found


def test_a_reference_to_nothing_is_told(space):
    touch = tables.Touch.objects.filter(space=space).first()
    tables.Touch.objects.filter(pk=touch.pk).update(fact_id=10**9)
    assert any("row 1000000000, which is not there" in each for each in verify(space, rebuild=True))


def test_nothing_is_written_by_it(space):
    tables.Fact.objects.filter(space=space).update(r=99)
    assert len(verify(space, rebuild=True)) == tables.Fact.objects.filter(space=space, r=99).count() > 0


def test_folds_that_stayed_behind_the_lines_are_told_as_that(space):
    append(space, [Entry(name="late", tag="entity", at=0, arrived=0, body={})])
    (finding,) = verify(space, rebuild=True)
    assert f"up to {space.folded_to} of {space.head_position}" in finding


def test_what_is_made_of_damaged_lines_is_not_compared(space, lifted):
    with lifted():
        tables.Line.objects.filter(space=space, position=3).update(at=models.F("at") + 1)
    assert verify(space) == ["line 3 is not as it was written"]
    assert verify(space, rebuild=True)[1:] == [
        "what is stored beside the lines was not compared: it is made of what is damaged"
    ]


@pytest.mark.parametrize("column", ["trust", "band", "flags", "state"])
def test_a_change_of_a_stored_score_is_found_and_named(space, column):
    row = tables.Score.objects.filter(space=space).first()
    tables.Score.objects.filter(pk=row.pk).update(**{column: changed(getattr(row, column))})
    findings = verify(space, rebuild=True)
    assert len(findings) == 1
    assert findings[0].startswith(f'score "{row.fact.name}" at ')
    assert f": {column} is stored as " in findings[0]


def test_a_score_too_few_is_found(space):
    tables.Score.objects.filter(pk=tables.Score.objects.filter(space=space).first().pk).delete()
    assert verify(space, rebuild=True) == ["facts without a stored score: 1"]
