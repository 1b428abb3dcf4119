"""A worker whose clock steps back between two passes re-dates nothing and strengthens nothing (tests/cases/005)."""

import json

import pytest

from tests.actions.world import taken
from tests.conftest import ROOT
from trustmem.actions import consolidation, jobs, kinds, spaces
from trustmem.core.scores import score
from trustmem.formats import rfc3339
from trustmem.store import queries
from trustmem.store.models import Job, JobState, Line, Pass, Space

pytestmark = pytest.mark.django_db

CASE = json.loads((ROOT / "tests/cases/005-clock-steps-back.case.json").read_text("utf-8"))
BORN, LATE, _, EARLY = (rfc3339.parse(step.get("at") or step["to"]) for step in CASE["steps"])


def worked(space: Space, now: int) -> Job:
    """A pass by a worker whose clock says so."""
    job = jobs.claim(consolidation.ask(space, by="ana", now=now).pk, now=now)
    assert job
    kinds.do(job, lambda: now)
    job.refresh_from_db()
    return job


def test_005_a_worker_whose_clock_steps_back_takes_its_pass_after_the_last() -> None:
    fact = {"type": "fact", "id": "a", "text": "The mirror syncs every hour.", "source": "agent-a", "run": "r1"}
    told = json.dumps(fact | {"at": CASE["steps"][0]["at"]}).encode()
    space = taken(spaces.create("diary"), [told], now=BORN)
    newborn = score(queries.stored(space), BORN)
    assert worked(space, LATE).state == JobState.DONE
    before = list(Line.objects.filter(space=space).order_by("position").values())
    assert worked(space, EARLY).state == JobState.DONE
    assert list(Line.objects.filter(space=space).order_by("position").values())[: len(before)] == before
    passes = list(Pass.objects.filter(space=space).order_by("instant").values_list("instant", "clock"))
    assert [instant for instant, _ in passes] == [LATE, LATE + 1]
    assert len(passes) == CASE["check"]["passes_recorded"]
    assert passes[0][1] <= passes[1][1]
    for instant in (EARLY, LATE):
        found = score(queries.stored(space), instant)
        assert found.freshness[0] <= newborn.freshness[0]
        assert found.trust[0] <= newborn.trust[0] <= CASE["check"]["max_trust"]
