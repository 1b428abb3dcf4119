"""Taking endoflife into an empty database, without passes, against what no import can do without.

    python tests/bench/bench_import.py [rounds]
    python tests/bench/bench_import.py growth [lines ...]

The floor is the strict parse of every line, the digests of all lines and texts, and the very rows that the import
leaves, written by the database's bulk path into empty tables in one transaction. Parts are reported. The database is
the one that DATABASE_URL names, or a SQLite file that is gone afterwards. TRUSTMEM_DATA: see bench_fold.py.
`growth` takes in made-up histories of several sizes (default 10 000, 100 000 and 1 000 000 lines), each into a space of
its own, and says with which power of the lines the time grows.
"""

import gzip
import math
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("TRUSTMEM_DATA") or Path(__file__).parents[3] / "shared" / "data") / "interchange"
GOAL = 6
GROWTH = 1.1
#: Keys that rows are found by and refer to each other by; those of the floor lie beyond all others.
_KEYS = ("id", "rowid", "fact_id", "newer_id", "older_id", "other_id")
_BEYOND = 10**9


def measure(rounds: int = 3) -> dict[str, float]:
    """Milliseconds, medians, of the import and of the parts of its floor; and their ratio."""
    from django.db import connection, transaction
    from turns import medians

    from trustmem.actions import imports, spaces
    from trustmem.formats import strict_json
    from trustmem.store import bulk, chain, models

    raw = gzip.decompress((DATA / "endoflife.jsonl.gz").read_bytes()).splitlines(keepends=True)
    tables = (
        models.Line,
        models.Text,
        models.Fact,
        models.Touch,
        models.Statement,
        models.Edge,
        models.Score,
        models.Mention,
        models.Import,
    )

    def take_in() -> None:
        with transaction.atomic():
            imports.import_lines(spaces.create("bench"), raw, file="endoflife", by="bench", now=time.time_ns() // 1000)
            transaction.set_rollback(True)

    space = spaces.create("kept")
    imports.import_lines(space, raw, file="endoflife", by="bench", now=time.time_ns() // 1000)
    rows: dict[Any, tuple[list[str], list[tuple[Any, ...]]]] = {}
    for table in tables:
        names = [field.column for field in table._meta.concrete_fields]
        rows[table] = names, list(table._default_manager.filter(space=space).values_list(*names))
    lines = list(models.Line.objects.filter(space=space).values(*chain.CONTENT, "previous"))
    texts = list(models.Text.objects.filter(space=space).values_list("body", flat=True))

    words = ("fact_id" if connection.vendor == "postgresql" else "rowid", "space_id", "words")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(words)} FROM store_words WHERE space_id = {space.pk}")
        rows[models.Words] = list(words), cursor.fetchall()

    def write() -> None:
        with transaction.atomic():
            other = spaces.create("floor")
            for table, (names, values) in rows.items():
                place = names.index("space_id")
                keys = {at for at, name in enumerate(names) if name in _KEYS}
                shifted = [
                    tuple(
                        other.pk if at == place else value + _BEYOND if at in keys and value is not None else value
                        for at, value in enumerate(row)
                    )
                    for row in values
                ]
                bulk.insert(table, names, shifted)
            transaction.set_rollback(True)

    def digest() -> None:
        for line in lines:
            chain.line_digest(space.name, {name: line[name] for name in chain.CONTENT}, line["previous"])
        for text in texts:
            chain.text_digest(space.digest_key, text)

    parts = {"parse": lambda: [strict_json.loads(line) for line in raw], "digests": digest, "rows": write}
    found = medians({"import": take_in, **parts}, rounds)
    return found | {"import / floor": found["import"] / sum(found[part] for part in parts)}


def growth(sizes: list[int]) -> None:
    from histories import history

    from trustmem.actions import imports, spaces

    seconds = []
    for n_lines in sizes:
        raw = list(history(n_lines))
        start = time.perf_counter()
        imports.import_lines(
            spaces.create(f"{n_lines} lines"), raw, file="bench", by="bench", now=time.time_ns() // 1000
        )
        seconds.append(time.perf_counter() - start)
        print(f"{n_lines:>9} lines {seconds[-1]:>8.2f} s {n_lines / seconds[-1]:>8.0f} lines a second", flush=True)
    exponent = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
    print(f"exponent {exponent:.2f}; goal: at most {GROWTH}")


def main(given: list[str]) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        if given[:1] == ["growth"]:
            growth([int(each) for each in given[1:]] or [10_000, 100_000, 1_000_000])
            return
        for name, value in measure(*map(int, given)).items():
            print(f"{name:16}{value:>10.1f}")
        print(f"goal: at most {GOAL} times the floor")


if __name__ == "__main__":
    main(sys.argv[1:])
