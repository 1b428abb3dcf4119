"""A person asserts edges between facts, takes them back, and rules on what others said against a fact."""

from itertools import pairwise

import pytest

from tests.actions.world import LATER, signed, space_of
from tests.makers import edge, event, fact, feedback
from trustmem.actions import edges, facts, statements, undo
from trustmem.actions.errors import Refusal
from trustmem.core.vocabulary import FORGOTTEN, LIVE, RELATIONS
from trustmem.store import chain
from trustmem.store.models import Edge, Fact, Line, Space, Statement

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    return space_of(*map(fact, "abcd"))


def live(space: Space) -> set[tuple[str, str, str]]:
    rows = Edge.objects.filter(space=space, live=True).values_list("newer__name", "relation", "older__name")
    return {(newer, RELATIONS[relation], older) for newer, relation, older in rows}


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_person_asserts_an_edge_and_takes_it_back(space, relation):
    act = edges.assert_edge(space, "a", relation, "b", by="ana", now=LATER, reason="So it is.")
    assert live(space) == {("a", relation, "b")}
    assert Statement.objects.get(space=space).source == "ana"
    edges.withdraw_edge(space, "a", relation, "b", by="ben", now=LATER + 1)
    assert live(space) == set()
    assert Line.objects.filter(space=space, act=act).count() == 1
    assert chain.verify(space) == []


def test_a_contradiction_is_taken_back_from_either_side(space):
    edges.assert_edge(space, "a", "contradicts", "b", by="ana", now=LATER)
    edges.withdraw_edge(space, "b", "contradicts", "a", by="ana", now=LATER + 1)
    assert live(space) == set()


@pytest.mark.parametrize(
    ("newer", "relation", "older", "reason"),
    [
        ("a", "updates", "x", 'the space "diary" has no fact "x"'),
        ("x", "extends", "a", 'the space "diary" has no fact "x"'),
        ("a", "contradicts", "a", "a fact cannot contradict itself"),
        ("a", "follows", "b", '"follows" is no relation; it is one of updates, extends, derives, contradicts'),
    ],
)
def test_an_edge_that_cannot_be_is_refused(space, newer, relation, older, reason):
    with pytest.raises(Refusal, match=f"^{reason}$"):
        edges.assert_edge(space, newer, relation, older, by="ana", now=LATER)


def test_an_edge_to_an_erased_fact_is_refused():
    space = space_of(fact("a"), fact("b"), event("erased", "b"))
    with pytest.raises(Refusal, match=r'^the fact "b" is erased$'):
        edges.assert_edge(space, "a", "extends", "b", by="ana", now=LATER)


def test_an_edge_that_would_close_a_circle_is_refused_and_the_circle_named(space):
    for newer, older in ("ab", "bc", "cd", "ad"):
        edges.assert_edge(space, newer, "updates", older, by="ana", now=LATER)
    with pytest.raises(Refusal, match=r'^it would close a circle: "d" updates "a" updates "d"$'):
        edges.assert_edge(space, "d", "updates", "a", by="ana", now=LATER)
    with pytest.raises(Refusal, match=r'^it would close a circle: "c" updates "a" updates "b" updates "c"$'):
        edges.assert_edge(space, "c", "updates", "a", by="ana", now=LATER)
    assert len(live(space)) == 4


def test_only_live_updates_make_a_circle(space):
    edges.assert_edge(space, "a", "updates", "b", by="ana", now=LATER)
    edges.assert_edge(space, "b", "extends", "a", by="ana", now=LATER)
    edges.withdraw_edge(space, "a", "updates", "b", by="ana", now=LATER + 1)
    edges.assert_edge(space, "b", "updates", "a", by="ana", now=LATER + 2)
    assert live(space) == {("b", "extends", "a"), ("b", "updates", "a")}


def test_what_nobody_asserts_cannot_be_taken_back(space):
    edges.assert_edge(space, "a", "updates", "b", by="ana", now=LATER)
    with pytest.raises(Refusal, match=r'^"b" updates "a": nobody says so, or it was taken back already$'):
        edges.withdraw_edge(space, "b", "updates", "a", by="ana", now=LATER + 1)
    edges.withdraw_edge(space, "a", "updates", "b", by="ana", now=LATER + 1)
    with pytest.raises(Refusal, match="nobody says so, or it was taken back already"):
        edges.withdraw_edge(space, "a", "updates", "b", by="ana", now=LATER + 2)


def test_a_signed_edge_is_not_taken_back_by_a_word_and_stays(space):
    signed(space, edge("a", "updates", "b"))
    with pytest.raises(Refusal, match=r'^"a" updates "b" would stand all the same: it is signed, or asserted later'):
        edges.withdraw_edge(space, "a", "updates", "b", by="ana", now=LATER)
    assert live(space) == {("a", "updates", "b")}


def test_an_edge_that_is_taken_back_at_a_later_time_is_refused(space):
    edges.assert_edge(space, "a", "updates", "b", by="ana", now=LATER)
    edges.withdraw_edge(space, "a", "updates", "b", by="ana", now=LATER + 9)
    with pytest.raises(Refusal, match=r'^"a" updates "b" was taken back as of .* or later, and that stands$'):
        edges.assert_edge(space, "a", "updates", "b", by="ana", now=LATER + 8)


@pytest.mark.parametrize(("relation", "newer", "older"), [("updates", "a", "motto"), ("contradicts", "motto", "a")])
def test_against_a_signed_fact_an_edge_comes_with_its_ruling(space, relation, newer, older):
    signed(space, fact("motto"))
    act = edges.assert_edge(space, newer, relation, older, by="ana", now=LATER)
    assert [line.tag for line in Line.objects.filter(space=space, act=act).order_by("position")] == [
        f"edge.{relation}",
        "event.upheld",
    ]
    assert len(live(space)) == 1
    undo.undo(space, act, by="ana", now=LATER + 1)
    assert live(space) == set()


def test_from_a_signed_fact_no_ruling_is_needed(space):
    signed(space, fact("motto"))
    act = edges.assert_edge(space, "motto", "updates", "a", by="ana", now=LATER)
    assert Line.objects.filter(space=space, act=act).count() == 1


def test_a_ruling_decides_whether_a_statement_counts():
    space = space_of(fact("tea", tier="human"), event("forgotten", "tea", id="why"))
    tea = Fact.objects.filter(space=space, name="tea")
    assert (tea.get().state, tea.get().challenged) == (LIVE, True)
    statements.rule(space, "why", "upheld", by="ana", now=LATER)
    assert (tea.get().state, tea.get().challenged) == (FORGOTTEN, False)
    statements.rule(space, "why", "dismissed", by="ben", now=LATER + 1, reason="It was a joke.")
    assert tea.get().state == LIVE
    assert Statement.objects.get(space=space).ruling == -1


def test_every_harmful_statement_can_be_ruled_on_and_nothing_else():
    harmful = [
        event("contradicted", "a", id="e1"),
        event("forgotten", "a", id="e2"),
        feedback("corrected", "a", id="e3"),
        edge("a", "updates", "b", id="e4"),
        edge("b", "contradicts", "a", id="e5"),
    ]
    others = [
        event("restated", "a", id="o1"),
        feedback("helpful", "a", id="o2"),
        edge("a", "extends", "b", id="o3"),
        edge("a", "updates", "b", on=2, removed=True, id="o4"),
    ]
    space = space_of(fact("a"), fact("b"), *harmful, *others)
    for each in harmful:
        statements.rule(space, each.id, "dismissed", by="ana", now=LATER)
    assert Statement.objects.filter(space=space, ruling=-1).count() == len(harmful)
    for each in [*others, fact("a")]:
        with pytest.raises(
            Refusal, match=f'^"{each.id}" harms no fact, and only a statement that does can be ruled on$'
        ):
            statements.rule(space, each.id, "upheld", by="ana", now=LATER)
    with pytest.raises(Refusal, match=r'^the space "diary" has no statement "e9"$'):
        statements.rule(space, "e9", "upheld", by="ana", now=LATER)


def test_a_ruling_that_stands_or_would_not_count_is_refused():
    space = space_of(fact("a"), event("contradicted", "a", id="no", act="A"))
    statements.rule(space, "no", "dismissed", by="ana", now=LATER)
    with pytest.raises(Refusal, match=r'^the statement "no" is dismissed already$'):
        statements.rule(space, "no", "dismissed", by="ben", now=LATER + 1)
    with pytest.raises(Refusal, match=r'^the ruling on the statement "no" is dated later than .*, and stands$'):
        statements.rule(space, "no", "upheld", by="ben", now=LATER - 1)
    undo.undo(space, "A", by="ana", now=LATER + 2)
    with pytest.raises(
        Refusal, match=r'^the statement "no" does not count: it was undone, or waits for what it names$'
    ):
        statements.rule(space, "no", "upheld", by="ana", now=LATER + 3)


def test_what_was_superseded_by_a_forgotten_fact_stands_again(space):
    edges.assert_edge(space, "a", "updates", "b", by="ana", now=LATER)
    facts.forget(space, "a", by="ana", now=LATER + 1)
    assert Fact.objects.get(space=space, name="b").depth == 0


@pytest.mark.parametrize("steps", [0, 2, 64])
def test_a_circle_is_found_however_far_round_it_goes(steps, monkeypatch):
    monkeypatch.setattr(edges, "_STEPS", steps)
    ring = [f"f{number}" for number in range(6)]
    chain = [edge(newer, "updates", older, 2) for older, newer in pairwise(ring)]
    space = space_of(*(fact(name) for name in ring), *chain, edge("f3", "updates", "f0", 2))
    with pytest.raises(Refusal, match=r'"f0" updates "f5" updates "f4" updates "f3" updates "f0"$'):
        edges.assert_edge(space, "f0", "updates", "f5", by="ana", now=LATER)
    edges.assert_edge(space, "f5", "updates", "f1", by="ana", now=LATER)
