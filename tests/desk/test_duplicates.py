"""The page of duplicates: what it shows of facts that say the same, to whom, and what becomes of what is sent."""

import json
import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.actions.world import LATER, space_of, taken
from tests.desk.conftest import ClientOf
from tests.desk.test_case_page import read
from tests.makers import day, edge, event, fact
from tests.store.restated import pairs
from trustmem.actions import duplicates as deciding
from trustmem.actions import facts, spaces, undo
from trustmem.core.contradictions import DETECTOR
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.store import decisions, duplicates
from trustmem.store.models import Case, Detection, Fact, Line, Role, Space, User
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}
NASTY = "<script>alert(1)</script> \u202egnitirw\u202c \x07"


@pytest.fixture
def space() -> Space:
    """Two clusters: of tea three, of which somebody spoke against one; of milk two."""
    found = space_of(
        fact("tea", 0, source="mail"),
        fact("tea-too", 1, source="crm"),
        fact("tea-no", 2, source="wiki"),
        fact("milk", 3, source="mail"),
        fact("milk-too", 4, source="crm"),
        event("contradicted", "tea-no", 5, source="bot"),
    )
    pairs(found, ("tea", "tea-too"), ("tea-too", "tea-no"), ("milk", "milk-too"))
    return found


@pytest.fixture
def client(space: Space, owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def address(name: str, *more: str) -> str:
    return reverse(name, args=["diary", *more])


def form_of(answer: HttpResponse, number: int = 0) -> dict[str, Any]:
    """What the form of a cluster would send as it stands."""
    form = answer.text.split('class="card cluster"')[number + 1].split("<form", 1)[1].split("</form>")[0]
    hidden = re.findall(r'<input type="hidden" name="(.*?)" value="(.*?)"', form)
    others = [value for name, value in hidden if name == "other"]
    others += re.findall(
        r'<input type="checkbox" name="other" id="[^"]*" value="(.*?)" autocomplete="off" checked', form
    )
    (kept,) = re.findall(r'<input type="radio" name="kept" id="[^"]*" value="(.*?)" autocomplete="off" checked', form)
    members = [value for name, value in hidden if name == "member"]
    return dict(hidden) | {"kept": kept, "other": others, "member": members}


def send(client: Client, name: str, number: int = 0, **said: Any) -> HttpResponse:
    form = form_of(client.get(address("duplicates")), number)
    return client.post(address(name), form | said, follow=True)


def states() -> dict[str, int]:
    return dict(Fact.objects.values_list("name", "state"))


def test_clusters_stand_with_all_that_their_facts_say_and_what_merging_would_make_of_them(client):
    page = client.get(address("duplicates")).text
    told = read(page)
    assert "2 clusters of 5 facts; merged, they would be 2." in told
    assert "3 facts say the same" in told and "found by detector 1" in told
    assert re.search(r"sources for 0 → 1 · sources against 0 → 0\. 1 fact is forgotten by that", told)
    assert "<ins>" in page and "<del>" in page, "what differs is marked"


def test_what_somebody_spoke_against_says_why_it_is_not_merged(client):
    told = read(client.get(address("duplicates")).text)
    assert "Somebody spoke against it, which would be lost: keep this one, or dismiss that." in told
    assert form_of(client.get(address("duplicates")))["other"].count("tea-no") == 0


def test_merged_with_one_click_and_brought_back_by_the_next(client, space):
    before = state_hash(space)
    answer = send(client, "duplicates-merge", reason="One thing.")
    assert "Merged: what was said of the others counts for the one that is kept." in read(answer.text)
    assert sorted(states().values()) == [LIVE] * 4 + [FORGOTTEN]
    assert Case.objects.filter(verdict="merge").count() == 1
    (act,) = re.findall(r'name="act" value="(act:.*?)"', answer.text)
    client.post(address("undo"), {"act": act, "next": address("duplicates")})
    assert state_hash(space) == before


def test_another_can_be_kept_and_some_be_left_out(client):
    told = client.get(address("duplicate", "tea"), {"kept": "tea-no", "other": ["tea", "tea-no"]}, headers=HTMX)
    assert "<html" not in told.text and 'id="cluster-' in told.text
    form = form_of(told)
    assert form["kept"] == "tea-no" and set(form["other"]) == {"tea-no", "tea"}
    assert re.search(r"sources for 0 → 1 · sources against 1 → 1", read(told.text))
    client.post(address("duplicates-merge"), form)
    assert {name for name, state in states().items() if state == FORGOTTEN} == {"tea"}


def test_without_scripts_the_same_is_a_page(client):
    told = client.get(address("duplicate", "tea"), {"kept": "tea", "seen": "3", "reason": ""})
    assert "<html" in told.text and "As it is chosen, nothing would be merged." in read(told.text)
    assert re.search(r'data-key="m" disabled', told.text)


def test_what_is_called_not_the_same_stays_and_comes_no_more(client):
    answer = send(client, "duplicates-apart", 1)
    assert "Not the same: they stay as they are" in read(answer.text)
    assert set(states().values()) == {LIVE}
    assert "1 cluster of 3 facts" in read(answer.text)


def test_what_cannot_be_merged_can_be_told_apart_all_the_same(client, space):
    deciding.merge(space, "tea", ["tea-too"], by="ben", now=LATER)
    form = form_of(client.get(address("duplicates")), 0)
    assert (form["kept"], form["other"], set(form["member"])) == ("tea", ["tea"], {"tea", "tea-no"})
    client.post(address("duplicates-apart"), form)
    assert Case.objects.get(verdict="not the same").facts == ["tea", "tea-no"]


def test_who_comes_second_is_told_by_whom_it_was_decided(client, space):
    form = form_of(client.get(address("duplicates")), 1)
    deciding.merge(space, "milk", ["milk-too"], by="ben", now=LATER)
    head = Space.objects.get().head_position
    answer = client.post(address("duplicates-merge"), form, follow=True)
    assert re.search(r"Not done: ben decided about these .*: merge\.", read(answer.text))
    assert Space.objects.get().head_position == head


def test_what_was_said_since_is_to_be_looked_at_first(client, space):
    form = form_of(client.get(address("duplicates")), 1)
    facts.accept(space, "milk", by="ben", now=LATER)
    answer = client.post(address("duplicates-merge"), form, follow=True)
    assert "Something was said of these facts since they were shown" in read(answer.text)
    assert set(states().values()) == {LIVE}


def test_a_click_too_many_does_nothing_more(client):
    form = form_of(client.get(address("duplicates")))
    for _ in range(2):
        answer = client.post(address("duplicates-merge"), form, follow=True)
        assert "Merged: what was said" in read(answer.text)
    assert Line.objects.filter(tag="event.forgotten").count() == 1


@pytest.mark.parametrize("bad", [{"seen": "x"}, {"seen": ""}, {"kept": "a\0b"}, {"after": "nan_nan_nan"}])
def test_what_no_page_of_ours_sends_is_refused(client, bad):
    form = form_of(client.get(address("duplicates")))
    assert client.post(address("duplicates-merge"), form | bad).status_code == 400
    assert set(states().values()) == {LIVE}


@pytest.mark.parametrize("given", ["1", "1_2", "2_nan_3", "2_0.5_x", "2_2_1", "-2_0.5_3", "2_0.5_" + "9" * 40])
def test_an_address_of_no_place_is_refused(client, given):
    assert client.get(address("duplicates"), {"after": given}).status_code == 400


def test_what_is_in_no_cluster_says_so(client):
    assert client.get(address("duplicate", "nowhere")).status_code == 404


def test_a_reader_looks_and_decides_nothing(space, client_of, member):
    reader = client_of(member(space, Role.READER))
    page = reader.get(address("duplicates"))
    main = page.text.split("<main", 1)[1].split("</main>")[0]
    assert "<form" not in main and "would be kept" in read(main)
    for name in ("duplicates-merge", "duplicates-apart", "duplicates-all"):
        assert reader.post(address(name), {"seen": "1"}).status_code == 403
    assert client_of(member(space, Role.REVIEWER)).get(address("duplicates-all")).status_code == 403


# Many


def test_all_that_is_shown_is_merged_in_one_act_after_a_second_look(client, space):
    before = state_hash(space)
    look = client.get(address("duplicates-all"))
    assert "2 clusters 2 facts are forgotten by that." in read(look.text)
    answer = client.post(address("duplicates-all"), all_of(look), follow=True)
    assert "2 clusters are merged." in read(answer.text)
    assert "No two facts say the same" in read(answer.text) or "tea-no" in answer.text
    (act,) = set(re.findall(r'name="act" value="(act:.*?)"', answer.text))
    undo.undo(space, act, by="ana", now=LATER + 1)
    assert state_hash(space) == before


def all_of(look: HttpResponse) -> dict[str, Any]:
    clusters = re.findall(r'name="cluster" value="(.*?)"', look.text)
    (seen,) = re.findall(r'name="seen" value="(.*?)"', look.text)
    return {"cluster": [each.replace("&quot;", '"') for each in clusters], "seen": seen, "reason": "", "click": "c"}


def test_of_many_what_was_decided_meanwhile_is_left_out_and_counted(client, space):
    form = all_of(client.get(address("duplicates-all")))
    deciding.apart(space, ["milk", "milk-too"], by="ben", now=LATER)
    answer = client.post(address("duplicates-all"), form, follow=True)
    assert "1 cluster is merged." in read(answer.text) and "Left out: 1 waited no more." in read(answer.text)
    again = client.post(address("duplicates-all"), form | {"click": "d"}, follow=True)
    assert "nothing of it is left as it was shown" in read(again.text)


@pytest.mark.parametrize("given", ["", "7", "[]", '["a", 1]', '"ab"', '{"a": 1}', '["a\\u0000", "b"]'])
def test_what_names_no_facts_is_refused(client, given):
    form = all_of(client.get(address("duplicates-all"))) | {"cluster": [given]}
    assert client.post(address("duplicates-all"), form).status_code == 400


# Elsewhere


def test_the_pages_of_facts_say_what_was_merged_into_what_until_that_is_undone(client, space):
    act = deciding.merge(space, "milk", ["milk-too"], by="ben", now=LATER)
    gone, kept = (client.get(address("fact", name)) for name in ("milk-too", "milk"))
    assert "Merged into What milk says." in read(gone.text)
    assert f'href="{address("fact", "milk")}"' in gone.text
    assert "Merged into this one:" in read(kept.text) and f'href="{address("fact", "milk-too")}"' in kept.text
    assert f'href="{address("case", Case.objects.get(verdict="merge").name)}"' in kept.text
    undo.undo(space, act, by="ben", now=LATER + 1)
    for name in ("milk-too", "milk"):
        assert "Merged into" not in read(client.get(address("fact", name)).text)


def test_a_reader_is_not_told_what_was_merged_says(space, client_of, member):
    deciding.merge(space, "milk", ["milk-too"], by="ben", now=LATER)
    page = client_of(member(space, Role.READER)).get(address("fact", "milk")).text
    assert "Merged into this one:" in read(page) and "What milk-too says" not in page


def test_the_case_of_a_merge_tells_what_was_kept_and_of_all_its_facts(client, space):
    deciding.merge(space, "tea", ["tea-too"], reason="One thing.", by="ben", now=LATER)
    page = read(client.get(address("case", Case.objects.get(verdict="merge").name)).text)
    assert "Do these say the same?" in page and "merge" in page and "Kept: “What tea says.”" in page


def test_the_case_of_a_merge_is_undone_from_its_page_and_is_no_more_then(client, space):
    before = state_hash(space)
    deciding.merge(space, "tea", ["tea-too"], by="owner", now=LATER)
    case = Case.objects.get(verdict="merge").name
    page = client.get(address("case", case))
    assert "The facts stand as they did before" in read(page.text) and "Rule" not in read(page.text)
    form = page.text.split(f'action="{address("undo")}"')[1].split("</form>")[0]
    given = dict(re.findall(r'name="(act|next)" value="(.*?)"', form))
    answer = client.post(address("undo"), given, follow=True)
    assert answer.status_code == 200 and state_hash(space) == before
    assert client.get(address("case", case)).status_code == 404


def test_what_was_merged_is_none_of_the_last_decisions_of_the_queue(client, space):
    deciding.merge(space, "tea", ["tea-too"], by="owner", now=LATER)
    assert decisions.last(space, "owner") == []


# How it looks when there is nothing, or not all is checked


def test_it_says_how_far_facts_are_checked(client, space):
    assert "The detector has not looked at these facts yet." in read(client.get(address("duplicates")).text)
    key = Fact.objects.get(name="milk-too").pk
    Detection.objects.create(space=space, detector=DETECTOR, checked_to=key, at=day(101))
    told = read(client.get(address("duplicates")).text)
    assert f"The detector, version {DETECTOR}, has checked 2 of 5 facts." in told
    assert "The others are checked soon, by a worker." in told


def test_where_nothing_is_a_duplicate_it_says_so(owner, client_of):
    empty = spaces.create("empty")
    page = client_of(owner).get(reverse("duplicates", args=[empty.name]))
    assert "No two facts say the same" in read(page.text)


def test_where_nothing_is_checked_nothing_was_found_yet(owner, client_of):
    space_of(fact("a"), fact("b"))
    assert "Nothing was found yet" in read(client_of(owner).get(address("duplicates")).text)


def test_what_texts_hold_is_shown_and_does_nothing(owner, client_of):
    said = [
        {"type": "fact", "id": f"<b>&quot;{number}\u202e", "text": f"{NASTY} {number}", "at": "2026-01-01T00:00:00Z"}
        for number in range(2)
    ]
    space = taken(spaces.create("diary"), [json.dumps(each).encode() + b"\n" for each in said])
    pairs(space, tuple(each["id"] for each in said))
    client = client_of(owner)
    page = client.get(address("duplicates")).text
    assert "<script>alert" not in page and "<b>&quot;" not in page and "\u202e" not in read(page)
    client.post(
        address("duplicates-merge"), {"kept": said[0]["id"], "other": [said[1]["id"]], "seen": space.head_position}
    )
    assert states()[said[1]["id"]] == FORGOTTEN
    page = client.get(address("fact", said[0]["id"])).text
    assert "Merged into this one:" in page and "<script>alert" not in page


def test_what_would_hold_again_and_what_is_superseded_say_so(owner, client_of):
    lines = [fact(name, at) for at, name in enumerate("abcd")]
    said = event("corroborated", "c", 9, source="x")
    space = space_of(*lines, edge("b", "updates", "a", 5), said)
    pairs(space, ("a", "c"), ("c", "d"), ("b", "d"))
    told = read(client_of(owner).get(address("duplicates")).text)
    assert "A newer claim holds in its place: that one can be merged." in told
    assert "It took the place of another claim, which would hold again: keep this one." in told


def test_pages_follow_each_other(owner, client_of, monkeypatch):
    space = space_of(*(fact(f"f{number}", number) for number in range(8)))
    pairs(space, *((f"f{number}", f"f{number + 1}") for number in range(0, 8, 2)))
    monkeypatch.setattr(duplicates.page, "__defaults__", (None, 3, duplicates.PART))
    client = client_of(owner)
    first = client.get(address("duplicates"))
    (more,) = re.findall(r'rel="next" href="(.*?)"', first.text)
    second = client.get(address("duplicates") + more.replace("&amp;", "&"))
    assert first.text.count('class="card cluster"') == 3 and second.text.count('class="card cluster"') == 1
    answer = client.post(address("duplicates-merge"), form_of(second), follow=True)
    assert "Nothing is left on this page" in read(answer.text)
