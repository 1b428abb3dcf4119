"""The queue of a space with many open cases against one with few: its page, the next that is handed out, a decision.

    python tests/bench/bench_queue.py [few] [many] [rounds]

The cases are contradictions between claims of many sources, half of them by fifty agents, whose cases are shown as one
each; they come as a file. Of each request the time is that of the whole answer of the desk, without what a browser and
a web server add; beside it stands how many queries it takes. Where the queue is looked at as it was a while ago, a
hundred cases have come since. The database is the one that DATABASE_URL names, or a SQLite file that is gone
afterwards. Making the large space takes some minutes.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

GOAL = 1.5
AGENTS, EACH = 50, 5
LATER = 100


def lines(first: int, size: int) -> Iterator[bytes]:
    """Pairs of claims that contradict each other: the second of each is by one of the agents, or by one of many others
    of which each has few."""
    for number in range(first, first + size):
        by = f"agent-{number % AGENTS}" if number % 2 else f"somebody-{number // (2 * EACH)}"
        at = f"2026-{1 + number % 12:02}-{1 + number % 28:02}T09:00:00Z"
        claims = [("old", "clerk", 7000), ("new", by, 8000)]
        for name, source, port in claims:
            said = {"text": f"Server {number} listens on port {port + number % 997}.", "source": source}
            yield _line(type="fact", id=f"{name}{number}", at=at, **said)
        ends = {"from": f"new{number}", "relation": "contradicts", "to": f"old{number}"}
        yield _line(type="edge", id=f"edge{number}", at=at, by=by, **ends)


def _line(**values: Any) -> bytes:
    return json.dumps(values).encode() + b"\n"


def made(size: int, now: int) -> Any:
    """A space with so many open cases, of which LATER came last."""
    from trustmem.actions import imports, spaces

    start, space = perf_counter(), spaces.create(str(size))
    for first, some in ((0, size - LATER), (size - LATER, LATER)):
        imports.import_lines(space, list(lines(first, some)), file="bench", by="bench", now=now)
    print(f"made {size} cases in {perf_counter() - start:.0f} s", flush=True)
    return space


def measure(few: int, many: int, rounds: int) -> dict[str, dict[int, tuple[float, int]]]:
    """Milliseconds, medians, and queries of each request, by the size of the queue."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from tests.bench.turns import medians
    from trustmem.desk import clock

    sizes = {size: made(size, clock.now()) for size in (few, many)}
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    asked = {size: requests(space) for size, space in sizes.items()}
    found: dict[str, dict[int, tuple[float, int]]] = {}
    for what in asked[few]:
        runs = {f"{size}": asked[size][what] for size in sizes}
        medians(runs, 3)
        times = medians(runs, rounds)
        for size in sizes:
            with CaptureQueriesContext(connection) as queries:
                runs[f"{size}"]()
            found.setdefault(what, {})[size] = times[f"{size}"], len(queries)
    return found


def requests(space: Any) -> dict[str, Callable[[], object]]:
    """What is asked of the desk by its owner."""
    from django.test import Client

    from trustmem.actions import access
    from trustmem.actions.verdicts import decide
    from trustmem.desk import clock
    from trustmem.store import queue
    from trustmem.store.queue import Filter

    browser = Client(HTTP_HOST="127.0.0.1")
    browser.force_login(access.owner())
    at, then = f"/spaces/{space.name}/review/", space.head_position - LATER
    page = queue.page(space, Filter())
    # Those in the middle, which are handed out to nobody meanwhile.
    left = iter(queue.keys(space, Filter())[len(queue.keys(space, Filter())) // 2 :])

    def get(query: str) -> None:
        if browser.get(at + query).status_code != 200:
            raise SystemExit(f"{query} was not answered")

    def hand_out() -> None:
        answer = browser.post(f"{at}next/", {"upto": then})
        if "/cases/" not in answer.headers["Location"]:
            raise SystemExit("no case was handed out")

    def decision() -> None:
        (case,) = queue.cases([next(left)])
        decide(space, [case.name], "keep left", by="owner", now=clock.now(), seen=space.head_position)

    return {
        "page": lambda: get(""),
        "page after it": lambda: get(f"?after={page.next}"),
        "of a kind": lambda: get("?kind=contradiction"),
        "of a source": lambda: get("?source=agent-1"),
        "a group": lambda: get("?kind=contradiction&source=agent-1"),
        "as it was a while ago": lambda: get(f"?upto={then}"),
        "hand-out": hand_out,
        "decision": decision,
    }


def main(few: int, many: int, rounds: int) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        found = measure(few, many, rounds)
    print(f"{'milliseconds':24}{few:>10}{many:>10}     ratio   queries")
    for what, of in found.items():
        (one, asked), (other, more) = of[few], of[many]
        print(f"{what:24}{one:>10.1f}{other:>10.1f}{other / one:>10.2f}{asked:>7}{more:>4}")
    print(f"goal: with {many} open cases at most {GOAL} times as long as with {few}, by as many queries")


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    main(*(given + [1000, 100_000, 50][len(given) :]))
