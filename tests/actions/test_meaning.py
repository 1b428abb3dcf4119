"""Search by meaning: what is said in other forms of the words is found beside what says them, and nothing that has
nothing to do with it; soon after it came, and never once it is gone."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from django.db import connection

from tests.actions.test_detection import say
from tests.actions.world import space_of
from tests.makers import day
from trustmem.actions import acts, detection, embedders, erasing, facts, graph, spaces, undo
from trustmem.actions.search import search
from trustmem.core.embedding import Hashed
from trustmem.intake import answers, shapes
from trustmem.store import near, vectors
from trustmem.store.models import Fact, Space, Vector

ROOT = Path(__file__).parents[2]
NOW = day(100)
ENTER = {"by": "ana", "now": NOW}
SAID = {
    "ferry": "The ferry departs at six.",
    "harbour": "The harbour opens at seven.",
    "vault": "The vault is sealed at night.",
    "tea": "Ana prefers green tea.",
    "team": "The finance team moved to Porto.",
}

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_held() -> None:
    near._spaces.clear()


@pytest.fixture
def space() -> Space:
    """A space that knows some things, which the detector has seen."""
    space = spaces.create("diary")
    say(space, SAID, day(90))
    detection.detect(space, now=day(91))
    return space


def found(space: Space, query: str, **values: bool) -> dict[str, tuple[str, ...]]:
    """The hits in their order, and how each was found."""
    return {hit.fact.name: hit.found_by for hit in search(space, query, now=NOW, **values).hits}


def nearest(space: Space, query: str, limit: int = 50) -> dict[str, float]:
    """The facts of a space by how near they lie to a query, the nearest first."""
    names = dict(Fact.objects.filter(space=space).values_list("pk", "name"))
    (asked,) = Hashed().embed([query])
    return {names[pk]: cosine for pk, cosine in near.near(space, Hashed(), asked, limit)}


def test_other_forms_of_its_words_and_slips_of_the_pen_find_a_fact(space):
    for query in ("Ferries depart", "ferrys departing", "fery departz"):
        assert found(space, query)["ferry"] == ("meaning",)
    assert found(space, "harbor opening") == {"harbour": ("meaning",)}
    assert found(space, "sealed vaults") == {"vault": ("words", "meaning")}


def test_what_is_found_both_ways_comes_before_what_is_found_by_one(space):
    say(space, {"other": "Six of them prefer coffee."})
    ferry, other = search(space, "ferry departs six", now=NOW).hits[:2]
    assert [(hit.fact.name, hit.found_by) for hit in (ferry, other)] == [
        ("ferry", ("words", "meaning")),
        ("other", ("words",)),
    ]
    assert 0 < other.relevance < ferry.relevance <= 1


@pytest.mark.parametrize("query", ["zeppelin", "quantum chromodynamics", "Kubernetes", "?!", "", "\u3000", "🎉"])
def test_what_has_nothing_to_do_with_a_query_is_not_found_however_near_it_lies(space, query):
    assert found(space, query) == {}


def test_a_new_fact_is_found_by_meaning_once_the_detector_has_seen_it(space):
    say(space, {"fog": "Foghorns were sounded twice."}, day(92))
    assert found(space, "foghorn sounding") == {}
    detection.detect(space, now=day(93))
    assert found(space, "foghorn sounding") == {"fog": ("meaning",)}


def test_the_next_graph_leads_to_the_same_as_if_the_detector_had_written_none(space):
    def edges() -> list[tuple[object, ...]]:
        graph.make(space, clock=lambda: NOW)
        return list(Vector.objects.order_by("pk").values_list("pk", "values", "nearest", "cosines"))

    before = edges()
    vectors.drop(space, [pk for pk, *_ in before])
    assert edges() == before


def test_a_space_without_vectors_is_searched_by_words():
    space = spaces.create("diary")
    say(space, SAID)
    assert not Vector.objects.exists()
    assert found(space, "ferry") == {"ferry": ("words",)}
    assert nearest(space, "ferry") == {}


def test_without_an_embedder_a_search_goes_on_by_words(space, settings):
    settings.EMBEDDER = "word2vec"
    assert found(space, "sealed vaults") == {"vault": ("words",)}
    say(space, {"fog": "Foghorns were sounded twice."}, day(92))
    assert detection.detect(space, now=day(93))["upto"] == Fact.objects.get(name="fog").pk


class Backwards:
    """Another embedder: to it a text says what it says from back to front."""

    name, dimensions, unrelated = "backwards-1", 384, 0.3

    def embed(self, texts):
        return Hashed().embed([text[::-1] for text in texts])


def test_vectors_by_another_embedder_are_not_looked_at(space, settings, monkeypatch):
    assert "ferry" in found(space, "Ferries depart")
    monkeypatch.setitem(embedders.EMBEDDERS, "backwards", Backwards)
    settings.EMBEDDER = "backwards"
    assert found(space, "Ferries depart") == {}
    graph.make(space, clock=lambda: NOW)
    assert "ferry" in found(space, "Ferries depart")
    settings.EMBEDDER = "hashed"
    assert found(space, "Ferries depart") == {}


def test_what_is_forgotten_is_served_to_nobody_and_shown_to_people(space):
    facts.forget(space, "ferry", reason="", **ENTER)
    assert found(space, "Ferries depart") == {}
    assert search(space, "Ferries depart", now=NOW).held_back == {"not live": 1}
    assert found(space, "Ferries depart", sees_all=True) == {"ferry": ("meaning",)}
    graph.make(space, clock=lambda: NOW)
    assert found(space, "Ferries depart", sees_all=True) == {}


def test_what_is_erased_leaves_the_memory_of_the_process_with_the_next_search(space):
    assert "ferry" in found(space, "Ferries depart")
    (secret,) = Hashed().embed([SAID["ferry"]])
    erasing.erase(space, "ferry", reason="", **ENTER)
    for query in ("Ferries depart", "ferry departs at six"):
        assert "ferry" not in found(space, query, sees_all=True)
    (held,) = near._spaces.values()
    assert len(held._room) == len(held.values) == len(SAID) - 1
    assert not (held.values == secret).all(axis=1).any()


def test_what_is_undone_is_not_found_any_more(space):
    act = say(space, {"fog": "Foghorns were sounded twice."}, day(92))
    detection.detect(space, now=day(93))
    assert found(space, "foghorn sounding")
    undo.undo(space, act, by="ana", now=NOW)
    assert found(space, "foghorn sounding", sees_all=True) == {}


def test_a_claim_found_by_meaning_leads_to_what_holds_in_its_place(space):
    lines = [
        {"type": "fact", "id": "raft", "text": "Nobody crosses.", "source": "bot"},
        {"type": "edge", "from": "raft", "to": "ferry", "relation": "updates", "by": "bot"},
    ]
    acts.write(space, lines, now=day(92))
    (hit,) = search(space, "Ferries depart", now=NOW).hits
    assert (hit.fact.name, hit.replaces, hit.found_by) == ("raft", ("ferry",), ("meaning",))


def test_another_space_is_never_looked_into(space):
    other = space_of(name="other")
    say(other, {"boat": "The ferry departed at noon."})
    detection.detect(other, now=day(93))
    assert [*found(space, "Ferries depart")] == ["ferry"]
    assert [*found(other, "Ferries depart")] == ["boat"]


WORDS = ["anchor", "barge", "canal", "dock", "eddy", "fjord", "gulf", "haven", "jetty", "keel", "oar", "pier", "quay"]


def many(space: Space, count: int) -> list[str]:
    """The texts of so many facts of six words, which the detector has seen."""
    chance = np.random.default_rng(3)
    told = [" ".join(chance.choice(WORDS, 6)) for _ in range(count)]
    say(space, {f"f{place:03}": text for place, text in enumerate(told)}, day(90))
    detection.detect(space, now=day(91))
    return told


def test_the_nearest_are_those_by_double_precision_and_the_oldest_of_those_that_are_as_near(monkeypatch):
    monkeypatch.setattr(near, "_READ", 7)  # several readings
    space = spaces.create("diary")
    told = many(space, 200)
    for query in ("quay oar pier", "the anchors", told[7]):
        cosine = Hashed().embed(told).astype(float) @ Hashed().embed([query])[0].astype(float)
        right = np.lexsort((np.arange(200), -cosine.round(5)))[:10]
        hits = nearest(space, query, 10)
        assert [*hits] == [f"f{place:03}" for place in right]
        assert [*hits.values()] == pytest.approx(cosine[right].tolist(), abs=1e-6)
    assert len(nearest(space, "quay", 500)) == 200


def test_where_nothing_changed_a_row_is_read_and_else_what_is_new(space, django_assert_num_queries):
    nearest(space, "ferry")
    with django_assert_num_queries(1):
        near._held(space, Hashed())
    say(space, {"fog": "Foghorns were sounded twice."}, day(92))
    detection.detect(space, now=day(93))
    with django_assert_num_queries(2):
        near._held(space, Hashed())
    assert near._held(space, Hashed())[0].tolist() == sorted(Fact.objects.values_list("pk", flat=True))


def test_who_looks_at_what_is_held_sees_no_change_of_it(space):
    pks, values = near._held(space, Hashed())
    before = pks.copy(), values.copy()
    say(space, {"fog": "Foghorns were sounded twice."}, day(92))
    detection.detect(space, now=day(93))
    facts.forget(space, "tea", reason="", **ENTER)
    graph.make(space, clock=lambda: NOW)
    after, _ = near._held(space, Hashed())
    assert after.tolist() != pks.tolist()
    assert (pks == before[0]).all()
    assert (values == before[1]).all()


def test_a_process_holds_the_spaces_that_were_asked_last(space, monkeypatch):
    other = spaces.create("other")
    say(other, SAID)
    detection.detect(other, now=day(93))
    monkeypatch.setattr(near, "_BOUND", 8 * 384 * 4)  # more than one space has, and less than two
    for each in (space, other, space, space):
        assert len(nearest(each, "ferry")) == 5
        assert [key for key, *_ in near._spaces] == [each.pk]


@pytest.mark.django_db(transaction=True)
def test_many_at_once_find_what_one_alone_finds_while_facts_come_and_go():
    space = spaces.create("diary")
    many(space, 100)
    right = nearest(space, "quay oar pier", 1)
    near._spaces.clear()

    def ask(_: int) -> bool:
        try:
            return [*nearest(space, "quay oar pier", 1)] == [*right]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        asked = pool.map(ask, range(60))
        for number in range(3):
            act = say(space, {f"late{number}": "heavy fog"}, day(95 + number))
            detection.detect(space, now=day(95 + number))
            undo.undo(space, act, by="ana", now=day(95 + number))
        assert all(asked)
    assert len(nearest(space, "quay", 500)) == 100


ELSEWHERE = """
import json, sys
import django
django.setup()
from trustmem.actions import acts, detection, undo
from trustmem.actions.acts import write
from trustmem.store.models import Space
space = Space.objects.get(name="diary")
if len(sys.argv) > 1:
    undo.undo(space, sys.argv[1], by="ana", now=2 * 10**15)
else:
    fact = {"type": "fact", "id": "fog", "source": "bot", "text": "Foghorns were sounded twice."}
    print(write(space, [fact], now=19 * 10**14))
    detection.detect(space, now=19 * 10**14)
"""


@pytest.mark.django_db(transaction=True)
def test_what_another_process_writes_and_takes_back_is_seen(database_url, monkeypatch):
    space = spaces.create("diary")
    say(space, SAID, day(90))
    detection.detect(space, now=day(91))
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "trustmem.settings")

    def elsewhere(*arguments: str) -> str:
        command = [sys.executable, "-c", ELSEWHERE, *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    assert "fog" not in nearest(space, "foghorn sounding")
    act = elsewhere()
    assert next(iter(nearest(space, "foghorn sounding"))) == "fog"
    elsewhere(act)
    assert "fog" not in nearest(space, "foghorn sounding")


def test_agents_are_told_by_what_a_hit_was_found(space):
    told = shapes.found(search(space, "sealed vaults", now=NOW), 10)
    assert json.loads(answers.Found(**told).model_dump_json())["hits"][0]["found_by"] == ["words", "meaning"]
