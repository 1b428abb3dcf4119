"""MCP over streamable HTTP, as its own process beside the desk. Whoever asks shows a token in each request; a foreign
Origin, or a Host that this is not called by, is answered 403 before any work."""

import json
import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django.db import DatabaseError, close_old_connections
from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecuritySettings

from trustmem.actions import tokens
from trustmem.intake.clock import clock
from trustmem.intake.mcp import strict
from trustmem.intake.mcp.server import server

PATH = "/mcp"
_PORT = re.compile(r":\d+\Z")
_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_App = Callable[[_Scope, _Receive, _Send], Awaitable[None]]


def application(hosts: Sequence[str], port: int) -> _App:
    """The application, for hosts by which it may be asked, at whatever port that reaches it. No session is kept: each
    request stands for itself."""
    origins = [f"{scheme}://{host}{at}" for host in hosts for at in ("", f":{port}") for scheme in ("http", "https")]
    names = [name for host in hosts for name in (host, f"{host}:*")]
    security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=origins)
    inner = server(_shown).streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, transport_security=security
    )
    return _Guarded(inner, {*hosts}, {*origins})


def _shown(context: Context[Any, Any]) -> str:
    return _bearer((context.headers or {}).get("authorization", ""))


def _bearer(header: str) -> str:
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


class _Guarded:
    """Host, Origin and token are looked at first."""

    def __init__(self, inner: _App, hosts: set[str], origins: set[str]) -> None:
        self.inner, self.hosts, self.origins = inner, hosts, origins

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = _PORT.sub("", headers.get("host", "")), headers.get("origin", "")
        if host not in self.hosts or origin not in {"", *self.origins}:
            await _refuse(send, 403)
            return
        shown = _bearer(headers.get("authorization", ""))
        try:
            known = await sync_to_async(_is_known, thread_sensitive=False)(shown)
        except DatabaseError:
            await _refuse(send, 503, (b"retry-after", b"5"))
            return
        if not known:
            await _refuse(send, 401, (b"www-authenticate", b"Bearer"))
        elif scope["method"] != "POST":
            # Nothing is told to who does not ask, so that no stream is held open for that.
            await _refuse(send, 405, (b"allow", b"POST"))
        else:
            body = await _body(receive)
            why = strict.why_not(body)
            if why:
                await _refuse(send, 400, (b"content-type", b"application/json"), body=_no_message(why))
            else:
                await self.inner(scope, _first(body, receive), send)


def _is_known(shown: str) -> bool:
    close_old_connections()  # one that a database has cut, which was started anew, would be tried for ever
    return tokens.who(shown, now=clock()) is not None


async def _body(receive: _Receive) -> bytes:
    """What came, and no more of it than one byte too many."""
    body, more = b"", True
    while more and len(body) <= strict.MOST_BYTES:
        told = await receive()
        body, more = body + told.get("body", b""), told.get("more_body", False)
    return body


def _first(body: bytes, receive: _Receive) -> _Receive:
    """The same that comes, once more from its beginning."""
    given = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> MutableMapping[str, Any]:
        return given.pop() if given else await receive()

    return again


def _no_message(why: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": strict.PARSE_ERROR, "message": why}}).encode()


async def _refuse(send: _Send, status: int, *more: tuple[bytes, bytes], body: bytes = b"") -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [length, *more]})
    await send({"type": "http.response.body", "body": body})
