"""What is to be decided is found anew as lines come and go, and comes to the same as looking at all there is."""

from itertools import pairwise

import pytest
from django.db import transaction

from tests.actions.test_verdicts import open_cases
from tests.actions.world import space_of
from tests.makers import day, edge, fact
from trustmem.actions import acts, facts, finding, queue, undo
from trustmem.actions.verify import verify
from trustmem.store.models import Case, Fact

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


def test_a_cycle_of_more_facts_than_a_case_names_is_one_case_whatever_of_it_is_looked_at(monkeypatch):
    monkeypatch.setattr(finding, "MOST", 3)
    ring = [f"f{number}" for number in (0, 4, 1, 5, 2, 6, 7, 3)]
    told = [edge(newer, "updates", older, 5, by="x") for newer, older in pairwise([*ring, ring[0]])]
    space = space_of(*(fact(name, float(name[1:])) for name in ring), *told)
    case = Case.objects.get(space=space)
    assert case.facts == ["f0", "f1", "f2"]
    for name in ring:
        with transaction.atomic():
            queue.look_again(space, [Fact.objects.get(space=space, name=name).pk])
        assert open_cases(space) == [case.facts]
    facts.accept(space, "f7", by="ana", now=day(101))
    assert open_cases(space) == [case.facts]
    assert verify(space, rebuild=True) == []
