"""Bands over time are those that the space would have shown then."""

from itertools import pairwise

import pytest

from tests.actions.world import space_of
from tests.makers import START, daily, day, edge, event, fact
from trustmem.actions import trends
from trustmem.actions.trends import count_bands, instants
from trustmem.core.instants import MICROSECONDS_PER_DAY, to_text
from trustmem.core.scores import score
from trustmem.core.vocabulary import BANDS, STATES
from trustmem.store import queries
from trustmem.store.models import BandCount, Space

pytestmark = pytest.mark.django_db

NOW = day(30)
LINES = [
    *(fact(f"f{number}", number, source=f"s{number % 3}") for number in range(0, 24, 2)),
    *(event("restated", f"f{number}", number + 3, source="crm") for number in range(0, 12, 4)),
    *(event("corroborated", "f0", 5 + number, source=f"c{number}") for number in range(6)),
    edge("f10", "updates", "f2", 11),
    event("accepted", "f4", 9, tier="human"),
    event("forgotten", "f6", 20, tier="human"),
    event("contradicted", "f8", 12, source="mail"),
    fact("late", 4, arrived=18),  # which nobody had heard of by then, and which was so all the same
]
PASSES = daily(1, 29)


def counts(space: Space) -> dict[int, list[int]]:
    names = [band.replace(" ", "_") for band in BANDS]
    rows = BandCount.objects.filter(space=space).order_by("at").values_list("at", *names)
    return {at: list(values) for at, *values in rows}


def shown(at: int) -> list[int]:
    """What a space shows at an instant that has heard of nothing since, one fact after the other."""
    lines = [line for line in LINES if line.at <= at]
    passes = [each for each in PASSES if each.at <= at]
    space = space_of(*lines, passes=passes, name=f"as of {at}")
    scored = score(queries.stored(space), at)
    found = [0] * len(BANDS)
    for band, state in zip(scored.band.tolist(), scored.state.tolist(), strict=True):
        if STATES[state] == "live":
            found[band] += 1
    return found


def test_at_each_instant_they_are_what_a_space_shows_that_knows_nothing_later() -> None:
    space = space_of(*LINES, passes=PASSES)
    count_bands(space, now=NOW, days=28, points=5)
    found = counts(space)
    assert found == {at: shown(at) for at in instants(NOW, 28, 5)}
    assert sum(found[min(found)]) == 6  # of the facts of the first nine days none had faded
    assert len({tuple(each) for each in found.values()}) > 2


def test_instants_are_midnights_a_week_apart_and_now() -> None:
    given = instants(NOW, 90, 14)
    assert len(given) == 14
    assert given[-1] == NOW
    assert all(each % MICROSECONDS_PER_DAY == 0 for each in given[:-1])
    weeks = {later - earlier for earlier, later in pairwise(given[:-1])}
    assert weeks == {7 * MICROSECONDS_PER_DAY}
    assert [to_text(each) for each in given[-2:]] == ["2026-01-31T00:00:00Z", "2026-01-31T09:00:00Z"]


def test_a_midnight_that_is_now_is_counted_once() -> None:
    assert len(instants(START - START % MICROSECONDS_PER_DAY, 90, 14)) == 13


def test_counting_again_takes_the_place_of_what_was_counted() -> None:
    space, other = space_of(*LINES), space_of(*LINES, name="other")
    count_bands(other, now=NOW)
    count_bands(space, now=NOW)
    count_bands(space, now=NOW + MICROSECONDS_PER_DAY)
    assert list(counts(space)) == instants(NOW + MICROSECONDS_PER_DAY, 90, 14)
    assert list(counts(other)) == instants(NOW, 90, 14)


def test_a_space_without_facts_has_none_in_any_band() -> None:
    space = Space.objects.create(name="empty", digest_key="0f" * 32)
    count_bands(space, now=NOW)
    assert set(map(tuple, counts(space).values())) == {(0, 0, 0, 0, 0)}


def test_of_a_large_space_only_now_is_added_and_what_is_old_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trends, "MOST_LINES", 10)
    space = space_of(*LINES, passes=PASSES)
    for on in (30, 31, 31, 125):
        count_bands(space, now=day(on))
    assert list(counts(space)) == [day(125)]
    count_bands(space, now=day(126))
    assert list(counts(space)) == [day(125), day(126)]
    scored = score(queries.stored(space), day(126))
    live = scored.band[scored.state == STATES.index("live")].tolist()
    assert counts(space)[day(126)] == [live.count(code) for code in range(len(BANDS))]


def test_how_far_it_is_is_told_at_each_instant() -> None:
    told = []
    count_bands(space_of(*LINES), now=NOW, days=28, points=5, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]
