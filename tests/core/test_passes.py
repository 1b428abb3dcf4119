"""A pass over what is stored, and taking up what passes have left: both come to what the whole history comes to."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.makers import constants, day, event, fact, histories, schedules
from trustmem.core.consolidation import Clock
from trustmem.core.fold import fold
from trustmem.core.instants import NEVER
from trustmem.core.lines import Line, Pass
from trustmem.core.passes import take


def assert_same(mine: Any, right: Any, where: str = "") -> None:
    """States exactly, floats to 1e-9."""
    if is_dataclass(right) and not isinstance(right, type):
        for each in fields(right):
            assert_same(getattr(mine, each.name), getattr(right, each.name), f"{where}.{each.name}")
    elif isinstance(right, tuple):
        for place, each in enumerate(right):
            assert_same(mine[place], each, f"{where}[{place}]")
    elif isinstance(right, np.ndarray) and right.dtype == np.float64:
        np.testing.assert_allclose(mine, right, rtol=0, atol=1e-9, err_msg=where)
    elif isinstance(right, np.ndarray):
        np.testing.assert_array_equal(mine, right, err_msg=where)
    else:
        assert mine == right, where


def clock_of(lines: list[Line], instants: list[int]) -> Clock:
    history = fold(lines).history
    gaps = [history.constants_at(instant).max_pass_gap_days for instant in [*instants, None]]
    return Clock.of(instants, gaps)


@given(histories(), schedules(), st.integers(26, 60).map(day))
def test_a_pass_over_what_is_stored_comes_to_what_the_history_comes_to(lines, passes, last):
    instants = [*(each.at for each in passes), last]
    taken: list[Any] = []
    right = fold(lines, [*passes, Pass(last)], watch=taken.append)
    assume(all(line.arrived <= last for line in lines))
    after, did = take(fold(lines, passes).stored, clock_of(lines, instants))
    assert_same(after, right.stored)
    if taken[-1].counts:
        assert_same(did, taken[-1])


@given(histories(), schedules(), st.data())
def test_what_passes_have_left_is_taken_up_where_only_new_lines_have_come(lines, passes, data):
    last = passes[-1].at if passes else NEVER
    undone = {line.of for line in lines if getattr(line, "kind", None) == "undone"}
    fresh = [line for line in lines if line.arrived > last and not {line.id, line.act} & undone]
    fresh = [line for line in fresh if getattr(line, "kind", None) != "undone"]
    some = data.draw(st.lists(st.sampled_from(fresh), unique_by=lambda line: line.id) if fresh else st.just([]))
    before = [line for line in lines if line not in some]
    kept = fold(before, passes).stored
    assert_same(fold(lines, passes, kept=kept).stored, fold(lines, passes).stored)


@given(histories(changing_constants=False), schedules(), st.integers(31, 60).map(day))
def test_a_pass_right_after_another_changes_nothing(lines, passes, last):
    stored = fold(lines, passes).stored
    once, _ = take(stored, clock_of(lines, [*(each.at for each in passes), last]))
    assume(np.all(np.abs(once.weight - once.constants.prune_threshold) > 1e-9))  # which fades within the microsecond
    twice, did = take(once, clock_of(lines, [*(each.at for each in passes), last, last + 1]))
    assert_same(did.after, did.before)
    assert_same(twice.state, once.state)


def test_a_birth_that_is_still_to_come_counts_as_the_pass_that_meets_the_fact():
    lines = [fact("f", on=5, arrived=0.5), constants({"max_pass_gap_days": 9.0}, on=-9)]
    after, _ = take(fold(lines, [Pass(day(0))]).stored, clock_of(lines, [day(0), day(1)]))
    assert_same(after, fold(lines, [Pass(day(0)), Pass(day(1))]).stored)


def test_a_fact_that_has_come_since_the_last_pass_was_weighed_by_none():
    came, forgotten = fact("f", on=2), event("forgotten", "f", on=3, tier="human")
    kept = fold([came], [Pass(day(1))]).stored
    assert_same(
        fold([came, forgotten], [Pass(day(1))], kept=kept).stored, fold([came, forgotten], [Pass(day(1))]).stored
    )
