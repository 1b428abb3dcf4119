"""Reading changes nothing, but that what was handed out goes on record (case 127)."""

import pytest
from django.apps import apps

from tests.actions.world import space_of
from tests.intake.asking import API, Agent, token_of
from tests.makers import fact
from trustmem.actions import serving, spaces
from trustmem.intake import limits
from trustmem.intake.clock import clock
from trustmem.store import state_hash
from trustmem.store.models import Served, Space, Touch

pytestmark = pytest.mark.django_db

UNKNOWN = (
    "/facts/no such fact {}",
    "/facts/fact:{:016x}",
    "/facts?source=nobody-{}",
    "/facts?entity=nothing-{}",
    "/search?q=zzyzx{}",
    "/search?q=zzyzx{}&history=true&run=r{}",
    "/spaces/no-such-space-{}",
    "/passes",
    "/export",
    "/health",
)


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


@pytest.fixture
def bot(space) -> Agent:
    return Agent(token_of(space))


def rows():
    return {model.__name__: model._default_manager.count() for model in apps.get_models(include_auto_created=True)}


def test_127_a_thousand_reads_of_what_is_not_there_leave_nothing(space, monkeypatch):
    monkeypatch.setitem(limits.LIMITS, "read", 10_000)
    empty = Agent(token_of(spaces.create("empty")))
    before, was = rows(), state_hash.state_hash(space)
    for number in range(1000 // len(UNKNOWN)):
        for path in UNKNOWN:
            assert empty.client.get(API + path.format(number, number)).status_code in (200, 404)
    assert rows() == before
    assert state_hash.state_hash(space) == was


def test_only_what_was_asked_for_is_noted_and_neither_by_head_nor_before_anybody_asks(bot, space):
    for method, headers in (("head", {}), ("get", {"Sec-Purpose": "prefetch"}), ("get", {"Purpose": "prefetch"})):
        getattr(bot.client, method)(f"{API}/search?q=tea&run=r1", headers=headers)
        assert not Served.objects.exists(), (method, headers)
    before = rows()
    (hit,) = bot.get("/search", q="tea", run="r1").json()["hits"]
    assert rows() == before | {"Served": 1}
    assert Served.objects.get().facts == [hit["id"]] == ["tea"]
    serving.put_on_record(space, now=clock())
    assert Touch.objects.filter(fact__name="tea").count() == 1
