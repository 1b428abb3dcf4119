"""What is handed out to agents goes on record a little later; and who repeats it in the same run is an echo."""

import pytest

from tests.actions.world import LATER, space_of
from tests.makers import daily, fact
from trustmem.actions import agents, schedules, serving
from trustmem.actions.speakers import Speaker
from trustmem.core.instants import span
from trustmem.store.models import Fact, Job, Line, Served, Touch

pytestmark = pytest.mark.django_db
ASKED = serving.Question("what about tea", 10, "trust", history=False)


@pytest.fixture
def space():
    return space_of(fact("tea"), fact("milk"), passes=daily(1, 3))


def test_what_was_handed_out_is_a_touch_once_a_run_at_its_earliest(space):
    bot = Speaker(space, "bot", "r1")
    for at in (LATER + 5, LATER + 3, LATER + 9):
        serving.note(bot, ASKED, ["tea", "milk"], now=at)
    assert serving.put_on_record(space, now=LATER + 20) == 2
    touches = Touch.objects.filter(space=space, fact__name="tea").order_by("at").values_list("source", "run", "at")
    assert list(touches) == [("bot", "r1", LATER + 3)]
    assert Fact.objects.get(space=space, name="tea").use_count == 1
    assert serving.put_on_record(space, now=LATER + 30) == 0


def test_a_search_is_kept_for_a_day_and_then_cleared_away(space):
    search = serving.note(Speaker(space, "bot"), ASKED, ["tea"], now=LATER)
    serving.put_on_record(space, now=LATER + span(1))
    assert Served.objects.get().search == search
    schedules.tick(LATER + span(1))
    assert not Job.objects.filter(kind="recording").exists()
    schedules.tick(LATER + span(1) + 1)
    assert Job.objects.filter(kind="recording").exists()
    serving.put_on_record(space, now=LATER + span(1) + 1)
    assert not Served.objects.exists()


def test_what_was_asked_is_kept_nowhere(space):
    serving.note(Speaker(space, "bot", "r1", reports=True), ASKED, ["tea"], now=LATER)
    row = Served.objects.values().get()
    assert "about" not in str(row)
    assert len(row["question"]) == 64


def test_two_who_ask_the_same_do_not_ask_it_again_nor_does_one_in_another_run(space):
    for who in (Speaker(space, "bot", "r1"), Speaker(space, "ben", "r1"), Speaker(space, "bot", "r2")):
        serving.note(who._replace(reports=True), ASKED, ["tea"], now=LATER)
    assert Served.objects.values("question").distinct().count() == 3


def test_who_repeats_what_they_were_handed_adds_nothing_be_it_a_moment_later(space):
    bot = Speaker(space, "bot", "r1")
    serving.note(bot, ASKED, ["tea"], now=LATER + 1)
    told = agents.remember(bot, {"text": "What tea says."}, now=LATER + 2)
    assert (told.status, told.fact) == ("restated", "tea")
    row = Fact.objects.get(space=space, name="tea")
    assert (row.r, row.evidence) == (0, 0)


def test_what_is_no_fact_any_more_is_passed_over(space):
    serving.note(Speaker(space, "bot"), ASKED, ["tea", "gone"], now=LATER)
    assert serving.put_on_record(space, now=LATER + 1) == 1


def test_a_worker_is_asked_for_it_as_soon_as_it_looks_what_is_due(space):
    schedules.tick(LATER)
    assert not Job.objects.filter(kind="recording").exists()
    serving.note(Speaker(space, "bot"), ASKED, ["tea"], now=LATER)
    schedules.tick(LATER + 1)
    schedules.tick(LATER + 2)
    assert Job.objects.filter(kind="recording").count() == 1
    lines = Line.objects.filter(space=space).count()
    serving.put_on_record(space, now=LATER + 3)
    assert Line.objects.filter(space=space).count() == lines + 1
