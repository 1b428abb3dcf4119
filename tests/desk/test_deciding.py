"""Deciding one case after the other at the desk: what leads on, what stops a verdict, and what takes it back."""

import json
import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.actions.test_verdicts import case_of, facts_of
from tests.actions.world import space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.desk.test_case_page import docked, read
from tests.makers import edge
from trustmem.actions import acts, facts, undo, verdicts
from trustmem.actions.handouts import hand_out, skip
from trustmem.core.instants import MICROSECONDS_PER_DAY, NEVER, to_datetime
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.desk import clock
from trustmem.store.models import Case, Fact, Handout, Line, Role, SetAside, Space, User
from trustmem.store.queue import Filter

pytestmark = pytest.mark.django_db

NAMES = ("ab", "cd", "ef")


@pytest.fixture
def space() -> Space:
    """Three pairs that contradict each other."""
    told = [edge(new, "contradicts", old, 6, by=f"bot-{new}", id=f"{new}-{old}") for old, new in NAMES]
    return space_of(*facts_of(*"abcdef"), *told)


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def at(name: str, case: Case, query: str = "") -> str:
    return reverse(name, args=[Space.objects.get().name, case.name]) + query


def queue_of(space: Space) -> str:
    return f"?kind=contradiction&upto={space.head_position}"


def decide(client: Client, case: Case, verdict: str = "keep left", query: str = "", **said: object) -> HttpResponse:
    seen = {"seen": Space.objects.get().folded_to}
    return client.post(at("case-decide", case, query), {"verdict": verdict, **seen, **said})


def order(space: Space) -> list[Case]:
    """The cases in the order in which they are handed out."""
    found = []
    for _ in NAMES:
        case = hand_out(space, Filter("contradiction"), by="nobody", now=clock.now())
        skip(space, case.name, by="nobody", now=clock.now())
        found.append(case)
    SetAside.objects.all().delete()
    Handout.objects.all().delete()
    return found


def closed(case: Case) -> bool:
    case.refresh_from_db()
    return case.closed_at != NEVER


# On to the next


def test_a_verdict_leads_to_the_next_case_of_what_one_goes_through_which_is_then_in_hand(client, space):
    first, second, _ = order(space)
    query = queue_of(space)
    answer = decide(client, first, query=query, reason="So I think.")
    assert answer.url == at("case", second, query)
    assert Handout.objects.get().case == second.name
    text = read(client.get(answer.url).text)
    assert f"Decided: keep left, “What {first.facts[0]} says.” Undo" in text
    assert closed(first) and not closed(second)


def test_the_last_leads_to_the_queue(client, space):
    cases, query = order(space), queue_of(space)
    answers = [decide(client, case, query=query) for case in cases]
    assert answers[-1].url == reverse("review", args=[space.name]) + query


def test_how_far_one_is_stands_on_top(client, space):
    first, second, _ = order(space)
    query = queue_of(space)
    assert "1 of 3" in read(client.get(at("case", first, query)).text)
    decide(client, first, query=query)
    said = [{"type": "fact", "id": name, "text": name, "source": name} for name in "xyz"]
    said += [{"type": "edge", "from": "x", "to": each, "relation": "contradicts", "by": "x"} for each in "yz"]
    acts.write(space, said, now=clock.now())
    text = client.get(at("case", second, query)).text
    assert "2 of 3" in read(text) and "2 new since you began" in read(text)
    assert 'aria-valuenow="33"' in text
    assert "of 3" not in read(client.get(at("case", second)).text)  # nobody says since when


def test_skipping_leads_on_and_leaves_the_case(client, space):
    first, second, _ = order(space)
    answer = client.post(at("case-skip", first, queue_of(space)))
    assert answer.url == at("case", second, queue_of(space))
    assert f"Skipped for now: “What {first.facts[0]} says.”" in read(client.get(answer.url).text)
    assert not closed(first)


def undone_at_once(client, text: str) -> HttpResponse:
    """By the form of the first notice, which its key sends."""
    return client.post(
        re.findall(r'(?s)<div class="notice success".*?<form[^>]* action="([^"]*)"', text)[0].replace("&amp;", "&")
    )


def test_what_was_skipped_or_snoozed_last_is_taken_back_at_once_as_a_decision_is(client, space):
    first = order(space)[0]
    for name, said in (("case-skip", {}), ("case-snooze", {"until": "2999-01-01T06:00"})):
        text = client.get(client.post(at(name, first, queue_of(space)), said).url).text
        assert len(re.findall('<button [^>]*data-key="u">Undo', text)) == 1
        assert undone_at_once(client, text).url == at("case", first, queue_of(space))
        assert not SetAside.objects.exists()


def test_whoever_has_skipped_all_that_is_left_is_told_so_and_goes_round(client, space):
    told = "You have skipped all that is left: here they come again."
    first, second, third = order(space)
    pages = [client.post(at("case-skip", each, queue_of(space)), follow=True) for each in (first, second, third)]
    assert [told in page.text for page in pages] == [False, False, True]
    assert pages[-1].redirect_chain[-1][0] == at("case", first, queue_of(space))
    assert told in client.post(reverse("review-next", args=[space.name]), follow=True).text
    client.post(at("case-take-up", second))
    assert told not in client.post(reverse("review-next", args=[space.name]), follow=True).text


def test_a_case_is_put_aside_until_a_moment_for_everybody(client, space):
    first, second, _ = order(space)
    text = client.get(at("case", first)).text
    offered = re.findall(r'name="until" value="(.*?)"', docked(text))
    tomorrow = to_datetime(clock.now() + MICROSECONDS_PER_DAY)
    assert offered[0] == f"{tomorrow:%Y-%m-%d}T06:00"
    answer = client.post(at("case-snooze", first), {"until": offered[0]})
    assert answer.url == at("case", second)
    assert f"Snoozed until {tomorrow:%Y-%m-%d} 06:00 UTC: “What" in read(client.get(answer.url).text)
    assert SetAside.objects.get().by == ""


@pytest.mark.parametrize("until", ["", "x", "2026-13-01T00:00", "2001-01-01T00:00"])
def test_a_moment_that_is_none_or_has_been_puts_nothing_aside(client, space, until):
    first = order(space)[0]
    answer = client.post(at("case-snooze", first), {"until": until}, follow=True)
    assert "Not done:" in read(answer.text)
    assert not SetAside.objects.exists()


# What stops a verdict


def test_079_who_comes_second_sees_whose_decision_it_was_when_and_what_and_can_undo_it_and_decide(
    client, client_of, member: MemberOf, space
):
    case = case_of(space, "a", "b")
    ben = client_of(member(space, Role.REVIEWER))
    decide(ben, case, "keep right", reason="Seen at the door.")
    answer = decide(client, case, "keep left")
    assert answer.status_code == 409
    text = read(answer.text)
    first = r"Not done: somebody was first. some-reviewer decided this just now 2\S+ \S+ UTC : keep right"
    assert re.search(first, text)
    assert "“Seen at the door.” What you sent: keep left Undo that and decide" in text
    assert Fact.objects.get(name="a").state == FORGOTTEN
    act = re.findall(r'overtaken".*?name="act" value="(.*?)"', answer.text, re.S)[0]
    answer = client.post(at("case-undo", case), {"act": act}, follow=True)
    assert "the case is open again" in read(answer.text)
    assert 'name="verdict" value="keep left"' in docked(answer.text)
    assert Handout.objects.get(case=case.name).by == "owner"
    assert decide(client, case, "keep left").status_code == 302
    assert Fact.objects.get(name="a").state == LIVE


def test_what_changed_since_the_page_was_made_is_said_and_the_case_stands_to_be_decided_anew(client, space):
    case, seen = case_of(space, "a", "b"), space.folded_to
    said = {"type": "event", "kind": "contradicted", "fact": "a", "source": "x", "note": "The sign is gone."}
    acts.write(space, [said], now=clock.now())
    answer = decide(client, case, "keep left", seen=seen, reason="I was there.")
    assert (answer.status_code, closed(case)) == (409, False)
    text = read(answer.text)
    assert "Not done: something changed since this page was made." in text
    assert "x said that it is wrong: “What a says.” just now The sign is gone." in text
    assert answer["HX-Push-Url"] == "false"
    forms = dict(re.findall(r'name="verdict" value="(.*?)">(.*?)</form>', answer.text, re.S))
    assert [name for name, form in forms.items() if 'value="I was there."' in form] == ["keep left"]
    fresh = re.findall(r'name="seen" value="(\d+)"', answer.text)[0]
    assert decide(client, case, "keep left", seen=fresh).status_code == 302
    assert closed(case)


def test_the_same_click_twice_has_one_effect_and_both_are_answered_alike(client, space):
    first, second, _ = order(space)
    query, seen = queue_of(space), space.folded_to
    answers = [decide(client, first, query=query, seen=seen, click="one-of-its-kind") for _ in range(2)]
    assert [answer.url for answer in answers] == [at("case", second, query)] * 2
    assert Line.objects.filter(space=space, tag="event.closed").count() == 1
    assert read(client.get(answers[1].url).text).count("Decided: keep left") == 1


def test_a_verdict_that_lacks_words_is_not_done_and_keeps_those_that_there_are(client, space):
    case = case_of(space, "a", "b")
    answer = decide(client, case, "write the right one", text=" ", reason="Neither is right.")
    assert (answer.status_code, closed(case)) == (400, False)
    assert "Not done:" in read(answer.text)
    assert 'value="Neither is right."' in answer.text
    assert decide(client, case, "both hold").status_code == 400
    assert decide(client, case, "dance").status_code == 409
    assert decide(client, case, "uphold").status_code == 409


def test_what_would_close_a_circle_is_refused_in_a_sentence_and_what_was_written_is_kept(client, space):
    case = case_of(space, "a", "b")
    acts.write(space, [{"type": "edge", "from": "a", "to": "b", "relation": "updates", "by": "x"}], now=clock.now())
    answer = decide(client, case, "right updates left", reason="It is newer.")
    assert (answer.status_code, closed(case)) == (409, False)
    assert "circle" in read(answer.text)
    assert 'value="It is newer."' in answer.text


def test_both_hold_and_the_right_one_take_the_words_that_they_ask_for(client, space):
    decide(client, case_of(space, "a", "b"), "both hold", distinction="a by day, b by night")
    assert closed(Case.objects.get(space=space, facts=["a", "b"]))
    answer = decide(client, case_of(space, "c", "d"), "write the right one", text="It is\r\nneither.")
    assert answer.status_code == 302
    assert Fact.objects.get(space=space, source="owner").text == "It is\nneither."


@pytest.mark.parametrize("seen", ["", "soon", "-1", "1.5", "٣", "99999999999", "9" * 30])
def test_who_does_not_say_what_they_saw_decides_nothing(client, space, seen):
    case, head = case_of(space, "a", "b"), space.head_position
    answer = decide(client, case, seen=seen)
    assert (answer.status_code, closed(case)) == (400, False)
    assert "This does not say what was seen of the space" in read(answer.text)
    assert client.post(at("case-decide", case), {"verdict": "keep left"}).status_code == 400
    assert Space.objects.get().head_position == head


@pytest.mark.parametrize("reason", ["x" * 2001, "so\0it is"])
@pytest.mark.parametrize("field", ["reason", "because"])
def test_a_reason_is_held_to_the_same_limits_wherever_it_is_given(client, space, field, reason):
    case = case_of(space, "a", "b")
    assert (decide(client, case, **{field: reason}).status_code, closed(case)) == (400, False)


def test_so_is_the_reason_of_who_takes_a_decision_back(client, space):
    case = case_of(space, "a", "b")
    decide(client, case)
    act = Line.objects.get(space=space, tag="event.closed").act
    for reason in ("x" * 2001, "so\0it is"):
        assert client.post(at("case-undo", case), {"act": act, "reason": reason}).status_code == 400
    assert closed(case)


def test_of_what_is_no_verdict_no_more_than_its_beginning_is_said_again(client, space):
    answer = decide(client, case_of(space, "a", "b"), "y" * 5000)
    assert answer.status_code == 409
    assert "is no verdict on this case" in answer.text
    assert "y" * 101 not in answer.text


# What takes it back


def test_undo_takes_back_that_decision_and_no_other_and_leads_to_its_case(client, space):
    first, second, _ = order(space)
    query = queue_of(space)
    for case in (first, second):
        text = client.get(decide(client, case, query=query).url).text
    notice = re.findall(r'<div class="notice success".*?</div>', text, re.S)[0]
    href, act = re.findall(r'action="(.*?)".*?name="act" value="(.*?)"', notice, re.S)[0]
    answer = client.post(href.replace("&amp;", "&"), {"act": act})
    assert answer.url == at("case", second, query)
    assert (closed(first), closed(second)) == (True, False)
    assert Handout.objects.get().case == second.name
    assert "the case is open again" in read(client.get(answer.url).text)


def test_065_after_a_skip_undo_offers_the_skip_by_its_name_and_then_the_last_decision_by_its(client, space):
    first, second, _ = order(space)
    decide(client, first)
    answer = client.post(at("case-skip", second))
    panel = re.findall(r'data-key="u" data-says.*?</details>', client.get(answer.url).text, re.S)[0]
    one, other = (f"“What {case.facts[0]} says.”" for case in (second, first))
    assert re.search(f"Take up again: skipped, {one} just now Undo: keep left, {other} just now", read(panel))
    answer = client.post(at("case-take-up", second))
    assert answer.url == at("case", second)
    assert closed(first)
    assert not SetAside.objects.exists()
    assert f"Taken up again: {one}" in read(client.get(answer.url).text)


def test_what_was_taken_back_already_is_not_taken_back_again(client, space):
    case = case_of(space, "a", "b")
    decide(client, case)
    act = Line.objects.get(space=space, tag="event.closed").act
    undo.undo(space, act, by="ben", now=clock.now())
    head = Space.objects.get().head_position
    answer = client.post(at("case-undo", case), {"act": act}, follow=True)
    assert "somebody has taken it back already" in read(answer.text)
    for odd in ("", "nothing", "\0", facts.accept(space, "c", by="ben", now=clock.now())):
        assert client.post(at("case-undo", case), {"act": odd}).status_code == 302
    assert Space.objects.get().head_position == head + 1


def test_undoing_twice_by_one_click_is_one_undo(client, space):
    case = case_of(space, "a", "b")
    decide(client, case)
    act = Line.objects.get(space=space, tag="event.closed").act
    answers = [client.post(at("case-undo", case), {"act": act, "click": "once"}) for _ in range(2)]
    assert [answer.url for answer in answers] == [at("case", case)] * 2
    assert Line.objects.filter(space=space, tag="event.undone").count() == 1
    assert "Not done" not in client.get(answers[0].url).text


def test_the_last_decisions_are_listed_each_with_its_way_back_and_a_batch_is_one(client, space):
    decide(client, case_of(space, "a", "b"), "keep right")
    names = [case_of(space, *each).name for each in NAMES[1:]]
    act = verdicts.decide(space, names, "not a contradiction", by="owner", now=clock.now())
    text = client.get(at("case", case_of_any(space))).text
    trail = re.findall(r'<details class="trail">.*?</details>', text, re.S)[0]
    assert read(trail).startswith(
        "Your last decisions not a contradiction, 2 cases just now Undo: not a contradiction, 2 cases "
        "keep right, “What b says.” just now Undo"
    )
    client.post(at("case-undo", Case.objects.get(name=names[0])), {"act": act})
    assert not any(closed(Case.objects.get(name=name)) for name in names)


def case_of_any(space: Space) -> Case:
    return Case.objects.filter(space=space).earliest("pk")


def test_what_others_or_files_decided_is_in_nobody_elses_trail(client, client_of, member, space):
    decide(client_of(member(space, Role.REVIEWER)), case_of(space, "a", "b"))
    text = client.get(at("case", case_of_any(space))).text
    assert "Your last decisions" not in text
    assert 'data-key="u" data-says' not in text


def test_what_a_file_says_that_one_decided_is_not_in_the_trail(client, space):
    said = {"type": "event", "id": "made-up", "kind": "closed", "of": case_of(space, "a", "b").name, "act": "x"}
    said |= {"source": "owner", "tier": "human", "verdict": "keep left", "reason": "So.", "at": "2026-03-01T09:00:00Z"}
    taken(space, [json.dumps(said).encode() + b"\n"], clock.now())
    text = client.get(at("case", case_of(space, "c", "d"))).text
    assert "Your last decisions" not in text
    assert 'name="because"' not in text


def test_without_scripts_every_step_is_a_form_and_a_page(client, space):
    """Fragments are parts of whole pages: every answer is one."""
    first = order(space)[0]
    for headers in ({}, {"HX-Request": "true"}, {"HX-Request": "true", "HX-History-Restore-Request": "true"}):
        answer = client.get(at("case", first), headers=headers)
        assert answer.text.startswith("<!doctype html>")
        assert "HX-Request" in answer["Vary"]
