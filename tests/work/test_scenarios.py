"""What workers do is what the model says, to the last digit."""

import pytest

from tests.work import scenarios
from tests.work.workers import working

pytestmark = pytest.mark.django_db(transaction=True)


def test_scenarios_that_a_worker_takes_in_have_their_scores(database_url: str) -> None:
    with working(database_url):
        scenarios.take_in()


def test_scenarios_that_workers_live_through_pass_by_pass_have_their_scores(database_url: str) -> None:
    with working(database_url):
        scenarios.live_through()
