"""The time slider: facts, their list and their chains as of any instant, from what had come by then."""

import json
import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import LATER, as_file, space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.makers import constants, daily, day, edge, event, fact
from trustmem.actions import erasing, facts, spaces, statements, undo
from trustmem.core.instants import to_text
from trustmem.desk.presenters import past
from trustmem.store.models import Role, Space, User

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def at(on: float) -> str:
    return f"?as_of={to_text(day(on))}"


def page(client: Client, space: Space, name: str = "tea", query: str = "", **headers):
    return client.get(reverse("fact", args=[space.name, name]) + query, headers=headers or None)


def listed(client: Client, space: Space, query: str = "", **headers):
    return client.get(reverse("facts", args=[space.name]) + query, headers=headers or None)


def words(answer) -> str:
    """What is read on a page, in one line."""
    return _read(answer.text)


def _read(html: str) -> str:
    within = re.sub("</?(a|b|bdi|code|q|small|span|time)( [^>]*)?>", "", html)
    return " ".join(unescape(re.sub("<[^>]*>", " ", within)).split())


def section(answer, title: str) -> str:
    """What is read from a heading on to the next."""
    return _read(answer.text.split(f">{title}</h2>")[1].split("<h2")[0])


def names(answer) -> list[str]:
    return re.findall("data-stop.*?>What (.*?) says", answer.text)


def band_of(answer) -> str:
    return re.search('band-large"><span[^>]*>.*?</svg>(.*?)</span></span>', answer.text)[1]


# Which instant.


@pytest.mark.parametrize(
    ("given", "instant"),
    [
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"),
        ("2026-03-01T13:00:00+01:00", "2026-03-01T12:00:00Z"),
        ("2026-03-01T12:00", "2026-03-01T12:00:00Z"),
        ("2026-03-01T12:00:05.250", "2026-03-01T12:00:05.250000Z"),
        (" 2026-03-01 ", "2026-03-01T00:00:00Z"),
    ],
)
def test_an_instant_is_in_utc_unless_it_says_otherwise_and_a_day_is_its_beginning(given, instant):
    assert to_text(past.instant({"as_of": given})) == instant


def test_without_one_it_is_now():
    assert past.instant({}) is None
    assert past.instant({"as_of": " "}) is None


@pytest.mark.parametrize("address", ["facts", "fact", "chain", "freshness-figure"])
def test_what_is_no_instant_is_said_and_not_left_out(client, address):
    space = space_of(fact("tea"))
    args = [space.name] if address == "facts" else [space.name, "tea"]
    answer = client.get(reverse(address, args=args) + "?as_of=tomorrow")
    assert answer.status_code == 400
    assert "“tomorrow” is no instant." in unescape(answer.text)


def test_stops_lead_to_the_change_before_and_after_as_far_as_a_browser_keeps_instants():
    stops = [day(1), day(3) + 1, day(3) + 2, day(5)]
    shown = past.as_of(day(4), day(9), stops, {"text": "a b"})
    assert shown.previous == "?text=a+b&as_of=2026-01-04T09%3A00%3A00.001000Z"
    assert shown.next == "?text=a+b&as_of=2026-01-06T09%3A00%3A00Z"
    assert shown.now == "?text=a+b"
    assert (past.as_of(day(1), day(9), stops, {}).previous, past.as_of(day(5), day(9), stops, {}).next) == ("", "")
    assert past.as_of(None, day(9), [*stops, day(10)], {}).previous == "?as_of=2026-01-06T09%3A00%3A00Z"


def test_the_slider_goes_from_the_first_change_to_now_in_at_most_so_many_steps():
    stops = [day(each / 10) for each in range(3000)]
    slider = past.as_of(None, day(400), stops, {}).slider
    assert (slider.place, slider.first) == (slider.last, day(0) // 1_000_000)
    assert day(400) // 1_000_000 <= slider.last < day(403) // 1_000_000
    assert (slider.last - slider.first) / slider.step <= 200
    assert len(slider.marks) <= 151
    assert {(mark - slider.first) % slider.step for mark in slider.marks} == {0}
    assert past.as_of(day(3), day(400), stops, {}).slider.place == day(3) // 1_000_000
    assert past.as_of(None, day(400), [], {}).slider is None


# The page of a fact.


def test_it_is_told_as_of_when_a_page_is_and_nothing_can_be_decided_there(client):
    space = space_of(fact("tea"), fact("milk"), edge("milk", "contradicts", "tea", 2, id="e"))
    facts.accept(space, "tea", by="ana", now=LATER + 1)
    now, then = page(client, space), page(client, space, query=at(3))
    assert "As of 4 Jan 2026 09:00 UTC: not how things stand now, and nothing can be decided here." in words(then)
    assert "not how things stand now" not in words(now)
    forms = [set(re.findall('<form method="post" action="([^"]+)"', answer.text)) for answer in (now, then)]
    assert forms[1] == {reverse("sign-out")} < forms[0]


def test_before_and_after_it_was_forgotten(client):
    space = space_of(fact("tea"), event("forgotten", "tea", 4, tier="human"))
    before, after = page(client, space, query=at(3)), page(client, space, query=at(5))
    assert "Agents may be served it" in words(before)
    assert "Not served to agents: it is forgotten." in words(after)
    assert "forgot it" not in words(before)


def test_before_and_after_a_newer_claim_took_its_place(client):
    space = space_of(fact("tea"), fact("milk", 4), edge("milk", "updates", "tea", 4))
    before, after = page(client, space, query=at(3)), page(client, space, query=at(5))
    assert "superseded" not in words(before)
    assert "Superseded: a newer claim holds: What milk says." in words(after)
    assert f"{reverse('fact', args=[space.name, 'milk'])}?as_of=" in after.text


def test_before_and_after_a_ruling(client):
    space = space_of(fact("tea"), event("contradicted", "tea", 2, source="crm", id="e"))
    statements.rule(space, "e", "dismissed", by="ana", now=LATER + 1)
    assert "In force: it counts against this claim." in words(page(client, space, query=at(3)))
    assert "What speaks against it" not in words(page(client, space))


def test_before_and_after_a_pass(client):
    space = space_of(fact("tea", weight=0.01), passes=daily(4, 5))
    before, after = page(client, space, query=at(4)), page(client, space, query=at(4.2))
    assert "No pass that counts has changed it." in words(before)
    assert "2026-01-05 12:00 UTC pruned" in words(after)


def test_what_passes_had_done_is_the_same_then_as_it_is_told_now(client):
    said = [event("restated", "tea", on + 0.5, source=f"s{on}") for on in range(6)]
    space = space_of(fact("tea"), *said, passes=daily(1, 6))
    told = [section(each, "What passes did to it") for each in (page(client, space), page(client, space, query=at(7)))]
    assert told[0] == told[1]
    assert told[0].count(" UTC ") > 3


def test_what_was_undone_later_is_shown_as_it_was_and_by_whom_it_was_undone_only_later(client):
    space = space_of(fact("tea"))
    act = facts.accept(space, "tea", by="ana", now=LATER)
    undo.undo(space, act, by="ben", now=LATER + 10_000_000)
    then, later = (page(client, space, query=f"?as_of={to_text(LATER + span)}") for span in (5_000_000, 15_000_000))
    assert "ana accepted it 2026" in words(then)
    assert "undone" not in words(then)
    assert "ana accepted it undone by ben" in words(later)
    assert band_of(then) != band_of(later)


def test_a_fact_that_counts_as_never_written_now_is_shown_as_it_was(client):
    space = space_of(fact("tea"))
    act, made = facts.correct(space, "tea", "It is cold.", by="ana", now=LATER)
    undo.undo(space, act, by="ana", now=LATER + 10_000_000)
    assert page(client, space, made).status_code == 404
    assert "It is cold." in page(client, space, made, f"?as_of={to_text(LATER + 1_000_000)}").text
    answer = page(client, space, made, f"?as_of={to_text(LATER + 20_000_000)}")
    assert "It counted as never written then: its act was undone." in words(answer)
    assert "It is cold." not in answer.text


def test_the_constants_are_those_of_then(client):
    low = {"auto": 0.1, "human": 0.2, "signed": 0.3}
    space = space_of(fact("tea"), constants({"base_rate": low}, 4))
    assert "(0 + 0.60·2) / (0 + 0 + 2)" in words(page(client, space, query=at(3)))
    assert "(0 + 0.10·2) / (0 + 0 + 2)" in words(page(client, space, query=at(5)))


def test_as_of_the_last_change_it_says_what_it_says_now(client, monkeypatch):
    space = space_of(
        fact("tea"), fact("milk"), edge("milk", "contradicts", "tea", 2), event("restated", "tea", 3, source="crm"),
        passes=daily(1, 5),
    )  # fmt: skip
    instant = day(5.125)
    monkeypatch.setattr("trustmem.desk.clock.now", lambda: instant)
    now = page(client, space)
    monkeypatch.undo()
    then = page(client, space, query=f"?as_of={to_text(instant)}")
    assert band_of(now) == band_of(then)
    for title in ("Why", "Weight", "Support and opposition", "Evidence and disagreement"):
        assert section(now, title) == section(then, title)


def test_what_was_erased_never_comes_back(client):
    space = space_of(fact("tea"), fact("milk"), edge("milk", "updates", "tea", 2))
    erasing.erase(space, "tea", by="ana", now=LATER, reason="")
    for answer in (page(client, space, query=at(3)), page(client, space, "milk", at(3)), listed(client, space, at(3))):
        assert answer.status_code == 200
        assert "What tea says" not in answer.text
        assert "(erased)" in answer.text


def test_before_it_came_and_in_times_to_come_there_is_a_sentence_and_the_way_on(client):
    space = space_of(fact("tea", 4))
    before, ahead = page(client, space, query=at(3)), page(client, space, query="?as_of=9999-01-01")
    assert "It had not come by then: it came on 5 Jan 2026 09:00 UTC." in words(before)
    assert "What tea says" not in before.text
    assert "as_of=2026-01-05T09%3A00%3A00Z" in before.text
    assert "That is still to come" in words(ahead)
    assert [answer.status_code for answer in (before, ahead)] == [200, 200]
    assert page(client, space, "coffee", at(5)).status_code == 404


def test_each_line_about_it_is_a_stop_be_it_undone_and_so_is_each_pass_that_changed_it(client):
    lines = [fact("tea", weight=0.06), event("recalled", "tea", 2, act="A"), event("undone", of="A", on=3)]
    space = space_of(*lines, passes=daily(5, 30))
    stops, query = [], ""
    while len(stops) < 20:
        found = re.search(r'id="as-of-previous" href="\?as_of=([^"]+)"', page(client, space, query=query).text)
        if not found:
            break
        query = f"?as_of={found[1]}"
        stops.append(unescape(found[1]).replace("%3A", ":"))
    assert stops[-3:] == ["2026-01-04T09:00:00Z", "2026-01-03T09:00:00Z", "2026-01-01T09:00:00Z"]
    assert all(stop.endswith("12:00:00Z") for stop in stops[:-3])
    assert stops[:-3]


def test_the_figure_is_of_then_and_the_history_can_be_asked_for_as_a_part(client):
    said = [event("recalled", "tea", on / 10, run=f"r{on}", source="crm") for on in range(1, 61)]
    space = space_of(fact("tea"), *said)
    answer = page(client, space, query=at(5))
    figure = unescape(re.search('data-src="([^"]+)"', answer.text)[1])
    drawn = client.get(figure).json()
    assert drawn["layout"]["annotations"][0]["text"] == "then"
    assert drawn["layout"]["annotations"][0]["x"] == "2026-01-06 09:00:00"
    link = unescape(re.search('hx-get="([^"]+history=all)"', answer.text)[1])
    part = page(client, space, query=link, **HTMX)
    assert part.text.strip().startswith("<section")
    assert len(re.findall("<time datetime", part.text)) == 51
    figure = client.get(reverse("freshness-figure", args=[space.name, "tea"]) + at(-1))
    assert figure.status_code == 404


def test_the_slider_asks_for_a_page_of_which_it_takes_the_part(client):
    space = space_of(fact("tea"))
    for ask in (page, listed):
        answer = ask(client, space, query=at(3), **HTMX, **{"HX-Target": "main"})
        assert '<main id="main"' in answer.text


# The list.


@pytest.fixture
def space() -> Space:
    return space_of(
        fact("tea", source="ana"), fact("milk", 2, source="ben"), fact("cups", 6),
        edge("milk", "updates", "tea", 3), event("forgotten", "milk", 5, tier="human"), passes=daily(1, 3),
    )  # fmt: skip


def test_a_list_holds_what_had_come_by_then_the_newest_first_whatever_became_of_it(client, space):
    assert [names(listed(client, space, at(on))) for on in (1, 3, 9)] == [
        ["tea"], ["milk", "tea"], ["cups", "milk", "tea"],
    ]  # fmt: skip
    text = listed(client, space, at(9)).text
    assert re.search("What milk says.*?forgotten", text, re.S)
    assert "What had come by then, the newest first" in text


def test_each_row_is_as_it_stood_then_and_leads_to_the_fact_as_it_was(client, space):
    before, after, later = (listed(client, space, at(on)) for on in (2.5, 4, 9))
    assert ["superseded" in each.text.split("What tea says")[1] for each in (before, after, later)] == [
        False, True, False,
    ]  # fmt: skip
    assert f'href="{reverse("fact", args=[space.name, "tea"])}?as_of=2026-01-05T09%3A00%3A00Z"' in after.text


def test_pages_follow_each_other_and_keep_the_instant(client, space, monkeypatch):
    monkeypatch.setattr("trustmem.desk.views.facts.SIZE", 1)
    first = listed(client, space, at(4))
    second = listed(client, space, first.context["next"])
    assert (names(first), names(second)) == (["milk"], ["tea"])
    assert "As of 5 Jan 2026" in second.text
    assert names(listed(client, space, second.context["previous"])) == ["milk"]


@pytest.mark.parametrize(("query", "found"), [("&source=ana", ["tea"]), ("&text=mil", ["milk"]), ("&text=coffee", [])])
def test_it_can_be_searched_and_filtered_by_what_is_said_at_birth(client, space, query, found):
    answer = listed(client, space, at(4) + query)
    assert names(answer) == found
    assert "As of 5 Jan 2026" in answer.text


@pytest.mark.parametrize("query", ["band=low", "flag=stale", "state=live", "tier=auto", "scope=global", "sort=trust", "order=rising"])  # fmt: skip  # noqa: E501
def test_what_is_known_of_now_alone_is_refused_and_the_page_says_so_before(client, space, query):
    answer = listed(client, space, f"{at(4)}&{query}")
    assert answer.status_code == 400
    said = "Bands, flags, states, tiers and scopes filter, and trust and weight sort, what holds now."
    assert said in answer.text
    shown = listed(client, space, at(4))
    assert said in shown.text
    assert f'name="{query.split("=")[0]}"' not in shown.text


def test_the_slider_keeps_what_the_list_is_filtered_by_then_too(client, space):
    answer = listed(client, space, "?source=ana&flag=stale&state=any")
    assert '<input type="hidden" name="source" value="ana">' in answer.text
    assert "?source=ana&amp;as_of=2026-01-04T12%3A00%3A00Z" in answer.text
    assert "flag=stale&amp;as_of" not in answer.text


def test_its_marks_are_passes(client, space):
    answer = listed(client, space, at(2.5))
    assert (answer.context["as_of"].previous, answer.context["as_of"].next) == (
        "?as_of=2026-01-03T12%3A00%3A00Z", "?as_of=2026-01-04T12%3A00%3A00Z",
    )  # fmt: skip


def test_before_anything_came_and_in_times_to_come_a_list_says_so(client, space):
    assert "Nothing had come by then." in words(listed(client, space, at(-9)))
    assert "That is still to come" in words(listed(client, space, "?as_of=9999-01-01"))


def test_a_list_holds_what_was_undone_since(client):
    space = taken(
        spaces.create("diary"), as_file([fact("tea", act="A"), fact("milk", 1), event("undone", of="A", on=4)])
    )
    assert names(listed(client, space, at(3))) == ["milk", "tea"]
    assert names(listed(client, space, at(5))) == ["milk"]
    assert names(listed(client, space)) == ["milk"]


def test_it_asks_as_much_for_20_facts_as_for_10(client):
    asked = []
    for many in (10, 20):
        space = space_of(*(fact(f"f{number}") for number in range(many)), name=f"of{many}")
        listed(client, space, at(3))
        with CaptureQueriesContext(connection) as queries:
            assert len(names(listed(client, space, at(3)))) == many
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_whatever_a_text_holds_it_is_shown_to_the_letter(client):
    nasty = "<img src=x onerror=alert(1)>\u200b"
    said = {"type": "fact", "id": nasty, "text": nasty, "source": nasty, "subject": nasty, "at": to_text(day(0))}
    space = taken(spaces.create("diary"), [json.dumps(said).encode()])
    for answer in (page(client, space, nasty, at(3)), page(client, space, nasty, at(-3)), listed(client, space, at(3))):
        assert answer.status_code == 200
        assert "<img" not in answer.text
        assert "\u200b" not in answer.text


@pytest.mark.parametrize("role", list(Role))
def test_every_member_may_look_and_a_stranger_may_not(client_of, member: MemberOf, space, role):
    someone = client_of(member(space, role))
    assert {ask(someone, space, query=at(3)).status_code for ask in (page, listed)} == {200}
    other = client_of(User.objects.create_user("stranger"))
    assert {ask(other, space, query=at(3)).status_code for ask in (page, listed)} == {404}


# What is found by what it replaced.


def test_053_a_search_for_old_words_finds_what_holds_and_says_what_that_replaces(client):
    space = space_of(fact("tea"), fact("milk", 2), edge("milk", "updates", "tea", 3))
    answer = listed(client, space, "?text=what+tea")
    assert set(names(answer)) == {"milk", "tea"}
    assert "What milk says. replaces: What tea says." in words(answer)
    assert words(answer).count("replaces:") == 1
    assert "replaces:" not in words(listed(client, space, "?text=what"))


def test_the_field_holds_an_instant_as_browsers_take_it(client):
    space = space_of(fact("a"))
    html = client.get(f"{reverse('facts', args=[space.name])}?as_of=2026-01-05T09:00:00.578123Z").content.decode()
    assert 'value="2026-01-05T09:00:00.578"' in html
