"""An export makes the space again, whatever was undone in it."""

import json

import pytest

from tests.actions.world import as_file, space_of, taken
from tests.makers import day, edge, event, fact
from trustmem.actions import acts, exports, facts, imports, spaces, undo, verdicts
from trustmem.actions.drafts import Words
from trustmem.actions.verify import verify
from trustmem.store import queue
from trustmem.store.models import Case, Fact, Import, Queued, Space
from trustmem.store.queue import Filter
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


def test_a_space_that_a_file_founded_without_a_key_comes_back_with_its_own():
    told = [{"type": "space", "id": "theirs", "at": "2026-01-01T00:00:00Z"}, {"type": "fact", "id": "f", "text": "So."}]
    first = taken(
        spaces.create("ours"), [json.dumps({**each, "at": "2026-01-01T00:00:00Z"}).encode() + b"\n" for each in told]
    )
    facts.forget(first, "f", by="ana", now=day(101))
    exported = list(exports.export(first))
    Space.objects.filter(pk=first.pk).update(name="renamed")
    again = taken(spaces.create("again"), exported)
    assert again.digest_key == first.digest_key
    assert state_hash(again) == state_hash(first)


def test_cases_come_back_open_and_closed_and_none_is_opened_twice():
    rivals = (edge("b", "contradicts", "a", 6, by="x"), edge("d", "contradicts", "c", 6, by="y"))
    space = space_of(*(fact(name, day_number) for day_number, name in enumerate("abcd")), *rivals)
    first = Case.objects.get(space=space, facts=["a", "b"])
    verdicts.decide(space, [first.name], "both hold", words=Words(distinction="by day"), by="ana", now=day(101))
    exported, before = list(exports.export(space)), state_hash(space)
    Space.objects.filter(pk=space.pk).update(name="renamed")
    again = taken(spaces.create("again"), exported)
    assert state_hash(again) == before
    cases = sorted((each.facts, each.verdict) for each in Case.objects.filter(space=again))
    assert cases == [(["a", "b"], "both hold"), (["c", "d"], "")]
    assert [each.case.facts for each in Queued.objects.filter(space=again)] == [["c", "d"]]


def test_beside_the_first_cases_are_found_anew_and_those_of_the_other_space_wait_for_nobody():
    space = space_of(fact("a"), fact("b", 1), edge("b", "contradicts", "a", 6, by="x"))
    again = made_again(space)
    assert Case.objects.filter(space=again).count() == 2
    assert [each.case.facts for each in Queued.objects.filter(space=again)] == [["a", "b"]]
    assert state_hash(again) == state_hash(space)


@pytest.mark.parametrize("apart", [0, 1])
def test_a_case_that_was_opened_again_comes_back_with_its_rounds_and_the_queue_as_it_was(apart):
    """Though all that was done at one instant, as by a clock that steps back."""
    rivals = [edge("b", "contradicts", "a", 6, by="x"), edge("d", "contradicts", "c", 6, by="y")]
    space = space_of(*(fact(name, day_number) for day_number, name in enumerate("abcd")), *rivals)
    first = Case.objects.get(space=space, facts=["a", "b"])
    verdicts.decide(space, [first.name], "not a contradiction", by="ana", now=day(101))
    said = {"type": "edge", "from": "a", "to": "b", "relation": "contradicts", "by": "crawler"}
    acts.write(space, [said], now=day(101 + apart))
    undone = acts.write(space, [said | {"from": "c", "to": "d", "by": "mail"}], now=day(101 + apart))
    undo.undo(space, undone, by="ana", now=day(101 + 2 * apart))
    exported, before, waited = list(exports.export(space)), state_hash(space), queue_of(space)
    assert [facts for _, facts, _ in waited] == [["c", "d"], ["a", "b"]]
    Space.objects.filter(pk=space.pk).update(name="renamed")
    again = taken(spaces.create("again"), exported, now=day(104))
    assert (state_hash(again), queue_of(again)) == (before, waited)
    assert Case.objects.filter(space=again).count() == 3
    assert verify(again, rebuild=True) == []


def queue_of(space: Space) -> list[tuple[str, list[str], str]]:
    return [(row.case.name, row.case.facts, row.source) for row in queue.page(space, Filter()).rows]
