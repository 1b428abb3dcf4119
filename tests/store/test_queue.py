"""The queue: in the order of consequence, a page at a time, whatever comes and goes; counted as it is listed."""

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.store.queues import queued
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.store import cases, queue
from trustmem.store.cases import CHALLENGE, CONTRADICTION, MANY
from trustmem.store.models import Case, CaseGroup, Closing, Handout, Queued, SetAside, Space
from trustmem.store.queue import Filter, Place

pytestmark = pytest.mark.django_db

NOW = 100 * MICROSECONDS_PER_DAY


@pytest.fixture
def space() -> Space:
    return Space.objects.create(name="diary", digest_key="0f" * 32)


def listed(space: Space, filter: Filter | None = None, size: int = 20) -> list[str]:
    """The names on all pages."""
    found, after = list[str](), None
    while True:
        page = queue.page(space, filter or Filter(), after, size)
        found += [row.case.name for row in page.rows]
        if page.next is None:
            return found
        after = Place.of(str(page.next))


def settled(space: Space, *names: str) -> None:
    """As if somebody had decided them."""
    cases.leave_queue(space, list(Case.objects.filter(space=space, name__in=names).values_list("pk", flat=True)))


def test_the_most_consequential_comes_first_and_of_equals_the_newest(space):
    low, high, same, again = queued(space, [1.0, 9.0, 5.0, 5.0])
    assert listed(space) == [high, again, same, low]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_pages_of_any_size_have_each_case_once(space, size):
    chance = random.Random(size)
    names = queued(space, [chance.choice([0.25, 1.0, 3.5]) for _ in range(23)])
    assert sorted(listed(space, size=size)) == sorted(names)


def test_081_walking_it_while_6_of_each_page_are_decided_has_each_of_100_once(space):
    chance = random.Random(81)
    names, seen, after = queued(space, [chance.choice([1.0, 2.0, 3.0]) for _ in range(100)]), list[str](), None
    while True:
        page = queue.page(space, Filter(), after, 20)
        shown = [row.case.name for row in page.rows]
        seen += shown
        settled(space, *chance.sample(shown, 6))
        if page.next is None:
            break
        after = page.next
    assert len(seen) == 100
    assert sorted(seen) == sorted(names)


def test_what_many_of_a_kind_one_source_brought_is_one_group_and_stands_behind_all_others(space):
    own = queued(space, [0.5, 0.25])
    flood = queued(space, [9.0] * (MANY + 1), source="bot")
    few = queued(space, [3.0] * MANY, source="crm")
    assert listed(space) == [*few[::-1], *own]
    assert [(each.kind, each.source, each.many) for each in queue.groups(space, Filter())] == [
        (CONTRADICTION, "bot", (MANY + 1, False))
    ]
    assert listed(space, Filter(CONTRADICTION, "bot")) == flood[::-1]
    assert queue.groups(space, Filter(CONTRADICTION, "bot")) == []
    assert queue.groups(space, Filter(CHALLENGE)) == []


def test_a_group_that_shrinks_is_shown_one_by_one_again(space):
    flood = queued(space, [9.0] * (MANY + 1), source="bot")
    settled(space, flood[0])
    assert sorted(listed(space)) == sorted(flood[1:])
    assert queue.groups(space, Filter()) == []


@pytest.fixture
def mixed(space: Space) -> Space:
    """Cases of two kinds by several sources, some of them many alike; and then more of each."""
    for _ in range(2):
        queued(space, [1.0, 2.0, 3.0])
        queued(space, [4.0] * (MANY + 2), source="bot")
        queued(space, [5.0] * 2, source="crm")
        queued(space, [6.0] * 3, kind=CHALLENGE, source="bot")
        queued(space, [7.0], kind=CHALLENGE)
    return space


FILTERS = [
    Filter(kind, source, upto)
    for kind in (None, CONTRADICTION, CHALLENGE, "orphan", "")
    for source in (None, "bot", "crm", "nobody")
    for upto in (None, 0, 5, 16, 21, 31, 10**6)
]


def all_of(space: Space, filter: Filter) -> set[str]:
    """What a filter asks for, case by case."""
    return {
        row.case.name
        for row in Queued.objects.filter(space=space).select_related("case")
        if filter.kind in (None, row.kind)
        and filter.source in (None, row.source)
        and (filter.upto is None or row.position <= filter.upto)
    }


@pytest.mark.parametrize("few", [queue.CAP_OF_A_FACET, 3], ids=["few came since", "many came since"])
def test_what_is_counted_is_what_is_listed(mixed, few, monkeypatch):
    monkeypatch.setattr(queue, "CAP_OF_A_FACET", few)
    for filter in FILTERS:
        right = all_of(mixed, filter)
        groups = queue.groups(mixed, filter)
        of_groups = [listed(mixed, Filter(each.kind, each.source, filter.upto), 5) for each in groups]
        shown = [*listed(mixed, filter, 5), *(name for names in of_groups for name in names)]
        assert (filter, sorted(shown)) == (filter, sorted(right))
        for group, names in zip(groups, of_groups, strict=True):
            assert is_right(group.many, len(names), few)
        assert is_right(queue.count(mixed, filter), len(right), few)
        named = Case.objects.filter(pk__in=queue.keys(mixed, filter)).values_list("name", flat=True)
        assert (filter, {*named}) == (filter, right)


def is_right(counted: tuple[int, bool], right: int, few: int) -> bool:
    """Exact, or so far as is counted."""
    many, is_more = counted
    return few <= many < right if is_more else many == right


def test_facets_count_what_each_of_them_would_list(mixed):
    for filter in FILTERS:
        kinds, sources = queue.kinds(mixed, filter), queue.sources(mixed, filter)
        for kind in (*cases.KINDS, ""):
            right = len(all_of(mixed, Filter(kind, filter.source, filter.upto)))
            assert (filter, kinds.get(kind, (0, False))) == (filter, (right, False))
        for source in ("bot", "crm"):
            right = len(all_of(mixed, Filter(filter.kind, source, filter.upto)))
            assert (filter, sources.get(source, (0, False))) == (filter, (right, False))


def test_counts_stop_where_they_are_far_enough(space):
    queued(space, [1.0] * 7)
    queued(space, [1.0] * 7, source="bot")
    assert queue.count(space, Filter(), 10) == (10, True)
    assert queue.count(space, Filter(source="bot"), 5) == (5, True)
    assert queue.count(space, Filter(upto=14), 10) == (10, True)
    assert queue.count(space, Filter(upto=9), 10) == (9, False)
    assert (queue.in_all(space, 14, NOW), queue.in_all(space, 13, NOW)) == ((14, False), (13, True))


def test_what_came_since_somebody_began_is_not_on_their_pages_and_is_counted(space):
    old, later = queued(space, [1.0, 2.0]), queued(space, [3.0], kind=CHALLENGE)
    assert listed(space, Filter(upto=2)) == old[::-1]
    assert queue.new_since(space, 2) == (1, False)
    assert queue.new_since(space, 2, Filter(CONTRADICTION, upto=2)) == (0, False)
    assert listed(space, Filter(upto=3)) == [*later, *old[::-1]]


def test_the_next_is_in_nobody_else_s_hand_and_not_put_aside(space):
    first, second, third = queued(space, [3.0, 2.0, 1.0])

    def following(by: str) -> str:
        return queue.following(space, Filter(), by=by, now=NOW).case.name

    assert following("ana") == first
    Handout.objects.create(space=space, case=first, by="ben", until=NOW + 1)
    assert (following("ana"), following("ben")) == (second, first)
    SetAside.objects.create(space=space, case=second, by="", who="ben", at=NOW, until=NOW + 1)
    assert following("ana") == third
    SetAside.objects.create(space=space, case=third, by="ana", who="ana", at=NOW, until=NOW + 1)
    assert following("ana") == third  # there is nothing else
    assert queue.following(space, Filter(), by="ana", now=NOW + 1).case.name == first


def test_of_what_somebody_skipped_the_first_comes_first(space):
    names = queued(space, [3.0, 2.0, 1.0])
    for minutes, name in enumerate((names[1], names[2], names[0])):
        SetAside.objects.create(space=space, case=name, by="ana", who="ana", at=minutes, until=NOW + 1)
    assert queue.following(space, Filter(), by="ana", now=NOW).case.name == names[1]
    assert queue.following(space, Filter(), by="ben", now=NOW).case.name == names[0]


def test_of_a_group_the_next_comes_after_all_others(space):
    flood = queued(space, [9.0] * (MANY + 1), source="bot")
    (own,) = queued(space, [0.5])
    assert queue.following(space, Filter(), by="ana", now=NOW).case.name == own
    settled(space, own)
    assert queue.following(space, Filter(), by="ana", now=NOW).case.name == flood[-1]


def test_the_flow_tells_of_the_last_day(space):
    queued(space, [1.0] * 3, at=NOW - 3 * MICROSECONDS_PER_DAY)
    queued(space, [1.0] * 2, at=NOW - 1)
    for number, (by, at) in enumerate([("ana", NOW - 1), ("ben", NOW - 2), ("ana", NOW - 2 * MICROSECONDS_PER_DAY)]):
        Closing.objects.create(space=space, name=f"c{number}", position=number, of=f"case {number}", by=by, at=at)
    found = queue.flow(space, NOW)
    assert (found.opened, found.closed) == ((2, False), (2, False))
    assert found.oldest == NOW - 3 * MICROSECONDS_PER_DAY
    assert queue.closed_since(space, NOW - 1, "ana") == (1, False)
    assert queue.closed_since(space, 0) == (3, False)


def test_a_space_knows_whether_it_ever_had_a_case(space):
    assert not queue.has_had(space)
    (name,) = queued(space, [1.0])
    settled(space, name)
    assert queue.has_had(space)


@pytest.mark.parametrize("text", ["", "?", "WzEuMCwgMV0", "W251bGwsIDFd", "e30", "WzFlOTk5LDFd", "é"])
def test_what_is_no_place_in_the_queue_is_refused(text):
    if text == "WzEuMCwgMV0":
        assert Place.of(text) == Place(1.0, 1)
    else:
        with pytest.raises(ValueError, match="no place"):
            Place.of(text)


def test_what_no_filter_can_mean_is_refused():
    with pytest.raises(ValueError, match='"quarrel" is no kind of case'):
        Filter("quarrel")
    for source in ("a\0b", "\ud800"):
        with pytest.raises(ValueError, match="character"):
            Filter(source=source)


def test_it_asks_as_much_for_5000_cases_as_for_1000(space):
    asked = []
    for more in (1000, 4000):
        queued(space, [float(number % 7) for number in range(more)])
        queued(space, [1.0] * (more // 10), source=f"bot {more}")
        then = Queued.objects.latest("position").position - 50
        with CaptureQueriesContext(connection) as queries:
            for filter in (Filter(), Filter(CONTRADICTION), Filter(source="bot 1000"), Filter(upto=then)):
                page = queue.page(space, filter)
                queue.page(space, filter, page.next)
                for count in (queue.count, queue.groups, queue.kinds, queue.sources):
                    count(space, filter)
            queue.flow(space, NOW)
            queue.following(space, Filter(), by="ana", now=NOW)
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_no_page_and_no_hand_out_sorts_or_walks_the_queue(space):
    """On SQLite, which says how it would go about it."""
    queued(space, [1.0] * 50)
    queued(space, [1.0] * 50, source="bot")
    filters = [Filter(), Filter(CONTRADICTION), Filter(source="bot"), Filter(CONTRADICTION, "bot")]
    with CaptureQueriesContext(connection) as asked:
        for filter in (*filters, *(each.upto_at_most(90) for each in filters)):
            queue.page(space, filter, Place(1.0, 60))
            queue.following(space, filter, by="ana", now=NOW)
    plans = [_plan(each["sql"]) for each in asked if "ORDER BY" in each["sql"] and "store_queued" in each["sql"]]
    assert len(plans) > 16
    assert [plan for plan in plans if "TEMP B-TREE" in plan or "SCAN" in plan] == []


def test_a_few_of_a_kind_are_found_without_those_of_other_kinds_that_their_source_brought(space):
    """On SQLite, which says how it would go about it."""
    queued(space, [1.0] * 50, source="bot")
    queued(space, [1.0], source="bot", kind=CHALLENGE)
    with CaptureQueriesContext(connection) as asked:
        queue.page(space, Filter(CHALLENGE, "bot"))
    plans = [_plan(each["sql"]) for each in asked if "ORDER BY" in each["sql"] and "store_queued" in each["sql"]]
    assert connection.vendor != "sqlite" or ["kind=? AND source=?" in plan for plan in plans] == [True], plans


def _plan(sql: str) -> str:
    if connection.vendor != "sqlite":
        return ""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}".replace("%", "%%"))
        return "; ".join(row[3] for row in cursor.fetchall())


def test_groups_are_counted_as_cases_come_and_go(space):
    names = queued(space, [1.0] * 3, source="bot")
    settled(space, *names[:2])
    assert CaseGroup.objects.get(space=space).count == 1
    settled(space, names[2])
    assert not CaseGroup.objects.exists()
