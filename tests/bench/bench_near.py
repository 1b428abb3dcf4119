"""Which of 100 000 facts lie nearest in meaning to a query: how fast, against the bare product of their matrix and a
vector, and how many of the right ten are found.

    python tests/bench/bench_near.py [vectors] [rounds]

Facts are of twelve made-up words of syllables, Zipf; queries are three words of one of them, each in another form. The
database is the one that DATABASE_URL names, or a SQLite file that is gone afterwards. All take turns in one run;
medians. Right are the nearest by double precision. Goals: at most 1.5 times the bare product, and recall 1.0. On a
PostgreSQL with the extension `vector` (`.ci/with-pgvector`), beside it the index of a large space; goal: recall 0.98.
"""

import os
import sys
import tempfile
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any

GOAL, NEAREST, DEEP, QUERIES = 1.5, 10, 200, 200
#: Cosines that differ by less are equal.
EQUAL = 1e-5
_WORDS, _LENGTH, _CHUNK = 20_000, 12, 10_000
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu an el ir os um st tr nd rk ly".split()  # noqa: SIM905


def said(n: int, chance: Any) -> list[list[str]]:
    """The words of so many facts."""
    import numpy as np

    from tests.bench.spaces import _zipf

    made = np.array(["".join(chance.choice(_SYLLABLES, chance.integers(2, 5))) for _ in range(_WORDS)])
    words: list[list[str]] = made[_zipf(chance, _WORDS, n * _LENGTH)].reshape(n, _LENGTH).tolist()
    return words


def space_of(texts: list[str]) -> Any:
    """A space that has vectors, and no more."""
    from django.db import transaction

    from trustmem.core.embedding import Hashed
    from trustmem.store import bulk
    from trustmem.store.models import Space, Vector

    columns = ("fact_id", "space_id", "embedder", "values", "nearest", "cosines", "written")
    with transaction.atomic():
        space = Space.objects.create(name="bench", digest_key="0f" * 32, vectors_written=1)
        for first in range(0, len(texts), _CHUNK):
            vectors = Hashed().embed(texts[first : first + _CHUNK])
            rows = [
                (pk, space.pk, Hashed.name, row.tobytes(), b"", b"", 1) for pk, row in enumerate(vectors, first + 1)
            ]
            bulk.insert(Vector, columns, rows)
    return space


def main(n: int = 100_000, rounds: int = 60) -> None:
    import numpy as np

    from tests.bench.turns import medians
    from trustmem.actions.vector_indexes import RECALL
    from trustmem.core.embedding import Hashed
    from trustmem.store import near, vector_index
    from trustmem.store.models import Space, Vector

    chance, embedder = np.random.default_rng(1), Hashed()
    words = said(n, chance)
    space = space_of([" ".join(each) for each in words])
    asked = [[f"{word}s" for word in chance.choice(words[at], 3)] for at in chance.integers(n, size=QUERIES)]
    queries = embedder.embed([" ".join(each) for each in asked])
    start = perf_counter()
    pks, values = near._held(space, embedder)
    print(f"{n} vectors read in {perf_counter() - start:.2f} s")
    order = np.argsort(pks)
    exact = values[order].astype(np.float64) @ queries.T.astype(np.float64)
    tenth = -np.partition(-exact, NEAREST - 1, axis=0)[NEAREST - 1] - EQUAL

    def recall(find: Any) -> float:
        hits = [exact[np.array(find(query)) - 1, at] >= tenth[at] for at, query in enumerate(queries)]
        return float(np.concatenate(hits).sum()) / NEAREST / QUERIES

    def ours(query: Any) -> list[int]:
        return [pk for pk, _ in near._nearest(*near._held(space, embedder), query, DEEP)][:NEAREST]

    def by_index(query: Any) -> list[int]:
        return [pk for pk, _ in near.near(space, embedder, query, DEEP)][:NEAREST]

    def one_new() -> None:
        written = Space.objects.get(pk=space.pk).vectors_written + 1
        row = Vector.objects.get(pk=1)
        row.written = written
        row.pk = n + written
        row.save(force_insert=True)
        Space.objects.filter(pk=space.pk).update(vectors_written=written)

    print(f"recall at {NEAREST}: {recall(ours):.4f}")
    at = [cycle(queries) for _ in range(4)]
    runs = {
        "bare product": lambda: values @ next(at[0]),
        "nearest": lambda: ours(next(at[1])),
        "nearest after a new one": lambda: (one_new(), ours(next(at[2]))),
        "writing a new one": one_new,
    }
    if vector_index.can_be_made():
        start = perf_counter()
        vector_index.make(space, embedder)
        print(f"index made in {perf_counter() - start:.0f} s")
        for sought, found in near.recalls(space, embedder, queries):
            vector_index.put_into_use(space, embedder, sought)
            took = medians({"": lambda: by_index(next(at[3]))}, rounds)[""]
            print(f"sought {sought} at once: recall {found:.4f}, {took:.1f} ms")
            if found >= RECALL:
                break
        runs["by the index"] = lambda: by_index(next(at[3]))
    medians(runs, 5)
    found = medians(runs, rounds)
    for name, took in found.items():
        print(f"{name:26}{took:8.2f} ms")
    print(f"nearest: {found['nearest'] / found['bare product']:.2f} times the bare product; goal: at most {GOAL}")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        main(*map(int, sys.argv[1:]))
