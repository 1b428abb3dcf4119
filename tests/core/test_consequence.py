"""Laws of the consequence of a case: what there is to lose grows with use and trust, and is most where both sides are
even."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.consequence import consequence
from trustmem.core.constants import Constants

CONSTANTS = Constants()
counts = st.integers(0, 10_000)
trusts = st.floats(0, 1)
constants = st.floats(0.1, 100).map(lambda weight: Constants(prior_weight=weight))


def of(served: int, trust: float, support: int, opposition: int, constants: Constants = CONSTANTS) -> float:
    (found,) = consequence([served], [trust], [support], [opposition], constants).tolist()
    return found


@given(counts, trusts, counts, counts, constants)
def test_it_is_never_negative_and_at_most_use_times_trust(served, trust, support, opposition, constants):
    assert 0 <= of(served, trust, support, opposition, constants) <= (1 + served) * trust


@given(counts, trusts, counts, counts, constants)
def test_whether_more_speaks_for_or_against_is_the_same(served, trust, support, opposition, constants):
    there, back = of(served, trust, support, opposition, constants), of(served, trust, opposition, support, constants)
    assert there == back


@given(counts, counts, trusts, counts, counts)
def test_it_grows_with_use(served, more, trust, support, opposition):
    assert of(served, trust, support, opposition) <= of(served + more, trust, support, opposition)


@given(counts, trusts, trusts, counts, counts)
def test_it_grows_with_trust(served, one, other, support, opposition):
    low, high = sorted((one, other))
    assert of(served, low, support, opposition) <= of(served, high, support, opposition)


@given(counts, trusts, counts, counts, counts)
def test_it_falls_the_further_both_sides_are_apart(served, trust, support, opposition, more):
    weaker, stronger = sorted((support, opposition))
    assert of(served, trust, stronger + more, weaker) <= of(served, trust, stronger, weaker)


@given(counts, trusts, counts)
def test_where_both_sides_are_even_all_of_use_and_trust_is_at_stake(served, trust, each):
    assert of(served, trust, each, each) == (1 + served) * trust


@given(st.lists(st.tuples(counts, trusts, counts, counts), max_size=20))
def test_many_cases_come_to_what_each_comes_to(cases):
    columns = list(zip(*cases, strict=True)) if cases else [[]] * 4
    found = consequence(*columns, CONSTANTS)
    assert found.dtype == np.float64
    assert found.tolist() == [of(*case) for case in cases]


def test_what_nobody_trusts_has_no_consequence_however_often_it_is_served():
    assert of(1000, 0.0, 3, 3) == 0


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (([1, 2], [0.5], [0], [0]), "served"),
        (([-1], [0.5], [0], [0]), "served"),
        (([1], [1.5], [0], [0]), "trust"),
        (([1], [float("nan")], [0], [0]), "trust"),
        (([1], [0.5], [0.5], [0]), "support"),
        (([1], [0.5], [0], [-1]), "opposition"),
    ],
)
def test_what_is_no_count_or_no_trust_is_refused_by_its_name(columns, says):
    with pytest.raises(ValueError, match=says):
        consequence(*columns, CONSTANTS)
