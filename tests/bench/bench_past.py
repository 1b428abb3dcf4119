"""What pages of the past and of chains take in spaces of several sizes, each of a made-up history with a pass a week.

    python tests/bench/bench_past.py [lines ...]

Whole answers of the desk: the list of facts, that of chains, and one fact, as of an early and a late instant; the list
of chains now; and a page of a chain of 10 000 claims, now and then. Medians of the time of the processor (default
10 000, 100 000 and 220 000 lines). The database is the one that DATABASE_URL names, or a SQLite file that is gone
afterwards.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

TIMES = 5
LONG = 10_000


def taken(name: str, lines: list[bytes]) -> Any:
    """A space into which these came, with a pass a week."""
    from trustmem.actions import imports, spaces
    from trustmem.core.instants import span

    space = spaces.create(name)
    imports.import_lines(space, lines, file="bench", by="bench", now=span(100 * 365), every=span(7))
    return space


def measure(n_lines: int, client: Any) -> dict[str, float]:
    """Milliseconds of each page. A large history goes on after now, of which nothing is shown."""
    from histories import history

    from trustmem.core.instants import to_text
    from trustmem.store.models import Fact

    space = taken(f"of-{n_lines}", list(history(n_lines)))
    facts = Fact.objects.filter(space=space, at__lt=time.time_ns() // 1000).order_by("at")
    ats, name = list(facts.values_list("at", flat=True)), facts.filter(depth__gt=0)[0].name
    found = {"chains now": timed(client, f"/spaces/{space.name}/chains/")}
    for said, at in (("early", ats[len(ats) // 5]), ("late", ats[-1])):
        for page, path in (("facts", "facts/"), ("chains", "chains/"), ("a fact", f"facts/{name}/")):
            found[f"{page} {said}"] = timed(client, f"/spaces/{space.name}/{path}?as_of={to_text(at)}")
    return found


def measure_long(client: Any) -> dict[str, float]:
    """Milliseconds of a page of the long chain."""
    taken("long", list(_chain()))
    path = f"/spaces/long/chains/v{LONG // 4}/"
    return {"now": timed(client, path), "then": timed(client, f"{path}?as_of=2025-01-01")}


def _chain() -> Iterator[bytes]:
    from trustmem.core.instants import span, to_text
    from trustmem.formats.rfc3339 import parse

    first = parse("2024-01-01T00:00:00Z")
    for number in range(LONG):
        at = {"at": to_text(first + span(number / 24))}
        yield json.dumps({"type": "fact", "id": f"v{number}", "text": f"Version {number}.", **at}).encode()
        if number:
            ends = {"from": f"v{number}", "relation": "updates", "to": f"v{number - 1}"}
            yield json.dumps({"type": "edge", "id": f"u{number}", **ends, **at}).encode()


def timed(client: Any, path: str) -> float:
    times = []
    for _ in range(TIMES):
        start = time.process_time()
        answer = client.get(path)
        times.append((time.process_time() - start) * 1e3)
        assert answer.status_code == 200, (path, answer.status_code)
    return median(times)


def main(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command
        from django.test import Client

        django.setup()
        call_command("migrate", verbosity=0)
        from trustmem.actions import access

        client = Client(SERVER_NAME="127.0.0.1")
        client.force_login(access.owner())
        for title, measured in [
            *((f"{n} lines", lambda n=n: measure(n, client)) for n in sizes),
            (f"a chain of {LONG}", lambda: measure_long(client)),
        ]:
            figures = (f"{kind} {milliseconds:.0f} ms" for kind, milliseconds in measured().items())
            print(f"{title:>16}", *figures, sep="  ", flush=True)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [10_000, 100_000, 220_000])
