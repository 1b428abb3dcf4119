"""The graph of a space is what its facts come to, whatever came and went before, and however often it was cut short."""

import json
from time import sleep

import numpy as np
import pytest

from tests.actions.world import as_file, space_of, taken
from tests.makers import day, fact
from trustmem.actions import constants, embedders, erasing, facts, graph, jobs, kinds, schedules, threads
from trustmem.actions.errors import Refusal
from trustmem.core.edges import centrality, mutual_neighbours, npmi
from trustmem.core.embedding import Hashed
from trustmem.core.vocabulary import LIVE
from trustmem.store import vectors
from trustmem.store.models import (
    Centrality,
    CoOccurrence,
    Fact,
    Job,
    JobState,
    Place,
    SemanticEdge,
    Vector,
)

pytestmark = pytest.mark.django_db

NOW = day(100)
ENTER = {"by": "ana", "now": NOW}
PEOPLE = ["Ana Reis", "Bo Lind", "Cy Hale", "Di Moss"]
TOWNS = ["Porto", "Lisbon", "Braga", "Faro", "Sines"]


def saying(id, text, on=0.0):
    return json.dumps(json.loads(as_file([fact(id, on)])[0]) | {"text": text}).encode()


def some_of(first, last):
    """Facts about people and towns; every seventh says what another one does."""
    chance = np.random.default_rng(1)
    told = [f"The team of {PEOPLE[chance.integers(4)]} moved to {TOWNS[chance.integers(5)]}" for _ in range(last)]
    told = [f"{text} in week {chance.integers(9)}" if place % 7 else told[0] for place, text in enumerate(told)]
    on = [int(chance.integers(50)) for _ in range(last)]
    return [saying(f"f{place:03}", told[place], on[place]) for place in range(first, last)]


def made(space):
    return graph.make(space, clock=lambda: NOW)


def as_keys(kept):
    return np.frombuffer(bytes(kept), "<i8").tolist()


def rows(space):
    """All that a graph comes to, by names."""
    name = dict(Fact.objects.filter(space=space).values_list("pk", "name"))
    edges = SemanticEdge.objects.filter(space=space).values_list("older", "newer", "to_newer", "to_older")
    near = Vector.objects.filter(space=space).values_list("fact", "embedder", "values", "nearest", "cosines")
    return {
        "edges": sorted((name[a], name[b], *weights) for a, b, *weights in edges),
        "near": sorted(
            (
                name[of],
                embedder,
                bytes(values),
                [name[key] for key in as_keys(keys)],
                bytes(cosines),
            )
            for of, embedder, values, keys, cosines in near
        ),
        "together": sorted(CoOccurrence.objects.filter(space=space).values_list("one", "other", "together", "npmi")),
        "central": sorted(Centrality.objects.filter(space=space).values_list("entity", "rank", "facts")),
        "places": list(Place.objects.filter(space=space).order_by("pk").values_list("is_entity", "name", "x", "y")),
    }


def anew(space):
    """What the graph of a space is that never had one."""
    for model in (SemanticEdge, Vector, CoOccurrence, Centrality, Place):
        model._default_manager.filter(space=space).delete()
    made(space)
    return rows(space)


@pytest.fixture
def space():
    space = space_of()
    return taken(space, some_of(0, 60))


def test_semantic_edges_are_those_of_the_model(space):
    made(space)
    told = list(Fact.objects.filter(space=space).order_by("at", "name").values_list("name", "text"))
    found = mutual_neighbours(Hashed().embed([text for _, text in told]), 10)
    right = [(told[i][0], told[j][0], *weights) for i, j, *weights in zip(*map(np.ndarray.tolist, found), strict=True)]
    assert rows(space)["edges"] == sorted(right)


def test_co_occurrence_and_centrality_are_those_of_the_model(space):
    made(space)
    told = [
        {name for name in (*PEOPLE, *TOWNS) if name in text}
        for text in Fact.objects.filter(space=space).values_list("text", flat=True)
    ]
    names = sorted(set().union(*told))
    facts_of = [sum(name in some for some in told) for name in names]
    pairs = [(x, y) for x in range(len(names)) for y in range(x + 1, len(names))]
    both = [sum(names[x] in some and names[y] in some for some in told) for x, y in pairs]
    weight = npmi([facts_of[x] for x, _ in pairs], [facts_of[y] for _, y in pairs], both, len(told)).tolist()
    tied = [(x, y, n, w) for (x, y), n, w in zip(pairs, both, weight, strict=True) if w > 0]
    found = rows(space)
    assert found["together"] == [(names[x], names[y], n, pytest.approx(w, abs=1e-12)) for x, y, n, w in tied]
    ends = [(x, y, w) for x, y, _, w in tied] + [(y, x, w) for x, y, _, w in tied]
    rank = centrality(*zip(*ends, strict=True), len(names)).tolist()
    assert found["central"] == [
        (name, pytest.approx(each, abs=1e-12), n) for name, each, n in zip(names, rank, facts_of, strict=True)
    ]


def test_what_comes_and_goes_leaves_what_is_worked_out_anew(space):
    made(space)
    taken(space, some_of(60, 80))
    for name in ("f000", "f003", "f014", "f041"):
        facts.forget(space, name, reason="", **ENTER)
    erasing.erase(space, "f021", reason="", **ENTER)
    made(space)
    mended = rows(space)
    facts.restore(space, "f003", reason="", **ENTER)
    made(space)
    again = rows(space)
    assert again == anew(space) != mended
    facts.forget(space, "f003", reason="", **ENTER)
    made(space)
    assert rows(space) == mended


def test_a_second_time_nothing_is_written_but_places(space):
    made(space)
    keys = [set(model.objects.values_list("pk", flat=True)) for model in (SemanticEdge, CoOccurrence, Centrality)]
    before = rows(space)
    made(space)
    assert rows(space) == before
    assert keys == [
        set(model.objects.values_list("pk", flat=True)) for model in (SemanticEdge, CoOccurrence, Centrality)
    ]


def test_another_number_of_neighbours_is_another_graph(space):
    made(space)
    constants.adopt(space, {"neighbours": 3}, reason="fewer", **ENTER)
    made(space)
    found = rows(space)
    assert all(len(near) == 3 for _, _, _, near, _ in found["near"])
    assert found == anew(space)


def test_another_embedder_makes_all_vectors_anew(space, monkeypatch):
    made(space)

    class Shorter:
        name, dimensions = "shorter-1", 96

        def embed(self, texts):
            found = Hashed().embed(texts)[:, :96]
            return found / np.linalg.norm(found, axis=1, keepdims=True)

    monkeypatch.setitem(embedders.EMBEDDERS, "shorter", Shorter)
    monkeypatch.setattr("django.conf.settings.EMBEDDER", "shorter")
    assert made(space)["embedder"] == "shorter-1"
    found = rows(space)
    assert {embedder for _, embedder, *_ in found["near"]} == {"shorter-1"}
    assert found == anew(space)


def test_an_embedder_that_is_not_there_is_one_clear_sentence(space, settings):
    settings.EMBEDDER = "word2vec"
    with pytest.raises(Refusal, match='there is no embedder "word2vec": EMBEDDER is one of hashed, minilm'):
        made(space)


def test_of_more_facts_than_take_part_the_newest_do(space, monkeypatch):
    monkeypatch.setattr(vectors, "MOST", 20)
    told = made(space)["counts"]
    newest = Fact.objects.filter(space=space).order_by("-at", "-name").values_list("name", flat=True)[:20]
    assert (told["facts"], told["taking part"], told["vectors"]) == (60, 20, 20)
    assert {name for name, *_ in rows(space)["near"]} == set(newest)
    taken(space, [saying("late", "The team of Ana Reis moved to Faro in week 3", 60)])
    made(space)
    assert rows(space) == anew(space)


def test_a_fact_that_says_nothing_is_near_to_none(space):
    taken(space, [saying("mute", "\u3000 ")])
    made(space)
    assert [near for name, _, _, near, _ in rows(space)["near"] if name == "mute"] == [[]]


@pytest.mark.parametrize("n, edges, entities, placed", [(0, 0, 0, 0), (1, 0, 2, 2), (2, 1, 4, 6)])
def test_a_space_with_next_to_nothing_has_a_graph(n, edges, entities, placed):
    space = taken(space_of(), some_of(0, n)) if n else space_of()
    told = made(space)["counts"]
    assert (told["facts"], told["taking part"], told["vectors"]) == (n, n, n)
    assert (told["semantic edges"], told["entities"], told["co-occurrences"]) == (edges, entities, n)
    assert told["placed"] == placed == Place.objects.count()


def test_nothing_is_told_of_what_is_erased_while_it_is_counted(space, monkeypatch):
    taken(
        space, [saying("secret", "we hid it in Atlantis with Ana Reis"), saying("more", "go to Atlantis with Bo Lind")]
    )
    occurring, done = graph._occurring, []

    def erased_meanwhile(*given):
        found = occurring(*given)
        if not done:
            done.append(erasing.erase(space, "secret", reason="", **ENTER))
            erasing.erase(space, "more", reason="", **ENTER)
        return found

    monkeypatch.setattr(graph, "_occurring", erased_meanwhile)
    made(space)
    told = rows(space)
    assert "Atlantis" not in str(told["central"] + told["together"] + told["places"])
    assert told["central"]


def test_a_job_makes_it_and_says_how_it_went(space):
    job = graph.ask(space, **ENTER)
    assert graph.ask(space, **ENTER) == job
    clock = iter(range(NOW, NOW + 10**9, 2 * 10**6))
    kinds.do(jobs.claim(job.pk, now=NOW), lambda: next(clock))
    job.refresh_from_db()
    assert (job.state, job.of) == (JobState.DONE, 4 * 60)
    told = kinds.result(job)
    assert told["embedder"] == "hashed-1"
    assert [*told["seconds"]] == ["vectors", "semantic edges", "co-occurrence", "places"]
    assert told["counts"]["vectors"] == Fact.objects.filter(space=space, state=LIVE).count()


def test_whoever_lost_the_job_writes_nothing_more(space, monkeypatch):
    job = graph.ask(space, **ENTER)
    held = jobs.claim(job.pk, now=NOW)
    Job.objects.filter(pk=job.pk).update(attempt=9)
    with pytest.raises(jobs.Lost):
        kinds.do(held, lambda: NOW)
    assert not any(rows(space).values())


def test_it_is_due_once_a_day(space):
    schedules.tick(NOW)
    schedules.tick(day(101.5))
    assert Job.objects.filter(space=space, kind=jobs.GRAPH).count() == 1


def test_facts_that_are_not_in_the_graph_yet_find_their_neighbours(space):
    made(space)
    kept = vectors.nearest(space, list(Fact.objects.values_list("pk", flat=True)), Hashed())
    assert len(kept) == 60
    taken(space, some_of(60, 70))
    fresh = list(Fact.objects.filter(name__gte="f060").values_list("pk", flat=True))
    looked = vectors.nearest(space, fresh, Hashed())
    old = list(Fact.objects.filter(name__lt="f060").order_by("at", "name").values_list("pk", "text"))
    matrix = Hashed().embed([text for _, text in old])
    for pk, text in Fact.objects.filter(pk__in=fresh).values_list("pk", "text"):
        cosine = matrix @ Hashed().embed([text])[0]
        assert [how for _, how in looked[pk]] == pytest.approx(np.sort(cosine)[::-1][:10].tolist(), abs=1e-6)
        assert all(
            how == pytest.approx(cosine[[of for of, _ in old].index(near)], abs=1e-6) for near, how in looked[pk]
        )


def test_who_works_on_a_long_step_says_now_and_then_that_it_is_at_it(monkeypatch):
    monkeypatch.setattr(threads, "_NOW_AND_THEN", 0.01)
    told = []
    assert threads.meanwhile(lambda: sleep(0.1) or "done", lambda: told.append(1)) == "done"
    assert told

    def lost():
        raise jobs.Lost

    with pytest.raises(jobs.Lost):
        threads.meanwhile(lambda: sleep(0.1), lost)


def test_blocks_that_have_not_begun_are_left_out_once_the_job_is_lost():
    done = []

    def lost(so_far, of):
        raise jobs.Lost

    with pytest.raises(jobs.Lost), threads.side_by_side(lost) as run:
        list(run(lambda each: sleep(0.01) or done.append(each), range(1000)))
    assert len(done) < 100
