"""A bulk change of which nothing counts any more is told as of old; and what is said of a case names nobody wrongly."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.actions.world import as_file, space_of, taken
from tests.desk.conftest import ClientOf
from tests.makers import day, event, fact
from trustmem.actions import cases, statements, undo
from trustmem.store.models import Case, Import, Line, Space, User

pytestmark = pytest.mark.django_db

AT = day(101)


@pytest.fixture
def space() -> Space:
    """200 facts, of which a bot said that 12 are wrong."""
    told = [event("contradicted", f"f{each:03}", 2, source="bot", run="r7") for each in range(12)]
    return taken(space_of(*(fact(f"f{each:03}", source="crm") for each in range(200))), as_file(told), AT)


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def shown(client: Client, space: Space) -> str:
    """The page of the case."""
    case = Case.objects.filter(space=space).latest("name")
    return client.get(reverse("case", args=[space.name, case.name])).text


def read(text: str) -> str:
    """What people read of a page."""
    return " ".join(re.sub(r"<[^>]*>", "", text).split())


def test_what_was_undone_is_told_as_of_old(client, space):
    undo.undo(space, Import.objects.latest("pk").name.rpartition(":")[0], by="ana", now=AT + 1)
    text = read(shown(client, space))
    assert "bot in run r7 contradicted or superseded 12 facts of other sources, which was undone." in text
    assert "Spoke against12 facts" in text


def test_what_was_dismissed_is_told_as_of_old_and_not_as_undone(client, space):
    said = Line.objects.filter(space=space, tag="event.contradicted").values_list("name", flat=True)
    for place, name in enumerate(said):
        statements.rule(space, name, "dismissed", by="ana", now=AT + 1 + place, reason="")
    text = read(shown(client, space))
    assert "bot in run r7 contradicted or superseded 12 facts of other sources." in text
    assert "which was undone" not in text


def test_the_source_leads_to_its_facts_if_it_has_some(client, space):
    link = f'href="{reverse("facts", args=[space.name])}?source=bot"'
    assert link not in shown(client, space)
    taken(space, as_file([fact("own", source="bot")]), AT)
    assert link in shown(client, space)


def test_a_case_that_is_closed_is_opened_again_by_a_button_that_says_so(client, space):
    cases.close(space, Case.objects.get().name, "a test of ours", by="ana", now=AT + 1)
    assert ">Open again</button>" in shown(client, space)


def test_the_desk_opens_cases_and_no_person_is_named_for_it(client, space):
    text = client.get(reverse("fact", args=[space.name, "f003"])).text
    assert "A case</a> was opened about it" in text
    assert "person" not in read(text).split("History, newest first")[1].split("bot said that it is wrong")[0]
