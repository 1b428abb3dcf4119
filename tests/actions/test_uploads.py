"""A file that somebody gave is judged and taken in as from the shell, and kept no longer than that takes."""

import gzip
import json
import os
from io import BytesIO
from pathlib import Path

import pytest

from tests.actions import test_erase as erasing
from tests.actions.world import space_of
from tests.makers import day
from tests.makers import fact as told
from trustmem.actions import imports, jobs, kinds, uploads
from trustmem.actions.errors import Refusal
from trustmem.actions.imports import Report
from trustmem.actions.jobs import Lost
from trustmem.core.instants import span
from trustmem.store.models import Fact, Import, Job, JobState, Line, Reject, Space, Upload
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

NOW = day(200)


def line(id: str, text: str = "It rains.", **values: object) -> bytes:
    return json.dumps({"type": "fact", "id": id, "text": text, "at": "2026-01-05T09:00:00Z", **values}).encode() + b"\n"


FILE = b"".join(
    [
        *(line(f"f{number:02}", f"Claim {number}.", source="crm") for number in range(25)),
        line("tea", "Tea is in the cupboard."),
        b"torn {\n",
        line("f00", "Something else."),
        line("no-time", at="today"),
    ]
)


@pytest.fixture
def space(db: None) -> Space:
    return space_of(told("coffee"))


def kept(space: Space, content: bytes = FILE, name: str = "memory.jsonl", now: int = NOW) -> Upload:
    return uploads.keep(space, BytesIO(content), name=name, source="mail", by="ana", now=now)


def done(job: Job) -> Job:
    """The job, after a worker did it."""
    held = jobs.claim(job.pk, now=NOW)
    kinds.do(held, lambda: NOW)
    return Job.objects.get(pk=job.pk)


def judged(upload: Upload) -> Job:
    return done(uploads.judge(upload, by="ana", now=NOW))


def taken(upload: Upload, **options: int) -> Job:
    return done(uploads.take_in(upload, by="ana", now=NOW, **options))


@pytest.mark.parametrize("given", [FILE, gzip.compress(FILE)])
def test_a_file_is_kept_packed_and_comes_back_line_by_line(space: Space, given: bytes) -> None:
    upload = Upload.objects.get(pk=kept(space, given).pk)
    assert len(bytes(upload.content)) < len(FILE)
    assert b"Claim" not in bytes(upload.content)
    assert b"".join(uploads.raw_lines(upload)) == FILE
    assert uploads.raw_lines(upload) == FILE.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (gzip.compress(FILE)[:-20], "memory.jsonl: is gzip, and damaged or cut off"),
        (gzip.compress(FILE * 40), "memory.jsonl: is more than 0 MiB, unpacked"),
        (FILE * 4, "memory.jsonl: is more than 0 MiB; pack it with gzip, or use `trustmem import`"),
    ],
)
def test_a_file_that_is_damaged_or_too_large_is_refused_in_a_sentence(
    space: Space, content: bytes, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_GIVEN", 3 * len(FILE))
    monkeypatch.setattr(uploads, "MOST_UNPACKED", 30 * len(FILE))
    with pytest.raises(Refusal) as refusal:
        kept(space, content)
    assert str(refusal.value) == sentence
    assert not Upload.objects.exists()


def test_judging_says_what_would_become_of_it_and_writes_nothing(space: Space) -> None:
    before = state_hash(space), space.head_position
    upload = kept(space)
    job = judged(upload)
    assert job.state == JobState.DONE
    result = json.loads(job.result)
    assert result["counts"] == {"new": 26, "known": 0, "refused": 1, "waiting": 0, "rejected": 2}
    assert result["amiss"]["of"] == 3
    assert [(each["number"], each["status"]) for each in result["amiss"]["lines"]] == [
        (27, "rejected"),
        (28, "refused"),
        (29, "rejected"),
    ]
    assert result["amiss"]["lines"][1]["reason"] == '"f00" stands on line 1 with other content'
    space.refresh_from_db()
    assert (state_hash(space), space.head_position) == before
    assert Upload.objects.filter(pk=upload.pk).exists()


def test_judging_shows_ten_of_the_new_facts_from_all_over_the_file(space: Space) -> None:
    facts = json.loads(judged(kept(space)).result)["facts"]
    assert facts["new"] == 26
    assert [each["id"] for each in facts["sample"]] == [f"f{n:02}" for n in (0, 2, 5, 7, 10, 13, 15, 18, 20, 23)]
    assert facts["sample"][1] == {
        "id": "f02",
        "text": "Claim 2.",
        "source": "crm",
        "at": day(4),
        "at_known": True,
    }


def test_of_many_lines_that_are_amiss_the_first_are_named_and_all_counted(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "_AMISS", 2)
    amiss = json.loads(judged(kept(space)).result)["amiss"]
    assert (amiss["of"], [each["number"] for each in amiss["lines"]]) == (3, [27, 28])


def test_taking_in_comes_to_what_the_same_import_comes_to(space: Space) -> None:
    result = json.loads(taken(kept(space)).result)
    assert result["counts"] == {"new": 26, "known": 0, "refused": 1, "waiting": 0, "rejected": 2}
    other = space_of(told("coffee"), name="other")
    report = imports.import_lines(
        other, FILE.splitlines(keepends=True), file="memory.jsonl", by="ana", now=NOW, source="mail"
    )
    assert state_hash(space) == state_hash(other)
    assert result["import"] == report.imported
    brought = Import.objects.get(space=space, file="memory.jsonl")
    assert (brought.file, brought.by, brought.at) == ("memory.jsonl", "ana", NOW)
    assert Reject.objects.filter(space=space).count() == 3


def test_a_memory_file_is_told_by_whom_they_say(space: Space) -> None:
    memory = b'{"type":"entity","name":"Ada","entityType":"person","observations":["Likes tea."]}\n'
    taken(kept(space, memory))
    assert Fact.objects.get(space=space, text="Likes tea.").source == "mail"


def test_passes_can_be_taken_on_the_way(space: Space) -> None:
    empty = Space.objects.create(name="empty", digest_key="0f" * 32)
    later = line("late", at="2026-01-15T09:00:00Z")
    taken(kept(empty, FILE + later), every=span(2))
    assert Line.objects.filter(space=empty, tag="pass").count() == 5


def test_once_taken_in_the_file_is_gone_and_what_was_judged_of_it(space: Space) -> None:
    upload = kept(space)
    judged(upload)
    job = taken(upload)
    assert not Upload.objects.exists()
    assert list(Job.objects.exclude(kind=jobs.GRAPH).values_list("pk", flat=True)) == [job.pk]
    assert "Claim" not in job.result


def test_a_file_none_of_whose_lines_is_understood_fails_and_can_be_thrown_away(space: Space) -> None:
    upload = kept(space, b'{"type": "fact", "text": "Tea is at four."}\n')
    assert judged(upload).error.startswith("none of its lines was understood")
    assert taken(upload).state == JobState.FAILED
    uploads.discard(space, upload.pk)
    assert not Upload.objects.exists()
    assert not Job.objects.exists()


def test_what_a_killed_process_left_of_a_file_is_swept_away_after_a_day(db, tmp_path: Path, settings) -> None:
    settings.UPLOADS = tmp_path
    for name, age in (("old.upload.gz", 2), ("new.upload.gz", 0), ("kept.txt", 2)):
        left = tmp_path / name
        left.write_bytes(b"told")
        os.utime(left, ((NOW - span(age)) / 1e6,) * 2)
    uploads.sweep(NOW)
    assert {each.name for each in tmp_path.iterdir()} == {"new.upload.gz", "kept.txt"}


@pytest.mark.parametrize("content", [b"", b"\n \n", b"# Notes\n- likes tea\n", b"\x89PNG\r\n\x1a\n"])
def test_a_file_that_is_none_of_ours_is_not_kept(space: Space, content: bytes) -> None:
    with pytest.raises(Refusal, match=r"^memory\.jsonl: it (is empty|looks like)"):
        kept(space, content)
    assert not Upload.objects.exists()


def test_a_file_of_endless_lines_is_refused_before_they_fill_the_memory(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_LINES", 3)
    assert kept(space, FILE.splitlines(keepends=True)[0] + b"\n" * 2)
    with pytest.raises(Refusal, match="more than 3 lines"):
        kept(space, FILE.splitlines(keepends=True)[0] + b"\n" * 3)


def test_the_same_click_twice_takes_a_file_in_once(space: Space) -> None:
    upload = kept(space)
    jobs_of_it = {uploads.take_in(upload, by="ana", now=NOW).pk for _ in range(2)}
    assert len(jobs_of_it) == 1


def test_an_import_that_is_lost_to_another_is_concluded_by_that_one_alone(space: Space) -> None:
    upload = kept(space)
    pk = uploads.take_in(upload, by="ana", now=NOW).pk
    slow = jobs.claim(pk, now=NOW)
    other = jobs.claim(pk, now=NOW + jobs.LEASE + 1)
    with pytest.raises(Lost):
        kinds.do(slow, lambda: NOW)
    assert not Import.objects.filter(space=space, by="ana", file="memory.jsonl").exists()
    kinds.do(other, lambda: NOW)
    assert Import.objects.filter(space=space, file="memory.jsonl").count() == 1
    assert Fact.objects.filter(space=space).count() == 27


def test_an_import_that_is_lost_when_all_but_its_conclusion_is_written_is_not_concluded(space: Space) -> None:
    def lose(report: Report) -> None:
        raise Lost

    def import_it(**options: object) -> None:
        imports.import_lines(space, FILE.splitlines(keepends=True), file="f", by="ana", now=NOW, **options)

    with pytest.raises(Lost):
        import_it(conclude=lose)
    assert Line.objects.filter(space=space, tag="import").count() == 1  # that of coffee
    assert Fact.objects.filter(space=space).count() == 1
    import_it()
    assert Import.objects.filter(space=space, file="f").count() == 1
    assert Fact.objects.filter(space=space).count() == 27


def begun(upload: Upload, stage: str, attempt: int = 1) -> Job:
    """A job that takes a file in, and is at that."""
    job = jobs.claim(uploads.take_in(upload, by="ana", now=NOW).pk, now=NOW)
    jobs.progress(job, 1, 2, now=NOW, stage=stage)
    Job.objects.filter(pk=job.pk).update(attempt=attempt)
    job.attempt = attempt
    return job


def test_until_it_is_written_a_file_that_is_to_be_taken_in_can_be_left_alone_and_is_kept(space: Space) -> None:
    upload = kept(space)
    lines = Line.objects.count()
    job = begun(upload, "reading")
    assert uploads.may_be_cancelled(Job.objects.get(pk=job.pk))
    assert uploads.cancel(space, job.pk)
    with pytest.raises(Lost):
        kinds.do(job, lambda: NOW)
    assert Line.objects.count() == lines
    assert Upload.objects.filter(pk=upload.pk).exists()


@pytest.mark.parametrize(("stage", "attempt"), [("writing", 1), ("again", 1), ("reading", 2)])
def test_a_file_of_which_something_may_be_written_is_taken_in_to_its_end(
    space: Space, stage: str, attempt: int
) -> None:
    job = begun(kept(space), stage, attempt)
    assert not uploads.may_be_cancelled(Job.objects.get(pk=job.pk))
    assert not uploads.cancel(space, job.pk)
    kinds.do(job, lambda: NOW)
    assert Import.objects.filter(space=space, file="memory.jsonl").exists()


def test_what_a_job_on_a_file_is_at_is_told_with_how_far_it_is(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    monkeypatch.setattr(jobs, "_write", lambda job, **values: told.append(values))
    upload, records = kept(space), FILE.count(b"\n")
    for ask in (uploads.judge, uploads.take_in):
        kinds.do(jobs.claim(ask(upload, by="ana", now=NOW).pk, now=NOW), lambda: NOW)
    at = [(each["stage"], each["done"], each["of"]) for each in told if "stage" in each]
    reading = [("reading", 0, records), ("reading", records, records)]
    assert at == [*reading, *reading, ("writing", 0, 0), ("writing", records, records)]


def test_what_nobody_takes_in_for_a_day_goes(space: Space) -> None:
    old, fresh, being_taken = kept(space), kept(space, now=NOW + span(0.5)), kept(space)
    judged(old)
    uploads.take_in(being_taken, by="ana", now=NOW)
    uploads.sweep(NOW + span(1))
    assert Upload.objects.count() == 3
    uploads.sweep(NOW + span(1) + 1)
    assert set(Upload.objects.values_list("pk", flat=True)) == {fresh.pk, being_taken.pk}
    assert not Job.objects.filter(kind=uploads.JUDGE).exists()


@pytest.mark.django_db(transaction=True)
def test_erasing_a_fact_throws_away_the_files_of_its_space_and_what_was_told_of_them() -> None:
    space, other = erasing.telling(), erasing.telling(name="other")
    for each in (space, other):
        judged(kept(each, b"".join(erasing.as_lines(*erasing.TELLING)) + line("again", erasing.SECRET)))
    nameless = b'{"type": "fact", "text": "What was it, VERMILION-88?"}\n'
    assert taken(kept(space, nameless)).state == JobState.FAILED
    assert "Job" in erasing.found_in_rows()
    erasing.erase(space)
    assert set(Upload.objects.values_list("space", flat=True)) == {other.pk}
    assert set(Job.objects.values_list("space", flat=True)) == {other.pk}
    erasing.erase(other)
    assert erasing.found_in_rows() == []
    assert not erasing.readable() or erasing.found_in_files() == []


@pytest.mark.django_db(transaction=True)
def test_what_was_said_to_a_job_that_undoes_or_decides_goes_with_what_is_erased() -> None:
    space = erasing.telling(passes=False)
    said = {"reason": f"For {erasing.SECRET}.", "back": f"/spaces/diary/facts/?text={erasing.SECRET}"}
    asked = {"act": "nothing", "of": "facts", "filter": {}, "seen": 0, "shown": 0, **said}
    kinds_of = (jobs.UNDO, jobs.UNDO, jobs.DECISION, jobs.DECISION)
    undoing, undone, deciding, decided = (jobs.ask(space, kind, by="ana", now=NOW, **asked) for kind in kinds_of)
    assert {done(job).state for job in (undone, decided)} == {JobState.FAILED}
    erasing.erase(space)
    left = Job.objects.order_by("pk").values_list("pk", "asked__reason", "asked__back")
    assert list(left) == [(job.pk, "", "/spaces/diary/facts/") for job in (undoing, undone, deciding)]
