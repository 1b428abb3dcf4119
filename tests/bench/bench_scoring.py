"""Scoring 1 000 000 facts from columns (r, s, tier, B, depth), against one `np.exp` over that length.

    python tests/bench/bench_scoring.py [rounds]

All alternatives take turns in one run; medians. The goal is at most 3 times the exponential. What cannot be gone
below is measured beside it: freshness alone (that exponential and four more steps), and writing five columns.
Where numpy has no AVX-512, an exponential costs five times as much and the goal is met; where it has, it is not.
"""

import sys

import numpy as np
from turns import medians

from trustmem.core.constants import Constants
from trustmem.core.freshness import freshness
from trustmem.core.trust import trust

FACTS = 1_000_000
GOAL = 3


def measure(rounds: int = 21) -> dict[str, float]:
    """Milliseconds, medians: of each alternative, by name."""
    rng = np.random.default_rng(6)
    r, s = rng.poisson(2, FACTS), rng.poisson(0.2, FACTS)
    tier = rng.choice(3, FACTS, p=[0.7, 0.2, 0.1]).astype(np.int8)
    activation = rng.normal(-1.7, 2, FACTS)
    depth = np.minimum(rng.geometric(0.85, FACTS) - 1, 64)
    small = [column.astype(np.int16) for column in (r, s, depth)]
    constants = Constants()
    alternatives = {
        "np.exp": lambda: np.exp(activation),
        "trust": lambda: trust(small[0], small[1], tier, activation, small[2], constants),
        "trust, int64 columns": lambda: trust(r, s, tier, activation, depth, constants),
        "freshness alone": lambda: freshness(activation, constants),
        "five columns filled": lambda: [np.full(FACTS, 0.5) for _ in range(5)],
    }
    np.ones(4 * FACTS)  # freed, it makes glibc keep what is freed later, as in a process that has run for a while
    return medians(alternatives, rounds)


def main(rounds: int) -> None:
    found = measure(rounds)
    for name, each in found.items():
        print(f"{name:22}{each:8.2f} ms {each / found['np.exp']:6.2f} times np.exp")
    print(f"goal: trust at most {GOAL} times")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 21)
