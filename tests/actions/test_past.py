"""The past: facts as of an instant are what everything that had come by then comes to, undone since or not."""

from dataclasses import fields

import numpy as np
import pytest

from tests.actions.test_random_histories import history as told
from tests.actions.test_random_histories import space_of as made_up
from tests.actions.world import LATER, space_of
from tests.makers import constants, daily, day, edge, event, fact
from trustmem.actions import facts, past, undo
from trustmem.core.fold import fold
from trustmem.core.scores import Scores, score
from trustmem.core.vocabulary import STATES
from trustmem.store import queries
from trustmem.store.history import history
from trustmem.store.models import Space

pytestmark = pytest.mark.django_db


def row(scores: Scores, name: str) -> dict[str, object]:
    """All that is scored of a fact."""
    place = scores.ids.index(name)
    return {each.name: np.asarray(getattr(scores, each.name))[place] for each in fields(scores)}


def same(one: Scores, other: Scores, name: str) -> bool:
    return all(np.array_equal(each, row(other, name)[column], equal_nan=each.dtype.kind == "f")
               for column, each in row(one, name).items())  # fmt: skip


def everything(space: Space, instant: int) -> Scores:
    """The whole space, of all lines that had arrived and all passes that were taken by an instant."""
    all_of_it = history(space)
    lines = [line for line in all_of_it.lines if line.arrived <= instant]
    return score(fold(lines, [each for each in all_of_it.passes if each.at <= instant]).stored, instant)


def then(space: Space, name: str, instant: int) -> Scores:
    return score(past.about(space, [name], instant).folded.stored, instant)


@pytest.mark.parametrize("seed", range(20))
def test_at_every_instant_each_fact_is_what_all_that_had_come_by_then_comes_to(seed):
    with made_up(told(seed)) as space:
        for instant in (day(-1), day(2.6), day(6), day(13.2), day(24), day(60), LATER):
            right = everything(space, instant)
            names = {*right.ids, *(line.id for line in history(space).lines if line.id.startswith("f"))}
            for name in names:
                found = then(space, name, instant)
                assert (name in found.ids) == (name in right.ids)
                assert name not in right.ids or same(found, right, name), (instant, name)
