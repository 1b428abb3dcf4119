"""`trustmem serve`: opens the desk: what there must be is made, and the web server and a worker run as its children."""

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
from trustmem.intake.shell import Failure, database, link, queue, secret, web
from trustmem.store.models import User

#: Seconds between two looks at the children, before one is started anew, for the first answer, and for the end.
_LOOK, _PAUSE, _START, _END = 0.2, 2.0, 60.0, 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    web.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    host, port = arguments.host, arguments.port
    web.free(host, port)
    database.make_home()
    queue.look_at()
    secret.keep()
    with database.opened():
        owner = access.owner()
    server = _Child("the web server", "web", "--host", host, "--port", str(port))
    children = [server, _Child("the worker", "worker", "--beat")]
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        for child in children:
            child.start()
        _await(server, host, port)
        _tell(owner, host, port)
        while True:
            time.sleep(_LOOK)
            for child in children:
                child.keep()
    except KeyboardInterrupt:
        return 0
    finally:
        _end(children)


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


def _await(server: _Child, host: str, port: int) -> None:
    """Wait for the first answer. Raises Failure where there comes none."""
    until = time.monotonic() + _START
    while not _answers(host, port):
        if server.has_ended() or time.monotonic() > until:
            raise Failure("the web server does not answer")
        time.sleep(_LOOK)


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


def _tell(owner: User, host: str, port: int) -> None:
    address = f"http://{web.at(web.near(host), port)}/"
    where = visible(str(settings.HOME))
    beside = " and in the database that DATABASE_URL names" if "DATABASE_URL" in os.environ else ""
    print(f"The desk is open at {address}, with a worker for what takes long.")
    print(f'Sign in as "{owner.get_username()}", by a link that works once: {link.to(owner, address)}')
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
