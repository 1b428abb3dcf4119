"""`trustmem web`: the pages of the desk alone, where the worker runs apart."""

import argparse
import errno
import os
import socket
from collections.abc import Callable
from functools import partial
from pkgutil import resolve_name
from typing import Any

from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server import Server

from trustmem.intake.shell import Failure, database, parent, secret

_THREADS = 4
#: Seconds for what is being answered when the end comes.
_PATIENCE = 5
#: Where all of a machine's addresses are meant.
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 (compared with)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host", metavar="H", default="127.0.0.1", help="the address to listen at (default: 127.0.0.1, this machine)"
    )
    parser.add_argument("--port", metavar="P", type=port, default=8000, help="the port to listen at (default: 8000)")
    parent.add_arguments(parser)


def port(text: str) -> int:
    """An argument that is a port."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 1 << 16:
        raise argparse.ArgumentTypeError(f'"{text}" is no port, from 1 to 65535')
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    parent.end_with(arguments.parent)
    address = free(arguments.host, arguments.port)
    if arguments.parent is None:
        _make_ready()
    if arguments.host not in EVERYWHERE:
        asked_for = [os.environ.get("ALLOWED_HOSTS", ""), arguments.host]
        os.environ["ALLOWED_HOSTS"] = ",".join(filter(None, asked_for))
    server = Server(
        "trustmem.wsgi:application",
        address=address,
        port=arguments.port,
        interface=Interfaces.WSGI,
        blocking_threads=_THREADS,
        log_level=LogLevels.warning,
        workers_kill_timeout=_PATIENCE,
    )
    if arguments.parent is None:
        server.on_startup(partial(_tell, arguments.host, arguments.port))
    server.serve(target_loader=partial(_load, os.getpid()))
    return 0


def _make_ready() -> None:
    """What `trustmem serve` does for its children."""
    database.set_up()
    database.make_home()
    secret.keep()
    with database.opened():
        pass  # it is there, and up to date


def _tell(host: str, port: int) -> None:
    print(f"The pages are at http://{at(near(host), port)}/. Ctrl-C ends them.", flush=True)


def _load(server: int, target: str) -> Callable[..., Any]:
    """What answers, loaded in the process that does so, which ends with the server."""
    parent.end_with(server)
    found: Callable[..., Any] = resolve_name(target)
    return found


def free(host: str, port: int, option: str = "--port") -> str:
    """The address of a host at which nobody listens yet. Raises Failure, which tells by which option to ask for another
    port."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        taken = f"something else listens there; {option} names another"
        reason = taken if error.errno == errno.EADDRINUSE else error.strerror
        raise Failure(f"cannot listen at {at(host, port)}: {reason}") from None
    return str(address[0])


def near(host: str) -> str:
    """The host as it is asked for from this machine."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (compared with)


def at(host: str, port: int) -> str:
    """A place to listen at, as addresses of pages have it.

    >>> at("::1", 8000)
    '[::1]:8000'
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
