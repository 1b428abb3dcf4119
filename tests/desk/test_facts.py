"""The list of facts: its address holds the view, a part is a part of its page, and nothing is left out silently."""

import json
import re
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.makers import edge, event, fact
from trustmem.actions import spaces
from trustmem.desk.views import facts
from trustmem.store.models import Role, Space, User

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def space() -> Space:
    said = [event("corroborated", "tea", on, source=f"s{on}") for on in range(1, 9)]
    return space_of(
        fact("tea", source="ana"),
        fact("milk", source="ben"),
        fact("cups", source="ben"),
        edge("cups", "updates", "milk"),
        *said,
    )


@pytest.fixture
def client(space: Space, owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def names(answer) -> list[str]:
    return re.findall("data-stop.*?>What (.*?) says", answer.text)


def shown(client: Client, space: Space, query: str = "", **headers):
    return client.get(f"{reverse('facts', args=[space.name])}{query}", headers=headers or None)


def test_it_shows_live_facts_the_most_trusted_first(client, space):
    answer = shown(client, space)
    assert names(answer) == ["tea", "cups", "milk"]
    assert "What tea says." in answer.text
    assert "3 facts" in answer.text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?source=ben", ["cups", "milk"]),
        ("?flag=superseded", ["milk"]),
        ("?text=tea", ["tea"]),
        ("?sort=trust&order=rising", ["milk", "cups", "tea"]),
        ("?state=forgotten", []),
        ("?tier=human", []),
        ("?scope=session&band=", ["tea", "cups", "milk"]),
    ],
)
def test_the_address_holds_the_view(client, space, query, found):
    assert names(shown(client, space, query)) == found


def test_an_entity_is_found_by_its_id_and_by_what_it_is_called(client):
    at = {"at": "2026-01-01T09:00:00Z"}
    pot = {"type": "entity", "id": "x-pot", "name": "The pot", **at}
    tea = {"type": "fact", "id": "tea", "text": "What tea says.", "entities": ["x-pot"], **at}
    space = taken(spaces.create("kitchen"), [json.dumps(line).encode() + b"\n" for line in (pot, tea)])
    assert names(shown(client, space, "?entity=x-pot")) == ["tea"]
    assert names(shown(client, space, "?entity=The+pot")) == ["tea"]
    assert names(shown(client, space, "?entity=The+pan")) == []


def test_a_claim_that_does_not_say_whom_it_is_about_has_that_before_it(client):
    at = {"at": "2026-01-01T09:00:00Z", "subject": "Anna"}
    told = [
        {"type": "fact", "id": "mail", "text": "Prefers email.", **at},
        {"type": "fact", "id": "tea", "text": "anna drinks tea.", **at},
    ]
    space = taken(spaces.create("people"), [json.dumps(line).encode() + b"\n" for line in told])
    text = shown(client, space).text
    assert "<b>Anna</b> · Prefers email." in text
    assert ">anna drinks tea." in text


@pytest.mark.parametrize(
    "query",
    ["?colour=red", "?band=splendid", "?sort=luck", "?order=up", "?after=there", "?state=asleep", "?source=a%00b"],
)
def test_what_an_address_cannot_mean_is_said_and_not_left_out(client, space, query):
    answer = shown(client, space, query)
    assert answer.status_code == 400
    assert "not understood" in answer.text


def test_a_place_of_a_list_that_is_sorted_otherwise_is_none(client, monkeypatch, space):
    monkeypatch.setattr(facts, "SIZE", 1)
    following = shown(client, space).context["next"]
    assert shown(client, space, f"{following}&sort=age").status_code == 400


def test_pages_follow_each_other_and_lead_back(client, space, monkeypatch):
    monkeypatch.setattr(facts, "SIZE", 2)
    first = shown(client, space)
    second = shown(client, space, first.context["next"])
    assert (names(first), names(second)) == (["tea", "cups"], ["milk"])
    assert names(shown(client, space, second.context["previous"])) == ["tea", "cups"]
    assert (first.context["previous"], second.context["next"]) == ("", "")


def test_a_part_is_a_part_of_the_same_address(client, space):
    part, page = shown(client, space, **HTMX), shown(client, space)
    assert "<html" not in part.text
    assert part.text.strip().startswith("<section")
    assert part.text.strip() in page.text
    assert "HX-Request" in part["Vary"]
    assert "no-store" in part["Cache-Control"]


def test_going_back_gives_a_page_be_what_is_asked_for_a_part(client, space):
    again = shown(client, space, **HTMX, **{"HX-History-Restore-Request": "true"})
    assert "<html" in again.text


def test_filters_that_are_set_are_shown_and_each_can_be_taken_away(client, space):
    chips = shown(client, space, "?source=ben&flag=superseded").context["chips"]
    assert [(chip.title, chip.value, chip.address) for chip in chips] == [
        ("Flag", "superseded", "?source=ben"),
        ("Source", "ben", "?flag=superseded"),
    ]


def test_a_list_without_facts_says_why(client, space):
    assert "No fact is like that" in shown(client, space, "?source=nobody").text
    empty = space_of(name="empty")
    assert "There are no facts here yet" in shown(client, empty).text


def test_counts_stop_where_they_are_far_enough(client, space, monkeypatch):
    monkeypatch.setattr(facts.lists.count, "__defaults__", (2,))
    assert "2+ facts" in shown(client, space).text


def test_it_asks_as_much_for_20_facts_as_for_10(owner, client_of):
    asked = []
    for many in (10, 20):
        space = space_of(*(fact(f"f{number}") for number in range(many)), name=f"of{many}")
        client = client_of(owner)
        shown(client, space)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert len(names(shown(client, space))) == many
        asked.append(len(queries))
    assert asked[0] == asked[1]


@pytest.mark.parametrize("role", list(Role))
def test_every_member_may_look(client_of, member: MemberOf, space, role):
    assert shown(client_of(member(space, role)), space).status_code == 200


def test_a_stranger_cannot_tell_whether_there_is_such_a_space(client_of, space):
    stranger = client_of(User.objects.create_user("stranger"))
    nowhere = stranger.get(reverse("facts", args=["nowhere"]))
    there = shown(stranger, space)
    assert (there.status_code, nowhere.status_code) == (404, 404)
    texts = [re.sub('name="(csrfmiddlewaretoken|click)" value="[^"]+"', "", each.text) for each in (there, nowhere)]
    assert texts[0] == texts[1]


def test_whoever_is_not_in_is_led_to_the_door(space):
    answer = shown(Client(), space)
    assert (answer.status_code, answer.url.split("?")[0]) == (302, reverse("sign-in"))


def test_the_instant_of_birth_stands_in_the_row_for_machines(client, space):
    born = datetime(2026, 1, 1, 9, tzinfo=UTC).isoformat()
    assert f'<time datetime="{born}"' in shown(client, space).text
