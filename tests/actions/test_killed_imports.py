"""An import whose process is killed, at any step whatever of its work on the database: what stands are whole chunks of
what it was to write, and the same import again makes the space that it would have made undisturbed."""

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from django.db import connection

from tests.conftest import ROOT
from tests.intake.terminal import edge, event, fact
from tests.makers import day
from trustmem.actions import imports
from trustmem.actions.imports import Report
from trustmem.actions.verify import verify
from trustmem.core.instants import span
from trustmem.store import bulk, chain
from trustmem.store.models import Line, Space
from trustmem.store.state_hash import state_hash

KILLED = 9
CHUNK = 6
NOW = day(12)
KEY = "0f" * 32
Rows = list[tuple[Any, ...]]
#: Asks for the import of a case into a space, in a process that is killed at a step: how that ended.
Killed = Callable[[str, Space, int], int]


class Case(NamedTuple):
    """A file, how it is taken, and who told it before."""

    raw: Sequence[bytes]
    options: Mapping[str, Any] = MappingProxyType({})
    told_before_by: str = ""


def _file(*lines: Any) -> list[bytes]:
    return [(line if isinstance(line, str) else json.dumps(line)).encode() + b"\n" for line in lines]


def _on(number: int, hour: int = 9) -> str:
    return f"2026-01-{number:02}T{hour:02}:00:00Z"


WHOLE = [
    {"type": "entity", "id": "n", "name": "Ana", "at": _on(2)},
    *(fact(f"f{number}", f"Claim {number}.", at=_on(2 + number % 5), source=f"s{number % 3}") for number in range(12)),
    *(event("restated", f"f{number}", f"e{number}", at=_on(4 + number), source="crm", act="A") for number in range(6)),
    edge("updates", "f1", "f0", "l0", at=_on(5), note="So it is."),
    edge("contradicts", "f2", "f3", "l1", at=_on(6)),
    {"type": "feedback", "id": "b", "fact": "f4", "outcome": "helpful", "at": _on(7)},
    {"type": "constants", "id": "c", "version": 2, "values": {"promote_threshold": 0.7}, "at": _on(6)},
    {"type": "event", "id": "u", "kind": "undone", "of": "A", "at": _on(9)},
]
ERASED = event("erased", "f5", "x", at=_on(8))
AMISS = [
    "torn {",
    fact("f0", "Something else.", at=_on(8)),
    edge("updates", "f1", "f1", "loop", at=_on(8)),
    event("restated", "elsewhere", "w", at=_on(8)),
    {"type": "fact", "id": "no-text", "at": _on(8)},
]
PASSES = [{"type": "pass", "at": _on(number, 12)} for number in (3, 5, 7, 10)]
OBSERVED = [
    {"type": "entity", "name": name, "entityType": "person", "observations": told}
    for name, told in {
        "Ana": ["Likes tea.", {"text": "Lives in Bern.", "timestamp": _on(2)}, {"text": "Plays.", "timestamp": _on(6)}],
        "Ben": [{"text": "Likes coffee.", "timestamp": _on(3)}, ""],
        "Cem": [f"Told story {number}." for number in range(4)],
    }.items()
]
RELATED = [{"type": "relation", "from": "Ana", "to": to, "relationType": "knows"} for to in ("Ben", "Dan")]
CASES = {
    # What a space says of itself comes late in it.
    "a history": Case(
        _file(*WHOLE, ERASED, *AMISS, *PASSES, {"type": "space", "id": "larkspur", "digest_key": KEY, "at": _on(7)})
    ),
    "passes of its own": Case(_file(*WHOLE, *AMISS), {"every": span(2)}),
    "all or nothing": Case(_file(*WHOLE[:9], *PASSES), {"strict": True}),
    "what somebody else told": Case(_file(*OBSERVED, *RELATED), {"source": "diary", "every": span(2)}, "notes"),
}


def taken(space: Space, case: Case, now: int = NOW, **options: Any) -> Report:
    return imports.import_lines(space, case.raw, file="a file", by="ana", now=now, **case.options, **options)


# What happens in processes of their own


def serve() -> None:
    """Does the import of each case, space and step that comes, in a process that is killed at that step, and answers
    with how it ended: a process that is forked has Django loaded already."""
    imports.CHUNK = CHUNK
    for asked in sys.stdin:
        name, space, step = json.loads(asked)
        child = os.fork()
        if not child:
            try:
                die_at(step)
                taken(Space.objects.get(pk=space), CASES[name])
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def die_at(number: int) -> None:
    """Have this process end at a step of its work on the database: before each statement, amid rows that go in at once,
    before and after a commit."""
    steps = count(1)

    def step() -> None:
        if next(steps) == number:
            os._exit(KILLED)

    def statement(execute: Callable[..., Any], *arguments: Any) -> Any:
        step()
        return execute(*arguments)

    def amid(rows: Sequence[Any]) -> Iterator[Any]:
        for place, row in enumerate(rows):
            if place == len(rows) // 2:
                step()
            yield row

    insert, commit = bulk.insert, connection._commit
    bulk.insert = lambda model, columns, rows: insert(model, columns, amid(list(rows)))
    connection._commit = lambda: (step(), commit(), step())
    connection.execute_wrappers.append(statement)


@pytest.fixture
def killed(database_url: str) -> Iterator[Killed]:
    script = "import django; django.setup(); from tests.actions.test_killed_imports import serve; serve()"
    server = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": database_url},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin
    assert server.stdout

    def ask(name: str, space: Space, step: int) -> int:
        print(json.dumps([name, space.pk, step]), file=server.stdin, flush=True)
        return int(server.stdout.readline())

    with server:
        yield ask
        server.stdin.close()


# What is seen from outside


def made(case: Case) -> Space:
    """A space of always the same name and key, so that the same lines have the same digests in it."""
    space = Space.objects.create(name="diary", digest_key=KEY)
    if case.told_before_by:
        taken(space, Case(case.raw, {"source": case.told_before_by}), now=NOW - 1)
    return space


def lines_of(space: Space) -> Rows:
    return list(Line.objects.filter(space=space).order_by("position").values_list("name", "tag", "digest"))


def put_aside(space: Space) -> None:
    """Make what it is called free for the next."""
    Space.objects.filter(pk=space.pk).update(name=f"done {space.pk}", alias="")


@pytest.mark.parametrize("name", CASES)
def test_an_import_killed_at_any_step_leaves_whole_chunks_and_the_same_import_finishes_it(
    name: str, killed: Killed, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    apart = pytestconfig.getoption("--steps-apart") or (1 if connection.vendor == "sqlite" else 5)
    monkeypatch.setattr(imports, "CHUNK", CHUNK)
    case = CASES[name]
    space = made(case)
    chunks = [before := len(lines_of(space))]
    undisturbed = taken(space, case, progress=lambda done, of: chunks.append(before + done))
    whole, right = lines_of(space), state_hash(space)
    sizes = {*([before] if case.options.get("strict") else chunks), len(whole)}
    put_aside(space)

    found = set()
    for step in count(1, apart):
        space = made(case)
        ended, cut = killed(name, space, step), lines_of(space)
        assert ended in (0, KILLED)
        assert cut == whole[: len(cut)]
        assert len(cut) in sizes
        assert chain.verify(space) == []
        if not ended:
            break
        concluded = len(cut) == len(whole)  # all was done, and the same file is known from now on
        assert state_hash(space) == right or not concluded
        again = taken(Space.objects.get(pk=space.pk), case)
        assert lines_of(space)[: len(whole)] == whole
        assert len(lines_of(space)) == len(whole) + concluded
        assert state_hash(space) == right
        assert again.balance == undisturbed.balance or concluded
        if len(cut) not in found:
            assert verify(space, rebuild=True) == []
        found.add(len(cut))
        put_aside(space)
    assert found <= sizes
    assert found == sizes or apart > 1
