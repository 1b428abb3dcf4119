"""Exact activation of 1 000 000 facts from 10 000 000 touches, against one `np.bincount` with weights over them.

    python tests/bench/bench_freshness.py [rounds]

All alternatives take turns in one run; medians. The goal is at most 3 times, with the touches of a fact side by side,
as a history gives them; touches shuffled over all facts are measured beside it, each against its own bincount.
"""

import sys

import numpy as np
from turns import medians

from trustmem.core.constants import Constants
from trustmem.core.freshness import activation
from trustmem.core.instants import MICROSECONDS_PER_DAY

FACTS, TOUCHES = 1_000_000, 10_000_000
NOW = 20_000 * MICROSECONDS_PER_DAY
GOAL = 3


def measure(rounds: int = 7) -> dict[str, float]:
    """Milliseconds, medians: of each alternative, by name."""
    rng = np.random.default_rng(3)
    shuffled = rng.integers(0, FACTS, TOUCHES)
    clustered = np.sort(shuffled)
    at = NOW - (rng.exponential(60, TOUCHES) * MICROSECONDS_PER_DAY).astype(np.int64)
    is_use = rng.random(TOUCHES) < 0.5
    weights = rng.random(TOUCHES)
    nothing, constants = np.zeros(FACTS, np.int64), Constants()
    alternatives = {
        "bincount": lambda: np.bincount(clustered, weights, FACTS),
        "activation": lambda: activation(at, clustered, is_use, nothing, nothing, NOW, constants),
        "bincount, shuffled": lambda: np.bincount(shuffled, weights, FACTS),
        "activation, shuffled": lambda: activation(at, shuffled, is_use, nothing, nothing, NOW, constants),
    }
    np.ones(4 * FACTS)  # freed, it makes glibc keep what is freed later, as in a process that has run for a while
    return medians(alternatives, rounds)


def main(rounds: int) -> None:
    found = measure(rounds)
    for name, each in found.items():
        print(f"{name:22}{each:8.1f} ms")
    for order in ("", ", shuffled"):
        ratio = found[f"activation{order}"] / found[f"bincount{order}"]
        print(f"ratio{order:17}{ratio:8.2f}")
    print(f"goal: at most {GOAL} times")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
