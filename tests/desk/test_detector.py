"""The page of the detector: how often it was right, and what other thresholds would come to, which can be adopted."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.actions.test_detector import decide, found
from tests.actions.world import LATER
from tests.desk.conftest import ClientOf
from tests.desk.test_case_page import read
from trustmem.actions import constants, spaces, undo
from trustmem.core.constants import Constants, fingerprint, to_json
from trustmem.core.contradictions import DETECTOR
from trustmem.desk import clock
from trustmem.store import queries
from trustmem.store.models import Adoption, Line, Role, Space, User

pytestmark = pytest.mark.django_db

WORD = "c.candidate_overlap.word"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def space() -> Space:
    """Pairs that exchange a word, some of much overlap and some of less; some are decided."""
    space = found(4, overlap=0.9)
    found(3, overlap=0.4, space=space)
    decide(space, "keep left", "keep right", "not a contradiction")
    return space


@pytest.fixture
def client(space: Space, owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def address(query: str = "", name: str = "detector") -> str:
    return reverse(name, args=["diary"]) + query


def page(client: Client, query: str = "") -> str:
    return read(client.get(address(query)).text)


def test_it_tells_by_version_and_rule_how_often_it_was_right_with_the_interval(client):
    told = page(client)
    assert f"Candidates, by detector {DETECTOR}" in told
    assert re.search(r"word 2 1 0\.67 0\.21 – 0\.94 too few 4", told)


def test_it_tells_how_many_pairs_there_are_by_what_was_found(client):
    assert "restatements 0 updates 0 contradictions 7 · word 7" in page(client)


def test_a_threshold_on_trial_says_what_would_wait_and_what_it_would_have_come_to(client):
    told = page(client, f"?{WORD}=0.5")
    assert "1 pair would wait; by what is in force it is 4." in told
    assert "Of 2 that were right, 2 would have come." in told
    assert "Of 1 that were wrong, 0 would not." in told
    assert "Save as a version" in told and "Save as a version" not in page(client)


def test_a_part_of_it_is_what_thresholds_come_to_at_an_address_that_holds_them(client):
    answer = client.get(address(f"?{WORD}=0.5&c.candidate_overlap.number=0.30"), headers=HTMX)
    assert answer.text.strip().startswith('<div id="thresholds"')
    assert answer["HX-Replace-Url"] == address(f"?{WORD}=0.5")


@pytest.mark.parametrize(
    ("given", "says"), [("2", "from 0 to 1.1"), ("x", "must be a number"), ("", "must be a number")]
)
def test_what_is_no_threshold_says_so_and_what_is_in_force_stays(client, given, says):
    answer = client.get(address(f"?{WORD}={given}"))
    assert answer.status_code == 400 and says in read(answer.text)
    assert "4 pairs would wait; by what is in force it is 4." in read(answer.text)
    assert client.get(address(f"?{WORD}={given}"), headers=HTMX).status_code == 200
    assert client.post(address(name="detector-adopt"), {WORD: given, "reason": "So."}).status_code == 400


def test_other_constants_are_not_tried_here(client):
    assert "Save as a version" not in page(client, "?c.prior_weight=9")


def adopt(client: Client, **given: str) -> HttpResponse:
    seen = fingerprint(queries.constants(Space.objects.get()))
    said = {WORD: "0.5", "reason": "Fewer.", "seen": seen} | given
    return client.post(address(name="detector-adopt"), said, follow=True)


def test_put_in_force_it_is_a_version_that_can_be_rolled_back(client, space):
    before = queries.constants(space)
    assert "In force from now on, as a new version." in read(adopt(client).text)
    after = queries.constants(space)
    assert after.candidate_overlap.word == 0.5
    assert to_json(after) | {"candidate_overlap": None} == to_json(before) | {"candidate_overlap": None}
    assert Adoption.objects.latest("pk").figures["detector"]["word"] == ["4", "1", "2 of 2", "0 of 1"]
    assert client.get(reverse("versions", args=["diary"])).status_code == 200
    constants.roll_back(space, 2, by="ana", now=clock.now(), reason="")
    assert queries.constants(space) == before


def test_what_came_into_force_meanwhile_is_to_be_seen_first(client, space):
    before = queries.constants(space)
    answer = adopt(client, seen=fingerprint(Constants(prior_weight=9)))
    assert "Other constants have come into force since" in read(answer.text)
    assert queries.constants(space) == before


def test_why_has_to_be_said(client, space):
    before = queries.constants(space)
    answer = adopt(client, reason="")
    assert answer.status_code == 400 and "Say why, for those who read the constants later." in read(answer.text)
    assert queries.constants(space) == before


def test_only_an_admin_puts_thresholds_in_force(space, client_of, member):
    curator = client_of(member(space, Role.CURATOR))
    told = page(curator, f"?{WORD}=0.5")
    assert "An admin of this space can put this in force." in told and "Save as a version" not in told
    assert adopt(curator).status_code == 403


def test_where_nothing_was_found_it_says_so(owner, client_of):
    spaces.create("diary")
    told = page(client_of(owner))
    assert "Nobody has decided about anything that it found, and nothing waits." in told
    assert "0 pairs would wait" in told


def test_the_lab_leads_here_as_thresholds_move_no_score(client):
    lab = client.get(reverse("calibration", args=["diary"])).text
    assert WORD not in lab and f'href="{address()}">on the page of the detector' in lab


def test_undone_what_was_decided_counts_no_more(client, space):
    act = Line.objects.filter(space=space, tag="event.closed").latest("position").act
    undo.undo(space, act, by="ana", now=LATER + 10**9)
    assert re.search(r"word 2 0 1\.00 0\.34 – 1\.00 too few 5", page(client))
