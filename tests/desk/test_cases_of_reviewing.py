"""Faults that other people's memories had (tests/cases, groups C, D and E): what is right, on the pages of the desk.

What is left out of them, and why, stands in tests/actions/test_cases_of_reviewing.py.
"""

import re
from collections.abc import Callable, Iterable
from html import unescape
from itertools import product
from threading import Barrier, Thread
from time import perf_counter

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.actions.steps import AGENT, World, as_facts, case, file_of, raw, steps_of
from tests.actions.test_cases_of_reviewing import pairs, ten_thousand, told
from tests.desk.conftest import ClientOf, MemberOf
from tests.desk.test_case_page import read
from tests.desk.test_chains import claims, timeline
from tests.desk.test_dashboard import without
from tests.desk.test_words import PAGES, world
from trustmem.actions import verdicts
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.desk import clock
from trustmem.store.models import Case, Fact, Line, Queued, Role, SetAside, Space, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def listed(client: Client, space: Space, **asked: str) -> list[str]:
    """What is read of each fact of a list."""
    page = client.get(reverse("facts", args=[space.name]), asked).text
    return [read(row) for row in re.findall("(?s)<tr.*?</tr>", page.split("<tbody>")[1].split("</tbody>")[0])]


def test_045_what_one_run_says_five_times_is_five_lines_of_the_history(client):
    first, *again, last = steps_of("045")
    world = World().take([first])
    for step in again:
        world.at(step).say(type="event", kind="restated", fact="a", source=AGENT, run=step["run"])
    page = client.get(reverse("fact", args=[world.take([last]).space.name, "a"]), {"history": "all"}).text
    said = read(page.split('id="history"')[1])
    mentions = said.count(f"{AGENT} said it again") + said.count(f"{AGENT} said it for the first time")
    assert mentions == case("045")["check"]["mentions"]


def test_047_noise_of_a_source_is_cleared_with_four_clicks_and_comes_back_with_one(client):
    rows = as_facts(file_of("047"), "memory")
    space = World().space
    told(space, raw(*(row | {"source": "chatter" if number < 10 else "site"} for number, row in enumerate(rows))))
    list_of_it = reverse("facts", args=[space.name]) + "?source=chatter"  # the first click
    forget = unescape(re.findall(r'href="([^"]*/forget/\?[^"]*)"', client.get(list_of_it).text)[0])
    page = client.get(forget).text  # the second
    assert "Forget 10 facts?" in read(page)
    answer = client.post(*fields(page, "Forget them"))  # the third
    assert states(space) == {f"j-{number}": LIVE if number > 9 else FORGOTTEN for number in range(12)}
    client.post(*fields(client.get(answer.url).text, "Undo"))  # and the one that brings it back
    assert set(states(space).values()) == {LIVE}


def fields(page: str, button: str) -> tuple[str, dict[str, str]]:
    """Where the form with a button goes, and what it says beside what a person writes."""
    (form,) = [each for each in re.findall("(?s)<form.*?</form>", page) if f">{button}" in each]
    said = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    return re.findall('action="([^"]*)"', form)[0], said


def states(space: Space) -> dict[str, int]:
    return dict(Fact.objects.filter(space=space).values_list("name", "state"))


def test_049_the_newer_value_stands_first_and_the_older_says_what_took_its_place_when_and_by_whom(client):
    world, check = World().take(steps_of("049", "recall")), case("049")["check"]
    texts = dict(Fact.objects.filter(space=world.space).values_list("name", "text"))
    newer, older = claims(timeline(client, world.space, "a"))
    assert [newer.startswith(texts[check["recall"][0]]), older.startswith(texts["a"])] == [True, True]
    assert "superseded" in older and "superseded" not in newer
    assert f"{AGENT} said that {texts['b']} takes its place 2026-02-01" in older
    rows = {name: row for name in "ab" for row in listed(client, world.space, text="rate limit") if texts[name] in row}
    assert ("superseded" in rows["a"], "superseded" in rows["b"]) == (True, False)
    page = read(client.get(reverse("fact", args=[world.space.name, "a"])).text)
    assert f"Superseded: a newer claim holds: {texts['b']}" in page


def test_051_of_a_chain_of_ten_thousand_there_is_a_page(client):
    space = World().space
    told(space, raw(*ten_thousand()))
    start = perf_counter()
    answer = timeline(client, space, "v0")
    assert perf_counter() - start < 10 * case("051")["check"]["seconds_max"]
    assert "10000 claims" in read(answer.text).replace("\u202f", "").replace(" 000 claims", "000 claims")
    assert len(claims(answer)) < 200


def test_053_the_words_of_what_was_replaced_find_what_holds_at_once(client):
    given = steps_of("053", "recall")
    world, check = World().take(given), case("053")["check"]
    texts = {step["alias"]: step["text"] for step in given if "alias" in step}
    asked = case("053")["steps"][-1]["query"]
    rows = listed(client, world.space, text=asked)
    found = [name for row in rows for name in check["recall"] if texts[name] in row.split("replaces:")[0]]
    assert found == check["recall"]
    ((newer, older),) = check["substituted_for"].items()
    assert any(f"{texts[newer]} replaces: {texts[older]}" in row for row in rows)
    chains = read(client.get(reverse("chains", args=[world.space.name]), {"text": asked}).text)
    assert f"{texts[newer]} replaces: {texts[older]}" in chains


# Deciding, and taking back


def test_065_after_a_skip_undo_offers_what_it_would_take_back_by_name_and_takes_back_nothing_else(client):
    world = World().take(steps_of("065", "run_pass", "keep", "skip", "undo"))
    for alias, text in (("c", "Bus 5 stops at the mill."), ("d", "Bus 5 does not stop at the mill.")):
        world.say(type="fact", id=alias, text=text, source=AGENT, run="r3")
    for newer, older in ("ba", "dc"):  # until something finds out that they contradict each other
        world.say(**{"type": "edge", "relation": "contradicts", "from": newer, "to": older, "by": AGENT, "run": "r4"})
    decided, skipped = (world.case_of(*names).name for names in ("ab", "cd"))
    seen = {"verdict": "keep left", "seen": world.space.head_position}
    client.post(reverse("case-decide", args=[world.space.name, decided]), seen)
    answer = client.post(reverse("case-skip", args=[world.space.name, skipped]))
    head = Space.objects.get().head_position
    (panel,) = re.findall('(?s)data-key="u" data-says.*?</details>', client.get(answer.url).text)
    offers = dict(re.findall('(?s)<form[^>]* action="([^"?]*)[^"]*".*?<button[^>]*>(.*?)</button>', panel))
    assert [read(name) for name in offers.values()] == [
        f"Take up again: skipped, “{world.fact('c').text}” just now",
        f"Undo: keep left, “{world.fact('a').text}” just now",
    ]
    client.post(next(iter(offers)))
    assert not SetAside.objects.exists()
    assert Space.objects.get().head_position == head  # and nothing that was decided is taken back
    assert (world.fact("a").accepted, world.fact("b").state) == (True, FORGOTTEN)
    (act,) = set(re.findall('name="act" value="(.*?)"', panel))
    client.post(list(offers)[1], {"act": act})
    assert (world.fact("a").accepted, world.fact("b").state) == (False, LIVE)
    assert Line.objects.filter(tag="event.undone").count() == 1


@pytest.mark.django_db(transaction=True)
def test_079_of_two_who_decide_one_case_at_once_one_is_told_by_whom_it_was_and_can_undo_and_decide(
    client_of, member: MemberOf
):
    space, check = pairs(1), case("079")["check"]
    (name,) = Case.objects.values_list("name", flat=True)
    said = {"keep right": client_of(member(space, Role.REVIEWER)), "keep left": client_of(member(space, Role.CURATOR))}
    address = reverse("case-decide", args=[space.name, name])

    def decide(verdict: str) -> HttpResponse:
        return said[verdict].post(address, {"verdict": verdict, "seen": space.folded_to})

    answers = at_once(decide, said)
    assert sorted(answer.status_code for answer in answers.values()) == [302, check["second_status"]]
    assert Line.objects.filter(tag="event.closed").count() == check["decisions_recorded"]
    first, second = sorted(answers, key=lambda verdict: answers[verdict].status_code)
    text = read(answers[second].text)
    who = {"keep right": Role.REVIEWER, "keep left": Role.CURATOR}[first]
    assert re.search(rf"some-{who} decided this just now 2\S+ \S+ UTC : {first}", text)
    assert f"What you sent: {second}" in text and "Undo that and decide" in text
    act = re.findall('(?s)overtaken".*?name="act" value="(.*?)"', answers[second].text)[0]
    said[second].post(reverse("case-undo", args=[space.name, name]), {"act": act})
    space.refresh_from_db()
    assert decide(second).status_code == 302


def test_081_whoever_goes_on_while_cases_of_each_page_are_decided_sees_each_of_a_hundred_once(client):
    given, (walk,) = case("081")["given"][0], case("081")["steps"]
    space = pairs(given["items"])
    seen, address = list[str](), reverse("review", args=[space.name])
    while address:
        page = client.get(address, headers={"HX-Request": "true"} if seen else None).text
        rows = [unescape(each) for each in re.findall('class="queued" href="[^"]*/cases/([^"/]+)/', page)]
        assert len(rows) == given["page"]
        seen += rows
        verdicts.decide(space, rows[: walk["decide_per_page"]], "keep left", by="reviewer-2", now=clock.now())
        more = re.findall('class="more"><a class="btn" href="([^"]+)"', page)
        address = reverse("review", args=[space.name]) + unescape(more[0]) if more else ""
    assert len(seen) == len(set(seen)) == case("081")["check"]["seen"]
    pages = given["items"] // given["page"]
    assert Queued.objects.count() == given["items"] - pages * walk["decide_per_page"]


# What an address answers


def test_085_every_address_answers_with_a_page_unless_a_part_of_it_is_asked_for(request, settings):
    settings.DEBUG = True
    looked_at = request.getfixturevalue(world.__name__)
    going_back = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    addresses = [(page.name, looked_at.address(page.name)) for page in PAGES]
    addresses += [(name, looked_at.address(name, job=10**6)) for name in ("import-job", "pass-job", "batch-job")]
    bare, whole = list[str](), set[str]()
    for (name, address), visitor, headers in product(addresses, looked_at.visitors, ({}, going_back)):
        answer = visitor.get(address, headers=headers)
        assert set(case("085")["check"]["vary_has"]) <= set(answer["Vary"].split(", "))
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            whole.add(name)
            bare += [name] * (not answer.text.startswith("<!doctype html>"))
    assert len(bare) == case("085")["check"]["bare_fragments"], bare
    assert {"facts", "fact", "case", "review", "passes", "log", "chains"} <= whole


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("table", "unread"), [("store_queued", 3), ("store_case", 2), ("store_fact", 1)])
def test_087_a_part_of_the_queue_that_cannot_be_read_says_so_and_when_and_nothing_looks_done(client, table, unread):
    space = pairs(3)
    with without(table):
        page = client.get(reverse("review", args=[space.name])).text
    assert page.count("This cannot be read now.") == page.count("Tried at ") == unread
    assert "All done" not in page and "No case was ever opened" not in page
    assert re.findall(r"\d+ left", read(page)) == ([] if table in ("store_queued", "store_case") else ["3 left"])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["dashboard", "review", "facts", "passes"])
def test_087_where_nothing_at_all_can_be_read_no_page_says_that_there_is_none_or_that_all_is_done(client, name):
    space = pairs(1)
    client.raise_request_exception = False
    with without("store_space"):
        answer = client.get(reverse(name, args=[space.name]))
    assert answer.status_code == 500
    assert not re.search(r"\b0\b|Nothing needs you|All done|No facts", read(answer.text.split("<main")[1]))


def at_once(do: Callable[[str], HttpResponse], each: Iterable[str]) -> dict[str, HttpResponse]:
    """What comes of it where all of them do something at once."""
    answers, begin = dict[str, HttpResponse](), Barrier(len(list(each)))

    def run(name: str) -> None:
        begin.wait(60)
        answers[name] = do(name)
        connection.close()

    threads = [Thread(target=run, args=[name]) for name in each]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers
