"""Facts that were drawn at random, on the pages that tell of that."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.actions.test_verdicts import ANA, facts_of
from tests.actions.world import space_of, taken
from tests.desk.conftest import ClientOf
from tests.desk.test_case_page import read
from trustmem.actions import sampling, undo
from trustmem.store.models import Space, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


@pytest.fixture
def space() -> Space:
    return space_of(*facts_of("a", "b", "c"))


def page(client: Client, name: str, space: Space, *more: str, query: str = "") -> str:
    return read(client.get(reverse(name, args=[space.name, *more]) + query).text)


def test_the_log_says_who_had_how_many_drawn(client, space):
    sampling.draw(space, 2, **ANA)
    assert "ana had 2 facts drawn at random, to be asked about" in page(client, "log", space)
    sampling.draw(space, 1, by="ben", now=ANA["now"])
    assert "ben had 1 fact drawn at random, to be asked about" in page(client, "log", space)


def test_the_log_says_that_it_was_taken_back(client, space):
    act = sampling.draw(space, 2, **ANA)
    undo.undo(space, act, by="ben", now=ANA["now"])
    assert re.search("ben undid this: .?ana had 2 facts drawn at random", page(client, "log", space))


def test_the_queue_says_what_is_asked_and_why(client, space):
    sampling.draw(space, 3, **ANA)
    assert "calibration sample" in page(client, "review", space)
    told = page(client, "review-all", space, query="?kind=calibration+sample")
    assert "This was drawn at random, to see how well trust predicts truth: does it hold?" in told


def test_what_a_file_says_of_an_act_by_which_cases_were_opened_is_no_draw(client, space):
    raw = b'{"type":"case","id":"x","kind":"quarrel","facts":["a"],"act":"A","at":"2026-01-03T09:00:00Z"}\n'
    taken(space, [raw], ANA["now"])
    assert "drawn at random" not in page(client, "log", space)
