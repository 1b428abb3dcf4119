"""Alternatives that take turns in one run, so that a machine's moods strike them alike."""

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter


def medians(alternatives: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Milliseconds that each alternative takes, by name: the median of so many rounds."""
    times: dict[str, list[float]] = {name: [] for name in alternatives}
    for _ in range(rounds):
        for name, run in alternatives.items():
            start = perf_counter()
            run()
            times[name].append((perf_counter() - start) * 1e3)
    return {name: median(each) for name, each in times.items()}
