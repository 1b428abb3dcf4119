"""Where PostgreSQL has the extension `vector`, an index finds what is near to a query in a large space: what the exact
way finds, in which nobody who writes, forgets or erases has a hand; and where none stands, nothing is missed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from django.db import connection

from tests.actions.test_detection import say
from tests.actions.test_meaning import ENTER, NOW, SAID, Backwards, found, many, nearest
from tests.makers import day
from trustmem.actions import detection, embedders, erasing, graph, spaces, undo, vector_indexes
from trustmem.core.embedding import Hashed
from trustmem.store import near, vector_index
from trustmem.store.models import Space, Vector

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def few_are_many(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(vector_index, "FEW", 50)
    near._spaces.clear()
    yield
    vector_index.drop()


@pytest.fixture
def space() -> Space:
    """A space that is large enough for an index, which its graph has made."""
    space = spaces.create("diary")
    many(space, 300)
    say(space, SAID, day(90))
    detection.detect(space, now=day(91))
    made(space)
    return space


def made(space: Space) -> int | None:
    """How much of a thousand the index finds that the graph made; None: it made none."""
    found: int | None = graph.make(space, clock=lambda: NOW)["counts"].get("found of 1000 by the index")
    return found


def stand() -> list[str]:
    """The indexes that stand."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'vectors_near_%'")
        return [said for (said,) in cursor.fetchall()]


def test_the_graph_makes_one_and_it_finds_what_the_exact_way_finds(space):
    assert len(stand()) == 1
    queries = ("quay oar pier", "the anchors", "Ferries depart", "sealed vaults", "harbor opening")
    by_index = [nearest(space, query, 10) for query in queries]
    assert not near._spaces  # nobody held all of them for that
    vector_index.drop()
    exact = [nearest(space, query, 10) for query in queries]
    assert near._spaces
    for one, other in zip(by_index, exact, strict=True):
        assert [*one.values()] == pytest.approx([*other.values()], abs=1e-5)
        last = min(other.values()) + 1e-5  # of those that lie as near as that, any may be among them
        assert [name for name in one if one[name] > last] == [name for name in other if other[name] > last]
    assert made(space) == 1000


def test_it_holds_the_very_numbers_that_were_written(space):
    with connection.cursor() as cursor:
        cursor.execute('SELECT trustmem_unpacked("values"), "values" FROM store_vector')
        for numbers, packed in cursor.fetchall():
            assert np.array(numbers, "<f4").tobytes() == bytes(packed)
        odd = np.array([0, -1, 1e-30, -3.5, 1 / 3], "<f4")
        cursor.execute("SELECT trustmem_unpacked(%s)", [odd.tobytes()])
        assert np.array(cursor.fetchone()[0], "<f4").tobytes() == odd.tobytes()


def test_what_comes_and_what_is_undone_is_seen_at_once(space):
    act = say(space, {"fog": "Foghorns were sounded twice."}, day(92))
    assert found(space, "foghorn sounding") == {}
    detection.detect(space, now=day(93))
    assert found(space, "foghorn sounding") == {"fog": ("meaning",)}
    undo.undo(space, act, by="ana", now=NOW)
    assert found(space, "foghorn sounding", sees_all=True) == {}
    assert not near._spaces


def test_what_is_erased_leaves_no_index_behind_and_the_next_graph_makes_one_without_it(space):
    erasing.erase(space, "ferry", reason="", **ENTER)
    assert stand() == []
    assert found(space, "Ferries depart", sees_all=True) == {}
    assert "vault" in found(space, "sealed vaults")
    assert made(space) == 1000
    assert len(stand()) == 1
    assert found(space, "Ferries depart", sees_all=True) == {}


def test_another_space_is_never_looked_into_and_a_small_one_has_none(space):
    other = spaces.create("other")
    say(other, {"boat": "The ferry departed at noon."})
    detection.detect(other, now=day(93))
    assert made(other) is None
    assert len(stand()) == 1
    assert [*found(space, "Ferries depart")] == ["ferry"]
    assert [*found(other, "Ferries depart")] == ["boat"]


def test_another_embedder_has_one_of_its_own_in_place_of_that(space, settings, monkeypatch):
    (before,) = stand()
    monkeypatch.setitem(embedders.EMBEDDERS, "backwards", Backwards)
    settings.EMBEDDER = "backwards"
    assert found(space, "Ferries depart") == {}
    assert made(space) == 1000
    (after,) = stand()
    assert "hashed-1" in before
    assert "backwards-1" in after
    near._spaces.clear()
    assert [*found(space, "Ferries depart")] == ["ferry"]
    assert not near._spaces


def test_one_that_finds_too_little_does_not_stay(space, monkeypatch):
    monkeypatch.setattr(vector_indexes, "RECALL", 1.1)
    assert made(space) == 1000
    assert stand() == []
    assert [*found(space, "Ferries depart")] == ["ferry"]


def test_one_that_was_cut_short_is_not_asked_and_is_made_anew(space):
    with connection.cursor() as cursor:
        cursor.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text LIKE 'vectors_near_%'")
    assert vector_index.find(space, Hashed(), np.ones(384, np.float32), 5) is None
    assert [*found(space, "Ferries depart")] == ["ferry"]
    assert made(space) == 1000
    assert vector_index.find(space, Hashed(), np.ones(384, np.float32), 5) is not None


def test_while_somebody_makes_one_nobody_else_does(space):
    vector_index.drop()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(vector_index.make, space, Hashed()).result()  # and keeps its turn
        assert made(space) is None
        assert [*found(space, "Ferries depart")] == ["ferry"]
        pool.submit(lambda: connection.close()).result()
    assert made(space) == 1000


def test_a_user_who_may_not_switch_the_extension_on_does_without(space):
    with connection.cursor() as cursor:
        cursor.execute("DROP EXTENSION vector CASCADE")
        cursor.execute("CREATE ROLE plain; GRANT ALL ON ALL TABLES IN SCHEMA public TO plain")
        cursor.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO plain")
        try:
            cursor.execute("SET ROLE plain")
            assert not vector_index.can_be_made()
            assert made(space) is None
            assert [*found(space, "Ferries depart")] == ["ferry"]
        finally:
            cursor.execute("RESET ROLE; DROP OWNED BY plain; DROP ROLE plain")
    assert vector_index.can_be_made()
    assert Vector.objects.count() == 305
