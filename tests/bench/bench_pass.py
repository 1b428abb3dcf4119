"""A daily pass over large spaces, one fact in a hundred touched since the last, stored trust included.

    python tests/bench/bench_pass.py [facts ...]

Against an in-database `sum()` over the very columns that the pass reads; per fact against a loop over model objects and
`bulk_update`; and from size to size (default 10 000, 100 000 and 1 000 000). Beside that: how many rows are written for
each that changed, how long another writer waits, and how much memory of its own the process has at most.
The database is the one that DATABASE_URL names, or a SQLite file that is gone afterwards.
"""

import math
import os
import struct
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

#: How many days are measured; of a space that takes long to make, fewer.
ROUNDS = 3
#: How many facts the loop over objects is given.
LOOPED = 5000
LARGE = 500_000
GOALS = "goals: sum <= 9, loop >= 100, written <= 1.05, wait <= 100 ms (SQLite), memory <= 300 MB, exponent <= 1.1"


def measure(n: int) -> dict[str, float]:
    """Medians over the passes of some days."""
    from spaces import NOW, build

    from trustmem.actions import consolidation
    from trustmem.core.instants import MICROSECONDS_PER_DAY

    space = build(f"{n} facts", n)
    _found(space)
    found: dict[str, list[float]] = {}

    def take_pass(day: float) -> float:
        now = round(NOW + day * MICROSECONDS_PER_DAY)
        start = perf_counter()
        consolidation.consolidate(space, at=now, by="bench", now=now)
        return perf_counter() - start

    take_pass(1)
    for day in range(2, 2 + 2 * (ROUNDS if n < LARGE else 1), 2):
        _touch(space, day, NOW + day * MICROSECONDS_PER_DAY)
        before = _snapshot(space)
        with _written() as written:
            taken = take_pass(day)
        changed = _changed(before, _snapshot(space))
        with _written() as idle:
            take_pass(day + 1e-9)
        _touch(space, day + 1, NOW + (day + 1) * MICROSECONDS_PER_DAY)
        with _other_writer() as waits:
            megabytes = _pass_elsewhere(space, round(NOW + (day + 1) * MICROSECONDS_PER_DAY))
        figures = {
            "pass, s": taken,
            "pass / sum": taken / _sum(space),
            "loop / pass": _loop(space) / (taken / n),
            "facts changed": changed["facts"],
            "facts written / changed": written["store_fact"] / max(1, changed["facts"]),
            "scores written / moved": written["store_score"] / max(1, changed["scores"]),
            "written when idle": idle["store_fact"] + idle["store_score"],
            "others wait at most, ms": max(waits, default=0) * 1e3,
            "memory of its own, MB": megabytes,
        }
        for name, figure in figures.items():
            found.setdefault(name, []).append(figure)
    return {name: max(each) if "most" in name or "MB" in name else median(each) for name, each in found.items()}


def _found(space: Any) -> None:
    """The first lines of the space: those that its facts would come from are not there."""
    from django.db import transaction

    from trustmem.actions import spaces
    from trustmem.actions.records import entry
    from trustmem.store import chain

    with transaction.atomic():
        chain.append(space, [entry(record) for record in spaces.founding_records(space, 0, set())])
        space.folded_to = space.head_position
        space.save(update_fields=["folded_to"])


def _touch(space: Any, day: int, now: int) -> None:
    """One fact in a hundred was said again by one more source."""
    import numpy as np
    from django.db import transaction

    from trustmem.core.vocabulary import LIVE
    from trustmem.store import bulk
    from trustmem.store.models import Fact

    live = Fact.objects.filter(space=space, state=LIVE).order_by("pk")
    rows = live.values_list("pk", "evidence", "r", "times", "uses")[day::100]
    at = now - 3_600_000_000
    again = [
        (pk, evidence + 1, r + 1, at, at, bytes(times) + np.array([at], "<i8").tobytes(), bytes(uses) + b"\0")
        for pk, evidence, r, times, uses in rows
    ]
    columns = ("evidence", "r", "reaffirmed_at", "latest_at", "times", "uses")
    with transaction.atomic():
        bulk.update(Fact, "id", columns, again)


def _snapshot(space: Any) -> tuple[Any, ...]:
    import numpy as np

    from trustmem.store.columns import PASS
    from trustmem.store.models import Fact, Score

    facts = Fact.objects.filter(space=space).order_by("pk").values_list(*PASS)
    scores = Score.objects.filter(space=space).order_by("pk").values_list("trust", "band", "flags", "state")
    return tuple(np.fromiter(map(hash, rows.iterator(10_000)), np.int64) for rows in (facts, scores))


def _changed(before: tuple[Any, ...], after: tuple[Any, ...]) -> dict[str, int]:
    counts = [int((old != new).sum()) for old, new in zip(before, after, strict=True)]
    return dict(zip(("facts", "scores"), counts, strict=True))


def _sum(space: Any) -> float:
    """Seconds of the database for adding up what the pass reads."""
    from django.db import connection

    from trustmem.store.columns import FOR_PASS

    sums = ", ".join(map(_summed, FOR_PASS))
    facts = f"SELECT {sums} FROM store_fact WHERE space_id = {space.pk}"
    scores = f"SELECT sum(trust), sum(band), sum(flags), sum(state) FROM store_score WHERE space_id = {space.pk}"
    times = []
    for _ in range(3):
        start = perf_counter()
        with connection.cursor() as cursor:
            for asked in (facts, scores):
                cursor.execute(asked)
                cursor.fetchall()
        times.append(perf_counter() - start)
    return median(times)


def _summed(name: str) -> str:
    from django.db.models import BinaryField, BooleanField, FloatField

    from trustmem.store.models import Fact

    field = Fact._meta.get_field(name)
    if isinstance(field, FloatField):
        return f"sum({name})"
    if isinstance(field, BinaryField):
        return f"sum(length({name}))"
    # Sums of sentinels would leave the range of a number.
    return f"sum(CAST({name} AS integer))" if isinstance(field, BooleanField) else f"sum({name} % 1000)"


def _loop(space: Any) -> float:
    """Seconds a fact of the pass that one writes first: objects are read, each is weighed and scored, all written."""
    from django.db import transaction

    from trustmem.core.instants import MICROSECONDS_PER_DAY
    from trustmem.store.columns import PASS
    from trustmem.store.models import Fact, Score

    def weigh(fact: Fact) -> None:
        fact.derived = min(0.9, fact.prior + 0.25 * fact.evidence / (fact.evidence + 2) - 0.1 * fact.contradictions)
        fact.anchor *= 2 ** (-1 / fact.half_life)
        ages = [
            max(1e-3, (fact.latest_at - at) / MICROSECONDS_PER_DAY)
            for at in struct.unpack(f"<{len(fact.uses)}q", fact.times)
        ]
        activation = math.log(sum(age**-0.5 for age in ages) or 1)
        fact.score.trust = (fact.r + 1.2) / (fact.r + fact.s + 2) / (1 + math.exp(-(activation + 1.7) / 0.525)) * 0.8

    start = perf_counter()
    facts = list(Fact.objects.filter(space=space).select_related("score").order_by("pk")[:LOOPED])
    for fact in facts:
        weigh(fact)
    with transaction.atomic():
        Fact.objects.bulk_update(facts, PASS, batch_size=500)
        Score.objects.bulk_update([fact.score for fact in facts], ["trust", "band", "flags", "state"], batch_size=500)
        transaction.set_rollback(True)
    return (perf_counter() - start) / len(facts)


@contextmanager
def _written() -> Iterator[Counter[str]]:
    """How many rows of each table are updated in bulk."""
    from trustmem.store import bulk

    counts: Counter[str] = Counter()
    update = bulk.update

    def counted(model: Any, key: str, columns: Any, rows: Any) -> None:
        given = list(rows)
        counts[model._meta.db_table] += len(given)
        update(model, key, columns, given)

    bulk.update = counted
    yield counts
    bulk.update = update


_PASS = """
import sys, django
django.setup()
from bench_pass import memory
from trustmem.actions.consolidation import consolidate
from trustmem.store.models import Space
space, now = Space.objects.get(pk=sys.argv[1]), int(sys.argv[2])
with memory() as megabytes:
    consolidate(space, at=now, by="bench", now=now)
print(max(megabytes))
"""


def _pass_elsewhere(space: Any, now: int) -> float:
    """Take a pass in a process that does nothing else; how much memory of its own that has at most, in megabytes."""
    taking = [sys.executable, "-c", _PASS, str(space.pk), str(now)]
    taken = subprocess.run(taking, check=True, cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True)
    return float(taken.stdout)


@contextmanager
def memory() -> Iterator[list[float]]:
    """Megabytes of memory that no file stands behind, looked at again and again."""
    seen = [_anonymous()]
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.02):
            seen.append(_anonymous())

    looking = threading.Thread(target=look)
    looking.start()
    yield seen
    ended.set()
    looking.join()


def _anonymous() -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon"))


_WRITER = """
import select, sys, time, django
django.setup()
from django.db import transaction
from trustmem.store.models import User
who = User.objects.create(username=f"writer {time.time()}")
print(flush=True)
while not select.select([sys.stdin], [], [], 0.005)[0]:
    start = time.perf_counter()
    with transaction.atomic():
        User.objects.filter(pk=who.pk).update(first_name=str(start))
    print(time.perf_counter() - start, flush=True)
"""


@contextmanager
def _other_writer() -> Iterator[list[float]]:
    """Seconds that each small write of another process takes meanwhile."""
    waits: list[float] = []
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", _WRITER], stdin=pipe, stdout=pipe, text=True) as writer:
        assert writer.stdin
        assert writer.stdout
        writer.stdout.readline()
        yield waits
        writer.stdin.close()
        waits += [float(line) for line in writer.stdout]


def main(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        found = {}
        for n in sizes:
            found[n] = measure(n)
            print(f"{n} facts", *(f"{name}: {figure:.2f}" for name, figure in found[n].items()), sep="\n  ", flush=True)
    if len(sizes) > 1:
        first, last = sizes[0], sizes[-1]
        grown = math.log(found[last]["pass, s"] / found[first]["pass, s"]) / math.log(last / first)
        print(f"exponent from {first} to {last}: {grown:.2f}")
    print(GOALS)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [10_000, 100_000, 1_000_000])
