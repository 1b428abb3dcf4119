"""What changed about a fact since somebody looked: what was said, ruled or undone, and what an undo brings back."""

import pytest

from tests.actions.test_verdicts import facts_of
from tests.actions.world import space_of
from tests.makers import day, edge
from trustmem.actions import acts, edges, facts, since, statements, undo
from trustmem.store.models import Space

pytestmark = pytest.mark.django_db

WHO = {"by": "ana", "now": day(101)}


@pytest.fixture
def space() -> Space:
    return space_of(*facts_of("a", "b", "c"), edge("b", "contradicts", "a", 6, by="bot-b", id="b-a"))


def changed(space: Space, seen: int) -> list[str]:
    return sorted(since.changes(space, ["a", "b", "c"], seen))


def test_what_was_said_changes_both_ends_of_an_edge_and_use_changes_nothing(space):
    seen = space.head_position
    acts.write(space, [{"type": "event", "kind": "recalled", "fact": "a", "source": "x"}], now=day(101))
    assert changed(space, seen) == []
    edges.assert_edge(space, "c", "updates", "a", **WHO)
    assert changed(space, seen) == ["a", "c"]
    assert changed(space, space.head_position) == []


def test_a_ruling_changes_both_ends_of_what_it_is_about(space):
    seen = space.head_position
    statements.rule(space, "b-a", "dismissed", **WHO)
    assert changed(space, seen) == ["a", "b"]


def test_an_undo_changes_what_the_act_was_about_and_so_does_its_own_undo(space):
    act = facts.accept(space, "a", **WHO)
    seen = space.head_position
    again = undo.undo(space, act, **WHO)
    assert changed(space, seen) == ["a"]
    seen = space.head_position
    undo.undo(space, again, **WHO)
    assert changed(space, seen) == ["a"]


def test_a_ruling_that_is_undone_changes_what_it_was_about(space):
    act = statements.rule(space, "b-a", "dismissed", **WHO)
    seen = space.head_position
    undo.undo(space, act, **WHO)
    assert changed(space, seen) == ["a", "b"]
