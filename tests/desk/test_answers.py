"""Whatever the desk answers has words, also where it cannot do what was asked."""

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

from tests.actions.world import space_of
from tests.desk.conftest import ClientOf
from tests.makers import fact
from trustmem.desk.views import facts as page
from trustmem.store.models import Fact, Space, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def test_where_only_forms_go_a_page_says_so(client, space):
    answer = client.get(reverse("accept", args=[space.name, "tea"]))
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "This is where a form goes" in answer.text


def test_what_is_sent_without_being_in_is_not_kept_and_leads_back_to_where_it_came_from(space, owner):
    stranger, at = Client(), reverse("fact", args=[space.name, "tea"])
    answer = stranger.post(
        reverse("accept", args=[space.name, "tea"]), headers={"Referer": f"http://testserver{at}"}, follow=True
    )
    assert "what you sent was not kept" in answer.text
    assert f'name="next" value="{at}"' in answer.text
    assert not Fact.objects.get(space=space, name="tea").accepted


def test_the_door_leads_nowhere_else_whatever_sent_one_to_it(space):
    answer = Client().post(
        reverse("accept", args=[space.name, "tea"]), headers={"Referer": "https://elsewhere.example/x"}
    )
    assert answer.url == reverse("sign-in")


def test_a_database_that_is_busy_for_too_long_is_no_failure_and_passes(client, space, monkeypatch):
    def busy(*_: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(page.lists, "page", busy)
    answer = client.get(reverse("facts", args=[space.name]))
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "Wait a little" in answer.text


def test_what_really_fails_is_our_fault_and_says_nothing_of_how(client, space, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError("VERMILION-88")

    monkeypatch.setattr(page.lists, "page", broken)
    client.raise_request_exception = False
    answer = client.get(reverse("facts", args=[space.name]))
    assert answer.status_code == 500
    assert "our fault" in answer.text
    assert "VERMILION" not in answer.text


def test_more_than_a_form_holds_is_said_in_our_words(client, space, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    answer = client.post(reverse("accept", args=[space.name, "tea"]), {"accept-reason": "x" * 200})
    assert answer.status_code == 400
    assert "More was sent" in answer.text
    assert "DATA_UPLOAD" not in answer.text


def test_another_host_is_refused_before_anything_is_asked(space):
    assert Client().get("/", headers={"Host": "elsewhere.example"}).status_code == 400


@pytest.mark.parametrize(
    "name",
    [
        "tea",
        "a/b",
        "..",
        ".",
        "~",
        "a b",
        "%2F",
        "Ärger",
        "東京",
        "👩‍👩‍👧‍👦",
        "x" * 500,
        "'); DROP TABLE--",
        "<b>",
        "?q=1#x",
        "\u202eevil",
    ],
)
def test_a_fact_is_found_whatever_it_is_called(client, name):
    space = space_of(fact(name))
    address = reverse("fact", args=[space.name, name])
    assert client.get(address).status_code == 200
    listed = client.get(reverse("facts", args=[space.name])).text
    assert f'href="{address}"'.replace("'", "&#x27;") in listed


@pytest.mark.parametrize("odd", ["%00", "%ff", "~0", "~zz", "a%00b", "%ed%a0%80", "..%2f..", "9" * 400])
def test_an_odd_name_in_an_address_is_nobodys_failure(client, space, odd):
    answer = client.get(f"/spaces/{space.name}/facts/{odd}/")
    assert answer.status_code in (301, 404)
    assert client.get(f"/spaces/{odd}/").status_code in (301, 404)


def test_reading_of_what_is_not_there_writes_nothing(client, space):
    tables = connection.introspection.table_names()
    with connection.cursor() as cursor:
        counts = lambda: [cursor.execute(f"SELECT count(*) FROM {table}") or cursor.fetchone() for table in tables]  # noqa: E731
        before = str(counts())
        for path in ("/spaces/nowhere/", f"/spaces/{space.name}/facts/nothing/", f"/spaces/{space.name}/imports/none/"):
            assert client.get(path).status_code == 404
        assert str(counts()) == before
