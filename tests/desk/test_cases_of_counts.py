"""The public cases of group H that are about pages: counts are of all there is, and to look changes nothing."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from tests.actions.world import space_of
from tests.desk.conftest import ClientOf
from tests.desk.test_case_page import read
from tests.makers import fact
from trustmem.store.models import Space, User
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db
CASES = Path(__file__).parents[1] / "cases"


def case(name: str) -> Any:
    return json.loads((CASES / f"{name}.case.json").read_text())


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def test_125_a_number_is_that_of_all_facts_and_for_each_filter_not_that_of_a_page(client):
    (given,) = case("125-count-of-the-page")["given"]
    many = given["facts"]
    space = space_of(*(fact(f"f{each}", source="crm" if each % 5 else "wiki") for each in range(many)))
    assert f"needs you now {many} stale facts" in page(client, "dashboard", space)
    assert f"{many} facts" in page(client, "facts", space)
    assert f"{many // 5} facts" in page(client, "facts", space, source="wiki")
    assert f"{many - many // 5} facts" in page(client, "facts", space, source="crm")
    sources = page(client, "sources", space)
    assert f"wiki 0 0 – – {many // 5}" in sources and f"crm 0 0 – – {many - many // 5}" in sources


def test_127_a_thousand_looks_at_what_is_not_there_leave_everything_as_it_was(client):
    space, (repeat,) = space_of(fact("tea")), [step for step in case("127-reading-writes")["steps"] if "times" in step]
    before = rows(), state_hash(space)
    unknown = itertools.cycle(
        [
            "/spaces/nowhere/",
            reverse("fact", args=[space.name, "nothing"]),
            reverse("case", args=[space.name, "nothing"]),
            reverse("source", args=[space.name, "nobody"]),
            reverse("version", args=[space.name, 99]),
            reverse("facts", args=[space.name]) + "?text=nothing&source=nobody",
            reverse("review", args=[space.name]) + "?source=nobody",
            reverse("truth", args=[space.name]) + "?source=nobody",
        ]
    )
    for address in itertools.islice(unknown, repeat["times"]):
        assert client.get(address).status_code in (200, 404)
    assert (rows(), state_hash(space)) == before


def page(client: Client, name: str, space: Space, **query: str) -> str:
    return read(client.get(reverse(name, args=[space.name]), query).text)


def rows() -> dict[str, int]:
    """How many rows each table has."""
    found = dict[str, int]()
    with connection.cursor() as cursor:
        for table in connection.introspection.django_table_names(only_existing=True, include_views=False):
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")
            (found[table],) = cursor.fetchone()
    return found
