"""The page of a case: what is asked, the claims side by side, why it is here, and what can be decided about it."""

import json
import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from tests.actions.test_opening import a_file, served
from tests.actions.test_verdicts import ANA, NOW, case_of, facts_of
from tests.actions.world import as_file, signed, space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.makers import day, edge, event, fact
from trustmem.actions import acts, erasing, facts, favourites, handouts, refresh, sampling, undo, verdicts
from trustmem.actions.drafts import Words
from trustmem.actions.verdicts import OFFERED
from trustmem.desk import clock
from trustmem.store import cases
from trustmem.store.models import Case, Click, Handout, Line, Role, SetAside, Space, User

pytestmark = pytest.mark.django_db

LONG = "The quay is closed from six to eight. " * 80


@pytest.fixture
def space() -> Space:
    """Two claims about a port, of two bots, the newer of which contradicts the older; another source confirmed that."""
    told = [
        _claim("a", 0, "The billing API listens on port 7000.", "planner"),
        _claim("b", 26, "The billing API now listens on port 7443.", "deploy-bot"),
    ]
    space = taken(space_of(), told, day(100))
    said = [
        edge("b", "contradicts", "a", 27, by="deploy-bot", run="r9", id="b-a"),
        event("restated", "a", 5, source="planner", run="r2"),
        event("corroborated", "a", 6, source="wiki", run="r3"),
    ]
    return taken(space, _file(*said), day(100))


def _claim(name: str, on: float, text: str, source: str) -> bytes:
    return json.dumps(json.loads(a_file(name, text, on, source)[0]) | {"run": f"{source}-1"}).encode() + b"\n"


def _file(*lines: object) -> list[bytes]:
    return as_file(list(lines))


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def address(space: Space, *names: str, query: str = "") -> str:
    return reverse("case", args=[space.name, case_of(space, *names).name]) + query


def shown(client: Client, space: Space, *names: str) -> str:
    answer = client.get(address(space, *names))
    assert answer.status_code == 200
    return answer.text


def read(text: str) -> str:
    """What people read of a page."""
    apart = re.sub(r"<(?!/?(a|b|bdi|code|del|ins|q|span|time)\b)[^>]*>", " ", text)
    return " ".join(unescape(re.sub(r"<[^>]*>", "", apart)).split())


def said_of(text: str, place: int) -> str:
    """What people read on a card, from 0."""
    return read(re.findall(r'<article class="card claim-card".*?</article>', text, re.S)[place])


def docked(text: str) -> str:
    """What stands where one decides."""
    return re.findall(r'<section class="dock".*?</section>', text, re.S)[0]


# Side by side


def test_two_claims_stand_side_by_side_the_older_left_with_the_words_that_differ_marked(client, space):
    text = shown(client, space, "a", "b")
    assert "Which of these holds?" in read(text)
    left, right = said_of(text, 0), said_of(text, 1)
    assert re.search(r"low 0\.\d\d .*left The billing API", left)
    assert "right · newer by 26 days" in right
    assert re.findall(r"<del>.*?</span>(.*?)</del>", text) == ["7000"]
    assert re.findall(r"<ins>.*?</span>(.*?)</ins>", text) == ["now", "7443"]


def test_a_card_says_when_by_whom_and_over_which_channel(client, space):
    left = said_of(shown(client, space, "a", "b"), 0)
    assert "said 2026-01-01 09:00 UTC, again in 1 run planner · unknown · auto run planner-1 · import of a file" in left


def test_a_card_names_who_is_for_and_against_with_their_runs(client, space):
    text = shown(client, space, "a", "b")
    assert "for planner in 1 run, wiki in 1 run against deploy-bot in 1 run" in said_of(text, 0)
    assert "for nobody against deploy-bot in 1 run" in said_of(text, 1)


def test_a_card_has_the_factors_as_a_product_what_was_served_and_the_weight(client, space):
    uses = [{"type": "event", "kind": "recalled", "fact": "a", "source": "x", "run": f"r{each}"} for each in range(3)]
    acts.write(space, uses, now=clock.now())
    left = said_of(shown(client, space, "a", "b"), 0)
    assert re.search(r"factors 0\.\d\d × [01]\S* × 1 × 0\.80 confidence × freshness × supersession", left)
    assert "served 3 times this month" in left
    assert re.search(r"weight 0\.\d\d session", left)


def test_a_card_leads_to_its_fact_and_says_where_it_was_read(client):
    line = json.loads(_claim("a", 0, "It is port 7000.", "wiki"))
    meta = {"quote": "port 7000 <b>only</b>", "file": "notes.md", "line": 14, "else": {"x": 1}}
    space = taken(space_of(), [json.dumps(line | {"meta": meta}).encode() + b"\n"], day(100))
    taken(space, [_claim("b", 1, "It is port 7001.", "bot")], day(100))
    taken(space, _file(edge("b", "contradicts", "a", 6, by="bot")), day(100))
    text = shown(client, space, "a", "b")
    assert f'href="{reverse("fact", args=[space.name, "a"])}"' in text
    assert "source port 7000 <b>only</b> file notes.md · line 14" in said_of(text, 0)


def test_the_whole_of_a_long_text_can_be_read_before_one_decides(client):
    told = [_claim("a", 0, LONG + "Then it is open.", "x"), _claim("b", 1, LONG + "Then it is shut.", "y")]
    space = taken(taken(space_of(), told, day(100)), _file(edge("b", "contradicts", "a", 6, by="y")), day(100))
    text = shown(client, space, "a", "b")
    assert "Show all of it" in text
    assert text.count("closed from six to eight") >= 160


def test_what_hides_in_a_claim_is_seen_and_no_tag_is_one(client):
    told = [_claim("a", 0, "The vault\u200b <b>code</b> is 1.", "<i>x</i>"), _claim("b", 1, "p\u0430yments", "y")]
    space = taken(taken(space_of(), told, day(100)), _file(edge("b", "contradicts", "a", 6, by="y")), day(100))
    text = shown(client, space, "a", "b")
    assert "\u200b" not in text
    assert "<b>code" not in text and "<i>x" not in text
    assert text.count("hidden-mark") >= 2


def test_what_a_fact_was_worth_when_the_case_was_opened_is_shown_where_it_differs(client, space):
    said = [{"type": "fact", "id": name, "text": f"It is {name}.", "source": name} for name in "cd"]
    said.append({"type": "edge", "from": "d", "to": "c", "relation": "contradicts", "by": "d"})
    acts.write(space, said, now=clock.now())
    assert "when this was opened" not in read(shown(client, space, "c", "d"))
    was = json.loads(case_of(space, "c", "d").factors)["facts"]["d"]["trust"]
    facts.accept(space, "d", by="ana", now=clock.now())
    right = said_of(shown(client, space, "c", "d"), 1)
    assert f"trust was {was:.2f} when this was opened" in right
    assert re.search(r"factors .* was 0\.\d\d × .* when this was opened", right)


# What is asked, of each kind


def challenge() -> Space:
    said = {"type": "edge", "id": "said", "from": "b", "to": "a", "relation": "contradicts", "by": "x", "run": "r"}
    said |= {"at": "2026-01-07T09:00:00Z", "note": "So I read."}
    return taken(space_of(*facts_of("a", "b", tier="human")), [json.dumps(said).encode() + b"\n"], day(100))


def challenge_of_a_fact() -> Space:
    said = {"type": "event", "id": "said", "kind": "contradicted", "fact": "a", "source": "x"}
    raw = json.dumps(said | {"at": "2026-01-08T09:00:00Z", "note": "No more."}).encode() + b"\n"
    return taken(space_of(*facts_of("a", tier="human")), [raw], day(100))


def orphan() -> Space:
    space = space_of(*facts_of("a", "b"), edge("b", "updates", "a", 6, by="bot-b"))
    facts.forget(space, "b", **ANA)
    return space


def ring() -> Space:
    pairs = ("ba", "cb", "ac")
    return space_of(*facts_of("a", "b", "c"), *(edge(one, "updates", other, 6, by="x") for one, other in pairs))


def bad_signature() -> Space:
    return signed(space_of(*facts_of("b")), *facts_of("a"), holds=False)


def stale_favourite() -> Space:
    space = space_of(*facts_of("a"), *served("a", favourites.MUCH, 190))
    refresh.refresh(space, now=day(200))
    return space


def restored_value() -> Space:
    space = taken(space_of(), a_file("a", "The port is 7000."), day(100))
    facts.forget(space, "a", **ANA)
    return taken(space, a_file("b", "the PORT is 7000", 102, "crawler"), day(103))


def calibration_sample() -> Space:
    space = space_of(*facts_of("a"))
    sampling.draw(space, 1, seed="oak", **ANA)
    return space


OF_KINDS = {
    "challenge": (challenge, ["a", "b"], "Is this challenge right?"),
    "challenge of a fact": (challenge_of_a_fact, ["a"], "Is this challenge right?"),
    "orphan": (orphan, ["a", "b"], "The claim that replaced this was forgotten: does it hold again?"),
    "cycle": (ring, ["a", "b", "c"], "Each of these takes the place of the next, in a ring: which came last?"),
    "bad signature": (bad_signature, ["a"], "The signature of this does not count: does it hold all the same?"),
    "stale favourite": (
        stale_favourite,
        ["a"],
        "This is served often, and nobody has confirmed it for long: does it still hold?",
    ),
    "restored value": (restored_value, ["a"], "This was forgotten, and came back: is it to be let in?"),
    "calibration sample": (
        calibration_sample,
        ["a"],
        "This was drawn at random, to see how well trust predicts truth: does it hold?",
    ),
}


@pytest.mark.parametrize("kind", OF_KINDS)
def test_each_kind_asks_its_question_and_offers_its_verdicts_each_with_a_key(client, kind):
    make, names, question = OF_KINDS[kind]
    space = make()
    text = shown(client, space, *names)
    assert question in read(text)
    assert text.count('class="card claim-card"') == len(names)
    offered = OFFERED[cases.kind_of(case_of(space, *names).key)]
    assert re.findall(r'name="verdict" value="(.*?)"', text) == list(offered)
    keys = [*re.findall(r'data-key="([0-9])"', text)]
    assert keys == [str(place) for place in range(1, len(offered) + 1)]


@pytest.mark.parametrize("kind", OF_KINDS)
def test_each_kind_can_be_decided_by_each_of_its_verdicts(client, kind):
    make, names, _ = OF_KINDS[kind]
    space = make()
    case = case_of(space, *names)
    for verdict in OFFERED[cases.kind_of(case.key)]:
        said = {"verdict": verdict, "text": "What holds.", "seen": space.folded_to}
        answer = client.post(reverse("case-decide", args=[space.name, case.name]), said)
        assert answer.status_code == 302
        case.refresh_from_db()
        assert case.verdict == verdict
        act = Line.objects.filter(space=space, tag="event.closed").latest("position").act
        client.post(reverse("case-undo", args=[space.name, case.name]), {"act": act})
        space.refresh_from_db()


def test_what_was_drawn_at_random_says_by_whom_why_and_by_which_seed(client):
    space = calibration_sample()
    page = reverse("case", args=[space.name, case_of(space, "a").name])
    open_ = read(client.get(page).text)
    assert "ana had it drawn; the seed is oak. What it is worth is told once you have decided." in open_
    verdicts.decide(space, [case_of(space, "a").name], "it holds", by="ana", now=NOW)
    assert "ana had it drawn, the one fact of the band “very low”; the seed is oak." in read(client.get(page).text)


def test_whoever_is_asked_about_what_was_drawn_does_not_see_what_it_is_worth_before_they_answer(client):
    space = calibration_sample()
    page = reverse("case", args=[space.name, case_of(space, "a").name])
    text = client.get(page).text
    (folded,) = re.findall(r'<details class="claim-more blind">.*?</details>', text, re.S)
    assert "very low" in folded
    assert "very low" not in text.replace(folded, "")
    verdicts.decide(space, [case_of(space, "a").name], "it holds", by="ana", now=NOW)
    assert "claim-more blind" not in client.get(page).text


def test_what_it_is_worth_stands_in_no_flag_either_until_then_and_is_told_once_they_have(client):
    space = calibration_sample()
    draws = reverse("case", args=[space.name, case_of(space, "a").name])
    text = client.get(draws).text
    (folded,) = re.findall(r'<details class="claim-more blind">.*?</details>', text, re.S)
    assert "uncertain" in folded and "trust was" in folded
    assert not {"uncertain", "trust was", "stale"} & set(
        re.findall("uncertain|trust was|stale", text.replace(folded, ""))
    )
    kept = json.loads(case_of(space, "a").factors)["facts"]["a"]
    sent = {"verdict": "it holds", "seen": space.folded_to}
    decide = reverse("case-decide", args=[space.name, case_of(space, "a").name])
    told = f"It was worth {kept['trust']:.2f}, {kept['band']}, when you were asked."
    assert told in read(client.post(decide, sent, follow=True).text)
    assert "uncertain" in client.get(draws).text


def test_a_pair_has_the_keys_that_the_map_of_keys_has(client, space):
    text = shown(client, space, "a", "b")
    assert re.findall(r'data-key="([0-9])" data-says="(.*?)"', text) == [
        ("1", "keep left"),
        ("2", "keep right"),
        ("3", "right updates left"),
        ("4", "left updates right"),
        ("5", "both hold…"),
        ("6", "neither"),
        ("7", "write the right one…"),
        ("0", "not a contradiction"),
    ]
    assert re.findall(r'data-key="([a-z])"', docked(text)) == ["s", "z"]


def test_nothing_is_chosen_or_open_or_has_the_caret_when_the_page_comes(client, space):
    dock = docked(shown(client, space, "a", "b"))
    for each in ("autofocus", "checked", "<details open", 'class="act" open', "selected"):
        assert each not in dock
    assert re.findall(r"<textarea[^>]*>\s*(.*?)</textarea>", dock, re.S) == [""]


def test_an_orphan_says_which_claim_is_asked_about_and_which_is_gone(client):
    space = orphan()
    text = shown(client, space, "a", "b")
    assert "asked about" in said_of(text, 0)
    assert "had taken its place · newer by 1 day" in said_of(text, 1)
    assert "forgotten" in said_of(text, 1)
    assert "ana forgot “What b says.”" in read(text)


def test_the_members_of_a_ring_stand_in_its_order_each_with_what_it_takes_the_place_of(client):
    text = shown(client, ring(), "a", "b", "c")
    assert "takes the place of What c says. said by x though it is the older one" in said_of(text, 0)
    assert "takes the place of What a says. said by x" in said_of(text, 1)
    assert "takes the place of What b says. said by x" in said_of(text, 2)


def test_a_claim_that_stands_alone_has_what_speaks_against_it(client):
    text = read(shown(client, challenge_of_a_fact(), "a"))
    assert "What speaks against it It was said to be wrong said by x" in text
    assert "No more." in text


def test_a_favourite_says_how_long_nobody_confirmed_it(client):
    assert re.search(
        r"Agents are served it often; born .* ago, confirmed by nobody", read(shown(client, stale_favourite(), "a"))
    )


def test_a_value_that_came_back_says_what_was_refused(client):
    space = restored_value()
    text = shown(client, space, "a")
    assert re.search(
        r"ana forgot “The port is 7000.” .* crawler brought it again, by a file, and it was refused. "
        "Record 1 of a file was refused: “this was forgotten by",
        read(text),
    )
    imported = Line.objects.get(space=space, tag="refused").imported
    assert f'by <a href="{reverse("import-report", args=[space.name, imported])}">' in text


def test_letting_a_value_in_says_that_its_file_is_to_be_imported_again(client):
    space = restored_value()
    text = shown(client, space, "a")
    again = "What keeps it out is lifted. What was refused is not taken in by that: import it again, from a file."
    assert again in read(docked(text))
    assert "It stays forgotten and kept out." in read(docked(text))
    where = reverse("case-decide", args=[space.name, case_of(space, "a").name])
    answer = client.post(where, {"verdict": "let it in", "seen": space.folded_to}, follow=True)
    assert again in read(answer.text)


# Why it is here


def test_it_says_who_said_it_when_in_which_run_and_with_which_note(client):
    text = read(shown(client, challenge(), "a", "b"))
    assert "x said that “What b says.” contradicts “What a says.” 2026-01-07 09:00 UTC · run r So I read." in text


def test_what_opened_it_again_is_told_apart(client, space):
    decided = case_of(space, "a", "b").name
    verdicts.decide(space, [decided], "not a contradiction", **ANA)
    said = {"type": "edge", "from": "a", "to": "b", "relation": "contradicts", "by": "crawler"}
    acts.write(space, [said], now=NOW + 1)
    text = read(shown(client, space, "a", "b"))
    assert "It was closed, and opened again, since this was said: crawler said that" in text


def found_by_a_machine(space: Space) -> Case:
    """A case that says what found it."""
    case = case_of(space, "a", "b")
    factors = json.loads(case.factors) | {"detector": "slots", "version": 3, "rule": "slot-value", "slot": "port"}
    Case.objects.filter(pk=case.pk).update(factors=json.dumps(factors | {"suggests": "right updates left"}))
    return case


def test_what_a_machine_suggests_comes_after_the_evidence_and_is_not_chosen(client, space):
    assert "Found by a machine" not in read(shown(client, space, "a", "b"))
    found_by_a_machine(space)
    text = read(shown(client, space, "a", "b"))
    assert "Detector slots · Version 3 · Rule slot-value · Slot port It suggests: right updates left" in text
    assert text.index("deploy-bot said that") < text.index("Found by a machine")


def test_factors_that_could_not_be_so_are_passed_over(client, space):
    odd = {
        "facts": {"a": {"trust": "high"}, "b": 7},
        "evidence": [3, None, "gone"],
        "detector": {"x": 1},
        "suggests": 9,
    }
    for factors in (odd | {"suggests": 9}, {}, {"facts": [], "evidence": "b-a"}):
        Case.objects.update(factors=json.dumps(factors))
        assert "when this was opened" not in read(shown(client, space, "a", "b"))


# What it comes to is said before


def test_what_forgetting_a_side_would_come_to_is_said_in_the_form_that_does_it(client, space):
    newer = fact("c", 2, source="other")
    taken(space, _file(newer, edge("b", "updates", "c", 30, by="deploy-bot")), day(101))
    forms = dict(
        re.findall(r'name="verdict" value="(.*?)">(.*?)</form>', shown(client, space, "a", "b"), re.S),
    )
    says = "Of the claim on the right: It superseded 1 claim, which would hold again"
    assert {name for name, form in forms.items() if says in read(form)} == {"keep left", "neither"}
    assert "The older claim is accepted, the newer one is forgotten." in read(forms["keep left"])


def test_of_an_orphan_it_is_said_of_the_claim_that_is_asked_about(client):
    space = orphan()
    acts.write(space, [{"type": "event", "kind": "recalled", "fact": "a", "source": "x"}], now=clock.now())
    forms = dict(re.findall(r'name="verdict" value="(.*?)">(.*?)</form>', shown(client, space, "a", "b"), re.S))
    assert "any more. It was handed out to 1 source: in 1 run in the last 30 days" in read(forms["forget it"])
    assert "takes the place of this one." in read(forms["write the right one"])


def test_reasons_that_were_given_are_offered_those_of_whoever_looks_first(client, owner, space):
    taken(space, _file(*facts_of("c", "d", "e", "f")), day(100))
    for one, other, by, reason in (("c", "d", "ben", "It is old."), ("e", "f", "owner", "The label says so.")):
        said = {"type": "edge", "from": other, "to": one, "relation": "contradicts", "by": "z"}
        acts.write(space, [said], now=NOW)
        verdicts.decide(space, [case_of(space, one, other).name], "keep left", by=by, now=NOW, words=Words(reason))
    text = shown(client, space, "a", "b")
    offered = re.findall(r'name="because" value="(.*?)" data-recent="(\d)"', text)
    assert offered[:2] == [("The label says so.", "1"), ("It is old.", "2")]
    case = case_of(space, "a", "b")
    said = {"verdict": "keep left", "reason": "", "because": "It is old.", "seen": Space.objects.get().folded_to}
    client.post(reverse("case-decide", args=[space.name, case.name]), said)
    assert "It is old." in client.get(reverse("case", args=[space.name, case.name])).text


# Who may, and what looking does


def test_a_reader_sees_all_but_what_is_forgotten_and_decides_nothing(client_of, member: MemberOf, space):
    case = case_of(space, "a", "b").name
    reader = client_of(member(space, Role.READER))
    text = reader.get(reverse("case", args=[space.name, case])).text
    assert "port 7000" in read(text)
    assert 'class="dock"' not in text
    for name in ("case-decide", "case-undo", "case-skip", "case-snooze", "case-take-up"):
        assert reader.post(reverse(name, args=[space.name, case])).status_code == 403
    verdicts.decide(space, [case], "keep left", **ANA)
    assert "7443" not in reader.get(reverse("case", args=[space.name, case])).text
    reviewer = client_of(member(space, Role.REVIEWER))
    assert "7443" in reviewer.get(reverse("case", args=[space.name, case])).text


def test_looking_at_a_case_changes_nothing_and_takes_nothing_in_hand(client, space):
    where = address(space, "a", "b", query=f"?kind=contradiction&upto={space.head_position}")
    client.get(where)
    before = [model.objects.count() for model in (Line, Handout, SetAside, Click, Case)]
    for _ in range(3):
        client.get(where)
        client.head(where)
    assert [model.objects.count() for model in (Line, Handout, SetAside, Click, Case)] == before
    assert not Handout.objects.exists()


def test_who_has_it_in_hand_is_named_and_one_can_decide_all_the_same(client, space):
    handouts.take(space, case_of(space, "a", "b").name, by="ben", now=clock.now())
    text = read(shown(client, space, "a", "b"))
    assert "ben has this case in hand. You can decide it all the same" in text
    assert "keep left" in text


def test_a_case_that_came_to_rest_by_itself_says_so_and_leads_on(client, space):
    where = address(space, "a", "b")
    said = {"type": "edge", "from": "b", "to": "a", "relation": "contradicts", "by": "deploy-bot", "removed": True}
    acts.write(space, [said], now=NOW)
    text = client.get(where).text
    assert "It has come to rest by itself." in read(text)
    assert 'name="verdict" value' not in docked(text)
    assert 'data-key="n"' in docked(text)


def test_a_closed_case_has_verdict_who_when_and_why_and_the_factors_of_then(client, space):
    case = case_of(space, "a", "b").name
    verdicts.decide(space, [case], "keep left", by="ana", now=NOW, words=Words("The label says so."))
    where = reverse("case", args=[space.name, case])
    text = client.get(where).text
    assert re.search(
        r"What it came to keep left It holds: “The billing API listens on port 7000.” "
        r"Closed .* by ana: “The label says so.”",
        read(text),
    )
    assert "when this was opened" in read(text)
    assert "Open it again…" in text
    assert 'name="verdict" value=' not in text
    act = Line.objects.get(space=space, tag="event.closed").act
    client.post(reverse("undo", args=[space.name]), {"act": act, "next": where})
    assert 'name="verdict" value="keep left"' in client.get(where).text


@pytest.mark.parametrize("query", ["?kind=dragon", "?upto=x", "?colour=red", "?upto=99999999999999999999"])
def test_what_an_address_cannot_mean_is_answered_with_400(client, space, query):
    assert client.get(address(space, "a", "b", query=query)).status_code == 400


def test_a_fact_of_a_case_that_counts_as_never_written_is_missed_in_words(client, space):
    act = acts.write(
        space,
        [
            {"type": "fact", "id": "c", "text": "It is port 1.", "source": "x"},
            {"type": "edge", "from": "c", "to": "a", "relation": "contradicts", "by": "x"},
        ],
        now=NOW,
    )
    where = address(space, "a", "c")
    undo.undo(space, act, by="ana", now=NOW + 1)
    text = read(client.get(where).text)
    assert "1 fact that it is about counts as never written." in text
    assert "It has come to rest by itself." in text


def test_erased_texts_are_shown_as_such(client, space):
    where = address(space, "a", "b")
    erasing.erase(space, "b", by="ana", now=NOW, reason="Asked for.")
    text = client.get(where).text
    assert "7443" not in text
    assert "(erased)" in text


# What a verdict falls on, and what it came to


def update_waits() -> Space:
    """A bot says that its claim takes the place of one that a person stands behind."""
    said = {
        "type": "edge",
        "id": "said",
        "from": "b",
        "to": "a",
        "relation": "updates",
        "by": "mail-reader",
        "run": "r",
    }
    raw = json.dumps(said | {"at": "2026-01-07T09:00:00Z"}).encode() + b"\n"
    return taken(space_of(*facts_of("a", "b", tier="human")), [raw], day(100))


def panels(text: str) -> dict[str, tuple[str, str, str]]:
    """What each verdict keeps and puts away on the cards, and what people read in its panel."""
    found = re.findall(r'data-keeps="(.*?)" data-drops="(.*?)".*?name="verdict" value="(.*?)">(.*?)</form>', text, re.S)
    return {verdict: (keeps, drops, read(form)) for keeps, drops, verdict, form in found}


OBJECTION = "mail-reader said that “What b says.” updates “What a says.”"


def test_a_ruling_says_which_claim_wins_by_it_and_marks_the_cards(client):
    told = panels(shown(client, update_waits(), "a", "b"))
    assert told["uphold"][:2] == ("right", "left")
    assert "It puts the claim on the right in the place of the claim on the left." in told["uphold"][2]
    assert told["dismiss"][:2] == ("left", "")
    assert "The claim on the left stays as it is." in told["dismiss"][2]


def test_a_ruling_on_a_claim_that_stands_alone_says_what_becomes_of_it(client):
    told = panels(shown(client, challenge_of_a_fact(), "a"))
    assert told["uphold"][:2] == ("", "left") and "It counts against the claim." in told["uphold"][2]
    assert told["dismiss"][:2] == ("left", "") and "The claim stays as it is." in told["dismiss"][2]


@pytest.mark.parametrize(("verdict", "became"), [("uphold", "Upheld"), ("dismiss", "Dismissed")])
def test_a_ruling_is_called_by_the_objection_in_the_notice_the_trail_and_on_its_case(client, verdict, became):
    space = update_waits()
    case = case_of(space, "a", "b")
    where = reverse("case-decide", args=[space.name, case.name])
    client.post(where, {"verdict": verdict, "seen": space.folded_to})
    text = read(client.get(reverse("case", args=[space.name, case.name])).text)
    assert f"Decided: {verdict}: {OBJECTION}" in text
    assert f"What it came to {verdict} {became}: {OBJECTION}" in text
    assert f"Your last decisions {verdict}: {OBJECTION}" in text
    assert f"Undo: {verdict}: {OBJECTION}" in text


def test_a_closed_case_shows_what_was_written_and_how_both_hold(client, space):
    case = case_of(space, "a", "b")
    where, page = (reverse(name, args=[space.name, case.name]) for name in ("case-decide", "case"))
    said = {"verdict": "write the right one", "text": "It is port 9.", "seen": space.folded_to}
    client.post(where, said)
    text = client.get(page).text
    assert "What it came to write the right one Written: “It is port 9.” Closed" in read(text)
    new = Line.objects.get(space=space, tag="fact", act=Line.objects.get(space=space, tag="event.closed").act).name
    assert f'Written: “<a href="{reverse("fact", args=[space.name, new])}">' in text
    client.post(reverse("case-undo", args=[space.name, case.name]), {"act": Line.objects.get(tag="event.closed").act})
    space.refresh_from_db()
    said = {"verdict": "both hold", "distinction": "One by day.", "reason": "So I saw.", "seen": space.folded_to}
    client.post(where, said)
    text = read(client.get(page).text)
    assert re.search("both hold How both hold: “One by day.” Closed .* by owner: “So I saw.”", text)


def test_the_history_of_a_fact_says_how_its_case_was_decided(client, space):
    case = case_of(space, "a", "b").name
    verdicts.decide(space, [case], "keep left", by="ana", now=NOW)
    text = client.get(reverse("fact", args=[space.name, "a"])).text
    assert "ana decided the case about it: keep left" in read(text)


def test_objections_that_are_cases_of_their_own_are_told_apart(client):
    space = challenge_of_a_fact()
    taken(space, _file(*facts_of("b")), day(101))
    taken(space, _file(edge("b", "contradicts", "a", 6, by="z")), day(102))
    text = shown(client, space, "a")
    against = read(re.findall(r'aria-labelledby="against".*?</section>', text, re.S)[0])
    assert "It was said to be wrong" in against and "said by z" not in against
    assert "1 more objection is a case of its own: challenge" in read(text)
    assert f'<a href="{address(space, "a", "b")}">challenge</a>' in text


# What people said before


def test_that_a_person_accepted_a_claim_or_ruled_on_the_pair_is_said_on_the_card(client, space):
    facts.accept(space, "b", by="jonas", now=NOW)
    text = shown(client, space, "a", "b")
    assert re.search(r"people jonas accepted it on 2\S+ \S+ UTC said", said_of(text, 1))
    assert "jonas" not in said_of(text, 0)
    told = panels(text)
    assert "Of the claim on the right: jonas accepted it on" in told["keep left"][2]
    assert "Of the claim on the right: jonas accepted it on" in told["left updates right"][2]
    assert "jonas" not in told["keep right"][2]
    words = Words("To be sorted out")
    verdicts.decide(space, [case_of(space, "a", "b").name], "not a contradiction", by="jonas", now=NOW, words=words)
    said = {"type": "edge", "from": "a", "to": "b", "relation": "contradicts", "by": "crawler"}
    acts.write(space, [said], now=NOW + 1)
    text = shown(client, space, "a", "b")
    for place in (0, 1):
        assert re.search(r"jonas ruled on this on .* UTC: dismissed, “To be sorted out”", said_of(text, place))
