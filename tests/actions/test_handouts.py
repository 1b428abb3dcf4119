"""Handing out: a case is in one hand at a time, however many ask at once; what is put aside comes back in time."""

import threading
from collections import Counter
from collections.abc import Callable

import pytest
from django.db import connection

from tests.actions.world import space_of
from tests.makers import day, edge, fact
from tests.store.queues import queued
from trustmem.actions import handouts, spaces, verdicts
from trustmem.actions.errors import Refusal
from trustmem.actions.handouts import LEASE
from trustmem.core.instants import EVER
from trustmem.store.cases import CHALLENGE
from trustmem.store.models import Case, Handout, Space
from trustmem.store.queue import Filter

NOW = day(101)
pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    """Three cases, the most consequential first in name."""
    space = spaces.create("diary")
    queued(space, [3.0, 2.0, 1.0])
    return space


def names(space: Space) -> list[str]:
    return list(Case.objects.filter(space=space).order_by("position").values_list("name", flat=True))


def next_for(space: Space, by: str, now: int = NOW, filter: Filter | None = None) -> str:
    case = handouts.hand_out(space, filter or Filter(), by=by, now=now)
    return case.name if case else ""


def test_each_gets_another_case_and_the_same_until_they_are_through_with_it(space):
    first, second, third = names(space)
    assert [next_for(space, by) for by in ("ana", "ben", "cem", "dea")] == [first, second, third, ""]
    assert next_for(space, "ben") == second
    assert handouts.in_hand(space, second, by="ana", now=NOW) == "ben"
    assert handouts.in_hand(space, second, by="ben", now=NOW) == ""


def test_who_looks_away_for_long_has_it_no_more(space):
    first, *_ = names(space)
    assert next_for(space, "ana") == first
    assert next_for(space, "ben", NOW + LEASE - 1) != first
    assert next_for(space, "cem", NOW + LEASE) == first
    assert handouts.take(space, first, by="ana", now=NOW + LEASE) is False


def test_who_looks_again_keeps_it_for_longer(space):
    first, *_ = names(space)
    next_for(space, "ana")
    assert handouts.take(space, first, by="ana", now=NOW + LEASE - 1)
    assert next_for(space, "ben", NOW + LEASE + 1) != first


def test_who_takes_another_gives_back_what_they_had(space):
    first, second, _ = names(space)
    next_for(space, "ana")
    assert handouts.take(space, second, by="ana", now=NOW)
    assert next_for(space, "ben") == first
    assert Handout.objects.count() == 2


def test_a_skipped_case_comes_last_for_whoever_skipped_it_and_at_once_for_others(space):
    first, second, third = names(space)
    next_for(space, "ana")
    handouts.skip(space, first, by="ana", now=NOW)
    assert (next_for(space, "ben"), next_for(space, "ana")) == (first, second)
    for each in (second, third):
        handouts.skip(space, each, by="ana", now=NOW + 1)
    assert next_for(space, "ana") == second  # the first of what is left to her


def test_a_snoozed_case_comes_to_nobody_until_its_time(space):
    first, second, _ = names(space)
    handouts.snooze(space, first, by="ana", now=NOW, until=NOW + 5)
    assert (next_for(space, "ana"), next_for(space, "ben", NOW + 5)) == (second, first)
    with pytest.raises(Refusal, match="has been"):
        handouts.snooze(space, first, by="ana", now=NOW, until=NOW)


def test_what_was_put_aside_can_be_taken_up_at_once(space):
    first, *_ = names(space)
    handouts.snooze(space, first, by="ana", now=NOW, until=EVER)
    assert handouts.take_up(space, first, by="ben")
    assert not handouts.take_up(space, first, by="ben")
    assert next_for(space, "ben") == first


def test_what_is_asked_for_alone_is_handed_out(space):
    (objection,) = queued(space, [0.5], kind=CHALLENGE)
    assert next_for(space, "ana", filter=Filter(CHALLENGE)) == objection
    assert next_for(space, "ana", filter=Filter(upto=0)) == ""


def test_a_decided_case_is_handed_out_and_put_aside_no_more():
    space = space_of(fact("a"), fact("b", 1), edge("b", "contradicts", "a", 2, by="bot"))
    case = next_for(space, "ana")
    verdicts.decide(space, [case], "not a contradiction", by="ana", now=NOW)
    assert next_for(space, "ana") == ""
    with pytest.raises(Refusal, match="waits for nobody"):
        handouts.skip(space, case, by="ana", now=NOW)


REVIEWERS, MANY = 8, 500


@pytest.mark.django_db(transaction=True)
def test_8_reviewers_at_once_get_each_of_500_cases_once():
    space = spaces.create("busy")
    queued(space, [float(number % 7) for number in range(MANY)])
    got, begin = list[tuple[str, str]](), threading.Barrier(REVIEWERS)

    def review(by: str) -> None:
        begin.wait(60)
        while case := handouts.hand_out(space, Filter(), by=by, now=NOW):
            got.append((case.name, by))
            assert handouts.in_hand(space, case.name, by="another", now=NOW) == by
            handouts.snooze(space, case.name, by=by, now=NOW, until=EVER)

    assert in_threads(review, [f"reviewer {number}" for number in range(REVIEWERS)]) == []
    assert len(got) == MANY
    assert Counter(name for name, _ in got).most_common(1)[0][1] == 1
    assert len({by for _, by in got}) > 1


@pytest.mark.django_db(transaction=True)
def test_8_who_open_the_same_case_at_once_have_it_in_one_hand():
    space = spaces.create("busy")
    (case,) = queued(space, [1.0])
    begin, took = threading.Barrier(REVIEWERS), list[str]()

    def take(by: str) -> None:
        begin.wait(60)
        if handouts.take(space, case, by=by, now=NOW):
            took.append(by)

    assert in_threads(take, [f"reviewer {number}" for number in range(REVIEWERS)]) == []
    assert len(took) == 1
    assert Handout.objects.get().by == took[0]


@pytest.mark.django_db(transaction=True)
def test_two_windows_of_one_person_that_go_on_at_once_come_to_the_same_case():
    space = spaces.create("busy")
    begin = threading.Barrier(REVIEWERS)
    for _ in range(5):
        (case,) = queued(space, [1.0])
        got = list[str]()

        def go_on(_: str, got: list[str] = got) -> None:
            begin.wait(60)
            got.append(next_for(space, "ana"))

        assert in_threads(go_on, [f"window {number}" for number in range(REVIEWERS)]) == []
        assert got == [case] * REVIEWERS
        handouts.skip(space, case, by="ana", now=NOW)
        handouts.snooze(space, case, by="ana", now=NOW, until=EVER)


def in_threads(do: Callable[[str], None], each: list[str]) -> list[str]:
    """What went wrong where each did something at once."""
    amiss = list[str]()

    def run(name: str) -> None:
        try:
            do(name)
        except Exception as error:
            amiss.append(repr(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[name]) for name in each]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return amiss
