"""A file may call anything a case, and say of any case that it is closed: it hides and closes none that is found here,
and pushes none back. Not even where whoever made it has seen the ids of cases."""

import json
from typing import Any

import pytest

from tests.actions.test_verdicts import ANA, NOW, case_of, facts_of, open_cases
from tests.actions.world import space_of, taken
from tests.makers import edge
from trustmem.actions import acts, cases, handouts, verdicts
from trustmem.actions.verify import verify
from trustmem.core.instants import NEVER
from trustmem.store import queue
from trustmem.store.cases import MANY, key
from trustmem.store.models import Case, Line, Queued, Space
from trustmem.store.queue import Filter

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    return space_of(*facts_of("a", "b", "c", "d"), edge("b", "contradicts", "a", 6, by="bot-b", id="b-a"))


def forged(space: Space, *said: dict[str, Any]) -> None:
    """A file says so."""
    taken(space, [json.dumps(each | {"at": "2026-01-01T00:00:00Z"}).encode() for each in said], now=NOW + 1)
    assert verify(space, rebuild=True) == []


def case(id: str, *facts: str, kind: str = "contradiction") -> dict[str, Any]:
    return {"type": "case", "id": id, "kind": kind, "facts": facts}


def closed(of: str, **values: Any) -> dict[str, Any]:
    return {
        "type": "event",
        "kind": "closed",
        "of": of,
        "verdict": "both hold",
        "source": "ana",
        "tier": "human",
    } | values


def said_by(space: Space, source: str) -> None:
    acts.write(space, [{"type": "edge", "from": "a", "to": "b", "relation": "contradicts", "by": source}], now=NOW + 2)


@pytest.mark.parametrize("round", ["0", "00", "01", "\N{ARABIC-INDIC DIGIT ONE}", "2", "99999"])
def test_no_round_that_a_file_makes_up_hides_the_case_that_waits(space, round):
    name = f"{case_of(space, 'a', 'b').name.rpartition(':')[0]}:{round}"
    forged(space, case(name, "a", "b"), closed(name))
    assert open_cases(space) == [["a", "b"]]
    handed = handouts.hand_out(space, Filter(), by="ana", now=NOW)
    verdicts.decide(space, [handed.name], "not a contradiction", **ANA)
    assert open_cases(space) == []


def test_what_is_still_to_come_is_not_closed_before(space):
    first = case_of(space, "a", "b").name
    verdicts.decide(space, [first], "not a contradiction", **ANA)
    rounds = [f"{first[:-1]}{number}" for number in range(2, 9)]
    forged(space, *(closed(name) for name in rounds), case(rounds[3], "a", "b"), *map(closed, rounds))
    assert open_cases(space) == []
    said_by(space, "crawler")
    assert open_cases(space) == [["a", "b"]]
    again = Queued.objects.select_related("case").get(space=space).case
    assert cases.closing(space, again) is None
    verdicts.decide(space, [again.name], "keep left", by="ben", now=NOW + 3)
    assert cases.closing(space, Case.objects.get(pk=again.pk)).by == "ben"
    assert verify(space, rebuild=True) == []


def test_a_round_that_a_file_makes_up_brings_back_nothing_that_was_decided(space):
    first = case_of(space, "a", "b").name
    name = f"{first[:-1]}9"
    forged(space, case(name, "a", "b"), closed(name))
    said_by(space, "crawler")
    verdicts.decide(space, [first], "not a contradiction", by="ana", now=NOW + 3)
    for by in ("bot-b", "crawler"):
        said_by(space, by)
    assert open_cases(space) == []


def test_what_looks_like_a_case_of_ours_waits_for_nobody(space):
    forged(space, case("case:contradiction:0123456789abcdef:1", "c", "d"), case("case:cycle:0123456789abcdef:1", "c"))
    assert open_cases(space) == [["a", "b"]]
    assert set(Case.objects.filter(space=space).values_list("closed_at", flat=True)) == {NEVER}


def test_many_that_a_file_makes_up_are_one_behind_all_others(space):
    served = {"type": "event", "kind": "recalled", "fact": "c", "source": "x"}
    acts.write(space, [served | {"run": f"r{number}"} for number in range(40)], now=NOW)
    forged(space, *(case(f"q{number}", "a", "b", "c", "d") for number in range(MANY + 1)))
    ours = case_of(space, "a", "b")
    assert [row.case.name for row in queue.page(space, Filter()).rows] == [ours.name]
    (group,) = queue.groups(space, Filter())
    assert (group.kind, group.source.startswith("import:"), group.many) == ("", True, (MANY + 1, False))
    assert handouts.hand_out(space, Filter(), by="ana", now=NOW).name == ours.name


def test_few_of_them_come_after_what_was_found_here(space):
    served = {"type": "event", "kind": "recalled", "fact": "c", "source": "x"}
    acts.write(space, [served | {"run": f"r{number}"} for number in range(40)], now=NOW)
    forged(space, case("q", "c"))
    assert [row.case.facts for row in queue.page(space, Filter()).rows] == [["a", "b"], ["c"]]


def test_a_case_about_nothing_waits_for_nobody_though_its_id_be_right(space):
    for kind in ("stale favourite", "restored value", "contradiction"):
        forged(space, case(f"{key(space, kind, [])}:1", kind=kind))
    assert open_cases(space) == [["a", "b"]]


def test_a_file_opens_nothing_again_that_was_decided_here():
    space = space_of(
        *facts_of("a", "b"), *(edge(*ends, 6, by="x") for ends in (("b", "updates", "a"), ("a", "updates", "b")))
    )
    ring = Line.objects.get(space=space, tag="edge.updates", body__contains='"from":"b"').name
    verdicts.decide(space, [case_of(space, "a", "b").name], "let it stand", **ANA)
    made_up = case(f"{key(space, 'cycle', ['a', 'b'])}:2", "a", "b", kind="cycle")
    forged(space, made_up | {"factors": {"reopened_by": [ring]}})
    assert open_cases(space) == []


def test_whatever_a_file_says_has_opened_a_round_is_looked_at_only_where_it_names_lines(space):
    verdicts.decide(space, [case_of(space, "a", "b").name], "not a contradiction", **ANA)
    name = f"{key(space, 'contradiction', ['a', 'b'])}:2"
    for number, told in enumerate(("b-a", ["b-a"], {"b-a": 1}, [["b-a"], 7, None])):
        forged(space, case(f"{name}{number}", "a", "b") | {"factors": {"reopened_by": told}})
    assert open_cases(space) == []
