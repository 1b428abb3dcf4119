"""`trustmem serve`: opens the desk: what there must be is made, and the web server, a worker and the door over MCP run
as its children."""

import argparse
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address

from django.conf import settings

from trustmem.actions import access
from trustmem.explanations.text import visible
from trustmem.intake.shell import Failure, Refusal, database, link, queue, secret, web
from trustmem.store.models import User

#: Seconds between two looks at the children, before one is started anew, for the first answer, and for the end.
_LOOK, _PAUSE, _START, _END = 0.2, 2.0, 60.0, 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    web.add_arguments(parser)
    parser.add_argument(
        "--mcp-port", metavar="P", type=web.port, help="the port of the door over MCP (default: the one after --port)"
    )
    parser.add_argument("--no-mcp", action="store_true", help="without the door over MCP")


def run(arguments: argparse.Namespace) -> int:
    host, port = arguments.host, arguments.port
    web.free(host, port)
    if arguments.mcp_port == port:
        raise Refusal("--mcp-port and --port are one and the same: each door has a port of its own")
    database.make_home()
    queue.look_at()
    secret.keep()
    with database.opened():
        owner = access.owner()
    door = None if arguments.no_mcp else _door(host, arguments.mcp_port or _beside(port))
    server = _Child("the web server", "web", "--host", host, "--port", str(port))
    mcp = _Child("the door over MCP", "mcp", "--host", host, "--http", str(door))
    children = [server, _Child("the worker", "worker", "--beat"), *([] if door is None else [mcp])]
    if door is not None:
        os.environ.setdefault("MCP_AT", str(door))
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        for child in children:
            child.start()
        if not _opens(server, host, port):
            raise Failure("the web server does not answer")
        if door is not None and not _opens(mcp, host, door):
            print("notice: the door over MCP does not answer; the desk goes on, and tries it anew", file=sys.stderr)
        _tell(owner, host, port, door)
        while True:
            time.sleep(_LOOK)
            for child in children:
                child.keep()
    except KeyboardInterrupt:
        return 0
    finally:
        _end(children)


def _beside(port: int) -> int:
    return port + 1 if port + 1 < 1 << 16 else port - 1


def _door(host: str, port: int) -> int | None:
    """The port at which agents come in over MCP; None, and a sentence, where none can: the desk goes on without."""
    try:
        web.free(host, port, "--mcp-port")
    except Failure as failure:
        print(f"notice: the door over MCP stays closed: {failure}", file=sys.stderr)
        return None
    return port


class _Child:
    """A command of ours as a process that ends with this one. It has a session of its own: Ctrl-C is for its parent."""

    def __init__(self, title: str, *arguments: str) -> None:
        self.title = title
        self.command = [sys.executable, "-P", "-m", "trustmem.cli", *arguments, "--parent", str(os.getpid())]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603
            self.command, stdin=subprocess.DEVNULL, stdout=sys.stderr, start_new_session=True
        )

    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def keep(self) -> None:
        """Start it anew if it has ended."""
        if self.has_ended():
            print(f"trustmem: {self.title} has ended, and is started anew", file=sys.stderr)
            time.sleep(_PAUSE)
            self.start()


def _end(children: list[_Child]) -> None:
    """Ask the children to end, and end what does not in time."""
    processes = [child.process for child in children if child.process is not None]
    for process in processes:
        process.terminate()
    until = time.monotonic() + _END
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0, until - time.monotonic()))
        process.kill()
        process.wait()


def _opens(child: _Child, host: str, port: int) -> bool:
    """Whether there comes a first answer, which is waited for."""
    until = time.monotonic() + _START
    while not _answers(host, port):
        if child.has_ended() or time.monotonic() > until:
            return False
        time.sleep(_LOOK)
    return True


def _answers(host: str, port: int) -> bool:
    asked = HTTPConnection(web.near(host), port, timeout=_START)
    try:
        asked.request("HEAD", "/")
        asked.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        asked.close()
    return True


def _tell(owner: User, host: str, port: int, door: int | None) -> None:
    address = f"http://{web.at(web.near(host), port)}/"
    where = visible(str(settings.HOME))
    beside = " and in the database that DATABASE_URL names" if "DATABASE_URL" in os.environ else ""
    print(f"The desk is open at {address}, with a worker for what takes long.")
    print(f'Sign in as "{owner.get_username()}", by a link that works once: {link.to(owner, address)}')
    if door is not None:
        print(f"Agents come in over MCP at http://{web.at(web.near(host), door)}/mcp, each by a token.")
    print(f"All you have here is kept in {where}{beside}. Ctrl-C closes the desk.", flush=True)
    if not _is_loopback(host):
        print(
            f"notice: whoever reaches {web.at(host, port)} reaches the desk, and nothing on the way is encrypted; "
            "names by which it is asked for go into ALLOWED_HOSTS",
            file=sys.stderr,
        )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
