"""What is to be decided is found anew as lines come and go, and comes to the same as looking at all there is."""

import pytest

from tests.actions.test_verdicts import open_cases
from tests.actions.world import space_of
from tests.makers import day, fact
from trustmem.actions import acts, undo
from trustmem.actions.verify import verify

pytestmark = pytest.mark.django_db


def test_a_case_goes_with_the_fact_that_it_is_about_and_comes_back_with_it():
    space = space_of(fact("z"))
    act = acts.write(space, [{"type": "fact", "id": "a", "text": "A.", "tier": "human"}], now=day(101))
    said = {"type": "event", "kind": "contradicted", "fact": "a", "source": "x"}
    acts.write(space, [said], now=day(102))
    assert open_cases(space) == [["a"]]
    again = undo.undo(space, act, by="ana", now=day(103))
    assert open_cases(space) == []
    assert verify(space, rebuild=True) == []
    undo.undo(space, again, by="ana", now=day(104))
    assert open_cases(space) == [["a"]]
