"""A process that works on a space by actions: it writes facts of its own, and reads between the writes.

`python -m tests.redis.writer SPACE NAME THREADS READS (--facts N | --seconds S)` prints JSON: how many facts it wrote,
what went wrong, and how long each write took (s).
"""

import json
import os
import sys
from threading import Lock, Thread
from time import monotonic
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trustmem.settings")


def main(space: str, name: str, threads: int, reads: int, facts: int, seconds: float) -> dict[str, Any]:
    told: dict[str, Any] = {"facts": 0, "errors": [], "took": []}
    lock, until = Lock(), monotonic() + seconds
    each = [
        Thread(target=_work, args=(space, f"{name}-{thread}", reads, facts // threads, until, told, lock))
        for thread in range(threads)
    ]
    for thread in each:
        thread.start()
    for thread in each:
        thread.join()
    return told


def _work(name: str, who: str, reads: int, facts: int, until: float, told: dict[str, Any], lock: Lock) -> None:
    from django.db import connection

    from trustmem.store.models import Fact, Space

    space = Space.objects.get(name=name)
    written = 0
    while written < facts if facts else monotonic() < until:
        began = monotonic()
        try:
            _write(space, f"{who}-{written}")
            took = monotonic() - began
            for _ in range(reads):
                list(Fact.objects.filter(space=space).order_by("-pk")[:20])
        except Exception as error:
            with lock:
                told["errors"].append(f"{type(error).__name__}: {error}")
            break
        written += 1
        with lock:
            told["facts"] += 1
            told["took"].append(round(took, 4))
    connection.close()


def _write(space: Any, name: str) -> None:
    from trustmem.actions import acts
    from trustmem.work.tasks import now

    acts.write(space, [{"type": "fact", "id": name, "text": f"What {name} says.", "source": "ana"}], now=now())


if __name__ == "__main__":
    django.setup()
    space, name, threads, reads, kind, amount = sys.argv[1:]
    facts, seconds = (int(amount), 0.0) if kind == "--facts" else (0, float(amount))
    print(json.dumps(main(space, name, int(threads), int(reads), facts, seconds)))
