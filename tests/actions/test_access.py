"""An invitation lets in whom it was made for, once, and no further than its maker could see."""

import pytest

from tests.actions.world import LATER
from trustmem.actions import access, spaces
from trustmem.actions.errors import Refusal
from trustmem.store.models import Membership, Role, Space, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    return spaces.create("diary")


def test_the_first_owner_is_made_and_stays_the_owner():
    assert access.owner() == access.owner()
    assert User.objects.get().is_superuser


def test_an_invitation_is_used_once(space):
    link = access.invitation(access.add_member(space, "ben", Role.READER))
    assert access.invited(*link).username == "ben"
    assert access.use(*link, now=LATER).username == "ben"
    assert access.invited(*link) is None
    assert access.use(*link, now=LATER) is None


def test_of_two_links_the_second_ends_when_the_first_was_used(space):
    ben = access.add_member(space, "ben", Role.READER)
    links = [access.invitation(ben), access.invitation(ben)]
    assert access.use(*links[0], now=LATER) == ben
    assert access.use(*links[1], now=LATER + 1) is None


def test_a_link_ends_when_its_person_is_let_in_elsewhere_or_put_out(space):
    ben = access.add_member(space, "ben", Role.READER)
    link = access.invitation(ben)
    access.add_member(spaces.create("other"), "ben", Role.ADMIN)
    assert access.invited(*link) is None
    link = access.invitation(ben)
    access.change_role(space, "ben", Role.ADMIN)
    assert access.invited(*link) is None
    link = access.invitation(ben)
    access.remove_member(space, "ben")
    assert access.invited(*link) is None


@pytest.mark.parametrize(
    ("uid", "token"), [("", ""), ("MQ", "nonsense"), ("OTk5OTk5OTk5OTk5OTk5OTk5OTk", "x-y"), ("é", "x")]
)
def test_what_is_no_invitation_lets_nobody_in(uid, token):
    access.owner()
    assert access.invited(uid, token) is None


@pytest.mark.parametrize("username", ["", "two words", "a" * 10 + "<b>"])
def test_a_name_that_is_none_is_refused(space, username):
    with pytest.raises(Refusal):
        access.add_member(space, username, Role.READER)
    assert not Membership.objects.exists()


def test_nobody_is_a_member_twice(space):
    access.add_member(space, "ben", Role.READER)
    with pytest.raises(Refusal, match="already"):
        access.add_member(space, "ben", Role.ADMIN)
    assert Membership.objects.get().role == Role.READER


def test_who_is_no_member_has_no_role_to_change(space):
    for change in (lambda: access.change_role(space, "ben", Role.ADMIN), lambda: access.remove_member(space, "ben")):
        with pytest.raises(Refusal, match="no member"):
            change()
