"""Whole histories, read from files and folded, have the scores that are right for them (tests/vectors)."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from trustmem.core.fold import fold
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.core.lines import Pass
from trustmem.core.scores import score
from trustmem.formats import interchange, rfc3339
from trustmem.formats.scores import rows

VECTORS = Path(__file__).parents[1] / "vectors"
SCENARIOS = sorted(path.stem for path in (VECTORS / "scenarios").glob("*.jsonl"))


def expected(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def scored(raw: Iterable[bytes], right: dict[str, Any], every_day: bool = False) -> tuple[list[dict[str, Any]], int]:
    reading = interchange.read(raw)
    assert reading.balance["rejected"] == reading.balance["refused"] == 0
    passes = list(reading.passes)
    if every_day:
        first, last = min(line.at for line in reading.lines), max(line.at for line in reading.lines)
        passes += [Pass(at) for at in range(first + MICROSECONDS_PER_DAY, last + 1, MICROSECONDS_PER_DAY)]
    folded = fold(reading.lines, passes)
    return list(rows(score(folded.stored, rfc3339.parse(right["now"])))), folded.promotion_deferred


def assert_scores(found: list[dict[str, Any]], right: list[dict[str, Any]]) -> None:
    assert [row["id"] for row in found] == [row["id"] for row in right]
    for row, wanted in zip(found, right, strict=True):
        for name, value in wanted.items():
            if name not in ("weight", "derived_weight") or wanted["state"] == "live":
                assert_equal(row[name], value, f"{wanted['id']}: {name}")


def assert_equal(found: Any, right: Any, what: str) -> None:
    if isinstance(right, dict):
        assert found.keys() == right.keys(), what
        for name, value in right.items():
            assert_equal(found[name], value, f"{what}.{name}")
    elif isinstance(right, float):
        assert found is not None and math.isclose(found, right, rel_tol=0, abs_tol=1e-9), f"{what}: {found} != {right}"
    else:
        assert found == right, what


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_has_its_scores(name: str):
    right = expected(VECTORS / "scenarios" / f"{name}.expected.json")
    raw = (VECTORS / "scenarios" / f"{name}.jsonl").read_bytes().splitlines()
    found, deferred = scored(raw, right)
    assert_scores(found, right["facts"])
    assert deferred == right["passes_deferred"]


@pytest.mark.realdata
def test_a_real_memory_lived_through_with_daily_passes_has_its_scores(realdata: Path):
    right = expected(VECTORS / "real" / "mcp-think-tank.expected.json")
    raw = (realdata / "interchange" / "mcp-think-tank.jsonl").read_bytes().splitlines()
    found, deferred = scored(raw, right, every_day=True)
    assert_scores(found, right["facts"])
    assert deferred == right["passes_deferred"]
