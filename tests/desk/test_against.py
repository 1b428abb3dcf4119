"""What speaks against a fact stands at the top of its page, and whoever may decide rules on it there."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.actions.world import LATER, space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.desk.test_fact import page, section, undos_on
from tests.explanations.asked import memory
from tests.makers import day, edge, event, fact, feedback
from trustmem.actions import erasing, facts
from trustmem.core.lines import Baseline
from trustmem.desk.presenters.against import Against, against
from trustmem.explanations.explanation import explanation
from trustmem.store.models import Line, Role, Space, User
from trustmem.store.models.scores import BITS, Score

pytestmark = pytest.mark.django_db

TITLE = "What speaks against it"


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def told(*lines, name: str = "tea") -> Against:
    asked = memory(*lines, now=day(9))
    return against(asked, explanation(asked, name), "diary")


def rule(client: Client, space: Space, of: str, ruling: str, name: str = "tea", reason: str = ""):
    sent = {"of": of, "ruling": ruling, "rule-reason": reason}
    return client.post(reverse("rule", args=[space.name, name]), sent, follow=True)


def flagged(space: Space, flag: str) -> set[str]:
    scores = Score.objects.filter(fact__space=space).values_list("fact__name", "flags")
    return {name for name, flags in scores if flags & BITS[flag]}


def disputed() -> Space:
    return space_of(fact("tea"), fact("milk", 2), edge("milk", "contradicts", "tea", 2, id="clash", by="crm"))


def challenged() -> Space:
    lines = [fact("tea", tier="human"), fact("milk", 2), edge("milk", "updates", "tea", 2, id="change", by="crm")]
    return space_of(*lines, fact("rum", 3), edge("rum", "contradicts", "milk", 3, id="other"))


# What is told.


def test_a_contradiction_is_told_with_the_other_claim_by_whom_and_why(client):
    note = {"type": "edge", "from": "milk", "relation": "contradicts", "to": "tea", "by": "crm", "id": "e"}
    note |= {"run": "r7", "note": "Seen <in> the shop.", "at": "2026-01-02T09:00:00Z"}
    space = taken(space_of(fact("tea"), fact("milk")), [json.dumps(note).encode()])
    answer = page(client, space)
    shown = section(answer, TITLE)
    assert shown.startswith("Another claim contradicts it: What milk says. said by crm, ")
    assert "run r7 Seen <in> the shop. In force: it counts against both claims." in shown
    assert f'<a href="{reverse("fact", args=[space.name, "milk"])}"><bdi translate="no">What milk says.' in answer.text
    assert answer.text.index(f">{TITLE}<") < answer.text.index(">Why<")


@pytest.mark.parametrize(
    ("line", "what", "stands"),
    [
        (event("contradicted", "tea", source="mail"), "It was said to be wrong", "counts against this claim."),
        (feedback("corrected", "tea", source="mail"), "It was corrected by feedback", "counts against this claim."),
        (edge("milk", "updates", "tea"), "A newer claim holds", "the newer claim stands above this one."),
        (edge("milk", "contradicts", "tea"), "Another claim contradicts it", "it counts against both claims."),
    ],
)
def test_what_is_in_force_can_be_dismissed(line, what, stands):
    (stated,) = told(fact("tea"), fact("milk"), line).first
    assert stated.what == what
    assert stated.stands.startswith("In force: ")
    assert stated.stands.endswith(stands)
    assert [each.button for each in stated.rulings] == ["Dismiss it"]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (event("contradicted", "tea", source="mail"), "It was said to be wrong"),
        (feedback("corrected", "tea", source="mail"), "It was corrected by feedback"),
        (event("forgotten", "tea", source="mail"), "It is to be forgotten"),
        (edge("milk", "updates", "tea"), "Another claim is to take its place"),
        (edge("milk", "contradicts", "tea"), "Another claim is said to contradict it"),
    ],
)
def test_what_waits_can_be_upheld_or_dismissed(line, what):
    (stated,) = told(fact("tea", tier="human"), fact("milk"), line).first
    assert stated.what == what
    assert stated.stands.startswith("Waits for a ruling")
    assert [each.button for each in stated.rulings] == ["Uphold it", "Dismiss it"]


def test_what_waits_stands_first_and_the_rest_is_one_click_away():
    late = [event("contradicted", "tea", on, source=f"s{on}", tier="human") for on in range(2, 20)]
    waits = event("contradicted", "tea", 1, source="mail")
    shown = told(fact("tea", tier="human"), *late, waits)
    assert [each.by for each in shown.first] == ["mail", "s19", "s18"]
    assert (len(shown.then), shown.show) == (9, "Show 9 more")
    assert shown.more == "and 7 more, in its history"
    assert len({each.form.auto_id for stated in shown.first + shown.then for each in stated.rulings}) == 13


def test_what_was_upheld_says_so_and_what_was_dismissed_or_withdrawn_is_no_more():
    lines = [fact("tea", tier="human"), event("contradicted", "tea", id="e", source="mail")]
    (stated,) = told(*lines, event("upheld", of="e", on=2)).first
    assert stated.stands == "In force: it counts against this claim. A person upheld it."
    assert not told(*lines, event("dismissed", of="e", on=2))


def test_claims_further_up_the_chain_do_not_speak_against_it_themselves():
    edges = [edge("milk", "updates", "tea", 1), edge("rum", "updates", "milk", 2), edge("tea", "updates", "old", 1)]
    lines = [fact("old"), fact("tea"), fact("milk"), fact("rum"), *edges]
    assert ["What milk says." in str(each.other) for each in told(*lines).first] == [True]


def test_a_newer_claim_that_is_forgotten_does_not_hold():
    lines = [fact("tea"), fact("milk"), edge("milk", "updates", "tea"), event("forgotten", "milk", 2)]
    assert not told(*lines)


def test_where_nothing_speaks_against_it_there_is_no_such_part(client):
    assert TITLE not in page(client, space_of(fact("tea"), event("corroborated", "tea", source="crm"))).text


def test_contradictions_that_came_as_a_count_are_told_as_that():
    shown = told(fact("tea", baseline=Baseline(contradictions=2)))
    assert shown.before == "2 contradictions came as a mere count, which names nobody."
    assert shown.first == []


def test_nothing_is_told_against_what_is_erased(client):
    space = disputed()
    erasing.erase(space, "tea", by="ana", now=LATER + 1, reason="")
    assert TITLE not in page(client, space).text


def test_it_says_what_each_act_would_do():
    acts = told(fact("tea", tier="human"), fact("milk"), edge("milk", "contradicts", "tea")).acts
    assert [each.split()[0] for each in acts] == ["Accept", "Correct", "Forget", "Dismiss", "Uphold"]
    acts = told(fact("tea"), fact("milk"), edge("milk", "updates", "tea")).acts
    assert acts[1] == "Correct the newer claim if that is wrong: this one has had its correction."
    assert [each.split()[0] for each in told(fact("tea"), event("forgotten", "tea"), *_wrong()).acts] == ["Dismiss"]


def _wrong():
    return [event("contradicted", "tea", source="mail")]


# Rulings.


def test_dismissing_a_contradiction_takes_the_flag_off_both_facts_and_undo_brings_it_back(client):
    space = disputed()
    assert flagged(space, "disputed") == {"tea", "milk"}
    answer = rule(client, space, "clash", "dismissed", reason="A joke.")
    assert answer.redirect_chain == [(reverse("fact", args=[space.name, "tea"]), 302)]
    assert "Dismissed: it counts as if it had never been said." in answer.text
    assert TITLE not in answer.text
    assert "A joke." in answer.text
    assert flagged(space, "disputed") == set()
    client.post(reverse("undo", args=[space.name]), {"act": undos_on(answer)[0]})
    assert flagged(space, "disputed") == {"tea", "milk"}
    assert TITLE in page(client, space).text


def test_a_contradiction_can_be_dismissed_from_either_of_its_ends(client):
    space = disputed()
    rule(client, space, "clash", "dismissed", name="milk")
    assert flagged(space, "disputed") == set()


def test_upholding_a_challenge_puts_it_in_force(client):
    space = challenged()
    assert flagged(space, "superseded") == set()
    answer = rule(client, space, "change", "upheld")
    assert "Upheld: it is in force now." in answer.text
    assert section(answer, TITLE).startswith("A newer claim holds: What milk says.")
    assert "A person upheld it." in section(answer, TITLE)
    assert flagged(space, "superseded") == {"tea"}


def test_a_newer_claim_can_be_dismissed(client):
    space = space_of(fact("tea"), fact("milk"), edge("milk", "updates", "tea", id="change"))
    rule(client, space, "change", "dismissed")
    assert flagged(space, "superseded") == set()


def test_the_page_sends_what_the_ruling_takes(client):
    space = challenged()
    form = re.findall(r'<form method="post" action="[^"]*/rule/">.*?</form>', page(client, space).text, re.DOTALL)
    sent = [dict(re.findall('name="(of|ruling)" value="([^"]*)"', each)) for each in form]
    assert sent == [{"of": "change", "ruling": "upheld"}, {"of": "change", "ruling": "dismissed"}]
    assert all('name="rule-reason"' in each for each in form)


def test_a_reader_sees_what_speaks_against_it_and_rules_on_nothing(client_of, member: MemberOf):
    space = disputed()
    reader = client_of(member(space, Role.READER))
    answer = page(reader, space)
    assert TITLE in answer.text
    assert "/rule/" not in answer.text
    lines = Line.objects.count()
    assert rule(reader, space, "clash", "dismissed").status_code == 403
    assert Line.objects.count() == lines


@pytest.mark.parametrize("of", ["change", "elsewhere", "nothing", "tea", "", "a\0b", "x" * 5000])
def test_what_is_no_statement_against_this_fact_is_refused(client, of):
    space = space_of(fact("tea", tier="human"), fact("milk"), edge("milk", "updates", "tea", id="change"))
    space_of(fact("tea"), event("contradicted", "tea", id="elsewhere"), name="other")
    lines = Line.objects.count()
    answer = rule(client, space, of, "dismissed", name="milk")
    assert "Not done: There is no such statement against this fact." in re.sub("</?b>", "", answer.text)
    assert Line.objects.count() == lines


def test_what_harms_nothing_is_refused(client):
    space = space_of(fact("tea"), event("corroborated", "tea", id="e", source="crm"))
    assert "harms no fact" in rule(client, space, "e", "dismissed").text


def test_the_same_ruling_a_second_time_is_refused(client):
    space = disputed()
    rule(client, space, "clash", "dismissed")
    assert "is dismissed already" in rule(client, space, "clash", "dismissed").text


@pytest.mark.parametrize("ruling", ["", "closed", "accepted"])
def test_what_is_no_ruling_is_not_understood(client, ruling):
    space = disputed()
    answer = rule(client, space, "clash", ruling)
    assert answer.status_code == 400
    assert "A ruling upholds or dismisses." in answer.text


def test_a_reason_that_is_far_too_long_is_not_understood(client):
    assert rule(client, disputed(), "clash", "dismissed", reason="x" * 2001).status_code == 400


def test_a_fact_that_is_forgotten_can_still_be_ruled_on(client):
    space = disputed()
    facts.forget(space, "tea", by="ana", now=LATER + 1)
    assert "Dismissed" in rule(client, space, "clash", "dismissed").text
