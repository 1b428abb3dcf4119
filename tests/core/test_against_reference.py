"""The vectorised fold equals the model written a second time, scalar and slow, on histories that nobody thought of."""

from hypothesis import given, settings

from tests.core import reference
from tests.core.test_scenarios import assert_scores
from tests.makers import day, histories, schedules
from trustmem.core.constants import Constants
from trustmem.core.fold import fold
from trustmem.core.scores import score
from trustmem.formats.scores import rows


@settings(max_examples=3 * settings.default.max_examples)
@given(histories(), schedules())
def test_any_history_has_the_scores_of_the_reference(lines, passes):
    now = day(21)
    right = reference.fold(lines, passes, Constants(), now)
    folded = fold(lines, passes)
    assert_scores(list(rows(score(folded.stored, now))), [right.facts[id] for id in sorted(right.facts)])
    assert folded.promotion_deferred == right.passes_deferred
