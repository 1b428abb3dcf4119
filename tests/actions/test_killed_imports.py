"""An import whose process is killed, at any step whatever of its work on the database: what stands are whole chunks of
what it was to write, and the same import again makes the space that it would have made undisturbed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.actions import killing
from tests.actions.killing import Databases, Work
from tests.intake.terminal import edge, event, fact
from tests.makers import day
from trustmem.actions import facts, imports
from trustmem.actions.imports import Report
from trustmem.actions.verify import verify
from trustmem.core.instants import span
from trustmem.store import chain
from trustmem.store.models import Line, Space
from trustmem.store.state_hash import state_hash

CHUNK = 6
NOW = day(12)
KEY = "0f" * 32


class Case(NamedTuple):
    """A file, how it is taken, who told it before, and what a person forgot of what was told so."""

    raw: Sequence[bytes]
    options: Mapping[str, Any] = MappingProxyType({})
    told_before_by: str = ""
    forgotten: str = ""


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
    "what a person forgot": Case(_file(*WHOLE, *AMISS), forgotten="claim 1!"),
    "what somebody else told": Case(_file(*OBSERVED, *RELATED), {"source": "diary", "every": span(2)}, "notes"),
}


def taken(space: Space, case: Case, now: int = NOW, **options: Any) -> Report:
    return imports.import_lines(space, case.raw, file="a file", by="ana", now=now, **case.options, **options)


# What happens in processes of their own


def make() -> None:
    """What they all find warm."""
    killing.migrate()
    before("a history")
    do("a history")


def empty() -> None:
    killing.migrate()


def before(name: str) -> None:
    case = CASES[name]
    space = Space.objects.create(name="diary", digest_key=KEY)
    if case.told_before_by:
        taken(space, Case(case.raw, {"source": case.told_before_by}), now=NOW - 1)
    if case.forgotten:
        before = [fact("before", case.forgotten, at=_on(2))]
        taken(space, Case(_file(*before)), now=NOW - 1)
        facts.forget(space, "before", by="ana", now=NOW - 1)


def do(name: str) -> tuple[list[int], Mapping[str, int]]:
    """How many lines there were and came to be, chunk by chunk, and how many records got which answer."""
    imports.CHUNK = CHUNK
    space = Space.objects.get()
    chunks = [had := space.head_position]
    report = taken(space, CASES[name], progress=lambda done, of: chunks.append(had + done))
    return chunks, report.balance


def seen() -> tuple[list[tuple[str, str, str]], str, list[str]]:
    """The lines of the space, its state hash, and what is wrong with its chain."""
    space = Space.objects.get()
    lines = Line.objects.filter(space=space).order_by("position").values_list("name", "tag", "digest")
    return list(lines), state_hash(space), [str(each) for each in chain.verify(space)]


def amiss() -> list[str]:
    return verify(Space.objects.get(), rebuild=True)


# What is seen from outside


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    with killing.databases(tmp_path_factory.mktemp("databases")) as found:
        yield found


@pytest.fixture(scope="module")
def work(databases: Databases) -> Iterator[Work]:
    with killing.warm("tests.actions.test_killed_imports", databases.folder) as work:
        assert work(databases.make("warm"), "make", here=True).status == 0
        assert work(databases.make("empty"), "empty").status == 0
        yield work


@pytest.mark.parametrize("name", CASES)
def test_an_import_killed_at_any_step_leaves_whole_chunks_and_the_same_import_finishes_it(
    name: str, work: Work, databases: Databases, pytestconfig: pytest.Config
) -> None:
    apart = killing.steps_apart(pytestconfig)
    assert work(databases.make("before", like="empty"), "before", name).status == 0
    after = databases.make("after", like="before")
    chunks, balance = work(after, "do", name).gave
    whole, right, _ = work(after, "seen").gave
    sizes = {*(chunks[:1] if CASES[name].options.get("strict") else chunks), len(whole)}

    found = set()
    for database, _ in killing.left(work, databases, name, apart=apart):
        cut, stands, broken = work(database, "seen").gave
        assert cut == whole[: len(cut)]
        assert len(cut) in sizes
        assert broken == []
        concluded = len(cut) == len(whole)  # all was done, and the same file is known from now on
        assert stands == right or not concluded
        _, again = work(database, "do", name).gave
        lines, comes_to, _ = work(database, "seen").gave
        assert lines[: len(whole)] == whole
        assert len(lines) == len(whole) + concluded
        assert comes_to == right
        assert again == balance or concluded
        assert work(database, "amiss").gave == []
        found.add(len(cut))
    assert found == sizes or (found < sizes and apart > 1)
