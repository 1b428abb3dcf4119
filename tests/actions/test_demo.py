"""The demo holds everything that a person should have seen once, and its story ends now."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from tests.makers import day
from trustmem.actions import demo, jobs, kinds
from trustmem.actions.errors import Refusal
from trustmem.actions.verify import verify
from trustmem.core.constants import Constants
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.core.scores import score
from trustmem.core.undo import voided_acts
from trustmem.core.vocabulary import (
    AUTO,
    BANDS,
    FACT_EVENTS,
    FLAGS,
    HUMAN,
    LIVE,
    OUTCOMES,
    PRODUCERS,
    RELATIONS,
    SCOPES,
    STATES,
    TOUCH_KINDS,
)
from trustmem.formats import interchange, scores
from trustmem.store import histograms, history, queries, queue
from trustmem.store.models import (
    Centrality,
    Change,
    ConstantsVersion,
    Edge,
    Entity,
    Fact,
    Job,
    Pass,
    Space,
    Statement,
    Touch,
)
from trustmem.store.queue import Filter

NOW = day(20_000) + 123_456
#: Another now: another year, hour and microsecond.
LATER = NOW + 400 * MICROSECONDS_PER_DAY + 54_321_000_001

pytestmark = pytest.mark.django_db

Rows = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def space(django_db_setup: None, django_db_blocker: Any) -> Iterator[Space]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield demo.make(by="ana", now=NOW)
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def facts(space: Space) -> Rows:
    """What each fact is worth as the story ends."""
    return scored(space, NOW)


@pytest.fixture(scope="module")
def live(facts: Rows) -> Rows:
    return {id: row for id, row in facts.items() if row["state"] == "live"}


@pytest.fixture(scope="module")
def told(space: Space) -> history.Told:
    return history.history(space)


def scored(space: Space, now: int) -> Rows:
    return {row["id"]: row for row in scores.rows(score(queries.stored(space), now))}


def served(space: Space) -> list[str]:
    """The facts by how often agents were served them, most first."""
    kinds = [TOUCH_KINDS.index(kind) for kind in ("recalled", "injected")]
    touches = Touch.objects.filter(space=space, kind__in=kinds).values_list("fact__name", flat=True)
    return [name for name, _ in Counter(touches).most_common()]


def test_it_is_the_memory_of_one_small_library_in_about_150_facts(space, facts):
    assert (space.name, space.alias, space.title) == ("demo", "", "Quince Lane: a seed library")
    assert 130 <= len(facts) <= 170
    assert Entity.objects.filter(space=space).count() >= 20


def test_its_ninety_days_end_now_with_a_pass_a_day(space, told):
    passes = list(Pass.objects.filter(space=space).order_by("instant").values_list("instant", flat=True))
    assert passes == [NOW - day * MICROSECONDS_PER_DAY for day in range(89, -1, -1)]
    instants = [line.at for line in told.lines if line.id != "demo:constants:1"]
    assert min(instants) >= NOW - 90 * MICROSECONDS_PER_DAY
    assert sum(at > NOW for at in instants) == 1  # told by a clock that is ahead
    assert max(line.arrived for line in told.lines) <= NOW


def test_whenever_it_is_made_every_fact_is_worth_the_same(space, facts):
    again = scored(demo.make(by="ana", now=LATER, name="later"), LATER)
    assert again == facts


def test_what_is_stored_follows_from_its_lines(space):
    assert verify(space, rebuild=True) == []


def test_the_file_is_valid_as_it_stands():
    reading = interchange.read(demo.SAMPLE.read_bytes().splitlines())
    assert {answer.status for answer in reading.answers} == {"new"}
    assert reading.notices == []


def test_nothing_is_left_to_scrub_by_the_text_that_was_erased(space):
    assert not Space.objects.get(pk=space.pk).to_scrub


def test_its_histograms_are_counted_as_soon_as_a_worker_is_there(space):
    job = jobs.claim(Job.objects.get(space=space, kind=jobs.HISTOGRAMS).pk, now=NOW)
    assert job
    kinds.do(job, lambda: NOW)
    [ages] = histograms.found(space, "age")
    assert (
        sum(ages.counts) + ages.below + ages.above + ages.unknown
        == Fact.objects.filter(space=space, state=LIVE).count()
    )


def test_its_graph_is_worked_out_as_soon_as_a_worker_is_there(space):
    job = jobs.claim(Job.objects.get(space=space, kind=jobs.GRAPH).pk, now=NOW)
    assert job
    kinds.do(job, lambda: NOW)
    counts = kinds.result(Job.objects.get(pk=job.pk))["counts"]
    assert counts["vectors"] == Fact.objects.filter(space=space, state=LIVE).count()
    assert min(counts["semantic edges"], counts["co-occurrences"], counts["placed"]) > 0
    assert Centrality.objects.filter(space=space).count() == counts["entities"]


def test_a_space_of_that_name_is_left_as_it_is(space):
    head = Space.objects.get(pk=space.pk).head_position
    with pytest.raises(Refusal, match='there is a space "demo" already'):
        demo.make(by="ana", now=LATER)
    assert Space.objects.get(pk=space.pk).head_position == head


@pytest.mark.parametrize("band", BANDS)
def test_every_band_is_there_among_live_facts(live, band):
    assert sum(row["band"] == band for row in live.values()) >= 5


@pytest.mark.parametrize("flag", FLAGS)
def test_every_flag_is_there_among_live_facts(live, flag):
    assert sum(flag in row["flags"] for row in live.values()) >= 3


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_there(facts, state):
    assert state in {row["state"] for row in facts.values()}


@pytest.mark.parametrize("kind", TOUCH_KINDS)
def test_every_kind_of_touch_is_there(space, kind):
    assert Touch.objects.filter(space=space, kind=TOUCH_KINDS.index(kind)).exists()


def test_some_of_what_is_restated_is_an_echo(space, facts):
    assert Touch.objects.filter(space=space, echo=True).count() >= 5
    assert (facts["hana-tuesday"]["r"], facts["hana-tuesday"]["use_count"]) == (0, 12)


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_relation_is_there_and_live(space, relation):
    assert Edge.objects.filter(space=space, relation=RELATIONS.index(relation), live=True).exists()


@pytest.mark.parametrize("relation", ["extends", "contradicts"])
def test_an_edge_was_withdrawn(space, told, relation):
    removed = next(line for line in told.lines if getattr(line, "removed", False) and line.relation == relation)
    ends = {removed.newer, removed.older}
    edges = Edge.objects.filter(space=space, relation=RELATIONS.index(relation), newer__name__in=ends)
    assert [edge.live for edge in edges if edge.older.name in ends] == [False]


def test_at_least_twenty_contradictions_are_live(space):
    contradicts = RELATIONS.index("contradicts")
    assert Edge.objects.filter(space=space, relation=contradicts, live=True).count() >= 20


@pytest.mark.parametrize("claims", [2, 3, 5])
def test_a_chain_of_claims_is_as_long_as(space, facts, claims):
    older: dict[str, list[str]] = {}
    updates = Edge.objects.filter(space=space, relation=RELATIONS.index("updates"), live=True)
    for newer, below in updates.values_list("newer__name", "older__name"):
        older.setdefault(newer, []).append(below)
    heads = [newer for newer in older if facts[newer]["depth"] == 0]
    assert claims in {length(head, older) for head in heads}


def length(fact: str, older: dict[str, list[str]]) -> int:
    return 1 + max((length(each, older) for each in older.get(fact, ())), default=0)


def test_two_claims_update_one_fact(space):
    updates = Edge.objects.filter(space=space, relation=RELATIONS.index("updates"), live=True)
    assert max(Counter(updates.values_list("older__name", flat=True)).values()) == 2


def test_challenges_wait_for_a_person(space):
    waiting = Statement.objects.filter(space=space, challenge=True)
    assert waiting.count() >= 5
    assert {each.fact.name for each in waiting} >= {"loan-eight", "fire-doors"}


@pytest.mark.parametrize(("ruling", "challenge"), [("upheld", "drum-450"), ("dismissed", "pellets-bought")])
def test_a_challenge_was_ruled_on(space, told, ruling, challenge):
    assert [line.kind for line in told.lines if getattr(line, "of", None) == challenge] == [ruling]
    decided = Statement.objects.get(space=space, position=told.positions[challenge])
    assert (decided.tier, decided.in_force, decided.challenge) == (AUTO, ruling == "upheld", False)
    assert decided.fact.tier == HUMAN


def test_what_is_served_most_was_long_confirmed_by_nobody(space, live):
    assert served(space)[:2] == ["cold-call", "label-printer"]
    assert all("use-only" in live[name]["flags"] for name in served(space)[:2])


def test_some_facts_of_unknown_age_have_no_freshness_of_their_own(live):
    unknown = [row for row in live.values() if "age-unknown" in row["flags"]]
    assert {row["freshness"] for row in unknown} == {0.5}
    assert {row["activation"] for row in unknown} == {None}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_of_feedback_is_there(told, outcome):
    assert outcome in {getattr(line, "outcome", None) for line in told.lines}


def test_feedback_has_signals_and_some_is_confirmed(told):
    feedback = [line for line in told.lines if hasattr(line, "outcome")]
    assert len({channel for line in feedback for channel in line.signals}) >= 7
    assert any(line.confirmed for line in feedback)


def test_what_annoys_is_suppressed(live):
    assert live["dog-biscuits"]["retrieval_priority"] < Constants().suppress_threshold


@pytest.mark.parametrize("producer", PRODUCERS)
def test_every_producer_is_there(space, producer):
    assert Fact.objects.filter(space=space, producer=PRODUCERS.index(producer)).exists()


@pytest.mark.parametrize("scope", SCOPES)
def test_every_scope_is_there_among_live_facts(live, scope):
    assert sum(row["scope"] == scope for row in live.values()) >= 10


def test_core_facts_are_there(space):
    assert Fact.objects.filter(space=space, core=True).count() >= 3


def test_passes_promote_prune_revive_and_hold_back(space):
    passes = Pass.objects.filter(space=space)
    for what in ("promoted", "pruned", "revived", "deferred"):
        assert sum(passes.values_list(what, flat=True)) >= 3


@pytest.mark.parametrize("producer", ["user", "document", "inference"])
def test_a_pass_promoted_what_such_a_one_said(space, producer):
    scopes = Change.objects.filter(space=space, fact__producer=PRODUCERS.index(producer), after__scope=1)
    assert scopes.filter(before__scope=0).exists()


@pytest.mark.parametrize("kind", FACT_EVENTS)
def test_every_kind_of_event_is_there(told, kind):
    assert kind in {getattr(line, "kind", None) for line in told.lines}


def test_a_person_corrected_a_fact_in_one_act(told, facts):
    act = [line for line in told.lines if line.act == "correct-the-sign"]
    assert [(line.__class__.__name__, line.tier) for line in act] == [("Fact", "human"), ("Edge", "human")]
    assert facts["sign-old"]["flags"][0] == "superseded"


def test_an_act_was_undone(told, facts):
    assert "tidy-the-list" in voided(told)
    assert [facts[id]["state"] for id in ("rain-barrels", "bees-three")] == ["live", "live"]


def test_an_undo_was_undone(told, facts):
    assert voided(told) >= {"kettle-back"}
    assert "kettle-mended" not in voided(told)
    assert facts["desk-kettle"]["state"] == "forgotten"


def voided(told: history.Told) -> frozenset[str]:
    return voided_acts(line for line in told.lines if getattr(line, "kind", None) == "undone")


def test_an_older_store_is_known_by_its_totals(space, facts):
    assert Fact.objects.filter(space=space, baseline_count__gt=0).count() >= 10
    assert facts["insurance"]["contradictions"] == 2


def test_one_version_of_the_constants_was_adopted(space):
    versions = ConstantsVersion.objects.filter(space=space).order_by("since")
    assert [version.number for version in versions] == [1, 2]
    assert (versions[1].author, bool(versions[1].reason)) == ("amara", True)


def test_enough_claims_contradict_each_other_to_get_through_a_queue(space):
    assert queue.count(space, Filter("contradiction"))[0] >= 20
    assert len(queue.page(space, Filter("contradiction"), size=50).rows) >= 20  # each by itself


@pytest.mark.parametrize("letters", ["\u0400-\u04ff", "\u0370-\u03ff", "\u4e00-\u9fff", "\u0600-\u06ff", "áíů", "äöü"])
def test_facts_are_told_in_many_scripts(space, letters):
    texts = Fact.objects.filter(space=space).values_list("text", flat=True)
    assert any(re.search(f"[{letters}]", text) for text in texts)


def test_one_source_has_a_clock_that_is_ahead(facts):
    assert [id for id, row in facts.items() if row["notices"]] == ["sensor-door"]
    assert facts["sensor-door"]["notices"] == ["future-time"]
