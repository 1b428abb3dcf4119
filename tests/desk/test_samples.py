"""Facts that were drawn at random, on the pages that tell of that."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.actions.test_verdicts import ANA, facts_of
from tests.actions.world import as_file, space_of, taken
from tests.desk.conftest import ClientOf
from tests.desk.test_case_page import read
from tests.makers import edge
from trustmem.actions import sampling, undo
from trustmem.intake.shell import review as shell
from trustmem.store.models import Queued, Space, User
from trustmem.store.queue import Filter

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


@pytest.fixture
def space() -> Space:
    return space_of(*facts_of("a", "b", "c"))


def contradicted(space: Space) -> None:
    taken(space, as_file([edge("b", "contradicts", "a", 9, by="x", id="b-a")]), ANA["now"])


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
    assert "drawn at random" in page(client, "review", space)


@pytest.mark.parametrize("query", ["", "?kind=calibration+sample"])
def test_no_list_says_what_they_are_worth(client, space, query):
    contradicted(space)
    sampling.draw(space, 3, **ANA)
    rows = re.findall(r'<a class="queued".*?</a>', client.get(reverse("review", args=[space.name]) + query).text, re.S)
    assert len(rows) == (3 if query else 4)
    drawn = [read(row) for row in rows if "calibration sample" in row]
    assert len(drawn) == 3 and all(
        re.fullmatch("calibration sample drawn at random What . says.", row) for row in drawn
    )
    assert not re.search(r"scored|low|moderate|high|\d\.\d\d", " ".join(drawn))
    assert query or "low" in rows[0]


def test_neither_does_the_shell(space, capsys):
    sampling.draw(space, 3, **ANA)
    shell._show(space, Filter(), ANA["now"], most=None)
    told = capsys.readouterr().out
    assert "drawn at random" in told and not re.search(r"low|moderate|high|\d\.\d\d", told)
    for case in shell._all(space, Filter(), ANA["now"]):
        assert {*shell._row(case)["facts"][0]} == {"id", "text", "state"}


def test_it_is_not_offered_to_decide_all_of_them_and_whoever_asks_is_told_why(client, space):
    contradicted(space)
    sampling.draw(space, 3, **ANA)
    assert "Decide all of these" in page(client, "review", space, query="?kind=contradiction")
    assert "Decide all of these" not in page(client, "review", space, query="?kind=calibration+sample")
    address = reverse("review-all", args=[space.name])
    sent = {"kind": "calibration sample", "verdict": "it holds", "seen": space.folded_to, "shown": 3}
    for answer in (client.get(address + "?kind=calibration+sample"), client.post(address, sent)):
        assert answer.status_code == 400 and "judged one by one" in answer.text
    assert Queued.objects.filter(space=space, kind="calibration sample").count() == 3


def test_the_queue_says_in_which_order_they_come(client, space):
    assert "drawn at random come last, in an order by lot" in page(client, "review", space)


def test_what_a_file_says_of_an_act_by_which_cases_were_opened_is_no_draw(client, space):
    raw = b'{"type":"case","id":"x","kind":"quarrel","facts":["a"],"act":"A","at":"2026-01-03T09:00:00Z"}\n'
    taken(space, [raw], ANA["now"])
    assert "drawn at random" not in page(client, "log", space)
