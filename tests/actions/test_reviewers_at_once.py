"""Reviewers work on one queue at once: no case is in two hands, and none is decided over in silence.

`--thorough` has five hundred decisions, and as many times that two press at once, in place of a hundred.
"""

import threading

import pytest

from tests.actions.reviewers import NOW, Office, amiss, at_once, queue_of
from trustmem.actions import handouts, verdicts
from trustmem.actions.verdicts import Decided
from trustmem.actions.verify import verify
from trustmem.store.models import Closing, Handout, Space
from trustmem.store.queue import Filter

pytestmark = pytest.mark.django_db(transaction=True)

_REVIEWERS = [f"reviewer-{number}" for number in range(8)]


@pytest.fixture
def times(pytestconfig: pytest.Config) -> int:
    return 500 if pytestconfig.getoption("thorough") else 100


def test_eight_reviewers_hand_nothing_out_twice_and_overwrite_nothing(times: int):
    space = queue_of(times + 60)
    office = Office(space, times)
    at_once(*(lambda by=by: office.review(by) for by in _REVIEWERS))
    assert amiss(space, office) == []
    decided, refused = ([each for each in office.tries if bool(each.act) is so] for so in (True, False))
    assert times <= len(decided) < times + len(_REVIEWERS)
    assert [each for each in refused if each.decided]
    assert verify(space, rebuild=True) == []


def test_079_two_who_press_next_at_once_again_and_again_have_each_a_case_of_their_own(times: int):
    space, beginning = queue_of(6), threading.Barrier(2)
    had: dict[str, list[str]] = {"ana": [], "ben": []}

    def press(by: str) -> None:
        mine = Space.objects.get(pk=space.pk)
        for number in range(times):
            beginning.wait(60)
            case = handouts.hand_out(mine, Filter(), by=by, now=NOW + number)
            had[by].append(case.name)
            beginning.wait(60)
            Handout.objects.filter(space=mine, by=by).delete()

    at_once(lambda: press("ana"), lambda: press("ben"))
    assert [number for number, both in enumerate(zip(had["ana"], had["ben"], strict=True)) if len(set(both)) < 2] == []
    assert {len(each) for each in had.values()} == {times}


def test_079_of_two_who_decide_one_case_at_once_one_wins_and_the_other_sees_who_did():
    space, beginning = queue_of(1), threading.Barrier(2)
    case = handouts.hand_out(space, Filter(), by="ana", now=NOW)
    told: list[object] = []

    def decide(by: str, verdict: str) -> None:
        mine = Space.objects.get(pk=space.pk)
        beginning.wait(60)
        try:
            verdicts.decide(mine, [case.name], verdict, by=by, now=NOW, seen=mine.head_position)
        except Decided as refused:
            told.append((refused.closing.by, refused.closing.verdict))

    at_once(lambda: decide("ana", "neither"), lambda: decide("ben", "keep left"))
    closing = Closing.objects.get(space=space)
    assert told == [(closing.by, {"ana": "neither", "ben": "keep left"}[closing.by])]
