"""Settings: the constants by which a space counts, and the people who may look into it."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.actions.world import space_of
from tests.desk.conftest import ClientOf, MemberOf
from tests.makers import day, fact
from trustmem.actions import access, spaces
from trustmem.actions import constants as adopting
from trustmem.store.models import Membership, Role, Space, User

CONSTANTS, MEMBERS = "/spaces/diary/settings/", "/spaces/diary/settings/members/"
Do = Callable[..., HttpResponse]


@pytest.fixture
def space(db: None) -> Space:
    return spaces.create("diary")


@pytest.fixture
def owners(client_of: ClientOf, owner: User) -> Client:
    return client_of(owner)


@pytest.fixture
def admins(client_of: ClientOf, space: Space) -> Client:
    return client_of(access.add_member(space, "admin", Role.ADMIN))


def do(client: Client, do: str, username: str, role: str = "reader") -> str:
    """The page after something was done with a member."""
    response = client.post(MEMBERS, {"do": do, "username": username, "role": role}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def link_in(shown: str) -> str:
    """The link by which somebody comes in."""
    found = re.search(r"http://testserver(/enter/[^\s<]+/)", shown)
    assert found
    return found[1]


def test_somebody_new_is_let_in_by_a_link_that_is_shown_once(space: Space, owners: Client) -> None:
    shown = do(owners, "add", "ben", "reviewer")
    assert Membership.objects.get(space=space, user__username="ben").role == Role.REVIEWER
    ben = Client()
    assert ben.post(link_in(shown)).status_code == 302
    assert ben.get(MEMBERS).status_code == 200
    assert "/enter/" not in page(owners, MEMBERS)


def test_a_member_without_a_password_is_given_a_new_link(space: Space, admins: Client) -> None:
    first = link_in(do(admins, "add", "ben"))
    assert Client().post(first).status_code == 302
    assert "A new link" in page(admins, MEMBERS)
    second = link_in(do(admins, "link", "ben"))
    assert Client().post(first).status_code == 410
    assert Client().post(second).status_code == 302


def with_password(space: Space, username: str = "ben") -> User:
    user = access.add_member(space, username, Role.READER)
    user.set_password("a long way home")
    user.save()
    return user


def test_whoever_forgot_their_password_is_given_a_link_and_sets_a_new_one(space: Space, admins: Client) -> None:
    with_password(space)
    assert ">A new link<" in page(admins, MEMBERS)
    ben = Client()
    assert ben.post(link_in(do(admins, "link", "ben")))["Location"] == "/account/"
    assert "If you have forgotten your password, set a new one here." in page(ben, "/account/")
    assert ben.post("/account/", {"new_password1": "far and away", "new_password2": "far and away"}).status_code == 302
    assert "Old password" in page(ben, "/account/")
    assert Client().login(username="ben", password="far and away")


def test_whoever_comes_in_by_a_link_for_the_first_time_is_asked_to_set_a_password(space: Space, owners: Client) -> None:
    ben = Client()
    assert ben.post(link_in(do(owners, "add", "ben")))["Location"] == "/account/"
    assert "Set a password, so that you can come in again." in page(ben, "/account/")


def test_the_owner_comes_in_by_a_link_to_the_desk(owner: User) -> None:
    address = "/enter/{}/{}/".format(*access.invitation(owner))
    assert Client().post(address)["Location"] == "/"


def test_a_password_is_changed_by_whoever_knows_the_old_one(space: Space, client_of: ClientOf) -> None:
    client = client_of(with_password(space))
    new = {"new_password1": "far and away", "new_password2": "far and away"}
    assert client.post("/account/", new).status_code == 400
    assert client.post("/account/", new | {"old_password": "a guess"}).status_code == 400
    assert client.post("/account/", new | {"old_password": "a long way home"}).status_code == 302
    assert Client().login(username="ben", password="far and away")


def test_one_sees_in_which_spaces_one_is_what(space: Space, client_of: ClientOf, member: MemberOf) -> None:
    shown = page(client_of(member(space, Role.REVIEWER)), "/account/")
    assert 'href="/spaces/diary/"' in shown and "reviewer: and decides about facts" in shown


def test_a_way_leads_back_to_the_space_that_one_saw_last(space: Space, client_of: ClientOf, member: MemberOf) -> None:
    reader = member(space, Role.READER)
    client = client_of(reader)
    assert "Back to" not in page(client, "/account/")
    first = client.get(MEMBERS)
    assert first.cookies["space"]["httponly"] and "space" not in client.get(MEMBERS).cookies
    for address in ("/account/", "/spaces/"):
        assert re.search(r'<a href="/spaces/diary/">Back to <bdi translate="no">diary</bdi>', page(client, address))
    access.remove_member(space, reader.username)
    assert "Back to" not in page(client, "/spaces/")


@pytest.mark.parametrize("key", ["x", "-1", "1" * 40, "999", ""])
def test_a_cookie_that_names_no_space_leads_nowhere(owners: Client, key: str) -> None:
    owners.cookies["space"] = key
    assert "Back to" not in page(owners, "/account/")


def test_the_link_stands_in_an_element_of_its_own_to_be_copied_and_on_one_page_alone(
    space: Space, admins: Client
) -> None:
    shown = do(admins, "add", "ben")
    assert re.search(r'<code id="link" class="once" translate="no">http://testserver/enter/[^<]+/</code>', shown)
    assert 'data-copy="link"' in shown and "js/copy.js" in shown
    assert "copy.js" not in page(admins, MEMBERS)


def test_a_link_is_shown_to_nobody_who_is_no_admin_any_more(space: Space, admins: Client) -> None:
    admins.post(MEMBERS, {"do": "add", "username": "ben", "role": "reader"})
    access.change_role(space, "admin", Role.READER)
    assert "/enter/" not in page(admins, MEMBERS)


def test_an_admin_of_one_space_gets_no_link_for_a_member_of_another(space: Space, admins: Client) -> None:
    access.add_member(spaces.create("elsewhere"), "ben", Role.ADMIN)
    shown = do(admins, "add", "ben")
    assert "comes in as before" in shown and "/enter/" not in shown
    assert "/enter/" not in do(admins, "link", "ben")


def test_an_admin_gets_no_link_for_the_owner(space: Space, admins: Client, owner: User) -> None:
    response = admins.post(MEMBERS, {"do": "add", "username": "owner", "role": "reader"})
    assert response.status_code == 400
    assert "The owner is in every space already." in response.content.decode()
    Membership.objects.create(space=space, user=owner, role=Role.READER)
    for client in (admins, Client()):
        client.post(MEMBERS, {"do": "link", "username": "owner"})
    assert "/enter/" not in page(admins, MEMBERS)


def test_a_link_is_made_for_nobody_who_is_no_member(space: Space, owners: Client) -> None:
    User.objects.create_user("ben")
    assert "/enter/" not in do(owners, "link", "ben")


def test_a_role_is_changed_and_a_member_removed(space: Space, owners: Client) -> None:
    do(owners, "add", "ben")
    assert "ben is now curator" in do(owners, "role", "ben", "curator")
    assert Membership.objects.get(user__username="ben").role == Role.CURATOR
    assert "ben is no member of this space any more." in do(owners, "remove", "ben")
    assert not Membership.objects.exists()
    assert "is no member of this space" in do(owners, "remove", "ben")
    assert "is no member of this space" in do(owners, "role", "ben")


def test_whoever_removes_themselves_is_led_to_their_spaces(space: Space, admins: Client) -> None:
    response = admins.post(MEMBERS, {"do": "remove", "username": "admin"})
    assert response["Location"] == "/spaces/"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"do": "add", "username": "", "role": "reader"}, "required"),
        ({"do": "add", "username": "<b>", "role": "reader"}, "valid username"),
        ({"do": "add", "username": "ben", "role": "king"}, "valid choice"),
        ({"do": "role", "username": "ben", "role": "king"}, "valid choice"),
        ({"do": "add", "username": "\uff42\uff45\uff4e", "role": "reader"}, "is a member already"),
        ({"do": "marry", "username": "ben"}, "cannot be done"),
        ({}, "cannot be done"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(
    space: Space, owners: Client, given: dict[str, str], says: str
) -> None:
    access.add_member(space, "ben", Role.READER)
    response = owners.post(MEMBERS, given)
    assert response.status_code == 400
    assert says in response.content.decode()
    assert Membership.objects.count() == 1


def test_who_may_read_the_settings_and_who_may_change_them(space: Space, client_of: ClientOf, member: MemberOf) -> None:
    for role in Role:
        client = client_of(member(space, role))
        assert "Constants" in page(client, CONSTANTS)
        assert ("Let somebody in" in page(client, MEMBERS)) is (role is Role.ADMIN)
        adding = {"do": "add", "username": f"new-{role}", "role": "reader"}
        assert client.post(MEMBERS, adding).status_code == (302 if role is Role.ADMIN else 403)
    stranger = client_of(User.objects.create_user("stranger"))
    for address in (CONSTANTS, MEMBERS):
        assert stranger.get(address).status_code == 404
        assert Client().get(address).status_code == 302


def test_the_owner_is_told_as_such(space: Space, owners: Client) -> None:
    assert "owner: everything, in every space" in page(owners, MEMBERS)


def test_as_many_queries_for_twenty_members_and_versions_as_for_ten(owners: Client) -> None:
    space = space_of(fact("f"))

    def grow(first: int) -> list[int]:
        for number in range(first, first + 10):
            access.add_member(space, f"member-{number}", Role.READER)
            adopting.adopt(space, {"prior_weight": 3 + number}, by="ana", now=day(101 + number), reason="so")
        return [cost(MEMBERS), cost(CONSTANTS)]

    def cost(address: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            page(owners, address)
        return len(captured)

    assert grow(0) == grow(10)


def test_whoever_is_new_goes_on_to_a_file_or_to_the_agents(owners: Client) -> None:
    for name, asked, where in (("files", {}, "/imports/"), ("talks", {"next": "agents"}, "/settings/agents/")):
        assert owners.post("/spaces/", {"name": name, **asked})["Location"] == f"/spaces/{name}{where}"
    assert 'href="/spaces/talks/settings/agents/">Or let an agent in</a>' in page(owners, "/spaces/talks/")
