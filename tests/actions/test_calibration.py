"""Calibration: what a fit would make of a space is worked out before anybody adopts it, and nothing is written."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.actions.world import space_of
from tests.makers import day, event, fact
from trustmem.actions import calibration, constants, facts
from trustmem.core.calibration import fit_quartiles
from trustmem.core.scores import score
from trustmem.core.vocabulary import BANDS
from trustmem.store import queries
from trustmem.store.models import Space

NOW = day(1000)
pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    """Facts of many ages, one of which was forgotten, and one of no known age."""
    aged = [fact(f"f{place:02}", on=10 * place) for place in range(30)]
    return space_of(*aged, fact("unknown", at_known=False), event("forgotten", "f00", on=299, tier="human"))


def test_the_fit_is_that_of_the_live_facts_beside_what_is_in_force(space: Space) -> None:
    found = calibration.preview(space, NOW)
    assert found
    scores = score(queries.stored(space), NOW)
    assert found.fit == fit_quartiles(scores.activation[scores.state == 0])
    assert found.in_force == (-1.7, 0.525)


def test_the_bands_add_up_to_the_live_facts_and_are_what_adopting_the_fit_leads_to(space: Space) -> None:
    found = calibration.preview(space, NOW)
    assert found
    assert len(found.before) == len(found.after) == len(BANDS)
    assert sum(found.before) == sum(found.after) == 30
    constants.adopt(space, found.fit._asdict(), by="ana", now=NOW, reason="they are old")
    again = calibration.preview(space, NOW)
    assert again
    assert again.before == found.after
    assert found.is_off and not again.is_off
    assert again.freshness == pytest.approx(0.5)


def test_there_is_no_fit_of_fewer_than_twenty_known_ages(space: Space) -> None:
    for place in range(1, 10):
        facts.forget(space, f"f{place:02}", by="ana", now=NOW, reason="")
    assert calibration.preview(space, NOW)
    facts.forget(space, "f10", by="ana", now=NOW, reason="")
    assert calibration.preview(space, NOW) is None


def test_facts_of_one_age_say_nothing_of_how_widely_freshness_is_to_spread() -> None:
    found = calibration.preview(space_of(*[fact(f"f{place}") for place in range(30)]), NOW)
    assert found
    assert found.is_off and found.is_of_one_age


def test_a_preview_writes_nothing(space: Space) -> None:
    with CaptureQueriesContext(connection) as captured:
        calibration.preview(space, NOW)
    assert [each["sql"] for each in captured if not each["sql"].startswith(("SELECT", "SAVEPOINT", "RELEASE"))] == []
