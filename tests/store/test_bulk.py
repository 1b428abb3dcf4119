"""Many rows at once: written as they were given, on both databases."""

import math

import pytest
from django.db import IntegrityError, transaction

from trustmem.core.instants import NEVER
from trustmem.store import bulk
from trustmem.store.models import Pass, Score, Space

COLUMNS = ("space_id", "state", "source", "trust", "band", "flags", "scored_at")


@pytest.fixture
def space(db: None) -> Space:
    return Space.objects.create(name="diary", digest_key="0f" * 32)


def row(space: Space, fact: int, trust: float = 0.5, source: str = "ana") -> tuple[object, ...]:
    return (fact, space.pk, 0, source, trust, 2, 1, 7)


def trusts(space: Space) -> dict[int, float]:
    return dict(Score.objects.filter(space=space).values_list("fact_id", "trust"))


def test_rows_are_inserted_as_they_are(space: Space) -> None:
    awkward = "tab\there, line\nthere, back\\slash, \\N, 'quote', %s, {}, é, 🎉"
    bulk.insert(Score, ("fact_id", *COLUMNS), iter([(7, space.pk, 0, awkward, 0.1 + 0.2, 2, 1, NEVER)]))
    stored = Score.objects.get(space=space)
    assert (stored.fact_id, stored.source, stored.trust, stored.scored_at) == (7, awkward, 0.1 + 0.2, NEVER)


def test_nothing_is_inserted_twice(space: Space) -> None:
    bulk.insert(Score, ("fact_id", *COLUMNS), [row(space, 7)])
    with pytest.raises(IntegrityError), transaction.atomic():
        bulk.insert(Score, ("fact_id", *COLUMNS), [row(space, 8), row(space, 7)])
    assert trusts(space) == {7: 0.5}


def test_an_update_sets_the_named_columns_of_the_named_rows_and_nothing_else(space: Space) -> None:
    bulk.insert(Score, ("fact_id", *COLUMNS), [row(space, fact) for fact in range(5)])
    bulk.update(Score, "fact_id", ("trust", "source"), iter([(1, 0.1 + 0.2, "b\tc"), (3, math.nextafter(1, 0), "d")]))
    assert trusts(space) == {0: 0.5, 1: 0.1 + 0.2, 2: 0.5, 3: math.nextafter(1, 0), 4: 0.5}
    assert list(Score.objects.order_by("fact").values_list("source", flat=True)) == ["ana", "b\tc", "ana", "d", "ana"]
    assert set(Score.objects.values_list("band", "flags")) == {(2, 1)}


def test_an_update_of_what_is_not_there_does_nothing(space: Space) -> None:
    bulk.update(Score, "fact_id", ("trust",), [(1, 0.9)])
    bulk.update(Score, "fact_id", ("trust",), [])
    assert trusts(space) == {}


def test_an_upsert_inserts_what_is_not_there_and_sets_what_is(space: Space) -> None:
    bulk.insert(Score, ("fact_id", *COLUMNS), [row(space, 1), row(space, 2)])
    bulk.upsert(Score, "fact_id", COLUMNS, iter([row(space, 2, 0.25, "ben"), row(space, 3, 0.75)]))
    assert trusts(space) == {1: 0.5, 2: 0.25, 3: 0.75}
    assert Score.objects.get(fact=2).source == "ben"


def test_one_transaction_can_hold_many_of_them_and_is_taken_back_as_a_whole(space: Space) -> None:
    bulk.insert(Score, ("fact_id", *COLUMNS), [row(space, 1)])
    with transaction.atomic():
        for turn in range(3):
            bulk.update(Score, "fact_id", ("trust",), [(1, turn / 10)])
            bulk.upsert(Score, "fact_id", COLUMNS, [row(space, turn + 2)])
        transaction.set_rollback(True)
    assert trusts(space) == {1: 0.5}


def test_thousands_of_rows(space: Space) -> None:
    facts = range(1, 20_001)
    bulk.upsert(Score, "fact_id", COLUMNS, (row(space, fact, fact / 1e6) for fact in facts))
    bulk.update(Score, "fact_id", ("trust",), ((fact, fact / 1e5) for fact in facts))
    assert trusts(space) == {fact: fact / 1e5 for fact in facts}


def test_a_key_that_a_row_once_had_is_given_to_no_other(space: Space) -> None:
    before = Pass.objects.create(space=space, instant=1, clock=0).pk
    one, two = bulk.keys(Pass, 2)
    assert before < one < two
    bulk.insert(Pass, _OF_A_PASS, [(key, space.pk, key, 0, False, 0, 0, 0, 0, 0, 0, 0) for key in (one, two)])
    Pass.objects.filter(pk=two).delete()
    assert min(bulk.keys(Pass, 3)) > two


_OF_A_PASS = tuple(field.column for field in Pass._meta.concrete_fields)
