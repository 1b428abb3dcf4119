"""Large made-up histories in the shape of real ones, from a seed: what a memory is like that was kept for years.

The shape is that of three real histories of 20 000 to 30 000 lines. A third to a half of their lines are facts of some
8 words, as many say one of these again, a tenth updates what was said of the same thing before, one in twenty is
forgotten. A few sources say most of it; they sit down for minutes, and then not for hours.
"""

import json
import random
from bisect import bisect
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate, count, islice
from typing import Any

_FIRST = datetime(2024, 1, 1, 8, tzinfo=UTC)
#: How often each kind of event follows, among a hundred.
_EVENTS = {"restated": 76, "recalled": 8, "injected": 4, "corroborated": 3, "contradicted": 2, "forgotten": 7}
_N_WORDS = 20_000
_SITTING = 30
#: How often a fact is about a thing that is talked of again and again.
_TALKED_OF = 0.25


def history(n_lines: int, seed: int = 0) -> Iterator[bytes]:
    """`n_lines` lines of an interchange file, in the order of time."""
    records = islice(_records(random.Random(seed), n_things=n_lines // 6 + 1, n_sources=n_lines // 200 + 4), n_lines)
    return (json.dumps(record).encode() + b"\n" for record in records)


def _records(chance: random.Random, n_things: int, n_sources: int) -> Iterator[dict[str, Any]]:
    words, sources, things = _zipf(_N_WORDS), _zipf(n_sources), _zipf(n_things)
    kinds, weights = list(_EVENTS), list(accumulate(_EVENTS.values()))
    newest: dict[int, str] = {}
    facts: list[str] = []
    at = _FIRST
    for number in count():
        if number % _SITTING == 0:
            at += timedelta(hours=chance.expovariate(1 / 8))
            source, run = f"agent-{_draw(chance, sources)}", f"sitting-{number // _SITTING}"
        at += timedelta(seconds=chance.expovariate(1 / 20))
        said = {"id": f"l{number}", "at": at.isoformat(), "source": source, "run": run}
        if not facts or chance.random() < 0.45:
            thing = _draw(chance, things) if chance.random() < _TALKED_OF else n_things + number
            text = " ".join(f"w{_draw(chance, words)}" for _ in range(chance.randint(3, 13)))
            yield {"type": "fact", **said, "text": text, "subject": f"thing {thing}", "predicate": "is"}
            facts.append(said["id"])
            if thing in newest:
                ends = {"from": said["id"], "to": newest[thing]}
                relation = "contradicts" if chance.random() < 0.05 else "updates"
                yield {"type": "edge", "id": f"e{number}", "at": said["at"], **ends, "relation": relation, "run": run}
            newest[thing] = said["id"]
        else:
            # Mostly of what is new: half of all is said again within the last hundredth.
            fact = facts[-1 - int(len(facts) * chance.random() ** 7)]
            kind = kinds[bisect(weights, chance.random() * weights[-1])]
            yield {"type": "event", **said, "kind": kind, "fact": fact}


def _zipf(n: int) -> list[float]:
    """Weights of the words of a language, running sums: the k-th is used 1/k as often as the first."""
    return list(accumulate(1 / rank for rank in range(1, n + 1)))


def _draw(chance: random.Random, sums: list[float]) -> int:
    return bisect(sums, chance.random() * sums[-1])
