"""What one act takes in spaces of several sizes, each of a made-up history with passes over it.

    python tests/bench/bench_act.py [lines ...]

All that concerns a fact is folded to explain it; it is said again, forgotten, and that is undone. Medians over facts
that were told long ago and lately (default 10 000, 100 000 and 1 000 000 lines). The database is the one that
DATABASE_URL names, or a SQLite file that is gone afterwards.
"""

import os
import random
import sys
import tempfile
from statistics import median
from time import perf_counter
from typing import Any

FACTS = 20


def measure(n_lines: int) -> dict[str, float]:
    """Milliseconds of each kind of act."""
    from histories import history

    from trustmem.actions import acts, consolidation, facts, folding, imports, spaces, undo
    from trustmem.core.instants import span
    from trustmem.core.vocabulary import LIVE
    from trustmem.store.models import Fact

    space = spaces.create(f"{n_lines} lines")
    now = span(100 * 365)  # later than any line
    imports.import_lines(space, list(history(n_lines)), file="bench", by="bench", now=now)
    for _ in range(3):
        now += span(1)
        consolidation.consolidate(space, by="bench", now=now)

    said = {"type": "event", "kind": "restated", "source": "agent", "run": "one more"}
    names = list(Fact.objects.filter(space=space, state=LIVE).order_by("pk").values_list("name", flat=True))
    times: dict[str, list[float]] = {}
    written = ""

    def timed(kind: str, act: Any) -> None:
        nonlocal now, written
        now += span(0.001)
        start = perf_counter()
        written = act()
        times.setdefault(kind, []).append((perf_counter() - start) * 1e3)

    for name in random.Random(0).sample(names, FACTS):
        timed("explained", lambda: folding.about(space, name))  # noqa: B023
        timed("said again", lambda: acts.write(space, [{**said, "fact": name}], now=now))  # noqa: B023
        timed("forgotten", lambda: facts.forget(space, name, by="ana", now=now))  # noqa: B023
        timed("undone", lambda: undo.undo(space, written, by="ana", now=now))
    return {kind: median(each) for kind, each in times.items()}


def main(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        for n in sizes:
            figures = (f"{kind} {milliseconds:.1f} ms" for kind, milliseconds in measure(n).items())
            print(f"{n:>9} lines", *figures, sep="  ", flush=True)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [10_000, 100_000, 1_000_000])
