"""Stored trust, by which lists go, is brought up to now without a pass."""

import numpy as np
import pytest

from tests.actions.world import space_of
from tests.makers import daily, day, edge, event, fact
from trustmem.actions import refresh as refreshing
from trustmem.actions.favourites import MUCH
from trustmem.actions.refresh import refresh
from trustmem.actions.verify import verify
from trustmem.core.scores import score
from trustmem.store import queries
from trustmem.store.models import Case, Pass, Score, Space
from trustmem.store.scores import TOLERANCE
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db


@pytest.fixture
def space(db: None) -> Space:
    told = [fact(f"f{number}", number, source=f"s{number % 3}") for number in range(12)]
    said = [event("restated", f"f{number}", number + 3, source="crm") for number in range(0, 12, 4)]
    return space_of(*told, *said, edge("f2", "contradicts", "f3"), edge("f5", "updates", "f4"), passes=daily(1, 20))


def off(space: Space, now: int) -> float:
    """How far the stored trust is off at most."""
    right = score(queries.stored(space), now)
    kept = dict(Score.objects.filter(space=space).values_list("fact__name", "trust"))
    return float(np.max(np.abs([kept[name] - trust for name, trust in zip(right.ids, right.trust, strict=True)])))


@pytest.mark.parametrize("at_once", [1, 5, 12, 2000])
def test_stored_trust_is_as_of_now_afterwards(space, at_once, monkeypatch):
    monkeypatch.setattr(refreshing, "_AT_ONCE", at_once)
    now, told = day(160), []
    assert off(space, now) > TOLERANCE
    before, passes = state_hash(space), Pass.objects.count()
    moved = refresh(space, now=now, progress=lambda done, of: told.append((done, of)))
    assert moved > 0
    assert off(space, now) <= TOLERANCE
    assert told[-1] == (12, 12)
    assert (state_hash(space), Pass.objects.count()) == (before, passes)
    assert verify(space, rebuild=True) == []


def test_what_has_not_moved_is_not_written(space):
    refresh(space, now=day(160))
    kept = list(Score.objects.values())
    assert refresh(space, now=day(160.001)) == 0
    assert list(Score.objects.values()) == kept


def test_flags_and_bands_move_with_trust(space):
    refresh(space, now=day(400))
    right = score(queries.stored(space), day(400))
    kept = dict(Score.objects.values_list("fact__name", "band"))
    assert [kept[name] for name in right.ids] == right.band.tolist()


def test_the_end_is_told_in_the_transaction_that_opens_cases():
    served = [event("recalled", "f", 150, source="x", run=f"r{number}") for number in range(MUCH)]
    space = space_of(fact("f"), *served)
    with pytest.raises(ZeroDivisionError):
        refresh(space, now=day(160), conclude=lambda moved: 1 / 0)
    assert not Case.objects.exists()
    refresh(space, now=day(160))
    assert [each.facts for each in Case.objects.all()] == [["f"]]
