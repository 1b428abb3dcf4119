"""Where the queue is a Redis, what tokens ask is counted there; where that is down, agents are still answered."""

import subprocess
import sys
from time import time

import pytest

from tests.actions.world import space_of
from tests.intake.asking import Agent, problem, token_of
from tests.intake.terminal import ROOT
from tests.makers import fact
from tests.redis.broker import Broker
from trustmem.intake import counting, limits

pytestmark = pytest.mark.django_db(transaction=True)

ELSEWHERE = """
import sys, django
django.setup()
from trustmem.intake import counting
print(counting.count(sys.argv[1], int(sys.argv[2])))
"""


@pytest.fixture
def bot(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.setattr(counting._REDIS, "_rests_until", 0.0)
    monkeypatch.setitem(limits.LIMITS, "read", 3)
    return Agent(token_of(space_of(fact("tea"))))


def statuses(bot: Agent, count: int) -> list[int]:
    return [bot.get("/facts").status_code for _ in range(count)]


def test_all_processes_count_together_and_what_was_counted_is_forgotten(broker: Broker) -> None:
    minute = int(time()) // 60
    assert [counting.count("somebody", minute) for _ in range(2)] == [1, 2]
    asked = [sys.executable, "-c", ELSEWHERE, "somebody", str(minute)]
    assert subprocess.run(asked, cwd=ROOT, capture_output=True, check=True).stdout == b"3\n"
    assert counting.count("somebody", minute) == 4
    (name,) = broker.ask("KEYS", "trustmem:asked:*")
    assert 0 < broker.ask("TTL", name) <= 120


def test_who_asks_too_often_is_told_so(bot: Agent) -> None:
    assert 429 in statuses(bot, 7)  # of which at most six are in the share, should a minute end


@pytest.mark.parametrize("down", [Broker.stop, Broker.hang])
def test_while_redis_is_down_agents_are_answered_and_still_held_to_their_share(bot: Agent, broker, down) -> None:
    down(broker)
    told = statuses(bot, 7)
    assert told[0] == 200 and 429 in told
    assert set(told) == {200, 429}


def test_after_it_did_not_answer_it_is_left_alone_for_a_while(bot: Agent, broker: Broker, monkeypatch) -> None:
    broker.hang()
    asked = []
    whole = counting._REDIS._client.pipeline
    monkeypatch.setattr(counting._REDIS._client, "pipeline", lambda **named: asked.append(1) or whole(**named))
    statuses(bot, 5)
    assert len(asked) == 1
    broker.wake()
    monkeypatch.setattr(counting._REDIS, "_rests_until", 0.0)
    statuses(bot, 2)
    assert len(asked) == 3
    problem(next(each for each in iter(lambda: bot.get("/facts"), None) if each.status_code == 429), 429)
