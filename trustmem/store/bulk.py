"""Many rows at once, by the fastest way of each database."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model

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


def insert(model: type[Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows given as values in the order of `columns` (names of database columns: `space_id`)."""
    quoted = connection.ops.quote_name
    into = f"{quoted(model._meta.db_table)} ({', '.join(map(quoted, columns))})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with connection.wrap_database_errors, cursor.copy(f"COPY {into} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            values = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {into} VALUES ({values})", rows)  # noqa: S608 (names of ours)


def update(model: type[Model], key: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Update rows, each found by its key, given as the key and then the values in the order of `columns`."""
    quoted = connection.ops.quote_name
    table, found = quoted(model._meta.db_table), quoted(key)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            names = ", ".join(map(quoted, (key, *columns)))
            fresh = ", ".join(f"{quoted(name)} = fresh.{quoted(name)}" for name in columns)
            cursor.execute(f"CREATE TEMP TABLE fresh ON COMMIT DROP AS SELECT {names} FROM {table} WHERE false")  # noqa: S608
            with connection.wrap_database_errors, cursor.copy(f"COPY fresh ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            cursor.execute(f"UPDATE {table} SET {fresh} FROM fresh WHERE {table}.{found} = fresh.{found}")  # noqa: S608
            cursor.execute("DROP TABLE fresh")
        else:
            values = ", ".join(f"{quoted(name)} = %s" for name in columns)
            turned = [(*row[1:], row[0]) for row in rows]
            cursor.executemany(f"UPDATE {table} SET {values} WHERE {found} = %s", turned)  # noqa: S608
