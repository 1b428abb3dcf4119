"""How long it takes to live through a real history, weekly passes and all, beside only reading it.

    python tests/bench/bench_fold.py [rounds]

Reads the histories of TRUSTMEM_DATA (default: ../shared/data beside the project). The floor is the strict reading
of the same file: no fold can be had without it. One run, interleaved, medians.
"""

import gzip
import os
import sys
from pathlib import Path

from turns import medians

from trustmem.core.fold import fold
from trustmem.core.instants import span
from trustmem.core.lines import Pass
from trustmem.core.scores import score
from trustmem.formats import interchange

DATA = Path(os.environ.get("TRUSTMEM_DATA") or Path(__file__).parents[3] / "shared" / "data") / "interchange"
HISTORIES = ("endoflife", "public-apis")


def measure(rounds: int = 3) -> dict[str, float]:
    """Milliseconds to read and to fold each history, and the ratio of the two."""
    return {f"{name}: {figure}": value for name in HISTORIES for figure, value in measure_one(name, rounds).items()}


def measure_one(name: str, rounds: int) -> dict[str, float]:
    raw = gzip.decompress((DATA / f"{name}.jsonl.gz").read_bytes()).splitlines()
    lines = interchange.read(raw).lines
    first, last = min(line.at for line in lines), max(line.at for line in lines)
    passes = [Pass(at) for at in range(first + span(7), last + 1, span(7))]

    def read() -> None:
        interchange.read(raw)

    def live_through() -> None:
        score(fold(lines, passes).stored, last)

    times = medians({"read": read, "fold and score": live_through}, rounds)
    return {
        "lines": len(raw),
        "passes": len(passes),
        "read, ms": times["read"],
        "fold and score, ms": times["fold and score"],
        "fold and score / read": times["fold and score"] / times["read"],
    }


if __name__ == "__main__":
    for figure, value in measure(*map(int, sys.argv[1:2])).items():
        print(f"{figure:36} {value:10.2f}")
