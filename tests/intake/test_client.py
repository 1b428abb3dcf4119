"""The client from Python, against a desk that listens."""

import asyncio

import pytest

from tests.actions.world import LATER, space_of
from tests.makers import fact
from trustmem.actions import tokens
from trustmem.client import AsyncClient, Client, Problem
from trustmem.store.models import Served

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def token() -> str:
    return tokens.issue(space_of(fact("tea")), "bot", tokens.SCOPES, by="ana", now=LATER)[1]


def test_an_agent_lives_by_the_client(live_server, token):
    with Client(live_server.url, token) as desk:
        told = desk.remember("The harbour opens at six.", subject="harbour", run="r1")
        assert told["status"] == "new"
        (hit,) = desk.search("when does the harbour open", run="r1")["hits"]
        assert (hit["id"], hit["text"], hit["subject"]) == (told["fact"], "The harbour opens at six.", "harbour")
        assert Served.objects.get().facts == [told["fact"]]
        later = desk.remember("The harbour opens at seven.")
        assert [each["fact"] for each in later["candidates"]] == [told["fact"]]
        assert desk.relate(later["fact"], "updates", told["fact"])
        (head,) = desk.search("harbour opens at six")["hits"]
        assert (head["id"], head["replaces"]) == (later["fact"], [told["fact"]])
        assert desk.report([later["fact"]], "helpful", confirmed=True, run="another day")
        assert desk.show(later["fact"])["scores"]["r"] == 1
        assert {each["id"] for each in desk.facts(size=1)} == {told["fact"], later["fact"], "tea"}
        assert desk.flag(told["fact"], note="Not any more.")
        desk.forget(told["fact"])
        with pytest.raises(Problem, match=r"^there is no such fact in this space$") as refused:
            desk.show(told["fact"])
        assert refused.value.status == 404


def test_the_same_awaited(live_server, token):
    async def live() -> None:
        async with AsyncClient(live_server.url, token) as desk:
            told = await desk.remember("The harbour opens at six.")
            (hit,) = (await desk.search("harbour"))["hits"]
            assert hit["id"] == told["fact"]
            assert [each["id"] async for each in desk.facts(size=1)]
            assert (await desk.show(told["fact"]))["text"] == "The harbour opens at six."
            await desk.report([told["fact"]], "ignored")
            assert await desk.flag(told["fact"])
            await desk.forget(told["fact"])

    asyncio.run(live())


def test_who_has_no_token_is_told_so_in_a_sentence(live_server, token):
    with Client(live_server.url, "tm_nonsense") as desk, pytest.raises(Problem, match="is no token of this desk"):
        desk.search("harbour")
