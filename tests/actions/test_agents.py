"""What agents do: they remember, relate, flag and forget their own; and nothing of it certifies anything."""

import json

import pytest

from tests.actions.world import LATER, signed, space_of
from tests.makers import fact
from trustmem.actions import agents, erasing, facts, tombstones, undo, verdicts
from trustmem.actions.errors import Refusal
from trustmem.actions.speakers import Speaker
from trustmem.core.instants import NEVER
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.store.cases import FORGET_WISH, kind_of
from trustmem.store.models import Case, Fact, Queued, Space, Text, Touch

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


def say(space, text, source="bot", run="", now=LATER, **said):
    return agents.remember(Speaker(space, source, run), {"text": text, **said}, now=now)


def test_what_is_new_is_a_fact_of_the_source_of_the_token(space):
    told = say(space, "Ana lives in Porto.", subject="Ana")
    row = Fact.objects.get(space=space, name=told.fact)
    assert (told.status, row.source, row.text, row.subject, row.tier) == ("new", "bot", "Ana lives in Porto.", "Ana", 0)


def test_what_says_the_same_is_a_touch_of_the_fact_that_is_there(space):
    first = say(space, "Ana lives in Porto.")
    again = say(space, "ana lives in porto", source="other", now=LATER + 10)
    assert (again.status, again.fact) == ("restated", first.fact)
    row = Fact.objects.get(space=space, name=first.fact)
    assert (row.r, Touch.objects.filter(fact=row).count()) == (1, 1)
    assert Fact.objects.filter(space=space).count() == 2


def test_045_five_times_in_one_sitting_is_once(space):
    first = say(space, "The lamp is on pier three.", run="r0")
    for place in range(5):
        say(space, "The lamp is on pier three.", run="r1", now=LATER + 1 + place)
    row = Fact.objects.get(space=space, name=first.fact)
    assert (row.evidence, row.r) == (1, 1)


def test_what_may_be_in_conflict_is_a_fact_of_its_own_and_the_agent_is_told(space):
    first = say(space, "The rate limit is 40 a minute.")
    told = say(space, "The rate limit is 60 a minute.", source="other")
    assert told.status == "new"
    assert [each.fact for each in told.alike] == [first.fact]
    row = Fact.objects.get(space=space, name=first.fact)
    assert (row.r, row.s, row.evidence) == (0, 0, 0)


def test_what_a_person_forgot_is_refused_with_a_receipt(space):
    first = say(space, "Ana lives in Porto.")
    facts.forget(space, first.fact, by="ana", now=LATER + 1)
    told = say(space, "ANA LIVES IN PORTO", source="other", now=LATER + 2)
    assert (told.status, told.fact) == ("refused", "")
    assert "was forgotten by" in told.reason
    assert Fact.objects.filter(space=space).count() == 2
    tombstones.lift(space, told.tombstone, by="ana", now=LATER + 3)
    assert say(space, "Ana lives in Porto!", now=LATER + 4).status == "new"


def test_the_same_id_with_the_same_words_is_known_and_with_others_refused(space):
    bot = Speaker(space, "bot")
    first = agents.remember(bot, {"text": "Tea is hot."}, now=LATER, id="mine")
    again = agents.remember(bot, {"text": "Tea is hot."}, now=LATER + 1, id="mine")
    assert (first.status, again.status, again.fact) == ("new", "known", "mine")
    with pytest.raises(Refusal, match=r'^the space "diary" has a "mine" already, which says something else$'):
        agents.remember(bot, {"text": "Tea is cold."}, now=LATER + 2, id="mine")


@pytest.mark.parametrize("said", [{"text": ""}, {"text": "x" * 100_001}, {"text": "Tea.", "producer": "nobody"}])
def test_what_cannot_be_said_is_refused_in_a_sentence(space, said):
    with pytest.raises(Refusal):
        agents.remember(Speaker(space, "bot"), said, now=LATER)
    assert Fact.objects.filter(space=space).count() == 1


def test_one_unsigned_update_of_a_signed_fact_waits_for_a_person(space):
    signed(space, fact("motto", source="ana"))
    planted = say(space, "The motto is another one.", source="eve")
    _, counts = agents.relate(Speaker(space, "eve"), planted.fact, "updates", "motto", now=LATER + 1)
    row = Fact.objects.get(space=space, name="motto")
    assert (counts, row.depth, row.challenged) == (False, 0, True)
    _, counts = agents.flag(Speaker(space, "eve"), "motto", now=LATER + 2)
    assert (counts, Fact.objects.get(space=space, name="motto").s) == (False, 0)


def test_an_agent_relates_what_nobody_vouches_for(space):
    a, b = say(space, "The limit is 40."), say(space, "The limit is now 60, raised in May.")
    _, counts = agents.relate(Speaker(space, "bot"), b.fact, "updates", a.fact, now=LATER + 1)
    assert (counts, Fact.objects.get(space=space, name=a.fact).depth) == (True, 1)
    with pytest.raises(Refusal, match=r"^it would close a circle: "):
        agents.relate(Speaker(space, "bot"), a.fact, "updates", b.fact, now=LATER + 2)
    with pytest.raises(Refusal, match=r"^a fact cannot update itself$"):
        agents.relate(Speaker(space, "bot"), a.fact, "updates", a.fact, now=LATER + 2)


def test_an_agent_forgets_its_own_and_asks_a_person_for_the_rest(space):
    mine, other = say(space, "Ana lives in Porto."), say(space, "Ben likes tea.", source="other")
    assert agents.forget(Speaker(space, "bot"), mine.fact, now=LATER + 1).act
    assert Fact.objects.get(space=space, name=mine.fact).state == FORGOTTEN
    facts.accept(space, other.fact, by="ana", now=LATER + 1)
    before = Fact.objects.filter(name__in=(other.fact, "tea")).values()
    for name in (other.fact, "tea"):
        told = agents.forget(Speaker(space, "bot", "r1"), name, now=LATER + 2, reason="He said so.")
        assert told.act == ""
        case = Case.objects.get(space=space, name=told.case)
        assert (kind_of(case.key), case.facts, case.at, case.closed_at) == (FORGET_WISH, [name], LATER + 2, NEVER)
        assert json.loads(case.factors)["note"] == "He said so."
        assert Queued.objects.get(case=case).source == "bot"
        assert agents.forget(Speaker(space, "eve"), name, now=LATER + 3).case == case.name
    assert list(Fact.objects.filter(name__in=(other.fact, "tea")).values()) == list(before)


def test_a_person_decides_on_a_wish_and_that_can_be_undone(space):
    bot, case = Speaker(space, "bot"), agents.forget(Speaker(space, "bot"), "tea", now=LATER + 1).case
    act = verdicts.decide(space, [case], "forget it", by="ana", now=LATER + 2)
    assert Fact.objects.get(space=space, name="tea").state == FORGOTTEN
    undo.undo(space, act, by="ana", now=LATER + 3)
    assert (Fact.objects.get(space=space, name="tea").state, Case.objects.get(name=case).closed_at) == (LIVE, NEVER)
    verdicts.decide(space, [case], "it holds", by="ana", now=LATER + 4)
    with pytest.raises(Refusal, match=r'^ana was asked, and decided at .*: "it holds"$'):
        agents.forget(bot, "tea", now=LATER + 5)
    assert not Queued.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_an_agent_said_of_why_is_erased_with_the_fact(space):
    agents.forget(Speaker(space, "bot"), "tea", now=LATER + 1, reason="The vault code is 4711.")
    assert Text.objects.filter(body__contains="4711").exists()
    erasing.erase(space, "tea", by="ana", now=LATER + 2, reason="So.")
    assert not Text.objects.filter(body__contains="4711").exists()
    assert not Case.objects.filter(factors__contains="4711").exists()
