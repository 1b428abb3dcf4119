"""Every message comes twice, some five times, and Redis is emptied and started anew meanwhile: each job has one
effect."""

import json
import random
import secrets
from functools import partial
from io import BytesIO

import pytest

from tests.redis import killing
from tests.redis.broker import Broker
from tests.work.workers import wait_for, working
from trustmem.actions import consolidation, imports, uploads
from trustmem.actions.verify import verify
from trustmem.store.models import Import, Job, JobState, Pass, Space
from trustmem.store.state_hash import state_hash
from trustmem.work import doorbell

pytestmark = pytest.mark.django_db(transaction=True)

#: Spaces, of which each has a pass and then a file; their facts; and the share of messages that comes five times.
SPACES, FACTS, SHARE = 20, 60, 0.05
NOW = killing.instant(0)
RAW = [
    json.dumps({"type": "fact", "id": f"n{n}", "text": f"News {n}.", "at": "2026-01-20T09:00:00Z"}).encode() + b"\n"
    for n in range(FACTS)
]


def ask_for_a_pass(space: Space) -> Job:
    return consolidation.ask(space, by="ana", now=NOW, at=NOW)


def ask_for_a_file(space: Space) -> Job:
    upload = uploads.keep(space, BytesIO(b"".join(RAW)), name="news", source="mail", by="ana", now=NOW)
    return uploads.take_in(upload, by="ana", now=NOW)


def tell_again(asked: list[Job], roll: random.Random) -> None:
    """Of each job once more, of some four times, in any order."""
    told = [job.pk for job in asked for _ in range(4 if roll.random() < SHARE else 1)]
    roll.shuffle(told)
    for pk in told:
        doorbell.ring(pk)


def done(asked: list[Job]) -> int:
    return Job.objects.filter(pk__in=[job.pk for job in asked], state=JobState.DONE).count()


def test_what_is_told_of_many_times_is_done_once_also_where_redis_forgets_it(broker: Broker, database_url: str) -> None:
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    roll = random.Random(seed)
    spaces = [killing.of_facts(f"space-{number}", FACTS) for number in range(SPACES)]
    with working(database_url, BROKER_URL=broker.url):
        for ask in (ask_for_a_pass, ask_for_a_file):
            asked = [ask(space) for space in spaces]
            tell_again(asked, roll)
            wait_for(partial(done, asked))
            broker.flush()
            broker.stop()
            broker.start()
            wait_for(lambda asked=asked: done(asked) == SPACES)
    assert Import.objects.filter(file="news").count() == Pass.objects.count() == SPACES
    once = state_hash(single_delivery())
    for space in spaces:
        space.refresh_from_db()
        assert state_hash(space) == once
    assert verify(spaces[0], rebuild=True) == []


def single_delivery() -> Space:
    space = killing.of_facts("once", FACTS)
    consolidation.consolidate(space, at=NOW, by="ana", now=NOW)
    space.refresh_from_db()
    imports.import_lines(space, RAW, file="news", by="ana", now=NOW, source="mail")
    space.refresh_from_db()
    return space
