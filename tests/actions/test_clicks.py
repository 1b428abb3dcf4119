"""What a form does is done once, whoever else writes meanwhile, and is remembered for a week."""

from threading import Barrier, Thread

import pytest
from django.db import connection

from tests.actions.world import LATER, space_of
from tests.makers import fact
from trustmem.actions import clicks, facts
from trustmem.actions.errors import Refusal
from trustmem.core.instants import span
from trustmem.store.models import Click, Line, Space, Told

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


def sent(space: Space, token: str = "a form", *, by: str = "ana", now: int = LATER) -> str:
    return clicks.once(space, token, lambda: facts.accept(space, "tea", by=by, now=now), by=by, now=now)


def accepted(space: Space) -> int:
    return Line.objects.filter(space=space, tag="event.accepted").count()


def test_of_many_at_once_one_is_done_and_all_get_its_act(space: Space) -> None:
    barrier, acts = Barrier(6), list[str]()

    def send() -> None:
        mine = Space.objects.get(pk=space.pk)
        barrier.wait()
        acts.append(sent(mine))
        connection.close()

    threads = [Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(acts) == 6
    assert set(acts) == {Line.objects.get(space=space, tag="event.accepted").act}


def test_a_click_is_of_one_person_in_one_space(space: Space) -> None:
    other = space_of(fact("tea"), name="other")
    sent(space)
    sent(space, by="ben")
    sent(other)
    assert (accepted(space), accepted(other)) == (2, 1)


def test_what_fails_can_be_sent_again(space: Space) -> None:
    with pytest.raises(Refusal):
        clicks.once(space, "a form", lambda: facts.restore(space, "tea", by="ana", now=LATER), by="ana", now=LATER)
    assert not Click.objects.exists()
    sent(space)
    assert accepted(space) == 1


def test_a_form_that_is_older_than_a_week_counts_anew(space: Space) -> None:
    sent(space)
    clicks.sweep(LATER + span(7))
    sent(space)
    assert accepted(space) == 1
    clicks.sweep(LATER + span(7) + 1)
    sent(space)
    assert accepted(space) == 2


def test_what_nobody_came_back_to_hear_is_kept_for_a_week(space: Space) -> None:
    Told.objects.create(browser="ana's", says="Accepted", at=LATER)
    clicks.sweep(LATER + span(7))
    assert Told.objects.exists()
    clicks.sweep(LATER + span(7) + 1)
    assert not Told.objects.exists()
