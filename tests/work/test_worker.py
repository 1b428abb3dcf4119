"""What is asked for is done by a worker, once, whatever the queue loses and however workers end."""

import base64
import json
import os
import signal
from io import BytesIO

import pytest

from tests.actions.world import space_of
from tests.makers import day, fact
from tests.work.workers import PATIENCE, lose, messages, wait_for, working
from trustmem.actions import imports, jobs, uploads
from trustmem.actions.verify import verify
from trustmem.store.models import BandCount, Fact, Import, Job, JobState, Space, Upload
from trustmem.store.state_hash import state_hash
from trustmem.work import doorbell, tasks

pytestmark = pytest.mark.django_db(transaction=True)

NOW = day(100)
KEY = "0f" * 32


@pytest.fixture(autouse=True)
def _quiet_queue() -> None:
    lose()


def ask(space: Space, **what: object) -> Job:
    return jobs.ask(space, jobs.TRENDS, by="ana", now=NOW, **what)


def state(job: Job) -> str:
    return Job.objects.get(pk=job.pk).state


def told() -> list[tuple[list[int], dict[str, object]]]:
    """With what the messages that wait call a worker."""
    bodies = [json.loads(base64.b64decode(json.loads(each.read_text())["body"])) for each in messages()]
    return [(arguments, options) for arguments, options, _ in bodies]


def large_file(lines: int) -> list[bytes]:
    told = (
        {"type": "fact", "id": f"f{n:05}", "text": f"Claim {n}.", "at": "2026-01-05T09:00:00Z"} for n in range(lines)
    )
    return [json.dumps(each).encode() + b"\n" for each in told]


def test_what_is_asked_for_is_told_by_its_key_alone_and_done(database_url: str) -> None:
    job = ask(space_of(fact("tea")), upload=7)
    assert told() == [([job.pk], {})]
    with working(database_url):
        # A worker may come upon a job before it has read of it; it reads of it all the same.
        wait_for(lambda: state(job) == JobState.DONE and messages() == [])
    assert BandCount.objects.filter(space=job.space).exists()


def test_a_worker_finds_what_no_message_told_it_of(database_url: str) -> None:
    job = ask(space_of(fact("tea")))
    lose()
    with working(database_url):
        wait_for(lambda: state(job) == JobState.DONE)


def test_a_message_that_comes_many_times_has_one_effect(database_url: str) -> None:
    first, last = ask(space_of(fact("tea"))), ask(space_of(fact("tea"), name="other"))
    for _ in range(5):
        doorbell.ring(first.pk)
    doorbell.ring(last.pk)
    with working(database_url):
        wait_for(lambda: messages() == [] and state(last) == JobState.DONE)
    assert Job.objects.get(pk=first.pk).attempt == 1


def test_after_a_job_the_next_of_its_space_which_may_have_waited_is_told_of_at_once() -> None:
    space = space_of(fact("tea"))
    first, second, _ = ask(space), ask(space), ask(space)
    ask(space_of(fact("tea"), name="other"))
    lose()
    tasks.run(first.pk)
    assert told() == [([second.pk], {})]


#: So many that a worker that is killed once the first is written has some left.
_CHUNKS = 5


def test_a_worker_that_is_killed_amid_an_import_leaves_it_to_the_next_which_makes_it_whole_once(
    database_url: str,
) -> None:
    raw = large_file(_CHUNKS * imports.CHUNK)
    space = Space.objects.create(name="diary", digest_key=KEY)
    upload = uploads.keep(space, BytesIO(b"".join(raw)), name="large", source="mail", by="ana", now=NOW)
    job = uploads.take_in(upload, by="ana", now=NOW)
    with working(database_url) as worker:
        wait_for(lambda: Job.objects.get(pk=job.pk).done)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    cut = Job.objects.get(pk=job.pk)
    assert cut.state == JobState.RUNNING
    assert cut.done < cut.of
    assert not Import.objects.exists()

    Job.objects.filter(pk=job.pk).update(lease_until=NOW)  # as if that time had passed
    with working(database_url):
        wait_for(lambda: state(job) == JobState.DONE)
    told = Job.objects.get(pk=job.pk)
    assert told.attempt == 2
    assert json.loads(told.result)["counts"]["new"] == _CHUNKS * imports.CHUNK
    assert not Upload.objects.exists()
    assert Import.objects.filter(space=space).count() == 1
    assert Fact.objects.filter(space=space).count() == _CHUNKS * imports.CHUNK
    assert verify(space, rebuild=True) == []
    undisturbed = Space.objects.create(name="other", digest_key=KEY)
    imports.import_lines(undisturbed, raw, file="large", by="ana", now=NOW, source="mail")
    space.refresh_from_db()
    assert state_hash(space) == state_hash(undisturbed)


def test_a_worker_that_is_asked_to_end_finishes_what_it_is_at(database_url: str) -> None:
    space = Space.objects.create(name="diary", digest_key=KEY)
    content = BytesIO(b"".join(large_file(2 * imports.CHUNK)))
    job = uploads.take_in(
        uploads.keep(space, content, name="large", source="mail", by="ana", now=NOW), by="ana", now=NOW
    )
    with working(database_url) as worker:
        wait_for(lambda: state(job) == JobState.RUNNING)
        worker.terminate()
        assert worker.wait(PATIENCE) == 0
    assert state(job) == JobState.DONE


def test_a_worker_ends_once_its_parent_is_another(database_url: str) -> None:
    with working(database_url, parent=os.getppid()) as orphan:
        assert orphan.wait(PATIENCE) in (0, -signal.SIGTERM)


def test_a_job_is_held_for_as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_BEAT", 0.01)
    space = space_of(fact("tea"))
    job = jobs.claim(ask(space).pk, now=NOW)
    with tasks._held(job):
        wait_for(lambda: Job.objects.get(pk=job.pk).lease_until > NOW + jobs.LEASE)
    lease = Job.objects.get(pk=job.pk).lease_until
    assert lease > tasks.now() - jobs.LEASE
