"""How often the detector of contradictions is right, over labelled pairs and over whole stores.

    python tests/bench/finding_pairs.py FOLDER [--failures]

FOLDER holds `pairs/pairs.jsonl`, `pairs/memory_pairs.jsonl` and `stores-with-contradictions/letta_core_memory.jsonl`;
they are no part of the project. A pair counts as found where it is a candidate by the default constants, and as right
where its label is contradiction or update. Printed are precision and recall with their 95 % intervals (Wilson), and F1
with one by 2 000 resamples of a fixed seed: with and without the vectors of the default embedder, by halves of the
groups (by a hash of their names), and by source, beside the yardstick, a Jaccard of words of 0.3 or more. `--failures`
names what was missed, and what was found and is none. Exits with 1 where a goal is missed.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from trustmem.core.constants import Constants
from trustmem.core.contradictions import Comparison, Said, compare, is_candidate
from trustmem.core.embedding import Hashed
from trustmem.core.reading import read
from trustmem.core.reliability import wilson

CONSTANTS = Constants()
POSITIVE = {"contradiction", "update"}
YARDSTICK = 0.3
RESAMPLES = 2_000


class Labelled(NamedTuple):
    """Two facts, whether they are in conflict, and where they are from."""

    one: Said
    other: Said
    is_conflict: bool
    label: str
    source: str
    half: int


Found = Callable[[Labelled], Comparison | None]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def half(group: str) -> int:
    return sha256(group.encode()).digest()[-1] % 2


def born(time: str | None) -> int | None:
    return int(datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp() * 1e6) if time else None


def labelled(path: Path) -> list[Labelled]:
    return [
        Labelled(
            *(Said(row[side], row.get(f"entity_{side}", ""), at=born(row.get(f"{side}_time"))) for side in "ab"),
            row["label"] in POSITIVE,
            row["label"],
            row["source"] if "group" in row else "memory files of agents",
            half(row.get("group", row.get("store", ""))),
        )
        for row in lines(path)
    ]


def stored(path: Path) -> list[Labelled]:
    """Each pair of facts within one store."""
    found = []
    for row in lines(path):
        known = {frozenset((each["old"], each["new"])) for each in row["contradictions"]}
        for one, other in combinations(row["facts"], 2):
            is_conflict = frozenset((one["id"], other["id"])) in known
            label = "contradiction" if is_conflict else "none"
            found.append(
                Labelled(Said(one["text"]), Said(other["text"]), is_conflict, label, "store", half(row["store"]))
            )
    return found


def by_detector(pair: Labelled) -> Comparison | None:
    found = compare(pair.one, pair.other)
    return found if is_candidate(found, CONSTANTS) else None


def by_detector_and_vectors(pairs: Iterable[Labelled]) -> Found:
    texts = sorted({said.text for pair in pairs for said in (pair.one, pair.other)})
    vectors = dict(zip(texts, Hashed().embed(texts), strict=True))

    def found(pair: Labelled) -> Comparison | None:
        cosine = float(vectors[pair.one.text] @ vectors[pair.other.text])
        compared = compare(pair.one, pair.other, cosine=cosine)
        return compared if is_candidate(compared, CONSTANTS) else None

    return found


def by_words(pair: Labelled) -> Comparison | None:
    one, other = read(pair.one.text).words, read(pair.other.text).words
    overlap = len(one & other) / len(one | other) if one | other else 0.0
    return Comparison("contradiction", "word", overlap, None, {}) if overlap >= YARDSTICK else None


class Score(NamedTuple):
    """Counts, and what they come to: right, wrongly found, missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


def score(truth: np.ndarray, found: np.ndarray) -> Score:
    return Score(int((truth & found).sum()), int((~truth & found).sum()), int((truth & ~found).sum()))


def resampled(truth: np.ndarray, found: np.ndarray) -> tuple[float, float]:
    """The 95 % interval of F1, by resampling pairs. All that counts are how many fall in which of four cells."""
    cells = np.bincount(2 * truth + found, minlength=4)
    drawn = np.random.default_rng(9).multinomial(cells.sum(), cells / cells.sum(), RESAMPLES)
    _, wrong, missed, right = drawn.T
    low, high = np.quantile(2 * right / np.maximum(1, 2 * right + wrong + missed), [0.025, 0.975])
    return float(low), float(high)


def shown(value: float, interval: tuple[float, float] | None) -> str:
    return f"{value:.2f} [{interval[0]:.2f}, {interval[1]:.2f}]" if interval else "–".center(17)


def row(name: str, truth: np.ndarray, found: np.ndarray) -> Score:
    made = score(truth, found)
    precision = shown(made.precision, wilson(made.right, made.right + made.wrong) if made.right + made.wrong else None)
    recall = shown(made.recall, wilson(made.right, made.right + made.missed) if made.right + made.missed else None)
    f1 = shown(made.f1, resampled(truth, found)) if made.right else shown(0, None)
    print(f"| {name:44} | {truth.sum():5} of {len(truth):5} | {precision:17} | {recall:17} | {f1:17} |")
    return made


def table(title: str, pairs: list[Labelled], *, sources: bool) -> Score:
    print(f"\n{title}\n")
    print(f"| {'':44} | {'conflicts':14} | {'precision':17} | {'recall':17} | {'F1':17} |")
    print(f"| {'---':44} | {'---':14} | {'---':17} | {'---':17} | {'---':17} |")
    truth = np.array([pair.is_conflict for pair in pairs])
    halves = np.array([pair.half for pair in pairs])
    names = np.array([pair.source for pair in pairs])
    found = np.array([by_detector(pair) is not None for pair in pairs])
    near = by_detector_and_vectors(pairs)
    made = row("detector", truth, found)
    row("detector, with vectors", truth, np.array([near(pair) is not None for pair in pairs]))
    row(f"yardstick: Jaccard of words ≥ {YARDSTICK}", truth, np.array([by_words(pair) is not None for pair in pairs]))
    for part in (0, 1):
        row(f"detector, half {part}", truth[halves == part], found[halves == part])
    for source in sorted(set(names)) if sources else ():
        row(f"· {source}", truth[names == source], found[names == source])
    return made


def speed(pairs: list[Labelled]) -> None:
    """Pairs compared in a second of one processor: with texts read before, and with each read once."""
    read.cache_clear()
    began = process_time()
    for pair in pairs:
        compare(pair.one, pair.other)
    cold = process_time() - began
    some = pairs[:400]
    for pair in some:
        compare(pair.one, pair.other)
    began = process_time()
    for pair in some * 5:
        compare(pair.one, pair.other)
    warm = process_time() - began
    print(
        f"  {len(pairs) / cold:8,.0f} pairs/s with reading, {5 * len(some) / warm:8,.0f} pairs/s of texts read before"
    )


def failures(pairs: list[Labelled]) -> None:
    for pair in pairs:
        found = compare(pair.one, pair.other)
        if is_candidate(found, CONSTANTS) != pair.is_conflict:
            kind = "missed" if pair.is_conflict else "wrong"
            told = f"{found.finding} {found.rule} {found.overlap:.2f} {found.features}"
            print(f"{kind} · {pair.source} · {pair.label} · {told}")
            print(f"    {pair.one.text}\n    {pair.other.text}")


def main(arguments: list[str]) -> int:
    if not arguments or not (Path(arguments[0]) / "pairs").is_dir():
        print("finding_pairs: name the folder that holds pairs/ and stores-with-contradictions/", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    pairs = labelled(folder / "pairs" / "pairs.jsonl")
    memory = labelled(folder / "pairs" / "memory_pairs.jsonl")
    stores = stored(folder / "stores-with-contradictions" / "letta_core_memory.jsonl")
    made = table("pairs.jsonl", pairs, sources=True)
    of_memory = table("memory_pairs.jsonl", memory, sources=False)
    of_stores = table("stores, all pairs within each", stores, sources=False)
    each = (of_stores.right + of_stores.wrong) / max(1, of_stores.right)
    in_stores = of_stores.recall >= 0.85 and each <= 1.5
    goals = {
        "pairs: P ≥ 0.80 at R ≥ 0.70": made.precision >= 0.8 and made.recall >= 0.7,
        "memory pairs: P ≥ 0.30 at R ≥ 0.80": of_memory.precision >= 0.3 and of_memory.recall >= 0.8,
        f"stores: recall ≥ 0.85, ≤ 1.5 candidates for each true one ({each:.2f})": in_stores,
    }
    print()
    for goal, is_met in goals.items():
        print(f"  {'met   ' if is_met else 'MISSED'} {goal}")
    speed(pairs)
    if "--failures" in arguments:
        failures([*pairs, *memory, *stores])
    return 0 if all(goals.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
