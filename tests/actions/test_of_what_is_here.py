"""What a file says of what the space has already takes effect, and the answer to its line does not say otherwise."""

import json

import pytest

from tests.actions.world import LATER, space_of, taken
from tests.makers import day, edge, event, fact, feedback
from trustmem.actions import consolidation, facts, imports
from trustmem.actions.verify import verify
from trustmem.core.instants import NEVER, to_text
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.store.models import Case, Fact, Key, Line, Pass, Reject, Space, Tombstone
from trustmem.store.models.scores import BITS

pytestmark = pytest.mark.django_db

AT = to_text(day(99))


def came(space: Space, *records: dict[str, object]) -> list[tuple[str, str | None]]:
    """The answers to a file of these lines, and why: told before it came and when it came."""
    raw = [json.dumps({"at": AT} | each).encode() + b"\n" for each in records]
    before = imports.import_lines(space, raw, file="f", by="cy", now=LATER + 9, dry_run=True).answers
    report = imports.import_lines(space, raw, file="f", by="cy", now=LATER + 9)
    assert report.answers == before
    assert Reject.objects.filter(space=space).count() == 0
    assert verify(space, rebuild=True) == []
    return [(answer.status, answer.reason) for answer in report.answers]


def ruling(kind: str, of: str, **more: object) -> dict[str, object]:
    return {"type": "event", "id": f"{kind} {of}", "kind": kind, "of": of, **more}


def row(space: Space, name: str) -> Fact:
    return Fact.objects.get(space=space, name=name)


def flags(space: Space, name: str) -> set[str]:
    return {flag for flag, bit in BITS.items() if row(space, name).score.flags & bit}


@pytest.fixture
def space() -> Space:
    """Statements of agents: in force against `a`, and challenges to `h`, which a person accepted."""
    return space_of(
        *(fact(name, source=f"bot-{name}") for name in "abc"),
        fact("h", tier="human", source="ana"),
        edge("b", "contradicts", "a", 5, id="says"),
        event("forgotten", "c", 5, id="away", source="bot"),
        edge("b", "updates", "h", 6, id="harms", by="bot-b"),
        event("contradicted", "h", 6, id="denies", source="bot"),
        feedback("corrected", "h", 6, id="corrects", source="bot-2"),
    )


@pytest.mark.parametrize("of", ["harms", "denies", "corrects"])
def test_a_challenge_is_upheld(space, of):
    s = row(space, "h").s
    assert came(space, ruling("upheld", of)) == [("new", None)]
    assert row(space, "h").s == s + (of != "harms")
    assert ("superseded" in flags(space, "h")) is (of == "harms")


def test_all_that_challenges_a_fact_is_dismissed(space):
    assert "challenged" in flags(space, "h")
    assert came(space, *(ruling("dismissed", of) for of in ("harms", "denies", "corrects"))) == [("new", None)] * 3
    assert "challenged" not in flags(space, "h")


def test_what_was_in_force_is_dismissed(space):
    assert "disputed" in flags(space, "a") and row(space, "c").state == FORGOTTEN
    assert came(space, ruling("dismissed", "says"), ruling("dismissed", "away")) == [("new", None)] * 2
    assert "disputed" not in flags(space, "a") and row(space, "c").state == LIVE


def test_an_edge_is_withdrawn(space):
    gone = {"type": "edge", "id": "gone", "from": "b", "to": "a", "relation": "contradicts", "removed": True}
    assert row(space, "a").contradicted
    assert came(space, gone) == [("new", None)]
    assert not row(space, "a").contradicted


def test_a_tombstone_is_lifted_and_brings_what_it_kept_out(space):
    facts.forget(space, "a", by="ana", now=LATER)
    stone = Tombstone.objects.get(space=space).name
    again = {"type": "fact", "id": "a2", "text": "What a says."}
    assert came(space, ruling("lifted", stone), again) == [("new", None)] * 2
    assert row(space, "a2").state == LIVE


def test_an_act_an_import_and_an_undo_are_undone(space):
    act = facts.forget(space, "a", by="ana", now=LATER)
    assert came(space, ruling("undone", act, act="U")) == [("new", None)]
    assert row(space, "a").state == LIVE
    assert came(space, ruling("undone", "U", act="V")) == [("new", None)]
    assert row(space, "a").state == FORGOTTEN
    brought = Line.objects.get(space=space, name="says").imported
    assert came(space, ruling("undone", brought, act="W")) == [("new", None)]
    assert Fact.objects.filter(space=space).count() == 0


def test_a_case_that_a_file_brought_is_closed(space):
    assert came(space, {"type": "case", "id": "k", "kind": "of theirs", "facts": ["a", "b"]}) == [("new", None)]
    assert came(space, ruling("closed", "k", verdict="so")) == [("new", None)]
    assert Case.objects.get(space=space, name="k").closed_at != NEVER


def test_a_key_is_revoked(space):
    key = {"type": "key", "id": "key", "source": "bot", "public": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="}
    assert came(space, key) == [("new", None)]
    assert came(space, ruling("revoked", "key", reason="lost")) == [("new", None)]
    assert Key.objects.get(space=space).revoked_at != NEVER


@pytest.mark.parametrize("notation", [lambda at: to_text(at), lambda at: to_text(at).replace("Z", "+00:00")])
def test_a_pass_is_undone_by_its_instant_in_any_notation(space, notation):
    consolidation.consolidate(space, by="ana", now=LATER)
    assert came(space, ruling("undone", notation(LATER), act="U")) == [("new", None)]
    assert Pass.objects.get(space=space).void


def test_a_ruling_whose_statement_waits_here_waits_with_it(space):
    came_first = {"type": "event", "id": "early", "kind": "contradicted", "fact": "later", "source": "bot"}
    raw = [json.dumps({"at": AT} | came_first).encode()]
    taken(space, raw)
    answer = imports.import_lines(
        space, [json.dumps({"at": AT} | ruling("dismissed", "early")).encode()], file="f", by="cy", now=LATER + 9
    ).answers[0]
    assert (answer.status, answer.reason) == ("waiting", '"of" names "early", which waits itself')
    taken(space, [json.dumps({"type": "fact", "id": "later", "text": "So.", "at": AT}).encode()], LATER + 10)
    assert row(space, "later").s == 0
