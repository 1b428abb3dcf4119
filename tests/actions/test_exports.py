"""An export makes the space again, whatever was undone in it."""

import pytest

from tests.actions.world import as_file, space_of, taken
from tests.makers import day, event, fact
from trustmem.actions import exports, imports, spaces, undo
from trustmem.store.models import Fact, Import, Space
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db


def made_again(space: Space) -> Space:
    raw = list(exports.export(space))
    again = spaces.create("again")
    report = imports.import_lines(again, raw, file="an export", by="ana", now=day(400))
    assert {str(answer) for answer in report.answers if answer.status not in ("new", "refused")} == set()
    return again


def imported(space: Space) -> str:
    return Import.objects.filter(space=space).latest("pk").name.rpartition(":")[0]


def test_what_undone_imports_brought_does_not_come_back():
    space = space_of(fact("kept"))
    taken(space, as_file([fact("gone"), event("restated", "kept", source="crm")]), now=day(101))
    undo.undo(space, imported(space), by="ana", now=day(102))
    again = made_again(space)
    assert list(Fact.objects.filter(space=again).values_list("name", "r")) == [("kept", 0)]
    assert state_hash(again) == state_hash(space)


def test_what_was_undone_and_brought_back_comes():
    space = space_of(fact("kept"))
    taken(space, as_file([fact("back")]), now=day(101))
    act = undo.undo(space, imported(space), by="ana", now=day(102))
    undo.undo(space, act, by="ana", now=day(103))
    again = made_again(space)
    assert Fact.objects.filter(space=again).count() == 2
    assert state_hash(again) == state_hash(space)


def test_into_a_space_beside_the_first_it_comes_without_the_name():
    space = space_of(fact("f"))
    again = made_again(space)
    assert (again.name, space.name) == ("again", "diary")
    assert state_hash(again) == state_hash(space)
