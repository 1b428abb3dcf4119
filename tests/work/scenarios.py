"""The scenarios of the model, taken in and lived through by workers, with the scores that are right for them."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from tests.actions.test_lived import add, passes_of
from tests.core.test_scenarios import SCENARIOS, VECTORS, assert_scores, expected
from tests.makers import day
from tests.work.workers import wait_for
from trustmem.actions import jobs, spaces, uploads
from trustmem.actions.verify import verify
from trustmem.core.instants import span
from trustmem.core.scores import score
from trustmem.formats import interchange, rfc3339
from trustmem.formats.scores import rows
from trustmem.store import queries
from trustmem.store.models import Job, JobState, Pass, Space

NOW = day(200)
#: Each pass of these is a job of its own; of the others the passes come with the file.
LIVED = ("scenario-1", "corners", "corners-early")


def raw(name: str) -> list[bytes]:
    return (VECTORS / "scenarios" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)


def _ended(asked: Sequence[Job]) -> bool:
    states = Job.objects.filter(pk__in=[job.pk for job in asked]).values_list("state", "error")
    assert not [error for state, error in states if state not in (JobState.QUEUED, JobState.RUNNING, JobState.DONE)]
    return all(state == JobState.DONE for state, _ in states)


def take_in() -> None:
    """Every scenario as a file that a worker takes in, side by side."""
    asked = []
    for name in SCENARIOS:
        upload = uploads.keep(
            Space.objects.create(name=name, digest_key="0f" * 32),
            BytesIO(b"".join(raw(name))),
            name=name,
            source="unknown",
            by="ana",
            now=NOW,
        )
        asked.append(uploads.take_in(upload, by="ana", now=NOW))
    wait_for(lambda: _ended(asked))
    for job in asked:
        assert_right(Job.objects.select_related("space").get(pk=job.pk).space)


def live_through() -> None:
    """Some scenarios as they came to pass, all side by side: what arrived, and then a job for each pass."""
    lives = [_life(name) for name in LIVED]
    while asked := [job for job in (next(life, None) for life in lives) if job]:
        wait_for(lambda asked=asked: _ended(asked))
    for name in LIVED:
        space = Space.objects.get(title=name)
        assert_right(space, name)
        assert verify(space, rebuild=True) == []


def _life(name: str) -> Iterator[Job]:
    read = interchange.read(raw(name))
    lines = sorted(
        (each for each in read.records.values() if each["type"] not in ("pass", "space")),
        key=lambda record: (record["arrived"], record["at"], record["id"]),
    )
    space = spaces.create(f"lived {name}", title=name)
    for instant in passes_of(raw(name), span(1)):
        add(space, [line for line in lines if line["arrived"] <= instant], span(1))
        lines = [line for line in lines if line["arrived"] > instant]
        yield jobs.ask(space, jobs.CONSOLIDATION, by="ana", now=NOW, at=instant)
        space.refresh_from_db()
    add(space, lines, span(1))


def assert_right(space: Space, name: str = "") -> None:
    right: dict[str, Any] = expected(VECTORS / "scenarios" / f"{name or space.alias or space.name}.expected.json")
    found = list(rows(score(queries.stored(space), rfc3339.parse(right["now"]))))
    assert_scores(found, right["facts"])
    deferred = sum(Pass.objects.filter(space=space).values_list("deferred", flat=True))
    assert deferred == right["passes_deferred"]
