"""What is forgotten is on no page but those of its own, and what forgetting comes to is said before."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.actions.world import LATER, space_of, taken
from tests.desk.conftest import ClientOf
from tests.desk.test_fact import page
from tests.makers import day, edge, event, fact
from trustmem.actions import facts, imports, spaces, tombstones, undo
from trustmem.core.instants import to_text
from trustmem.desk import clock
from trustmem.store import lists
from trustmem.store.models import Fact, Line, Queued, Role, Space, User

pytestmark = pytest.mark.django_db

SENTINEL = "PERIWINKLE-42"


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def form(answer) -> str:
    """What is read in the form that forgets, before the reason is asked for."""
    (found,) = re.findall(r'<form method="post" action="[^"]*/forget/">(.*?)</form>', answer.text, re.DOTALL)
    return " ".join(re.sub("<[^>]*>", " ", found).split("Why")[0].split())


def test_the_form_says_what_would_hold_again_what_derives_from_it_and_who_has_it(client, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: day(40))
    space = space_of(
        *(fact(name) for name in ("tea", "milk", "cups")),
        edge("tea", "updates", "milk"),
        edge("cups", "derives", "tea"),
        event("recalled", "tea", 39, source="bot"),
    )
    answer = page(client, space)
    said = form(answer)
    assert "It superseded 1 claim, which would hold again: look whether it should. What milk says." in said
    assert "1 claim derives from it and stays: it may repeat what this one says. What cups says." in said
    assert "It was handed out to 1 source: in 1 run in the last 30 days, in 1 run ever." in said
    assert form(page(client, space, "cups")) == ""


def told(*records) -> list[bytes]:
    return [json.dumps({"at": to_text(day(1)), **each}).encode() + b"\n" for each in records]


def claim(id: str, text: str) -> dict[str, str]:
    return {"type": "fact", "id": id, "text": text, "source": "agent-a"}


def everything(client: Client, space: Space, *names: str) -> dict[str, str]:
    """The pages that somebody comes by who does not look for what is forgotten."""
    places = [reverse(name, args=[space.name]) for name in ("dashboard", "imports", "passes", "versions", "review")]
    lists = [reverse(name, args=[space.name]) for name in ("facts", "chains")]
    places += [each + query for each in lists for query in ("", "?text=code+word", "?text=periwinkle")]
    places += [f"{reverse('facts', args=[space.name])}?sort={by}" for by in ("age", "weight")]
    places += [reverse(page, args=[space.name, name]) for page in ("fact", "chain") for name in names]
    places += [reverse("import-report", args=[space.name, Line.objects.get(space=space, tag="import").imported])]
    return {place: client.get(place).text for place in places}


def test_057_what_is_forgotten_is_in_no_list_no_search_and_on_no_page_of_another_fact(client):
    space = spaces.create("diary")
    taken(space, told(claim("a", f"The code word is {SENTINEL}."), claim("b", "The code word is changed weekly.")))
    assert sum(SENTINEL in each for each in everything(client, space, "b").values()) > 3
    act = facts.forget(space, "a", by="reviewer-1", now=LATER)
    assert [place for place, text in everything(client, space, "b").items() if SENTINEL in text] == []
    assert SENTINEL in page(client, space, "a").text
    undo.undo(space, act, by="reviewer-1", now=LATER + 1)
    assert Fact.objects.get(space=space, name="a").text in page(client, space, "a").text


@pytest.mark.parametrize("relation", ["updates", "extends", "derives", "contradicts"])
@pytest.mark.parametrize("ends", [("a", "b"), ("b", "a")])
def test_what_is_forgotten_is_on_no_page_of_what_it_is_connected_with(client, client_of, member, relation, ends):
    newer, older = ends
    joined = {"type": "edge", "id": "e", "from": newer, "to": older, "relation": relation}
    space = taken(spaces.create("diary"), told(claim("a", f"It is {SENTINEL}."), claim("b", "It is changed."), joined))
    assert SENTINEL in page(client, space, "b").text
    facts.forget(space, "a", by="reviewer-1", now=LATER)
    reader = client_of(member(space, Role.READER))
    assert [place for place, text in everything(reader, space, "b").items() if SENTINEL in text] == []
    # Where people decide which claim holds, they see all that there is.
    deciding = {reverse("review", args=[space.name]), reverse("chain", args=[space.name, "b"])}
    assert {place for place, text in everything(client, space, "b").items() if SENTINEL in text} <= deciding
    assert "(forgotten)" in page(client, space, "b").text
    queue = reader.get(reverse("review", args=[space.name])).text
    assert ("(forgotten)" in queue, "(erased)" in queue) == (Queued.objects.exists(), False)


def test_the_report_of_an_import_lists_what_was_refused_until_that_is_let_in(client):
    space = taken(spaces.create("diary"), told(claim("a", f"It is {SENTINEL}.")))
    facts.forget(space, "a", by="ana", now=LATER)
    again = told(claim("b", f"it is {SENTINEL.lower()}"))
    act = imports.import_lines(space, again, file="again", by="ana", now=LATER + 1).imported
    stone = Line.objects.get(space=space, tag="tombstone").name
    for name, words in ((f"{act}:1", "1 refused"), (act, "1 refused")):
        report = client.get(reverse("import-report", args=[space.name, name])).text
        assert words in report
        assert "this was forgotten by &quot;ana&quot;" in report
        assert stone in report
        assert SENTINEL.lower() not in report
    tombstones.lift(space, stone, by="ana", now=LATER + 2)
    imports.import_lines(space, again, file="again", by="ana", now=LATER + 3)
    report = client.get(reverse("import-report", args=[space.name, f"{act}:2"])).text
    assert "1 new" in report
    assert "this was forgotten" not in report


def test_059_what_is_forgotten_takes_the_place_of_nothing_that_is_live(client):
    badges = [claim(f"g{number}", f"Badge reader {number} badge reader badge reader is dead.") for number in range(50)]
    live = {
        "x": "A badge reader is at the north door.",
        "y": "A badge reader is at the south door.",
        "z": "The lift has no badge reader.",
    }
    space = taken(spaces.create("diary"), told(*badges, *(claim(*each) for each in live.items())))
    for number in range(50):
        facts.forget(space, f"g{number}", by="reviewer-1", now=LATER + number)
    search = lists.Filter(text="badge reader")
    found = lists.page(space, search, lists.Sort(), size=3)
    assert {row.name for row in found.rows} == set(live)
    assert (found.next, lists.count(space, search)[0]) == (None, 3)
    answer = client.get(f"{reverse('facts', args=[space.name])}?text=badge+reader")
    assert "3 facts" in answer.text
    assert "is dead" not in answer.text
