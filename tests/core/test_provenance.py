"""The provenance gate (section 5); the vectors of trust hold it too."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.constants import Constants
from trustmem.core.nested import ByTier
from trustmem.core.provenance import by_tier, provenance
from trustmem.core.vocabulary import AUTO, HUMAN, SIGNED


def test_signed_human_and_auto_open_the_gate_fully_nearly_and_partly():
    assert provenance([SIGNED, HUMAN, AUTO], Constants()).tolist() == [1.0, 0.9, 0.8]


@given(st.lists(st.sampled_from([AUTO, HUMAN, SIGNED])), st.lists(st.floats(0.01, 1), min_size=3, max_size=3))
def test_there_are_three_buckets_and_never_a_slope(tier, values):
    gate = provenance(tier, Constants(provenance_gate=ByTier(*values)))
    assert gate.tolist() == [values[code] for code in tier]


@pytest.mark.parametrize(
    "code, words",
    [
        (-1, "tier must hold codes from 0 to 2: auto, human, signed"),
        (3, "tier must hold codes from 0 to 2: auto, human, signed"),
        (1.7, "tier must hold whole numbers"),
        (math.nan, "tier must hold whole numbers"),
    ],
)
def test_a_code_that_is_no_tier_is_refused_and_never_taken_for_another(code, words):
    for call in (lambda: by_tier(Constants().base_rate, [AUTO, code]), lambda: provenance([code], Constants())):
        with pytest.raises(ValueError, match=words):
            call()
