"""What is undone counts as if it had never been, in every pass since too; and undoing the undo brings it back."""

from collections.abc import Callable
from itertools import count

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.actions.world import LATER, as_file, space_of
from tests.makers import daily, day, edge, event, fact, histories, schedules
from trustmem.actions import constants, edges, erasing, facts, folding, imports, keys, statements
from trustmem.actions.consolidation import consolidate
from trustmem.actions.errors import Refusal
from trustmem.actions.undo import undo
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import FORGOTTEN, LIVE, RELATIONS
from trustmem.formats import signed
from trustmem.store import chain
from trustmem.store.models import Fact, Line, Pass, Space
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

Act = Callable[[Space], str]
_names = count()


def fresh(lines, passes) -> Space:
    return space_of(*lines, passes=passes, name=f"space {next(_names)}")


@st.composite
def acts(draw: st.DrawFn) -> Act:
    """Something that a person does, or a file that comes in."""
    one, other = draw(st.permutations(["f0", "f1", "f2"]))[:2]
    relation = draw(st.sampled_from(RELATIONS))
    by = {"by": draw(st.sampled_from(["ana", "ben"])), "now": LATER}
    ruling = draw(st.sampled_from(["upheld", "dismissed"]))
    statement = draw(st.integers(0, 14).map(lambda number: f"e{number:02}"))
    values = {"max_pass_gap_days": 9.0, "promote_threshold": 0.65}
    file = [fact("new"), event("restated", one, source="cy"), edge("new", relation, one)]
    return draw(
        st.sampled_from(
            [
                lambda space: facts.accept(space, one, **by),
                lambda space: facts.forget(space, one, **by),
                lambda space: facts.restore(space, one, **by),
                lambda space: edges.assert_edge(space, one, relation, other, **by),
                lambda space: edges.withdraw_edge(space, one, relation, other, **by),
                lambda space: statements.rule(space, statement, ruling, **by),
                lambda space: constants.adopt(space, values, reason="", **by),
                lambda space: imports.import_lines(space, as_file(file), file="a file", **by).imported,
            ]
        )
    )


def done(act: Act, space: Space) -> str:
    """The id of an act; an example in which it is refused says nothing."""
    try:
        return act(space)
    except Refusal:
        assume(False)
        raise


few = settings(max_examples=settings.default.max_examples // 4)


@few
@given(histories(), schedules(), acts())
def test_undo_and_undo_of_undo_equal_the_history_without_and_with_the_act(lines, passes, act):
    space = fresh(lines, passes)
    without = state_hash(space)
    name = done(act, space)
    with_it = state_hash(space)
    again = undo(space, name, by="ana", now=LATER + 1)
    assert state_hash(space) == without
    undo(space, again, by="ana", now=LATER + 2)
    assert state_hash(space) == with_it
    assert chain.verify(space) == []


@few
@given(histories(), schedules(), acts())
def test_what_is_undone_counts_in_no_pass_since(lines, passes, act):
    lived, never = fresh(lines, passes), fresh(lines, passes)
    name = done(act, lived)
    for space in (lived, never):
        for on in (101, 102, 110):
            consolidate(space, at=day(on), by="clock", now=day(on))
    with_it = state_hash(lived)
    again = undo(lived, name, by="ana", now=day(111))
    assert state_hash(lived) == state_hash(never)
    undo(lived, again, by="ana", now=day(112))
    assert state_hash(lived) == with_it


@few
@given(histories(), schedules())
def test_what_is_stored_after_an_undo_is_what_the_lines_fold_to(lines, passes):
    space = fresh(lines, passes)
    named = sorted({line.act for line in Line.objects.filter(space=space)} - {""})
    for each in named:
        try:
            undo(space, each, by="ana", now=LATER)
        except Refusal:
            continue
    stored = state_hash(space)
    Space.objects.filter(pk=space.pk).update(folded_to=0)
    Fact.objects.filter(space=space).delete()
    folding.refold(space)
    assert state_hash(space) == stored


def test_a_pass_is_undone_by_its_instant_in_any_notation_and_keeps_its_place():
    space = space_of(fact("tea"), passes=daily(1, 3))
    before = state_hash(space)
    act = undo(space, "2026-01-03T13:00:00+01:00", by="ana", now=LATER)
    assert list(Pass.objects.filter(space=space).order_by("instant").values_list("void", flat=True)) == [
        False,
        True,
        False,
    ]
    assert Line.objects.get(space=space, act=act).body == '{"of":"2026-01-03T12:00:00Z","source":"ana","tier":"human"}'
    undo(space, act, by="ana", now=LATER + 1)
    assert state_hash(space) == before


def test_undoing_again_after_the_undo_was_undone_is_allowed():
    space = space_of(fact("tea"))
    tea = Fact.objects.filter(space=space, name="tea")
    act = facts.forget(space, "tea", by="ana", now=LATER)
    second = undo(space, act, by="ana", now=LATER + 1)
    undo(space, second, by="ana", now=LATER + 2)
    assert tea.get().state == FORGOTTEN
    undo(space, act, by="ben", now=LATER + 3)
    assert tea.get().state == LIVE


@pytest.mark.parametrize("name", ["nothing", "tea", "2026-01-09T12:00:00Z"])
def test_what_is_no_act_import_or_pass_is_refused(name):
    space = space_of(fact("tea"), passes=daily(1, 2))
    with pytest.raises(Refusal, match=f'^the space "diary" has no act, import or pass "{name}"$'):
        undo(space, name, by="ana", now=LATER)


def test_what_is_undone_already_is_refused():
    space = space_of(fact("tea"), event("restated", "tea", act="A"), passes=daily(1, 2))
    brought = Line.objects.filter(space=space).latest("position").imported
    for name in ("A", to_text(day(1.125)), brought):
        undo(space, name, by="ana", now=LATER)
        with pytest.raises(Refusal, match=f'^"{name}" is undone already$'):
            undo(space, name, by="ben", now=LATER + 1)


def test_an_act_of_an_undone_import_is_undone_with_it():
    space = space_of(fact("tea"), event("restated", "tea", act="A"))
    undo(space, Line.objects.filter(space=space).latest("position").imported, by="ana", now=LATER)
    with pytest.raises(Refusal, match=r'^"A" is undone already$'):
        undo(space, "A", by="ana", now=LATER)


def test_what_erased_a_fact_or_named_a_key_cannot_be_undone():
    space = space_of(fact("tea"))
    public, proof = signed.prove(bytes(32), space.name, "ana")
    erased = erasing.erase(space, "tea", by="ana", now=LATER, reason="They asked for it.")
    named = keys.register(space, "k", source="ana", public=public, proof=proof, by="ana", now=LATER)
    for act in (erased, named):
        with pytest.raises(
            Refusal, match=f'^"{act}" cannot be undone: what is erased stays erased, and a key stays kn'
        ):
            undo(space, act, by="ana", now=LATER)


def test_an_import_that_was_undone_comes_back_whole_and_takes_nothing_with_it_that_people_did():
    space = space_of(fact("tea"))
    file = as_file([fact("milk"), edge("milk", "updates", "tea")])
    brought = imports.import_lines(space, file, file="more", by="ana", now=LATER).imported
    facts.accept(space, "tea", by="ana", now=LATER + 1)
    act = undo(space, brought, by="ana", now=LATER + 2, reason="The wrong file.")
    assert list(Fact.objects.filter(space=space).values_list("name", "accepted", "depth")) == [("tea", True, 0)]
    undo(space, act, by="ana", now=LATER + 3)
    assert set(Fact.objects.filter(space=space).values_list("name", "depth")) == {("tea", 1), ("milk", 0)}
