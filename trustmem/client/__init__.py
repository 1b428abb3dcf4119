"""The client: a desk from Python, as an agent with a token. `Client` waits for each answer, `AsyncClient` is awaited.
Both raise Problem where the desk refuses, httpx.TransportError where it cannot be reached, ValueError for no token.

>>> from trustmem.client import Client
>>> desk = Client("http://127.0.0.1:8000", token="tm_...")  # doctest: +SKIP
>>> desk.remember("The harbour opens at six.")["status"]  # doctest: +SKIP
'new'
"""

import json
import re
import secrets
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import quote

import httpx

from trustmem.client.answers import Event, Forgotten, Found, LineAnswer, Order, Outcome, Relation, Remembered, Signature

_API = "/api/v1"
_SECONDS = 30.0


class Problem(Exception):
    """The desk refused: a status, and one sentence why."""

    def __init__(self, status: int, detail: str, field: str = "", retry_after: int = 0) -> None:
        super().__init__(detail)
        self.status, self.detail, self.field, self.retry_after = status, detail, field, retry_after


class _Call(NamedTuple):
    """A request to be. What writes has a key of its own, so that asking again after a torn answer has one effect."""

    method: str
    path: str
    query: Mapping[str, Any] = {}
    body: Mapping[str, Any] | None = None
    lines: bytes | None = None

    @property
    def values(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "params": {name: _plain(value) for name, value in self.query.items() if value is not None}
        }
        if self.body is not None:
            told["json"] = {name: value for name, value in self.body.items() if value is not None}
        if self.lines is not None:
            return {"content": self.lines, "headers": {"Content-Type": "application/x-ndjson"}}
        if self.method != "GET":
            told["headers"] = {"Idempotency-Key": secrets.token_urlsafe(16)}
        return told


def _plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _read(call: _Call, response: httpx.Response) -> Any:
    """What the desk answered. Raises Problem."""
    if response.is_success and call.lines is not None:
        return [json.loads(line) for line in response.content.splitlines()]
    # What was forgotten is refused with 409, and told of as an answer: it has a status of its own.
    if response.is_success or (response.status_code == 409 and not _is_problem(response)):
        return response.json()
    try:
        told = response.json()
        detail, field = str(told["detail"]), str(told.get("field", ""))
    except (ValueError, KeyError, TypeError):
        at = response.url.copy_with(query=None)
        detail, field = f"{at} answered {response.status_code} and not as a desk does", ""
    raise Problem(response.status_code, detail, field, int(response.headers.get("Retry-After", 0)))


def _is_problem(response: httpx.Response) -> bool:
    return "application/problem+json" in response.headers.get("Content-Type", "")


def _remember(text: str, run: str | None, signature: Signature | None, said: Mapping[str, Any]) -> _Call:
    return _Call("POST", "/facts", body={"text": text, "run": run, "signature": signature, **said})


def _search(query: str, limit: int, order: Order, history: bool, run: str | None) -> _Call:
    return _Call("GET", "/search", {"q": query, "limit": limit, "order": order, "history": history, "run": run})


def _show(fact: str) -> _Call:
    return _Call("GET", f"/facts/{_part(fact)}")


def _relate(newer: str, relation: Relation, older: str, note: str, run: str | None, signs: Mapping[str, Any]) -> _Call:
    body = {"from": newer, "relation": relation, "to": older, "note": note, "run": run, **signs}
    return _Call("POST", "/edges", body=body)


def _flag(fact: str, note: str, run: str | None) -> _Call:
    return _Call("POST", f"/flags/{_part(fact)}", body={"note": note, "run": run})


def _tell(kind: Event, fact: str, note: str, run: str | None) -> _Call:
    return _Call("POST", "/events", body={"kind": kind, "fact": fact, "note": note, "run": run})


def _part(name: str) -> str:
    """A name as a part of an address, in which one or two dots would lead elsewhere."""
    return quote(name, safe="").replace(".", "%2E")


def _names(given: Sequence[str]) -> list[str]:
    """Names of facts; one is as good as a list of one."""
    return [given] if isinstance(given, str) else list(given)


def _report(facts: Sequence[str], outcome: Outcome, confirmed: bool, note: str, run: str | None) -> _Call:
    said = {"facts": _names(facts), "outcome": outcome, "confirmed": confirmed, "note": note, "run": run}
    return _Call("POST", "/feedback", body=said)


def _report_used(search: str, used: Sequence[str]) -> _Call:
    return _Call("POST", "/feedback", body={"search": search, "used": _names(used)})


def _forget(fact: str, reason: str, run: str | None) -> _Call:
    return _Call("DELETE", f"/facts/{_part(fact)}", body={"reason": reason, "run": run})


def _send(lines: Iterable[Mapping[str, Any]]) -> _Call:
    return _Call("POST", "/bulk", lines=b"".join(json.dumps(dict(each)).encode() + b"\n" for each in lines))


def _options(base_url: str, token: str, timeout: float) -> dict[str, Any]:
    if not re.fullmatch(r"tm_[\w-]+", token or "", re.ASCII):
        raise ValueError("a token begins with tm_ and is taken as it was shown when it was made")
    headers = {"Authorization": f"Bearer {token}"}
    return {"base_url": base_url.rstrip("/") + _API, "headers": headers, "timeout": timeout}


class Client:
    """A desk, as the agent that a token is of. Close it, or use it in a `with`."""

    def __init__(self, base_url: str, token: str, *, timeout: float = _SECONDS) -> None:
        self._http = httpx.Client(**_options(base_url, token, timeout))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _ask(self, call: _Call) -> Any:
        return _read(call, self._http.request(call.method, call.path, **call.values))

    def remember(
        self, text: str, *, run: str | None = None, signature: Signature | None = None, **said: Any
    ) -> Remembered:
        """Keep a fact; `said` are its subject, predicate, object, entities, producer, tags, meta, id; of a signed one
        also `at`, the instant that it claims."""
        told: Remembered = self._ask(_remember(text, run, signature, said))
        return told

    def search(
        self, query: str, *, limit: int = 10, order: Order = "trust", history: bool = False, run: str | None = None
    ) -> Found:
        """What holds about something, the most trusted and useful first."""
        told: Found = self._ask(_search(query, limit, order, history, run))
        return told

    def show(self, fact: str) -> dict[str, Any]:
        """One fact: why it is worth what it is, in full."""
        told: dict[str, Any] = self._ask(_show(fact))
        return told

    def facts(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """All live facts, page by page; `filters` are source, entity, band, flag."""
        after: str | None = None
        while True:
            page = self._ask(_Call("GET", "/facts", {**filters, "after": after}))
            yield from page["facts"]
            if (after := page["next"]) is None:
                return

    def relate(
        self, newer: str, relation: Relation, older: str, *, note: str = "", run: str | None = None, **signs: Any
    ) -> bool:
        """Relate two facts; whether that counts, or waits for a person. Of a signed edge, `signs` are id, at and
        signature."""
        return bool(self._ask(_relate(newer, relation, older, note, run, signs))["counts"])

    def flag(self, fact: str, *, note: str = "", run: str | None = None) -> bool:
        """Say that a fact is wrong; whether that counts, or waits for a person."""
        return bool(self._ask(_flag(fact, note, run))["counts"])

    def tell(self, kind: Event, fact: str, *, note: str = "", run: str | None = None) -> bool:
        """Tell of what happened to a fact; whether that counts, or waits for a person."""
        return bool(self._ask(_tell(kind, fact, note, run))["counts"])

    def report(
        self, facts: Sequence[str], outcome: Outcome, *, confirmed: bool = False, note: str = "", run: str | None = None
    ) -> str:
        """What came of using facts; the act."""
        return str(self._ask(_report(facts, outcome, confirmed, note, run))["act"])

    def report_used(self, search: str, used: Sequence[str]) -> str:
        """What of a search your answer used, possibly nothing: that helped, the rest was ignored; the act."""
        return str(self._ask(_report_used(search, used))["act"])

    def forget(self, fact: str, *, reason: str = "", run: str | None = None) -> Forgotten:
        """Forget a fact of your own; of any other, ask a person, who is shown the reason."""
        told: Forgotten = self._ask(_forget(fact, reason, run))
        return told

    def send(self, lines: Iterable[Mapping[str, Any]]) -> list[LineAnswer]:
        """Many facts, edges, events and feedback at once, as lines of an interchange file (docs/format.md); what became
        of each."""
        told: list[LineAnswer] = self._ask(_send(lines))
        return told

    def export(self) -> Iterator[dict[str, Any]]:
        """All facts with their scores, as they come."""
        with self._http.stream("GET", "/export") as response:
            if not response.is_success:
                response.read()
                _read(_Call("GET", "/export"), response)
            for line in response.iter_lines():
                yield json.loads(line)


class AsyncClient:
    """The same, awaited. Close it, or use it in an `async with`."""

    def __init__(self, base_url: str, token: str, *, timeout: float = _SECONDS) -> None:
        self._http = httpx.AsyncClient(**_options(base_url, token, timeout))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def _ask(self, call: _Call) -> Any:
        return _read(call, await self._http.request(call.method, call.path, **call.values))

    async def remember(
        self, text: str, *, run: str | None = None, signature: Signature | None = None, **said: Any
    ) -> Remembered:
        """As `Client.remember`."""
        told: Remembered = await self._ask(_remember(text, run, signature, said))
        return told

    async def search(
        self, query: str, *, limit: int = 10, order: Order = "trust", history: bool = False, run: str | None = None
    ) -> Found:
        """As `Client.search`."""
        told: Found = await self._ask(_search(query, limit, order, history, run))
        return told

    async def show(self, fact: str) -> dict[str, Any]:
        """As `Client.show`."""
        told: dict[str, Any] = await self._ask(_show(fact))
        return told

    async def facts(self, **filters: Any) -> AsyncIterator[dict[str, Any]]:
        """As `Client.facts`."""
        after: str | None = None
        while True:
            page = await self._ask(_Call("GET", "/facts", {**filters, "after": after}))
            for each in page["facts"]:
                yield each
            if (after := page["next"]) is None:
                return

    async def relate(
        self, newer: str, relation: Relation, older: str, *, note: str = "", run: str | None = None, **signs: Any
    ) -> bool:
        """As `Client.relate`."""
        return bool((await self._ask(_relate(newer, relation, older, note, run, signs)))["counts"])

    async def flag(self, fact: str, *, note: str = "", run: str | None = None) -> bool:
        """As `Client.flag`."""
        return bool((await self._ask(_flag(fact, note, run)))["counts"])

    async def tell(self, kind: Event, fact: str, *, note: str = "", run: str | None = None) -> bool:
        """As `Client.tell`."""
        return bool((await self._ask(_tell(kind, fact, note, run)))["counts"])

    async def report(
        self, facts: Sequence[str], outcome: Outcome, *, confirmed: bool = False, note: str = "", run: str | None = None
    ) -> str:
        """As `Client.report`."""
        return str((await self._ask(_report(facts, outcome, confirmed, note, run)))["act"])

    async def report_used(self, search: str, used: Sequence[str]) -> str:
        """As `Client.report_used`."""
        return str((await self._ask(_report_used(search, used)))["act"])

    async def forget(self, fact: str, *, reason: str = "", run: str | None = None) -> Forgotten:
        """As `Client.forget`."""
        told: Forgotten = await self._ask(_forget(fact, reason, run))
        return told

    async def send(self, lines: Iterable[Mapping[str, Any]]) -> list[LineAnswer]:
        """As `Client.send`."""
        told: list[LineAnswer] = await self._ask(_send(lines))
        return told

    async def export(self) -> AsyncIterator[dict[str, Any]]:
        """As `Client.export`."""
        async with self._http.stream("GET", "/export") as response:
            if not response.is_success:
                await response.aread()
                _read(_Call("GET", "/export"), response)
            async for line in response.aiter_lines():
                yield json.loads(line)
