"""The chain of lines: one, unforked, append-only; and whatever is done to it by force is found where it was done."""

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.transaction import TransactionManagementError

from trustmem.store.chain import CONTENT, Entry, append, erase_texts, line_digest, verify
from trustmem.store.models import Line, Space, Text

ROOT = Path(__file__).parents[2]
KEY = "0f" * 32
Lifted = Callable[[], AbstractContextManager[None]]

LINE_COLUMNS = [field.column for field in Line._meta.concrete_fields]
TEXT_COLUMNS = [field.column for field in Text._meta.concrete_fields]


def entry(name: str, **values: Any) -> Entry:
    """An entry that fills every column."""
    defaults: dict[str, Any] = {
        "tag": "fact",
        "at": 1_700_000_000_000_000,
        "arrived": 1_700_000_000_000_001,
        "body": {"source": "agent-a", "prior": 0.7},
        "text": {"text": f"Café {name} is open."},
        "act": "act-1",
        "imported": "import-1",
    }
    return Entry(name=name, **{**defaults, **values})


def entries(count: int, prefix: str = "line") -> list[Entry]:
    # No name is one bit away from another.
    names = [f"{prefix}-{hashlib.sha256(str(each).encode()).hexdigest()[:12]}" for each in range(count)]
    return [entry(name, body={"source": f"agent of {name}"}) for name in names]


@pytest.fixture
def space(db: None) -> Space:
    return Space.objects.create(name="diary", digest_key=KEY)


@pytest.fixture
def chained(space: Space) -> Space:
    """A space with 100 lines."""
    with transaction.atomic():
        append(space, entries(100))
    connection.check_constraints()
    return space


def run(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def wrong(space: Space) -> list[int]:
    return sorted({finding.position for finding in verify(space)})


def test_a_digest_is_over_the_one_before_it_and_all_that_a_line_says(space: Space) -> None:
    with transaction.atomic():
        append(space, [entry("café", body={"b": 0.5, "a": "é"}, act="", imported=""), entry("next")])
    first, second = Line.objects.order_by("position")
    assert first.text_digest == "c13a818730085512aa72c2d93a9662c2dbde698e71554e12beaccf1c9323f668"
    content = (
        '{"act":"","arrived":1700000000000001,"at":1700000000000000,"body":"{\\"a\\":\\"é\\",\\"b\\":0.5}","imported":"",'
        f'"name":"café","position":1,"space":"diary","tag":"fact","text_digest":"{first.text_digest}"}}'
    )
    assert first.digest == hashlib.sha256(("0" * 64 + content).encode()).hexdigest()
    assert first.digest == "08c82e757262a12eed38ec9948dba81c27934721c7874be503101b1c726770e0"
    assert [first.previous, second.previous] == ["0" * 64, first.digest]


def test_appending_again_and_again_keeps_one_chain(space: Space) -> None:
    for number, count in enumerate([1, 0, 2500, 3]):
        with transaction.atomic():
            append(space, entries(count, f"batch-{number}"))
    space.refresh_from_db()
    assert space.head_position == 2504
    assert list(Line.objects.order_by("position").values_list("position", flat=True)) == list(range(1, 2505))
    assert space.head_digest == Line.objects.get(space=space, position=2504).digest
    assert verify(space) == []


def test_a_line_without_a_text_has_none(space: Space) -> None:
    with transaction.atomic():
        append(space, [entry("pass", text=None)])
    assert (Line.objects.get().text_digest, Text.objects.count(), verify(space)) == ("", 0, [])


def test_an_empty_space_has_nothing_wrong(space: Space) -> None:
    assert verify(space) == []


def test_two_spaces_have_a_chain_each(chained: Space) -> None:
    other = Space.objects.create(name="other", digest_key=KEY)
    with transaction.atomic():
        append(other, entries(3))
    assert (verify(chained), verify(other)) == ([], [])
    assert Line.objects.get(space=other, position=1).digest != Line.objects.get(space=chained, position=1).digest


@pytest.mark.django_db(transaction=True)
def test_a_chain_grows_only_within_a_transaction() -> None:
    space = Space.objects.create(name="diary", digest_key=KEY)
    with pytest.raises(TransactionManagementError, match="only within a transaction"):
        append(space, entries(1))


def test_a_name_that_the_space_has_already_is_refused_with_all_that_came_with_it(chained: Space) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        append(chained, [entry("new"), entries(1)[0]])
    assert (chained.head_position, Line.objects.count(), verify(chained)) == (100, 100, [])


def test_what_is_no_json_is_refused(space: Space) -> None:
    for body in ({"at": object()}, {"prior": float("nan")}):
        with pytest.raises((TypeError, ValueError)), transaction.atomic():
            append(space, [entry("odd", body=body)])
    assert Line.objects.count() == 0


def test_no_two_lines_follow_the_same_line(chained: Space) -> None:
    last = Line.objects.filter(position=100).values().get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Line.objects.create(**{**last, "position": 101, "name": "fork"})


def test_erasing_texts_keeps_the_chain(chained: Space) -> None:
    erase_texts(chained, [7, 8])
    assert verify(chained) == []
    assert list(Text.objects.filter(body="").order_by("position").values_list("position", flat=True)) == [7, 8]
    assert "Café" in Text.objects.get(position=9).body


IN_SQLITE = [
    "INSERT OR REPLACE INTO store_line SELECT * FROM store_line WHERE position = 5",
    "REPLACE INTO store_text SELECT * FROM store_text WHERE position = 5",
    "UPDATE OR REPLACE store_line SET position = 6 WHERE position = 5",
    "UPDATE store_line SET rowid = 1000 WHERE position = 5",
]
IN_POSTGRESQL = [
    "TRUNCATE store_line",
    "TRUNCATE store_text",
    "TRUNCATE store_space CASCADE",
    """INSERT INTO store_line SELECT * FROM store_line WHERE position = 5
    ON CONFLICT (space_id, position) DO UPDATE SET body = '{}'""",
]


@pytest.mark.parametrize(
    "statement",
    [
        *(f"UPDATE store_line SET {column} = {column}" for column in LINE_COLUMNS),
        "UPDATE store_text SET body = 'x' WHERE position = 5",
        "UPDATE store_text SET body = '', position = 1000 WHERE position = 5",
        "UPDATE store_text SET body = '', space_id = space_id + 1 WHERE position = 5",
        "DELETE FROM store_line WHERE position = 100",
        "DELETE FROM store_text WHERE position = 5",
        *(IN_SQLITE if connection.vendor == "sqlite" else IN_POSTGRESQL),
    ],
)
def test_the_database_refuses(chained: Space, statement: str) -> None:
    with pytest.raises(IntegrityError, match=r"cannot be (changed|deleted)|can only be emptied"), transaction.atomic():
        run(statement)
    assert (Line.objects.count(), Text.objects.count(), verify(chained)) == (100, 100, [])


def test_an_erased_text_does_not_come_back(chained: Space) -> None:
    erase_texts(chained, [7])
    with pytest.raises(IntegrityError), transaction.atomic():
        Text.objects.filter(position=7).update(body="{}")


def edit(table: str, column: str, position: int, value: Any) -> None:
    """Set a column by force. What SQLite takes for a text may be any bytes."""
    given = "CAST(%s AS TEXT)" if isinstance(value, bytes) else "%s"
    run(f"UPDATE {table} SET {column} = {given} WHERE position = %s", value, position)


def flipped(value: Any, chance: random.Random) -> Any:
    """The value with one bit the other way, as far as the database can hold that."""
    if isinstance(value, int):
        return value ^ (1 << chance.randrange(8, 63))
    raw = bytearray(value.encode())
    raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    if connection.vendor == "sqlite":
        return bytes(raw)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return flipped(value, chance)
    return flipped(value, chance) if "\0" in text else text


@pytest.mark.parametrize("seed", [1, 2])
def test_fifty_single_bits_are_each_found_at_their_row_and_nowhere_else(
    chained: Space, lifted: Lifted, seed: int
) -> None:
    chance = random.Random(seed)
    columns = [("store_line", each) for each in LINE_COLUMNS] + [("store_text", each) for each in TEXT_COLUMNS]
    with lifted():
        for number in range(50):
            table, column = columns[number % len(columns)]
            position = chance.randint(1, 100)
            model = Line if table == "store_line" else Text
            before = model.objects.values_list(column, flat=True).get(position=position)
            after = flipped(before, chance)
            edit(table, column, position, after)
            here = after if column == "position" else position
            assert position in wrong(chained), (table, column)
            assert set(wrong(chained)) <= {position, here}, (table, column)
            edit(table, column, here, before)
            assert verify(chained) == []


FORCED: dict[str, tuple[Sequence[str], list[int]]] = {
    "a line taken out": (["DELETE FROM store_line WHERE position = 50"], [50]),
    "lines taken out": (["DELETE FROM store_line WHERE position IN (50, 51, 52, 70)"], [50, 51, 52, 70]),
    "a text taken out": (["DELETE FROM store_text WHERE position = 50"], [50]),
    "the first line taken out": (["DELETE FROM store_line WHERE position = 1"], [1]),
    "a cut tail": (["DELETE FROM store_line WHERE position > 97", "DELETE FROM store_text WHERE position > 97"], [98]),
    "all lines taken out": (["DELETE FROM store_line", "DELETE FROM store_text"], [1]),
    "two texts swapped": (
        [
            "UPDATE store_text SET position = -5 WHERE position = 3",
            "UPDATE store_text SET position = 3 WHERE position = 40",
            "UPDATE store_text SET position = 40 WHERE position = -5",
        ],
        [3, 40],
    ),
    "a rewound head": (["UPDATE store_space SET head_position = 98"], [98, 99, 100]),
    "another head": (["UPDATE store_space SET head_digest = previous FROM store_line WHERE position = 100"], [100]),
    "a text where there was none": (
        ["INSERT INTO store_text (space_id, position, body) SELECT id, 101, 'x' FROM store_space"],
        [101],
    ),
}


@pytest.mark.parametrize("what", FORCED)
def test_force_is_found(chained: Space, lifted: Lifted, what: str) -> None:
    statements, found = FORCED[what]
    with lifted():
        for statement in statements:
            run(statement)
        assert wrong(chained) == found


@pytest.mark.parametrize("column", ["body", "position", "digest", "name, body, text_digest, digest, previous"])
def test_two_lines_that_changed_places_are_found(chained: Space, lifted: Lifted, column: str) -> None:
    columns = column.split(", ")
    with lifted():
        first, second = (Line.objects.filter(position=each).values(*columns).get() for each in (20, 40))
        aside = {name: -5 if name == "position" else f"aside {name}" for name in columns}
        for position, values in ((20, aside), (40, first), (20 if column != "position" else -5, second)):
            for name, value in values.items():
                edit("store_line", name, position, value)
        assert {20, 40} <= set(wrong(chained))


def test_a_whole_row_put_in_the_place_of_another_is_found(chained: Space, lifted: Lifted) -> None:
    """As by INSERT OR REPLACE over a connection of one's own, which need not set recursive_triggers."""
    with lifted():
        row = Line.objects.filter(position=30).values().get()
        run("DELETE FROM store_line WHERE position = 30")
        Line.objects.create(**{**row, "body": "{}"})
        assert wrong(chained) == [30]


def test_a_line_that_was_forged_together_with_its_digest_is_found_at_the_line_after_it(
    chained: Space, lifted: Lifted
) -> None:
    with lifted():
        row = Line.objects.filter(position=30).values().get()
        content = {name: row[name] for name in CONTENT} | {"body": "{}"}
        edit("store_line", "body", 30, "{}")
        edit("store_line", "digest", 30, line_digest(chained.name, content, row["previous"]))
        assert wrong(chained) == [31]


def test_lines_and_texts_of_no_space_are_found(chained: Space, lifted: Lifted) -> None:
    nowhere = chained.pk + 1
    with lifted():
        for table in ("store_line", "store_text"):
            run(f"UPDATE {table} SET space_id = %s, position = 777 WHERE position = 50", nowhere)
        assert [each.what for each in verify(chained) if each.position == 777] == [
            "is a line of no space",
            "is a text of no space",
        ]
        for table in ("store_line", "store_text"):
            run(f"UPDATE {table} SET space_id = %s, position = 50 WHERE position = 777", chained.pk)
    assert verify(chained) == []


WRITER = """
import sys, django
django.setup()
from django.db import transaction
from trustmem.store.chain import Entry, append
from trustmem.store.models import Space
space = Space.objects.get()
for number in range(200):
    with transaction.atomic():
        name = f"{sys.argv[1]}-{number}"
        append(space, [Entry(name=name, tag="fact", at=0, arrived=0, body={}, text={"text": "It rains."})])
"""


def test_six_processes_make_one_chain(database_url: str) -> None:
    space = Space.objects.create(name="diary", digest_key=KEY)
    command = [sys.executable, "-W", "error", "-c", WRITER]
    environment = {**os.environ, "DATABASE_URL": database_url}
    writers = [
        subprocess.Popen([*command, str(each)], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
        for each in range(6)
    ]
    while any(writer.poll() is None for writer in writers):
        assert verify(space) == []  # no false alarm while lines come in
    assert [writer.communicate()[1] for writer in writers] == [""] * 6
    space.refresh_from_db()
    assert (space.head_position, Line.objects.count(), verify(space)) == (1200, 1200, [])
    assert set(Line.objects.values_list("name", flat=True)) == {f"{w}-{n}" for w in range(6) for n in range(200)}
