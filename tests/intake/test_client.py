"""The client from Python, against a desk that listens."""

import asyncio
import time

import pytest

from tests.actions.world import LATER, private, registered, space_of
from tests.makers import fact
from trustmem.actions import facts, tokens
from trustmem.client import AsyncClient, Client, Problem
from trustmem.core.instants import to_text
from trustmem.formats.interchange_types import parse_record
from trustmem.formats.signed import claim, sign
from trustmem.store.models import Case, Fact, Served, Space

AT = "2026-01-01T00:00:00Z"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def token() -> str:
    return tokens.issue(space_of(fact("tea")), "bot", tokens.SCOPES, by="ana", now=LATER)[1]


def test_an_agent_lives_by_the_client(live_server, token):
    with Client(live_server.url, token) as desk:
        told = desk.remember("The harbour opens at six.", subject="harbour", run="r1")
        assert told["status"] == "new"
        found = desk.search("when does the harbour open", run="r1")
        (hit,) = found["hits"]
        assert (hit["id"], hit["text"], hit["subject"]) == (told["fact"], "The harbour opens at six.", "harbour")
        assert Served.objects.get().facts == [told["fact"]]
        assert desk.report_used(found["search"], [hit["id"]])
        with pytest.raises(Problem, match=r"^what came of this search has been reported$"):
            desk.report_used(found["search"], [])
        later = desk.remember("The harbour opens at seven.")
        assert [each["fact"] for each in later["candidates"]] == [told["fact"]]
        assert desk.relate(later["fact"], "updates", told["fact"])
        (head,) = desk.search("harbour opens at six")["hits"]
        assert (head["id"], head["replaces"]) == (later["fact"], [told["fact"]])
        assert desk.report([later["fact"]], "helpful", confirmed=True, run="another day")
        assert desk.show(later["fact"])["scores"]["r"] == 1
        assert {each["id"] for each in desk.facts(size=1)} == {told["fact"], later["fact"], "tea"}
        assert desk.tell("injected", told["fact"], run="monday")
        assert desk.flag(told["fact"], note="Not any more.")
        assert desk.forget(told["fact"])["act"]
        assert desk.forget("tea", reason="It is cold.")["case"].startswith("case:wish-to-forget:")
        assert "It is cold." in Case.objects.get().factors
        with pytest.raises(Problem, match=r"^there is no such fact in this space$") as refused:
            desk.show(told["fact"])
        assert refused.value.status == 404


@pytest.mark.parametrize("given", ["", " ", "tm_", "Bearer tm_abc", "tm_abc\n", "tm_é", "tm_…"])
@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_what_can_be_no_token_is_said_in_one_sentence(kind, given):
    with pytest.raises(ValueError, match=r"^a token begins with tm_ and is taken as it was shown when it was made$"):
        kind("http://127.0.0.1:8000", given)


def test_an_id_that_is_taken_is_a_problem_and_what_was_forgotten_is_an_answer(live_server, token):
    space = Space.objects.get()
    facts.forget(space, "tea", by="ana", now=LATER * 2)
    with Client(live_server.url, token) as desk:
        desk.remember("The harbour opens at six.", id="harbour")
        with pytest.raises(Problem, match=r'has a "harbour" already, which says something else$') as refused:
            desk.remember("The harbour is closed.", id="harbour")
        assert refused.value.status == 409
        told = desk.remember(Fact.objects.get(name="tea").text)
        assert (told["status"], told["fact"], bool(told["tombstone"])) == ("refused", None, True)


@pytest.mark.parametrize("name", [".", "..", "a/../b", "a.b", "ä ?#%2E"])
def test_a_fact_is_asked_for_by_whatever_name_it_has(live_server, token, name):
    with Client(live_server.url, token) as desk:
        desk.remember(f"It is called {name}", id=name)
        assert desk.show(name)["id"] == name


def test_one_fact_is_as_good_as_a_list_of_one(live_server, token):
    with Client(live_server.url, token) as desk:
        assert desk.report("tea", "helpful")


def test_what_is_no_desk_is_told_by_its_address(live_server, token):
    with (
        Client(f"{live_server.url}/elsewhere", token) as desk,
        pytest.raises(
            Problem, match=rf"^{live_server.url}/elsewhere/api/v1/search answered 404 and not as a desk does$"
        ),
    ):
        desk.search("tea")


def test_the_same_awaited(live_server, token):
    async def live() -> None:
        async with AsyncClient(live_server.url, token) as desk:
            told = await desk.remember("The harbour opens at six.")
            found = await desk.search("harbour")
            assert [hit["id"] for hit in found["hits"]] == [told["fact"]]
            assert await desk.report_used(found["search"], [])
            assert [each["id"] async for each in desk.facts(size=1)]
            assert (await desk.show(told["fact"]))["text"] == "The harbour opens at six."
            await desk.report([told["fact"]], "ignored")
            assert await desk.tell("injected", told["fact"])
            assert await desk.flag(told["fact"])
            await desk.forget(told["fact"])
            (sent,) = await desk.send([{"type": "fact", "id": "f", "text": "Rain.", "at": "2026-01-01T00:00:00Z"}])
            assert sent["status"] == "new"
            assert [each["id"] async for each in desk.export()] == ["tea", "f"]

    asyncio.run(live())


def test_many_are_sent_and_told_by_lines(live_server, token):
    lines = [{"type": "fact", "id": f"f{place}", "text": f"Tide {place}\u2028.", "at": AT} for place in range(3)]
    with Client(live_server.url, token) as desk:
        assert [each["status"] for each in desk.send([*lines, {**lines[0], "tier": "human"}])] == [
            *["new"] * 3,
            "refused",
        ]
        assert [each["text"] for each in desk.export()] == ["What tea says.", *(each["text"] for each in lines)]
    with Client(live_server.url, "tm_nonsense") as desk, pytest.raises(Problem, match="is no token of this desk"):
        next(desk.export())


def test_what_a_key_has_signed_is_signed(live_server, token):
    space = Space.objects.get()
    registered(space, "door", source="bot", by="ana", now=LATER, valid_from=0)
    at = to_text(time.time_ns() // 1000)
    said = {"type": "fact", "id": "mine", "text": "The door is locked.", "source": "bot", "at": at}
    signature = sign(private("door"), "door", claim(parse_record(said), space.name))
    with Client(live_server.url, token) as desk:
        told = desk.remember(said["text"], id="mine", at=at, signature=signature)
        assert (told["status"], desk.show("mine")["scores"]["tier"]) == ("new", "signed")


def test_who_has_no_token_is_told_so_in_a_sentence(live_server, token):
    with Client(live_server.url, "tm_nonsense") as desk, pytest.raises(Problem, match="is no token of this desk"):
        desk.search("harbour")
