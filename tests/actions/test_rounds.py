"""A case is opened again by who had not said it; and whatever is undone since, no two rounds of it wait at once."""

import json

import pytest

from tests.actions.test_verdicts import ANA, NOW, case_of, facts_of, open_cases
from tests.actions.world import space_of, taken
from tests.makers import edge
from trustmem.actions import acts, undo, verdicts
from trustmem.actions.verify import verify
from trustmem.formats import writer
from trustmem.formats.interchange_types import DEFAULTS
from trustmem.store.cases import key
from trustmem.store.models import Case, Import, Space
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    """A pair that two sources say contradict each other, one after the case was closed."""
    return space_of(*facts_of("a", "b"), edge("b", "contradicts", "a", 6, by="bot-b", id="b-a"))


def said_by(space: Space, source: str, name: str = "news") -> str:
    line = {"type": "edge", "id": name, "from": "a", "to": "b", "relation": "contradicts", "by": source}
    return acts.write(space, [line], now=NOW + 1)


def rounds(space: Space) -> list[tuple[str, bool]]:
    found = Case.objects.filter(space=space).order_by("position").values_list("name", "queued")
    return [(name.rpartition(":")[2], queued is not None) for name, queued in found]


def test_of_two_rounds_the_later_waits_for_nobody_while_the_first_is_open_again(space):
    before = state_hash(space)
    act = verdicts.decide(space, [case_of(space, "a", "b").name], "not a contradiction", **ANA)
    said = said_by(space, "crawler")
    assert rounds(space) == [("1", False), ("2", True)]
    undo.undo(space, act, by="ben", now=NOW + 2)
    assert rounds(space) == [("1", True), ("2", False)]
    assert verify(space, rebuild=True) == []
    undo.undo(space, said, by="ben", now=NOW + 3)
    assert state_hash(space) == before


def test_a_round_ends_with_what_was_new_though_the_rest_is_as_before():
    space = space_of(*facts_of("a", "b"), edge("b", "updates", "a", 6, by="x"), edge("a", "updates", "b", 6, by="x"))
    verdicts.decide(space, [case_of(space, "a", "b").name], "let it stand", **ANA)
    closed = state_hash(space)
    act = acts.write(space, [{"type": "edge", "from": "b", "to": "a", "relation": "updates", "by": "y"}], now=NOW + 1)
    assert rounds(space) == [("1", False), ("2", True)]
    again = undo.undo(space, act, by="ana", now=NOW + 2)
    assert rounds(space) == [("1", False), ("2", False)]
    assert state_hash(space) == closed
    undo.undo(space, again, by="ana", now=NOW + 3)
    assert rounds(space) == [("1", False), ("2", True)]
    assert verify(space, rebuild=True) == []


def test_a_round_that_rests_is_taken_up_by_the_next_who_had_not_said_it(space):
    verdicts.decide(space, [case_of(space, "a", "b").name], "not a contradiction", **ANA)
    undo.undo(space, said_by(space, "crawler"), by="ana", now=NOW + 2)
    said_by(space, "mail", "more")
    assert rounds(space) == [("1", False), ("2", True)]


def test_the_id_of_a_case_that_an_undone_import_brought_is_not_given_again():
    space = space_of(*facts_of("a", "b"))
    name = f"{key(space, 'contradiction', ['a', 'b'])}:1"
    line = DEFAULTS["case"] | {"type": "case", "id": name, "kind": "contradiction", "facts": ["a", "b"]}
    taken(space, [writer.line(line | {"at": NOW, "arrived": NOW})], now=NOW)
    assert rounds(space) == [("1", False)]
    imported = Import.objects.filter(space=space).latest("pk").name.rpartition(":")[0]
    undo.undo(space, imported, by="ana", now=NOW + 1)
    said_by(space, "crawler")
    assert rounds(space) == [("2", True)]
    assert open_cases(space) == [["a", "b"]]
    assert verify(space, rebuild=True) == []


def test_no_line_of_a_file_can_take_the_id_of_a_case_away():
    """Not even of who knows the key of the space."""
    space = space_of(*facts_of("a", "b"))
    name = f"{key(space, 'contradiction', ['a', 'b'])}:1"
    lines = [{"type": "fact", "id": name, "text": "I stand where a case would."}]
    lines += [{"type": "case", "id": f"{name[:-1]}2", "kind": "contradiction", "facts": ["a"]}]
    taken(space, [json.dumps(each | {"at": "2026-01-01T00:00:00Z"}).encode() for each in lines], now=NOW)
    said_by(space, "crawler")
    assert open_cases(space) == [["a", "b"]]
    assert verify(space, rebuild=True) == []
