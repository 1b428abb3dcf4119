"""What people decide at the desk holds, is said, can be taken back, and takes the role that it takes."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.actions.world import LATER, registered, space_of
from tests.desk.conftest import ClientOf, MemberOf
from tests.makers import fact
from trustmem.actions import consolidation, constants, erasing, facts, imports
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.store import queries
from trustmem.store.models import Fact, Import, Line, Role, Space, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"), fact("milk"))


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def decide(client: Client, space: Space, act: str, **given: str):
    named = {f"{act}-{name}": value for name, value in given.items()}
    return client.post(reverse(act, args=[space.name, "tea"]), named, follow=True)


def undo(client: Client, space: Space, act: str, **given: str):
    return client.post(reverse("undo", args=[space.name]), {"act": act, **given}, follow=True)


def newest_act(space: Space) -> str:
    return Line.objects.filter(space=space).exclude(act="").latest("position").act


def state(space: Space) -> int:
    return Fact.objects.get(space=space, name="tea").state


def test_what_is_decided_holds_and_is_said_with_its_reason_on_record(client, space):
    assert "Accepted" in decide(client, space, "accept", reason="Seen.").text
    assert Fact.objects.get(space=space, name="tea").accepted
    answer = decide(client, space, "forget", reason="Poured away.")
    assert "Forgotten" in answer.text
    assert "Poured away." in answer.text
    assert state(space) == FORGOTTEN
    assert "Restored" in decide(client, space, "restore").text
    assert state(space) == LIVE


def test_a_correction_leads_to_what_holds_now(client, space):
    answer = decide(client, space, "correct", text="Tea is at five.\r\nOr six.", reason="New hours.")
    assert answer.redirect_chain[-1][0] == reverse("fact", args=[space.name, "tea-corrected"])
    assert Fact.objects.get(space=space, name="tea-corrected").text == "Tea is at five.\nOr six."


def test_what_is_refused_is_said_and_changes_nothing(client, space):
    answer = decide(client, space, "restore")
    assert "Not done" in answer.text
    assert "live already" in answer.text
    assert decide(client, space, "correct", text="").status_code == 400
    assert decide(client, space, "accept", reason="x" * 3000).status_code == 400
    assert not Fact.objects.get(space=space, name="tea").accepted


def test_an_act_is_taken_back_and_brought_back(client, space):
    decide(client, space, "forget")
    assert "Undone" in undo(client, space, newest_act(space)).text
    assert state(space) == LIVE
    undo(client, space, newest_act(space))
    assert state(space) == FORGOTTEN


@pytest.mark.parametrize("act", ["", "act:nonsense", "a\0b"])
def test_an_act_that_there_is_not_is_not_undone(client, space, act):
    assert "Not done" in undo(client, space, act).text


@pytest.mark.parametrize("what", ["erased", "key"])
def test_what_nothing_undoes_is_a_conflict_and_the_page_says_so(client, space, what):
    if what == "erased":
        act = erasing.erase(space, "tea", by="ana", now=LATER + 1, reason="")
    else:
        act = registered(space, "k1", source="ana", by="ana", now=LATER + 1)
    before = Line.objects.filter(space=space).count()
    answer = undo(client, space, act)
    assert answer.status_code == 409
    assert "what is erased stays erased, and a key stays known" in answer.text
    assert Line.objects.filter(space=space).count() == before


@pytest.mark.parametrize(
    "back", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)", "/\\evil"]
)
def test_an_undo_leads_nowhere_else(client, space, back):
    decide(client, space, "forget")
    answer = client.post(reverse("undo", args=[space.name]), {"act": newest_act(space), "next": back})
    assert answer.url == reverse("dashboard", args=[space.name])


@pytest.mark.parametrize("act", ["accept", "forget", "correct", "restore"])
def test_a_reader_decides_nothing(client_of, member: MemberOf, space, act):
    before = space.head_position
    answer = decide(client_of(member(space, Role.READER)), space, act, text="Tea is at five.")
    assert answer.status_code == 403
    assert "the role reviewer" in answer.text
    space.refresh_from_db()
    assert space.head_position == before


@pytest.mark.parametrize(
    ("what", "least"),
    [("decision", Role.REVIEWER), ("import", Role.CURATOR), ("pass", Role.CURATOR), ("constants", Role.ADMIN)],
)
def test_to_undo_takes_the_role_that_it_takes_to_do(client_of, member: MemberOf, space, what, least):
    act = _done(space, what)
    for role in Role:
        answer = undo(client_of(member(space, role)), space, act)
        if list(Role).index(role) < list(Role).index(least):
            assert answer.status_code == 403
            assert not Line.objects.filter(space=space, tag="event.undone").exists()
    assert Line.objects.filter(space=space, tag="event.undone").count() >= 1


def test_to_bring_back_what_was_undone_takes_that_role_too(client, client_of, member: MemberOf, space):
    act = _done(space, "constants")
    undo(client, space, act)
    undoing = newest_act(space)
    assert undo(client_of(member(space, Role.CURATOR)), space, undoing).status_code == 403
    undo(client, space, undoing)
    assert queries.constants(space).stale_threshold == 0.3


def _done(space: Space, what: str) -> str:
    """The act of something that somebody did."""
    now = LATER + 1
    if what == "decision":
        return facts.forget(space, "tea", by="ana", now=now)
    if what == "constants":
        return constants.adopt(space, {"stale_threshold": 0.3}, by="ana", now=now, reason="Fits us.")
    if what == "pass":
        consolidation.consolidate(space, by="ana", now=now)
        return Line.objects.get(space=space, tag="pass").name
    line = b'{"type": "fact", "id": "cups", "text": "Two cups.", "at": "2026-01-01T09:00:00Z"}\n'
    imports.import_lines(space, [line], file="more", by="ana", now=now)
    return Import.objects.filter(space=space).latest("pk").name.rpartition(":")[0]
