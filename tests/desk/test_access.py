"""Who may do what at the desk: every address of a space, from the URL table itself, for everybody who may come. What
each tells, and whom, is in test_states."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.actions.world import space_of
from tests.desk.test_states import _of_a_space
from tests.makers import fact
from trustmem.actions import access, spaces
from trustmem.desk.presenters.imports import act_of
from trustmem.store.models import Import, Line, Role, Space, User

pytestmark = pytest.mark.django_db

#: The least role that does something by a form at each address that takes one; the others take none.
DOES = {
    **dict.fromkeys(("dashboard", "calibration", "truth", "review-view-save", "review-view-delete"), Role.READER),
    **dict.fromkeys(("accept", "forget", "correct", "restore", "rule", "undo"), Role.REVIEWER),
    **dict.fromkeys(("duplicates-merge", "duplicates-apart", "fit", "sample-draw"), Role.REVIEWER),
    **dict.fromkeys(("case-close", "case-decide", "case-undo"), Role.REVIEWER),
    **dict.fromkeys(("case-skip", "case-snooze", "case-take-up", "review-next"), Role.REVIEWER),
    **dict.fromkeys(("pass-preview", "pass-again", "log-verify"), Role.REVIEWER),
    **dict.fromkeys(("imports", "import-job", "import-take", "import-cancel", "import-discard"), Role.CURATOR),
    **dict.fromkeys(("graph", "duplicates-all", "forget-all", "review-all"), Role.CURATOR),
    **dict.fromkeys(("pass-run", "pass-schedule", "pass-approve"), Role.CURATOR),
    **dict.fromkeys(("erase", "detector-adopt", "adopt", "roll-back", "import-report"), Role.ADMIN),
    **dict.fromkeys(("members", "keys", "agents"), Role.ADMIN),
}
_NAMED = {"fact": "tea", "job": 1, "number": 1, "instant": "2026-01-01T00:00:00Z", "of": "bands"}
_RANKS = list(Role)


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


def addresses(space: Space) -> dict[str, str]:
    """Every address of a space, by its name."""
    named = {"imported": act_of(Import.objects.get(space=space)), **_NAMED}
    return {
        str(each.name): reverse(
            str(each.name),
            kwargs={"space": space.name, **{part: named.get(part, "x") for part in each.pattern.converters}},
        )
        for each in _of_a_space()
    }


@pytest.mark.parametrize("role", Role)
def test_who_has_the_role_does_it_and_who_has_a_lesser_one_is_refused(space, client_of, member, role) -> None:
    visitor = client_of(member(space, role))
    told = {name: visitor.post(address).status_code for name, address in addresses(space).items()}
    needed = {name: DOES.get(name) for name in told}
    assert {name for name, status in told.items() if status == 405} == {n for n, least in needed.items() if not least}
    refused = {name for name, least in needed.items() if least and _RANKS.index(least) > _RANKS.index(role)}
    assert {name for name, status in told.items() if status == 403} == refused


def test_every_address_that_does_something_is_there(space) -> None:
    assert DOES.keys() <= addresses(space).keys()


def test_to_whoever_is_none_of_its_members_there_is_no_such_space(space, client_of) -> None:
    elsewhere = access.add_member(spaces.create("elsewhere"), "ben", Role.ADMIN)
    ended = access.add_member(space, "eve", Role.ADMIN)
    access.remove_member(space, "eve")
    before = Line.objects.count()
    for visitor in (client_of(elsewhere), client_of(ended), client_of(User.objects.create_user("new"))):
        for name, address in addresses(space).items():
            assert visitor.get(address).status_code in (404, 405), name
            assert visitor.post(address).status_code == (404 if name in DOES else 405), name
    assert Line.objects.count() == before


def test_whoever_is_not_signed_in_is_led_to_where_one_signs_in(space) -> None:
    for name, address in addresses(space).items():
        for answer in (Client().get(address), Client().post(address)):
            assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/sign-in/"), name
