"""What a person decides about a fact holds, stays on record, and is refused where it would change nothing."""

from threading import Barrier, Thread

import pytest
from django.db import connection

from tests.actions.world import LATER, signed, space_of
from tests.makers import daily, day, event, fact
from trustmem.actions import facts, folding, undo
from trustmem.actions.errors import Refusal
from trustmem.core.columns import CODE
from trustmem.core.vocabulary import FORGOTTEN, HUMAN, LIVE, PRUNED, SIGNED
from trustmem.store import chain
from trustmem.store.models import Fact, Line, Space, Statement, Text

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"), fact("milk"))


def state(space: Space, name: str = "tea") -> int:
    return Fact.objects.get(space=space, name=name).state


def test_a_person_accepts_a_fact_as_often_as_they_like(space):
    for turn in range(2):
        act = facts.accept(space, "tea", by="ana", now=LATER + turn, reason="I was there.")
        line = Line.objects.get(space=space, act=act)
        assert (line.tag, line.at, line.name) == ("event.accepted", LATER + turn, f"{act}:1")
        assert Text.objects.get(space=space, position=line.position).body == '{"note":"I was there."}'
    row = Fact.objects.get(space=space, name="tea")
    assert (row.accepted, row.tier, row.r) == (True, HUMAN, 1)
    assert Statement.objects.filter(space=space, source="ana", tier=HUMAN).count() == 2


def test_what_is_forgotten_is_restored(space):
    facts.forget(space, "tea", by="ana", now=LATER)
    assert (state(space), state(space, "milk")) == (FORGOTTEN, LIVE)
    facts.restore(space, "tea", by="ben", now=LATER + 1)
    assert state(space) == LIVE
    assert chain.verify(space) == []


def test_acts_of_one_instant_take_effect_in_the_order_of_writing(space):
    for _ in range(5):
        facts.forget(space, "tea", by="ana", now=LATER)
        assert state(space) == FORGOTTEN
        facts.restore(space, "tea", by="ana", now=LATER)
        assert state(space) == LIVE


def test_what_faded_is_restored():
    space = space_of(fact("tea", weight=0.1), passes=daily(1, 9))
    assert state(space) == PRUNED
    facts.restore(space, "tea", by="ana", now=LATER)
    assert state(space) == LIVE


@pytest.mark.parametrize("action", [facts.accept, facts.forget, facts.restore])
@pytest.mark.parametrize(
    ("name", "reason"),
    [("coffee", 'the space "diary" has no fact "coffee"'), ("gone", 'the fact "gone" is erased')],
)
def test_an_unknown_and_an_erased_fact_are_refused(action, name, reason):
    space = space_of(fact("gone"), event("erased", "gone"))
    with pytest.raises(Refusal, match=f"^{reason}$"):
        action(space, name, by="ana", now=LATER)


def test_what_is_so_already_is_refused_and_leaves_no_line(space):
    with pytest.raises(Refusal, match=r'^the fact "tea" is live already$'):
        facts.restore(space, "tea", by="ana", now=LATER)
    facts.forget(space, "tea", by="ana", now=LATER)
    space.refresh_from_db()
    head = space.head_position
    with pytest.raises(Refusal, match=r'^the fact "tea" is forgotten already$'):
        facts.forget(space, "tea", by="ben", now=LATER + 1)
    space.refresh_from_db()
    assert space.head_position == head


def test_an_act_that_would_have_no_effect_is_refused():
    space = space_of(fact("tea"), event("forgotten", "tea", on=200, tier="human"))
    with pytest.raises(Refusal, match=r"^what was decided about the fact \"tea\" is dated later than .*, and stands$"):
        facts.restore(space, "tea", by="ana", now=LATER)
    assert state(space) == FORGOTTEN


def test_a_nameless_person_and_an_endless_reason_are_refused(space):
    with pytest.raises(Refusal, match=r'^"source" '):
        facts.accept(space, "tea", by="", now=LATER)
    with pytest.raises(Refusal, match=r'^"note" '):
        facts.accept(space, "tea", by="ana", now=LATER, reason="x" * 100_001)


def test_against_a_signed_fact_a_person_upholds_their_own_word(space):
    signed(space, fact("motto", tier="human"))
    assert Fact.objects.get(space=space, name="motto").tier == SIGNED
    act = facts.forget(space, "motto", by="ana", now=LATER)
    assert state(space, "motto") == FORGOTTEN
    lines = Line.objects.filter(space=space, act=act).exclude(tag="tombstone").order_by("position")
    assert list(lines.values_list("tag", "body")) == [
        ("event.forgotten", '{"fact":"motto","source":"ana","tier":"human"}'),
        ("event.upheld", f'{{"of":"{act}:1","source":"ana","tier":"human"}}'),
    ]
    assert Statement.objects.get(space=space, kind=CODE["forgotten"]).ruling == 1


def test_what_arrives_never_falls_though_clocks_do(space):
    for now in (LATER, LATER - 50, LATER + 1, day(3)):
        facts.accept(space, "tea", by="ana", now=now)
    lines = Line.objects.filter(space=space).exclude(act="").order_by("position")
    assert list(lines.values_list("at", "arrived")) == [
        (LATER, LATER),
        (LATER - 50, LATER),
        (LATER + 1, LATER + 1),
        (day(3), LATER + 1),
    ]


def test_a_space_that_an_import_left_unfolded_is_folded_first(space):
    Space.objects.filter(pk=space.pk).update(folded_to=0)
    Fact.objects.filter(space=space).delete()
    facts.accept(space, "tea", by="ana", now=LATER)
    assert Fact.objects.get(space=space, name="tea").accepted


@pytest.mark.django_db(transaction=True)
def test_two_people_accept_at_once_and_both_are_on_record():
    pk, start, acts = space_of(fact("tea")).pk, Barrier(2), []

    def accept(person: str) -> None:
        try:
            space = Space.objects.get(pk=pk)
            start.wait()
            acts.extend(facts.accept(space, "tea", by=person, now=LATER + turn) for turn in range(5))
        finally:
            connection.close()

    people = [Thread(target=accept, args=(person,)) for person in ("ana", "ben")]
    for each in people:
        each.start()
    for each in people:
        each.join()
    space = Space.objects.get(pk=pk)
    accepted = Line.objects.filter(space=space, tag="event.accepted")
    assert sorted(acts) == sorted(accepted.values_list("act", flat=True))
    assert len(set(acts)) == 10
    assert chain.verify(space) == []
    row = Fact.objects.get(space=space, name="tea")
    assert row.r == folding.folded(space)[0].stored.r[0] == 2


def test_a_correction_holds_instead_and_a_person_stands_behind_it(space):
    act, new = facts.correct(space, "tea", "Tea is at five.", by="ana", now=LATER, reason="I set the table.")
    old, row = (Fact.objects.get(space=space, name=name) for name in ("tea", new))
    assert (row.text, row.source, row.tier, row.accepted, row.state) == ("Tea is at five.", "ana", HUMAN, True, LIVE)
    assert (old.depth, old.state, row.depth) == (1, LIVE, 0)
    undo.undo(space, act, by="ana", now=LATER + 1)
    assert not Fact.objects.filter(space=space, name=new).exists()
    assert Fact.objects.get(space=space, name="tea").depth == 0


def test_a_correction_holds_against_a_signed_fact():
    space = signed(space_of(fact("milk")), fact("tea", on=1, signature=True))
    assert Fact.objects.get(space=space, name="tea").tier == SIGNED
    facts.correct(space, "tea", "Tea is at five.", by="ana", now=LATER)
    assert Fact.objects.get(space=space, name="tea").depth == 1


@pytest.mark.parametrize("text", ["", "  ", "what tea  SAYS."])
def test_a_correction_has_to_say_something_else(space, text):
    with pytest.raises(Refusal, match="say something else"):
        facts.correct(space, "tea", text, by="ana", now=LATER)
    assert Fact.objects.filter(space=space).count() == 2


def test_what_is_forgotten_is_not_corrected(space):
    facts.forget(space, "tea", by="ana", now=LATER)
    with pytest.raises(Refusal, match="forgotten"):
        facts.correct(space, "tea", "Tea is at five.", by="ana", now=LATER + 1)


def test_a_correction_is_about_the_same_and_its_id_tells_of_it():
    space = space_of(fact("tea"))
    first = facts.correct(space, "tea", "Tea is at five.", by="ana", now=LATER)[1]
    second = facts.correct(space, first, "Tea is at six.", by="ana", now=LATER + 1)[1]
    assert (first, second) == ("tea-corrected", "tea-corrected-corrected")


def test_of_two_who_correct_a_fact_the_second_is_told_that_a_newer_claim_holds(space):
    facts.correct(space, "tea", "Tea is at five.", by="ana", now=LATER)
    with pytest.raises(Refusal, match="newer claim"):
        facts.correct(space, "tea", "Tea is at five.", by="ben", now=LATER + 1)
    assert Fact.objects.filter(space=space).count() == 3
