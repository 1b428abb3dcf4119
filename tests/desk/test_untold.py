"""Who may not review sees that a fact was forgotten, and nowhere what it said, nor finds it by that."""

import json

import pytest

from tests.actions.world import LATER, taken
from tests.makers import day
from trustmem.actions import facts, spaces, undo
from trustmem.core.instants import to_text
from trustmem.store.models import Line, Role

pytestmark = pytest.mark.django_db

BEFORE = f"as_of={to_text(day(2))}"
SAYS = {"text": "Tea is at five.", "subject": "teatime", "predicate": "hour of", "object": "five", "tags": ["habit"]}


@pytest.fixture
def space():
    said = {"type": "fact", "id": "tea", "source": "ana", "entities": ["Kitchen"], "at": to_text(day(0)), **SAYS}
    newer = {"type": "fact", "id": "milk", "source": "ana", "text": "Milk is cold.", "at": to_text(day(1))}
    edge = {"type": "edge", "id": "e", "from": "milk", "to": "tea", "relation": "updates", "at": to_text(day(1))}
    space = taken(spaces.create("diary"), [json.dumps(each).encode() for each in (said, newer, edge)])
    facts.forget(space, "tea", by="ana", now=LATER)
    space.refresh_from_db()
    return space


@pytest.fixture
def reader(client_of, member, space):
    return client_of(member(space, Role.READER))


@pytest.fixture
def reviewer(client_of, member, space):
    return client_of(member(space, Role.REVIEWER))


WORDS = ("five", "teatime", "hour of", "habit", "Kitchen")
PLACES = (f"facts/tea/?{BEFORE}", "facts/tea/", "facts/?state=any", f"facts/?{BEFORE}", f"chains/tea/?{BEFORE}")


@pytest.mark.parametrize("place", PLACES)
def test_a_reader_is_told_that_it_is_forgotten_and_no_word_of_it(reader, place):
    page = reader.get(f"/spaces/diary/{place}").text
    assert "(forgotten)" in page
    assert not [word for word in WORDS if word in page]


@pytest.mark.parametrize("place", PLACES)
def test_a_reviewer_reads_what_was_forgotten(reviewer, place):
    page = reviewer.get(f"/spaces/diary/{place}").text
    assert "Tea is at five." in page
    assert "(forgotten)" not in page


def test_a_reviewer_sees_of_it_that_it_is_forgotten(reviewer):
    assert 'title="' in (row := _row(reviewer.get("/spaces/diary/facts/?state=any").text)) and ">forgotten<" in row
    assert "it is forgotten" in reviewer.get("/spaces/diary/facts/tea/").text


@pytest.mark.parametrize(
    "list",
    [
        "facts/?state=any&text=five",
        "facts/?state=forgotten&text=five",
        f"facts/?{BEFORE}&text=five",
        f"chains/?{BEFORE}&text=five",
        "search/?q=five",
        "search/?history=on&order=trust&q=five",
    ],
)
def test_a_reader_does_not_find_it_by_what_it_said(reader, reviewer, list):
    found = [each.get(f"/spaces/diary/{list}").text for each in (reader, reviewer)]
    assert ["facts/tea/" in page or "chains/tea/" in page or "chains/milk/" in page for page in found] == [False, True]


@pytest.mark.parametrize(("by", "told"), [("q=five", True), ("q=five&as=agent", False)])
def test_a_reader_is_not_told_that_it_would_have_been_found_by_that(reader, reviewer, by, told):
    found = [each.get(f"/spaces/diary/search/?{by}").text for each in (reader, reviewer)]
    assert ['held back from agents: <span class="num">1</span> not live' in page for page in found] == [False, told]
    assert "What is forgotten is not counted here" in reader.get("/spaces/diary/search/?q=milk&as=agent").text


def test_what_counts_no_more_a_reader_does_not_read_as_of_then_either(space, reader, reviewer):
    undo.undo(space, Line.objects.get(name="tea").imported, by="ana", now=LATER, reason="")
    pages = [each.get(f"/spaces/diary/facts/?{BEFORE}").text for each in (reader, reviewer)]
    assert ["(counts no more)" in page for page in pages] == [True, False]
    assert ["Tea is at five." in page for page in pages] == [False, True]
    assert "facts/tea/" not in reader.get(f"/spaces/diary/facts/?{BEFORE}&text=five").text


def _row(page):
    return next(row for row in page.split("<tr>") if "Tea is at five." in row)
