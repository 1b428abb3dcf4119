"""The page of agents: an admin makes a token, which is shown once, and ends it; everybody sees who comes in."""

import os
import re
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client

from tests.desk.conftest import ClientOf
from trustmem.actions import access, spaces, tokens
from trustmem.desk import clock
from trustmem.store.models import Role, Space, Token

pytestmark = pytest.mark.django_db

AGENTS = "/spaces/diary/settings/agents/"
SHOWN = re.compile(r'<code id="token" class="once" translate="no">(tm_[\w-]{43})</code>')
MAKE = {"do": "make", "source": "planner", "title": "Night shift", "scopes": ["read", "feedback"]}
HOUR = 3_600_000_000


@pytest.fixture
def space(db: None) -> Space:
    return spaces.create("diary")


@pytest.fixture
def admins(client_of: ClientOf, space: Space) -> Client:
    return client_of(access.add_member(space, "admin", Role.ADMIN))


def page(client: Client) -> str:
    response = client.get(AGENTS)
    assert response.status_code == 200
    return response.content.decode()


def do(client: Client, **says: object) -> str:
    """The page after something was done."""
    response = client.post(AGENTS, says, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def token_in(shown: str) -> str:
    found = SHOWN.search(shown)
    assert found
    return found[1]


def made(space: Space, **more: object) -> tuple[Token, str]:
    given = {"source": "planner", "scopes": ["read"], "by": "ben", "now": clock.now(), **more}
    return tokens.issue(space, **given)  # type: ignore[arg-type]


def test_a_token_that_an_admin_makes_lets_an_agent_in_and_does_what_was_ticked(space: Space, admins: Client) -> None:
    shown = do(admins, **MAKE, valid_to="2099-01-01T00:00")
    token = tokens.who(token_in(shown), now=clock.now())
    assert token is not None
    assert (token.source, token.title, token.scopes, token.by) == (
        "planner",
        "Night shift",
        ["read", "feedback"],
        "admin",
    )
    assert "2099-01-01 00:00 UTC" in shown
    asked = Client().get("/api/v1/facts", headers={"Authorization": f"Bearer {token_in(shown)}"})
    assert asked.status_code == 200


def test_it_is_shown_on_one_page_and_on_none_after_that(space: Space, admins: Client) -> None:
    shown = token_in(do(admins, **MAKE))
    assert shown not in page(admins)
    assert shown not in page(admins)


def test_the_ways_to_connect_have_it_in_them_while_it_is_shown(space: Space, admins: Client) -> None:
    shown = do(admins, **MAKE)
    assert shown.count(token_in(shown)) == 5
    assert "tm_…" in page(admins)


def test_the_form_that_was_sent_twice_makes_one_token_and_the_answer_that_one_sees_shows_it(
    space: Space, admins: Client
) -> None:
    for _ in range(2):
        assert admins.post(AGENTS, {**MAKE, "click": "one-of-its-kind"}).status_code == 302
    assert Token.objects.count() == 1
    assert SHOWN.search(page(admins))
    assert admins.post(AGENTS, {**MAKE, "click": "one-of-its-kind"}).status_code == 302  # of a reload, much later
    assert Token.objects.count() == 1
    assert not SHOWN.search(page(admins))


def test_a_token_that_was_made_is_shown_even_where_its_first_answer_was_lost(
    space: Space, admins: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr("trustmem.desk.views.agents.redirect", lost)
        with pytest.raises(ConnectionError):
            admins.post(AGENTS, {**MAKE, "click": "one-of-its-kind"})
    assert admins.post(AGENTS, {**MAKE, "click": "one-of-its-kind"}).status_code == 302
    assert tokens.who(token_in(page(admins)), now=clock.now()) == Token.objects.get()


def test_nowhere_is_it_kept_so_that_it_can_be_read(space: Space, admins: Client) -> None:
    admins.post(AGENTS, MAKE)
    (session,) = Session.objects.all()
    assert "tm_" not in str(session.get_decoded())
    shown = token_in(page(admins))
    assert shown not in str(Token.objects.values())
    assert "shown once" not in Session.objects.get().get_decoded()


def test_whoever_comes_for_it_late_or_is_no_admin_any_more_is_not_shown_it(
    space: Space, admins: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    admins.post(AGENTS, MAKE)
    access.change_role(space, "admin", Role.READER)
    assert not SHOWN.search(page(admins))
    access.change_role(space, "admin", Role.ADMIN)
    admins.post(AGENTS, MAKE)
    monkeypatch.setattr("trustmem.desk.shown_once._PATIENCE", -1)
    assert not SHOWN.search(page(admins))


def test_rotated_it_ends_and_another_of_the_same_is_shown_once(space: Space, admins: Client) -> None:
    old, before = made(space, title="Night shift", scopes=["write"], valid_to=clock.now() + HOUR)
    shown = do(admins, do="rotate", token=old.pk)
    assert tokens.who(before, now=clock.now()) is None
    new = tokens.who(token_in(shown), now=clock.now())
    assert new is not None
    assert (new.source, new.title, new.scopes, new.valid_to) == (old.source, old.title, old.scopes, old.valid_to)
    assert not SHOWN.search(page(admins))


def test_who_made_one_is_told_which_and_has_the_line_that_finds_this_desk(space: Space, admins: Client) -> None:
    shown = admins.post(AGENTS, MAKE, follow=True).content.decode()
    token = Token.objects.get()
    assert f'<h2 id="token-title">Token {token.pk}, for ' in shown
    where = "DATABASE_URL=…" if "DATABASE_URL" in os.environ else f"TRUSTMEM_HOME={settings.HOME}"
    assert f"-e {where} -- {Path(sys.executable).with_name('trustmem')} mcp</code>" in shown
    access.change_role(space, "admin", Role.READER)
    assert str(settings.HOME) not in page(admins)


@pytest.mark.parametrize("do", ["rotate", "revoke"])
def test_a_click_that_comes_twice_is_answered_alike_and_does_nothing_more(
    space: Space, admins: Client, do: str
) -> None:
    token, _ = made(space)
    for _ in range(2):
        assert admins.post(AGENTS, {"do": do, "token": token.pk, "click": "one-of-its-kind"}).status_code == 302
    shown = page(admins)
    assert bool(SHOWN.search(shown)) == (do == "rotate")
    assert "Not done" not in shown
    assert Token.objects.count() == (2 if do == "rotate" else 1)


def test_revoked_it_opens_nothing_and_stands_among_those_that_have_ended(space: Space, admins: Client) -> None:
    token, secret = made(space, title="Night shift")
    shown = do(admins, do="revoke", token=token.pk)
    assert "The token Night shift has ended" in shown
    assert re.search(r'revoked <time [^>]+>just now</time> by <bdi translate="no">admin</bdi>', shown)
    assert tokens.who(secret, now=clock.now()) is None
    assert shown.index("Tokens that have ended") < shown.index("Night shift</b>") < shown.index("revoked")
    assert "this token has ended already" in do(admins, do="revoke", token=token.pk)


def test_one_that_ran_out_is_told_from_one_that_was_revoked(space: Space, admins: Client) -> None:
    then = clock.now() - HOUR
    made(space, now=then, valid_to=then + HOUR // 2)
    assert re.search(r"ran out <time [^>]+>30 minutes ago</time>", page(admins))
    assert "revoked <time" not in page(admins)


def test_who_made_it_and_when_it_was_used_last_is_told(space: Space, admins: Client) -> None:
    _, secret = made(space)
    assert 'by <bdi translate="no">ben</bdi> · never used' in page(admins)
    assert tokens.who(secret, now=clock.now())
    assert re.search(r"last used <time [^>]+>just now</time>", page(admins))


def test_what_is_wrong_is_said_at_the_form_and_what_was_typed_stays(space: Space, admins: Client) -> None:
    for wrong, says in (
        ({"scopes": []}, "Tick at least one."),
        ({"source": "a\u200bb\x01"}, "the source of a token has a control character"),
        ({"valid_to": "2001-01-01T00:00"}, "a token is valid until later than now"),
        ({"valid_to": "soon"}, "A moment is written as 2026-06-01T09:00."),
        ({"scopes": ["read", "accept"]}, "accept is not one of the available choices"),
    ):
        response = admins.post(AGENTS, {**MAKE, **wrong})
        shown = response.content.decode()
        assert (response.status_code, says in shown) == (400, True), (says, shown)
        assert 'value="Night shift"' in shown
    assert not Token.objects.exists()


def test_only_an_admin_makes_rotates_and_revokes_and_everybody_sees_who_comes_in(
    space: Space, client_of: ClientOf
) -> None:
    token, secret = made(space, title="Night shift")
    for role in (Role.READER, Role.REVIEWER, Role.CURATOR):
        client = client_of(access.add_member(space, role, role))
        shown = page(client)
        assert "Night shift" in shown
        assert "Make a token" not in shown
        for says in (MAKE, {"do": "rotate", "token": token.pk}, {"do": "revoke", "token": token.pk}):
            assert client.post(AGENTS, says).status_code == 403
    assert Token.objects.count() == 1
    assert tokens.who(secret, now=clock.now())


@pytest.mark.parametrize("says", [{"do": "erase", "token": 1}, {"do": "revoke", "token": "x"}, {"do": "revoke"}])
def test_what_nobody_can_do_is_refused(space: Space, admins: Client, says: dict[str, object]) -> None:
    assert admins.post(AGENTS, says).status_code == 400


def test_a_token_of_another_space_is_none_here(space: Space, admins: Client) -> None:
    other, secret = made(spaces.create("elsewhere"))
    assert "has no such token" in do(admins, do="revoke", token=other.pk)
    assert tokens.who(secret, now=clock.now())
    assert "has no such token" in do(admins, do="rotate", token=other.pk)


@pytest.mark.parametrize(
    ("at", "says"),
    [("8001", "http://testserver:8001/mcp "), ("https://memory.example/mcp", "https://memory.example/mcp ")],
)
def test_the_address_of_the_door_over_mcp_is_told(admins: Client, settings: object, at: str, says: str) -> None:
    settings.MCP_AT = at  # type: ignore[attr-defined]
    assert says in page(admins)


def test_names_that_would_hide_or_run_stand_as_they_are(space: Space, admins: Client) -> None:
    made(space, title="<script>alert(1)</script>", source="gnp.\u202etxt")
    shown = page(admins)
    assert "<script>alert" not in shown
    assert "\u202e" not in re.sub(r'aria-label="[^"]*"', "", shown)


def test_an_admin_sets_how_much_of_what_agents_find_may_be_unreviewed(space: Space, admins: Client) -> None:
    shown = page(admins)
    assert "At most 20 of a hundred." in shown and "nobody has changed that yet" in shown
    shown = do(admins, do="share", share="35")
    assert "At most 35 of a hundred." in shown and 'by <bdi translate="no">admin</bdi>' in shown
    for percent in (0, 100):
        do(admins, do="share", share=percent)
        assert Space.objects.get().unreviewed_share == percent


@pytest.mark.parametrize("share", ["", "-1", "101", "0.5", "half"])
def test_what_is_no_share_is_said_at_its_field_and_changes_nothing(space: Space, admins: Client, share: str) -> None:
    response = admins.post(AGENTS, {"do": "share", "share": share})
    shown = response.content.decode()
    assert response.status_code == 400
    assert shown.count('<p class="error" role="alert">') == 1
    assert Space.objects.get().unreviewed_share == 20


@pytest.mark.parametrize("role", [each for each in Role if each is not Role.ADMIN])
def test_who_is_no_admin_sees_the_share_and_does_not_change_it(space: Space, client_of: ClientOf, role: Role) -> None:
    client = client_of(access.add_member(space, "ben", role))
    assert "At most 20 of a hundred." in page(client) and 'name="share"' not in page(client)
    assert client.post(AGENTS, {"do": "share", "share": "100"}).status_code == 403
    assert Space.objects.get().unreviewed_share == 20
