"""Clusters of facts that say the same: what holds them together and what does not, in which order they come, page by
page, and with how few questions."""

from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.actions.world import space_of
from tests.makers import day, edge, event, fact
from tests.store.restated import pairs
from trustmem.actions import duplicates as deciding
from trustmem.actions import facts, refresh
from trustmem.core.contradictions import CONTRADICTION
from trustmem.core.lines import Line
from trustmem.store import duplicates
from trustmem.store.duplicates import PART, Cluster
from trustmem.store.models import Fact, Pair, Space

pytestmark = pytest.mark.django_db


def named(space: Space, cluster: Cluster | None) -> list[str]:
    names = dict(Fact.objects.filter(space=space).values_list("pk", "name"))
    return [names[key] for key in cluster.keys] if cluster else []


def clusters(space: Space) -> list[list[str]]:
    return [named(space, each) for each in duplicates.page(space).clusters]


def key(space: Space, name: str) -> int:
    return Fact.objects.get(space=space, name=name).pk


def chain_of(count: int, *more: Line, name: str = "f") -> Space:
    names = [f"{name}{place:04}" for place in range(count)]
    space = space_of(*(fact(each, place / 1000) for place, each in enumerate(names)), *more)
    pairs(space, *pairwise(names))
    return space


def test_facts_hang_together_by_way_of_others_and_the_largest_clusters_come_first():
    space = space_of(*(fact(name, place) for place, name in enumerate("abcdefgh")))
    pairs(space, ("a", "b"), ("c", "d"), ("d", "e"), ("g", "h"), overlap=0.7)
    assert [set(each) for each in clusters(space)] == [{"c", "d", "e"}, {"g", "h"}, {"a", "b"}]
    found = duplicates.page(space)
    assert (found.many, found.facts, found.next, found.is_capped) == (3, 7, None, False)
    assert [each.detectors for each in found.clusters] == [("1",)] * 3


def test_the_highest_tier_is_kept_then_the_most_trusted_then_the_oldest():
    space = space_of(
        fact("a", 5),
        fact("b", 5),
        fact("well-said", 5),
        event("corroborated", "well-said", 6, source="x"),
        fact("vouched", 9, tier="human"),
    )
    pairs(space, ("a", "b"))
    assert clusters(space) == [["a", "b"]]
    pairs(space, ("a", "well-said"))
    assert clusters(space) == [["well-said", "a", "b"]]
    pairs(space, ("b", "vouched"))
    assert clusters(space) == [["vouched", "a", "b", "well-said"]]


def test_what_is_not_live_and_what_an_edge_tells_apart_holds_nothing_together():
    space = space_of(
        *(fact(name, place) for place, name in enumerate("abcdefg")),
        edge("b", "contradicts", "a", 8),
        edge("d", "updates", "c", 8),
        event("forgotten", "e", 8),
    )
    pairs(space, ("a", "b"), ("c", "d"), ("e", "f"))
    pairs(space, ("f", "g"), finding=CONTRADICTION, rule="word")
    assert clusters(space) == []
    pairs(space, ("b", "c"))
    assert [set(each) for each in clusters(space)] == [{"b", "c"}]


def test_what_was_merged_counts_as_what_it_was_merged_into():
    space = chain_of(6)
    deciding.merge(space, "f0000", ["f0001", "f0002"], by="ana", now=day(101))
    assert set(clusters(space)[0]) == {"f0000", "f0003", "f0004", "f0005"}
    deciding.merge(space, "f0003", ["f0000"], by="ana", now=day(102))
    assert set(clusters(space)[0]) == {"f0003", "f0004", "f0005"}
    deciding.apart(space, ["f0003", "f0004"], by="ana", now=day(103))
    assert [set(each) for each in clusters(space)] == [{"f0004", "f0005"}]
    facts.restore(space, "f0000", by="ana", now=day(104))
    assert [set(each) for each in clusters(space)] == [{"f0000", "f0003"}, {"f0004", "f0005"}]


def test_of_a_large_cluster_a_part_is_shown_with_the_one_that_is_kept():
    space = chain_of(1000, event("corroborated", "f0700", 50, source="x"))
    (cluster,) = duplicates.page(space).clusters
    names = named(space, cluster)
    assert (cluster.place.size, len(names)) == (1000, PART)
    assert names == ["f0700", *(f"f{place:04}" for place in range(PART - 1))]
    assert named(space, duplicates.about(space, key(space, "f0990")))[-1] == "f0990"
    assert len(duplicates.about(space, key(space, "f0990"), 1000).keys) == 1000


def test_a_fact_without_duplicates_is_in_no_cluster():
    space = space_of(fact("a"), fact("b", 1))
    assert duplicates.about(space, key(space, "a")) is None
    assert duplicates.page(space) == duplicates.Page([], None, 0, 0, False)


def test_pages_go_through_all_clusters_once_be_it_that_some_are_decided_meanwhile():
    space = space_of(*(fact(f"f{place:03}", place) for place in range(120)))
    pairs(space, *((f"f{place:03}", f"f{place + 1:03}") for place in range(0, 120, 2)))
    refresh.refresh(space, now=day(121))
    seen, after = list[int](), None
    while True:
        page = duplicates.page(space, after, 7)
        assert page.many == 60 - min(len(seen) // 7, 1)
        seen += [each.place.key for each in page.clusters]
        if page.next is None:
            break
        if after is None:
            pair = named(space, page.clusters[0])
            deciding.merge(space, pair[0], pair[1:], by="ana", now=day(122))
        after = page.next
    assert len(seen) == len(set(seen)) == 60


def test_a_page_ends_where_it_has_facts_enough(monkeypatch):
    monkeypatch.setattr(duplicates, "ROWS", 5)
    space = space_of(*(fact(name, place) for place, name in enumerate("abcdefghi")))
    pairs(space, ("a", "b"), ("b", "c"), ("d", "e"), ("e", "f"), ("g", "h"), ("h", "i"))
    first = duplicates.page(space)
    assert (len(first.clusters), first.many) == (1, 3)
    second = duplicates.page(space, first.next)
    assert len(second.clusters) == 1 and second.next


def test_of_more_pairs_than_are_looked_at_the_first_are_and_that_is_said(monkeypatch):
    space = chain_of(6)
    monkeypatch.setattr(duplicates, "MOST_PAIRS", 3)
    page = duplicates.page(space)
    assert page.is_capped and page.facts == 4


def test_it_takes_as_few_questions_for_many_as_for_few():
    counts = []
    for size in (4, 2000):
        space = chain_of(size, name=f"n{size}-") if size == 4 else Space.objects.get(pk=other_of(size).pk)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            duplicates.page(space)
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 7


def other_of(size: int) -> Space:
    names = [f"f{place:04}" for place in range(size)]
    space = space_of(*(fact(each, place / 1000) for place, each in enumerate(names)), name="other")
    pairs(space, *zip(names[::2], names[1::2], strict=True))
    return space


def test_what_was_found_among_some_facts():
    space = chain_of(3)
    found = duplicates.between(space, [key(space, "f0000"), key(space, "f0001")])
    assert found == [duplicates.Found("", "1", 0.9)]
    assert Pair.objects.filter(space=space).count() == 2
