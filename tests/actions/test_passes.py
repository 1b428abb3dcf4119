"""A pass in many transactions: what happens in between, and where it is cut short, changes nothing of its outcome."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.actions.world import as_file, space_of
from tests.makers import day, edge, fact, histories
from trustmem.actions import acts, consolidation, facts, folding, imports, passes, spaces, undo
from trustmem.actions.verify import verify
from trustmem.core.vocabulary import LIVE, PRUNED
from trustmem.store.models import Change, EarlyTurn, Edge, Fact, Pass, Space

pytestmark = pytest.mark.django_db
in_a_database = settings(
    max_examples=settings.default.max_examples // 3, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch):
    monkeypatch.setattr(folding, "_are_many", lambda space, count: False)
    monkeypatch.setattr(passes, "_READ", 2)
    monkeypatch.setattr(passes, "_WRITTEN", 1)


def begun(space: Space, on: float) -> Pass:
    """A pass whose line is written, and through which no fact has gone yet."""
    consolidation._begin(space, day(on), day(on))
    taken = passes.under_way(space)
    assert taken
    return taken


def fading(*names: str, **values: object):
    """Facts that the first pass prunes."""
    return [fact(name, prior=0.01, **values) for name in names]


def test_a_pass_in_steps_is_the_pass_of_the_lines():
    space = space_of(*fading("a", "b", "c", "d"), fact("e"), edge("a", "contradicts", "d"), edge("d", "updates", "e"))
    taken = consolidation.consolidate(space, by="ana", now=day(101))
    assert (taken.weighed, taken.pruned) == (5, 4)
    assert verify(space, rebuild=True) == []
    assert not Edge.objects.filter(space=space, relation=3, live=True).exists()


def test_a_fact_is_held_back_by_what_contradicts_it_wherever_that_stands():
    born = [fact(name, producer="user") for name in "abcde"]
    space = space_of(*born, edge("a", "contradicts", "e"))
    taken = consolidation.consolidate(space, by="ana", now=day(101))
    assert (taken.promoted, taken.deferred) == (3, 2)
    assert verify(space, rebuild=True) == []


def test_an_idle_pass_writes_no_fact():
    space = space_of(fact("a", scope="global"), fact("b", scope="global"))
    for on in (101, 101.1):
        consolidation.consolidate(space, by="ana", now=day(on))
    before = list(Fact.objects.values())
    taken = consolidation.consolidate(space, by="ana", now=day(101.1001))
    assert taken.changed == 0
    assert list(Fact.objects.values()) == before


def test_a_pass_that_was_cut_short_goes_on_where_it_stopped():
    space = space_of(*fading(*"abcdef"))
    passes._take_turns(space, begun(space, 101))
    assert Fact.objects.filter(space=space, state=PRUNED).count() == 2
    assert "pass is under way" in verify(space, rebuild=True)[0]
    passes.go_on(space)
    assert Fact.objects.filter(space=space, state=PRUNED).count() == 6
    assert verify(space, rebuild=True) == []


def test_the_next_pass_finishes_one_that_was_cut_short():
    space = space_of(*fading(*"abcdef"))
    passes._take_turns(space, begun(space, 101))
    consolidation.consolidate(space, by="ana", now=day(102))
    assert list(Pass.objects.order_by("instant").values_list("pruned", "through")) == [(6, 2**63 - 1), (0, 2**63 - 1)]
    assert verify(space, rebuild=True) == []


def test_a_step_that_somebody_else_has_taken_is_not_taken_twice():
    space = space_of(*fading(*"abcdef"))
    taken = begun(space, 101)
    passes._take_turns(space, taken)
    passes._take_turns(space, taken)
    passes.go_on(space)
    assert Pass.objects.get().pruned == 6
    assert verify(space, rebuild=True) == []


def test_what_somebody_does_meanwhile_comes_after_the_pass():
    space = space_of(*fading(*"abcdef"))
    passes._take_turns(space, begun(space, 101))
    facts.accept(space, "f", by="ana", now=day(101))  # its turn is still to come
    assert Fact.objects.get(name="f").state == LIVE
    assert EarlyTurn.objects.count() == 1
    passes.go_on(space)
    assert Fact.objects.get(name="f").state == LIVE
    assert Pass.objects.get().pruned == 6
    assert EarlyTurn.objects.count() == 0
    assert verify(space, rebuild=True) == []


MEANWHILE = ["accepted", "forgotten", "restored", "restated", "contradicted", "recalled"]


@in_a_database
@given(histories(changing_constants=False, undos=False), st.data())
def test_whatever_happens_between_the_steps_of_a_pass(lines, data):
    space = spaces.create(f"space {Space.objects.count()}")
    imports.import_lines(space, as_file(lines), file="all", by="ana", now=day(40))
    consolidation.consolidate(space, by="ana", now=day(41))
    begun(space, 48)
    written: list[str] = []

    def meanwhile() -> None:
        """Something that another process does, or nothing."""
        names = list(Fact.objects.filter(space=space).order_by("name").values_list("name", flat=True)) or ["none"]
        one, other = data.draw(st.sampled_from(names)), data.draw(st.sampled_from([*names, f"new {len(written)}"]))
        kind = data.draw(st.sampled_from(["nothing", *MEANWHILE, "contradicts", "updates", "fact", "undone"]))
        said = {"type": "event", "kind": kind, "fact": one}
        if kind == "undone":
            said = {"type": "event", "kind": kind, "of": data.draw(st.sampled_from(written))} if written else {}
        elif kind == "fact":
            said = {"type": "fact", "id": f"new {len(written)}", "text": "New.", "prior": 0.01}
        elif kind in ("contradicts", "updates"):
            said = {"type": "edge", "relation": kind, "from": one, "to": other} if one != other else {}
        if said and kind != "nothing":
            written.append(acts.write(Space.objects.get(pk=space.pk), [said], now=day(48)))

    with pytest.MonkeyPatch.context() as patch:
        for moment in ("_steps", "_step"):  # when facts are read but not yet written, and when some are
            patch.setattr(passes, moment, _after(meanwhile, getattr(passes, moment)))
        while taken := passes.under_way(space):
            meanwhile()
            passes._take_turns(space, taken)
    assert verify(space, rebuild=True) == []


def _after(first, then):
    def both(*given):
        first()
        return then(*given)

    return both


def test_a_fact_that_goes_while_its_turn_is_written_is_counted_nowhere():
    space = space_of(fact("a"), fact("b"))
    more = imports.import_lines(space, as_file(fading("c")), file="more", by="ana", now=day(100)).imported
    taken = begun(space, 101)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "_READ", 10)
        undone = _after(lambda: undo.undo(Space.objects.get(), more, by="ana", now=day(102)), passes._steps)
        patch.setattr(passes, "_steps", undone)
        passes._take_turns(space, taken)
    assert (Pass.objects.get().weighed, Pass.objects.get().pruned) == (2, 0)
    assert not Change.objects.filter(after__pruned=True).exists()
    assert verify(space, rebuild=True) == []


def test_of_two_that_take_a_pass_at_once_one_waits_for_the_other():
    space = space_of(*fading("a", "b", "c"))
    other = Space.objects.get(pk=space.pk)
    begun(space, 101)
    assert not consolidation._begin(other, day(102), day(102))
    consolidation.consolidate(other, by="ben", now=day(102))
    assert list(Pass.objects.order_by("instant").values_list("pruned", flat=True)) == [3, 0]
    assert verify(space, rebuild=True) == []


def test_a_pass_under_way_in_one_space_holds_up_no_other():
    first, second = space_of(fact("f"), name="first"), space_of(fact("g"), name="second")
    for space in (first, second):
        consolidation._begin(space, day(101), day(101))
    act = acts.write(first, [{"type": "fact", "id": "x", "text": "X"}], now=day(101))
    undo.undo(first, act, by="ana", now=day(101))
    acts.write(second, [{"type": "fact", "id": "y", "text": "Y"}], now=day(101))
    for space in (first, second):
        passes.go_on(space)
        assert verify(space, rebuild=True) == []
