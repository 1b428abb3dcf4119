"""Sources in pages: by name along an index, or the least reliable first, with what was found of them."""

from itertools import pairwise

import pytest

from tests.actions.world import space_of
from tests.desk.judged import judged
from tests.makers import fact
from trustmem.core.reliability import beta_interval
from trustmem.core.vocabulary import BANDS
from trustmem.store import sources
from trustmem.store.models import Score, Space
from trustmem.store.sources import Place

pytestmark = pytest.mark.django_db

#: Compared by their bytes, whatever a database would make of their letters.
NAMES = sorted([*(f"source {place:02}" for place in range(42)), "Zoe", "\u00e9mile", "\U0001f511"])


@pytest.fixture
def space() -> Space:
    space = space_of(*(fact(f"{name}-{place}", source=name) for name in NAMES for place in range(2)))
    space_of(fact("elsewhere", source="of another space"), name="other")
    for place, name in enumerate(NAMES):
        judged(space, place % 7, source=name, right=True)
        judged(space, place % 3, source=name, right=False)
    return space


@pytest.mark.parametrize("by", ["name", "reliability"])
@pytest.mark.parametrize("size", [1, 20, 44, 45, 100])
def test_pages_follow_each_other_and_lead_back(space, by, size):
    every = sources.page(space, by, None, 100).rows
    pages = [sources.page(space, by, None, size)]
    while pages[-1].next is not None:
        pages.append(sources.page(space, by, Place.of(str(pages[-1].next)), size))
    assert [each for page in pages for each in page.rows] == every
    assert pages[0].previous is None
    for before, after in pairwise(pages):
        assert sources.page(space, by, after.previous, size).rows == before.rows


def test_by_name_all_are_there_in_the_order_of_their_bytes(space):
    assert [each.name for each in sources.page(space, "name", None, 100).rows] == NAMES


def test_by_reliability_only_those_are_there_of_which_something_was_found_the_least_reliable_first(space):
    rows = sources.page(space, "reliability", None, 100).rows
    means = [beta_interval(each.right, each.wrong).mean for each in rows]
    assert means == sorted(means)
    assert {each.name for each in rows} == {name for place, name in enumerate(NAMES) if place % 7 or place % 3}


def test_each_has_its_live_facts_by_band_and_what_was_found(space):
    Score.objects.filter(space=space, source="Zoe").update(band=4)
    place = NAMES.index("Zoe")
    (zoe,) = sources.told(space, ["Zoe"])
    assert zoe == ("Zoe", (0, 0, 0, 0, 2), place % 7, place % 3)
    assert sources.told(space, ["nobody"]) == [("nobody", (0,) * len(BANDS), 0, 0)]
    assert sources.found(space, ["nobody"]) == {}


@pytest.mark.parametrize("text", ["", "x", "W10", str(Place("a\0b")), str(Place("a", float("nan"))), "WzEsIDIsIDNd"])
def test_what_is_no_place_in_a_list_is_refused(text):
    with pytest.raises(ValueError, match="no place in a list"):
        Place.of(text)
