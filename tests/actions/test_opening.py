"""What a person has to decide is opened as a case, and stands in the queue by what there is to lose."""

import json

import pytest

from tests.actions.test_verdicts import ANA, NOW, case_of, facts_of, open_cases
from tests.actions.world import space_of, taken
from tests.makers import day, edge, event
from trustmem.actions import acts, facts, favourites, queue, refresh, verdicts
from trustmem.actions.verify import verify
from trustmem.core.instants import to_text
from trustmem.store import queue as rows
from trustmem.store.cases import MANY
from trustmem.store.models import Case, CaseGroup, Queued, Space, Tombstone
from trustmem.store.queue import Filter

pytestmark = pytest.mark.django_db


def served(name: str, times: int, on: float = 100) -> list[object]:
    return [event("recalled", name, on, source="x", run=f"r{number}") for number in range(times)]


def pairs(number: int, by: str) -> list[object]:
    """So many contradictions, all told by one source."""
    told = list[object]()
    for each in range(number):
        told += facts_of(f"{by}-old-{each}", f"{by}-new-{each}")
        told.append(edge(f"{by}-new-{each}", "contradicts", f"{by}-old-{each}", 6, by=by))
    return told


def a_file(name: str, text: str, on: float = 0, source: str = "crm") -> list[bytes]:
    """A file with a fact."""
    said = {"type": "fact", "id": name, "at": to_text(day(on)), "text": text, "source": source}
    return [json.dumps(said).encode() + b"\n"]


def in_order(space: Space) -> list[list[str]]:
    return [each.case.facts for each in rows.page(space, Filter()).rows]


def test_the_most_consequential_comes_first_and_that_is_what_is_served_most():
    space = space_of(
        *facts_of("a", "b", "c", "d"),
        edge("b", "contradicts", "a", 6, by="x"),
        edge("d", "contradicts", "c", 6, by="y"),
        *served("d", 9),
    )
    assert in_order(space) == [["c", "d"], ["a", "b"]]


def test_the_consequence_of_open_cases_is_brought_up_to_now_by_a_refresh():
    space = space_of(
        *facts_of("a", "b", "c", "d"),
        edge("b", "contradicts", "a", 6, by="x"),
        edge("d", "contradicts", "c", 6, by="y"),
        *served("d", 5, on=100),
        *served("a", 2, on=125),
    )
    assert in_order(space) == [["c", "d"], ["a", "b"]]
    refresh.refresh(space, now=day(140))
    assert in_order(space) == [["a", "b"], ["c", "d"]]
    assert queue.reweigh(space, now=day(140)) == 0


def test_much_of_a_kind_by_one_source_is_shown_as_one_behind_the_cases_of_others():
    space = space_of(*pairs(MANY + 1, "flood"), *served("flood-new-0", 30), *pairs(2, "crm"))
    assert [names[0].split("-")[0] for names in in_order(space)] == ["crm", "crm"]
    assert rows.groups(space, Filter()) == [("contradiction", "flood", (MANY + 1, False))]
    assert len(rows.page(space, Filter("contradiction", "flood")).rows) == MANY + 1
    one = Queued.objects.filter(source="flood").first()
    verdicts.decide(space, [one.case.name], "keep left", **ANA)
    assert len(in_order(space)) == MANY + 2  # so few that each is shown
    assert verify(space, rebuild=True) == []


def test_cases_of_several_sources_belong_to_no_group():
    told = [*facts_of("a", "b"), *(edge("b", "contradicts", "a", 6, by=by, id=by) for by in "xy")]
    space_of(*told)
    assert [each.source for each in Queued.objects.all()] == [""]
    assert not CaseGroup.objects.exists()


def test_a_second_source_takes_an_open_case_out_of_its_group():
    space = space_of(*facts_of("a", "b"), edge("b", "contradicts", "a", 6, by="x"))
    assert [each.source for each in Queued.objects.all()] == ["x"]
    said = {"type": "edge", "from": "b", "to": "a", "relation": "contradicts", "by": "y"}
    acts.write(space, [said], now=NOW)
    assert [each.source for each in Queued.objects.all()] == [""]
    assert len(Case.objects.all()) == 1
    assert verify(space, rebuild=True) == []


# Stale favourites


def test_what_is_served_much_and_confirmed_by_nobody_is_a_case_until_somebody_says_that_it_holds():
    space = space_of(*facts_of("a", "b"), *served("a", favourites.MUCH, 190), *served("b", favourites.MUCH - 1, 190))
    refresh.refresh(space, now=day(200))
    assert open_cases(space) == [["a"]]
    facts.accept(space, "a", by="ana", now=day(202))
    assert open_cases(space) == []
    assert verify(space, rebuild=True) == []


def test_a_favourite_that_was_let_go_comes_again_only_if_it_is_served_much_since():
    space = space_of(*facts_of("a"), *served("a", favourites.MUCH, 190))
    refresh.refresh(space, now=day(200))
    verdicts.decide(space, [case_of(space, "a").name], "forget it", by="ana", now=day(202))
    facts.restore(space, "a", by="ana", now=day(203))
    refresh.refresh(space, now=day(300))
    assert open_cases(space) == []
    again = [{"type": "event", "kind": "recalled", "fact": "a", "source": "x", "run": f"s{n}"} for n in range(12)]
    acts.write(space, again, now=day(302))
    refresh.refresh(space, now=day(303))
    assert open_cases(space) == [["a"]]


# Values that somebody forgot


def test_a_forgotten_value_that_comes_back_is_refused_and_is_a_case():
    space = taken(space_of(), a_file("a", "The port is 7000."), day(100))
    facts.forget(space, "a", **ANA)
    taken(space, a_file("b", "the PORT is 7000", 102, "crawler"), day(103))
    assert open_cases(space) == [["a"]]
    case = case_of(space, "a")
    assert (case.kind, json.loads(case.factors)["source"]) == ("restored value", "crawler")
    verdicts.decide(space, [case.name], "let it stand", by="ana", now=day(104))
    assert open_cases(space) == []
    taken(space, a_file("c", "The port is 7000!", 105, "crawler"), day(106))
    assert open_cases(space) == []  # the same source brings the same again
    taken(space, a_file("d", "The port is 7000.", 107, "wiki"), day(108))
    assert open_cases(space) == [["a"]]
    assert verify(space, rebuild=True) == []


def test_to_let_it_in_lifts_what_keeps_it_out():
    space = taken(space_of(), a_file("a", "The port is 7000."), day(100))
    facts.forget(space, "a", **ANA)
    taken(space, a_file("b", "The port is 7000.", 102, "crawler"), day(103))
    verdicts.decide(space, [case_of(space, "a").name], "let it in", by="ana", now=day(104))
    assert not Tombstone.objects.filter(lifted_at__lt=0).exists()
    taken(space, a_file("c", "The port is 7000.", 105, "crawler"), day(106))
    assert open_cases(space) == []


def test_lifting_a_tombstone_or_restoring_the_fact_settles_the_case():
    space = taken(space_of(), a_file("a", "The port is 7000."), day(100))
    facts.forget(space, "a", **ANA)
    taken(space, a_file("b", "The port is 7000.", 102, "crawler"), day(103))
    facts.restore(space, "a", by="ana", now=day(104))
    assert open_cases(space) == []
