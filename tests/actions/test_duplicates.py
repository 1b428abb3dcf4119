"""Duplicates: facts that say the same are merged into one, which is then said by all who said any of them; or somebody
says that they are not the same. One act, and one way back."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from tests.actions.reviewers import at_once
from tests.actions.world import signed, space_of, taken
from tests.makers import day, edge, event, fact, feedback
from tests.store.restated import pairs
from trustmem.actions import (
    consolidation,
    duplicates,
    edges,
    erasing,
    exports,
    facts,
    judgements,
    merging,
    records,
    spaces,
    statements,
    tombstones,
    undo,
    verdicts,
)
from trustmem.actions.duplicates import Group
from trustmem.actions.errors import Refusal
from trustmem.actions.verdicts import Changed, Decided
from trustmem.actions.verify import verify
from trustmem.core.instants import to_text
from trustmem.core.scores import score
from trustmem.core.vocabulary import FORGOTTEN, LIVE, TOUCH_KINDS
from trustmem.store import duplicates as stored
from trustmem.store import folds, queries
from trustmem.store.cases import DUPLICATE, kind_of
from trustmem.store.models import Case, Fact, Line, Queued, Space, Tombstone, Touch
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

NOW = day(101)
ANA: dict[str, Any] = {"by": "ana", "now": NOW}


@pytest.fixture
def space() -> Space:
    """Tea, said three times by two others, and used; and something else."""
    found = space_of(
        fact("tea", 0, source="mail", run="m1"),
        fact("tea-too", 2, source="crm", run="c1"),
        fact("tea-again", 4, source="crm", run="c2"),
        fact("coffee", 1, source="mail"),
        event("recalled", "tea-too", 6, source="bot", run="b1"),
        event("injected", "tea-too", 6.5, source="bot", run="b1"),
        event("corroborated", "tea-again", 7, source="wiki", run="w1"),
        event("corroborated", "tea-again", 9, source="wiki", run="w1"),
    )
    pairs(found, ("tea", "tea-too"), ("tea-too", "tea-again"))
    return found


def row(space: Space, name: str) -> Fact:
    return Fact.objects.get(space=space, name=name)


def states(space: Space) -> dict[str, int]:
    return dict(Fact.objects.filter(space=space).values_list("name", "state"))


def touches(space: Space, name: str) -> set[tuple[str, str, str, int, bool]]:
    found = Touch.objects.filter(space=space, fact__name=name)
    return {
        (TOUCH_KINDS[kind], source, run, at, echo)
        for kind, source, run, at, echo in found.values_list("kind", "source", "run", "at", "echo")
    }


def clusters(space: Space) -> list[list[str]]:
    names = dict(Fact.objects.filter(space=space).values_list("pk", "name"))
    return [[names[key] for key in each.keys] for each in stored.page(space).clusters]


def of(space: Space, verdict: str) -> Case:
    (case,) = (each for each in Case.objects.filter(space=space, verdict=verdict) if kind_of(each.key) == DUPLICATE)
    return case


def test_the_kept_fact_is_said_by_all_who_said_the_others_when_they_did(space):
    duplicates.merge(space, "tea", ["tea-too", "tea-again"], **ANA)
    assert touches(space, "tea") == {
        ("restated", "crm", "c1", day(2), False),
        ("restated", "crm", "c2", day(4), False),
        ("corroborated", "wiki", "w1", day(7), False),
        ("recalled", "bot", "b1", day(6), False),
        ("injected", "bot", "b1", day(6.5), False),
    }
    assert row(space, "tea").r == 2, "crm said it twice, which is one source, and wiki said that it is so"
    assert verify(space, rebuild=True) == []


def test_the_others_are_forgotten_and_nothing_keeps_out_what_they_say(space):
    act = duplicates.merge(space, "tea", ["tea-too", "tea-again"], **ANA)
    assert states(space) == {"tea": LIVE, "tea-too": FORGOTTEN, "tea-again": FORGOTTEN, "coffee": LIVE}
    assert not Tombstone.objects.filter(space=space).exists()
    assert clusters(space) == []
    assert {*Line.objects.filter(space=space, act=act).values_list("tag", flat=True)} == {
        "case",
        "event.closed",
        "event.corroborated",
        "event.forgotten",
        "event.injected",
        "event.recalled",
        "event.restated",
    }


def test_what_is_merged_says_into_what_and_what_was_kept_says_what(space):
    duplicates.merge(space, "tea", ["tea-too", "tea-again"], reason="One thing.", **ANA)
    case = of(space, "merge")
    assert stored.merges(space, ["tea-too"]) == stored.merges(space, ["tea"])
    assert stored.merges(space, ["tea"]) == [stored.Merged("tea", ["tea-too", "tea-again"], case.name)]
    assert stored.merges(space, ["coffee"]) == []
    told = {each["id"]: each for each, _ in records.at(space, range(1, space.head_position + 1)) if each.get("note")}
    notes = {(each["kind"], each["fact"], each["note"]) for each in told.values()}
    assert notes == {
        ("restated", "tea", "was tea-too"),
        ("restated", "tea", "was tea-again"),
        ("forgotten", "tea-too", "merged into tea: One thing."),
        ("forgotten", "tea-again", "merged into tea: One thing."),
    }


def test_the_case_is_opened_and_closed_at_once_so_that_it_waits_for_nobody(space):
    duplicates.merge(space, "tea", ["tea-too"], reason="One thing.", **ANA)
    case, told = of(space, "merge"), json.loads(of(space, "merge").factors)
    assert (case.facts, case.stands, case.closed_at) == (["tea", "tea-too"], False, NOW)
    assert told["kept"] == "tea" and told["facts"].keys() == {"tea", "tea-too"}
    assert {name: told[name] for name in ("finding", "rule", "detector", "overlap", "pairs")} == {
        "finding": "restatement",
        "rule": "",
        "detector": "1",
        "overlap": 0.9,
        "pairs": 1,
    }
    assert not Queued.objects.filter(space=space).exists()
    with pytest.raises(Decided):
        verdicts.decide(space, [case.name], "not the same", **ANA)


@pytest.mark.parametrize("kept", ["tea", "tea-too", "tea-again"])
def test_undo_and_redo_come_to_the_very_same(space, kept):
    before, shown = state_hash(space), clusters(space)
    others = [name for name in ("tea", "tea-too", "tea-again") if name != kept]
    act = duplicates.merge(space, kept, others, **ANA)
    merged = state_hash(space)
    back = undo.undo(space, act, by="ana", now=NOW + 1)
    assert (state_hash(space), clusters(space)) == (before, shown)
    undo.undo(space, back, by="ana", now=NOW + 2)
    assert (state_hash(space), clusters(space)) == (merged, [])
    assert verify(space, rebuild=True) == []


def test_amid_passes_undo_comes_to_the_very_same(space):
    for at in (101, 102):
        consolidation.consolidate(space, by="ana", now=day(at))
    before = state_hash(space)
    act = duplicates.merge(space, "tea", ["tea-too"], by="ana", now=day(103))
    undo.undo(space, act, by="ana", now=day(103.5))
    assert state_hash(space) == before
    assert verify(space, rebuild=True) == []


def test_what_is_merged_after_an_undo_is_a_case_of_its_own(space):
    undo.undo(space, duplicates.merge(space, "tea", ["tea-too"], **ANA), by="ana", now=NOW + 1)
    duplicates.merge(space, "tea", ["tea-too"], by="ana", now=NOW + 2)
    assert stored.merges(space, ["tea"])[0].case.endswith(":2")
    assert verify(space, rebuild=True) == []


# Echo, and the run of a birth


def test_who_had_been_handed_the_kept_fact_only_repeated_it():
    space = space_of(
        fact("tea", 0, source="mail"),
        event("injected", "tea", 2, source="bot", run="b1"),
        fact("tea-too", 3, source="bot", run="b1"),
    )
    duplicates.merge(space, "tea", ["tea-too"], **ANA)
    assert ("restated", "bot", "b1", day(3), True) in touches(space, "tea")
    assert row(space, "tea").r == 0


def test_who_had_been_handed_the_other_fact_only_repeated_that():
    space = space_of(
        fact("tea", 0, source="mail"),
        fact("tea-too", 1, source="crm", run="c1"),
        event("recalled", "tea-too", 2, source="bot", run="b1"),
        event("restated", "tea", 3, source="bot", run="b1"),
    )
    assert row(space, "tea").r == 1
    duplicates.merge(space, "tea", ["tea-too"], **ANA)
    assert row(space, "tea").r == 1, "crm said it; bot repeated what it had been handed as the other fact"


def test_an_echo_of_what_is_merged_is_not_carried_over():
    space = space_of(
        fact("tea", 0, source="mail"),
        fact("tea-too", 1, source="mail", run="m2"),
        event("recalled", "tea-too", 2, source="bot", run="b1"),
        event("restated", "tea-too", 3, source="bot", run="b1"),
    )
    duplicates.merge(space, "tea", ["tea-too"], **ANA)
    assert touches(space, "tea") == {
        ("restated", "mail", "m2", day(1), False),
        ("recalled", "bot", "b1", day(2), False),
    }


def test_the_source_of_the_fact_counts_but_for_the_run_of_its_birth():
    space = space_of(
        fact("tea", 0, source="mail", run="m1"),
        fact("tea-too", 1, source="mail", run="m1"),
        fact("tea-again", 2, source="mail", run="m2"),
        fact("tea-still", 3, source="mail", run="m3"),
    )
    act = duplicates.merge(space, "tea", ["tea-too"], **ANA)
    assert row(space, "tea").r == 0
    undo.undo(space, act, **ANA)
    duplicates.merge(space, "tea", ["tea-too", "tea-again", "tea-still"], **ANA)
    assert row(space, "tea").r == 1


def test_what_was_said_counts_when_it_was_said_and_has_come_now(space):
    act = duplicates.merge(space, "tea", ["tea-too", "tea-again"], **ANA)
    lines = Line.objects.filter(space=space, act=act, tag="event.restated").order_by("position")
    assert list(lines.values_list("at", "arrived")) == [(day(2), NOW), (day(4), NOW)]
    assert len(bytes(row(space, "tea").times)) // 8 == 1 + 5


# Previews


@pytest.mark.parametrize("kept", ["tea", "tea-too", "tea-again"])
def test_a_preview_is_what_it_comes_to_and_writes_nothing(space, kept):
    others, head = [name for name in ("tea", "tea-too", "tea-again") if name != kept], space.head_position
    told = duplicates.previews(space, [Group(kept, others)], NOW)[kept]
    assert told.before == stand(space, kept)
    space.refresh_from_db()
    assert space.head_position == head
    duplicates.merge(space, kept, others, **ANA)
    assert told.after == stand(space, kept)
    assert told.after.r > told.before.r and told.after.trust > told.before.trust


def stand(space: Space, name: str) -> duplicates.Stand:
    scores = score(queries.stored(space, folds.keys(space, [name]).values()), NOW)
    (found,) = zip(scores.r.tolist(), scores.s.tolist(), scores.trust.tolist(), scores.band.tolist(), strict=True)
    return duplicates.Stand(*found)


def test_previews_of_many_are_those_of_each():
    space = space_of(
        *(fact(f"{name}{place}", place, source=f"{name}-{place}") for name in "abc" for place in range(3)),
        edge("a0", "extends", "b0", 4, by="somebody"),
    )
    groups = [Group(f"{name}0", [f"{name}1", f"{name}2"]) for name in "abc"]
    told = duplicates.previews(space, groups, NOW)
    assert told == {k: v for group in groups for k, v in duplicates.previews(space, [group], NOW).items()}
    assert {name: each.after.r for name, each in told.items()} == {"a0": 2, "b0": 3, "c0": 2}


# What cannot be


def refused(space: Space, kept: str, others: Sequence[str], says: str, **given: Any) -> None:
    space.refresh_from_db()
    head = space.head_position
    with pytest.raises(Refusal, match=says):
        duplicates.merge(space, kept, others, **ANA, **given)
    space.refresh_from_db()
    assert space.head_position == head


def test_it_takes_two_facts_that_are_live_and_not_the_same_one(space):
    refused(space, "tea", [], "two facts or more")
    refused(space, "tea", ["tea"], "into itself, nor twice")
    refused(space, "tea", ["tea-too", "tea-too"], "into itself, nor twice")
    refused(space, "tea", ["milk"], 'has no fact "milk"')
    facts.forget(space, "tea-too", **ANA)
    refused(space, "tea", ["tea-too"], 'the fact "tea-too" is forgotten')
    refused(space, "tea-too", ["tea"], 'the fact "tea-too" is forgotten')
    erasing.erase(space, "tea-again", reason="", **ANA)
    refused(space, "tea", ["tea-again"], 'the fact "tea-again" is erased')


def test_what_a_newer_claim_updates_is_neither_kept_nor_merged_and_what_updates_is_kept(space):
    edges.assert_edge(space, "coffee", "updates", "tea", **ANA)
    refused(space, "tea", ["tea-too"], 'newer claim than the fact "tea" holds already: keep another')
    refused(space, "tea-too", ["tea"], 'newer claim than the fact "tea" holds already: that one can be merged')
    refused(space, "tea-too", ["coffee"], 'the fact "coffee" took the place of another')
    duplicates.merge(space, "coffee", ["tea-too"], **ANA)
    assert state(space, "tea-too") == FORGOTTEN


def state(space: Space, name: str) -> int:
    return row(space, name).state


def test_what_is_disputed_is_not_merged_but_can_be_kept(space):
    edges.assert_edge(space, "coffee", "contradicts", "tea", **ANA)
    refused(space, "tea-too", ["tea"], 'a contradiction stands against the fact "tea"')
    duplicates.merge(space, "tea", ["tea-too"], **ANA)
    assert row(space, "tea").contradicted


def test_what_somebody_spoke_against_is_not_merged_since_that_would_be_lost_until_it_is_dismissed(space):
    said = json.dumps({"type": "event", "id": "no", "kind": "contradicted", "fact": "tea-too", "source": "x"} | ON_6)
    taken(space, [said.encode() + b"\n"], day(100.5))
    refused(space, "tea", ["tea-too"], 'somebody spoke against the fact "tea-too"')
    duplicates.merge(space, "tea-too", ["tea-again"], **ANA)
    assert row(space, "tea-too").s == 1
    statements.rule(space, "no", "dismissed", **ANA)
    duplicates.merge(space, "tea", ["tea-too"], **ANA)


ON_6: dict[str, Any] = {"at": to_text(day(6))}


def test_what_waits_for_a_ruling_is_not_merged():
    space = space_of(fact("tea", 0, tier="human"), fact("tea-too", 1), event("contradicted", "tea", 2, source="bot"))
    refused(space, "tea-too", ["tea"], 'an objection to the fact "tea" waits for a ruling')
    duplicates.merge(space, "tea", ["tea-too"], **ANA)


def test_a_signed_fact_is_merged_by_a_person_and_stays_so():
    space = space_of(fact("tea", 0, source="a"), fact("tea-too", 1, source="b"))
    signed(space, fact("tea-key", 2, source="c"))
    assert row(space, "tea-key").tier == 2
    before = state_hash(space)
    act = duplicates.merge(space, "tea", ["tea-key", "tea-too"], **ANA)
    assert states(space) == {"tea": LIVE, "tea-key": FORGOTTEN, "tea-too": FORGOTTEN}
    assert Line.objects.filter(space=space, act=act, tag="event.upheld").count() == 1
    assert not Queued.objects.filter(space=space).exists()
    undo.undo(space, act, by="ana", now=NOW + 1)
    assert state_hash(space) == before


def test_what_was_said_since_it_was_shown_is_to_be_seen_first(space):
    seen = space.head_position
    facts.accept(space, "tea-too", **ANA)
    with pytest.raises(Changed) as told:
        duplicates.merge(space, "tea", ["tea-too"], seen=seen, **ANA)
    assert told.value.positions == [seen + 1]
    space.refresh_from_db()
    duplicates.merge(space, "tea", ["tea-too"], seen=space.head_position, **ANA)


def test_who_comes_second_is_told_who_was_first(space):
    seen = space.head_position
    duplicates.merge(space, "tea", ["tea-too"], by="ben", now=NOW, seen=seen)
    with pytest.raises(Decided, match=r'ben decided this case at .*: "merge"'):
        duplicates.apart(space, ["tea", "tea-too"], seen=seen, **ANA)
    with pytest.raises(Decided, match=r'ben decided this case at .*: "merge"'):
        duplicates.merge(space, "tea-too", ["tea"], seen=seen, **ANA)
    duplicates.apart(space, ["tea", "tea-again"], by="ben", now=NOW, seen=space.head_position + 100)
    with pytest.raises(Decided):
        duplicates.merge(space, "tea", ["tea-again"], seen=seen, **ANA)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_merge_the_same_cluster_at_once_one_wins_and_the_other_is_told(space):
    seen, told = space.head_position, list[tuple[str, str]]()

    def merging_by(by: str, kept: str) -> Any:
        def do() -> None:
            others = [name for name in ("tea", "tea-too", "tea-again") if name != kept]
            try:
                duplicates.merge(Space.objects.get(pk=space.pk), kept, others, by=by, now=NOW, seen=seen)
                told.append((by, "done"))
            except Decided as decided:
                told.append((by, f"told of {decided.closing.by}"))

        return do

    at_once(merging_by("ana", "tea"), merging_by("ben", "tea-too"))
    winner = next(by for by, came in told if came == "done")
    assert sorted(came for _, came in told) == ["done", f"told of {winner}"]
    assert sorted(states(space).values()) == [LIVE, LIVE, FORGOTTEN, FORGOTTEN]
    space.refresh_from_db()
    assert verify(space, rebuild=True) == []


def test_what_is_dated_ahead_of_the_merge_stands_and_so_it_is_refused(space):
    facts.forget(space, "tea-too", by="ana", now=day(199))
    facts.restore(space, "tea-too", by="ana", now=day(200))
    refused(space, "tea", ["tea-too"], 'the fact "tea-too" is dated later')


# Not the same


def test_what_is_not_the_same_is_not_found_again_until_that_is_undone(space):
    assert clusters(space) == [["tea-too", "tea", "tea-again"]]
    act = duplicates.apart(space, ["tea", "tea-too"], reason="Green, black.", **ANA)
    assert clusters(space) == [["tea-too", "tea-again"]]
    assert {*states(space).values()} == {LIVE}
    case = of(space, "not the same")
    assert "kept" not in json.loads(case.factors) and case.closed_at == NOW
    merged = state_hash(space)
    back = undo.undo(space, act, by="ana", now=NOW + 1)
    assert clusters(space) == [["tea-too", "tea", "tea-again"]]
    undo.undo(space, back, by="ana", now=NOW + 2)
    assert (state_hash(space), clusters(space)) == (merged, [["tea-too", "tea-again"]])
    assert verify(space, rebuild=True) == []


def test_it_takes_two_facts_that_are_not_the_same(space):
    for names in (["tea"], [], ["tea", "tea"]):
        with pytest.raises(Refusal, match="two facts or more"):
            duplicates.apart(space, names, **ANA)


# Many


def many(count: int) -> Space:
    lines = [fact(f"{kind}{place}", place / 10, source=f"s{place}") for kind in "abcd" for place in range(count)]
    space = space_of(*lines)
    pairs(space, *((f"{kind}{place}", f"{kind}{place + 1}") for kind in "abcd" for place in range(count - 1)))
    return space


def test_many_clusters_are_merged_in_one_act_and_brought_back_by_one_undo():
    space = many(3)
    before, groups = state_hash(space), [Group(f"{kind}0", [f"{kind}1", f"{kind}2"]) for kind in "abcd"]
    batch = duplicates.merge_all(space, groups, seen=space.head_position, **ANA)
    assert (batch.done, batch.gone, batch.changed, batch.refused) == (4, 0, 0, 0)
    assert clusters(space) == []
    assert Case.objects.filter(space=space, verdict="merge").count() == 4
    undo.undo(space, batch.act, by="ana", now=NOW + 1)
    assert state_hash(space) == before and len(clusters(space)) == 4
    assert verify(space, rebuild=True) == []


def test_of_many_what_is_not_as_it_was_shown_is_left_out_and_counted():
    space = many(2)
    seen, groups = space.head_position, [Group(f"{kind}0", [f"{kind}1"]) for kind in "abcd"]
    duplicates.merge(space, "a1", ["a0"], by="ben", now=NOW)
    facts.accept(space, "b1", by="ben", now=NOW)
    told = [*groups, Group("d1", ["d0"])]
    batch = duplicates.merge_all(space, told, seen=seen, **ANA)
    assert (batch.done, batch.gone, batch.changed, batch.refused) == (2, 1, 1, 1)
    assert {name for name, each in states(space).items() if each == FORGOTTEN} == {"a0", "c1", "d1"}
    with pytest.raises(Refusal, match="nothing of it is left"):
        duplicates.merge_all(space, groups[:1], seen=seen, **ANA)
    assert verify(space, rebuild=True) == []


def test_a_thousand_are_merged_in_one_act_and_brought_back():
    space = space_of(*(fact(f"f{place:04}", place / 100, source=f"s{place % 7}") for place in range(1001)))
    names = [f"f{place:04}" for place in range(1001)]
    pairs(space, *pairwise(names))
    before = state_hash(space)
    act = duplicates.merge(space, names[0], names[1:], **ANA)
    assert row(space, "f0000").r == 7
    assert {*states(space).values()} == {LIVE, FORGOTTEN} and clusters(space) == []
    undo.undo(space, act, by="ana", now=NOW + 1)
    assert state_hash(space) == before


def test_at_most_a_thousand_are_merged_at_once(space, monkeypatch):
    monkeypatch.setattr(merging, "MOST", 1)
    refused(space, "tea", ["tea-too", "tea-again"], "at most 1 facts")


# What goes with it, and what does not


def test_it_says_nothing_about_truth(space):
    duplicates.merge(space, "tea", ["tea-too"], **ANA)
    duplicates.apart(space, ["tea", "tea-again"], **ANA)
    assert list(judgements.found(space)) == []


def test_feedback_and_other_edges_rest_with_what_is_merged_and_come_back_with_it():
    space = space_of(
        fact("tea", 0),
        fact("tea-too", 1),
        fact("kettle", 2),
        edge("kettle", "derives", "tea-too", 3),
        feedback("helpful", "tea-too", 4, source="bot", run="b1"),
    )
    before = state_hash(space)
    act = duplicates.merge(space, "tea", ["tea-too"], **ANA)
    assert row(space, "tea").reinforcement_count == 0
    undo.undo(space, act, by="ana", now=NOW + 1)
    assert state_hash(space) == before


def test_what_is_restored_by_itself_is_a_duplicate_again(space):
    duplicates.merge(space, "tea", ["tea-too", "tea-again"], **ANA)
    facts.restore(space, "tea-too", by="ana", now=NOW + 1)
    assert clusters(space) == [["tea", "tea-too"]]
    duplicates.merge(space, "tea", ["tea-too"], by="ana", now=NOW + 2)
    assert clusters(space) == [] and verify(space, rebuild=True) == []


def test_an_export_brings_what_was_decided_with_it(space):
    duplicates.merge(space, "tea", ["tea-too"], **ANA)
    duplicates.apart(space, ["tea", "tea-again"], **ANA)
    told, hash = list(exports.export(space)), state_hash(space)
    merges = [(each.kept, each.merged) for each in stored.merges(space, ["tea"])]
    Space.objects.filter(pk=space.pk).update(name="elsewhere")
    copy = taken(spaces.create("copy"), told, day(120))
    assert state_hash(copy) == hash
    assert [(each.kept, each.merged) for each in stored.merges(copy, ["tea"])] == merges
    assert not Queued.objects.filter(space=copy).exists()
    assert verify(copy, rebuild=True) == []


def test_what_another_file_calls_a_duplicate_is_none(space):
    name = "case:duplicate:0123456789abcdef:1"
    forged = {"type": "case", "id": name, "kind": DUPLICATE, "facts": ["tea", "tea-too"], "factors": {"kept": "tea"}}
    closed = {"type": "event", "id": "x", "kind": "closed", "of": name, "verdict": "not the same"}
    lines = [json.dumps(each | ON_6).encode() + b"\n" for each in (forged, closed)]
    taken(space, lines, day(101))
    assert clusters(space) == [["tea-too", "tea", "tea-again"]]
    assert not Queued.objects.filter(space=space).exists()
    assert list(judgements.found(space)) == []


def test_a_merged_value_that_is_said_again_is_let_in(space):
    duplicates.merge(space, "tea", ["tea-too"], **ANA)
    again = {"type": "fact", "id": "once-more", "text": "What tea-too says."}
    taken(space, [json.dumps(again | ON_6).encode() + b"\n"], day(102))
    assert state(space, "once-more") == LIVE
    tombstones.ask_for(space, again)


def test_what_went_with_a_merge_is_not_undone_before_that_is(space):
    brought = taken(space, [b'{"type":"fact","id":"late","text":"Tea.","source":"eve","at":"2026-01-02T00:00:00Z"}'])
    imported = Line.objects.get(space=brought, name="late").imported
    said = facts.accept(space, "tea-too", **ANA)
    merge = duplicates.merge(space, "tea", ["late", "tea-again"], **ANA)
    assert row(space, "tea").r == 3
    with pytest.raises(Refusal, match=r'^"late" went with a fact that was merged into another: undo that first$'):
        undo.undo(space, imported, by="ana", now=NOW + 1)
    undo.undo(space, said, by="ana", now=NOW + 1)  # which went nowhere
    undo.undo(space, merge, by="ana", now=NOW + 2)
    undo.undo(space, imported, by="ana", now=NOW + 3)
    assert row(space, "tea").r == 0
    assert not Fact.objects.filter(space=space, name="late").exists()


def test_whoever_accepted_what_is_merged_has_not_accepted_what_is_kept(space):
    facts.accept(space, "tea-too", **ANA)
    duplicates.merge(space, "tea", ["tea-too"], **ANA)
    assert "ana" not in Touch.objects.filter(fact__name="tea").values_list("source", flat=True)
    assert (row(space, "tea").r, row(space, "tea").tier) == (1, 0)
