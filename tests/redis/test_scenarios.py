"""What workers do that Redis tells is what the model says, to the last digit."""

import pytest

from tests.redis.broker import Broker
from tests.work import scenarios
from tests.work.workers import working

pytestmark = pytest.mark.django_db(transaction=True)


def test_scenarios_that_workers_take_in_and_live_through_have_their_scores(broker: Broker, database_url: str) -> None:
    with working(database_url, BROKER_URL=broker.url):
        scenarios.take_in()
        scenarios.live_through()
