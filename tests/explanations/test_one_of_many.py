"""A fact of the database is explained by the lines that concern it, in the words that the whole space would give."""

from typing import Any

import pytest

from tests.actions.test_random_histories import history
from tests.actions.world import as_file, space_of, taken
from tests.core.test_scenarios import SCENARIOS, VECTORS
from tests.makers import edge, event, fact
from trustmem.actions import consolidation, facts, folding, imports, passes, spaces, undo
from trustmem.core.instants import span
from trustmem.explanations import stored
from trustmem.explanations.explanation import explanation
from trustmem.store.models import Fact, Space

pytestmark = pytest.mark.django_db

NOW = span(60 * 365)


@pytest.fixture(autouse=True)
def _nothing_is_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "_are_many", lambda space, count: False)


def assert_explained_as_a_whole(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(folding, "about", lambda space, name: None)
        whole = stored.memory(space, "", NOW)
    for name in Fact.objects.filter(space=space).values_list("name", flat=True):
        assert_same(explanation(stored.memory(space, name, NOW), name), explanation(whole, name))


def assert_same(one: Any, whole: Any, where: str = "") -> None:
    """All the same, floats to 1e-9."""
    if isinstance(whole, dict):
        assert one.keys() == whole.keys(), where
        for key, value in whole.items():
            assert_same(one[key], value, f"{where}.{key}")
    elif isinstance(whole, list):
        assert len(one) == len(whole), where
        for place, value in enumerate(whole):
            assert_same(one[place], value, f"{where}[{place}]")
    else:
        assert one == (pytest.approx(whole, rel=0, abs=1e-9) if isinstance(whole, float) else whole), where


@pytest.mark.parametrize("name", SCENARIOS)
def test_facts_of_a_scenario(name: str, monkeypatch: pytest.MonkeyPatch):
    raw = (VECTORS / "scenarios" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    assert_explained_as_a_whole(taken(spaces.create(name), raw, NOW), monkeypatch)


@pytest.mark.parametrize("seed", range(6))
def test_facts_of_a_random_history(seed: int, monkeypatch: pytest.MonkeyPatch):
    space = taken(spaces.create("random"), history(seed), NOW)
    assert_explained_as_a_whole(space, monkeypatch)
    facts_of_it = list(Fact.objects.filter(space=space, state=0).values_list("name", flat=True))[:3]
    acts = [facts.forget(space, name, by="ana", now=NOW) for name in facts_of_it]
    consolidation.consolidate(space, by="ana", now=NOW + 10)
    undo.undo(space, acts[0], by="ana", now=NOW + 20)
    for name in Fact.objects.filter(space=space, state=0).values_list("name", flat=True):
        facts.accept(space, name, by="ana", now=NOW + 20)  # which the next pass weighs
    consolidation._begin(space, NOW + span(40), NOW + span(40))
    assert passes.under_way(space)
    assert_explained_as_a_whole(space, monkeypatch)


def test_what_an_undone_import_told_of_a_fact(monkeypatch: pytest.MonkeyPatch):
    space = space_of(fact("a"), edge("new", "updates", "a"), event("restated", "a", 2), fact("c"))
    more = as_file([fact("new", 3), fact("b", 3), edge("b", "contradicts", "a", 4), event("restated", "c", 4)])
    brought = imports.import_lines(space, more, file="more", by="ana", now=NOW).imported
    assert_explained_as_a_whole(space, monkeypatch)
    undo.undo(space, brought, by="ana", now=NOW + 10)
    assert_explained_as_a_whole(space, monkeypatch)
