"""Freshness over time, and when trust falls: by hand, from the formula of section 3."""

from math import ceil, exp, log

import pytest

from tests.explanations.asked import memory
from tests.makers import constants, day, event, fact
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.core.lines import Baseline
from trustmem.explanations.curve import falls_at, freshness_curve

HOUR = MICROSECONDS_PER_DAY // 24
#: Confidence and provenance of a fact of which nobody said more: 0.6 · 0.8.
LASTING = 0.48


def curve(asked, *days, id="f"):
    return [(round(with_use, 6), round(without, 6)) for _, with_use, without in freshness_curve(asked, id, days)]


def squashed(total):
    """Freshness where Σ t^(−1/2) is the total."""
    return round(1 / (1 + exp((-1.7 - log(total)) / 0.525)), 6)


def days_until(freshness):
    """How old a fact is that was never reinforced but by its birth, when it is this fresh."""
    return exp(-2 * (-1.7 + 0.525 * log(freshness / (1 - freshness))))


def test_a_fact_fades_by_the_root_of_its_age():
    asked = memory(fact("f"), now=day(4))
    assert curve(asked, day(1), day(4), day(100)) == [(squashed(each),) * 2 for each in (1, 1 / 2, 1 / 10)]
    assert curve(asked, day(4)) == [(0.871895, 0.871895)]


def test_each_point_has_its_instant():
    asked = memory(fact("f"), now=day(4))
    assert [instant for instant, *_ in freshness_curve(asked, "f", [day(9), day(2)])] == [day(9), day(2)]


def test_a_use_lifts_one_curve_and_a_confirmation_both():
    asked = memory(fact("f"), event("recalled", "f", 3, run="r"), now=day(4))
    assert curve(asked, day(4)) == [(squashed(1 / 2 + 1), squashed(1 / 2))]
    asked = memory(fact("f"), event("corroborated", "f", 3, run="r"), now=day(4))
    assert curve(asked, day(4)) == [(squashed(1 / 2 + 1),) * 2]


def test_before_it_came_a_reinforcement_does_not_count():
    asked = memory(fact("f"), event("recalled", "f", 3, run="r"), now=day(7))
    assert curve(asked, day(1), day(4)) == [(squashed(1),) * 2, (squashed(1 / 2 + 1), squashed(1 / 2))]


def test_from_now_on_what_is_dated_later_counts_as_in_the_scores():
    asked = memory(fact("f"), event("recalled", "f", 9, run="r"), now=day(4))
    ((_, now, without),) = freshness_curve(asked, "f", [day(4)])
    assert (now, without) == (asked.scores.freshness[0], asked.scores.freshness_without_use[0])
    assert curve(asked, day(3)) == [(squashed(3**-0.5),) * 2]


def test_what_was_reinforced_before_the_history_counts_from_when_it_was_first_seen():
    baseline = Baseline(reinforcements=3, first_seen=day(-4))
    asked = memory(fact("f", baseline=baseline), now=day(5))
    # 3 · 9^(−1/2) / (1 − 1/2); before it was first seen, nothing is known.
    assert curve(asked, day(5), day(-5)) == [(squashed(2),) * 2, (0.5, 0.5)]


def test_where_no_instant_is_known_freshness_is_one_half():
    assert curve(memory(fact("f", at_known=False), now=day(4)), day(1), day(9)) == [(0.5, 0.5)] * 2


def test_other_facts_and_other_constants_are_kept_apart():
    lines = fact("e"), event("recalled", "e", 3, run="r"), fact("f"), constants({"activation_midpoint": -1.0}, on=2)
    assert curve(memory(*lines, now=day(4)), day(1)) == [(round(1 / (1 + exp(-1 / 0.525)), 6),) * 2]


def test_a_fact_falls_at_the_first_whole_hour_at_which_its_trust_is_below_its_band():
    now = day(4)
    asked = memory(fact("f"), now=now)
    assert asked.scores.band.tolist() == [2]
    due = (days_until(0.4 / LASTING) - 4) * 24
    assert 36 < due < 37
    assert falls_at(asked, "f") == (now + ceil(due) * HOUR, "low")


def test_it_falls_again_from_there():
    now, _ = falls_at(memory(fact("f"), now=day(4)), "f")
    due = (days_until(0.2 / LASTING) - (now - day(0)) / MICROSECONDS_PER_DAY) * 24
    assert falls_at(memory(fact("f"), now=now), "f") == (now + ceil(due) * HOUR, "very low")


@pytest.mark.parametrize(
    "never",
    [
        memory(fact("f", at_known=False), now=day(4)),  # its age is unknown
        memory(fact("f"), now=day(400)),  # in the lowest band already
        memory(fact("f", baseline=Baseline(reinforcements=100_000)), now=day(1)),  # B = 7.3 even after fifty years
    ],
    ids=["no age", "lowest", "lasting"],
)
def test_some_facts_never_fall(never):
    assert falls_at(never, "f") is None
