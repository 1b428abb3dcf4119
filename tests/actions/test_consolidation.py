"""A pass is taken by a person's or the clock's word, later than all before it, and tells what it did."""

import pytest

from tests.actions.world import LATER, space_of
from tests.makers import constants, daily, day, fact
from trustmem.actions import consolidation, facts, spaces
from trustmem.actions.consolidation import consolidate
from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import LIVE, PRUNED
from trustmem.store import chain
from trustmem.store.models import Change, Fact, Line, Pass
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db


def test_a_pass_tells_what_it_did():
    fast = constants({"max_pass_gap_days": 365}, on=0)
    space = space_of(fact("tea"), fact("salt", core=True), fact("plan", weight=0.2), fast)
    first = consolidate(space, by="clock", now=LATER)
    assert (first.instant, first.clock, first.weighed, first.pruned, first.promoted) == (LATER, 0, 3, 0, 1)
    second = consolidate(space, by="clock", now=LATER + day(30) - day(0))
    assert (second.weighed, second.pruned, second.revived, second.deferred) == (3, 2, 0, 0)
    assert Change.objects.filter(space=space, of_pass=second).count() == second.changed
    assert Fact.objects.get(space=space, name="tea").state == PRUNED
    assert chain.verify(space) == []


def test_passes_that_were_taken_equal_those_of_a_file():
    lived = space_of(fact("tea"), fact("milk", on=3), name="lived")
    for each in daily(1, 8):
        consolidate(lived, at=each.at, by="clock", now=LATER)
    read = space_of(fact("tea"), fact("milk", on=3), passes=daily(1, 8), name="read")
    assert state_hash(lived) == state_hash(read)


@pytest.mark.parametrize("at", [day(8.125), day(8), day(2)])
def test_a_pass_at_or_before_the_last_is_refused(at):
    space = space_of(fact("tea"), passes=daily(1, 8))
    reason = f"^a pass at {to_text(at)} is not later than the last one, at {to_text(day(8.125))}$"
    with pytest.raises(Refusal, match=reason.replace("+", r"\+")):
        consolidate(space, at=at, by="ana", now=LATER)
    assert Pass.objects.filter(space=space).count() == 8


def test_no_pass_that_was_taken_folds_what_comes_later():
    space = space_of(fact("tea", weight=0.01), passes=daily(1, 2))
    now = LATER + day(9) - day(0)
    taken = consolidate(space, by="ana", now=now)
    before = list(Change.objects.filter(space=space, of_pass=taken).values_list("fact__name", "after"))
    facts.accept(space, "tea", by="ana", now=LATER)  # by a clock that runs behind
    facts.accept(space, "tea", by="ana", now=now)
    lines = Line.objects.filter(space=space, tag="event.accepted")
    assert [line.arrived > taken.instant for line in lines] == [True, True]
    again = Pass.objects.get(space=space, instant=taken.instant)
    assert list(Change.objects.filter(space=space, of_pass=again).values_list("fact__name", "after")) == before
    assert Fact.objects.get(space=space, name="tea").state == LIVE


def test_a_pass_ahead_of_now_is_refused_since_it_would_hold_up_all_until_then():
    space = space_of(fact("tea"))
    with pytest.raises(Refusal, match=r"^a pass at .* would be ahead of now"):
        consolidate(space, at=LATER + 1, by="ana", now=LATER)
    assert not Pass.objects.exists()


def test_a_pass_cannot_have_the_id_of_a_line():
    space = space_of(fact(to_text(LATER)))
    with pytest.raises(Refusal, match="that is the id of a line"):
        consolidate(space, by="ana", now=LATER)


def test_a_pass_can_follow_those_of_a_file():
    space = space_of(fact("tea"), passes=daily(1, 5))
    assert consolidate(space, by="ana", now=LATER).weighed == 1
    assert Pass.objects.count() == 6


def test_an_empty_space_can_be_consolidated():
    taken = consolidation.consolidate(spaces.create("new"), by="clock", now=LATER)
    assert (taken.weighed, taken.changed) == (0, 0)
