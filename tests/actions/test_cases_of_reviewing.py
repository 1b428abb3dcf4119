"""Faults that other people's memories had (tests/cases, groups C and D, and some of E): what is right, by the actions.

On the pages of the desk they are looked at in tests/desk/test_cases_of_reviewing.py. What has a place of its own, and
what is left out until there is what it takes:

| case | also, or only, in | left out |
| --- | --- | --- |
| 037 | | |
| 039 | | |
| 041 | | rows of graphiti: nothing reads them yet. The twins come in memory files |
| 043 | actions/test_imports.py, desk/test_log.py | the file's own names of fields: it comes as an interchange file |
| 045 | | that an agent's text is a restatement: nothing finds that yet, so the agent says `restated` |
| 047 | | rows of mem0, and so who told which |
| 049 | desk/test_chains.py | what agents recall: they have no door yet |
| 051 | core/test_chains.py, actions/test_edges.py, desk/test_deciding.py, desk/test_chains.py | 409 over REST |
| 053 | store/test_chains.py, desk/test_past.py | REST, MCP and the shell, which search for nothing yet |
| 055 | actions/test_month_of_passes.py, actions/test_breaker.py | |
| 057 | intake/test_cases.py, desk/test_{forgetting,states}.py | graph, REST, MCP. A history has it, by choice |
| 059 | desk/test_forgetting.py | recall; it is the list that finds them |
| 061 | actions/test_erase.py, desk/test_erasing.py, e2e/test_erasing.py | |
| 063 | intake/test_cases.py, in processes of their own | |
| 065 | desk/test_deciding.py, e2e/test_review.py | the case of the two buses: an agent says that they contradict |
| 067 | intake/test_cases.py, redis/test_down.py | the tool over MCP |
| 079 | actions/test_reviewers_at_once.py, desk/test_deciding.py, e2e/test_review.py | |
| 081 | store/test_queue.py | |
| 083 | desk/test_clicks.py, e2e/test_clicks.py, e2e/test_every_page.py, e2e/test_review.py | |
| 085 | e2e/test_every_page.py, e2e/test_review.py | |
| 087 | desk/test_dashboard.py, redis/test_down.py | 100 000 facts: bench/bench_desk.py, bench/bench_lists.py |
"""

import json
import random
from collections.abc import Iterator
from itertools import pairwise, permutations
from time import perf_counter
from typing import Any

import pytest

from tests.actions.steps import AGENT, World, as_facts, case, file_of, raw, steps_of
from tests.actions.test_verdicts import facts_of
from tests.actions.world import LATER, space_of
from tests.makers import edge
from trustmem.actions import detection, edges, imports, spaces
from trustmem.actions.errors import Refusal
from trustmem.core.scores import Scores, score
from trustmem.core.vocabulary import BANDS, FLAGS
from trustmem.store import chains, queries
from trustmem.store.models import Edge, Fact, Import, Line, Queued, Space, Touch
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

WHO = {"by": "ana", "now": LATER}


def memory(*texts: str) -> list[bytes]:
    """A memory file, whose texts have no ids of their own."""
    return raw({"type": "entity", "name": "notes", "entityType": "thing", "observations": texts})


def told(space: Space, file: list[bytes], source: str = "unknown") -> imports.Report:
    return imports.import_lines(space, file, file="a file", source=source, **WHO)


def texts(space: Space) -> list[str]:
    return sorted(Fact.objects.filter(space=space).values_list("text", flat=True))


def scores(space: Space, now: int = LATER) -> Scores:
    return score(queries.stored(space), now)


def queue(space: Space) -> list[tuple[str, list[str]]]:
    return [(each.kind, each.case.facts) for each in Queued.objects.filter(space=space).select_related("case")]


# What is said twice, and what only looks like it


@pytest.mark.parametrize("number", ["037", "039"])
def test_037_039_no_text_is_taken_for_one_that_it_is_like_nor_against_it(number):
    given, check = steps_of(number), case(number)["check"]
    world = World().take(given)
    said = sorted(step["text"] for step in given if step["do"] == "post_fact")
    twice = spaces.create("notes")
    told(twice, memory(*said), "agent-a")
    told(twice, memory(*said[::2]), "agent-b")
    for space in (world.space, twice):
        assert texts(space) == said
        assert not Edge.objects.filter(space=space).exists()
    assert len(said) == check.get("facts", 2)
    assert not Touch.objects.filter(space=world.space).exists()
    counted = {name: {each: getattr(world.fact(each), name) for each in check[name]} for name in "rs" if name in check}
    assert counted == {name: check[name] for name in "rs" if name in check}
    # In a memory file that another source tells, each text stands behind itself alone.
    assert set(Touch.objects.filter(space=twice).values_list("fact__text", flat=True)) == set(said[::2])


def pairs_in_queue(space: Space) -> list[list[str]]:
    """What waits for a person once the detector has looked at a space, each by its facts in order."""
    detection.detect(space, now=LATER)
    cases = Queued.objects.filter(space=space).select_related("case")
    return sorted(sorted(each.case.facts) for each in cases)


def test_037_each_denial_waits_for_a_person_beside_what_it_denies_and_is_evidence_for_nothing():
    check, world = case("037")["check"], World().take(steps_of("037"))
    trust = scores(world.space).trust.tolist()
    assert all(pair in pairs_in_queue(world.space) for pair in check["queue_pairs"])
    assert scores(world.space).trust.tolist() == trust
    assert {name: world.fact(name).r for name in check["r"]} == check["r"]
    assert Fact.objects.filter(space=world.space).count() == check["facts"]


def test_039_nothing_but_a_place_in_the_queue_comes_of_a_note_not_to_forget():
    check, world = case("039")["check"], World().take(steps_of("039"))
    (name,) = check["trust_unchanged"]
    before = Fact.objects.filter(space=world.space).values().get(name=name)
    pairs_in_queue(world.space)
    assert Fact.objects.filter(space=world.space).values().get(name=name) == before
    assert (before["s"], before["depth"]) == (check["s"][name], check["k"][name])
    assert not Touch.objects.filter(space=world.space).exists()
    assert not Edge.objects.filter(space=world.space).exists()


def test_039_a_note_not_to_forget_leaves_trust_and_weight_of_what_it_is_about_as_they_were():
    given, check = steps_of("039"), case("039")["check"]
    world = World().take(given[:2])
    (name,) = check["trust_unchanged"]

    def worth() -> tuple[float, ...]:
        row = world.fact(name)
        return float(scores(world.space).trust[0]), row.anchor, row.derived, row.half_life

    before = worth()
    world.take(given[2:])
    assert worth() == pytest.approx(before, rel=0, abs=1e-12)
    assert world.fact(name).depth == check["k"][name]


def mentions(space: Space) -> list[tuple[str, str]]:
    """By whom each fact is told, and by whom it is told again."""
    lines = Line.objects.filter(space=space, tag__in=("fact", "event.restated")).order_by("position")
    return [(tag, json.loads(body)["source"]) for tag, body in lines.values_list("tag", "body")]


def test_041_twins_are_one_fact_with_a_mention_by_each_that_tells_it_in_either_order():
    twins, check = file_of("041")["edges"], case("041")["check"]
    assert len({each["fact"] for each in twins}) == check["facts"]
    hashes = []
    for order in permutations(twins):
        space = spaces.create("-".join(each["uuid"] for each in order))
        for each in (*order, *order):
            told(space, memory(each["fact"]), each["episodes"][0])
        assert [source for _, source in mentions(space)] == [each["episodes"][0] for each in order]
        assert Fact.objects.filter(space=space).count() == check["facts"]
        assert len(mentions(space)) == check["mentions"]
        hashes.append(state_hash(space))
    batch = spaces.create("batch")
    told(batch, memory(*(each["fact"] for each in twins)), "ep-1")
    told(batch, memory(*(each["fact"] for each in twins)), "ep-2")
    assert {*hashes, state_hash(batch)} == {hashes[0]}


def test_043_one_file_twenty_times_is_on_record_each_time_and_changes_nothing():
    check, file = case("043")["check"], raw(*as_facts(file_of("043")))
    space = spaces.create("diary")
    assert told(space, file).balance["new"] == check["facts"]
    before, trust = state_hash(space), scores(space).trust.tolist()
    for _ in range(check["audit_entries"] - 1):
        assert told(space, file).balance["new"] == 0
    assert (state_hash(space), scores(space).trust.tolist()) == (before, trust)
    assert dict(Fact.objects.filter(space=space).values_list("name", "r")) == check["r"]
    assert Import.objects.filter(space=space).count() == check["audit_entries"]


def test_045_however_often_a_run_says_it_again_it_counts_once_in_any_order():
    first, *again, last = steps_of("045")
    check, right = case("045")["check"], None
    assert {step["text"] for step in again} == {first["text"]}
    for number, order in enumerate([again, again[::-1], random.Random(45).sample(again, len(again))]):
        world = World(f"order {number}").take([first])
        for step in order:
            world.at(step).say(type="event", kind="restated", fact="a", source=AGENT, run=step["run"])
        row = world.take([last]).fact("a")
        assert Fact.objects.filter(space=world.space).count() == check["facts"]
        assert (row.evidence, row.r) == (check["evidence"]["a"], 1)
        assert len(mentions(world.space)) == check["mentions"]
        right = right or state_hash(world.space)
        assert state_hash(world.space) == right


def test_047_noise_is_kept_and_none_of_it_is_trusted_or_settled():
    rows, check = file_of("047"), case("047")["check"]
    space = spaces.create("diary")
    told(space, raw(*as_facts(rows, "memory")))
    newest = max(Fact.objects.filter(space=space).values_list("at", flat=True))
    for now in (newest, LATER):
        found = scores(space, now)
        assert len(found.ids) == check["rows"]
        assert found.band.max() <= BANDS.index("moderate")
        assert found.flags[:, FLAGS.index("settled")].sum() == check["settled_noise"]


def test_047_two_that_cannot_both_be_the_user_wait_for_a_person():
    space = spaces.create("diary")
    told(space, raw(*as_facts(file_of("047"), "memory")))
    found = pairs_in_queue(space)
    assert all(pair in found for pair in case("047")["check"]["conflict_candidates"])


def test_047_rows_that_repeat_each_other_fold_into_one():
    rows, (pair,) = file_of("047"), case("047")["check"]["duplicates_folded"]
    space = spaces.create("diary")
    report = told(space, memory(*(row["memory"] for row in rows)), "agent")
    (twin,) = {row["memory"] for row in rows if row["id"] in pair.split(",")}
    assert texts(space).count(twin) == 1
    assert len(texts(space)) == len(rows) - 1
    assert sum(report.balance.values()) == len(rows) + 1  # the entity


# What takes the place of what


def test_049_both_values_stay_and_the_newer_stands_above_the_older():
    world, check = World().take(steps_of("049", "recall")), case("049")["check"]
    assert {name: world.fact(name).depth for name in check["k"]} == check["k"]
    assert list(chains.whole(world.space, "a").members) == check["recall_history"]
    assert chains.whole(world.space, "a").heads == check["recall"]
    assert len(texts(world.space)) == 2


def graph() -> list[dict[str, Any]]:
    """The file of 051, as an interchange file."""
    given, at = file_of("051"), "2026-01-07T00:00:00Z"
    edges = [
        {"type": "edge", "id": f"{each['from']}->{each['to']}", "relation": each["type"], "at": at}
        | {name: each[name] for name in ("from", "to")}
        for each in given["edges"]
    ]
    return [*as_facts(given["facts"]), *edges]


def test_051_a_loop_that_a_file_brings_is_kept_counts_for_nothing_and_waits_for_a_person():
    check, space = case("051")["check"], spaces.create("rota")
    report = told(space, raw(*graph()))
    amiss = [(each.id, each.status, each.reason) for each in report.answers if each.status != "new"]
    assert amiss == [(each, "refused", "a fact cannot update itself") for each in check["refused_or_queued"]]
    assert queue(space) == [("cycle", check["queue_cycle"])]
    loop = Fact.objects.filter(space=space, name__in=check["queue_cycle"])
    assert set(loop.values_list("depth", flat=True)) == {0}
    assert Line.objects.filter(space=space, tag="edge.updates").count() == len(file_of("051")["edges"]) - 1
    assert {name: sorted(chains.whole(space, name).heads) for name in check["heads_of"]} == check["heads_of"]


def test_051_whoever_would_close_a_loop_is_refused_and_told_which():
    space = spaces.create("rota")
    told(space, raw(*graph()))
    head = space.head_position
    with pytest.raises(Refusal, match=r'^it would close a circle: "d" updates "e" updates "d"$'):
        edges.assert_edge(space, "d", "updates", "e", **WHO)
    with pytest.raises(Refusal, match=r"^a fact cannot update itself$"):
        edges.assert_edge(space, "d", "updates", "d", **WHO)
    assert Space.objects.get(pk=space.pk).head_position == head


def ten_thousand() -> Iterator[dict[str, Any]]:
    """A chain of so many facts."""
    given, at = file_of("051")["chain"], "2026-01-01T00:00:00Z"
    names = [f"{given['prefix']}{number}" for number in range(given["length"])]
    for name in names:
        yield {"type": "fact", "id": name, "text": f"Version {name} of the list.", "at": at}
    for older, newer in pairwise(names):
        yield {"type": "edge", "id": f"over-{older}", "from": newer, "relation": "updates", "to": older, "at": at}


def test_051_a_chain_of_ten_thousand_is_scored_at_once():
    check, space = case("051")["check"], spaces.create("list")
    told(space, raw(*ten_thousand()))
    start = perf_counter()
    found = scores(space)
    assert perf_counter() - start < 10 * check["seconds_max"]
    assert {name: Fact.objects.get(space=space, name=name).depth for name in check["k"]} == check["k"]
    assert 0 < found.trust.min() <= found.trust.max() <= 1
    assert queue(space) == []


# What is taken back


def test_063_undoing_a_forgetting_brings_back_all_that_hung_on_it():
    world = World().take(steps_of("063", "undo", "restart"))
    gone = world.hashes["after"]
    assert gone["rows"] != world.hashes["before"]["rows"]
    assert gone["queue"] != world.hashes["before"]["queue"]
    world = World("again").take(steps_of("063"))
    first, second = case("063")["check"]["state_hash_equal"]
    assert world.hashes[first] == world.hashes[second]


def pairs(number: int) -> Space:
    """A space in which so many pairs of facts contradict each other."""
    born = [facts_of(f"old-{each}", f"new-{each}") for each in range(number)]
    said = [edge(f"new-{each}", "contradicts", f"old-{each}", 6, by=f"bot-{each}") for each in range(number)]
    return space_of(*(fact for pair in born for fact in pair), *said)
