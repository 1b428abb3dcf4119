"""Lists of facts: filtered and sorted as asked, in pages that follow one on the other, each along an index."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from django.db import connection, transaction

from tests.bench import spaces
from trustmem.core.bands import band
from trustmem.core.constants import Constants
from trustmem.core.vocabulary import BANDS, FLAGS, LIVE, RELATIONS, SCOPES, STATES, TIERS
from trustmem.store import lists
from trustmem.store.lists import Cursor, Filter, Row, Sort
from trustmem.store.models import ConstantsVersion, Edge, Fact, Mention, Score, Space

N = 3000
_SAID = ("text", "subject", "predicate", "object")

pytestmark = pytest.mark.django_db
SOURCE, ENTITY = "agent-1", "topic 3"


@pytest.fixture(scope="module")
def space(django_db_setup: None, django_db_blocker: Any) -> Iterator[Space]:
    """Some thousand facts, of which a planner has taken note; and another space beside it."""
    with django_db_blocker.unblock(), transaction.atomic():
        spaces.build("other", 500, touches=1, seed=1)
        made = spaces.build("diary", N, touches=1)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        yield made
        transaction.set_rollback(True)


def everything(space: Space, filter: Filter, sort: Sort, *, replaced: bool = True) -> list[tuple[float, int]]:
    """The whole list, worked out from all rows in the plainest way; with heads that `replaced` what says some words."""
    telling = {
        pk
        for pk, *said in Fact.objects.filter(space=space).values_list("pk", *_SAID)
        if filter.text is None or says(filter.text, " ".join(said))
    }
    if replaced:
        telling |= heads_of(space, telling)
    mentioned = set(Mention.objects.filter(space=space, entity=filter.entity).values_list("fact", flat=True))
    names = (
        "pk",
        "source",
        "state",
        "tier",
        "scope",
        "at",
        "derived",
        "score__trust",
        "score__band",
        "score__flags",
    )
    rows = []
    for pk, source, state, tier, scope, at, derived, trust, its_band, flags in Fact.objects.filter(
        space=space
    ).values_list(*names):
        holds = (
            filter.band in (None, BANDS[its_band]),
            filter.flag is None or flags >> FLAGS.index(filter.flag) & 1,
            filter.tier in (None, TIERS[tier]),
            filter.scope in (None, SCOPES[scope]),
            filter.state in (None, STATES[state]),
            filter.source in (None, source),
            filter.entity is None or pk in mentioned,
            pk in telling,
        )
        if all(holds):
            rows.append(({"trust": trust, "age": at, "weight": derived}[sort.by], pk))
    return sorted(rows, reverse=not sort.ascending)


def heads_of(space: Space, facts: set[int]) -> set[int]:
    """The facts above which nothing stands, of the chains in which these are."""
    live = Edge.objects.filter(space=space, live=True, relation=RELATIONS.index("updates"))
    above: dict[int, set[int]] = {}
    for newer, older in live.values_list("newer_id", "older_id"):
        above.setdefault(older, set()).add(newer)
    reached, ahead = set[int](), set(facts)
    while ahead:
        reached |= ahead
        ahead = {newer for fact in ahead for newer in above.get(fact, ())} - reached
    return reached - above.keys()


def says(query: str, text: str) -> bool:
    *whole, begun = query.split()
    return {*whole} <= {*text.split()} and any(word.startswith(begun) for word in text.split())


def through(space: Space, filter: Filter, sort: Sort, size: int) -> list[Row]:
    """The rows of all pages, one after the other."""
    rows, after = [], None
    while True:
        page = lists.page(space, filter, sort, after, size)
        rows += page.rows
        if page.next is None:
            return rows
        assert len(page.rows) == size
        after = Cursor.of(str(page.next))


FILTERS = [
    Filter(),
    Filter(state=None),
    Filter(state="pruned"),
    Filter(band="moderate"),
    Filter(band="very low"),
    Filter(band="very high", state=None),
    Filter(flag="uncertain"),
    Filter(flag="superseded", state=None),
    Filter(tier="human"),
    Filter(scope="global"),
    Filter(source=SOURCE),
    Filter(source=SOURCE, state=None),
    Filter(entity=ENTITY),
    Filter(entity=ENTITY, state=None),
    Filter(entity=ENTITY, state="pruned", source=SOURCE),
    Filter(entity="thing 2", band="high", flag="superseded"),
    Filter(text="w7"),
    Filter(text="w0 w1", state=None),
    Filter(text="topic w2", source=SOURCE, scope="global"),
    Filter(band="high", flag="settled", tier="auto", scope="global", source="agent-0", entity="topic 0", text="w"),
    Filter(source="nobody"),
]


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("by", ["trust", "age", "weight"])
@pytest.mark.parametrize("filter", FILTERS, ids=str)
def test_the_pages_one_after_the_other_are_the_whole_list(
    space: Space, filter: Filter, by: lists.By, ascending: bool
) -> None:
    sort = Sort(by, ascending)
    whole = everything(space, filter, sort)
    assert [row.pk for row in through(space, filter, sort, 450)] == [fact for _, fact in whole]


@pytest.mark.parametrize("filter", FILTERS, ids=str)
def test_it_counts_what_it_lists_up_to_a_cap(space: Space, filter: Filter) -> None:
    n = len(everything(space, filter, Sort()))
    assert lists.count(space, filter, N) == (n, False)
    assert lists.count(space, filter, 10) == (min(n, 10), n > 10)


def test_a_count_at_the_cap_has_no_more(space: Space) -> None:
    n = len(everything(space, Filter(source=SOURCE), Sort()))
    assert lists.count(space, Filter(source=SOURCE), n) == (n, False)
    assert lists.count(space, Filter(source=SOURCE), n - 1) == (n - 1, True)


def test_the_filters_tell_facts_apart(space: Space) -> None:
    counts = [lists.count(space, filter, N)[0] for filter in FILTERS]
    assert len(set(counts)) > len(FILTERS) * 3 / 4


def test_a_word_said_by_many_facts_gives_the_same_list(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trustmem.store.full_text._FEW", 3)
    for filter in (Filter(text="w0"), Filter(text="w1 w2", state=None), Filter(text="w0", entity=ENTITY)):
        whole = everything(space, filter, Sort(), replaced=False)
        assert len(whole) > 3
        assert [row.pk for row in through(space, filter, Sort(), 450)] == [fact for _, fact in whole]


@pytest.mark.parametrize("by", ["trust", "age", "weight"])
def test_pages_lead_back_the_way_they_came(space: Space, by: lists.By) -> None:
    first = lists.page(space, Filter(), Sort(by), None, 20)
    second = lists.page(space, Filter(), Sort(by), first.next, 20)
    third = lists.page(space, Filter(), Sort(by), second.next, 20)
    assert first.previous is None
    again = lists.page(space, Filter(), Sort(by), third.previous, 20)
    assert (again.rows, again.next, again.previous) == second
    beginning = lists.page(space, Filter(), Sort(by), again.previous, 20)
    assert (beginning.rows, beginning.next, beginning.previous) == first


def test_the_last_page_has_no_next_and_an_empty_list_neither(space: Space) -> None:
    n = lists.count(space, Filter(source=SOURCE), N)[0]
    only = lists.page(space, Filter(source=SOURCE), Sort(), None, n)
    assert (len(only.rows), only.next, only.previous) == (n, None, None)
    assert lists.page(space, Filter(source="nobody"), Sort()) == ([], None, None)


def test_equal_values_are_told_apart_by_key(space: Space) -> None:
    Score.objects.filter(space=space).update(trust=0.5)
    Fact.objects.filter(space=space).update(at=7, derived=0.5)
    for by in ("trust", "age", "weight"):
        rows = through(space, Filter(state=None), Sort(by), 500)
        assert [row.pk for row in rows] == sorted((row.pk for row in rows), reverse=True)
        assert len({row.pk for row in rows}) == N


def test_rows_that_come_go_and_move_between_pages_neither_repeat_nor_hide_the_others(space: Space) -> None:
    before = [row.pk for row in through(space, Filter(), Sort(), 500)]
    chance = np.random.default_rng(3)
    moved, seen, after = set(), [], None
    while True:
        page = lists.page(space, Filter(), Sort(), after, 100)
        seen += [row.pk for row in page.rows]
        if page.next is None:
            break
        after = page.next
        some = chance.choice(before, 30, replace=False).tolist()
        moved |= set(some)
        Score.objects.filter(fact__in=some[:20]).update(trust=chance.random())
        Score.objects.filter(fact__in=some[20:]).delete()
    still = [fact for fact in seen if fact not in moved]
    assert still == [fact for fact in before if fact not in moved]
    assert len(still) > 100


@pytest.mark.parametrize("ascending", [False, True])
def test_a_page_whose_rows_have_gone_leads_back_to_the_others(space: Space, ascending: bool) -> None:
    filter, sort = Filter(), Sort("trust", ascending)
    first = lists.page(space, filter, sort, None, 40)
    rest = Score.objects.filter(space=space).exclude(fact__in=[row.pk for row in first.rows])
    with transaction.atomic():
        rest.delete()
        there = lists.page(space, filter, sort, first.next, 40)
        assert there.rows == [] and there.next is None
        assert lists.page(space, filter, sort, there.previous, 40).rows == first.rows
        Score.objects.filter(space=space).delete()
        assert lists.page(space, filter, sort, first.next, 40) == ([], None, None)
        transaction.set_rollback(True)


@pytest.mark.parametrize("ascending", [False, True])
def test_nor_does_one_before_whose_rows_have_gone_end_there(space: Space, ascending: bool) -> None:
    filter, sort = Filter(), Sort("trust", ascending)
    first = lists.page(space, filter, sort, None, 40)
    second = lists.page(space, filter, sort, first.next, 40)
    with transaction.atomic():
        Score.objects.filter(fact__in=[row.pk for row in first.rows]).delete()
        there = lists.page(space, filter, sort, second.previous, 40)
        assert there.rows == [] and there.previous is None
        assert lists.page(space, filter, sort, there.next, 40).rows == second.rows
        transaction.set_rollback(True)


@pytest.mark.parametrize("name", ["\0", "a\ud800"])
@pytest.mark.parametrize("column", ["source", "entity"])
def test_a_name_that_no_database_can_hold_is_refused(column: str, name: str) -> None:
    with pytest.raises(ValueError, match="no name has such a character"):
        Filter(**{column: name})  # type: ignore[arg-type]


def test_a_band_is_that_of_the_constants_in_force(space: Space) -> None:
    edges = [0.1, 0.5, 0.55, 0.9]
    ConstantsVersion.objects.create(space=space, name="v2", number=2, values={"band_edges": edges}, since=0)
    trust = np.array(Score.objects.filter(space=space, state=LIVE).values_list("trust", flat=True))
    now = np.bincount(band(trust, Constants(band_edges=tuple(edges))), minlength=5)  # type: ignore[arg-type]
    assert [lists.count(space, Filter(band=word), N)[0] for word in BANDS] == now.tolist()


def test_a_score_on_an_edge_belongs_to_the_upper_band(space: Space) -> None:
    fact = lists.page(space, Filter(), Sort(), None, 1).rows[0].pk
    Score.objects.filter(fact=fact).update(trust=0.6)
    for sort in (Sort(), Sort(ascending=True), Sort("age")):
        assert fact in {row.pk for row in through(space, Filter(band="high"), sort, 450)}
        assert fact not in {row.pk for row in through(space, Filter(band="moderate"), sort, 450)}


def test_a_cursor_from_elsewhere_does_not_lead_out_of_the_band(space: Space) -> None:
    for ascending in (True, False):
        for value in (-1.0, 0.0, 0.4, 0.5, 0.6, 1.0, 2.0):
            page = lists.page(space, Filter(band="moderate"), Sort("trust", ascending), Cursor("trust", value, 1))
            assert {row.band for row in page.rows} <= {BANDS.index("moderate")}


def test_a_row_carries_what_a_list_shows(space: Space) -> None:
    row = lists.page(space, Filter(flag="disputed"), Sort()).rows[0]
    fact = Fact.objects.select_related("score").get(pk=row.pk)
    assert (row.name, row.text, row.subject, row.at, row.trust) == (
        fact.name,
        fact.text,
        fact.subject,
        fact.at,
        fact.score.trust,
    )
    assert (row.band, row.flags, row.scored_at) == (fact.score.band, fact.score.flags, spaces.NOW)


def test_a_fact_without_a_score_is_listed_by_age_all_the_same(space: Space) -> None:
    newest = lists.page(space, Filter(), Sort("age")).rows[0]
    Score.objects.filter(fact=newest.pk).delete()
    row = lists.page(space, Filter(), Sort("age")).rows[0]
    assert (row.pk, row.trust, row.band, row.flags) == (newest.pk, None, None, None)


def test_a_page_takes_as_many_queries_for_many_rows_as_for_few(space: Space) -> None:
    few, many = (asked(lambda size=size: lists.page(space, Filter(), Sort(), None, size)) for size in (10, 500))
    assert len(few) == len(many) == 2


CURSORS = [Cursor("trust", 0.1 + 0.2, 7), Cursor("age", -(2**63), 2**62, True), Cursor("weight", 1.0, 1)]


@pytest.mark.parametrize("cursor", CURSORS, ids=str)
def test_a_cursor_goes_through_an_address_unchanged(cursor: Cursor) -> None:
    assert re.fullmatch(r"[\w-]+", str(cursor))
    assert Cursor.of(str(cursor)) == cursor


@pytest.mark.parametrize(
    "text",
    ["", "x", "é", "🎉", "null", "bnVsbA", "W10", "[]", str(CURSORS[0])[:-3], str(CURSORS[0]) + "A", "A" * 100_000]
    + [str(Cursor(*each)) for each in [("trust", 1, 7), ("age", 0.5, 7), ("age", 1, 7.5), ("depth", 1.0, 7)]]
    + [str(Cursor("trust", 0.5, 2**63)), str(Cursor("age", 2**64, 1)), str(Cursor("age", True, 1))]
    + [str(Cursor("trust", float("nan"), 1)), str(Cursor("trust", float("inf"), 1))],
)
def test_nonsense_is_no_place_in_a_list(text: str) -> None:
    with pytest.raises(ValueError, match=r"^this is no place in a list$"):
        Cursor.of(text)


def test_a_place_in_a_list_by_age_is_none_in_one_by_trust(space: Space) -> None:
    with pytest.raises(ValueError, match="a list by age, not by trust"):
        lists.page(space, Filter(), Sort(), Cursor("age", 5, 1))


@pytest.mark.parametrize(
    "words", [{"band": "fine"}, {"flag": "old"}, {"tier": "god"}, {"scope": ""}, {"state": "dead"}]
)
def test_a_filter_of_an_unknown_word_is_refused(words: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="is none of"):
        Filter(**words)


#: Each with the index that is to give it in order.
NAMED = {
    "live by trust": (Filter(), Sort("trust"), "facts_by_trust"),
    "a band by trust": (Filter(band="moderate"), Sort("trust"), "facts_by_trust"),
    "a flag by trust": (Filter(flag="superseded"), Sort("trust"), "facts_superseded_by_trust"),
    "newest first": (Filter(), Sort("age"), "facts_by_age"),
    "of a source by age": (Filter(source=SOURCE), Sort("age"), "facts_of_a_source_by_age"),
    "of an entity by age": (Filter(entity=ENTITY), Sort("age"), "facts_of_an_entity_by_age"),
}
OTHERS = {
    # Many weigh the same, and PostgreSQL may then as well go by the key.
    "by weight": (Filter(), Sort("weight"), "(facts_by_weight|store_fact_pkey)"),
    "any state by trust": (Filter(state=None), Sort("trust"), "facts_by_trust"),
    "any state by age": (Filter(state=None), Sort("age"), "facts_by_age"),
    **{f"{flag} by trust": (Filter(flag=flag), Sort(), f"facts_{flag.replace('-', '_')}_by_trust") for flag in FLAGS},
}


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("name", [*NAMED, *OTHERS])
def test_an_index_gives_the_rows_in_order(space: Space, name: str, deep: bool, ascending: bool) -> None:
    filter, sort, index = {**NAMED, **OTHERS}[name]
    sort = Sort(sort.by, ascending)
    after = None
    if deep:
        places = everything(space, filter, sort)
        if not places:  # not every flag stands here
            return
        after = Cursor(sort.by, *places[len(places) // 2])
    queries = asked(lambda: lists.page(space, filter, sort, after))
    if name in OTHERS and connection.vendor == "postgresql":  # which would rather sort where there are a few rows only
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off")
    plans = [explained(query) for query in queries if "ORDER BY" in query[0] and "LIMIT" in query[0]]
    for place, plan in enumerate(plans):
        # Among equals the index by trust alone is bounded by the value, too, and PostgreSQL may take it as well.
        either = f"({index}|facts_by_trust)" if deep and place == 0 else index
        assert re.search(rf"\b{either}\b", plan), plan
        assert "B-TREE" not in plan and "Sort" not in plan, plan
    if deep:
        assert re.search(_AMONG_EQUALS[connection.vendor], plans[0]), plans
        # Where equal values fill the page, that is all.
        assert all(re.search(_BEYOND[connection.vendor], plan) for plan in plans[1:2]), plans


#: The index is entered at the very place and not walked to it: by key among equal values, and then by value.
_AMONG_EQUALS = {"sqlite": r"=\? AND (rowid|fact_id)[<>]\?", "postgresql": r"Index Cond:.*\b(id|fact_id) [<>] "}
_BEYOND = {"sqlite": r"(trust|at|derived)[<>]\?", "postgresql": r"Index Cond:.*\b(trust|at|derived) [<>] "}


def test_no_page_asks_for_an_offset_or_counts_without_a_cap(space: Space) -> None:
    for filter, sort, _ in {**NAMED, **OTHERS}.values():
        queries = asked(lambda: (lists.page(space, filter, sort), lists.count(space, filter)))  # noqa: B023
        for sql, _ in queries:
            assert "OFFSET" not in sql.upper()
            assert "COUNT(" not in sql.upper() or "LIMIT 1001" in sql


def asked(run: Any) -> list[tuple[str, Any]]:
    """The queries that it sends, each with its parameters."""
    queries: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        queries.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        run()
    return queries


def explained(query: tuple[str, Any]) -> str:
    """How the database goes about a query."""
    how = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN (COSTS OFF)"
    with connection.cursor() as cursor:
        cursor.execute(f"{how} {query[0]}", query[1])
        return "\n".join(str(row[-1]) for row in cursor.fetchall())
