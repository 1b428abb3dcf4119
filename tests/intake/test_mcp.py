"""The door for agents over MCP, by the SDK's own client, on stdio and over HTTP."""

import asyncio
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp import Client, StdioServerParameters

from tests.intake.sessions import HELLO

TOOLS = {"remember", "search", "show", "explain", "relate", "report_outcome", "flag", "what_changed"}


def on_stdio(home, token) -> Client:
    environment = {**home.environment, "TRUSTMEM_TOKEN": token}
    command = StdioServerParameters(command=sys.executable, args=["-m", "trustmem.cli", "mcp"], env=environment)
    return Client(command)


async def lived(client: Client) -> None:
    """An agent remembers, finds, asks why, reports, and is told what changed."""
    async with client as agent:
        listed = await agent.list_tools()
        assert {each.name for each in listed.tools} == TOOLS
        by_name = {each.name: each for each in listed.tools}
        assert by_name["search"].annotations.read_only_hint
        assert not by_name["remember"].annotations.read_only_hint
        assert all(each.output_schema for each in listed.tools)

        async def call(tool: str, **given: object) -> dict:
            answer = await agent.call_tool(tool, given)
            assert not answer.is_error, answer.content
            return answer.structured_content

        told = await call("remember", text="The harbour opens at six.")
        assert told["status"] == "new"
        name = told["fact"]
        (hit,) = (await call("search", query="when does the harbour open"))["hits"]
        assert (hit["id"], hit["text"], hit["source"]) == (name, "The harbour opens at six.", "bot")
        why = await call("explain", fact=name)
        assert [each["factor"] for each in why["why"]] == ["confidence", "freshness", "supersession", "provenance"]
        assert (await call("report_outcome", facts=[name], outcome="helpful"))["act"]
        assert (await call("show", fact=name))["scores"]["reinforcement_count"] == 1
        changed = await call("what_changed", since="2020-01-01T00:00:00Z")
        assert [each["facts"] for each in changed["changes"]] == [[name], [name]]
        await reported_on(agent, (await call("search", query="harbour", run="talk"))["search"], name)
        wrong = await agent.call_tool("show", {"fact": "nothing"})
        assert wrong.is_error
        assert "there is no such fact in this space" in wrong.content[0].text
        words = await agent.read_resource("trustmem://vocabulary")
        assert "very high" in json.loads(words.contents[0].text)["bands"]


async def reported_on(agent: Client, search: str, name: str) -> None:
    """What of a search was used is said once, of that search, and not of facts as well."""

    async def told(**given: object) -> str:
        answer = await agent.call_tool("report_outcome", given)
        return answer.content[0].text if answer.is_error else "done"

    assert await told(facts=[name], outcome="nice") == (
        "\"outcome\" must be one of 'helpful', 'unhelpful', 'corrected' or 'ignored'"
    )
    assert "was not handed out by this search" in await told(search=search, used=["coffee"])
    assert "not about both" in await told(search=search, used=[name], outcome="helpful")
    assert '"search" and "used"' in await told(search=search)
    assert '"search" and "used"' in await told()
    assert "no such search within a day" in await told(search="another", used=[])
    assert await told(search=search, used=[name]) == "done"
    assert "has been reported" in await told(search=search, used=[name])
    history = (await agent.call_tool("explain", {"fact": name})).structured_content["history"]
    assert [each["kind"] for each in history if each["run"] == "talk"][:2] == ["event.injected", "feedback.helpful"]


def test_an_agent_lives_over_stdio(home, token):
    asyncio.run(lived(on_stdio(home, token)))


def test_nothing_but_the_protocol_goes_to_stdout(home, token):
    environment = {**home.environment, "TRUSTMEM_TOKEN": token, "PYTHONWARNINGS": "always"}
    done = subprocess.run(
        [sys.executable, "-m", "trustmem.cli", "mcp"],
        input=json.dumps(HELLO) + "\nthis is no message\n",
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert lines
    assert all(json.loads(each)["jsonrpc"] == "2.0" for each in lines)


def test_without_a_token_there_is_one_sentence(home):
    command = [sys.executable, "-m", "trustmem.cli", "mcp"]
    done = subprocess.run(command, env=home.environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "an agent comes in by a token: put it in TRUSTMEM_TOKEN" in done.stderr


def test_a_token_of_no_agent_is_told_before_anything_is_asked(home, token):
    command = [sys.executable, "-m", "trustmem.cli", "mcp"]
    shows = {**home.environment, "TRUSTMEM_TOKEN": f"{token}x"}
    done = subprocess.run(command, env=shows, capture_output=True, text=True, timeout=60, check=False)
    where = f"in {home.folder}" if home.database is None else "that DATABASE_URL names"
    assert (done.returncode, done.stdout) == (2, "")
    assert f"the token in TRUSTMEM_TOKEN is none of the desk {where}, or it has ended" in done.stderr


def asked(port: int, token: str = "", **headers: str) -> int:
    """The status of a request."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    told |= {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", body, told)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@asynccontextmanager
async def over_http(port: int, token: str) -> AsyncIterator[object]:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as asking,
        streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=asking) as streams,
    ):
        yield streams


def test_an_agent_lives_over_http(port, token):
    asyncio.run(lived(Client(over_http(port, token))))


def test_109_who_is_no_agent_of_ours_is_refused_before_any_work(port, token):
    assert asked(port) == 401
    assert asked(port, "tm_nonsense") == 401
    assert asked(port, token, Origin="https://elsewhere.example") == 403
    assert asked(port, token, Host="elsewhere.example") == 403
    assert asked(port, token, Origin=f"http://127.0.0.1:{port}") == 200
