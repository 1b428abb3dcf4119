"""Many rows at once, by the fastest way of each database."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from time import sleep
from typing import Any, TypeVar

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import BooleanField, FloatField, IntegerField, Model, QuerySet, SmallIntegerField
from django.db.models.expressions import RawSQL
from numpy.typing import NDArray

from trustmem.core.columns import Ints

#: How many values one query names at most: a database takes no more than so many.
_CHUNK = 5000
_Value = TypeVar("_Value")


def chunks(values: Iterable[_Value], size: int = _CHUNK) -> Iterator[list[_Value]]:
    """The values, so many at a time as one query may name.

    >>> list(chunks("abc", 2))
    [['a', 'b'], ['c']]
    """
    waiting = iter(values)
    while chunk := list(islice(waiting, size)):
        yield chunk


def among(keys: Ints) -> RawSQL:
    """For `__in`: any number of keys, as one value. To give each by itself takes longer than to find its row."""
    if connection.vendor == "postgresql":
        return RawSQL("SELECT unnest(%s::bigint[])", [keys.tolist()])
    return RawSQL("SELECT value FROM json_each(%s)", [json.dumps(keys.tolist())])


def read(model: type[Model], asked: Iterable[QuerySet[Any]], names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Columns of the rows that are asked for, by name, each of its field's kind; texts and bytes as objects.

    They come as the driver gives them, past Django's looks at each: the greater part of the time of many.
    """
    kinds = [_kind(model._meta.get_field(name)) for name in names]
    parts = [[np.empty(0, kind) for kind in kinds]]
    for rows in asked:
        for some in _fetched(rows.values_list(*names)):
            columns = zip(*some, strict=True)
            parts.append([np.fromiter(column, kind, len(some)) for column, kind in zip(columns, kinds, strict=True)])
    return {name: np.concatenate(column) for name, column in zip(names, zip(*parts, strict=True), strict=True)}


_KINDS = {BooleanField: np.bool_, FloatField: np.float64, SmallIntegerField: np.int8, IntegerField: np.int64}


def _kind(field: Any) -> Any:
    of = field.target_field if field.is_relation else field
    return next((kind for type, kind in _KINDS.items() if isinstance(of, type)), np.object_)


#: So few rows that they stay in the cache of the processor while they are made columns.
_FETCHED = 200


def _fetched(rows: QuerySet[Any, Any]) -> Iterator[list[tuple[Any, ...]]]:
    with suppress(EmptyResultSet), connection.cursor() as cursor:
        cursor.execute(*rows.query.sql_with_params())
        while some := cursor.cursor.fetchmany(_FETCHED):
            yield some


def places(keys: Ints, sought: Ints) -> Ints:
    """Which row has each of the keys that are sought, of rows that have each a key of their own; -1: none.

    >>> places(np.array([7, 3, 5]), np.array([3, 4, 7])).tolist()
    [1, -1, 0]
    """
    # For numbers that are in order, or nearly so, faster than looking each up by its hash.
    order = np.argsort(keys, kind="stable")
    after = np.searchsorted(keys, sought, sorter=order)
    found = np.append(order, -1)[after]
    return np.where(np.append(keys, 0)[found] == sought, found, -1)


def insert(model: type[Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows given as values in the order of `columns` (names of database columns: `space_id`).

    While they are taken, PostgreSQL answers nothing else: rows that are read from it are read before.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, _table(model), columns, rows)
        else:
            _each(cursor, _insert(model, columns), rows)


def keys(model: type[Model], n: int) -> list[int]:
    """Primary keys for `n` rows to be, which nobody else gets and no row ever had."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            sequence = "pg_get_serial_sequence(%s, 'id')"
            cursor.execute(f"SELECT nextval({sequence}) FROM generate_series(1, %s)", [model._meta.db_table, n])  # noqa: S608
            return [key for (key,) in cursor.fetchall()]
    # The transaction is the only writer. Of a column that counts by itself, SQLite knows what was the highest ever.
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = %s", [model._meta.db_table])
        (highest,) = cursor.fetchone()
    return list(range((highest or 0) + 1, (highest or 0) + 1 + n))


def update(model: type[Model], key: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Set `columns` of rows that stand there; each is given as its `key` and then the values of `columns`.

    Within a transaction.
    """
    table = _table(model)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            values = ", ".join(f"{_quoted(name)} = given.{_quoted(name)}" for name in columns)
            same = f"{table}.{_quoted(key)} = given.{_quoted(key)}"
            setting = f"UPDATE {table} SET {values} FROM given WHERE {same}"  # noqa: S608 (names of ours)
            _by_way_of_given(cursor, model, (key, *columns), rows, setting)
        else:
            values = ", ".join(f"{_quoted(name)} = %s" for name in columns)
            setting = f"UPDATE {table} SET {values} WHERE {_quoted(key)} = %s"  # noqa: S608
            _each(cursor, setting, ((*values, of) for of, *values in rows))


def upsert(model: type[Model], key: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows, or set `columns` of those that stand there; each is given as its `key` and then those values.

    No key is given twice. Within a transaction.
    """
    all_columns = (key, *columns)
    values = ", ".join(f"{_quoted(name)} = excluded.{_quoted(name)}" for name in columns)
    instead = f"ON CONFLICT ({_quoted(key)}) DO UPDATE SET {values}"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            into = f"INSERT INTO {_table(model)} ({_listed(all_columns)})"
            putting = f"{into} SELECT * FROM given {instead}"  # noqa: S608 (names of ours)
            _by_way_of_given(cursor, model, all_columns, rows, putting)
        else:
            _each(cursor, f"{_insert(model, all_columns)} {instead}", rows)


def _by_way_of_given(
    cursor: CursorWrapper, model: type[Model], columns: Sequence[str], rows: Iterable[Sequence[Any]], statement: str
) -> None:
    """On PostgreSQL: copy the rows into a table `given`, which is there for one statement."""
    shape = f"SELECT {_listed(columns)} FROM {_table(model)} WITH NO DATA"  # noqa: S608 (names of ours)
    cursor.execute(f"CREATE TEMPORARY TABLE given ON COMMIT DROP AS {shape}")
    _copy(cursor, "given", columns, rows)
    cursor.execute(statement)
    cursor.execute("DROP TABLE given")


def _copy(cursor: CursorWrapper, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with connection.wrap_database_errors, cursor.copy(f"COPY {table} ({_listed(columns)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _each(cursor: CursorWrapper, statement: str, rows: Any) -> None:
    """On SQLite: the statement with the values of each row, which may come from a generator."""
    cursor.executemany(statement, rows)


def _insert(model: type[Model], columns: Sequence[str]) -> str:
    values = ", ".join(["%s"] * len(columns))
    return f"INSERT INTO {_table(model)} ({_listed(columns)}) VALUES ({values})"  # noqa: S608 (names of ours)


def _table(model: type[Model]) -> str:
    return _quoted(model._meta.db_table)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(_quoted, names))


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def give_way() -> None:
    """On SQLite, let others write between two transactions: they look only now and then whether they can."""
    if connection.vendor == "sqlite":
        sleep(0.025)


def checkpoint() -> None:
    """On SQLite, move what was written from the log into the database: else somebody who writes little next has to wait
    until all of that is moved. Outside of a transaction."""
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
