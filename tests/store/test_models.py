"""The rows mean the same on both databases, and every one is found by its space."""

import math

import pytest
from django.apps import apps
from django.db import IntegrityError, models, transaction

from trustmem.core.instants import NEVER
from trustmem.store.models import Centrality, Fact, Queued, Score, Space, Token, Told, Touch, User
from trustmem.store.models.fields import NameField

MODELS = list(apps.get_app_config("store").get_models())
#: Who is let in belongs to none, nor does what their browser shows next.
OF_A_SPACE = [model for model in MODELS if model not in (Space, Told, User)]


@pytest.fixture
def space(db: None) -> Space:
    return Space.objects.create(name="diary", digest_key="0f" * 32)


def fact(space: Space, name: str, **values: object) -> Fact:
    weights = {"prior": 0.7, "derived": 0.7, "half_life": 3.0, "anchor": 0.7}
    born = {"run": "agent@2026-01-01", "at": 0, "arrived": 0, "first_seen": 0, "latest_at": 0}
    return Fact.objects.create(space=space, name=name, **{**weights, **born, **values})


def indexes(model: type[models.Model]) -> list[tuple[str, ...]]:
    """The columns of every index, in order."""
    uniques = [each for each in model._meta.constraints if isinstance(each, models.UniqueConstraint)]
    singles = [(field.name,) for field in model._meta.local_fields if field.db_index or field.unique]
    return [*(tuple(each.fields) for each in [*model._meta.indexes, *uniques]), *singles]


def test_names_stand_in_the_order_of_their_bytes(space: Space) -> None:
    names = ["a", "Z", "é", "e\u0301", "z", "_", "10", "9", "ﬀ", "😀", "\ue000"]
    for name in names:
        fact(space, name)
    found = list(Fact.objects.order_by("name").values_list("name", flat=True))
    assert found == sorted(names, key=str.encode)


def test_two_ways_to_write_a_letter_are_two_names(space: Space) -> None:
    fact(space, "café")
    fact(space, "cafe\u0301")
    assert Fact.objects.filter(name="café").count() == 1


def test_a_name_is_one_fact_of_a_space(space: Space) -> None:
    fact(space, "tea")
    fact(Space.objects.create(name="other", digest_key="0f" * 32), "tea")
    with pytest.raises(IntegrityError), transaction.atomic():
        fact(space, "tea")


def test_numbers_come_back_to_the_last_bit(space: Space) -> None:
    times = bytes(range(256))
    fact(space, "f", half_life=math.inf, anchor=-0.1 - 0.2, at=NEVER, latest_at=2**63 - 1, times=times)
    read = Fact.objects.get()
    assert (read.half_life, read.anchor) == (math.inf, -0.1 - 0.2)
    assert (read.at, read.latest_at, bytes(read.times), bytes(read.uses)) == (NEVER, 2**63 - 1, times, b"")


def test_no_number_is_missing() -> None:
    numbers = models.FloatField | models.BigIntegerField | models.SmallIntegerField | models.BooleanField
    fields = [field for model in OF_A_SPACE for field in model._meta.local_fields]
    assert [field for field in fields if isinstance(field, numbers) and field.null] == []


@pytest.mark.parametrize("model", OF_A_SPACE, ids=lambda model: model.__name__)
def test_every_row_belongs_to_a_space(model: type[models.Model]) -> None:
    assert model._meta.get_field("space").related_model is Space


@pytest.mark.parametrize("model", OF_A_SPACE, ids=lambda model: model.__name__)
def test_every_index_begins_with_the_space(model: type[models.Model]) -> None:
    # But those of row ids; and an agent shows its token, and a person is a member, before there is a space to ask for.
    others = {model._meta.pk.name, "user", *(["digest"] if model is Token else [])}
    assert [each for each in indexes(model) if each[0] not in ("space", *others)] == []


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_of_what_time_moves_only_stored_trust_and_consequence_stand_in_an_index(model: type[models.Model]) -> None:
    # The derived weight is not among them: events move it; nor is the rank of an entity.
    floats = {field.name for field in model._meta.local_fields if isinstance(field, models.FloatField)}
    allowed = {Score: {"trust"}, Fact: {"derived"}, Queued: {"consequence"}, Centrality: {"rank"}}
    assert {name for each in indexes(model) for name in each} & floats == allowed.get(model, set())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_only_names_and_numbers_stand_in_an_index(model: type[models.Model]) -> None:
    texts = {field.name for field in model._meta.local_fields if type(field) is models.TextField}
    assert {name for each in indexes(model) for name in each} & texts == set()


def test_an_index_holds_the_longest_names(space: Space) -> None:
    longest = "".join(chr(0x1F600 + each) for each in range(80)) * 6 + "x" * 20
    assert len(longest) == 500
    named = fact(space, longest, source=longest, run=longest)
    Touch.objects.create(space=space, fact=named, source=longest, run=longest, kind=0, at=0)
    assert isinstance(Fact._meta.get_field("name"), NameField)
    assert Fact.objects.get(space=space, name=longest).pk == named.pk
