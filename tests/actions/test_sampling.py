"""The calibration sample: which facts are drawn, that nobody draws one twice, and what becomes of what is drawn."""

import json
from collections import Counter

import pytest

from tests.actions.world import space_of, taken
from tests.makers import day, event, fact
from trustmem.actions import consolidation, exports, facts, lots, outcomes, queue, refresh, spaces, undo
from trustmem.actions import verdicts as deciding
from trustmem.actions.errors import Refusal
from trustmem.actions.sampling import draw
from trustmem.actions.verdicts import OFFERED, Decided, decide
from trustmem.actions.verify import verify
from trustmem.core.vocabulary import BANDS
from trustmem.store import queue as listed
from trustmem.store.cases import SAMPLE
from trustmem.store.models import Case, Fact, Line, Outcome, Queued, Score, Space
from trustmem.store.queue import Filter
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

ANA = {"by": "ana", "now": day(101)}


@pytest.fixture
def space() -> Space:
    """Facts that are very low, low and high: of the last there are two."""
    old = [fact(f"old{number:02}", number / 100) for number in range(20)]
    lately = [fact(f"new{number:02}", 80 + number / 100) for number in range(20)]
    heard = [fact(f"sure{number}", 99) for number in range(2)]
    said = [
        event("corroborated", f"sure{number}", 99.5, source=source) for number in range(2) for source in ("x", "y", "z")
    ]
    found = space_of(*old, *lately, *heard, *said)
    refresh.refresh(found, now=day(100.5))
    return found


def there(space: Space) -> Counter[str]:
    return Counter(BANDS[band] for band in Score.objects.filter(space=space).values_list("band", flat=True))


def drawn(space: Space) -> dict[str, str]:
    """The facts that are asked about, each with its band."""
    rows = Case.objects.filter(space=space, kind=SAMPLE).values_list("facts", "factors")
    return {names[0]: json.loads(factors)["sample"]["band"] for names, factors in rows}


def test_as_many_of_each_band_are_drawn_and_what_a_band_lacks_goes_to_the_others(space):
    assert there(space) == {"very low": 20, "low": 20, "high": 2}
    draw(space, 12, **ANA)
    assert Counter(drawn(space).values()) == {"very low": 5, "low": 5, "high": 2}


def test_fewer_facts_than_are_asked_for_are_all_of_them_and_then_there_is_none(space):
    draw(space, 1000, **ANA)
    assert len(drawn(space)) == 42
    with pytest.raises(Refusal, match="every live fact was drawn before"):
        draw(space, 1, **ANA)
    assert verify(space, rebuild=True) == []


@pytest.mark.parametrize("size", [0, -1, 1001])
def test_a_size_that_cannot_be_is_refused_and_writes_nothing(space, size):
    head = space.head_position
    with pytest.raises(Refusal, match="from 1 to 1000"):
        draw(space, size, **ANA)
    space.refresh_from_db()
    assert space.head_position == head


def test_of_an_empty_space_nothing_is_drawn():
    with pytest.raises(Refusal, match="or there is none"):
        draw(spaces.create("empty"), 5, **ANA)


def test_no_fact_is_drawn_twice_be_it_that_its_case_is_open_or_decided(space):
    for number in range(4):
        before = set(drawn(space))
        draw(space, 6, by="ana", now=day(101 + number))
        fresh = set(drawn(space)) - before
        assert len(fresh) == 6
        decide(space, [_case_of(space, min(fresh))], "it holds", by="ana", now=day(101 + number))


def _case_of(space: Space, name: str) -> str:
    return Case.objects.get(space=space, kind=SAMPLE, facts=[name]).name


def test_only_what_is_live_is_drawn(space):
    for name in ("sure0", "old00"):
        facts.forget(space, name, **ANA)
    consolidation.consolidate(space, by="ana", now=day(102))
    live = set(Fact.objects.filter(space=space, state=0).values_list("name", flat=True))
    draw(space, 1000, by="ana", now=day(103))
    assert set(drawn(space)) == live and "sure0" not in live


def test_the_same_seed_draws_the_same_and_another_draws_another(space):
    act = draw(space, 9, seed="a", **ANA)
    first = drawn(space)
    undo.undo(space, act, by="ana", now=day(101))
    act = draw(space, 9, seed="b", **ANA)
    assert drawn(space) != first
    undo.undo(space, act, by="ana", now=day(101))
    draw(space, 9, seed="a", **ANA)
    assert drawn(space) == first


def test_each_case_says_by_whom_and_by_which_seed_it_was_drawn_and_of_how_many(space):
    draw(space, 3, seed="oak", **ANA)
    for case in Case.objects.filter(kind=SAMPLE):
        told = json.loads(case.factors)
        band = told["facts"][case.facts[0]]["band"]
        assert told["sample"] == {"seed": "oak", "by": "ana", "band": band, "of": there(space)[band]}
        assert case.constants_version == 1 and case.at == day(101)
    draw(space, 3, **ANA)
    seeds = {json.loads(each.factors)["sample"]["seed"] for each in Case.objects.filter(kind=SAMPLE)}
    assert len(seeds) == 2 and all(seeds)


def test_a_draw_without_a_seed_is_another_each_time(space):
    found = set()
    for _ in range(4):
        act = draw(space, 9, **ANA)
        found.add(frozenset(drawn(space)))
        undo.undo(space, act, **ANA)
    assert len(found) > 1


def test_every_fact_of_a_band_is_as_likely_to_be_drawn(space):
    """Over many seeds, none of twenty facts comes far from its share."""
    names = [f"old{number:02}" for number in range(20)]
    times = Counter(min(names, key=lambda name: lots.lot(str(seed), name)) for seed in range(4000))
    assert all(150 < times[name] < 250 for name in names)


def test_they_stand_in_the_queue_with_their_verdicts(space):
    draw(space, 4, **ANA)
    assert listed.kinds(space, Filter())[SAMPLE] == (4, False)
    assert {each.case.kind for each in listed.at(listed.keys(space, Filter(SAMPLE)))} == {SAMPLE}
    assert OFFERED[SAMPLE] == ("it holds", "forget it", "write the right one")


def in_order(space: Space) -> list[str]:
    return [each.case.facts[0] for each in listed.page(space, Filter(), size=100).rows]


def test_they_come_after_all_that_has_something_at_stake_in_an_order_by_lot_that_the_seed_gives_again(space):
    said = {"type": "edge", "id": "said", "from": "old01", "to": "old00", "relation": "contradicts", "by": "x"}
    taken(space, [json.dumps(said | {"run": "r", "at": "2026-01-07T09:00:00Z"}).encode() + b"\n"], day(100.7))
    act = draw(space, 42, seed="oak", **ANA)
    order = in_order(space)
    assert order[0] == "old00" and len(order) == 43
    assert order[1:] == sorted(order[1:], key=lambda name: lots.turn("oak", name), reverse=True)
    refresh.refresh(space, now=day(150))
    assert queue.reweigh(space, now=day(160)) == 0 and in_order(space) == order
    assert verify(space, rebuild=True) == []
    undo.undo(space, act, by="ana", now=day(161))
    draw(space, 42, seed="oak", by="ana", now=day(162))
    assert in_order(space) == order


def test_no_band_has_its_turn_before_another_be_it_that_few_of_its_facts_are_drawn_or_all(space):
    """Of a large band only low lots are drawn: by them, the facts of a small one would all come first."""
    sparse, whole = 0, 0
    for seed in map(str, range(200)):
        names = sorted((f"fact {place}" for place in range(500)), key=lambda name: lots.lot(seed, name))[:10]
        turns = [(lots.turn(seed, name), True) for name in names]
        turns += [(lots.turn(seed, f"rare {place}"), False) for place in range(10)]
        first = sorted(turns, reverse=True)[:10]
        sparse, whole = sparse + sum(is_of for _, is_of in first), whole + sum(not is_of for _, is_of in first)
    assert abs(sparse - whole) < 200


def test_nobody_decides_them_all_alike_unseen(space):
    draw(space, 4, **ANA)
    assert deciding.of_many(SAMPLE) == ()
    names = list(Case.objects.filter(kind=SAMPLE).values_list("name", flat=True))
    told = {"by": "ana", "now": day(102)}
    with pytest.raises(Refusal, match="judged one by one"):
        deciding.decide_all(space, Filter(SAMPLE), "it holds", seen=space.head_position, shown=4, **told)
    with pytest.raises(Refusal, match="judged one by one"):
        decide(space, names, "it holds", **told)
    assert Queued.objects.filter(space=space).count() == 4


def test_it_is_one_act_that_is_undone_and_brought_back(space):
    before = state_hash(space)
    act = draw(space, 8, seed="oak", **ANA)
    after, names = state_hash(space), drawn(space)
    back = undo.undo(space, act, by="ana", now=day(102))
    assert state_hash(space) == before and drawn(space) == {} and not Queued.objects.filter(space=space).exists()
    undo.undo(space, back, by="ana", now=day(103))
    assert state_hash(space) == after and drawn(space) == names
    assert verify(space, rebuild=True) == []


def test_what_is_drawn_again_since_a_draw_was_undone_is_asked_about_once_when_that_is_brought_back(space):
    act = draw(space, 8, seed="oak", **ANA)
    back = undo.undo(space, act, by="ana", now=day(102))
    draw(space, 8, seed="oak", by="ana", now=day(103))
    undo.undo(space, back, by="ana", now=day(104))
    assert Case.objects.filter(kind=SAMPLE).count() == 16
    assert Queued.objects.filter(space=space).count() == 8
    first = Case.objects.filter(kind=SAMPLE, stands=True).first()
    decide(space, [first.name], "it holds", by="ana", now=day(105))
    assert Queued.objects.filter(space=space).count() == 7
    assert verify(space, rebuild=True) == []


def test_it_rests_while_its_fact_is_gone(space):
    draw(space, 42, **ANA)
    act = facts.forget(space, "sure0", **ANA)
    assert Queued.objects.filter(space=space).count() == 41
    undo.undo(space, act, **ANA)
    assert Queued.objects.filter(space=space).count() == 42


def test_what_is_found_of_it_is_an_outcome_that_was_sampled(space):
    draw(space, 42, **ANA)
    for name, verdict in (("sure0", "it holds"), ("old00", "forget it")):
        decide(space, [_case_of(space, name)], verdict, by="ben", now=day(102))
    facts.accept(space, "sure1", by="ben", now=day(102))
    outcomes.collect(space, now=day(103))
    found = {each.fact: each for each in Outcome.objects.all()}
    assert {name: (each.right, each.sampled) for name, each in found.items()} == {
        "sure0": (True, True),
        "old00": (False, True),
        "sure1": (True, False),
    }
    assert found["sure0"].asked_at == day(101) and BANDS[found["old00"].band] == "very low"


def test_two_who_decide_the_same_one_find_it_once(space):
    draw(space, 42, **ANA)
    decide(space, [_case_of(space, "sure0")], "it holds", **ANA)
    with pytest.raises(Decided):
        decide(space, [_case_of(space, "sure0")], "forget it", by="ben", now=day(102))


def test_an_export_brings_the_sample_with_it(space):
    draw(space, 9, seed="oak", **ANA)
    decide(space, [_case_of(space, min(drawn(space)))], "it holds", by="ana", now=day(102))
    told, names, hash = list(exports.export(space)), drawn(space), state_hash(space)
    Space.objects.filter(pk=space.pk).update(name="elsewhere")
    copy = taken(spaces.create("copy"), told, day(120))
    assert drawn(copy) == names and state_hash(copy) == hash
    assert Queued.objects.filter(space=copy).count() == 8
    draw(copy, 1000, by="ana", now=day(121))
    assert len(drawn(copy)) == 42


def test_what_another_file_calls_a_sample_is_none(space):
    forged = {"type": "case", "id": "case:calibration-sample:0123456789abcdef:1", "kind": SAMPLE, "facts": ["sure0"]}
    taken(space, [json.dumps(forged | {"at": "2026-04-01T00:00:00Z"}).encode() + b"\n"], day(101))
    assert not Queued.objects.filter(space=space).exists()
    draw(space, 1000, by="ana", now=day(102))
    assert Queued.objects.filter(space=space).count() == 42
    assert Line.objects.filter(space=space, tag="case").count() == 43
