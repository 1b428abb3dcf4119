"""With Redis as the queue: what is asked for is done once, whatever Redis loses, brings twice, or is down for."""

from time import monotonic

import pytest

from tests.actions.world import space_of
from tests.makers import day, fact
from tests.redis import killing
from tests.redis.broker import Broker
from tests.work.workers import wait_for, working
from trustmem.actions import consolidation, jobs
from trustmem.store.models import Job, JobState, Space
from trustmem.work import doorbell

pytestmark = pytest.mark.django_db(transaction=True)

NOW = day(100)
KEY = "0f" * 32
#: Seconds; ten times what asking takes at most where Redis takes what is sent and answers nothing.
WAIT = 40.0


def ask(space: Space) -> Job:
    return jobs.ask(space, jobs.TRENDS, by="ana", now=NOW)


def is_done(job: Job) -> bool:
    return Job.objects.get(pk=job.pk).state == JobState.DONE


def test_what_is_asked_for_is_told_by_its_key_alone_and_done(broker: Broker, database_url: str) -> None:
    job = ask(space_of(fact("tea")))
    [message] = broker.ask("LRANGE", "celery", 0, -1)
    assert b"tea" not in message
    with working(database_url, BROKER_URL=broker.url):
        wait_for(lambda: is_done(job) and broker.messages() == 0)


def test_whoever_asks_while_redis_is_down_does_not_wait_and_a_worker_does_it_without(
    broker: Broker, database_url: str
) -> None:
    space = space_of(fact("tea"))
    with working(database_url, BROKER_URL=broker.url):
        first = ask(space)
        wait_for(lambda: is_done(first))
        broker.stop()
        began = monotonic()
        second = ask(space)
        assert monotonic() - began < WAIT / 4
        wait_for(lambda: is_done(second))
        broker.start()
        third = ask(space)
        wait_for(lambda: is_done(third))


def test_a_worker_that_could_not_tell_redis_that_it_is_through_hears_of_what_comes_next(
    broker: Broker, database_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    space = killing.of_facts("diary", 5000)
    with working(database_url, "--concurrency", 1, BROKER_URL=broker.url):
        first = consolidation.ask(space, by="ana", now=killing.instant(0), at=killing.instant(0))
        wait_for(lambda: Job.objects.get(pk=first.pk).state == JobState.RUNNING)
        broker.stop()
        wait_for(lambda: "Couldn't ack" in capfd.readouterr().err)
        broker.start()
        second = ask(space)
        wait_for(lambda: is_done(second))


def test_a_worker_that_is_started_while_redis_is_down_does_what_is_due(broker: Broker, database_url: str) -> None:
    broker.stop()
    job = ask(space_of(fact("tea")))
    with working(database_url, BROKER_URL=broker.url):
        wait_for(lambda: is_done(job))
        broker.start()
        wait_for(lambda: broker.ask("CLIENT", "LIST").count(b"cmd=brpop"))


def test_whoever_asks_while_redis_hangs_waits_some_seconds_at_most(broker: Broker) -> None:
    space = space_of(fact("tea"))
    ask(space)
    broker.hang()
    began = monotonic()
    job = ask(space)
    assert monotonic() - began < WAIT
    broker.wake()
    assert Job.objects.get(pk=job.pk).state == JobState.QUEUED


def test_a_full_redis_refuses_and_nobody_is_troubled(broker: Broker) -> None:
    broker.ask("CONFIG", "SET", "maxmemory", 1)
    try:
        assert not doorbell.ring(1)
    finally:
        broker.ask("CONFIG", "SET", "maxmemory", 0)
