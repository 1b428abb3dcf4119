"""What agents wait for among a million facts: a search against the bare query of the full text, and remembering
something against the bare writing of the same rows.

    python tests/bench/bench_doors.py [facts] [rounds]

Searches ask for two to eight words, from common ones to rare ones; what is compared are those where the bare query
takes more than FLOOR milliseconds. It asks the same index for the ten best. A search ranks them by trust, weighs what
superseded them and says what is held back; nothing is put on record. What is remembered is compared with what is known
and committed; bare, the same statements that write are executed in one transaction.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

SEARCH, REMEMBER, FLOOR = 1.5, 5, 5.0
_WORDS = 20_000
#: Microseconds since 1970: later than any line of such a history.
NOW = 100 * 365 * 86_400_000_000
#: Words of these places, the first being the most common one.
_KINDS = {
    "two common": (0, 20, 2),
    "four common": (0, 200, 4),
    "eight of any": (0, 5_000, 8),
    "eight rare": (5_000, _WORDS, 8),
}


def queries(first: int, last: int, length: int, count: int) -> list[str]:
    import numpy as np

    drawn = np.random.default_rng(first + length).integers(first, last, (count, length)).tolist()
    return [" ".join(f"w{word}" for word in row) for row in drawn]


def bare(query: str) -> list[Any]:
    """The ten facts that say some of these words, by rank."""
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            said = " | ".join(f"'{word}'" for word in query.split())
            by = "ORDER BY ts_rank(words, %s::tsquery) DESC LIMIT 10"
            cursor.execute(f"SELECT fact_id FROM store_words WHERE words @@ %s::tsquery {by}", [said, said])
        else:
            asked = "SELECT rowid FROM store_words WHERE store_words MATCH %s ORDER BY rank LIMIT 10"
            cursor.execute(asked, [" OR ".join(f'"{word}"' for word in query.split())])
        return cursor.fetchall()


def searching(space: Any, rounds: int) -> None:
    from tests.bench.turns import medians
    from trustmem.actions.search import search

    print(f"{'milliseconds':16}{'bare':>10}{'search':>10}{'ratio':>10}")
    for kind, drawn in _KINDS.items():
        asked = queries(*drawn, rounds)
        one, other = cycle(asked), cycle(asked)
        runs = {"bare": lambda of=one: bare(next(of)), "search": lambda of=other: search(space, next(of), now=NOW)}
        medians(runs, 2)
        told = medians(runs, rounds)
        counts = "" if told["bare"] > FLOOR else "  (below the floor)"
        print(f"{kind:16}{told['bare']:>10.2f}{told['search']:>10.2f}{told['search'] / told['bare']:>10.2f}{counts}")
    print(f"goal: at most {SEARCH} where the bare query takes more than {FLOOR:g} ms")


def remembering(space: Any, rounds: int) -> None:
    """Texts take turns: one is remembered; what remembering the next one would write is written bare instead."""
    from trustmem.actions import agents
    from trustmem.actions.speakers import Speaker

    speaker = Speaker(space, "agent-1", "sitting")
    times: dict[str, list[float]] = {"remember": [], "bare": []}

    def remember(number: int, text: str) -> None:
        said = {"text": text, "subject": f"something {number}", "predicate": "is"}
        told = agents.remember(speaker, said, now=NOW + number + 1)
        assert told.status == "new", told

    texts = queries(0, 5_000, 10, 2 * rounds)
    for number in range(0, 2 * rounds, 2):
        times["remember"].append(_timed(partial(remember, number, texts[number])))
        times["bare"].append(_timed(partial(_write, _written(partial(remember, number + 1, texts[number + 1])))))
    one, other = median(times["remember"]), median(times["bare"])
    print(
        f"remember {one:.2f} ms, the same rows bare {other:.2f} ms: ratio {one / other:.2f}; goal: at most {REMEMBER}"
    )


def _timed(run: Callable[[], object]) -> float:
    """Milliseconds."""
    start = perf_counter()
    run()
    return (perf_counter() - start) * 1e3


_Statement = tuple[str, Any, bool]


def _written(run: Callable[[], object]) -> list[_Statement]:
    """The statements by which something is written, which is then rolled back."""
    from django.db import connection, transaction

    found = list[_Statement]()

    def look(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            parameters = list(parameters) if many else parameters
            found.append((sql, parameters, many))
        return execute(sql, parameters, many, context)

    with transaction.atomic(), connection.execute_wrapper(look):
        run()
        transaction.set_rollback(True)
    return found


def _write(statements: list[_Statement]) -> None:
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        for sql, parameters, many in statements:
            (cursor.executemany if many else cursor.execute)(sql, parameters)


def made(facts: int) -> Any:
    """A space of so many facts and of what updates what, taken in from a file."""
    from tests.bench.histories import history
    from trustmem.actions import imports, spaces
    from trustmem.store.models import Fact

    start, space = perf_counter(), spaces.create("large")
    said = [line for line in history(facts * 9 // 4) if not line.startswith(b'{"type": "event"')]
    imports.import_lines(space, said, file="bench", by="bench", now=NOW)
    print(f"made {Fact.objects.filter(space=space).count()} facts in {perf_counter() - start:.0f} s", flush=True)
    return space


def main(facts: int, rounds: int) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TRUSTMEM_HOME": home, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command
        from django.db import connection

        django.setup()
        call_command("migrate", verbosity=0)
        space = made(facts)
        if connection.vendor == "postgresql":  # which does that by itself, a little later; SQLite does not
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
        searching(space, rounds)
        remembering(space, rounds)


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    main(*(given + [1_000_000, 40][len(given) :]))
