"""Chains: claims from head to tail, the list of all chains, and what is found by what it replaced."""

import random
from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.actions.test_random_histories import history as told
from tests.actions.test_random_histories import space_of as made_up
from tests.actions.world import as_file, space_of, taken
from tests.makers import day, edge, event, fact
from trustmem.core.vocabulary import RELATIONS
from trustmem.store import chain_lists, chains, lists
from trustmem.store.chain_lists import Filter
from trustmem.store.chains import Member, Said, Step
from trustmem.store.models import Edge, Fact, Line, Space

pytestmark = pytest.mark.django_db


def names(space: Space, pks) -> set[str]:
    return set(Fact.objects.filter(space=space, pk__in=pks).values_list("name", flat=True))


def through(space: Space, filter: Filter = Filter(), size: int = 2) -> list[set[str]]:  # noqa: B008
    """The claims of the chains of all pages; on the way each page before is gone back to."""
    found, place, before = [], None, []
    while True:
        page = chain_lists.page(space, filter, place, size)
        if page.previous is not None:
            assert chain_lists.page(space, filter, page.previous, size, back=True).chains == before
        found += [names(space, each.facts) for each in page.chains]
        if page.next is None:
            return found
        place, before = page.next, page.chains


def updates(*ends: str) -> list:
    """Facts by their letters, and that each of two letters updates the second by the first."""
    facts = sorted({letter for each in ends for letter in each})
    return [*(fact(each) for each in facts), *(edge(newer, "updates", older, on) for on, (newer, older) in enumerate(ends, 1))]  # fmt: skip  # noqa: E501


def test_every_claim_stands_after_all_that_stand_above_it_and_the_newest_first_where_that_leaves_a_choice():
    space = space_of(*updates("ba", "ca", "db", "ec"))
    whole = chains.whole(space, "a")
    order = list(whole.members)
    assert all(order.index(step.newer) < order.index(step.older) for step in whole.steps)
    assert sorted(whole.heads) == ["d", "e"]


def test_a_random_web_without_circles_is_put_in_order():
    chance = random.Random(7)
    members = [Member(f"f{number}", chance.randint(0, 9), True, 0) for number in range(60)]
    steps = [
        Step(members[newer].name, members[older].name, Said(1, 1, "ana"), "live")
        for newer, older in (sorted(chance.sample(range(60), 2)) for _ in range(90))
    ]
    order = list(chains.head_to_tail(members, steps))
    assert sorted(order) == sorted(each.name for each in members)
    assert all(order.index(step.newer) < order.index(step.older) for step in steps)


def test_where_nothing_connects_them_the_newest_stands_first():
    members = [Member(name, at, True, 0) for name, at in (("a", 1), ("b", 3), ("c", 2))]
    assert [*chains.head_to_tail(members, [])] == ["b", "c", "a"]


def test_a_circle_counts_for_nothing_and_is_told():
    space = space_of(*updates("ba", "cb", "ac", "dc"))
    whole = chains.whole(space, "a")
    assert {step.holds for step in whole.steps if step.newer != "d"} == {"circular"}
    assert sorted(whole.circular) == ["a", "b", "c"]
    assert sorted(whole.heads) == ["a", "b", "d"]


def test_who_took_the_place_of_a_claim_first_is_told_and_what_was_taken_back_or_dismissed_is_not():
    space = space_of(
        *updates("ba"),
        edge("b", "updates", "a", 5, by="crm"),
        fact("c"), edge("c", "updates", "a", 2, id="c1"), event("dismissed", of="c1", on=3),
        fact("d"), edge("d", "updates", "a", 2), edge("d", "updates", "a", 4, removed=True),
    )  # fmt: skip
    whole = chains.whole(space, "a")
    assert [(step.newer, step.older, step.said.at, step.said.by) for step in whole.steps] == [
        ("b", "a", day(1), "unknown")
    ]
    assert [*whole.members] == ["b", "a"]


def test_a_claim_that_is_forgotten_stays_in_sight_and_frees_what_it_replaced():
    space = space_of(*updates("ba", "cb"), event("forgotten", "b", 9, source="ana", tier="human"))
    whole = chains.whole(space, "c")
    assert [*whole.members] == ["c", "b", "a"]
    assert {step.holds for step in whole.steps} == {"ended"}
    assert [(name, said.at, said.by) for name, said in whole.gone.items()] == [("b", day(9), "ana")]
    assert whole.heads == ["c", "a"]


def test_a_fact_that_stands_alone_is_a_chain_of_one_and_one_that_is_not_is_none():
    space = space_of(fact("a"))
    assert [*chains.whole(space, "a").members] == ["a"]
    assert chains.whole(space, "b") is None


# The list.


def plain(space: Space) -> list[set[str]]:
    """All chains, worked out in the plainest way: what changed last first."""
    edges = Edge.objects.filter(space=space, relation=RELATIONS.index("updates"))
    ends = [(newer, older) for newer, older, *holds in edges.values_list("newer__name", "older__name", "live", "on_cycle") if any(holds)]  # fmt: skip  # noqa: E501
    groups: list[set[str]] = []
    for newer, older in ends:
        joined = [each for each in groups if each & {newer, older}]
        groups = [each for each in groups if each not in joined] + [{newer, older}.union(*joined)]
    changed = {(newer, older): chains.whole(space, newer).steps for newer, older in ends}
    last = {}
    for (newer, older), steps in changed.items():
        (step,) = [each for each in steps if (each.newer, each.older) == (newer, older)]
        last[newer] = max(last.get(newer, 0), step.said.position)
    return sorted(groups, key=lambda group: -max(last.get(each, 0) for each in group))


@pytest.mark.parametrize("seed", range(20))
def test_each_chain_of_a_made_up_history_stands_in_the_list_once_where_it_changed_last(seed):
    with made_up(told(seed)) as space:
        for size in (1, 3, 50):
            assert through(space, size=size) == plain(space)


def test_what_changed_last_stands_first_and_what_is_said_again_is_no_change():
    space = space_of(*updates("ba", "dc", "ef"), edge("b", "updates", "a", 9))
    assert through(space) == [{"e", "f"}, {"c", "d"}, {"a", "b"}]
    taken(space, as_file([fact("g"), edge("g", "updates", "d", 12)]))
    assert through(space)[0] == {"c", "d", "g"}


def test_it_is_the_same_however_few_lines_are_looked_at_in_one_go(monkeypatch):
    long = [f"{newer}{older}" for older, newer in pairwise("abcdefghij")]
    space = space_of(*updates("zy", *long, "xw", "vu"))
    right = through(space)
    assert right == [{"u", "v"}, {"w", "x"}, {*"abcdefghij"}, {"y", "z"}]
    monkeypatch.setattr(chain_lists, "_FIRST", 1)
    monkeypatch.setattr(chain_lists, "_MOST", 2)
    assert through(space) == right


def test_both_heads_of_a_fork_stand_in_one_row_and_a_circle_has_none():
    space = space_of(*updates("ed", "fd", "ba", "cb", "ac"))
    fork, circle = sorted(chain_lists.page(space, Filter()).chains, key=lambda chain: not chain.heads)
    assert (names(space, fork.heads), names(space, fork.circular)) == ({"e", "f"}, set())
    assert (circle.heads, names(space, circle.circular)) == ([], {"a", "b", "c"})


def test_a_chain_is_found_by_the_words_and_the_source_of_any_of_its_claims(monkeypatch):
    space = space_of(
        fact("tea", source="ana"), fact("milk", source="ben"), fact("cups", source="ben"), fact("pots", source="ben"),
        edge("milk", "updates", "tea", 1), edge("pots", "updates", "cups", 2),
    )  # fmt: skip

    def found() -> list[list[set[str]]]:
        asked = [Filter(text="tea"), Filter(source="ana"), Filter(source="ben"), Filter("ben", "tea"), Filter(text="!")]
        return [through(space, each, 1) for each in asked]

    right = [[{"tea", "milk"}], [{"tea", "milk"}], [{"pots", "cups"}, {"tea", "milk"}], [], []]
    assert found() == right
    monkeypatch.setattr(chain_lists, "_FEW", 0)
    assert found() == right
    (chain,) = chain_lists.page(space, Filter(text="tea")).chains
    assert names(space, chain.found) == {"tea"}


def test_it_asks_as_often_for_20_chains_as_for_10():
    asked = []
    for many in (10, 20):
        ends = [edge(f"b{each}", "updates", f"a{each}") for each in range(many)]
        space = space_of(*(fact(f"{letter}{each}") for letter in "ab" for each in range(many)), *ends, name=f"of{many}")
        with CaptureQueriesContext(connection) as queries:
            assert len(chain_lists.page(space, Filter()).chains) == many
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_no_line_is_read_that_is_no_update():
    space = space_of(*updates("ba"), *(event("recalled", "a", run=f"r{each}") for each in range(30)))
    with CaptureQueriesContext(connection) as queries:
        chain_lists.page(space, Filter())
    assert Line.objects.filter(space=space).count() > 30
    assert len(queries) < 8


# What is found by what it replaced.


def test_053_a_search_for_old_words_finds_what_holds_now_beside_what_says_them():
    space = space_of(*updates("ba", "cb", "ed"))
    found = lists.page(space, lists.Filter(text="what a"), lists.Sort("age")).rows
    assert {row.name for row in found} == {"c", "a"}
    (head,) = [row.pk for row in found if row.name == "c"]
    replaced = chains.replaced(space, "what a", [row.pk for row in found])
    assert {key: names(space, [value]) for key, value in replaced.items()} == {head: {"a"}}


def test_what_is_forgotten_leads_to_nothing():
    space = space_of(*updates("ba"), event("forgotten", "a", 9, tier="human"))
    assert lists.page(space, lists.Filter(text="what a"), lists.Sort()).rows == []
