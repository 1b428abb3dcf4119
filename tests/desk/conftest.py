"""The cast of the desk: an owner, members of a space, and the browsers they use."""

from collections.abc import Callable

import pytest
from django.test import Client

from trustmem.actions import access
from trustmem.store.models import Role, Space, User

ClientOf = Callable[[User], Client]
MemberOf = Callable[[Space, Role], User]


@pytest.fixture
def owner(db: None) -> User:
    return access.owner()


@pytest.fixture
def client_of() -> ClientOf:
    """The browser of somebody who is signed in."""

    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def member(db: None) -> MemberOf:
    """Somebody who has a role in a space, and is nothing elsewhere."""
    return lambda space, role: access.add_member(space, f"some-{role}", role)
