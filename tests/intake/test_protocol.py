"""MCP as its specification has it, message by message over HTTP, and what tools and resources answer."""

import json
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

CASES = Path(__file__).parents[1] / "cases"


def raw(port, token, message, **headers):
    """What the door answers to a message, be it none."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    told |= {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", body, told)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, dict(answer.headers), json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), json.loads(error.read() or b"null")


def called(port, token, method, **params):
    return raw(port, token, {"jsonrpc": "2.0", "id": 7, "method": method, "params": params})[2]


def test_the_protocol_is_spoken_as_it_is_written(port, token):
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    status, headers, told = raw(port, token, hello)
    assert (status, told["id"], told["result"]["protocolVersion"]) == (200, 1, "2025-06-18")
    assert told["result"]["serverInfo"]["name"] == "trustmem"
    assert told["result"]["capabilities"].keys() <= {"tools", "resources", "prompts", "experimental"}
    assert "mcp-session-id" not in {name.lower() for name in headers}  # each request stands for itself
    assert raw(port, token, {"jsonrpc": "2.0", "method": "notifications/initialized"})[0] == 202
    assert called(port, token, "ping")["result"] == {}
    assert called(port, token, "prompts/list")["result"]["prompts"] == []
    assert called(port, token, "no/such/method")["error"]["code"] == -32601
    assert raw(port, token, b"{")[2]["error"]["code"] == -32700
    assert raw(port, token, {"id": 1, "method": "ping"})[2]["error"]["code"] in (-32600, -32602)
    assert raw(port, token, hello, **{"MCP-Protocol-Version": "1999-01-01"})[0] in (200, 400)


def test_who_does_not_ask_is_told_nothing_and_no_stream_is_held_open(port, token):
    for method in ("GET", "DELETE"):
        request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", method=method)
        request.add_header("Authorization", f"Bearer {token}")
        request.add_header("Accept", "text/event-stream")
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=5)
        with refused.value as answer:
            assert (answer.code, answer.headers["Allow"]) == (405, "POST")


def test_what_a_tool_answers_is_what_its_schema_says(port, token):
    tools = {each["name"]: each for each in called(port, token, "tools/list")["result"]["tools"]}
    first, second = "The harbour opens at six.", "The harbour opens at seven."
    asked = [("remember", {"text": first}), ("remember", {"text": second}), ("remember", {"text": first.upper()})]
    names = []
    for tool, given in asked:
        told = called(port, token, "tools/call", name=tool, arguments=given)["result"]
        names.append(as_said(tools, tool, told)["fact"])
    more = [
        ("search", {"query": "harbour", "history": True}),
        ("show", {"fact": names[0]}),
        ("explain", {"fact": names[0]}),
        ("relate", {"newer": names[1], "relation": "updates", "older": names[0]}),
        ("explain", {"fact": names[1]}),
        ("report_outcome", {"facts": names[:1], "outcome": "corrected"}),
        ("flag", {"fact": names[0], "note": "No."}),
        ("search", {"query": "opens at six"}),
        ("explain", {"fact": names[0]}),
        ("what_changed", {"since": "2020-01-01T00:00:00Z", "limit": 3}),
    ]
    for tool, given in more:
        as_said(tools, tool, called(port, token, "tools/call", name=tool, arguments=given)["result"])
    assert tools.keys() == {tool for tool, _ in asked + more}


def as_said(tools, tool, told):
    """What a tool answered, which its schema allows, and which stands in its text as well."""
    assert not told.get("isError"), told
    for schema in (tools[tool]["inputSchema"], tools[tool]["outputSchema"]):
        assert schema["type"] == "object"
        Draft202012Validator.check_schema(schema)
    assert tools[tool]["outputSchema"]["additionalProperties"] is False
    Draft202012Validator(tools[tool]["outputSchema"]).validate(told["structuredContent"])
    assert json.loads(told["content"][0]["text"]) == told["structuredContent"]
    return told["structuredContent"]


ODD = (
    ("search", {}),
    ("search", {"query": "tea", "limit": 0}),
    ("search", {"query": "tea", "order": "random"}),
    ("show", {"fact": ""}),
    ("show", {"fact": "x" * 501}),
    ("show", {"fact": "a\0b"}),
    ("remember", {"text": ""}),
    ("remember", {"text": "Tea.", "run": "a\nb"}),
    ("remember", {"text": "a\0b"}),
    ("remember", {"text": "a\ud800b"}),
    ("remember", {"text": "Tea.", "at": "2026-01-01T00:00:00Z"}),
    ("remember", {"text": "Tea.", "tier": "signed"}),
    ("remember", {"text": "Tea.", "signature": {"key": "k", "claim": "e30=", "value": "A" * 88}}),
    ("relate", {"newer": "a", "relation": "is", "older": "b"}),
    ("report_outcome", {"facts": [], "outcome": "helpful"}),
    ("what_changed", {"since": "yesterday"}),
    ("no such tool", {}),
)


def test_what_cannot_be_is_an_error_in_a_sentence(port, token):
    for tool, given in ODD:
        told = called(port, token, "tools/call", name=tool, arguments=given)
        assert "error" in told or told["result"]["isError"], (tool, given, told)
        assert "Traceback" not in json.dumps(told)
    twice = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":{"text":"Pay 22.",'
    status, _, told = raw(port, token, twice + b'"te\\u0078t":"Pay 11."}}}')
    assert (status, told["error"]["message"]) == (400, 'the message has the key "text" twice')
    assert raw(port, token, b"[" * 100_000)[2]["error"]["message"].startswith("the message is nested deeper")
    assert raw(port, token, b'"' + b"x" * (5 << 20) + b'"')[2]["error"]["message"].startswith("the message is longer")
    found = called(port, token, "tools/call", name="what_changed", arguments={"since": "2020-01-01T00:00:00Z"})
    assert found["result"]["structuredContent"]["changes"] == []


def test_a_fact_is_a_resource_of_its_own_space(port, token, home):
    home("space", "create", "other")
    other = home("tokens", "new", "--space", "other", "--source", "eve").stdout.strip()
    told = called(port, token, "tools/call", name="remember", arguments={"text": "Tea is hot.", "id": "a/b?\u00e9 %41"})
    name = told["result"]["structuredContent"]["fact"]
    (template,) = called(port, token, "resources/templates/list")["result"]["resourceTemplates"]
    assert (template["uriTemplate"], template["mimeType"]) == ("trustmem://facts/{id}", "application/json")
    listed = called(port, token, "resources/list")["result"]["resources"]
    assert [each["uri"] for each in listed] == ["trustmem://vocabulary"]
    uri = f"trustmem://facts/{urllib.parse.quote(name, safe='')}"
    (read,) = called(port, token, "resources/read", uri=uri)["result"]["contents"]
    assert (json.loads(read["text"])["text"], json.loads(read["text"])["scores"]["tier"]) == ("Tea is hot.", "auto")
    for asks, what in ((other, uri), (token, "trustmem://facts/nothing"), (token, "trustmem://facts/..%2F..%2Fetc")):
        refused = called(port, asks, "resources/read", uri=what)["error"]
        assert "there is no such fact in this space" in refused["message"]
    assert "error" in called(port, token, "resources/read", uri="trustmem://elsewhere")


def test_103_what_memories_say_is_data_and_no_order(port, token):
    orders = json.loads((CASES / "103-memory-as-system-text.facts.json").read_text())
    for order in orders:
        told = called(port, token, "tools/call", name="remember", arguments={"text": order})
        assert not told["result"].get("isError")
    found = called(port, token, "tools/call", name="search", arguments={"query": "invoices"})["result"]
    (hit,) = found["structuredContent"]["hits"]
    assert (hit["text"], hit["tier"], "settled" in hit["flags"]) == (orders[3], "auto", False)
    assert found["structuredContent"]["held_back"] == {}
    listed = [called(port, token, f"{each}/list") for each in ("tools", "prompts", "resources", "resources/templates")]
    assert not any(order in json.dumps(listed) for order in orders)
