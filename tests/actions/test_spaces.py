"""A space is called by the id that it has in files, and by what it was made as before it took that."""

import pytest

from tests.makers import day
from trustmem.actions import spaces
from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_text
from trustmem.formats.interchange_types import parse_record
from trustmem.store.models import Space

pytestmark = pytest.mark.django_db


def told(id, **values):
    return parse_record({"type": "space", "id": id, "at": to_text(day(1)), **values})


def test_a_space_is_called_what_it_was_made_as_whatever_names_it_took_before_its_first_line():
    space = spaces.create("work")
    spaces.adopt(space, told("larkspur"))
    spaces.adopt(space, told("avocet", name="The avocet", digest_key="0f"))
    kept = Space.objects.get()
    assert (kept.name, kept.alias, kept.title, kept.digest_key) == ("avocet", "work", "The avocet", "0f")


def test_a_space_whose_own_name_a_file_gives_it_has_no_other():
    spaces.adopt(spaces.create("work"), told("work"))
    assert (Space.objects.get().name, Space.objects.get().alias) == ("work", "")


def test_no_two_spaces_are_called_the_same():
    spaces.adopt(spaces.create("work"), told("larkspur"))
    for name in ("work", "larkspur"):
        with pytest.raises(Refusal, match=f'^there is a space "{name}" already$'):
            spaces.create(name)
        assert spaces.is_taken(spaces.create(f"other than {name}"), name)


def test_the_share_of_the_unreviewed_is_a_fifth_until_somebody_sets_it_which_is_on_record():
    space, other = spaces.create("work"), spaces.create("other")
    assert (space.unreviewed_share, space.unreviewed_by) == (20, "")
    spaces.change_unreviewed_share(space, 35, by="ana", now=day(1))
    kept = Space.objects.get(name="work")
    assert (kept.unreviewed_share, kept.unreviewed_by, kept.unreviewed_at) == (35, "ana", day(1))
    other.refresh_from_db()
    assert other.unreviewed_share == 20


@pytest.mark.parametrize("percent", [-1, 101, 10**9])
def test_a_share_that_cannot_be_is_refused(percent):
    with pytest.raises(Refusal, match="from 0 to 100"):
        spaces.change_unreviewed_share(spaces.create("work"), percent, by="ana", now=day(1))
    assert Space.objects.get().unreviewed_share == 20
