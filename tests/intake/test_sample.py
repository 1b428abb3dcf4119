"""The bundled memory shows everything once: what the commands print of it is the whole language."""

import json

import pytest

from tests.intake.terminal import LIVED, SAMPLE, trustmem
from trustmem.core import vocabulary


@pytest.fixture(scope="module")
def scores():
    done = trustmem("score", *LIVED, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return {row["id"]: row for row in map(json.loads, done.stdout.splitlines())}


@pytest.fixture(scope="module")
def lines():
    with open(SAMPLE, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_it_is_small_and_spans_about_three_months(scores, lines):
    assert 24 <= len(scores) <= 30
    days = sorted(line["at"][:10] for line in lines)
    assert days[0] == "2026-02-16"
    assert days[-1] == "2026-05-31"


@pytest.mark.parametrize("band", vocabulary.BANDS)
def test_every_band_occurs_among_live_facts(scores, band):
    assert band in {row["band"] for row in scores.values() if row["state"] == "live"}


@pytest.mark.parametrize("flag", vocabulary.FLAGS)
def test_every_flag_occurs_among_live_facts(scores, flag):
    assert flag in {flag for row in scores.values() if row["state"] == "live" for flag in row["flags"]}


@pytest.mark.parametrize("outcome", vocabulary.OUTCOMES)
def test_every_outcome_of_feedback_occurs(lines, outcome):
    assert outcome in {line.get("outcome") for line in lines}


def test_some_feedback_is_confirmed_and_moves_trust(scores, lines):
    assert [line["fact"] for line in lines if line.get("confirmed")] == ["release-notes"]
    assert scores["release-notes"]["r"] == 2 - 1 + 1


@pytest.mark.parametrize("kind", [*vocabulary.RULINGS, "accepted", "forgotten", "contradicted", "undone"])
def test_people_decide_in_every_way(lines, kind):
    assert kind in {line.get("kind") for line in lines}


@pytest.mark.parametrize("relation", vocabulary.RELATIONS)
def test_every_relation_occurs_and_one_edge_is_withdrawn(lines, relation):
    assert relation in {line.get("relation") for line in lines}
    assert any(line.get("removed") for line in lines)


def test_a_chain_is_three_claims_long(scores):
    assert [scores[f"staging-{host}"]["depth"] for host in ("avocet", "teal", "heron")] == [0, 1, 2]


def test_a_stale_favourite_is_read_often_and_was_confirmed_by_nobody(scores):
    favourite = scores["tide-limit"]
    assert favourite["use_count"] == 10
    assert favourite["flags"] == ["use-only", "uncertain"]


def test_an_echo_is_no_evidence(scores):
    echoed = scores["ivo-small-prs"]
    assert (echoed["r"], echoed["evidence"], echoed["use_count"]) == (0, 0, 4)


def test_an_agent_only_challenges_what_a_person_accepted(scores):
    accepted = scores["launch-15-june"]
    assert (accepted["tier"], accepted["depth"]) == ("human", 0)
    assert "challenged" in accepted["flags"]


def test_some_facts_are_gone(scores):
    assert scores["noor-calendar"]["state"] == "pruned"
    assert scores["door-code"]["state"] == "forgotten"
    assert scores["parking"]["state"] == "live"


def test_a_document_is_promoted_by_evidence(scores, lines):
    born = next(line for line in lines if line["id"] == "seed-data")
    assert (born.get("scope", "session"), born["producer"]) == ("session", "document")
    assert scores["seed-data"]["scope"] == "global"


def test_an_older_store_is_known_by_its_totals(scores):
    assert scores["club-members"]["evidence"] == 5
    assert scores["club-members"]["r"] == 2


def test_what_annoys_is_suppressed():
    assert json.loads(trustmem("explain", *LIVED, "ivo-coffee", "--json").stdout)["suppressed"]
