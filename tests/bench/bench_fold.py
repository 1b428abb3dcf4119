"""How long it takes to live through a real history, weekly passes and all, beside only reading it.

    python tests/bench/bench_fold.py [rounds]

Reads the histories of TRUSTMEM_DATA (default: ../shared/data beside the project). The floor is the strict reading
of the same file: no fold can be had without it. One run, interleaved, medians.
"""

import gzip
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from trustmem.core.fold import fold
from trustmem.core.instants import span
from trustmem.core.lines import Pass
from trustmem.core.scores import score
from trustmem.formats import interchange

DATA = Path(os.environ.get("TRUSTMEM_DATA") or Path(__file__).parents[3] / "shared" / "data") / "interchange"
HISTORIES = ("endoflife", "public-apis")


def measure(rounds: int = 3) -> dict[str, float]:
    """Seconds to read and to fold each history, and the ratio of the two."""
    figures: dict[str, float] = {}
    for name in HISTORIES:
        raw = gzip.decompress((DATA / f"{name}.jsonl.gz").read_bytes()).splitlines()
        reading = interchange.read(raw)
        instants = [line.at for line in reading.lines]
        passes = [Pass(at) for at in range(min(instants) + span(7), max(instants) + 1, span(7))]
        times = [
            (timed(lambda: interchange.read(raw)), timed(lambda: score(fold(reading.lines, passes), max(instants))))
            for _ in range(rounds)
        ]
        read, folded = (median(column) for column in zip(*times, strict=True))
        figures |= {
            f"{name}: lines": len(raw),
            f"{name}: passes": len(passes),
            f"{name}: read, s": read,
            f"{name}: fold and score, s": folded,
            f"{name}: fold / read": folded / read,
        }
    return figures


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    for figure, value in measure(*map(int, sys.argv[1:2])).items():
        print(f"{figure:36} {value:10.2f}")
