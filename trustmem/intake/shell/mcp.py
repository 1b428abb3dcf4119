"""`trustmem mcp`: the door for agents over MCP, on stdin and stdout, or over HTTP."""

import argparse
import io
import logging
import os
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from django.conf import settings

from trustmem.intake.shell import Refusal, database, parent, web
from trustmem.store.states import STANDING, shows

#: Where the token of an agent on stdin and stdout comes from.
TOKEN = "TRUSTMEM_TOKEN"  # noqa: S105 (a name)


#: Seconds for what is being answered when the end comes.
_PATIENCE = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--http", metavar="PORT", type=web.port, help="over streamable HTTP, at this port of this machine"
    )
    parser.add_argument(
        "--host", metavar="H", default="127.0.0.1", help="the address to listen at (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--allowed-host",
        metavar="H",
        action="append",
        default=[],
        help="another name by which it may be asked for, beside those of ALLOWED_HOSTS",
    )
    parent.add_arguments(parser)


@shows(STANDING)
def run(arguments: argparse.Namespace) -> int:
    parent.end_with(arguments.parent)
    # Nothing but the protocol goes to stdout: not a warning, not what a library prints.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, force=True)
    with database.opened():
        if arguments.http is None:
            _on_stdio()
        else:
            _over_http(arguments)
    return 0


def _on_stdio() -> None:
    from trustmem.actions import tokens
    from trustmem.intake.clock import clock
    from trustmem.intake.mcp import strict
    from trustmem.intake.mcp.server import server

    token = os.environ.get(TOKEN, "")
    if not token:
        raise Refusal(f'an agent comes in by a token: put it in {TOKEN}; "trustmem tokens new" makes one')
    if tokens.who(token, now=clock()) is None:
        at = "that DATABASE_URL names" if os.environ.get("DATABASE_URL") else f"in {settings.HOME}"
        raise Refusal(f"the token in {TOKEN} is none of the desk {at}, or it has ended")

    def shown(_: Any) -> str:
        return token

    sys.stdin = io.TextIOWrapper(io.BufferedReader(strict.Lines(sys.stdin.buffer)), encoding="utf-8")
    server(shown).run("stdio")


def _over_http(arguments: argparse.Namespace) -> None:
    """Until somebody asks for the end. Raises Failure where it cannot listen there."""
    import uvicorn

    from trustmem.intake.mcp.http import PATH, application

    host, port = arguments.host, arguments.http
    address = web.free(host, port, "--http")
    hosts = [host, *settings.ALLOWED_HOSTS, *arguments.allowed_host]
    app: Any = application(hosts, port)
    asked = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_PATIENCE)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt), socket.create_server((address, port), family=family) as taken:
        # Else the body of each answer waits some 40 ms until its head is acknowledged.
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if arguments.parent is None:
            at = web.at(web.near(host), port)
            print(f"Agents come in over MCP at http://{at}{PATH}, each by a token. Ctrl-C ends it.", flush=True)
        uvicorn.Server(asked).run([taken])
