"""Jobs are asked for once, held by one at a time, and done or failed once, whoever dies meanwhile."""

import json
import threading

import pytest
from django.db import OperationalError, connection, transaction

from tests.actions.world import space_of
from tests.makers import day, fact
from trustmem.actions import acts, facts, jobs, kinds
from trustmem.actions.jobs import LEASE, Lost
from trustmem.store.models import BandCount, Job, JobState, Space

NOW = day(3)


@pytest.fixture
def space(db: None) -> Space:
    return space_of(fact("tea"))


def ask(space: Space, kind: str = jobs.TRENDS, now: int = NOW, **what: object) -> Job:
    return jobs.ask(space, kind, by="ana", now=now, **what)


def held(space: Space, now: int = NOW) -> Job:
    job = jobs.claim(ask(space).pk, now=now)
    assert job is not None
    return job


def stands(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def test_a_job_waits_with_what_was_asked_for_and_by_whom(space: Space) -> None:
    job = stands(ask(space, upload=7))
    assert (job.state, job.asked, job.by, job.asked_at) == (JobState.QUEUED, {"upload": 7}, "ana", NOW)
    assert jobs.due(NOW) == [job.pk]


@pytest.mark.django_db(transaction=True)
def test_the_bell_rings_once_the_job_is_there_for_all_to_see() -> None:
    heard = []

    def hear(job: int, **_: object) -> None:
        heard.append((job, connection.in_atomic_block))

    space = space_of(fact("tea"))
    jobs.asked.connect(hear)
    try:
        with transaction.atomic():
            job = ask(space)
            assert heard == []
        assert heard == [(job.pk, False)]
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            ask(space)
            1 / 0  # noqa: B018
        assert heard == [(job.pk, False)]
    finally:
        jobs.asked.disconnect(hear)


def test_of_a_slot_there_is_one_job(space: Space) -> None:
    first = ask(space, slot="2026-01-03")
    assert ask(space, slot="2026-01-03").pk == first.pk
    assert ask(space, slot="2026-01-04").pk != first.pk
    assert ask(space).pk != ask(space).pk


def test_a_slot_whose_job_failed_can_be_asked_for_again(space: Space) -> None:
    job = jobs.claim(ask(space, slot="s").pk, now=NOW)
    jobs.fail(job, "There was no tea.", now=NOW)
    again = ask(space, slot="s", now=NOW + 1)
    assert (again.state, again.error, again.asked_at) == (JobState.QUEUED, "", NOW + 1)
    assert Job.objects.filter(space=space).count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_who_claim_a_job_at_once_one_holds_it() -> None:
    job, found, ready = ask(space_of(fact("tea"))), [], threading.Barrier(2)

    def claim() -> None:
        ready.wait()
        found.append(jobs.claim(job.pk, now=NOW))
        connection.close()

    threads = [threading.Thread(target=claim) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.pk for each in found if each] == [job.pk]


def test_a_job_that_is_held_is_not_due_until_its_lease_has_run_out(space: Space) -> None:
    job = held(space)
    assert jobs.claim(job.pk, now=NOW + LEASE) is None
    assert jobs.due(NOW + LEASE) == []
    assert jobs.due(NOW + LEASE + 1) == [job.pk]
    again = jobs.claim(job.pk, now=NOW + LEASE + 1)
    assert again.attempt == job.attempt + 1


@pytest.mark.parametrize("sign", [jobs.renew, lambda job, now: jobs.progress(job, 1, 2, now=now)])
def test_a_sign_of_life_holds_it_longer(space: Space, sign) -> None:
    job = held(space)
    sign(job, now=NOW + LEASE)
    assert jobs.claim(job.pk, now=NOW + LEASE + 1) is None


def test_progress_is_seen(space: Space) -> None:
    job = held(space)
    jobs.progress(job, 2, 5, now=NOW)
    assert (stands(job).done, stands(job).of) == (2, 5)


@pytest.mark.parametrize(
    "write",
    [
        lambda job: jobs.renew(job, now=NOW),
        lambda job: jobs.progress(job, 1, 1, now=NOW),
        lambda job: jobs.finish(job, {}, now=NOW),
        lambda job: jobs.fail(job, "It went wrong.", now=NOW),
    ],
)
@pytest.mark.parametrize("lost", ["to another", "it is done", "it is gone"])
def test_whoever_lost_a_job_writes_nothing_of_it(space: Space, write, lost: str) -> None:
    job = held(space)
    if lost == "to another":
        jobs.claim(job.pk, now=NOW + LEASE + 1)
    elif lost == "it is done":
        jobs.finish(job, {"facts": 1}, now=NOW)
    else:
        Job.objects.filter(pk=job.pk).delete()
    before = list(Job.objects.values())
    with pytest.raises(Lost):
        write(job)
    assert list(Job.objects.values()) == before


def test_a_job_that_is_done_or_failed_is_due_no_more(space: Space) -> None:
    jobs.finish(held(space), {"facts": 1}, now=NOW)
    jobs.fail(held(space), "It went wrong.", now=NOW)
    assert jobs.due(NOW + 9 * LEASE) == []
    assert [jobs.claim(pk, now=NOW + 9 * LEASE) for pk in Job.objects.values_list("pk", flat=True)] == [None, None]


def test_a_job_that_kills_whoever_holds_it_fails_in_the_end(space: Space) -> None:
    job, now, attempts = ask(space), NOW, 0
    while jobs.claim(job.pk, now=now) is not None:
        now, attempts = now + LEASE + 1, attempts + 1
    assert attempts == 10
    assert stands(job).state == JobState.FAILED
    assert "each time what worked on it was killed" in stands(job).error


def test_doing_a_job_ends_it(space: Space) -> None:
    job = held(space)
    kinds.do(job, lambda: NOW)
    assert stands(job).state == JobState.DONE
    assert BandCount.objects.filter(space=space).exists()


def test_a_refusal_fails_a_job_with_its_sentence(space: Space) -> None:
    job = jobs.claim(ask(space, "import", upload=404, every=None).pk, now=NOW)
    kinds.do(job, lambda: NOW)
    assert (stands(job).state, stands(job).error) == (JobState.FAILED, "the file is not there any more; give it again")


def test_what_nobody_foresaw_fails_a_job_and_is_not_kept_quiet(space: Space) -> None:
    job = jobs.claim(ask(space, "sing").pk, now=NOW)
    with pytest.raises(KeyError):
        kinds.do(job, lambda: NOW)
    assert stands(job).error == "it failed as nobody had foreseen (KeyError)"


def test_a_job_that_is_lost_amid_its_work_has_no_effect(space: Space) -> None:
    job = held(space)
    jobs.claim(job.pk, now=NOW + LEASE + 1)
    with pytest.raises(Lost):
        kinds.do(job, lambda: NOW)
    assert not BandCount.objects.exists()


def test_a_job_lacks_a_worker_only_where_none_is_busy_with_another(space: Space) -> None:
    waiting, other = (jobs.ask(space, "judge", by="ana", now=NOW, slot=slot) for slot in ("1", "2"))
    assert not jobs.lacks_a_worker(waiting, NOW + 1)
    assert jobs.lacks_a_worker(waiting, NOW + jobs.LEASE)
    jobs.claim(other.pk, now=NOW + jobs.LEASE)
    assert not jobs.lacks_a_worker(waiting, NOW + jobs.LEASE)
    other.refresh_from_db()
    assert not jobs.lacks_a_worker(other, NOW + jobs.LEASE)
    assert jobs.lacks_a_worker(other, NOW + 3 * jobs.LEASE)


# How a job is framed, and jobs that are to be alone


def test_a_job_keeps_how_the_space_stood_before_and_after_it(space: Space) -> None:
    job = held(space)
    spaces_after = {"live": 1, "pruned": 0, "forgotten": 1, "erased": 0}
    acts.write(space, [{"type": "fact", "id": "salt", "text": "Salt."}], now=day(101))
    facts.forget(space, "salt", by="ana", now=day(101))
    jobs.finish(job, {}, now=NOW)
    jobs.count_after(job)
    kept = stands(job)
    assert json.loads(kept.before) == {"live": 1, "pruned": 0, "forgotten": 0, "erased": 0}
    assert json.loads(kept.after) == spaces_after
    assert kept.constants_version == 1


def test_who_goes_on_with_a_job_keeps_how_the_space_stood_when_it_was_begun(space: Space) -> None:
    first = held(space)
    acts.write(space, [{"type": "fact", "id": "salt", "text": "Salt."}], now=day(101))
    again = jobs.claim(first.pk, now=NOW + LEASE + 1)
    assert again.before == first.before


def test_of_two_passes_of_a_space_one_waits_until_the_other_has_ended(space: Space) -> None:
    first, second = (ask(space, jobs.CONSOLIDATION) for _ in range(2))
    job = jobs.claim(first.pk, now=NOW)
    assert jobs.claim(second.pk, now=NOW) is None
    assert jobs.due(NOW, space.pk) == [second.pk]
    jobs.finish(job, {}, now=NOW)
    assert jobs.claim(second.pk, now=NOW) is not None


def test_a_lease_of_a_clock_that_was_far_ahead_holds_up_nobody(space: Space) -> None:
    job = held(space, now=NOW + day(4000) - day(0))
    assert jobs.due(NOW) == [job.pk]
    assert jobs.claim(job.pk, now=NOW).attempt == job.attempt + 1


def test_a_try_that_came_to_nothing_since_the_database_was_busy_does_not_count(space: Space, monkeypatch) -> None:
    job = ask(space)
    monkeypatch.setitem(kinds.KINDS, jobs.TRENDS, _busy)
    for number in range(12):
        with pytest.raises(OperationalError):
            kinds.do(jobs.claim(job.pk, now=NOW + number * (LEASE + 1)), lambda: NOW)
    assert (stands(job).state, stands(job).attempt) == (JobState.RUNNING, 12)


def _busy(job: Job, clock: object) -> None:
    raise OperationalError("database is locked")


def test_what_was_left_uncounted_is_counted(space: Space) -> None:
    job = held(space)
    jobs.finish(job, {}, now=NOW)
    jobs.sweep(NOW + 1)
    assert json.loads(stands(job).after)["live"] == 1


def test_passes_of_different_spaces_go_side_by_side(space: Space) -> None:
    other = ask(space_of(fact("tea"), name="other"), jobs.CONSOLIDATION)
    assert jobs.claim(ask(space, jobs.CONSOLIDATION).pk, now=NOW) is not None
    assert jobs.claim(other.pk, now=NOW) is not None


def test_a_pass_whose_worker_died_holds_up_the_next_no_longer_than_its_lease(space: Space) -> None:
    first, second = (ask(space, jobs.CONSOLIDATION) for _ in range(2))
    jobs.claim(first.pk, now=NOW)
    assert jobs.claim(second.pk, now=NOW + LEASE + 1) is not None


@pytest.mark.django_db(transaction=True)
def test_of_two_passes_that_are_claimed_at_once_one_is_held() -> None:
    space = space_of(fact("tea"))
    pks, found, ready = [ask(space, jobs.CONSOLIDATION).pk for _ in range(2)], [], threading.Barrier(2)

    def claim(pk: int) -> None:
        ready.wait()
        found.append(jobs.claim(pk, now=NOW))
        connection.close()

    threads = [threading.Thread(target=claim, args=(pk,)) for pk in pks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(each is not None for each in found) == 1


def test_a_job_that_needs_a_person_is_due_for_nobody_until_it_is_asked_for_again(space: Space) -> None:
    job = held(space)
    jobs.hold(job, {"why": "much"}, now=NOW)
    assert jobs.due(NOW + LEASE * 10) == []
    again = jobs.ask_again(job, by="ben", now=NOW + 5, allowed={"pruned": 3})
    assert (again.state, again.by, again.asked, again.tries) == (JobState.QUEUED, "ben", {"allowed": {"pruned": 3}}, 0)
    assert jobs.ask_again(job, by="ben", now=NOW + 5) is None
    claimed = jobs.claim(job.pk, now=NOW + 6)
    assert claimed.attempt == job.attempt + 1  # numbers rise for good: who held it before writes nothing
    with pytest.raises(Lost):
        jobs.finish(job, {}, now=NOW + 7)


def test_one_job_of_a_kind_needs_a_person_the_newest(space: Space) -> None:
    first = held(space)
    jobs.hold(first, {}, now=NOW)
    second = held(space)
    jobs.hold(second, {}, now=NOW)
    assert list(Job.objects.filter(state=JobState.NEEDS_A_PERSON)) == [second]


def test_what_is_of_interest_for_a_short_time_goes_a_week_after_it_is_done(space: Space) -> None:
    for kind in (jobs.REFRESH, jobs.CONSOLIDATION):
        jobs.finish(jobs.claim(ask(space, kind).pk, now=NOW), {}, now=NOW)
    ask(space, jobs.REFRESH)
    jobs.sweep(NOW + day(7) - day(0))
    assert Job.objects.count() == 3
    jobs.sweep(NOW + day(7) - day(0) + 1)
    assert sorted(Job.objects.values_list("kind", "state")) == [("consolidation", "done"), ("refresh", "queued")]
