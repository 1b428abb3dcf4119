"""Sessions of MCP on stdin and stdout, as agents have them: each line that comes on stdout is looked at."""

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from subprocess import PIPE, Popen
from tempfile import TemporaryFile
from threading import Timer
from typing import Any, NamedTuple

#: What a session begins with.
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
#: What a session says, line by line.
SAID = (
    HELLO,
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "tea"}}},
    {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "show", "arguments": {"fact": "nothing"}}},
    {"jsonrpc": "2.0", "id": 5, "method": "no/such/method"},
)
#: What has a key twice; and what is none.
TWICE = '{"jsonrpc": "2.0", "id": 6, "method": "ping", "params": {"_meta": {"a": 1, "\\u0061": 2}}}\n'
NO_MESSAGE = "this is no message\n"
#: What is set beside, by what it is for.
LOUD: Mapping[str, Mapping[str, str]] = {
    "plain": {},
    "warnings": {"PYTHONWARNINGS": "always"},
    "debug": {"DEBUG": "1", "PYTHONDEVMODE": "1", "PYTHONASYNCIODEBUG": "1", "PYTHONWARNINGS": "always"},
}


class Session(NamedTuple):
    """How a session ended, the messages that came on stdout, and what came there that is none."""

    status: int
    messages: list[dict[str, Any]]
    bad: list[str]
    stderr: str

    def answer(self, id: int) -> dict[str, Any]:
        return next(each for each in self.messages if each.get("id") == id)


def session(environment: Mapping[str, str]) -> Session:
    """A session from its first message to the end of stdin, once all is answered."""
    command = [sys.executable, "-m", "trustmem.cli", "mcp"]
    with (
        TemporaryFile("w+") as stderr,
        Popen(command, stdin=PIPE, stdout=PIPE, stderr=stderr, env=dict(environment), text=True) as process,
    ):
        late = Timer(120, process.kill)
        late.start()
        lines, waits_for = list[str](), {each["id"] for each in SAID if "id" in each} | {6}
        with suppress(BrokenPipeError):
            process.stdin.write("".join(json.dumps(each) + "\n" for each in SAID) + TWICE + NO_MESSAGE)
            process.stdin.flush()
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            waits_for -= {message.get("id") for message in _messages([line])}
            if not waits_for:
                break
        with suppress(BrokenPipeError):
            process.stdin.close()
        lines += process.stdout.read().splitlines()
        status = process.wait()
        late.cancel()
        stderr.seek(0)
        told = stderr.read()
    return Session(status, _messages(lines), [each for each in lines if not _messages([each])], told)


def _messages(lines: Sequence[str]) -> list[dict[str, Any]]:
    """Which of some lines are messages of the protocol."""
    found = list[dict[str, Any]]()
    for line in lines:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            message = json.loads(line)
            if message["jsonrpc"] == "2.0" and message.keys() & {"result", "error", "method"}:
                found.append(message)
    return found
