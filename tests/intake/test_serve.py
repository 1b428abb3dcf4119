"""The desk as people open it: made, answered by, kept alive, and gone without a trace."""

import os
import re
import signal
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import IO

import pytest

from tests import ports
from tests.intake.terminal import ROOT, command
from tests.work.workers import PATIENCE, wait_for

LINK = re.compile(r"http://127\.0\.0\.1:\d+(/enter/\S+)")


@pytest.fixture
def port() -> int:
    return ports.free()


@contextmanager
def open_desk(home, port: int, *arguments: object) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A desk, once it is open, and what it said until then."""
    with (
        open(home.folder.with_name("said"), "w+") as stderr,
        subprocess.Popen(
            command("serve", "--port", port, *arguments),
            cwd=ROOT,
            env=home.environment,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as desk,
    ):
        try:
            yield desk, list(_until_it_is_open(desk.stdout))
        finally:
            desk.kill()


def _until_it_is_open(stdout: IO[str]) -> Iterator[str]:
    for line in stdout:
        yield line
        if line.endswith("Ctrl-C closes the desk.\n"):
            return


def said(home) -> str:
    return home.folder.with_name("said").read_text()


def answer(port: int, path: str = "/") -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", path)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def answers(port: int, status: int = 302) -> bool:
    try:
        return answer(port)[0] == status
    except ConnectionError:
        return False


def descendants(pid: int) -> dict[int, str]:
    """The processes that a process started, and those that these did, with their commands."""
    asked = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True)
    rows = [line.split(None, 2) for line in asked.stdout.splitlines()]
    found, ahead = {}, {pid}
    while ahead:
        theirs = {int(child): args for child, parent, args in rows if int(parent) in ahead}
        found |= theirs
        ahead = theirs.keys()
    return found


def is_alive(pid: int) -> bool:
    asked = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return asked.stdout.strip() not in ("", "Z", "Zs")  # a zombie has ended, and nobody has asked how


def the(what: str, processes: dict[int, str]) -> list[int]:
    return [pid for pid, args in processes.items() if f"trustmem.cli {what}" in args]


def test_it_makes_what_there_must_be_and_says_where_to_go(home, port) -> None:
    with open_desk(home, port) as (desk, lines):
        link = LINK.search(lines[1])
        assert lines[0] == f"The desk is open at http://127.0.0.1:{port}/, with a worker for what takes long.\n"
        assert '"owner"' in lines[1]
        assert lines[2] == f"Agents come in over MCP at http://127.0.0.1:{port + 1}/mcp, each by a token.\n"
        assert str(home.folder) in lines[3]
        assert answer(port, link[1])[0] == 200
        assert len(the("web", descendants(desk.pid))) == 2
        assert len(the("worker", descendants(desk.pid))) == 1
        assert len(the("mcp", descendants(desk.pid))) == 1
        assert answer(port + 1, "/mcp")[0] == 401
    secret = home.folder / "secret-key"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert len(secret.read_text()) > 50
    assert stat.S_IMODE((home.folder / "queue").stat().st_mode) == 0o700
    assert home.sql("SELECT username, is_superuser, password FROM store_user")[0][:2] == ("owner", True)
    assert home.sql("SELECT password FROM store_user")[0][0].startswith("!")  # no password opens it


def test_opened_again_it_has_the_same_secret_and_owner(home, port) -> None:
    secrets, links = set(), set()
    for _ in range(2):
        with open_desk(home, port) as (desk, lines):
            links.add(LINK.search(lines[1])[1])
            secrets.add((home.folder / "secret-key").read_text())
            assert all(answer(port, link)[0] == 200 for link in links)
            desk.terminate()
            desk.wait(PATIENCE)
    assert len(secrets) == 1
    assert home.sql("SELECT count(*) FROM store_user") == [(1,)]


@pytest.mark.parametrize(
    ("end", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_however_it_ends_nothing_of_it_is_left(home, port, end: signal.Signals, status: int) -> None:
    with open_desk(home, port) as (desk, _):
        left = descendants(desk.pid)
        assert len(left) >= 4
        desk.send_signal(end)
        assert desk.wait(PATIENCE) == status
        if end == signal.SIGKILL:  # it had no time to wait for them
            wait_for(lambda: not any(map(is_alive, left)))
        assert not any(map(is_alive, left))
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))


@pytest.mark.parametrize(
    ("which", "title"),
    [
        (lambda processes: the("worker", processes)[0], "the worker"),
        (lambda processes: min(the("web", processes)), "the web server"),
        (lambda processes: max(the("web", processes)), "the web server"),
        (lambda processes: the("mcp", processes)[0], "the door over MCP"),
    ],
)
def test_a_part_that_is_killed_is_started_anew(home, port, which: Callable[[dict[int, str]], int], title: str) -> None:
    with open_desk(home, port) as (desk, _):
        before = descendants(desk.pid)
        os.kill(which(before), signal.SIGKILL)
        wait_for(lambda: f"trustmem: {title} has ended, and is started anew" in said(home))
        wait_for(lambda: len(descendants(desk.pid)) == len(before) and answers(port) and answers(port + 1, 401))
        assert not is_alive(which(before))


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ("web", "The pages are at http://127.0.0.1:{port}/. Ctrl-C ends them.\n"),
        ("worker", "The worker waits for jobs at the queue in the home, 1 at a time. Ctrl-C ends it.\n"),
        ("mcp", "Agents come in over MCP at http://127.0.0.1:{port}/mcp, each by a token. Ctrl-C ends it.\n"),
        ("beat", "Beat wakes a worker every 15 seconds for what is due by the schedules. Ctrl-C ends it.\n"),
    ],
)
def test_a_part_that_runs_alone_says_so(home, port, part: str, sentence: str) -> None:
    at = {"web": "--port", "mcp": "--http"}
    with home.start(part, *([at[part], port] if part in at else [])) as started:
        assert started.stdout.readline().decode() == sentence.format(port=port)
        started.terminate()
        assert started.wait(PATIENCE) == 0


def test_a_port_that_is_taken_is_a_sentence(home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = home("serve", "--port", port)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"trustmem: cannot listen at 127.0.0.1:{port}: something else listens there; --port names another\n"
    )


def test_where_the_port_of_the_door_over_mcp_is_taken_the_desk_goes_on_and_says_so(home, port) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        with open_desk(home, port, "--mcp-port", taken) as (desk, lines):
            assert answers(port)
            assert not the("mcp", descendants(desk.pid))
            assert "MCP" not in "".join(lines)
    assert said(home).splitlines()[0] == (
        f"notice: the door over MCP stays closed: cannot listen at 127.0.0.1:{taken}: something else listens there; "
        "--mcp-port names another"
    )


def test_the_door_over_mcp_can_be_left_out(home, port) -> None:
    with open_desk(home, port, "--no-mcp") as (desk, lines):
        assert not the("mcp", descendants(desk.pid))
        assert "MCP" not in "".join(lines)


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["--port", "0"], 2, '"0" is no port, from 1 to 65535'),
        (["--port", "eight"], 2, '"eight" is no port, from 1 to 65535'),
        (["--mcp-port", "8000"], 2, "--mcp-port and --port are one and the same: each door has a port of its own"),
        (["--host", "192.0.2.1"], 1, "cannot listen at 192.0.2.1:8000: Cannot assign requested address"),
        (["--host", "no such host"], 1, "cannot listen at no such host:8000: "),
    ],
)
def test_where_it_cannot_listen_it_says_so_in_a_sentence(home, arguments, status: int, sentence: str) -> None:
    done = home("serve", *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_open_to_others_it_says_so(home, port) -> None:
    with open_desk(home, port, "--host", "0.0.0.0") as (_, lines):
        assert LINK.search(lines[1])
        wait_for(lambda: f"notice: whoever reaches 0.0.0.0:{port} reaches the desk" in said(home))
