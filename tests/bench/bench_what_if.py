"""What trial constants would make of a space of 100 000 facts of ten touches each, asked for again and again, as while
somebody drags a handle; against the bare scoring of the same columns.

    python tests/bench/bench_what_if.py [facts]

Each time at another instant, with one constant moved on: of the squash, of how reinforcements fade, or one that passes
alone go by; also beside others that were changed before; and, which no handle does, of both kinds at once. The first
what-if, which reads the space, stands beside. The database is a SQLite file that is gone afterwards.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from time import perf_counter
from typing import Any

GOAL = 3
ROUNDS = 15


def measure(facts: int) -> dict[str, tuple[float, float]]:
    """Milliseconds, medians, and how many times those of bare scoring."""
    from spaces import NOW, build
    from turns import medians

    from trustmem.actions import what_if
    from trustmem.core.constants import Constants
    from trustmem.core.scores import score
    from trustmem.store import queries

    space = build(f"{facts} facts", facts)
    stored = queries.stored(space)
    numbers = count(1)

    def moving(*names: str, **changed: float) -> Callable[[], Any]:
        def ask() -> Any:
            number = next(numbers)
            tried = {name: getattr(Constants(), name) + number / 10_000 for name in names}
            return what_if.what_if(space, replace(Constants(), **tried, **changed), NOW + number)

        return ask

    start = perf_counter()
    moving("activation_midpoint")()
    first = (perf_counter() - start) * 1e3
    bare: dict[str, Callable[[], Any]] = {"bare scoring": lambda: score(stored, NOW + next(numbers))}
    alternatives = bare | {
        "the squash": moving("activation_midpoint"),
        "the fading": moving("activation_decay"),
        "a pass": moving("prune_threshold"),
        "both at once": moving("activation_midpoint", "prune_threshold"),
    }
    # By itself, as it is asked for: what the pass comes to is kept from one time to the next.
    beside = bare | {"the squash, a pass changed": moving("activation_midpoint", prune_threshold=0.2)}
    found = {}
    for group in (alternatives, beside):
        times = medians(group, ROUNDS)
        found |= {name: (each, each / times["bare scoring"]) for name, each in times.items()}
    return found | {"the first, which reads": (first, first / found["bare scoring"][0])}


def main(facts: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        os.environ.pop("DATABASE_URL", None)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        found = measure(facts)
    for name, (milliseconds, times) in found.items():
        print(f"{name:28}{milliseconds:9.2f} ms {times:7.2f} times bare scoring")
    print(f"goal: at most {GOAL} times while one constant is moved")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
