"""Checking one fact that arrives among a million against one full text query, and a whole pass of the detector.

    python tests/bench/bench_detection.py [small] [large] [rounds]
    python tests/bench/bench_detection.py pass [small] [large]

Facts of 12 words from 50 000, Zipf, one in five about a thing that is talked of; the database is the one that
DATABASE_URL names, or a SQLite file that is gone afterwards. The query has the first eight words of the same fact, any
of them, by rank, the best ten, and asks the same index bare. Each fact is looked at once, and nothing is kept of it.
"""

import os
import sys
import tempfile
from itertools import cycle
from math import log
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

RATIO, EXPONENT = 3, 0.5
_WORDS, _LENGTH, _CHUNK = 50_000, 12, 50_000
#: Words from this place on are said by fewer than a hundred of a million.
_RARE = 12_000


def made(name: str, n: int, seed: int = 0) -> Any:
    """A space of so many facts that say something, and no more."""
    import numpy as np
    from django.db import transaction

    from tests.bench.spaces import _zipf
    from trustmem.store import bulk, full_text, mentions
    from trustmem.store.models import Fact, Space

    start, chance = perf_counter(), np.random.default_rng(seed)
    rest = {"space_id": None, "id": None, "name": None, "text": None, "subject": "", "predicate": "", "run": ""}
    needed = {
        each: 1 for each in ("at", "arrived", "first_seen", "latest_at", "prior", "derived", "half_life", "anchor")
    }
    columns = [field.column for field in Fact._meta.concrete_fields]
    defaults = {field.column: field.get_default() for field in Fact._meta.concrete_fields} | rest | needed
    with transaction.atomic():
        space = Space.objects.create(name=name, digest_key="0f" * 32)
        for first in range(0, n, _CHUNK):
            count = min(_CHUNK, n - first)
            said = _zipf(chance, _WORDS, count * _LENGTH).reshape(count, _LENGTH).tolist()
            about = np.where(chance.random(count) < 0.2, _zipf(chance, n // 5 + 1, count), -1).tolist()
            rows = []
            for place, (pk, words, thing) in enumerate(zip(bulk.keys(Fact, count), said, about, strict=True), first):
                row = defaults | {"id": pk, "space_id": space.pk, "name": f"f{place:08}", "at": place + 1}
                row["text"] = " ".join(f"w{word}" for word in words)
                row |= {"subject": f"thing {thing}", "predicate": "is"} if thing >= 0 else {}
                rows.append([row[column] for column in columns])
            bulk.insert(Fact, columns, rows)
        mentions.fill(space)
        full_text.fill(space)
    print(f"made {n} facts in {perf_counter() - start:.0f} s", flush=True)
    return space


def arriving(space: Any, rare: bool, count: int = 60) -> list[tuple[int, list[str]]]:
    """Facts that have just come, by their keys, with their words; `rare`: of rare words alone."""
    import numpy as np
    from django.db import transaction

    from tests.bench.spaces import _zipf
    from trustmem.store import full_text
    from trustmem.store.models import Fact

    chance = np.random.default_rng(7)
    least = {"arrived": 0, "first_seen": 0, "latest_at": 0, "prior": 1, "derived": 1, "half_life": 1, "anchor": 1}
    found = []
    with transaction.atomic():
        for number in range(count):
            drawn = _zipf(chance, _WORDS, 20 * _LENGTH * 10).tolist()
            said = [f"w{word}" for word in drawn if word >= _RARE or not rare][:_LENGTH]
            name = f"{'rare' if rare else 'new'}{number}"
            fact = Fact.objects.create(space=space, name=name, text=" ".join(said), at=2**40 + number, **least)
            found.append((fact.pk, said))
        full_text.replace(space, [pk for pk, _ in found])
    return found


def query(words: list[str]) -> list[Any]:
    """The ten facts that say some of eight words, by rank."""
    from django.db import connection

    eight = list(dict.fromkeys(words))[:8]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            said = " | ".join(f"'{word}'" for word in eight)
            by = f"ORDER BY ts_rank(words, '{said.replace(chr(39), chr(39) * 2)}'::tsquery) DESC LIMIT 10"
            cursor.execute(f"SELECT fact_id FROM store_words WHERE words @@ %s::tsquery {by}", [said])
        else:
            asked = "SELECT rowid FROM store_words WHERE store_words MATCH %s ORDER BY rank LIMIT 10"
            cursor.execute(asked, [" OR ".join(f'"{word}"' for word in eight)])
        return cursor.fetchall()


def measure(small: int, large: int, rounds: int) -> None:
    """Each size after the other, so that the small one has an index of its own."""
    found = dict[str, list[float]]()
    for size in (small, large):
        for name, time in _measured(size, rounds).items():
            found.setdefault(name, []).append(time)
    print(f"{'milliseconds':22}{small:>10}{large:>10}{'exponent':>10}")
    for name, (few, many) in found.items():
        print(f"{name:22}{few:>10.2f}{many:>10.2f}{log(many / few) / log(large / small):>10.2f}")
    for kind in _KINDS:
        ratio = found[f"{kind}, check"][1] / found[f"{kind}, query"][1]
        print(f"check / query at {large}, {kind}: {ratio:.2f}")
    print(f"goals: of any words at most {RATIO}; the exponent of a check of rare words at most {EXPONENT}")


_KINDS = {"any words": False, "rare words": True}


def _measured(size: int, rounds: int) -> dict[str, float]:
    from django.db import connection

    from tests.bench.turns import medians
    from trustmem.actions import detection
    from trustmem.store import blocking

    space, runs = made(str(size), size), dict[str, Any]()
    for kind, rare in _KINDS.items():
        facts = arriving(space, rare)
        at = [cycle(facts) for _ in range(3)]
        runs |= {
            f"{kind}, query": lambda at=at[0]: query(next(at)[1]),
            f"{kind}, leads": lambda at=at[1]: blocking.partners(space, [next(at)[0]], {}),
            f"{kind}, check": lambda at=at[2]: detection._compared(space, [next(at)[0]], None),
        }
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    medians(runs, 5)
    return medians(runs, rounds)


def whole(sizes: tuple[int, int]) -> None:
    """How long a first pass takes, in processor time, and how much memory what leads on holds."""
    from trustmem.actions import detection
    from trustmem.store.blocks import Whole
    from trustmem.store.models import Fact, Pair

    times = []
    for size in sizes:
        space, before = made(str(size), size), _memory()
        start = process_time()
        block = Whole(space)
        read = process_time()
        keys = list(Fact.objects.filter(space=space).order_by("pk").values_list("pk", flat=True))
        for first in range(0, size, 1000):
            block.partners(keys[first : first + 1000], {})
        led, memory = process_time(), _memory() - before
        del block
        detection.detect(space, now=2**41)
        times.append(process_time() - led)
        print(
            f"{size}: {size / times[-1]:.0f} facts a second in all ({times[-1]:.1f} s); reading {read - start:.1f} s, "
            f"leads {led - read:.1f} s, {memory:.0f} MB; {Pair.objects.filter(space=space).count()} pairs",
            flush=True,
        )
    print(f"exponent: {log(times[1] / times[0]) / log(sizes[1] / sizes[0]):.2f}")


def _memory() -> float:
    """Memory that no file stands behind, in MB."""
    told = Path("/proc/self/status").read_text()
    return int(told.partition("RssAnon:")[2].split()[0]) / 1024


def main(arguments: list[str]) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        given = [int(each) for each in arguments if each.isdigit()]
        if "pass" in arguments:
            small, large = given + [10_000, 100_000][len(given) :]
            whole((small, large))
        else:
            measure(*(given + [10_000, 1_000_000, 60][len(given) :]))


if __name__ == "__main__":
    main(sys.argv[1:])
