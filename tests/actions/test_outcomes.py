"""What people find right or wrong: which decision finds what, and what the fact was worth when they were asked."""

import json
import random

import pytest

from tests.actions import sequences
from tests.actions.reviewers import at_once
from tests.actions.world import signed, space_of, taken
from tests.makers import day, edge, event, fact
from trustmem.actions import (
    constants,
    edges,
    erasing,
    exports,
    facts,
    judgements,
    outcomes,
    sampling,
    spaces,
    statements,
    undo,
    verdicts,
)
from trustmem.actions.drafts import Words
from trustmem.actions.verdicts import decide
from trustmem.core.constants import Constants
from trustmem.core.instants import to_text
from trustmem.core.outcomes import rescored
from trustmem.core.vocabulary import BANDS, PRODUCERS
from trustmem.store import outcomes as kept
from trustmem.store import queries
from trustmem.store.models import Case, Line, Outcome, Space

pytestmark = pytest.mark.django_db

ANA = {"by": "ana", "now": day(103)}
WORDS = Words(reason="So.", text="It is port 9.", distinction="One by day.")


@pytest.fixture
def space() -> Space:
    """Pairs that contradict each other, opened as cases on day 100, and facts beside."""
    lines = [fact(name, number, source=f"bot-{name}", producer="document") for number, name in enumerate("abcdef")]
    return space_of(
        *lines,
        event("recalled", "a", 3, source="bot-a", run="r1"),
        event("restated", "a", 4, source="bot-x", run="r2"),
        event("corroborated", "b", 5, source="bot-y", run="r3"),
        edge("b", "contradicts", "a", 6, by="bot-b", id="b-a"),
        edge("d", "contradicts", "c", 6, by="bot-d", id="d-c"),
    )


def case_of(space: Space, *names: str) -> str:
    return Case.objects.get(space=space, facts=list(names)).name


def found(space: Space, now: int = day(110)) -> dict[str, bool]:
    """Facts as they were found, the last decision of each."""
    outcomes.collect(space, now=now)
    return dict(Outcome.objects.filter(space=space).order_by("position").values_list("fact", "right"))


def rows(space: Space) -> list[dict[str, object]]:
    """All that is kept, but where it stands."""
    told = Outcome.objects.filter(space=space).order_by("at", "position", "fact").values()
    return [
        {name: value for name, value in each.items() if name not in ("id", "space_id", "position")} for each in told
    ]


# Which decision finds what

OF_PAIRS = {
    "keep left": {"a": True, "b": False},
    "keep right": {"a": False, "b": True},
    "right updates left": {"a": False, "b": True},
    "left updates right": {"a": True, "b": False},
    "both hold": {"a": True, "b": True},
    "neither": {"a": False, "b": False},
    "write the right one": {"a": False, "b": False},
    "not a contradiction": {},
}


@pytest.mark.parametrize("verdict", OF_PAIRS)
def test_a_verdict_on_a_pair_finds_each_right_or_wrong_or_says_nothing_of_it(space, verdict):
    decide(space, [case_of(space, "a", "b")], verdict, words=WORDS, **ANA)
    assert found(space) == OF_PAIRS[verdict]
    assert set(Outcome.objects.values_list("how", "by")) == ({(verdict, "ana")} if OF_PAIRS[verdict] else set())


def test_of_each_verdict_that_is_offered_it_is_said_what_it_finds():
    assert set(judgements.FINDS) == {verdict for offered in verdicts.OFFERED.values() for verdict in offered}


@pytest.mark.parametrize(
    ("verdict", "right"), [("it holds", True), ("forget it", False), ("write the right one", False)]
)
def test_a_verdict_on_one_fact_speaks_of_that_alone(verdict, right):
    space = space_of(fact("old", 0), fact("new", 1), edge("new", "updates", "old", 2))
    facts.forget(space, "new", by="ana", now=day(101))
    decide(space, [case_of(space, "old", "new")], verdict, words=WORDS, **ANA)
    assert found(space) == {"old": right}


def challenged(*lines: object) -> Space:
    """Somebody's objections to what a key signs, which wait for a ruling."""
    space = signed(space_of(fact("b", 1)), fact("a", 0))
    return taken(space, [json.dumps(each).encode() + b"\n" for each in lines], day(101))


def said(**values: object) -> dict[str, object]:
    return {"id": "said", "at": "2026-01-09T09:00:00Z", **values}


UPDATES = said(**{"type": "edge", "from": "b", "to": "a", "relation": "updates", "by": "mail"})
CONTRADICTS = UPDATES | {"relation": "contradicts"}
CONTRADICTED = said(type="event", kind="contradicted", fact="a", source="mail")


@pytest.mark.parametrize("verdict", ["uphold", "dismiss"])
@pytest.mark.parametrize("objection", [UPDATES, CONTRADICTED])
@pytest.mark.parametrize("by_case", [True, False])
def test_whoever_rules_finds_the_one_that_was_objected_to_right_or_wrong(verdict, objection, by_case):
    space = challenged(objection)
    if by_case:
        decide(space, [Case.objects.get(space=space).name], verdict, **ANA)
    else:
        statements.rule(space, "said", {"uphold": "upheld", "dismiss": "dismissed"}[verdict], **ANA)
    assert found(space) == {"a": verdict == "dismiss"}
    assert Outcome.objects.get().how == verdict


def test_that_two_contradict_each_other_finds_neither_wrong_and_that_they_do_not_both_right():
    space = challenged(CONTRADICTS)
    case = Case.objects.get(space=space).name
    act = decide(space, [case], "uphold", **ANA)
    assert found(space) == {}
    undo.undo(space, act, by="ana", now=day(104))
    decide(space, [case], "dismiss", by="ana", now=day(105))
    assert found(space) == {"a": True, "b": True}


def test_a_ruling_on_many_at_once_speaks_of_each_by_what_was_said_of_it():
    space = signed(space_of(fact("b", 1)), fact("a", 0), fact("c", 0))
    objections = [UPDATES, CONTRADICTED | {"id": "also", "fact": "c"}]
    taken(space, [json.dumps(each).encode() + b"\n" for each in objections], day(101))
    cases = {each.name: each.facts for each in Case.objects.filter(space=space)}
    decide(space, list(cases), "uphold", **ANA)
    assert found(space) == {"a": False, "c": False}
    assert {(*cases[each.case], each.fact) for each in Outcome.objects.all()} == {("a", "b", "a"), ("c", "c")}


def test_without_a_case_to_accept_finds_right_and_to_correct_finds_wrong(space):
    facts.accept(space, "e", **ANA)
    facts.correct(space, "f", "It is port 9.", **ANA)
    assert found(space) == {"e": True, "f": False}
    assert set(Outcome.objects.values_list("how", "case")) == {("accept", ""), ("correct", "")}


def test_what_may_have_other_reasons_finds_nothing(space):
    facts.forget(space, "e", **ANA)
    facts.restore(space, "e", **ANA)
    edges.assert_edge(space, "e", "updates", "f", **ANA)
    assert found(space) == {}


def test_against_what_is_signed_a_person_s_own_word_is_no_ruling():
    space = signed(space_of(fact("b", 1)), fact("a", 0), fact("c", 0))
    facts.forget(space, "a", **ANA)
    facts.correct(space, "c", "It is port 9.", **ANA)
    assert found(space) == {"c": False}


def test_what_a_file_says_that_a_person_decided_finds_nothing(space):
    accepted = said(type="event", kind="accepted", fact="e", source="ana", act="theirs")
    taken(space, [json.dumps(accepted).encode() + b"\n"], day(101))
    assert found(space) == {}


# What is judged


def test_the_trust_that_is_judged_is_that_of_when_the_case_was_opened(space):
    case = Case.objects.get(space=space, facts=["a", "b"])
    for number in range(5):
        said = {"id": f"more-{number}", "type": "event", "kind": "corroborated", "fact": "a", "source": f"s{number}"}
        taken(space, [json.dumps(said | {"at": "2026-01-03T09:00:00Z"}).encode() + b"\n"], day(101))
    constants.adopt(space, {"activation_midpoint": -1.0}, by="ana", now=day(102), reason="")
    decide(space, [case.name], "keep left", **ANA)
    found(space)
    recorded = json.loads(case.factors)["facts"]
    for each in Outcome.objects.all():
        told = recorded[each.fact]
        assert {name: getattr(each, name) for name in (*outcomes.FACTORS, "r", "s")} == {
            name: told[name] for name in (*outcomes.FACTORS, "r", "s")
        }
        assert (BANDS[each.band], each.asked_at, each.constants_version) == (told["band"], case.at, 1)
    assert_rescored(space)


def test_without_a_case_it_is_that_of_just_before_the_act(space):
    before = queries.stored(space)
    facts.accept(space, "e", **ANA)
    facts.accept(space, "e", by="ben", now=day(104))
    outcomes.collect(space, now=day(110))
    first, second = Outcome.objects.order_by("at")
    row = before.ids.index("e")
    assert (first.r, first.tier, first.asked_at) == (before.r[row], before.tier[row], day(103))
    assert (second.r, second.tier) == (before.r[row] + 1, 1)
    assert second.trust > first.trust
    assert_rescored(space)


def assert_rescored(space: Space) -> None:
    """What is kept comes to the trust that was judged, under the constants then in force."""
    found = kept.columns(space)
    for row, each in enumerate(Outcome.objects.filter(space=space).order_by("at", "position", "fact")):
        then = rescored(found, queries.constants(space, each.asked_at))
        for name in outcomes.FACTORS:
            assert getattr(then, name)[row] == pytest.approx(getattr(each, name), abs=1e-9)


def test_what_is_kept_comes_to_the_trust_that_was_judged_whatever_made_it(space):
    edges.assert_edge(space, "f", "updates", "e", by="ana", now=day(101))
    constants.adopt(space, {"activation_midpoint": -1.0, "prior_weight": 3.0}, by="ana", now=day(102), reason="")
    unknown = {"type": "fact", "id": "g", "text": "Something.", "at": "2026-01-03T09:00:00Z", "at_known": False}
    summed = {"type": "fact", "id": "h", "text": "Else.", "at": "2026-01-03T09:00:00Z"}
    summed |= {"baseline": {"reinforcements": 4, "evidence": 2, "first_seen": "2025-06-01T00:00:00Z"}}
    taken(space, [json.dumps(each).encode() + b"\n" for each in (unknown, summed)], day(102))
    for number, name in enumerate("aegh"):
        facts.accept(space, name, by="ana", now=day(103 + number))
    decide(space, [case_of(space, "c", "d")], "keep right", by="ana", now=day(108))
    outcomes.collect(space, now=day(110))
    found = kept.columns(space)
    assert len(found) == 6
    assert {*found.depth.tolist()} == {0, 1} and {*found.baseline_count.tolist()} == {0, 4}
    assert found.times.is_use.any() and not found.times.is_use.all()
    assert_rescored(space)


def test_what_was_undone_when_they_were_asked_is_left_out_and_what_was_undone_since_is_not(space):
    gone = facts.accept(space, "e", by="ana", now=day(101))
    undo.undo(space, gone, by="ana", now=day(102))
    stood = facts.accept(space, "f", by="ana", now=day(102))
    facts.accept(space, "e", by="ben", now=day(103))
    facts.accept(space, "f", by="ben", now=day(103))
    undo.undo(space, stood, by="ana", now=day(104))
    outcomes.collect(space, now=day(110))
    assert list(Outcome.objects.order_by("fact").values_list("fact", "by", "r")) == [("e", "ben", 0), ("f", "ben", 1)]
    assert_rescored(space)


def test_what_comes_later_and_says_that_it_had_arrived_before_changes_nothing(space):
    facts.accept(space, "e", **ANA)
    outcomes.collect(space, now=day(110))
    was = rows(space)
    said = {"id": "late", "type": "event", "kind": "corroborated", "fact": "e", "source": "s", "at": to_text(day(20))}
    taken(space, [json.dumps(said).encode() + b"\n"], day(104))
    Outcome.objects.all().delete()
    outcomes.collect(space, now=day(110))
    assert rows(space) == was


# What counts, and when


def lived(space: Space) -> list[str]:
    """All sorts of decisions, one after the other; the acts."""
    acts = [
        decide(space, [case_of(space, "a", "b")], "keep left", by="ana", now=day(101)),
        facts.accept(space, "e", by="ben", now=day(102)),
        facts.correct(space, "f", "It is port 9.", by="ana", now=day(103))[0],
        decide(space, [case_of(space, "c", "d")], "both hold", by="ana", now=day(104), words=WORDS),
        sampling.draw(space, 3, by="ana", now=day(105), seed="s"),
    ]
    for number, case in enumerate(Case.objects.filter(kind="calibration sample").order_by("facts")):
        verdict = ("it holds", "forget it", "write the right one")[number]
        acts.append(decide(space, [case.name], verdict, by="ana", now=day(106 + number), words=Words(text="It is 8.")))
    return acts


def test_what_is_undone_goes_at_the_next_collection_and_comes_back_with_what_is_brought_back(space):
    acts = lived(space)
    outcomes.collect(space, now=day(110))
    everything = rows(space)
    assert len(everything) == 9
    for act in (acts[0], acts[1], acts[2], acts[6]):
        born = set(Line.objects.filter(space=space, act=act, tag="fact").values_list("name", flat=True))
        of_act = [each for each in everything if each["act"] == act or each["fact"] in born]
        back = undo.undo(space, act, by="ana", now=day(111))
        assert outcomes.collect(space, now=day(112)) == len(of_act)
        assert rows(space) == [each for each in everything if each not in of_act]
        undo.undo(space, back, by="ana", now=day(111))
        assert outcomes.collect(space, now=day(112)) == len(of_act)
        assert rows(space) == everything


def test_a_second_collection_writes_nothing_and_what_was_collected_bit_by_bit_equals_one_from_nothing(space):
    outcomes.collect(space, now=day(110))
    for step in (lambda: facts.accept(space, "e", by="ben", now=day(100)), lambda: lived(space)):
        step()
        outcomes.collect(space, now=day(110))
    was, keys = rows(space), list(Outcome.objects.values_list("pk", flat=True))
    assert outcomes.collect(space, now=day(110)) == 0
    assert list(Outcome.objects.values_list("pk", flat=True)) == keys
    Outcome.objects.all().delete()
    assert outcomes.collect(space, now=day(110)) == len(was)
    assert rows(space) == was


def test_an_export_of_the_space_gives_the_same_outcomes_in_an_empty_one(space):
    acts = lived(space)
    undo.undo(space, acts[1], by="ana", now=day(109))
    outcomes.collect(space, now=day(110))
    was = rows(space)
    assert len(was) == 8
    told = list(exports.export(space))
    Space.objects.filter(pk=space.pk).update(name="elsewhere")
    copy = taken(spaces.create("copy"), told, day(120))
    assert copy.name == "diary"
    outcomes.collect(copy, now=day(130))
    assert rows(copy) == was
    assert_rescored(copy)


def test_in_an_export_whose_lines_say_nothing_of_their_order_it_is_still_what_the_case_recorded(space):
    late = {"id": "late", "type": "event", "kind": "corroborated", "fact": "a", "source": "s", "at": to_text(day(20))}
    taken(space, [json.dumps(late).encode() + b"\n"], day(101))
    decide(space, [case_of(space, "a", "b")], "keep left", by="ana", now=day(102))
    outcomes.collect(space, now=day(110))
    was = dict(Outcome.objects.values_list("fact", "trust"))
    told = list(exports.export(space))
    Space.objects.filter(pk=space.pk).update(name="elsewhere")
    copy = taken(spaces.create("copy"), told, day(120))
    outcomes.collect(copy, now=day(130))
    assert dict(Outcome.objects.filter(space=copy).values_list("fact", "trust")) == was


def test_what_is_decided_at_one_instant_comes_back_from_an_export_as_it_was(space):
    now = day(103)
    facts.accept(space, "e", by="ana", now=now)
    facts.accept(space, "f", by="ana", now=now)
    facts.correct(space, "e", "It is port 9.", by="ben", now=now)
    facts.accept(space, "f", by="ben", now=now)
    decide(space, [case_of(space, "a", "b")], "keep left", by="ben", now=now)
    outcomes.collect(space, now=now)
    told = list(exports.export(space))
    Space.objects.filter(pk=space.pk).update(name="elsewhere")
    copy = taken(spaces.create("copy"), told, day(120))
    outcomes.collect(copy, now=day(130))
    assert ordered(copy) == ordered(space)


def test_of_what_is_erased_no_verdict_is_left_and_nothing_is_found(space):
    decide(space, [case_of(space, "a", "b")], "both hold", words=WORDS, **ANA)
    assert found(space) == {"a": True, "b": True}
    erasing.erase(space, "a", by="ana", now=day(104), reason="")
    assert outcomes.collect(space, now=day(110)) == 2
    assert found(space) == {}


def test_it_is_told_how_far_it_is_and_the_last_transaction_concludes(space, monkeypatch):
    monkeypatch.setattr(outcomes, "_AT_ONCE", 2)
    lived(space)
    told, ended = list[tuple[int, int]](), list[int]()
    outcomes.collect(space, now=day(110), progress=lambda done, of: told.append((done, of)), conclude=ended.append)
    assert told == [(2, 9), (4, 9), (6, 9), (8, 9), (9, 9)] and ended == [9]


@pytest.mark.parametrize("seed", [*range(5), 14])
def test_after_sequences_of_acts_and_undos_it_is_the_same_however_it_is_collected(seed):
    space, chance = sequences.world("first", signing=False), random.Random(seed)
    for number, _ in enumerate(sequences.live(space, chance, count=30)):
        if number % 7 == 0:
            outcomes.collect(space, now=sequences.END)
    outcomes.collect(space, now=sequences.END)
    was = rows(space)
    assert len(was) > 3
    found = kept.columns(space)
    then = rescored(found, Constants())
    for row, each in enumerate(Outcome.objects.filter(space=space).order_by("at", "position", "fact")):
        if each.constants_version == 1:
            assert then.trust[row] == pytest.approx(each.trust, abs=1e-9), each
    Outcome.objects.all().delete()
    outcomes.collect(space, now=sequences.END)
    assert rows(space) == was
    told = list(exports.export(space))
    Space.objects.filter(pk=space.pk).update(name="elsewhere")
    copy = taken(spaces.create("copy"), told, sequences.END)
    outcomes.collect(copy, now=sequences.END)
    assert ordered(copy) == ordered(space)


def ordered(space: Space) -> list[dict[str, object]]:
    """All that is kept: of one act in the order of facts, since an export may bring its lines in another."""
    return sorted(rows(space), key=lambda each: (each["at"], each["act"], each["fact"]))


# As columns


def test_columns_are_those_that_are_asked_for_in_the_order_of_time(space):
    lived(space)
    outcomes.collect(space, now=day(110))
    all_of_them = kept.columns(space)
    assert len(all_of_them) == 9 and all_of_them.at.tolist() == sorted(all_of_them.at.tolist())
    assert kept.columns(space, source="bot-a").source == ["bot-a"]
    assert len(kept.columns(space, sampled=True)) == 3 and len(kept.columns(space, sampled=False)) == 6
    assert len(kept.columns(space, since=day(104))) == 5
    producers = [len(kept.columns(space, producer=code)) for code in range(len(PRODUCERS))]
    assert sum(producers) == 9 and producers[PRODUCERS.index("document")] > 0


def test_nothing_found_is_empty_columns(space):
    nothing = kept.columns(space)
    assert len(nothing) == 0 and rescored(nothing, queries.constants(space)).trust.tolist() == []


def test_of_each_source_it_is_counted_how_many_were_right_and_wrong(space):
    decide(space, [case_of(space, "a", "b")], "keep left", **ANA)
    facts.accept(space, "a", by="ana", now=day(104))
    outcomes.collect(space, now=day(110))
    assert kept.by_source(space) == [("bot-a", 2, 0), ("bot-b", 0, 1)]


# At once


@pytest.mark.django_db(transaction=True)
def test_two_who_collect_at_once_keep_each_outcome_once(space, monkeypatch):
    monkeypatch.setattr(outcomes, "_AT_ONCE", 1)
    lived(space)
    changed = list[int]()

    def collect() -> None:
        changed.append(outcomes.collect(Space.objects.get(pk=space.pk), now=day(110)))

    at_once(*[collect] * 3)
    was = rows(space)
    assert len(was) == sum(changed) == 9
    Outcome.objects.all().delete()
    outcomes.collect(space, now=day(110))
    assert rows(space) == was


@pytest.mark.django_db(transaction=True)
def test_what_is_undone_while_it_is_collected_is_not_kept(space, monkeypatch):
    monkeypatch.setattr(outcomes, "_AT_ONCE", 1)
    acts = lived(space)

    def undoing(done: int, of: int) -> None:
        if done == 1:  # of the last one, which is still to be looked at
            undo.undo(Space.objects.get(pk=space.pk), acts[-1], by="ben", now=day(111))

    outcomes.collect(space, now=day(110), progress=undoing)
    assert acts[-1] not in set(Outcome.objects.values_list("act", flat=True))
    was = rows(space)
    assert outcomes.collect(space, now=day(110)) == 0 and rows(space) == was
