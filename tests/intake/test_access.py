"""Who may what at the doors for agents: every route and every tool, from their own tables, for everybody who may come.

A route or a tool that has no line here fails; and by a token nobody opens the desk.
"""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from django.db import connection, connections
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from mcp import Client as McpClient

from tests.actions.world import LATER, space_of
from tests.intake.asking import API, Agent, token_of
from tests.makers import fact
from trustmem.actions import access, spaces, tokens
from trustmem.intake.mcp.http import PATH, application
from trustmem.intake.mcp.server import server
from trustmem.intake.rest.api import api, routes
from trustmem.store.models import Fact, Line, Role, Space, Token

LINE = {"type": "fact", "id": "sent", "text": "Sent.", "at": "2026-01-01T00:00:00Z"}
#: What each route is asked, about a fact `tea` of space A, by whom it is answered with which status: `scope` names the
#: one that it needs ("": none). `elsewhere` is what an agent of space B, who may everything there, is answered.
ROUTES = {
    ("GET", "/facts"): ("read", "/facts", None, 200, 200),
    ("POST", "/facts"): ("write", "/facts", {"text": "The harbour opens at six."}, 201, 201),
    ("GET", "/facts/{path:id}"): ("read", "/facts/tea", None, 200, 404),
    ("DELETE", "/facts/{path:id}"): ("write", "/facts/tea", None, 202, 404),
    ("GET", "/search"): ("read", "/search?q=tea", None, 200, 200),
    ("POST", "/edges"): ("write", "/edges", {"from": "motto", "relation": "extends", "to": "tea"}, 201, 404),
    ("POST", "/events"): ("write", "/events", {"kind": "restated", "fact": "tea"}, 201, 404),
    ("POST", "/flags/{path:id}"): ("write", "/flags/tea", {}, 201, 404),
    ("POST", "/feedback"): ("feedback", "/feedback", {"facts": ["tea"], "outcome": "helpful"}, 201, 404),
    ("POST", "/bulk"): ("import", "/bulk", LINE, 200, 200),
    ("GET", "/export"): ("read", "/export", None, 200, 200),
    ("GET", "/passes"): ("read", "/passes", None, 200, 200),
    ("GET", "/health"): ("", "/health", None, 200, 200),
}
#: The same of tools: what they are asked, and whether an agent of space B is told that there is no such fact.
TOOLS = {
    "remember": ("write", {"text": "The harbour opens at six."}, True),
    "search": ("read", {"query": "tea"}, True),
    "show": ("read", {"fact": "tea"}, False),
    "explain": ("read", {"fact": "tea"}, False),
    "relate": ("write", {"newer": "motto", "relation": "extends", "older": "tea"}, False),
    "report_outcome": ("feedback", {"facts": ["tea"], "outcome": "helpful"}, False),
    "flag": ("write", {"fact": "tea"}, False),
    "what_changed": ("read", {"since": "2020-01-01T00:00:00Z"}, True),
}


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea", source="ana"), fact("motto", source="ana"))


def operations():
    """Every route, as the door itself has them."""
    return {
        (method, path)
        for router in api._get_bound_routers()
        for path, view in router.path_operations.items()
        for operation in view.operations
        for method in operation.methods
    }


def test_every_route_has_its_line_here():
    assert operations() == ROUTES.keys()
    assert {str(each.pattern) for each in routes[0]} == {
        *(path.lstrip("/").replace("{path:id}", "<path:id>") for _, path in ROUTES),
        "",
        "openapi.json",
    }


def ask(client, method, path, body):
    kind = "application/x-ndjson" if path == "/bulk" else "application/json"
    return client.generic(method, API + path, "" if body is None else json.dumps(body), content_type=kind)


@pytest.mark.django_db
@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_a_route_is_open_to_its_scope_in_its_space_and_to_nobody_else(space, client, route):
    scope, path, body, there, elsewhere = ROUTES[route]
    method, other = route[0], spaces.create("other")
    assert ask(Client(), method, path, body).status_code == (401 if scope else there)
    for role in Role:
        client.force_login(access.add_member(space, role.value, role))
        assert ask(client, method, path, body).status_code == (401 if scope else there), role
    by_scope = {each: Agent(token_of(space, scopes=[each])).client for each in tokens.SCOPES}
    for each, agent in by_scope.items():
        if each != scope:
            assert ask(agent, method, path, body).status_code == (403 if scope else there), each
    before = Line.objects.filter(space=space).count()
    stranger = ask(Agent(token_of(other)).client, method, path, body)
    assert stranger.status_code == elsewhere
    assert b"tea" not in (b"" if stranger.streaming else stranger.content).replace(b"?q=tea", b"")
    assert Line.objects.filter(space=space).count() == before
    if scope:
        assert ask(by_scope[scope], method, path, body).status_code == there
    for pk in Token.objects.filter(space=space).values_list("pk", flat=True):
        tokens.revoke(space, pk, by="ana", now=LATER + 1)
    for agent in by_scope.values():
        assert ask(agent, method, path, body).status_code == (401 if scope else there)
    assert ask(Agent("").client, method, f"{path}{'&' if '?' in path else '?'}token=tm_x", body).status_code in (
        400,
        401,
    )


@pytest.mark.django_db
@pytest.mark.parametrize("route", [each for each, (*_, elsewhere) in ROUTES.items() if elsewhere == 404], ids=" ".join)
def test_of_a_fact_of_another_space_a_route_answers_what_it_answers_of_none(space, route):
    _, path, body, *_ = ROUTES[route]
    stranger = Agent(token_of(spaces.create("other"))).client
    answers = [
        ask(stranger, route[0], path.replace("tea", name), body and json.loads(json.dumps(body).replace("tea", name)))
        for name in ("tea", "eat")
    ]
    foreign, unknown = ((each.status_code, dict(each.headers), each.content) for each in answers)
    assert foreign == unknown


@pytest.mark.django_db
def test_the_schema_is_told_to_everybody_and_nothing_else():
    assert Client().get(f"{API}/openapi.json").status_code == 200
    assert Client().get(f"{API}/").status_code == 404


def run(do):
    """What is answered by what asks the database in a thread of its own, which hangs up then."""

    async def whole():
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as thread:
            loop.set_default_executor(thread)
            answer = await do()
            await loop.run_in_executor(thread, connections.close_all)
            return answer

    return asyncio.run(whole())


def told_by(made, name, given):
    async def call():
        async with McpClient(made) as agent:
            return await agent.call_tool(name, given)

    return run(call)


def status_of(name, given, headers):
    """What the door over HTTP answers to a tool that is asked by somebody whom it does not let in."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}

    async def call():
        transport = httpx.ASGITransport(application(["desk"], 8001))
        async with httpx.AsyncClient(transport=transport, base_url="http://desk:8001") as agent:
            return (await agent.post(PATH, json=body, headers=headers)).status_code

    return run(call)


def test_every_tool_has_its_line_here():
    async def names():
        async with McpClient(server(lambda context: "")) as agent:
            return {each.name for each in (await agent.list_tools()).tools}

    assert asyncio.run(names()) == TOOLS.keys()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_session_of_the_desk_opens_no_tool_whatever_the_role(space, client, tool):
    _, given, _ = TOOLS[tool]
    assert status_of(tool, given, {}) == 401
    before = Line.objects.count()
    for role in Role:
        client.force_login(access.add_member(space, role.value, role))
        session = client.cookies["sessionid"].value
        for shown in ({"Cookie": f"sessionid={session}"}, {"Authorization": f"Bearer {session}"}):
            assert status_of(tool, given, shown) == 401, role
    assert Line.objects.count() == before


@pytest.mark.django_db(transaction=True)
def test_where_the_database_cannot_be_asked_nobody_is_taken_for_a_stranger(space):
    shown, away = {"Authorization": f"Bearer {token_of(space)}"}, "ALTER TABLE {} RENAME TO {}"
    with connection.cursor() as cursor:
        cursor.execute(away.format("store_token", "away"))
        try:
            assert status_of("search", {"query": "tea"}, shown) == 503
        finally:
            cursor.execute(away.format("away", "store_token"))
    assert status_of("search", {"query": "tea"}, {"Authorization": "Bearer nobody"}) == 401


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_is_open_to_its_scope_in_its_space_and_to_nobody_else(space, tool):
    scope, given, is_for_all = TOOLS[tool]
    shown = {each: token_of(space, scopes=[each]) for each in tokens.SCOPES}
    stranger = token_of(spaces.create("other"))

    def asked(token):
        answer = told_by(server(lambda context: token), tool, given)
        return answer.content[0].text if answer.is_error else ""

    for nobody in ("", "tm_nonsense"):
        assert "this is no token of this desk" in asked(nobody)
    for each, token in shown.items():
        if each != scope:
            assert asked(token).endswith(f'this token has not the scope "{scope}"')
    before = Line.objects.filter(space=space).count()
    assert asked(stranger).endswith("" if is_for_all else "there is no such fact in this space")
    assert Line.objects.filter(space=space).count() == before
    assert asked(shown[scope]) == ""
    for pk in Token.objects.filter(space=space).values_list("pk", flat=True):
        tokens.revoke(space, pk, by="ana", now=LATER + 1)
    assert "this is no token of this desk" in asked(shown[scope])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("tool", [each for each, (*_, is_for_all) in TOOLS.items() if not is_for_all])
def test_of_a_fact_of_another_space_a_tool_answers_what_it_answers_of_none(space, tool):
    _, given, _ = TOOLS[tool]
    stranger = token_of(spaces.create("other"))
    foreign, unknown = (
        told_by(server(lambda context: stranger), tool, json.loads(json.dumps(given).replace("tea", name)))
        for name in ("tea", "eat")
    )
    assert foreign.model_dump_json() == unknown.model_dump_json()


#: What of the desk is open to whoever comes.
OPEN = {"welcome", "sign-in", "enter"}
_FOR = {"space": "diary", "fact": "tea", "job": "1", "number": "1", "instant": "2026-01-01T00:00:00Z", "of": "rate"}


def addresses(patterns, before=""):
    """Every address of the desk, with something for each of its parts."""
    for each in patterns:
        route = before + str(each.pattern)
        if isinstance(each, URLResolver):
            if not route.startswith("api/"):
                yield from addresses(each.url_patterns, route)
        elif isinstance(each, URLPattern):
            yield each.name, "/" + filled(route)


def filled(route):
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda part: _FOR.get(part[1], "x"), route)


@pytest.mark.django_db
def test_111_by_a_token_nobody_opens_the_desk(space):
    bearer, nobody = Agent(token_of(space)).client, Client()
    found = list(addresses(get_resolver().url_patterns))
    assert len(found) > 80
    before = Line.objects.count(), Fact.objects.count()
    for name, path in found:
        for method in ("get", "post"):
            by_token, without = getattr(bearer, method)(path), getattr(nobody, method)(path)
            same = by_token.status_code == without.status_code and by_token.get("Location") == without.get("Location")
            assert same, path
            if name not in OPEN:
                assert by_token.status_code in (302, 403, 404, 405), path
            assert "_auth_user_id" not in bearer.session
    assert (Line.objects.count(), Fact.objects.count()) == before
    assert Token.objects.filter(digest__startswith="tm_").count() == 0


@pytest.mark.django_db
def test_109_who_asks_by_another_host_is_refused_before_any_work(space, django_assert_num_queries):
    bearer = Agent(token_of(space)).client
    for host in ("evil.example:8000", "127.0.0.1.evil.example"):
        for method, path in (("get", f"{API}/facts"), ("post", f"{API}/facts"), ("get", "/"), ("post", "/sign-in/")):
            with django_assert_num_queries(0):
                assert getattr(bearer, method)(path, headers={"Host": host}).status_code in (400, 403), path
