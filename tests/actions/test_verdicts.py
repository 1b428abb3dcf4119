"""A person decides cases: what each verdict writes, what it comes to, and what stops it."""

import json

import pytest
from django.db import transaction

from tests.actions.world import signed, space_of, taken
from tests.makers import day, edge, event, fact
from trustmem.actions import acts, cases, consolidation, constants, edges, facts, opening, undo, verdicts
from trustmem.actions.drafts import Words
from trustmem.actions.errors import Refusal
from trustmem.actions.finding import Finding
from trustmem.actions.verdicts import Changed, Decided, decide
from trustmem.actions.verify import verify
from trustmem.core.instants import NEVER, to_text
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.explanations import stored
from trustmem.explanations.history import history
from trustmem.store.cases import CANDIDATE
from trustmem.store.models import Case, Edge, Fact, Line, Queued, Space
from trustmem.store.models.scores import BITS
from trustmem.store.queue import Filter
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

NOW = day(101)
ANA = {"by": "ana", "now": NOW}


def facts_of(*names: str, **values: object) -> list[object]:
    return [fact(name, day_number, source=f"bot-{name}", **values) for day_number, name in enumerate(names)]


@pytest.fixture
def space() -> Space:
    """Two pairs that contradict each other, by two bots, and a fact beside."""
    return space_of(
        *facts_of("a", "b", "c", "d", "e"),
        edge("b", "contradicts", "a", 6, by="bot-b", id="b-a"),
        edge("d", "contradicts", "c", 6, by="bot-d", id="d-c"),
    )


def case_of(space: Space, *names: str) -> Case:
    return Case.objects.get(space=space, facts=list(names), closed_at=NEVER)


def state(space: Space, name: str) -> int:
    return Fact.objects.get(space=space, name=name).state


def is_disputed(space: Space, name: str) -> bool:
    return bool(Fact.objects.get(space=space, name=name).score.flags & BITS["disputed"])


def written(space: Space, act: str) -> list[str]:
    """The lines of an act, in few words."""
    told = []
    for tag, body in Line.objects.filter(space=space, act=act).order_by("position").values_list("tag", "body"):
        says = json.loads(body)
        about = [says[name] for name in ("fact", "from", "to", "of") if name in says]
        told.append(" ".join([tag, *about, *(["removed"] if says.get("removed") else [])]))
    return told


def open_cases(space: Space) -> list[list[str]]:
    return [each.case.facts for each in Queued.objects.filter(space=space).select_related("case").order_by("position")]


def test_each_live_contradiction_is_a_case_the_older_claim_first(space):
    assert open_cases(space) == [["a", "b"], ["c", "d"]]
    assert verify(space, rebuild=True) == []


def test_keep_forgets_the_other_dismisses_what_its_edge_says_and_accepts(space):
    case = case_of(space, "a", "b")
    act = decide(space, [case.name], "keep left", words=Words("The left one is right."), **ANA)
    told = written(space, act)
    assert told[0] == "event.forgotten b"
    assert [each for each in told if not each.startswith("tombstone")][1:] == [
        "event.dismissed b-a",
        "event.accepted a",
        f"event.closed {case.name}",
    ]
    assert (state(space, "a"), state(space, "b")) == (LIVE, FORGOTTEN)
    assert not is_disputed(space, "a")
    assert open_cases(space) == [["c", "d"]]
    assert verify(space, rebuild=True) == []


def test_the_newer_side_can_be_judged_wrong_and_so_can_the_older(space):
    decide(space, [case_of(space, "a", "b").name], "keep right", **ANA)
    assert (state(space, "a"), state(space, "b")) == (FORGOTTEN, LIVE)
    decide(space, [case_of(space, "c", "d").name], "keep left", **ANA)
    assert (state(space, "c"), state(space, "d")) == (LIVE, FORGOTTEN)


def test_deciding_the_second_after_the_first_touches_the_second_s_facts_alone(space):
    decide(space, [case_of(space, "a", "b").name], "keep left", **ANA)
    before = {name: Fact.objects.filter(space=space, name=name).values().get() for name in "abe"}
    decide(space, [case_of(space, "c", "d").name], "neither", **ANA)
    assert {name: Fact.objects.filter(space=space, name=name).values().get() for name in "abe"} == before


def test_the_newer_wins_by_an_update_of_a_person_and_the_contradiction_is_taken_back(space):
    case = case_of(space, "a", "b")
    act = decide(space, [case.name], "right updates left", **ANA)
    assert written(space, act) == [
        "edge.updates b a",
        "edge.contradicts b a removed",
        f"event.closed {case.name}",
    ]
    assert Fact.objects.get(name="a").depth == 1
    live = Edge.objects.filter(space=space, live=True).values_list("newer__name", "older__name")
    assert list(live.filter(relation=0)) == [("b", "a")]
    assert open_cases(space) == [["c", "d"]]


def test_an_update_that_would_close_a_circle_is_refused_and_the_case_stays(space):
    edges.assert_edge(space, "a", "updates", "b", **ANA)
    with pytest.raises(Refusal, match="circle"):
        decide(space, [case_of(space, "a", "b").name], "right updates left", **ANA)
    assert ["a", "b"] in open_cases(space)


def test_both_hold_says_how_on_both(space):
    case = case_of(space, "a", "b")
    with pytest.raises(Refusal, match="say how both hold"):
        decide(space, [case.name], "both hold", **ANA)
    act = decide(space, [case.name], "both hold", words=Words(distinction="a in summer, b in winter"), **ANA)
    assert written(space, act) == ["event.dismissed b-a", f"event.closed {case.name}"]
    assert [state(space, name) for name in "ab"] == [LIVE, LIVE]
    assert not is_disputed(space, "a") and not is_disputed(space, "b")


def candidate(space: Space, *names: str) -> Case:
    """A case of two facts of which nobody has said that they contradict each other. What finds such is still to come,
    so that it stands because the test says so."""
    with transaction.atomic():
        acts.begin(space)
        opening.write(space, [Finding(CANDIDATE, names, (), stands=True)])
    Case.objects.filter(space=space, kind=CANDIDATE).update(stands=True)
    return Case.objects.get(space=space, kind=CANDIDATE)


def test_both_hold_says_how_on_both_where_nobody_has_said_anything(space):
    case = candidate(space, "a", "e")
    counts = Fact.objects.filter(name__in="ae").order_by("name").values_list("r", "s", "state", "depth")
    stood = list(counts)
    words = Words(distinction="a in summer, e in winter", reason="Asked both.")
    act = decide(space, [case.name], "both hold", words=words, **ANA)
    assert written(space, act) == ["edge.contradicts e a removed", f"event.closed {case.name}"]
    for name in "ae":
        told = [each for each in history(stored.memory(space, name, NOW), name) if each.act == act]
        assert [each.note for each in told if each.kind == "edge.contradicts"] == [
            "a in summer, e in winter Asked both."
        ]
    assert list(counts.all()) == stood
    assert verify(space, rebuild=True) == []
    said = {"type": "edge", "from": "e", "to": "a", "relation": "contradicts", "by": "crawler"}
    said_since = acts.write(space, [said], now=NOW + 1)
    assert ["a", "e"] in open_cases(space)
    undo.undo(space, said_since, by="ana", now=NOW + 2)
    undo.undo(space, act, by="ana", now=NOW + 3)
    assert Case.objects.get(pk=case.pk).closed_at == NEVER


def test_neither_forgets_both(space):
    decide(space, [case_of(space, "a", "b").name], "neither", **ANA)
    assert [state(space, name) for name in "ab"] == [FORGOTTEN, FORGOTTEN]


def test_the_right_one_is_a_new_fact_that_is_accepted_and_updates_both(space):
    case = case_of(space, "a", "b")
    act = decide(space, [case.name], "write the right one", words=Words(text="It is neither."), **ANA)
    new = Line.objects.get(space=space, act=act, tag="fact").name
    assert written(space, act)[1:] == [
        f"event.accepted {new}",
        f"edge.updates {new} a",
        f"edge.updates {new} b",
        f"event.closed {case.name}",
    ]
    assert [Fact.objects.get(name=name).depth for name in ("a", "b", new)] == [1, 1, 0]


def test_what_is_no_contradiction_is_dismissed_and_stays_so_for_the_pair(space):
    decide(space, [case_of(space, "a", "b").name], "not a contradiction", **ANA)
    assert not is_disputed(space, "a")
    again = {"type": "edge", "from": "b", "to": "a", "relation": "contradicts", "by": "bot-b", "run": "another"}
    acts.write(space, [again], now=NOW + 1)
    assert open_cases(space) == [["c", "d"]]  # the same source says the same again


def test_who_had_not_said_it_reopens_a_closed_case_which_names_what_is_new(space):
    first = case_of(space, "a", "b")
    decide(space, [first.name], "not a contradiction", **ANA)
    said = {"type": "edge", "id": "news", "from": "a", "to": "b", "relation": "contradicts", "by": "crawler"}
    acts.write(space, [said], now=NOW + 1)
    again = case_of(space, "a", "b")
    assert again.name == first.name.removesuffix("1") + "2"
    assert json.loads(again.factors)["reopened_by"] == ["news"]
    assert verify(space, rebuild=True) == []


def test_a_case_keeps_the_factors_of_its_facts_and_the_constants_as_they_stood(space):
    case = case_of(space, "a", "b")
    factors = json.loads(case.factors)
    assert factors["facts"]["a"]["s"] == 1
    assert 0 < factors["facts"]["a"]["trust"] < 1
    assert factors["evidence"] == ["b-a"]
    assert case.constants_version == 1


def test_against_a_signed_fact_an_act_carries_its_own_ruling():
    space = signed(space_of(), *facts_of("a", "b"), edge("b", "contradicts", "a", 6, by="x", id="b-a"))
    case = case_of(space, "a", "b")
    act = decide(space, [case.name], "keep left", **ANA)
    assert written(space, act)[:2] == ["event.forgotten b", f"event.upheld {act}:1"]
    assert state(space, "b") == FORGOTTEN


def test_a_challenge_is_upheld_or_dismissed():
    space = space_of(
        *facts_of("a", "b", "c", tier="human"),
        event("contradicted", "a", 7, source="x", id="one"),
        event("contradicted", "b", 7, source="x", id="two"),
    )
    assert open_cases(space) == [["a"], ["b"]]
    decide(space, [case_of(space, "a").name], "uphold", **ANA)
    decide(space, [case_of(space, "b").name], "dismiss", **ANA)
    assert open_cases(space) == []
    assert [Fact.objects.get(name=name).s for name in "ab"] == [1, 0]


def test_what_a_forgotten_fact_had_superseded_asks_which_holds_now():
    space = space_of(*facts_of("a", "b"), edge("b", "updates", "a", 6, by="bot-b"))
    facts.forget(space, "b", **ANA)
    assert open_cases(space) == [["a", "b"]]
    decide(space, [case_of(space, "a", "b").name], "it holds", by="ana", now=NOW + 1)
    assert Fact.objects.get(name="a").accepted
    assert open_cases(space) == []


def test_an_orphan_that_a_person_accepts_elsewhere_needs_nobody_any_more():
    space = space_of(*facts_of("a", "b"), edge("b", "updates", "a", 6, by="bot-b"))
    facts.forget(space, "b", **ANA)
    facts.accept(space, "a", by="ana", now=NOW + 1)
    assert open_cases(space) == []
    with pytest.raises(Refusal, match="by itself"):
        decide(space, [Case.objects.get().name], "it holds", by="ana", now=NOW + 2)


def test_a_cycle_from_a_file_is_a_case_and_by_age_breaks_it():
    space = space_of(
        *facts_of("a", "b", "c"),
        edge("b", "updates", "a", 6, by="x"),
        edge("c", "updates", "b", 6, by="x"),
        edge("a", "updates", "c", 6, by="x"),
    )
    assert open_cases(space) == [["a", "b", "c"]]
    decide(space, [case_of(space, "a", "b", "c").name], "by age", **ANA)
    assert [Fact.objects.get(name=name).depth for name in "abc"] == [2, 1, 0]
    assert open_cases(space) == []


def test_a_signature_that_does_not_hold_is_a_case():
    space = signed(space_of(*facts_of("b")), *facts_of("a"), holds=False)
    assert open_cases(space) == [["a"]]
    decide(space, [case_of(space, "a").name], "it holds", **ANA)
    assert open_cases(space) == []


def test_who_comes_second_hears_who_decided_and_what(space):
    case = case_of(space, "a", "b").name
    decide(space, [case], "keep left", **ANA)
    with pytest.raises(Decided) as refused:
        decide(space, [case], "keep right", by="ben", now=NOW + 1)
    assert (refused.value.closing.by, refused.value.closing.verdict) == ("ana", "keep left")
    assert state(space, "a") == LIVE


def test_what_changed_since_the_case_was_shown_stops_a_verdict(space):
    case, seen = case_of(space, "a", "b").name, space.head_position
    facts.accept(space, "e", **ANA)  # which is none of its facts
    acts.write(space, [{"type": "event", "kind": "recalled", "fact": "a", "source": "x"}], now=NOW)
    said = {"type": "event", "id": "denied", "kind": "contradicted", "fact": "a", "source": "x", "run": "r"}
    acts.write(space, [said], now=NOW)
    with pytest.raises(Changed) as refused:
        decide(space, [case], "keep left", seen=seen, **ANA)
    assert [Line.objects.get(position=each).name for each in refused.value.positions] == ["denied"]
    space.refresh_from_db()
    decide(space, [case], "keep left", seen=space.head_position, **ANA)


def test_an_undo_since_stops_a_verdict_too(space):
    act = facts.accept(space, "a", **ANA)
    case, seen = case_of(space, "a", "b").name, space.head_position
    undo.undo(space, act, by="ben", now=NOW + 1)
    with pytest.raises(Changed):
        decide(space, [case], "keep left", seen=seen, by="ana", now=NOW + 2)


def test_a_batch_is_one_act_and_one_undo(space):
    before = state_hash(space)
    names = [case_of(space, "a", "b").name, case_of(space, "c", "d").name]
    act = decide(space, names, "keep left", **ANA)
    assert open_cases(space) == []
    undo.undo(space, act, by="ana", now=NOW + 1)
    assert open_cases(space) == [["a", "b"], ["c", "d"]]
    assert state_hash(space) == before
    assert verify(space, rebuild=True) == []


@pytest.mark.parametrize("verdict", verdicts.OFFERED["contradiction"])
def test_every_verdict_can_be_undone_and_then_nothing_is_left_of_it(space, verdict):
    before = state_hash(space)
    words = Words("So.", "Neither.", "at other times")
    act = decide(space, [case_of(space, "a", "b").name], verdict, words=words, **ANA)
    assert state_hash(space) != before
    undo.undo(space, act, by="ana", now=NOW + 1)
    assert state_hash(space) == before
    assert open_cases(space) == [["a", "b"], ["c", "d"]]


def test_a_failure_in_the_middle_leaves_the_case_open_and_both_facts_as_they_were(space, monkeypatch):
    before, head = state_hash(space), space.head_position
    case = case_of(space, "a", "b").name
    monkeypatch.setattr(verdicts.acts, "write", lambda *_, **__: (_ for _ in ()).throw(RuntimeError))
    with pytest.raises(RuntimeError):
        decide(space, [case], "keep left", **ANA)
    monkeypatch.undo()
    space.refresh_from_db()
    assert (state_hash(space), space.head_position) == (before, head)
    assert ["a", "b"] in open_cases(space)


def test_what_is_no_verdict_on_such_a_case_is_refused_by_name(space):
    with pytest.raises(Refusal, match='"uphold" is no verdict on this case; it is one of keep left'):
        decide(space, [case_of(space, "a", "b").name], "uphold", **ANA)


def test_a_pass_that_fades_a_side_takes_the_case_out_of_the_queue(space):
    constants.adopt(space, {"max_pass_gap_days": 99}, reason="", **ANA)
    for on in (102, 150):
        consolidation.consolidate(space, at=day(on), by="ana", now=day(on))
    assert open_cases(space) == []
    for name in "ab":
        facts.restore(space, name, by="ana", now=day(151))
    assert open_cases(space) == [["a", "b"]]
    assert verify(space, rebuild=True) == []


def test_that_two_contradict_each_other_is_taken_back_though_it_is_dated_ahead():
    space = space_of(*facts_of("a", "b"), edge("b", "contradicts", "a", 300, by="bot-b", arrived=6))
    decide(space, [case_of(space, "a", "b").name], "right updates left", **ANA)
    assert not is_disputed(space, "a")
    assert open_cases(space) == []


def test_a_verdict_that_comes_too_late_by_its_clock_is_refused_and_the_case_stays(space):
    for name, do in (("b", facts.forget), ("b", facts.restore)):
        do(space, name, by="ben", now=NOW + 10)
    before = state_hash(space)
    with pytest.raises(Refusal, match='what was said of "b" is dated later than 2026-04-12T09:00:00Z, and stands'):
        decide(space, [case_of(space, "a", "b").name], "keep left", **ANA)
    assert state_hash(space) == before
    assert ["a", "b"] in open_cases(space)


def closed_by_a_file(space: Space, of: str, on: float = 103) -> None:
    said = {"type": "event", "id": "forged", "kind": "closed", "of": of, "verdict": "keep left", "source": "ana"}
    taken(space, [json.dumps({**said, "at": to_text(day(2))}).encode() + b"\n"], now=day(on))


def test_a_file_closes_no_case_that_was_opened_here_in_whosever_name(space):
    closed_by_a_file(space, case_of(space, "a", "b").name)
    assert open_cases(space) == [["a", "b"], ["c", "d"]]
    decide(space, [case_of(space, "a", "b").name], "keep left", by="ana", now=day(104))
    assert open_cases(space) == [["c", "d"]]
    assert verify(space, rebuild=True) == []


def test_words_alone_close_no_case_that_a_verdict_decides(space):
    with pytest.raises(Refusal, match="a verdict that has an effect"):
        cases.close(space, case_of(space, "a", "b").name, "keep left", **ANA)


def test_no_more_cases_are_decided_at_once_than_were_shown(space):
    asked = Filter("contradiction")
    with pytest.raises(Refusal, match="more cases than were shown"):
        verdicts.decide_all(space, asked, "keep left", seen=space.head_position, shown=1, **ANA)
    verdicts.decide_all(space, asked, "keep left", seen=space.head_position, shown=2, **ANA)
    assert open_cases(space) == []
