"""Histograms of a space are those of its live facts, counted once more one fact after the other."""

import json
import math
from collections import Counter
from datetime import UTC, datetime
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.actions.world import as_file, space_of, taken
from tests.makers import START, constants, daily, day, edge, event, fact
from trustmem.actions import facts, histograms, jobs, kinds, spaces, uploads
from trustmem.core.histograms import BY, MEASURES, SPANS
from trustmem.core.instants import from_datetime
from trustmem.core.lines import Baseline, Line
from trustmem.core.scores import score
from trustmem.core.vocabulary import LIVE, PRODUCERS, SCOPES, STATES, TIERS
from trustmem.formats.fields import identifier
from trustmem.store import histograms as stored
from trustmem.store import queries
from trustmem.store.histograms import REST
from trustmem.store.models import Fact, Histogram, Job, JobState, Space

pytestmark = pytest.mark.django_db

NOW = day(100)
CASE = json.loads((Path(__file__).parents[1] / "cases" / "123-last-bin-left-out.case.json").read_text())
FAR = (from_datetime(datetime(1, 2, 1, tzinfo=UTC)) - START) / 86_400e6
ENTER = {"by": "ana", "now": NOW}


def some_of(n: int) -> list[Line]:
    """Facts of all kinds of ages: just now, a day to the microsecond, of long ago, of no known time, yet to come."""
    chance = np.random.default_rng(n)
    made: list[Line] = []
    for number in range(n):
        on = float(chance.choice([100, 99, 99.5, 100 - 1 / 86_400, 40, 12.25, FAR, 130, chance.uniform(0, 100)]))
        counted = Baseline(reinforcements=3, first_seen=day(min(on, 90) - 5)) if chance.random() < 0.1 else Baseline()
        words = {"producer": PRODUCERS[chance.integers(4)], "scope": SCOPES[chance.integers(2)]}
        words["source"] = f"s{min(chance.geometric(0.1), 30)}"
        made.append(fact(f"f{number:04}", on, arrived=100, at_known=chance.random() > 0.1, baseline=counted, **words))
        for again in range(chance.integers(4)):
            kind, later = chance.choice(["restated", "recalled", "corroborated"]), chance.choice([0, 0, 1, 50, 150])
            made.append(event(str(kind), f"f{number:04}", max(on, 0) + later, arrived=100, run=f"r{again}"))
    return made


def naive(space: Space) -> dict[str, list[tuple[float, dict[str, str]]]]:
    """The values of each measure of live facts, each with the groups that it is in."""
    sources = Counter(Fact.objects.filter(space=space, state=LIVE).order_by("source").values_list("source", flat=True))
    largest = [source for source, _ in sources.most_common(20)]
    scored = score(queries.stored(space), NOW)
    values: dict[str, list[tuple[float, dict[str, str]]]] = {measure: [] for measure in MEASURES}
    for row, name in enumerate(scored.ids):
        if STATES[scored.state[row]] != "live":
            continue
        one = Fact.objects.get(space=space, name=name)
        of = {"": "", "scope": SCOPES[one.scope], "producer": PRODUCERS[one.producer], "tier": TIERS[one.tier]}
        of["source"] = one.source if one.source in largest else REST
        times, uses = np.frombuffer(one.times, "<i8").tolist(), list(one.uses)
        confirming = [at for at, use in zip(times, uses, strict=True) if not use] + [one.at] * one.at_known
        values["age"].append(((NOW - one.at) / 1e6 if one.at_known else math.nan, of))
        values["since confirmed"].append(((NOW - max(confirming)) / 1e6 if confirming else math.nan, of))
        values["gap"] += [(((late - soon) if late <= NOW else NOW - late) / 1e6, of) for soon, late in pairwise(times)]
        for measure in ("activation", "trust", "weight"):
            values[measure].append((float(getattr(scored, measure)[row]), of))
    return values


def recounted(row: Histogram, values: list[float]) -> dict[str, Any]:
    """What a row says, of these values."""
    counts, below, above, unknown = [0] * len(row.counts), 0, 0, 0
    for value in values:
        if math.isnan(value):
            unknown += 1
        elif row.bins == "log" and 0 <= value < row.edges[0]:
            counts[0] += 1
        elif value < row.edges[0]:
            below += 1
        elif value > row.edges[-1]:
            above += 1
        else:
            inside = [place for place, (low, high) in enumerate(pairwise(row.edges)) if low <= value < high]
            counts[inside[0] if inside else -1] += 1
    return {"counts": counts, "below": below, "above": above, "unknown": unknown}


def quartiles(measure: str, values: list[float]) -> list[float]:
    known = sorted(each for each in values if not math.isnan(each) and not (measure in SPANS and each < 0))
    found = []
    for part in (0.25, 0.5, 0.75) if known else ():
        low, rest = divmod(part * (len(known) - 1), 1)
        low, high = int(low), min(int(low) + 1, len(known) - 1)
        found.append(known[low] + (known[high] - known[low]) * rest)
    return found


def every(row: Histogram) -> int:
    return sum(row.counts) + row.below + row.above + row.unknown


def assert_right(space: Space) -> None:
    """All rows say what a second computation says, and those of groups add up to that of all."""
    values = naive(space)
    seen = 0
    for measure in MEASURES:
        for bins in ("linear", "log") if measure in SPANS else ("linear",):
            (of_all,) = stored.found(space, measure, bins=bins)
            assert every(of_all) == len(values[measure])
            for by in BY:
                rows = stored.found(space, measure, by, bins)
                assert [row.of for row in rows] == stored.groups(space)[by]
                assert {row.of for row in rows} == {of[by] for _, of in values["age"]} | ({""} if not by else set())
                for row in rows:
                    own = [value for value, of in values[measure] if of[by] == row.of]
                    assert {name: getattr(row, name) for name in ("counts", "below", "above", "unknown")} == recounted(
                        row, own
                    )
                    assert row.quartiles == pytest.approx(quartiles(measure, own), rel=1e-12, abs=1e-12)
                    assert (row.edges, row.at) == (of_all.edges, NOW)
                    seen += 1
                if rows:
                    assert np.sum([row.counts for row in rows], axis=0).tolist() == of_all.counts
                    for name in ("below", "above", "unknown"):
                        assert sum(getattr(row, name) for row in rows) == getattr(of_all, name)
    assert seen == Histogram.objects.filter(space=space).count()


@pytest.mark.parametrize("n", CASE["steps"][0]["values"])
def test_case_123_they_sum_to_n_and_equal_a_second_computation(n: int) -> None:
    space = space_of(*some_of(n)) if n else spaces.create("diary")
    histograms.count(space, now=NOW)
    for measure in MEASURES:
        if measure != "gap":
            assert every(stored.found(space, measure)[0]) == n
    assert_right(space)


def test_a_space_that_was_lived_in_is_counted_with_its_passes_and_all_that_befell_it() -> None:
    lines = [
        *some_of(60),
        edge("f0010", "updates", "f0002", 11),
        edge("f0011", "contradicts", "f0003", 11),
        event("accepted", "f0004", 9, tier="human"),
        event("forgotten", "f0006", 20, tier="human"),
        event("erased", "f0007", 21, tier="human"),
        constants({"activation_decay": 0.4, "prune_threshold": 0.3}, 30),
    ]
    space = space_of(*lines, passes=daily(1, 60))
    histograms.count(space, now=NOW)
    assert Fact.objects.filter(space=space).exclude(state=LIVE).exists()
    assert_right(space)
    assert set(Histogram.objects.values_list("constants_version", flat=True)) == {2}


def test_facts_that_are_read_some_at_a_time_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    space = space_of(*some_of(99), event("forgotten", "f0006", 20, tier="human"))
    monkeypatch.setattr(stored, "_READ", 7)
    told: list[tuple[int, int]] = []
    histograms.count(space, now=NOW, progress=lambda done, of: told.append((done, of)))
    assert_right(space)
    assert told == [*((done, 99) for done in range(7, 99, 7)), (99, 99), *[(99, 99)] * len(MEASURES)]


def test_what_is_yet_to_come_and_what_is_not_known_is_counted_by_name() -> None:
    ages = [fact("soon", 130, arrived=100), fact("once", at_known=False), fact("old", FAR), fact("now", 100)]
    space = space_of(*ages)
    histograms.count(space, now=NOW)
    for bins in ("linear", "log"):
        (row,) = stored.found(space, "age", bins=bins)
        assert (row.below, row.unknown, sum(row.counts)) == (1, 1, 2)
        assert row.counts[0] == 1  # just now, and nothing else


def test_of_what_was_forgotten_or_erased_nothing_is_counted() -> None:
    space = space_of(*(fact(f"f{number}", number, source="ana") for number in range(5)), fact("g", source="ben"))
    histograms.count(space, now=NOW)
    assert stored.groups(space)["source"] == ["ana", "ben"]
    facts.forget(space, "g", **ENTER)
    facts.forget(space, "f0", **ENTER)
    histograms.count(space, now=NOW)
    assert stored.groups(space)["source"] == ["ana"]
    assert {every(row) for row in Histogram.objects.exclude(measure="gap")} == {4}


def test_the_sources_of_the_most_facts_have_groups_and_all_others_one_together() -> None:
    told = [(f"s{place:02}", 1 + (place < 20)) for place in range(25)]
    space = space_of(*(fact(f"{source}-{number}", source=source) for source, n in told for number in range(n)))
    histograms.count(space, now=NOW)
    assert stored.groups(space)["source"] == [*(f"s{place:02}" for place in range(20)), REST]
    assert [every(row) for row in stored.found(space, "trust", "source")] == [2] * 20 + [5]
    with pytest.raises(ValueError, match="control character"):
        identifier(REST)


def test_counting_again_takes_the_place_of_what_was_counted_and_of_nothing_else() -> None:
    space, other = space_of(*some_of(20)), space_of(*some_of(3), name="other")
    histograms.count(other, now=NOW)
    histograms.count(space, now=NOW - 1)
    histograms.count(space, now=NOW)
    assert_right(space)
    assert_right(other)


def test_before_anything_was_counted_there_is_nothing_to_show() -> None:
    space = spaces.create("empty")
    assert stored.groups(space) == {}
    assert stored.found(space, "age") == []


def work() -> None:
    for pk in jobs.due(NOW):
        job = jobs.claim(pk, now=NOW)
        assert job
        kinds.do(job, lambda: NOW)


def test_asked_for_they_are_made_and_asked_for_twice_on_a_day_they_are_made_once() -> None:
    space = space_of(*some_of(20))
    assert histograms.ask(space, by="ana", now=NOW) == histograms.ask(space, by="ben", now=NOW + 1)
    work()
    assert Job.objects.get().state == JobState.DONE
    assert_right(space)
    facts.forget(space, "f0001", **ENTER)
    histograms.ask(space, by="ana", now=NOW)
    assert Job.objects.filter(kind=jobs.HISTOGRAMS).count() == 2


def test_they_are_made_after_the_first_import_of_a_space_and_not_after_the_next() -> None:
    space = spaces.create("diary")
    for lines, times in ((some_of(20), 1), ([fact("more")], 1)):
        upload = uploads.keep(space, BytesIO(b"\n".join(as_file(lines))), name="memory.jsonl", source="ana", **ENTER)
        uploads.take_in(upload, **ENTER)
        work()
        work()
        assert Job.objects.filter(kind=jobs.HISTOGRAMS, state=JobState.DONE).count() == times
    taken(space, as_file([fact("yet more")]))
    assert every(stored.found(space, "age")[0]) == 20
