"""Dying at a step: processes that are forked from a warm one do a piece of work on a database, and are killed at a step
of it; what they leave is seen from outside, row for row.

A step is whatever comes before a statement, amid rows that go in at once, before a commit or after one. On PostgreSQL
the work is begun anew for each step at which somebody is to die. On SQLite it need not be: the process dies, and a twin
that was forked from it at that step puts the files aside as they were left, and goes on in its place.
"""

import ctypes
import gc
import json
import os
import secrets
import shutil
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple

import psycopg
from django.apps import apps
from django.core.management import call_command
from django.db import connection

from tests.conftest import ROOT
from trustmem.store import bulk

KILLED = 9
_IS_FILE = connection.vendor == "sqlite"
#: The rows of each table, in order, as the driver gives them.
Rows = dict[str, list[Mapping[str, Any]]]
#: Columns in which Django writes the moment itself.
_OF_NO_ACTION = ("date_joined",)


class Ended(NamedTuple):
    """How a process ended, and what its function gave where it came to its end; or what was left at each step."""

    status: int
    gave: Any


#: Has a process work on a database: by the name of a function, and its arguments. `at`: it is killed at that step; or
#: at each so many-th, where that is negative. `here`: the process from which the others are forked does it, so that
#: they find all warm.
Work = Callable[..., Ended]


# What happens in processes of their own


def serve(module: str) -> None:
    """Do what is asked for by functions of a module."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: twins of those that died are left to this process
    work = import_module(module)
    for asked in sys.stdin:
        database, function, arguments, at, here = json.loads(asked)
        connection.settings_dict["NAME"] = database
        doing = partial(getattr(work, function), *arguments)
        print(json.dumps(_done_here(doing) if here else _done_by_another(doing, at)), flush=True)


def _done_here(doing: Callable[[], Any]) -> Ended:
    _leave_nothing_to_chance()
    gave = doing()
    connection.close()
    gc.freeze()
    return Ended(0, gave)


def _done_by_another(doing: Callable[[], Any], at: int) -> Ended:
    reader, writer = os.pipe()
    first = os.fork()
    if not first:
        os._exit(_status_of(doing, at, writer))
    os.close(writer)
    with open(reader) as told:
        gave = json.loads(told.read() or "null")
    ended = {}
    while ended.keys() != {first} or at < 0:
        try:
            pid, status = os.wait()
        except ChildProcessError:
            break
        ended[pid] = os.waitstatus_to_exitcode(status)
    return Ended(ended[first] if at >= 0 else min(set(ended.values()) - {KILLED}), gave)


def _status_of(doing: Callable[[], Any], at: int, writer: int) -> int:
    """The status with which a process ends: 0 once it has told what the function gave."""
    try:
        _leave_nothing_to_chance()
        left = _Left()
        if at:
            _watch(_dying_at(at) if at > 0 else left.at_each(-at))
        gave = doing()
        os.write(writer, json.dumps([left.steps, left.names] if at < 0 else gave).encode())
        return 0
    except BaseException:
        traceback.print_exc()
        return 1


def _leave_nothing_to_chance() -> None:
    """The same work on the same rows is to leave the same rows, ids and all."""
    secrets.token_hex = lambda length=32: "5e" * length
    secrets.token_urlsafe = lambda length=32: "5e" * length
    secrets.choice = lambda among: among[0]


def _watch(step: Callable[[], None]) -> None:
    """Have something called at each step of the work of this process on the database."""

    def statement(execute: Callable[..., Any], *arguments: Any) -> Any:
        step()
        return execute(*arguments)

    def amid(rows: Sequence[Any]) -> Iterator[Any]:
        for place, row in enumerate(rows):
            if place == len(rows) // 2:
                step()
            yield row

    def halting(write: Callable[..., None]) -> Callable[..., None]:
        return lambda *given: write(*given[:-1], amid(list(given[-1])))

    for name in ("insert", "update", "upsert"):
        setattr(bulk, name, halting(getattr(bulk, name)))
    commit = connection._commit
    connection._commit = lambda: (step(), commit(), step())
    connection.execute_wrappers.append(statement)


def _dying_at(number: int) -> Callable[[], None]:
    steps = count(1)

    def step() -> None:
        if next(steps) == number:
            os._exit(KILLED)

    return step


class _Left:
    """What those that died left in the files, by the step: as far as it is not what was left before."""

    def __init__(self) -> None:
        self.names = list[str]()
        self.steps = 0

    def at_each(self, apart: int) -> Callable[[], None]:
        def step() -> None:
            self.steps += 1
            if self.steps % apart == 1 or apart == 1:
                dies = os.getpid()
                if os.fork():
                    os._exit(KILLED)
                while os.getppid() == dies:
                    sleep(0.0002)
                self._put_aside()

        return step

    def _put_aside(self) -> None:
        database = Path(connection.settings_dict["NAME"])
        aside = database.parent.parent / f"left-{self.steps}"
        if not self.names or _content(database.parent) != _content(aside.with_name(self.names[-1])):
            shutil.copytree(database.parent, aside)
            self.names.append(aside.name)


def _content(folder: Path) -> dict[str, bytes]:
    """That of a database and its log: its index of the log is made anew by whoever opens it next."""
    return {each.name: each.read_bytes() for each in folder.iterdir() if not each.name.endswith("-shm")}


def migrate() -> None:
    call_command("migrate", verbosity=0)


# What is seen from outside


@contextmanager
def warm(module: str, home: Path) -> Iterator[Work]:
    """A process that has loaded a module of tests, and forks those that work."""
    script = f"import django; django.setup(); from tests.actions import killing; killing.serve('{module}')"
    environment = {**os.environ, "TRUSTMEM_HOME": str(home), "BROKER_URL": "memory://"}
    if _IS_FILE:
        environment["DATABASE_URL"] = f"sqlite:///{home}/none.sqlite3"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, env=environment, text=True, **pipes) as server:

        def work(database: str, function: str, *arguments: Any, at: int = 0, here: bool = False) -> Ended:
            assert server.stdin
            assert server.stdout
            print(json.dumps([database, function, arguments, at, here]), file=server.stdin, flush=True)
            return Ended(*json.loads(server.stdout.readline()))

        yield work


class Databases:
    """Databases by short names. On SQLite each is a file in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = set[str]()

    def named(self, name: str) -> str:
        """What the driver calls it."""
        return str(self.folder / name / "tests.sqlite3") if _IS_FILE else f"killed_{os.getpid()}_{name}"

    def make(self, name: str, like: str = "") -> str:
        """A database as another one is that nobody uses, or an empty one; what had the name before is gone."""
        database = self.named(name)
        if _IS_FILE:
            shutil.rmtree(self.folder / name, ignore_errors=True)
            if like:
                shutil.copytree(self.folder / like, self.folder / name)
            else:
                (self.folder / name).mkdir()
            return database
        self.made.add(database)
        with _server() as server:
            server.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")
            template = self.named(like) if like else "template0"
            server.execute(f"CREATE DATABASE {database} TEMPLATE {template} STRATEGY FILE_COPY")
        return database


@contextmanager
def databases(folder: Path) -> Iterator[Databases]:
    """Databases that are gone afterwards."""
    found = Databases(folder)
    yield found
    for database in found.made:
        with _server() as server:
            server.execute(f"DROP DATABASE {database} WITH (FORCE)")


def steps_apart(config: Any) -> int:
    """Somebody is killed at each so many-th step."""
    return int(config.getoption("--steps-apart") or (3 if _IS_FILE else 10))


def _server(database: str = "postgres") -> Any:
    kept = ("host", "port", "user", "password")
    parameters = {name: value for name, value in connection.get_connection_params().items() if name in kept}
    return psycopg.connect(**parameters, dbname=database, autocommit=True)


def rows(database: str) -> Rows:
    """All that stands in a database."""
    with closing(sqlite3.connect(database) if _IS_FILE else _server(database)) as reader:
        return {model._meta.db_table: _of(reader, model._meta.db_table) for model in apps.get_models()}


def _of(reader: Any, table: str) -> list[Mapping[str, Any]]:
    found = reader.execute(f"SELECT * FROM {table} ORDER BY 1")
    names = [each[0] for each in found.description]
    return [
        {name: value for name, value in zip(names, row, strict=True) if name not in _OF_NO_ACTION}
        for row in found.fetchall()
    ]


def left(work: Work, databases: Databases, *given: str, apart: int) -> Iterator[tuple[str, Rows]]:
    """Each state in which a database like "before" is left by processes that `do` what was given and are killed, each
    at a step; in the order in which they are first met, and the last is what stands once one has come to its end."""
    met = list[Rows]()
    for database, stands in (_left_in_files if _IS_FILE else _left_on_server)(work, databases, given, apart):
        if stands not in met:
            met.append(stands)
            yield database, stands


Left = Iterator[tuple[str, Rows]]


def _left_in_files(work: Work, databases: Databases, given: Sequence[str], apart: int) -> Left:
    for old in databases.folder.glob("left-*"):
        shutil.rmtree(old)
    ended = work(databases.make("killed", like="before"), "do", *given, at=-apart)
    assert ended.status == 0
    steps, names = ended.gave
    print(f"killed at {-(-steps // apart)} of {steps} steps")
    for database in map(databases.named, (*names, "killed")):
        yield database, rows(database)


def _left_on_server(work: Work, databases: Databases, given: Sequence[str], apart: int) -> Left:
    database = databases.make("killed", like="before")
    was, counters = rows(database), _counters(database)
    is_met = False
    for step in count(1, apart):
        status = work(database, "do", *given, at=step).status
        assert status in (0, KILLED), f"at step {step}"
        stands = rows(database)
        yield database, stands
        if not status:
            print(f"killed at {(step - 1) // apart} of about {step - 1} steps")
            break
        if stands == was and is_met:  # so nobody has looked at it, and no copy is needed but of counters
            _count_from(database, counters)
        else:
            databases.make("killed", like="before")
        is_met |= stands == was


def _counters(database: str) -> list[tuple[Any, ...]]:
    with closing(_server(database)) as server:
        return server.execute("SELECT sequencename, last_value FROM pg_sequences").fetchall()


def _count_from(database: str, counters: Sequence[tuple[Any, ...]]) -> None:
    with closing(_server(database)) as server:
        for name, last in counters:
            server.execute("SELECT setval(%s, %s, %s)", (name, last or 1, last is not None))
