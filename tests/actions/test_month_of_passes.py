"""A month of passes by a worker destroys nothing: each change of a fact is on record with its cause, and undoing the
passes brings all back (tests/cases/055)."""

import json
import random
from collections.abc import Iterator

import pytest

from tests.actions.test_previews import done, plain, seen
from tests.actions.world import space_of
from tests.conftest import ROOT
from tests.makers import day, fact
from trustmem.actions import consolidation, jobs, kinds, previews, undo
from trustmem.actions.verify import verify
from trustmem.core.instants import to_text
from trustmem.core.lines import Baseline, Fact
from trustmem.core.vocabulary import STATES
from trustmem.store.models import Fact as FactRow
from trustmem.store.models import Job, JobState, Line, Pass, Space, Text

pytestmark = pytest.mark.django_db

CASE = json.loads((ROOT / "tests/cases/055-a-week-of-passes.case.json").read_text("utf-8"))
FACTS, STEPS = CASE["given"][0]["facts"], CASE["steps"][0]
#: What a pass may change of a fact.
STATE = ("name", "state", "scope", "pruned", "lapsed", "stamp", "anchored_at", "reinforcement_count")


def told() -> Iterator[Fact]:
    chance = random.Random(7)
    for number in range(FACTS):
        support = Baseline(evidence=chance.randint(0, 40))
        scope = ("session", "global")[number % 2]
        yield fact(f"f{number:03}", on=chance.random(), scope=scope, baseline=support)


def instants() -> Iterator[int]:
    last = day(100)  # when the facts came in
    for number in range(STEPS["days"] * STEPS["per_day"]):
        yield last + round((number + 1) / STEPS["per_day"] * (day(1) - day(0)))


def taken(space: Space, instant: int) -> str:
    """What became of a pass that a schedule asks for, by a worker."""
    asked = consolidation.ask(space, by="schedule", now=instant, slot=to_text(instant))
    job = jobs.claim(asked.pk, now=instant)
    assert job
    kinds.do(job, lambda: instant)
    return Job.objects.get(pk=job.pk).state


def states(space: Space) -> dict[str, tuple[object, ...]]:
    return {row[0]: row for row in FactRow.objects.filter(space=space).order_by("name").values_list(*STATE)}


def test_055_a_month_of_passes_destroys_nothing_and_all_of_it_can_be_undone() -> None:
    space = space_of(*told())
    before = states(space)
    for instant in instants():
        was, foreseen = states(space), previews.preview(space, instant)
        assert taken(space, instant) == JobState.DONE  # none stopped to ask: it is ordinary fading
        assert plain(seen(foreseen)) == plain(done(space, instant))
        explained = set(FactRow.objects.filter(space=space, changes__of_pass__instant=instant, changes__did__gt=0))
        changed = {name for name, now in states(space).items() if now[1:3] != was[name][1:3]}
        assert changed <= {row.name for row in explained}
    assert len(states(space)) == FACTS
    assert Text.objects.filter(space=space, body="").count() == 0
    assert FactRow.objects.filter(space=space, state=STATES.index("pruned")).exists()
    assert verify(space, rebuild=True) == []
    for instant in reversed(list(instants())):
        undo.undo(space, to_text(instant), by="ana", now=instant + day(60) - day(0))
    assert states(space) == before
    assert Pass.objects.filter(space=space, void=True).count() == STEPS["days"] * STEPS["per_day"]
    assert Line.objects.filter(space=space, tag="fact").count() == FACTS
    assert verify(space, rebuild=True) == []
