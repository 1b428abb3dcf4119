"""The page of keys: an admin registers what somebody has shown that they have, and revokes it."""

import pytest
from django.test import Client

from tests.actions.world import registered, signed, space_of
from tests.desk.conftest import ClientOf
from tests.makers import fact
from trustmem.actions import access
from trustmem.formats import signed as claims
from trustmem.store.models import Fact, Key, Role, Space

pytestmark = pytest.mark.django_db

KEYS = "/spaces/diary/settings/keys/"


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


@pytest.fixture
def admins(client_of: ClientOf, space: Space) -> Client:
    return client_of(access.add_member(space, "admin", Role.ADMIN))


def given(space: Space, **values: str) -> dict[str, str]:
    public, proof = claims.prove(bytes(range(32)), space.name, "ana")
    return {"do": "register", "name": "door", "source": "ana", "public": public, "proof": proof, **values}


def test_a_key_is_registered_by_an_admin_who_was_given_a_proof(space: Space, admins: Client) -> None:
    assert "No key yet" in admins.get(KEYS).content.decode()
    shown = admins.post(KEYS, given(space, valid_to="2099-01-01T00:00"), follow=True).content.decode()
    assert "The key door signs for ana." in shown
    assert "2099-01-01 00:00" in shown
    assert Key.objects.get(space=space).source == "ana"


def test_what_is_wrong_is_said_at_the_form_and_what_was_typed_stays(space: Space, admins: Client) -> None:
    for values, says in (
        ({"source": "eve"}, "the proof does not hold"),
        ({"public": "AAAA"}, "must be 32 bytes in base64, not 3"),
        ({"valid_to": "2001-01-01T00:00"}, "a key is valid until later than from when on it is"),
    ):
        response = admins.post(KEYS, given(space, **values))
        shown = response.content.decode()
        assert response.status_code == 400
        assert says in shown
        assert 'value="door"' in shown
    assert not Key.objects.exists()


def test_what_a_compromised_key_ever_signed_is_counted_and_one_click_brings_it_back(
    space: Space, admins: Client
) -> None:
    signed(space, fact("motto", source="ana"))
    key = Key.objects.get(space=space).name
    shown = admins.post(KEYS, {"do": "revoke", "key": key, "why": "compromised"}, follow=True).content.decode()
    assert "facts that it ever signed: 1." in shown
    assert "revoked as compromised" in shown
    assert Fact.objects.get(space=space, name="motto").bad_signature
    act = shown.split('/undo/"')[0].rsplit("/", 1)[1] if '/undo/"' in shown else ""
    assert act


def test_only_an_admin_changes_keys_and_everybody_sees_them(space: Space, client_of: ClientOf) -> None:
    registered(space, "door", source="ana", by="ben", now=0)
    for role in (Role.READER, Role.REVIEWER, Role.CURATOR):
        client = client_of(access.add_member(space, role, role))
        shown = client.get(KEYS).content.decode()
        assert "door" in shown
        assert "Register a key" not in shown
        assert client.post(KEYS, given(space, name="k2")).status_code == 403
        assert client.post(KEYS, {"do": "revoke", "key": "door", "why": "lost"}).status_code == 403
    assert Key.objects.get(space=space).revoked_at < 0
