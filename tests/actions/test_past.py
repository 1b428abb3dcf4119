"""The past: facts as of an instant are what everything that had come by then comes to, undone since or not."""

import json
from dataclasses import fields

import numpy as np
import pytest

from tests.actions.test_random_histories import history as told
from tests.actions.test_random_histories import space_of as made_up
from tests.actions.world import LATER, as_file, space_of, taken
from tests.makers import constants, daily, day, edge, event, fact
from trustmem.actions import facts, past, past_chains, spaces
from trustmem.core.fold import fold
from trustmem.core.instants import to_text
from trustmem.core.lines import Fact
from trustmem.core.scores import Scores, score
from trustmem.core.vocabulary import STATES
from trustmem.store import chain_lists, chains, queries
from trustmem.store.history import history
from trustmem.store.lists import Filter
from trustmem.store.models import Space

pytestmark = pytest.mark.django_db


def row(scores: Scores, name: str) -> dict[str, object]:
    """All that is scored of a fact."""
    place = scores.ids.index(name)
    return {each.name: np.asarray(getattr(scores, each.name))[place] for each in fields(scores)}


def same(one: Scores, other: Scores, name: str) -> bool:
    return all(np.array_equal(each, row(other, name)[column], equal_nan=each.dtype.kind == "f")
               for column, each in row(one, name).items())  # fmt: skip


def everything(space: Space, instant: int) -> Scores:
    """The whole space, of all lines that had arrived and all passes that were taken by an instant."""
    return score(whole(space, instant).folded.stored, instant)


def whole(space: Space, instant: int) -> past.Past:
    all_of_it = history(space)
    lines = [line for line in all_of_it.lines if line.arrived <= instant]
    passes = [each for each in all_of_it.passes if each.at <= instant]
    return past.Past(fold(lines, passes), passes, [], all_of_it.positions, set())


def then(space: Space, name: str, instant: int) -> Scores:
    return score(past.about(space, [name], instant).folded.stored, instant)


@pytest.mark.parametrize("seed", range(8))
def test_at_every_instant_each_fact_is_what_all_that_had_come_by_then_comes_to(seed):
    with made_up(told(seed)) as space:
        for instant in (day(-1), day(2.6), day(6), day(13.2), day(60)):
            right = everything(space, instant)
            names = {*right.ids, *(line.id for line in history(space).lines if line.id.startswith("f"))}
            for name in names:
                found = then(space, name, instant)
                assert (name in found.ids) == (name in right.ids)
                assert name not in right.ids or same(found, right, name), (instant, name)


def pages(space: Space, filter: Filter, instant: int, size: int) -> list[list[str]]:
    """All pages of the list as of an instant, and on the way each page before again."""
    found, after = [], None
    while True:
        page = past.listed(space, filter, instant, after, size)
        if page.previous:
            assert past.listed(space, filter, instant, page.previous, size).names == found[-1]
        found.append(page.names)
        if page.next is None:
            return found
        after = page.next


@pytest.mark.parametrize("seed", range(12))
def test_the_list_as_of_an_instant_is_all_that_had_come_by_then_the_newest_first(seed):
    with made_up(told(seed)) as space:
        born = {line.id: line.at for line in history(space).lines if isinstance(line, Fact)}
        for instant in (day(-1), day(2.6), day(6), day(13.2), day(60)):
            right = everything(space, instant)
            names = [name for page in pages(space, Filter(state=None), instant, 3) for name in page]
            assert sorted(names) == right.ids
            assert [born[name] for name in names] == sorted((born[name] for name in names), reverse=True)
            together = score(past.about(space, names, instant).folded.stored, instant)
            assert all(same(together, right, name) for name in names)


def test_a_list_finds_what_was_undone_since_by_what_it_says_as_it_finds_the_rest():
    def said(id, **values):
        born = {"type": "fact", "id": id, "text": f"What {id} says.", "at": to_text(day(0)), "act": "A"}
        return json.dumps(born | values).encode()

    lines = [said("tea", source="ana", subject="Pot"), said("milk", source="ben", entities=["Pot"]), said("cups")]
    space = taken(spaces.create("diary"), [*lines, *as_file([event("undone", of="A", on=5)])])
    for filter, found in [
        (Filter(state=None), {"tea", "milk", "cups"}),
        (Filter(state=None, source="ana"), {"tea"}),
        (Filter(state=None, entity="Pot"), {"tea", "milk"}),
        (Filter(state=None, text="what mi"), {"milk"}),
        (Filter(state=None, text="!"), set()),
    ]:
        assert set(past.listed(space, filter, day(4)).names) == found
        assert past.listed(space, filter, day(5)).names == []


def test_what_is_undone_later_counts_and_what_is_brought_back_later_does_not():
    space = space_of(
        fact("tea", act="A"), fact("milk"), edge("milk", "updates", "tea", 2, act="B"), event("restated", "tea", 2),
        event("undone", of="B", on=4, act="U"), event("undone", of="U", on=6), event("undone", of="A", on=8),
    )  # fmt: skip
    depths = [row(then(space, "tea", day(on)), "tea")["depth"] for on in (1, 3, 5, 7)]
    assert depths == [0, 1, 0, 1]
    assert "tea" not in then(space, "tea", day(9)).ids


def test_a_ruling_counts_as_long_as_it_was_not_undone_and_where_what_it_ruled_on_is_undone_by_now():
    lines = [
        fact("tea"), fact("milk"), fact("cups"), fact("pots"),
        edge("milk", "contradicts", "tea", 2, id="e"), event("dismissed", of="e", on=4, act="A"),
        edge("cups", "contradicts", "pots", 2, id="f", act="B"), event("dismissed", of="f", on=4),
        event("undone", of="A", on=6), event("undone", of="B", on=6),
    ]  # fmt: skip
    space = space_of(*lines)
    said = {name: [row(then(space, name, day(on)), name)["s"] for on in (3, 5, 7)] for name in ("tea", "pots")}
    assert said == {"tea": [1, 0, 1], "pots": [1, 0, 0]}


def test_what_was_brought_back_later_is_on_no_list_as_of_before():
    undone = event("undone", of="A", on=2, act="U"), event("undone", of="U", on=4)
    space = space_of(fact("tea", act="A"), fact("milk", -1), *undone)
    filter = Filter(state=None)
    assert [pages(space, filter, day(on), 1) for on in (1, 3, 5)] == [
        [["tea"], ["milk"]],
        [["milk"]],
        [["tea"], ["milk"]],
    ]


def test_of_a_fact_at_the_other_end_of_an_edge_it_is_known_whether_it_was_forgotten():
    space = space_of(
        fact("tea", -1), fact("milk"), edge("milk", "derives", "tea"), fact("cups", act="A"),
        edge("cups", "extends", "tea"), event("forgotten", "cups", 3),
        event("forgotten", "milk", 3, id="e"), event("dismissed", of="e", on=5),
        event("undone", of="A", on=7),
    )  # fmt: skip
    for name, states in (("milk", ["live", "forgotten", "live"]), ("cups", ["live", "forgotten", "forgotten"])):
        found = [row(then(space, "tea", day(on)), name)["state"] for on in (2, 4, 6)]
        assert [STATES[int(each)] for each in found] == states


def test_constants_are_those_that_were_in_force():
    space = space_of(fact("tea"), constants({"base_rate": {"auto": 0.5, "human": 0.6, "signed": 0.7}}, 3))
    assert [row(then(space, "tea", day(on)), "tea")["base_rate"] for on in (2, 4)] == [0.6, 0.5]


def test_only_passes_that_were_taken_have_faded_it():
    space = space_of(fact("tea", prior=0.06), passes=daily(2, 9))
    states = [STATES[int(row(then(space, "tea", day(on)), "tea")["state"])] for on in (1, 2.1, 9.5)]
    assert states == ["live", "live", "pruned"]


def test_as_of_the_last_instant_it_is_what_is_stored():
    space = space_of(
        fact("tea"), fact("milk"), edge("milk", "contradicts", "tea"), event("restated", "tea", 5, source="crm"),
        passes=daily(2, 9),
    )  # fmt: skip
    facts.accept(space, "tea", by="ana", now=LATER + 1)
    now = score(queries.stored(space), LATER + 5)
    assert all(same(then(space, name, LATER + 5), now, name) for name in ("tea", "milk"))


def test_a_chain_is_as_it_was_then():
    space = space_of(
        fact("a"), fact("b", 5), fact("c", 9), edge("b", "updates", "a", 5), edge("c", "updates", "b", 9, id="e"),
        event("dismissed", of="e", on=12), event("forgotten", "b", 14, tier="human"),
    )  # fmt: skip
    found = {}
    for on in (2, 6, 10, 13, 15):
        whole = past.chain(past.about(space, ["a"], day(on)), "a")
        found[on] = [*whole.members], whole.heads, [*whole.gone]
    assert found == {
        2: (["a"], ["a"], []),
        6: (["b", "a"], ["b"], []),
        10: (["c", "b", "a"], ["c"], []),
        13: (["b", "a"], ["b"], []),
        15: (["b", "a"], ["a"], ["b"]),
    }
    assert past.chain(past.about(space, ["c"], day(2)), "c") is None
    now = past.chain(past.about(space, ["a"], LATER), "a")
    assert now == chains.whole(space, "a")


def all_chains(space: Space, instant: int) -> list[tuple[int, set[str]]]:
    """Where each chain stood in the list, and its claims, worked out from everything."""
    found = whole(space, instant)
    said, holds = past.said_in(found), past.holds_in(found)
    chains_of_rows = [
        chain_lists.chain(group, holds, {edge: said[edge] for edge in holds if edge in said})
        for group in chains.groups({end for edge in holds for end in edge}, holds)
        if len(group) > 1
    ]
    ids = found.folded.history.facts.ids
    return sorted(((each.position, {ids[row] for row in each.facts}) for each in chains_of_rows), reverse=True)


@pytest.mark.parametrize("seed", range(12))
def test_the_list_of_chains_as_of_an_instant_has_each_where_it_had_last_changed(seed, monkeypatch):
    monkeypatch.setattr(past_chains, "_FIRST", 3)
    with made_up(told(seed)) as space:
        for instant in (day(2.6), day(6), day(13.2), day(60)):
            found, place = [], None
            while True:
                page = past_chains.page(space, chain_lists.Filter(), instant, place, 1)
                if page.previous is not None:
                    before = past_chains.page(space, chain_lists.Filter(), instant, page.previous, 1, back=True)
                    assert before.chains == found[-1:]
                found += page.chains
                if page.next is None:
                    break
                place = page.next
            assert [(each.position, each.facts) for each in found] == all_chains(space, instant)
        now, last = (
            chain_lists.page(space, chain_lists.Filter()),
            past_chains.page(space, chain_lists.Filter(), day(500)),
        )
        assert [(each.position, len(each.facts)) for each in last.chains] == [
            (each.position, len(each.facts)) for each in now.chains
        ]


def test_a_list_of_chains_is_filtered_by_what_any_claim_says_then_too():
    space = space_of(
        fact("tea", source="ana"), fact("milk", source="ben"), edge("milk", "updates", "tea", 1),
        fact("cups", source="ben"), fact("pots", source="ben"), edge("pots", "updates", "cups", 2),
    )  # fmt: skip
    asked = [("ana", None), (None, "what t"), ("ben", "what c"), ("ana", "what c"), (None, "!")]
    pages = [past_chains.page(space, chain_lists.Filter(*each), day(9)) for each in asked]
    assert [[chain.found for chain in page.chains] for page in pages] == [[{"tea"}], [{"tea"}], [{"cups"}], [], []]
