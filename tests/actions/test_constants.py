"""Constants change by a person's word, as a version that can be taken back."""

import json

import pytest

from tests.actions.world import LATER, space_of
from tests.makers import constants as change
from tests.makers import fact
from trustmem.actions import constants, spaces, undo
from trustmem.actions.errors import Refusal
from trustmem.actions.verify import verify
from trustmem.core.constants import Constants
from trustmem.store import queries
from trustmem.store.models import ConstantsVersion, Line

pytestmark = pytest.mark.django_db


def adopt(space, now=LATER, **values):
    return constants.adopt(space, values, by="ana", now=now, reason="They fit better.")


def versions(space):
    return list(ConstantsVersion.objects.filter(space=space).order_by("since").values_list("number", flat=True))


def test_new_values_are_in_force_as_the_next_version():
    space = space_of(fact("tea"))
    adopt(space, prior_weight=3)
    adopt(space, runs_per_source=2, prior_weight=3.0)
    assert versions(space) == [1, 2, 3]
    assert queries.constants(space) == Constants(prior_weight=3.0, runs_per_source=2)
    newest = ConstantsVersion.objects.get(space=space, number=3)
    assert (newest.values, newest.author, newest.reason) == ({"runs_per_source": 2}, "ana", "They fit better.")


def test_the_number_follows_the_highest_that_ever_was():
    space = space_of(fact("tea"), change({"prior_weight": 4.0}))
    act = adopt(space, prior_weight=3.0)
    undo.undo(space, act, by="ana", now=LATER + 1)
    assert queries.constants(space).prior_weight == 4.0
    adopt(space, LATER + 2, prior_weight=5.0)
    assert versions(space) == [1, 2, 4]


def test_the_first_words_of_an_empty_space_hold():
    space = spaces.create("new")
    adopt(space, prior_weight=3.0)
    assert queries.constants(space).prior_weight == 3.0
    assert versions(space) == [1, 2]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"prior_wait": 3}, '"prior_wait" is not a constant'),
        ({"prior_weight": 0}, '"prior_weight" must lie from 0.01 to 100, not 0'),
        ({"contradiction_max": 0.5}, '"contradiction_max" is fixed at 0.3, not 0.5'),
        ({"prior_weight": 2.0}, "these values are in force already"),
        ({"reconfirm_boost": 0.2}, "these values are in force already"),
        ({}, "these values are in force already"),
    ],
)
def test_what_is_unknown_fixed_out_of_bounds_or_nothing_new_is_refused(values, reason):
    space = space_of(fact("tea"))
    with pytest.raises(Refusal, match=f"^{reason}$"):
        adopt(space, **values)
    assert versions(space) == [1]


def test_values_that_would_not_be_in_force_are_refused():
    space = space_of(fact("tea"))
    adopt(space, LATER + 5, prior_weight=3.0)
    with pytest.raises(Refusal, match=r"^other values were adopted later than .*, and stand$"):
        adopt(space, LATER, prior_weight=4.0)
    assert json.loads(Line.objects.filter(space=space, tag="constants").latest("position").body)["version"] == 2


def test_of_versions_that_arrive_at_once_the_later_one_decides_as_in_the_fold():
    late = change({"prior_weight": 4.0}, on=2, arrived=9, id="a")
    early = change({"prior_weight": 3.0}, on=1, arrived=9, id="b")
    space = space_of(fact("tea"), late, early)
    assert queries.constants(space).prior_weight == 4.0
    assert verify(space, rebuild=True) == []
