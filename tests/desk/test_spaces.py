"""The list of spaces: each with its live facts, whoever may see it, at the price of one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import LATER, space_of
from tests.desk.conftest import ClientOf, MemberOf
from tests.makers import fact
from trustmem.actions import facts, spaces
from trustmem.store import lists
from trustmem.store.models import Role, Space, User

pytestmark = pytest.mark.django_db


def test_each_space_is_shown_with_its_live_facts(owner: User, client_of: ClientOf):
    space = space_of(*(fact(f"f{number}") for number in range(4)))
    facts.forget(space, "f1", by="ana", now=LATER)
    spaces.create("empty")
    shown = client_of(owner).get(reverse("spaces")).context["listed"]
    assert [(each.name, each.facts) for each in shown] == [("diary", "3"), ("empty", "0")]


def test_counts_stop_where_they_are_far_enough(db):
    space_of(*(fact(f"f{number}") for number in range(4)))
    assert [(count, is_more) for _, count, is_more in lists.sizes(Space.objects.all(), cap=3)] == [(3, True)]
    assert [(count, is_more) for _, count, is_more in lists.sizes(Space.objects.all(), cap=4)] == [(4, False)]


def test_nobody_sees_a_space_that_is_not_theirs(client_of: ClientOf, member: MemberOf):
    mine, _ = spaces.create("mine"), spaces.create("other")
    shown = client_of(member(mine, Role.READER)).get(reverse("spaces")).context["listed"]
    assert [each.name for each in shown] == ["mine"]


def test_it_asks_as_much_for_20_spaces_as_for_10(owner: User, client_of: ClientOf):
    client, asked = client_of(owner), []
    for many in (range(10), range(10, 20)):
        for number in many:
            spaces.create(f"s{number}")
        client.get(reverse("spaces"))
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("spaces"))
        asked.append(len(queries))
    assert asked[0] == asked[1]
