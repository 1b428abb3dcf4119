"""A page of a list, anywhere in the middle of it, among a million facts against among ten thousand.

    python tests/bench/bench_lists.py [small] [large] [rounds]

Six named combinations of filter and sort; each round asks for a page of 50 rows at another place, the keyset query and
the rows. Beside them what has no goal: counts up to their cap, a page of the facts that say some words, of a few facts
or of many, and the search itself. The database is the one that DATABASE_URL names, or a SQLite file that is gone
afterwards. Making the large space takes some minutes.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any

GOAL = 1.5
PLACES = 100


def measure(small: int, large: int, rounds: int) -> dict[str, tuple[float, float]]:
    """Milliseconds, medians, of each page in the small space and in the large one."""
    from django.db import connection

    from tests.bench.turns import medians
    from trustmem.store import full_text, lists
    from trustmem.store.lists import Filter, Sort

    named = {
        "live by trust": (Filter(), Sort("trust")),
        "a band by trust": (Filter(band="moderate"), Sort("trust")),
        "a flag by trust": (Filter(flag="superseded"), Sort("trust")),
        "newest first": (Filter(), Sort("age")),
        "of a source by age": (Filter(source="agent-1"), Sort("age")),
        "of an entity by age": (Filter(entity="topic 1"), Sort("age")),
    }
    others = {
        "(of a source by trust)": (Filter(source="agent-1"), Sort("trust")),
        "(live by weight)": (Filter(), Sort("weight")),
        "(any state by trust)": (Filter(state=None), Sort("trust")),
        "(rare word by trust)": (Filter(text='"w9000"'), Sort("trust")),
        "(common word by trust)": (Filter(text='"w3"'), Sort("trust")),
        "(common word by age)": (Filter(text='"w3"'), Sort("age")),
        "(two words by trust)": (Filter(text='"w30" "w3"'), Sort("trust")),
    }
    searches = {
        "(search: rare word)": '"w9000"',
        "(search: two words)": '"w30" "w3"',
        "(search: common word)": '"w3"',
        "(search: beginning of a word)": "w10",
    }
    made = [_made(size) for size in (small, large)]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    found: dict[str, tuple[float, float]] = {}
    for combinations in (named, others):  # what has a goal is not disturbed by what has none
        runs: dict[str, Callable[[], object]] = {}
        for name, of in combinations.items():
            for space in made:
                places = cycle(_places(space, *of))
                runs[f"{name} {space.name}"] = lambda *, of=(space, *of), at=places: lists.page(*of, next(at))
        medians(runs, 1)
        found |= _paired(medians(runs, rounds))
    runs = {f"(count all) {space.name}": lambda *, of=space: lists.count(of, Filter()) for space in made}
    for name, query in searches.items():
        runs |= {f"{name} {space.name}": lambda *, of=(space, query): full_text.search(*of, 50) for space in made}
    return found | _paired(medians(runs, rounds))


def _made(size: int) -> Any:
    from tests.bench import spaces

    start = perf_counter()
    space = spaces.build(str(size), size)
    print(f"made {size} facts in {perf_counter() - start:.0f} s", flush=True)
    return space


def _paired(found: dict[str, float]) -> dict[str, tuple[float, float]]:
    """What was measured in the small space and then in the large one."""
    names, times = [name.rpartition(" ")[0] for name in found], list(found.values())
    return {name: (few, many) for name, few, many in zip(names[::2], times[::2], times[1::2], strict=True)}


def _places(space: Any, filter: Any, sort: Any) -> list[Any]:
    """Places spread over the middle half of a list, in no order."""
    import numpy as np

    from trustmem.store import lists

    values = lists._places(space, filter, sort, None, 10**9)
    some = np.random.default_rng(0).integers(len(values) // 4, len(values) * 3 // 4 + 1, PLACES).tolist()
    return [lists.Cursor(sort.by, *values[min(place, len(values) - 1)]) for place in some] if values else [None]


def main(small: int, large: int, rounds: int) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        found = measure(small, large, rounds)
    print(f"{'milliseconds':26}{small:>10}{large:>10}     ratio")
    for name, (few, many) in found.items():
        print(f"{name:26}{few:>10.3f}{many:>10.3f}{many / few:>10.2f}")
    print(f"goal: a page at {large} at most {GOAL} times that at {small}; what stands in parentheses has none")


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    main(*(given + [10_000, 1_000_000, 200][len(given) :]))
