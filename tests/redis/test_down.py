"""Cases 067 and 087: where Redis and all workers are down, pages say so, nothing that waits looks done, and what is
said to be done is."""

from time import time_ns

import pytest
from django.test import Client

from tests.actions.world import space_of
from tests.makers import fact
from tests.redis.broker import Broker
from trustmem.actions import access, consolidation, jobs
from trustmem.core.vocabulary import FORGOTTEN
from trustmem.store.models import Fact, Space

pytestmark = pytest.mark.django_db(transaction=True)

NO_WORKER = "No worker has taken"


@pytest.fixture
def owner() -> Client:
    browser = Client()
    browser.force_login(access.owner())
    return browser


def waiting(space: Space) -> None:
    """A pass, and a count of bands, that were asked for half a minute ago."""
    then = time_ns() // 1000 - jobs.LEASE
    consolidation.ask(space, by="ana", now=then)
    jobs.ask(space, jobs.TRENDS, by="ana", now=then)


@pytest.mark.parametrize("where", ["", "passes/"])
def test_a_page_says_that_no_worker_has_taken_what_waits(broker: Broker, owner: Client, where: str) -> None:
    space = space_of(fact("tea"))
    broker.stop()
    waiting(space)
    shown = owner.get(f"/spaces/{space.name}/{where}")
    assert shown.status_code == 200
    assert NO_WORKER in shown.content.decode()


def test_what_a_person_does_is_done_while_redis_is_down(broker: Broker, owner: Client) -> None:
    space = space_of(fact("tea"))
    broker.stop()
    assert owner.post(f"/spaces/{space.name}/facts/tea/forget/").status_code == 302
    assert "Forgotten" in owner.get(f"/spaces/{space.name}/facts/tea/").content.decode()
    assert Fact.objects.get(space=space, name="tea").state == FORGOTTEN
    assert "What tea says." not in owner.get(f"/spaces/{space.name}/facts/").content.decode()
    assert owner.post(f"/spaces/{space.name}/passes/run/").status_code == 302
    shown = owner.get(f"/spaces/{space.name}/passes/").content.decode()
    assert "It waits for a worker." in shown
