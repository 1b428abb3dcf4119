"""The graph: what hangs together around a node, nearest first and no more than asked for, and a sample of a space."""

import json
from dataclasses import asdict

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.actions.world import space_of, taken
from tests.makers import day, edge, fact
from trustmem.actions import constants, facts, spaces
from trustmem.core.constants import Constants
from trustmem.core.contradictions import FINDINGS
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import FORGOTTEN, LIVE, PRUNED
from trustmem.store import graph
from trustmem.store.graph import CAP, around
from trustmem.store.models import Centrality, CoOccurrence, Fact, Mention, Pair, Place, Score, SemanticEdge, Space
from trustmem.store.ties import TIES, Filter, refuted, within

pytestmark = pytest.mark.django_db


def key(space: Space, name: str) -> int:
    return Fact.objects.get(space=space, name=name).pk


def pair(space: Space, older: str, newer: str, finding: str, rule: str = "word", overlap: float = 0.5) -> None:
    Pair.objects.create(
        space=space, older_id=key(space, older), newer_id=key(space, newer), finding=FINDINGS.index(finding), rule=rule,
        overlap=overlap, detector="1", at=0,
    )  # fmt: skip


def near(space: Space, older: str, newer: str, to_newer: float, to_older: float) -> None:
    ends = {"older_id": key(space, older), "newer_id": key(space, newer)}
    SemanticEdge.objects.create(space=space, **ends, to_newer=to_newer, to_older=to_older)


def mention(space: Space, entity: str, *facts: str) -> None:
    for each in facts:
        row = Fact.objects.get(space=space, name=each)
        Mention.objects.create(space=space, entity=entity, at=row.at, fact=row)


def together(space: Space, one: str, other: str, npmi: float = 0.5) -> None:
    CoOccurrence.objects.create(space=space, one=one, other=other, together=2, npmi=npmi)


def placed(space: Space) -> int:
    """Place what stands for a space, as the job of the graph does; how many nodes that are."""
    nodes = graph.sample(space)
    names = graph.names(space, [each for each in nodes if isinstance(each, int)])
    at = graph.placed(nodes, within(space, nodes, Filter(), refuted(space), 1000), is_centred=False)
    Place.objects.filter(space=space).delete()
    for node in nodes:
        is_entity = isinstance(node, str)
        Place.objects.create(
            space=space, is_entity=is_entity, name=node if is_entity else names[node], x=at[node][0], y=at[node][1]
        )
    return len(nodes)


def shown(space: Space, centre, filter: Filter = Filter(), *, depth: int = 1, most: int = 150, **given):  # noqa: B008
    """The graph around a fact or an entity (@…), with facts by their names."""
    node = centre[1:] if centre.startswith("@") else key(space, centre)
    found = around(space, node, filter, depth=depth, most=most, **given)
    names = graph.names(space, [each for each in found.nodes if isinstance(each, int)])
    nodes = {f"@{each}" if isinstance(each, str) else names[each]: hops for each, hops in found.nodes.items()}
    ends = {each: f"@{each}" if isinstance(each, str) else names[each] for each in found.nodes}
    ties = {(ends[tie.one], tie.name, ends[tie.other]): tie for tie in found.ties}
    return nodes, ties, {name: left.many for name, left in found.left_out.items()}


@pytest.fixture
def space() -> Space:
    """A fact with something of everything around it."""
    space = space_of(
        *(fact(each, on) for on, each in enumerate("abcdefghij")),
        edge("b", "updates", "a", 20), edge("c", "extends", "a", 20), edge("a", "derives", "d", 20),
        edge("a", "contradicts", "e", 20), edge("j", "updates", "b", 20),
    )  # fmt: skip
    pair(space, "a", "f", "contradiction")
    pair(space, "a", "g", "restatement")
    near(space, "a", "h", 0.9, 0.5)
    mention(space, "port", "a", "i")
    together(space, "port", "quay")
    return space


def test_all_that_is_tied_to_a_fact_is_around_it_with_what_each_tie_is(space):
    nodes, ties, left_out = shown(space, "a")
    assert nodes == {"a": 0} | dict.fromkeys([*"bcdefgh", "@port"], 1)
    assert list(ties) == [
        ("b", "updates", "a"), ("a", "contradicts", "e"), ("c", "extends", "a"), ("a", "derives", "d"),
        ("f", "candidate", "a"), ("g", "restatement", "a"), ("a", "mention", "@port"), ("h", "semantic", "a"),
    ]  # fmt: skip
    assert ties["h", "semantic", "a"].strength == pytest.approx(0.7)
    assert ties["f", "candidate", "a"].rule == "word"
    assert left_out == {}


def test_at_depth_2_there_is_what_is_tied_to_that(space):
    nodes, ties, _ = shown(space, "a", depth=2)
    assert {name for name, hops in nodes.items() if hops == 2} == {"i", "j", "@quay"}
    assert ("@port", "co-occurrence", "@quay") in ties
    assert ("j", "updates", "b") in ties


def test_around_an_entity_there_are_the_facts_that_mention_it_and_what_occurs_with_it(space):
    nodes, ties, _ = shown(space, "@port")
    assert nodes == {"@port": 0, "i": 1, "a": 1, "@quay": 1}
    assert set(ties) == {
        ("i", "mention", "@port"), ("a", "mention", "@port"), ("@port", "co-occurrence", "@quay"),
    }  # fmt: skip


@pytest.mark.parametrize("tie", TIES)
def test_only_ties_that_are_asked_for_are_followed_and_shown(space, tie):
    _, ties, _ = shown(space, "a", Filter(ties=frozenset((tie,))), depth=2)
    assert {name for _, name, _ in ties} == ({tie} if tie != "co-occurrence" else set())


def test_facts_of_other_states_and_bands_are_not_around_it_whatever_state_the_centre_is_in(space):
    facts.forget(space, "a", by="ana", now=0)
    mention(space, "port", "a")
    assert "a" not in shown(space, "@port", Filter(states=frozenset((LIVE, PRUNED))))[0]
    assert "a" in shown(space, "@port", Filter(states=frozenset((LIVE, FORGOTTEN))))[0]
    assert shown(space, "a", Filter(states=frozenset((PRUNED,))))[0] == {"a": 0, "@port": 1}
    Score.objects.filter(fact=key(space, "h")).update(trust=0.85)
    others = Score.objects.filter(space=space).exclude(fact=key(space, "h"))
    others.update(trust=0.3)
    assert [*shown(space, "a", Filter(bands=frozenset((4,))))[0]] == ["a", "@port", "h"]


def test_what_the_detector_found_is_a_candidate_by_the_constants_and_not_once_it_is_decided(space):
    assert "f" in shown(space, "a")[0]
    least = asdict(Constants().candidate_overlap) | {"word": 0.6}
    constants.adopt(space, {"candidate_overlap": least}, by="ana", now=0, reason="")
    assert "f" not in shown(space, "a")[0]
    pair(space, "a", "b", "update", "slot")
    ties = shown(space, "a")[1]
    assert ("b", "updates", "a") in ties
    assert ("b", "candidate", "a") not in ties


def test_withdrawn_and_dismissed_edges_are_gone_and_circles_are_shown_as_what_counts_for_nothing():
    space = space_of(
        *map(fact, "abc"), edge("a", "updates", "b"), edge("b", "updates", "a"),
        edge("c", "extends", "a", 1), edge("c", "extends", "a", 2, removed=True),
    )  # fmt: skip
    nodes, ties, _ = shown(space, "a")
    assert nodes == {"a": 0, "b": 1}
    assert {ends: tie.counts for ends, tie in ties.items()} == {
        ("a", "updates", "b"): False, ("b", "updates", "a"): False,
    }  # fmt: skip


def test_a_fact_alone_is_a_graph_of_one():
    assert shown(space_of(fact("a")), "a", depth=2) == ({"a": 0}, {}, {})


def test_no_name_of_a_tie_crowds_the_others_out_and_what_is_left_out_is_counted(space):
    mention(space, "port", *"bcdefgh")
    for number in range(30):
        together(space, f"n{number:02}" if f"n{number:02}" < "port" else "x", "port", number / 100)
    nodes, _, left_out = shown(space, "@port", most=7)
    assert [*nodes] == ["@port", "i", "@quay", "h", "@n29", "g", "@n28"]
    assert left_out == {"mention": 9 - 3, "co-occurrence": 31 - 3}


def test_what_is_left_out_stands_on_the_pages_after_each_node_on_one(space):
    for number in range(25):
        together(space, f"n{number:02}", "port", (number % 5) / 10)
    only, met = Filter(ties=frozenset(("co-occurrence",))), []
    for skip in (0, 10, 20):
        nodes, _, left_out = shown(space, "@port", only, most=11, skip=skip)
        met += [*nodes][1:]
        assert left_out.get("co-occurrence", 0) == 26 - len(met)
    assert len(met) == len(set(met)) == 26


def saying(**texts: str) -> Space:
    """A space of facts that tell nothing beside their texts."""
    lines = [{"type": "fact", "id": name, "text": text, "at": to_text(day(1))} for name, text in texts.items()]
    return taken(spaces.create("texts"), [json.dumps(each).encode() for each in lines])


def test_an_entity_that_texts_alone_name_is_tied_to_their_facts():
    space = saying(a="Ana runs Redis 7 in Porto.", b="We moved to Redis.", c="Credistan is far.", d="redis is a word.")
    for name in ("Redis", "Porto"):
        Centrality.objects.create(space=space, entity=name, rank=0.5, facts=2)
    assert shown(space, "@Redis")[0] == {"@Redis": 0, "b": 1, "a": 1}
    nodes, ties, left_out = shown(space, "a")
    assert nodes == {"a": 0, "@Porto": 1, "@Redis": 1}
    assert set(ties) == {("a", "mention", "@Redis"), ("a", "mention", "@Porto")}
    assert left_out == {}
    facts.forget(space, "b", by="ana", now=0)
    assert shown(space, "@Redis", Filter(states=frozenset((LIVE,))))[0] == {"@Redis": 0, "a": 1}


def test_what_a_fact_tells_and_its_text_names_is_one_tie(space):
    alone = saying(a="Ana is at Quay 9.")
    mention(alone, "Quay 9", "a")
    Centrality.objects.create(space=alone, entity="Quay 9", rank=0.5, facts=1)
    for centre in ("a", "@Quay 9"):
        nodes, ties, left_out = shown(alone, centre)
        assert (len(nodes), len(ties), left_out) == (2, 1, {})


def test_entities_that_only_what_is_forgotten_mentions_are_not_told(space):
    together(space, "port", "secret")
    facts.forget(space, "c", by="ana", now=0)
    mention(space, "quay", "b")
    mention(space, "secret", "c")
    assert "@secret" in shown(space, "@port")[0]
    nodes = shown(space, "@port", told_by=(LIVE, PRUNED))[0]
    assert ("@quay" in nodes, "@secret" in nodes) == (True, False)


def hub(size: int) -> Space:
    """A space of so many facts, all of which mention an entity and lie near to one of them."""
    space = space_of(*(fact(f"f{number}") for number in range(size)), name=f"hub {size}")
    mention(space, "port", *(f"f{number}" for number in range(size)))
    for number in range(1, size):
        near(space, "f0", f"f{number}", number / size, 0.5)
    return space


def test_the_database_is_asked_as_often_for_many_nodes_as_for_few():
    asked = {}
    for size in (10, 60):
        space = hub(size)
        for centre in ("@port", "f0"):
            with CaptureQueriesContext(connection) as queries:
                nodes, _, _ = shown(space, centre, depth=2)
            asked[size, centre] = len(queries)
            assert len(nodes) == size + 1
    assert asked[10, "@port"] == asked[60, "@port"]
    assert asked[10, "f0"] == asked[60, "f0"]


def test_of_an_entity_that_ten_thousand_facts_mention_no_more_is_read_than_is_wanted():
    space = space_of(*(fact(f"f{number}") for number in range(40)))
    pks = list(Fact.objects.filter(space=space).values_list("pk", flat=True))
    Mention.objects.bulk_create(
        Mention(space=space, entity="port", at=number, fact_id=pks[number % 40]) for number in range(10_050)
    )
    read = []

    def watch(run, sql, parameters, many, context):
        read.append(sql)
        return run(sql, parameters, many, context)

    with connection.execute_wrapper(watch):
        nodes, _, left_out = shown(space, "@port", most=20)
    assert len(nodes) == 20
    assert left_out == {"mention": CAP - 19}
    assert all(" LIMIT " in sql for sql in read if "store_mention" in sql)


def test_the_sample_of_a_space_is_what_is_most_central_and_what_has_most_ties_in_turn(space):
    for name, rank in (("port", 0.7), ("quay", 0.2), ("mole", 0.1)):
        Centrality.objects.create(space=space, entity=name, rank=rank, facts=1)
    facts.forget(space, "b", by="ana", now=0)
    assert placed(space) == len(Place.objects.filter(space=space)) == 3 + 8
    order = list(Place.objects.filter(space=space).order_by("pk").values_list("is_entity", "name"))
    assert order[:3] == [(True, "port"), (False, "a"), (True, "quay")]
    assert [name for is_entity, name in order if is_entity] == ["port", "quay", "mole"]
    found = graph.overview(space, Filter(), most=4)
    assert found.of == 11
    assert len(found.places) == 4
    assert {tie.name for tie in found.ties} >= {"mention", "co-occurrence"}


def test_placing_anew_takes_the_place_of_what_was_placed_before(space):
    placed(space)
    before = list(Place.objects.filter(space=space).values_list("name", "x", "y"))
    placed(space)
    assert list(Place.objects.filter(space=space).values_list("name", "x", "y")) == before
    assert placed(space_of(name="empty")) == 0


def test_the_overview_shows_facts_as_they_stand_now_and_nothing_that_may_not_be_told(space):
    Centrality.objects.create(space=space, entity="port", rank=0.7, facts=1)
    placed(space)
    facts.forget(space, "a", by="ana", now=0)
    facts.forget(space, "i", by="ana", now=0)
    stands = Filter(states=frozenset((LIVE, PRUNED)))
    assert key(space, "a") not in graph.overview(space, stands, most=50).places
    assert "port" in graph.overview(space, stands, most=50).places
    assert "port" not in graph.overview(space, stands, most=50, told_by=(LIVE, PRUNED)).places
