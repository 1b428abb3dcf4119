"""An index of the vectors of a large space, where PostgreSQL has the extension `vector`: it finds the nearest without
anybody holding all in memory, nearly exactly.

It is HNSW (Malkov and Yashunin 2016) over the vectors as they stand, of one space and one embedder each; so nobody who
writes or erases vectors has to know of it. Whoever makes one looks how many of the right ones it finds.
"""

from contextlib import suppress
from zlib import crc32

import numpy as np
from django.db import ProgrammingError, connection, transaction
from numpy.typing import NDArray

from trustmem.core.embedding import Embedder
from trustmem.store.models import Space, Vector

#: Of fewer vectors than this, what is held in memory is faster, and small: 150 MB of so many.
FEW = 100_000
#: Of each vector so many neighbours are kept, of so many that are looked at as it comes.
_LINKS, _LOOKED_AT = 32, 200
#: So many are sought at once: of more, more of the right ones are found, and it takes longer.
SOUGHT = (200, 400, 1000)
#: Memory to make it in: with less, it takes several times as long.
_MEMORY = "1GB"
#: Whose turn it is to make those of a space, among the locks of the database: any number that nobody else has.
_TURN = crc32(b"trustmem vectors") >> 1

# What `vectors.write` has packed. Made for each row that comes, and for each that is found: 50 µs.
_UNPACKED = """
CREATE OR REPLACE FUNCTION trustmem_unpacked(packed bytea) RETURNS real[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    n int := length(packed) / 4;
    numbers real[] := array_fill(0::real, ARRAY[n]);
    bits int;
BEGIN
    FOR i IN 0..n - 1 LOOP
        bits := get_byte(packed, 4 * i) | (get_byte(packed, 4 * i + 1) << 8) | (get_byte(packed, 4 * i + 2) << 16)
            | ((get_byte(packed, 4 * i + 3) & 127) << 24);
        IF bits <> 0 THEN
            numbers[i + 1] := (1 - 2 * (get_byte(packed, 4 * i + 3) >> 7))
                * (1 + (bits & 8388607) / 8388608.0::float8) * power(2::float8, (bits >> 23) - 127);
        END IF;
    END LOOP;
    RETURN numbers;
END $$
"""


def can_be_made() -> bool:
    """Whether the database has the extension, or has it to be switched on by this user. Outside of a transaction."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT installed_version FROM pg_available_extensions WHERE name = 'vector'")
        found = cursor.fetchone()
        if not found or found[0]:
            return bool(found)
    with suppress(ProgrammingError), transaction.atomic(), connection.cursor() as cursor:  # not every user may
        cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
        return True
    return False


def is_worth_it(space: Space, embedder: Embedder) -> bool:
    """Whether a space has so many vectors that an index is of use."""
    return Vector.objects.filter(space=space, embedder=embedder.name)[FEW - 1 :].exists()


def make(space: Space, embedder: Embedder) -> bool:
    """Make the index, unless it is in use. Nobody who writes waits for that. False where somebody else is at it: whose
    turn it is holds for as long as the connection. Outside of a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [_TURN, space.pk])
        if not cursor.fetchone()[0]:
            return False
    if _in_use(space, embedder):
        return True
    drop(space)  # one that was cut short, or is by another embedder
    values = connection.ops.quote_name("values")
    with connection.cursor() as cursor:
        cursor.execute(_UNPACKED)
        cursor.execute(f"SET maintenance_work_mem = '{_MEMORY}'")
        try:
            cursor.execute(
                f"CREATE INDEX CONCURRENTLY {_name(space, embedder)} ON store_vector USING hnsw "
                f"((trustmem_unpacked({values})::vector({embedder.dimensions})) vector_ip_ops) "
                f"WITH (m = {_LINKS}, ef_construction = {_LOOKED_AT}) WHERE space_id = %s AND embedder = %s",
                [space.pk, embedder.name],
            )
        finally:
            cursor.execute("RESET maintenance_work_mem")
    return True


def drop(space: Space | None = None) -> None:
    """Drop the indexes of a space, by whatever embedder; without one, those of all spaces."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        asked = "SELECT relname FROM pg_class WHERE relkind = 'i' AND starts_with(relname, %s)"
        cursor.execute(asked, [f"{_PREFIX}{space.pk}_" if space else _PREFIX])
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP INDEX IF EXISTS {connection.ops.quote_name(name)}")


def put_into_use(space: Space, embedder: Embedder, sought: int) -> None:
    """Have the index be asked from now on, for so many at once: that stands as a comment on it."""
    with connection.cursor() as cursor:
        cursor.execute(f"COMMENT ON INDEX {_name(space, embedder)} IS %s", [str(sought)])


def find(
    space: Space, embedder: Embedder, asked: NDArray[np.float32], limit: int, sought: int | None = None
) -> list[tuple[int, float]] | None:
    """The facts whose vectors lie nearest to a unit vector, with their cosines; None where no index is in use.
    `sought`: ask for so many at once, in use or not."""
    if connection.vendor != "postgresql" or (sought := sought or _in_use(space, embedder)) is None:
        return None
    size, vector = embedder.dimensions, f"[{','.join(map(repr, asked.tolist()))}]"
    values = connection.ops.quote_name("values")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"SET LOCAL hnsw.ef_search = {sought}; SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off"
        )
        cursor.execute(
            f"SELECT fact_id, trustmem_unpacked({values})::vector({size}) <#> %s::vector({size}) AS far "  # noqa: S608
            "FROM store_vector WHERE space_id = %s AND embedder = %s ORDER BY far LIMIT %s",
            [vector, space.pk, embedder.name, limit],
        )
        return [(pk, -far) for pk, far in cursor.fetchall()]


_PREFIX = "vectors_near_"


def _name(space: Space, embedder: Embedder) -> str:
    return f"{_PREFIX}{space.pk}_{crc32(embedder.name.encode()):08x}"


def _in_use(space: Space, embedder: Embedder) -> int | None:
    """How many the index is asked for at once; None where there is none, or one that was cut short or not tried."""
    with connection.cursor() as cursor:
        asked = "SELECT obj_description(indexrelid) FROM pg_index WHERE indexrelid = to_regclass(%s) AND indisvalid"
        cursor.execute(asked, [_name(space, embedder)])
        found = cursor.fetchone()
        return int(found[0]) if found and found[0] else None
