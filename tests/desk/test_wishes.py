"""An agent asks that a fact be forgotten which is not its own: people see who asks, and why."""

import pytest
from django.urls import reverse

from tests.actions.world import LATER, space_of
from tests.makers import fact
from trustmem.actions import access, agents
from trustmem.actions.speakers import Speaker
from trustmem.store.models import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def space():
    return space_of(fact("tea", source="ana"))


def asked(space, reason):
    return agents.forget(Speaker(space, "bot<b>"), "tea", now=LATER, reason=reason).case


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        ("She <i>moved</i>.", 'bot&lt;b&gt;</bdi> asks for it: <bdi translate="no">She &lt;i&gt;moved&lt;/i&gt;.'),
        ("", "bot&lt;b&gt;</bdi> asks for it, and does not say why."),
    ],
)
def test_people_see_who_asks_and_why(space, client, reason, says):
    case = asked(space, reason)
    client.force_login(access.add_member(space, "ben", Role.REVIEWER))
    page = client.get(reverse("case", args=[space.name, case])).content.decode()
    assert "An agent asks that this be forgotten: is it to be?" in page
    assert says in page
    queue = client.get(reverse("review", args=[space.name])).content.decode()
    assert "wish to forget" in queue
