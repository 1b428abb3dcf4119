"""Homes for the commands that work on a database: each test has one of its own, on SQLite or in PostgreSQL."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from pathlib import Path

import environ
import pytest

from tests import ports
from tests.intake.terminal import LIVED, ROOT, command, environment, run

SERVER = os.environ.get("DATABASE_URL", "")
_numbers = count()


class Home:
    """A folder, and a database in PostgreSQL where the tests have that. Called, it runs a command in a pipe."""

    def __init__(self, folder: Path, database: str | None) -> None:
        self.folder = folder
        self.database = database
        self.environment = environment(80) | {"TRUSTMEM_HOME": str(folder)}
        self.environment.pop("DATABASE_URL", None)
        if database:
            self.environment["DATABASE_URL"] = f"{SERVER.rpartition('/')[0]}/{database}"

    def __call__(self, *arguments, stdin=b"", **more):
        return run(arguments, self.environment, stdin, **more)

    def start(self, *arguments):
        return subprocess.Popen(command(*arguments), cwd=ROOT, env=self.environment, stdout=subprocess.PIPE)

    def json(self, *arguments):
        """What a command that is all right prints, line by line."""
        done = self(*arguments)
        assert done.returncode in (0, 3), done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def sql(self, *statements):
        """Go by the commands, and by the triggers: the rows of the last statement."""
        if self.database:
            return _on_server(self.database, "SET session_replication_role = replica", *statements)
        with closing(sqlite3.connect(self.folder / "trustmem.sqlite3", timeout=20)) as connection, connection:
            if not all(each.startswith("SELECT") for each in statements):
                for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                    connection.execute(f"DROP TRIGGER {name}")
            return [connection.execute(statement).fetchall() for statement in statements][-1]


def _on_server(database, *statements):
    import psycopg

    at = environ.Env.db_url_config(SERVER)
    with psycopg.connect(host=at["HOST"], user=at["USER"], dbname=database, autocommit=True) as connection:
        done = [connection.execute(statement) for statement in statements][-1]
        return done.fetchall() if done.description else []


@pytest.fixture(scope="session")
def empty(tmp_path_factory) -> Iterator[Home]:
    """Tables as the first command of a person makes them, and no space yet."""
    with _made(tmp_path_factory.mktemp("empty") / ".trustmem") as home:
        made = home("space", "list")
        assert (made.returncode, made.stderr) == (0, "")
        yield home


@pytest.fixture(scope="session")
def imported(tmp_path_factory, empty) -> Iterator[Home]:
    """The sample, lived through with daily passes."""
    with _made(tmp_path_factory.mktemp("imported") / ".trustmem", empty) as home:
        assert home("import", *LIVED).returncode == 0
        yield home


@pytest.fixture
def new_home(tmp_path, empty) -> Iterator[Callable[..., Home]]:
    """Makes homes, like the empty one unless another is given."""
    with ExitStack() as homes:
        yield lambda like=empty: homes.enter_context(_made(tmp_path / f"home-{next(_numbers)}", like))


@pytest.fixture
def home(new_home) -> Home:
    return new_home()


@pytest.fixture
def file_of_home(home) -> Path:
    """The file of the database; for what is about files, on SQLite also where the other tests use PostgreSQL."""
    home.environment.pop("DATABASE_URL", None)
    home.database = None
    home.folder.mkdir(mode=0o700, exist_ok=True)
    return home.folder / "trustmem.sqlite3"


@pytest.fixture
def demo(new_home, imported) -> Home:
    return new_home(imported)


@pytest.fixture
def token(home) -> str:
    """What an agent has who may read, write and give feedback in the only space."""
    home("space", "create", "diary")
    made: str = home("tokens", "new", "--source", "bot").stdout.strip()
    return made


@pytest.fixture
def port(home) -> Iterator[int]:
    """Where MCP is spoken over HTTP, by a process of its own."""
    number = ports.free()
    with home.start("mcp", "--http", str(number)) as process:
        for _ in range(300):
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", number)) == 0:
                    break
            time.sleep(0.1)
        yield number
        process.terminate()


@contextmanager
def _made(folder: Path, like: Home | None = None) -> Iterator[Home]:
    if like and like.folder.exists():
        shutil.copytree(like.folder, folder)
    if not SERVER.startswith("postgres"):
        yield Home(folder, None)
        return
    name = f"home_{os.getpid()}_{next(_numbers)}"
    _on_server("postgres", f"CREATE DATABASE {name} TEMPLATE {like.database if like else 'template1'}")
    yield Home(folder, name)
    _on_server("postgres", f"DROP DATABASE {name} WITH (FORCE)")
