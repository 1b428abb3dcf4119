"""Taking endoflife into an empty database, without passes, against what no import can do without.

    python tests/bench/bench_import.py [rounds]

The floor is the strict parse of every line, the digests of all lines and texts, and the very rows that the import
leaves, written by the database's bulk path into empty tables in one transaction. Parts are reported. The database is
the one that DATABASE_URL names, or a SQLite file that is gone afterwards. TRUSTMEM_DATA: see bench_fold.py.
"""

import gzip
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("TRUSTMEM_DATA") or Path(__file__).parents[3] / "shared" / "data") / "interchange"
GOAL = 6


def measure(rounds: int = 3) -> dict[str, float]:
    """Milliseconds, medians, of the import and of the parts of its floor; and their ratio."""
    from django.db import transaction
    from turns import medians

    from trustmem.actions import imports, spaces
    from trustmem.formats import strict_json
    from trustmem.store import bulk, chain, models

    raw = gzip.decompress((DATA / "endoflife.jsonl.gz").read_bytes()).splitlines(keepends=True)
    tables = (models.Line, models.Text, models.Fact, models.Touch, models.Statement, models.Edge, models.Import)

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

    def write() -> None:
        other = spaces.create("floor")
        with transaction.atomic():
            for table, (names, values) in rows.items():
                place, key = names.index("space_id"), names.index("id") if "id" in names else None
                kept = [at for at in range(len(names)) if at != key]
                shifted = [tuple(other.pk if at == place else row[at] for at in kept) for row in values]
                bulk.insert(table, [names[at] for at in kept], shifted)
            transaction.set_rollback(True)
        other.delete()

    def digest() -> None:
        for line in lines:
            chain.line_digest(space.name, {name: line[name] for name in chain.CONTENT}, line["previous"])
        for text in texts:
            chain.text_digest(space.digest_key, text)

    parts = {"parse": lambda: [strict_json.loads(line) for line in raw], "digests": digest, "rows": write}
    found = medians({"import": take_in, **parts}, rounds)
    return found | {"import / floor": found["import"] / sum(found[part] for part in parts)}


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        for name, value in measure(rounds).items():
            print(f"{name:16}{value:>10.1f}")
        print(f"goal: at most {GOAL} times the floor")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
