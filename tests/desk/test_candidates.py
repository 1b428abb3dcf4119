"""Why the detector found a pair, as people read it: on the page of its case, in the queue, and how far it is."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.actions.test_detection import detect, say
from tests.actions.test_verdicts import ANA, decide
from tests.desk.conftest import ClientOf, MemberOf
from tests.desk.test_case_page import read
from tests.makers import day
from trustmem.actions import erasing, facts, jobs, spaces
from trustmem.core.contradictions import DETECTOR
from trustmem.store.cases import CANDIDATE
from trustmem.store.models import Case, Line, Role, Space, Text, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    """Two counts that cannot both be, with a week between them; and the detector has seen them."""
    space = spaces.create("diary")
    say(space, {"few": "242 tests pass in the billing module"}, day(80))
    say(space, {"many": "286 tests pass in the billing module"}, day(87))
    detect(space)
    return space


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def page(client: Client, space: Space) -> str:
    case = Case.objects.get(space=space)
    answer = client.get(reverse("case", args=[space.name, case.name]))
    assert answer.status_code == 200
    return str(answer.text)


def queue(client: Client, space: Space, query: str = "") -> str:
    return str(client.get(reverse("review", args=[space.name]) + query).text)


def tampered(space: Space, **factors: object) -> None:
    """The case keeps this of how it was found, as a file might have it."""
    case = Case.objects.get(space=space)
    Case.objects.filter(pk=case.pk).update(factors=json.dumps(json.loads(case.factors) | factors))


def test_the_page_says_by_which_rule_what_was_exchanged_and_how_much_is_the_same(client, space):
    shown = page(client, space)
    text = read(shown)
    assert "Do these contradict each other?" in text
    assert reverse("detector", args=[space.name]) in shown
    assert re.search(r"A number was exchanged: 242 / 286 · overlap 0\.\d\d\.", text)
    assert f"Detector {DETECTOR} · Rule number" in text


def test_what_was_exchanged_is_marked_in_both_texts(client, space):
    text = page(client, space)
    assert re.search(r"<del><span[^>]*>only left: </span>242</del>", text)
    assert re.search(r"<ins><span[^>]*>only right: </span>286</ins>", text)


@pytest.mark.parametrize(
    ("finding", "newer", "rule", "says"),
    [
        ("update", "many", "number", "It may be an update: the right one was said later."),
        ("update", "many", "change", "the right one tells of the change, and was said later."),
        ("update", "few", "change", "the left one tells of the change, though it was said earlier."),
        ("contradiction", None, "negation", "One says what the other denies"),
        ("contradiction", None, "order", "Neither text says which of both is newer."),
    ],
)
def test_the_page_says_which_is_newer_and_why(client, space, finding, newer, rule, says):
    tampered(space, finding=finding, newer=newer, rule=rule)
    assert says in read(page(client, space))


@pytest.mark.parametrize(
    "factors",
    [
        {"rule": "quarrel"},
        {"rule": ["number"], "overlap": "much", "features": []},
        {"features": {"exchanged": "all"}},
        {"features": {"exchanged": [["<script>alert(1)</script>", "\u202egnp"], [1, 2], ["one"], 3]}},
        {"newer": {"a": 1}, "finding": "update", "overlap": True},
        {"features": None, "overlap": 7},
    ],
)
def test_whatever_a_case_keeps_its_page_and_the_queue_can_be_read(client, space, factors):
    tampered(space, **factors)
    for text in (page(client, space), queue(client, space)):
        assert "<script>alert" not in text
        assert "\u202e" not in text


def test_the_queue_says_it_as_well(client, space):
    text = read(queue(client, space))
    assert "A number was exchanged: 242 / 286 · overlap" in text
    assert "242 tests pass in the billing module" in text


def test_what_is_forgotten_is_told_to_nobody_who_only_reads(space, client, client_of: ClientOf, member: MemberOf):
    decide(space, [Case.objects.get(space=space).name], "keep left", **ANA)
    assert "242 / 286" in read(page(client, space))
    reader = client_of(member(space, Role.READER))
    text = read(page(reader, space))
    assert "A number was exchanged" in text
    assert "286" not in text


def test_of_what_is_erased_nothing_is_told(client, space):
    facts.forget(space, "many", **ANA)
    erasing.erase(space, "many", reason="", **ANA)
    text = read(page(client, space))
    assert "286" not in text
    assert "Nothing is told any more of how it was found." in text


def passes(client: Client, space: Space) -> str:
    return read(str(client.get(reverse("passes", args=[space.name])).text))


def test_the_page_of_passes_says_how_far_the_detector_is(client, space):
    assert f"Checked up to 2 of 2 facts, by detector {DETECTOR}." in passes(client, space)
    say(space, {"more": "It rains."}, day(88))
    assert f"Checked up to 2 of 3 facts, by detector {DETECTOR}." in passes(client, space)
    other = spaces.create("other")
    say(other, {"more": "It rains."}, day(88))
    assert "No fact is checked yet." in passes(client, other)


def test_the_page_of_passes_says_that_the_detector_is_at_work(client, space):
    job = jobs.ask(space, jobs.DETECTION, by="ana", now=day(90))
    assert "A check by the detector" in passes(client, space)
    address = reverse("pass-job", args=[space.name, job.pk])
    assert "It waits for a worker." in client.get(address).text


def test_many_candidates_of_one_source_each_have_their_place_in_the_queue(client):
    space = spaces.create("diary")
    say(space, {f"f{number}": f"{number} tests pass in the billing module" for number in range(100, 104)}, day(80))
    detect(space)
    text = queue(client, space, "?kind=candidate")
    assert text.count("A number was exchanged") == 6
    assert Line.objects.filter(space=space, tag="case").count() == 6
    assert Text.objects.filter(space=space, body__contains=CANDIDATE).count() == 6
