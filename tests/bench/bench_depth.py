"""Depth of 1 000 000 facts under 500 000 `updates` edges: `chains` against a recursive CTE in SQLite.

    python tests/bench/bench_depth.py [rounds]

The edges branch, hold chains of 10 000 and 1 000 rings, and follow no order of the facts. The CTE is given every help:
the edges sit in memory, each once, under an index that covers the join, rows are deduplicated by UNION and capped so
that no fact is lost, and the rings' edges are taken out for it beforehand, untimed. `chains` is timed whole: it checks
the ends and finds the rings by itself. Both must give the same depths, and the rings must be those that were laid.
Exits with 1 if `chains` is less than 40 times as fast.
"""

import sqlite3
import sys

import numpy as np
from numpy.typing import NDArray
from turns import medians

from trustmem.core.chains import CAP, chains

FACTS, EDGES = 1_000_000, 500_000
CHAINS, CHAIN, OPEN = 5, 10_000, 20
RINGS, RING = 1_000, 5
GOAL = 40

# From the heads down. A fact at the cap hands on the cap, once: cutting the walk there instead would give what is
# deeper no row, and no row reads as a head.
CTE = f"""
WITH RECURSIVE chain(fact, k) AS (
    SELECT DISTINCT newer, 0 FROM edge WHERE newer NOT IN (SELECT older FROM edge)
    UNION
    SELECT edge.older, min(chain.k + 1, {CAP}) FROM chain JOIN edge ON edge.newer = chain.fact
)
SELECT fact, max(k) FROM chain GROUP BY fact
"""


def memory(rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Edges, each once, shuffled, and which of them lie on a ring.

    All edges but those of rings lead from a lower to a higher rank, and a ring's facts have ranks side by side: no
    other cycle can arise, while rings feed, and are fed by, chains and branches. Branches leave a chain anywhere and
    join it at no more than every 20th fact: each joint costs the CTE up to 64 rows for every fact below it.
    """
    long_chains = [np.sort(rng.choice(FACTS, CHAIN, replace=False)) for _ in range(CHAINS)]
    rings = RING * rng.choice(FACTS // RING, RINGS, replace=False)[:, None] + np.arange(RING)
    laid = [np.column_stack([chain[:-1], chain[1:]]) for chain in long_chains]
    laid += [np.column_stack([rings.ravel(), np.roll(rings, -1, axis=1).ravel()])]

    closed = np.zeros(FACTS, np.bool_)
    for chain in long_chains:
        closed[chain] = np.arange(CHAIN) % OPEN != 0
    branches = np.sort(rng.integers(0, FACTS, (EDGES, 2)), axis=1)
    branches = branches[(branches[:, 0] < branches[:, 1]) & ~closed[branches[:, 1]]]
    ranks = np.unique(np.concatenate([*laid, branches[: EDGES - sum(map(len, laid))]]), axis=0)
    rng.shuffle(ranks)

    ring_of = np.arange(FACTS)
    ring_of[rings] = rings[:, :1]
    on_ring = ring_of[ranks[:, 0]] == ring_of[ranks[:, 1]]
    newer, older = rng.permutation(FACTS)[ranks].T.copy()
    return newer, older, on_ring


def database(newer: NDArray[np.int64], older: NDArray[np.int64]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE edge (newer INTEGER, older INTEGER, PRIMARY KEY (newer, older)) WITHOUT ROWID")
    connection.execute("CREATE INDEX older ON edge (older)")
    connection.executemany("INSERT INTO edge VALUES (?, ?)", zip(newer.tolist(), older.tolist(), strict=True))
    connection.execute("ANALYZE")
    return connection


def measure(rounds: int = 5) -> dict[str, float]:
    """Milliseconds, medians, of both, and how many times faster `chains` is. Raises ValueError where they differ."""
    newer, older, on_ring = memory(np.random.default_rng(4))
    connection = database(newer[~on_ring], older[~on_ring])
    found, rows = chains(newer, older, FACTS), connection.execute(CTE).fetchall()
    depth = np.zeros(FACTS, np.int64)
    facts, k = np.array(rows).T
    depth[facts] = k
    if not (np.array_equal(found.depth, depth) and np.array_equal(found.on_cycle, on_ring)):
        raise ValueError("the two do not agree")
    alternatives = {
        "chains": lambda: chains(newer, older, FACTS),
        "CTE": lambda: connection.execute(CTE).fetchall(),
    }
    times = medians(alternatives, rounds)
    return times | {"CTE / chains": times["CTE"] / times["chains"]}


def main(rounds: int) -> int:
    found = measure(rounds)
    for name, value in found.items():
        print(f"{name:14}{value:10.1f}")
    print(f"goal: {GOAL} times faster or more")
    return 0 if found["CTE / chains"] >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
