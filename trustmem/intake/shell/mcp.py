"""`trustmem mcp`: the door for agents over MCP, on stdin and stdout, or over HTTP."""

import argparse
import logging
import os
import sys
from typing import Any

from trustmem.intake.shell import Refusal, database
from trustmem.store.states import STANDING, shows

#: Where the token of an agent on stdin and stdout comes from.
TOKEN = "TRUSTMEM_TOKEN"  # noqa: S105 (a name)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--http", metavar="PORT", type=int, help="over streamable HTTP, at this port of this machine")
    parser.add_argument(
        "--host", metavar="H", default="127.0.0.1", help="the address to listen at (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--allowed-host", metavar="H", action="append", default=[], help="another name by which it may be asked for"
    )


@shows(STANDING)
def run(arguments: argparse.Namespace) -> int:
    # Nothing but the protocol goes to stdout: not a warning, not what a library prints.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, force=True)
    with database.opened():
        if arguments.http is None:
            _on_stdio()
        else:
            _over_http(arguments.host, arguments.http, arguments.allowed_host)
    return 0


def _on_stdio() -> None:
    from trustmem.intake.mcp.server import server

    token = os.environ.get(TOKEN, "")
    if not token:
        raise Refusal(f'an agent comes in by a token: put it in {TOKEN}; "trustmem tokens new" makes one')

    def shown(_: Any) -> str:
        return token

    server(shown).run("stdio")


def _over_http(host: str, port: int, more: list[str]) -> None:
    import uvicorn

    from trustmem.intake.mcp.http import application

    app: Any = application([host, "localhost", "127.0.0.1", "[::1]", *more], port)
    uvicorn.run(app, host=host, port=port, log_level="warning")
