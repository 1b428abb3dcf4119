"""Chains: each as a timeline from head to tail with who, when and why; and the list of them all."""

import json
import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.makers import day, edge, event, fact
from trustmem.actions import erasing, facts, spaces
from trustmem.core.instants import to_text
from trustmem.desk.presenters import chains as presenter
from trustmem.desk.views import chains as views
from trustmem.store.models import Role, Space, User

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def timeline(client: Client, space: Space, name: str, query: str = "", **headers):
    return client.get(reverse("chain", args=[space.name, name]) + query, headers=headers or None)


def listed(client: Client, space: Space, query: str = "", **headers):
    return client.get(reverse("chains", args=[space.name]) + query, headers=headers or None)


def read(html: str) -> str:
    within = re.sub("</?(a|b|bdi|code|q|small|span|time)( [^>]*)?>", "", html)
    return " ".join(unescape(re.sub("<[^>]*>", " ", within)).split())


def claims(answer) -> list[str]:
    """What is read of each claim of a timeline."""
    return [read(each) for each in re.findall('(?s)<li(?= class="(?:top)?(?: gone)?").*?</li>', answer.text)]


def held(answer) -> list[tuple[str, str]]:
    """When each claim held, by what it says."""
    found = re.findall(
        '(?s)chain-claim">.*?<bdi[^>]*>(.*?)</bdi></a></p>\\s*<p class="chain-held">(.*?)</p>', answer.text
    )
    return [(unescape(claim), unescape(period)) for claim, period in found]


def said(text: str, id: str, on: float, **values) -> dict:
    return {"type": "fact", "id": id, "text": text, "at": to_text(day(on)), **values}


def updates(newer: str, older: str, on: float, **values) -> dict:
    ends = {"type": "edge", "id": f"{newer}-{older}", "from": newer, "relation": "updates", "to": older}
    return ends | {"at": to_text(day(on)), **values}


def made(*lines: dict) -> Space:
    return taken(spaces.create("diary"), [json.dumps(line).encode() for line in lines])


def test_a_b_a_keeps_three_periods(client):
    space = made(
        said("The limit is 40.", "a", 0), said("The limit is 60.", "b", 30), said("The limit is 40.", "c", 61),
        updates("b", "a", 30), updates("c", "b", 61),
    )  # fmt: skip
    right = [
        ("The limit is 40.", "holds since 3 Mar 2026"),
        ("The limit is 60.", "held from 31 Jan 2026 to 3 Mar 2026"),
        ("The limit is 40.", "held from 1 Jan 2026 to 31 Jan 2026"),
    ]
    assert [held(timeline(client, space, name)) for name in "abc"] == [right] * 3


def test_a_claim_that_holds_again_since_what_replaced_it_was_forgotten_keeps_both_of_its_periods(client):
    space = space_of(fact("a"), fact("b", 9), edge("b", "updates", "a", 9), event("forgotten", "b", 14, tier="human"))
    assert held(timeline(client, space, "a")) == [
        ("What b says.", "held from 10 Jan 2026 to 15 Jan 2026"),
        ("What a says.", "held from 1 Jan 2026 to 10 Jan 2026, and again since 15 Jan 2026"),
    ]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([fact("b", 9), edge("b", "updates", "a", 0.1)], "held from 1 Jan 2026 09:00 UTC to 1 Jan 2026 11:24 UTC"),
        ([fact("b", 9), edge("b", "updates", "a", -1)], "never held: it was replaced, or gone, as it came"),
        ([event("forgotten", "a", 3)], "held from 1 Jan 2026 to 4 Jan 2026"),
        ([], "holds since 1 Jan 2026"),
    ],
)
def test_when_a_claim_held_is_told_in_days_or_where_it_was_one_day_by_the_minute(client, lines, says):
    assert dict(held(timeline(client, space_of(fact("a"), *lines), "a")))["What a says."] == says


def test_of_a_claim_of_which_no_birth_is_known_only_the_end_of_its_period_is_told(client):
    space = space_of(fact("a", at_known=False), fact("b", at_known=False), edge("b", "updates", "a", 9))
    assert [period for _, period in held(timeline(client, space, "a"))] == [
        "holds, nobody knows since when", "held until 10 Jan 2026",
    ]  # fmt: skip


def test_who_put_what_in_its_place_when_and_why_stands_with_each_claim(client):
    space = made(
        said("It is open.", "a", 0, source="ana"), said("It is shut.", "b", 5, source="crm", tier="human"),
        updates("b", "a", 5, by="mail", note="Seen on the door."),
    )  # fmt: skip
    newer, older = claims(timeline(client, space, "a"))
    assert "said by crm" in newer
    assert "tier human" in newer
    assert "said by ana" in older
    assert "superseded" in older
    assert "mail said that It is shut. takes its place 2026-01-06 09:00 UTC “Seen" in older.replace(" Seen", " “Seen")


def test_the_reason_of_a_correction_is_told(client):
    space = space_of(fact("a"))
    facts.correct(space, "a", "It is shut.", by="ana", now=day(101), reason="I <asked> them")
    answer = timeline(client, space, "a")
    assert "ana said that It is shut. takes its place" in claims(answer)[1]
    assert '<q dir="auto" translate="no">I &lt;asked&gt; them</q>' in answer.text


def test_of_many_who_put_something_in_its_place_the_first_three_are_told(client):
    newer = [fact(f"b{each}", 1) for each in range(5)]
    edges = [edge(f"b{each}", "updates", "a", 2 + each, by=f"s{each}") for each in range(5)]
    *_, older = claims(timeline(client, space_of(fact("a"), *newer, *edges), "a"))
    assert re.findall(r"(s\d) said that", older) == ["s0", "s1", "s2"]
    assert "and 2 more" in older


def test_a_fork_shows_both_heads_and_says_so(client):
    space = space_of(fact("d"), fact("e", 1), fact("f", 2), edge("e", "updates", "d", 1), edge("f", "updates", "d", 2))
    answer = timeline(client, space, "e")
    said = "2 claims stand at the head, and none of them replaces another: a person has to decide which holds."
    assert said in read(answer.text)
    assert answer.text.count('<li class="top"') == 2
    assert said not in read(timeline(client, space_of(fact("d"), name="other"), "d").text)


def test_a_circle_that_came_by_an_import_is_told_and_leads_nowhere(client):
    ends = [edge("b", "updates", "a", 1), edge("c", "updates", "b", 2), edge("a", "updates", "c", 3)]
    space = space_of(fact("a"), fact("b"), fact("c"), *ends)
    answer = timeline(client, space, "b")
    assert "3 claims are said to update each other in a circle: none of that counts" in read(answer.text)
    assert [period for _, period in held(answer)] == ["holds since 1 Jan 2026"] * 3
    assert read(answer.text).count("takes its place, which closes a circle and counts for nothing") == 3


def test_a_claim_that_is_forgotten_is_told_with_who_forgot_it_and_read_by_those_who_may_decide(
    client, client_of, member
):
    space = space_of(fact("a"), fact("b", 1), edge("b", "updates", "a", 1))
    facts.forget(space, "b", by="ana", now=day(101), reason="It never was so.")
    newer, older = claims(timeline(client, space, "a"))
    assert newer.startswith("What b says.")
    assert "ana forgot it" in newer
    assert "It never was so." in newer
    assert "takes its place, which is not so while one of the two is gone" in older
    answer = timeline(client_of(member(space, Role.READER)), space, "a")
    assert claims(answer)[0].startswith("(forgotten)")
    assert "What b says" not in answer.text


def test_of_a_claim_that_is_erased_only_its_fate_is_told(client):
    space = space_of(fact("a"), fact("b", 1), edge("b", "updates", "a", 1, by="crm"))
    erasing.erase(space, "a", by="ana", now=day(101), reason="")
    answer = timeline(client, space, "b")
    assert "What a says" not in answer.text
    assert claims(answer)[1].startswith("(erased)")
    assert "ana erased its text for good" in claims(answer)[1]


def test_a_fact_that_stands_alone_has_a_page_and_one_that_there_is_not_has_none(client):
    space = space_of(fact("a"))
    assert [period for _, period in held(timeline(client, space, "a"))] == ["holds since 1 Jan 2026"]
    answer = timeline(client, space, "<b>")
    assert answer.status_code == 404
    assert "This space holds no fact “&lt;b&gt;”." in answer.text


def test_a_long_chain_is_shown_a_page_at_a_time_and_begins_with_the_page_of_the_claim_that_is_asked_for(
    client, monkeypatch
):
    monkeypatch.setattr(presenter, "SIZE", 4)
    lines = [fact(f"f{each}", each) for each in range(10)]
    space = space_of(*lines, *(edge(f"f{each + 1}", "updates", f"f{each}", each + 1) for each in range(9)))

    def shown(answer) -> list[str]:
        return [claim[5:7] for claim, _ in held(answer)]

    middle = timeline(client, space, "f5")
    assert shown(middle) == ["f5", "f4", "f3", "f2"]
    assert 'aria-current="true"' in middle.text
    links = {name: unescape(found) for name, found in re.findall(r'rel="(next|prev)" href="([^"]+)"', middle.text)}
    assert shown(timeline(client, space, "f5", links["next"])) == ["f1", "f0"]
    assert shown(timeline(client, space, "f5", links["prev"])) == ["f9", "f8", "f7", "f6"]
    assert "10 claims" in read(middle.text)
    assert timeline(client, space, "f5", "?from=nobody").status_code == 400


def test_it_asks_as_often_for_20_claims_as_for_10(client):
    def asked(many: int) -> int:
        lines = [fact(f"f{each}", each) for each in range(many)]
        edges = [edge(f"f{each + 1}", "updates", f"f{each}", each + 1) for each in range(many - 1)]
        space = space_of(*lines, *edges, name=f"of{many}")
        with CaptureQueriesContext(connection) as queries:
            assert len(claims(timeline(client, space, "f3"))) == many
        return len(queries)

    asked(5)
    assert asked(10) == asked(20)


# As of an instant.


def test_a_chain_is_shown_as_it_stood_then(client):
    lines = [fact("a"), fact("b", 5), fact("c", 9)]
    space = space_of(*lines, edge("b", "updates", "a", 5), edge("c", "updates", "b", 9))
    answer = timeline(client, space, "a", f"?as_of={to_text(day(6))}")
    assert held(answer) == [
        ("What b says.", "holds since 6 Jan 2026"), ("What a says.", "held from 1 Jan 2026 to 6 Jan 2026"),
    ]  # fmt: skip
    assert "As of 7 Jan 2026 09:00 UTC: not how things stand now" in read(answer.text)
    assert f"{reverse('fact', args=[space.name, 'b'])}?as_of=2026-01-07T09%3A00%3A00Z" in answer.text
    stops = answer.context["as_of"]
    assert (stops.previous, stops.next) == ("?as_of=2026-01-06T09%3A00%3A00Z", "?as_of=2026-01-10T09%3A00%3A00Z")


def test_before_a_claim_came_and_in_times_to_come_there_is_a_sentence(client):
    space = space_of(fact("a"), fact("b", 5), edge("b", "updates", "a", 5))
    before, ahead = (timeline(client, space, "b", f"?as_of={at}") for at in (to_text(day(-1)), "9999-01-01"))
    assert "It had not come by then: it came on 6 Jan 2026 09:00 UTC." in read(before.text)
    assert "That is still to come" in read(ahead.text)
    assert claims(before) == claims(ahead) == []


def test_before_a_claim_came_its_chain_is_shown_as_it_was_without_it(client):
    lines = [fact("a"), fact("b", 5), fact("c", 9)]
    space = space_of(*lines, edge("b", "updates", "a", 5), edge("c", "updates", "b", 9))
    answer = timeline(client, space, "c", f"?as_of={to_text(day(6))}")
    assert [text for text, _ in held(answer)] == ["What b says.", "What a says."]


def test_the_pages_of_a_chain_keep_the_instant(client, monkeypatch):
    monkeypatch.setattr(presenter, "SIZE", 1)
    space = space_of(fact("a"), fact("b", 5), edge("b", "updates", "a", 5))
    answer = timeline(client, space, "b", f"?as_of={to_text(day(6))}")
    (following,) = re.findall('rel="next" href="([^"]+)"', answer.text)
    assert unescape(following) == "?as_of=2026-01-07T09%3A00%3A00Z&from=a"
    assert claims(timeline(client, space, "b", unescape(following)))[0].startswith("What a says.")


# The list.


@pytest.fixture
def space() -> Space:
    return space_of(
        fact("tea", source="ana"), fact("milk", 1, source="ben"), edge("milk", "updates", "tea", 1),
        fact("d"), fact("e", 1), fact("f", 2), edge("e", "updates", "d", 2), edge("f", "updates", "d", 3),
        fact("alone"),
    )  # fmt: skip


def rows(answer) -> list[str]:
    return [read(each) for each in re.findall('(?s)<div class="chain-heads">.*?</li>', answer.text)]


def test_the_list_shows_heads_with_their_bands_and_what_they_replaced_what_changed_last_first(client, space):
    fork, plain = rows(listed(client, space))
    assert re.search(r"low 0\.\d\d What e says\. low 0\.\d\d What f says\.", fork)
    assert "replaced 1 claim · 2 heads: a person has to decide which holds" in fork
    assert re.search(r"low 0\.\d\d What milk says\. replaced 1 claim · changed \d+ days ago", plain)


def test_old_words_find_the_head_and_say_what_it_replaces(client, space):
    (row,) = rows(listed(client, space, "?text=what+tea"))
    assert "What milk says. replaces: What tea says." in row
    assert "replaces:" not in rows(listed(client, space, "?text=what+milk"))[0]
    assert len(rows(listed(client, space, "?source=ana"))) == 1
    assert "No chain is like that" in listed(client, space, "?text=coffee").text


def test_a_circle_is_a_row_without_heads(client):
    ends = [edge("b", "updates", "a", 1), edge("a", "updates", "b", 2)]
    (row,) = rows(listed(client, space_of(fact("a"), fact("b"), *ends)))
    assert "2 claims on a circle of updates: none of it counts" in row
    assert "replaced" not in row


def test_pages_follow_each_other_and_lead_back(client, space, monkeypatch):
    monkeypatch.setattr(views, "SIZE", 1)
    first = listed(client, space)
    second = listed(client, space, first.context["next"])
    assert ["2 heads" in rows(each)[0] for each in (first, second)] == [True, False]
    assert rows(listed(client, space, second.context["previous"])) == rows(first)
    assert (first.context["previous"], second.context["next"]) == ("", "")


def test_a_part_is_a_part_of_the_same_address(client, space):
    part, page = listed(client, space, **HTMX), listed(client, space)
    assert part.text.strip().startswith("<section")
    assert part.text.strip() in page.text


@pytest.mark.parametrize("query", ["?colour=red", "?after=there", "?source=a%00b", "?as_of=once", "?sort=age"])
def test_what_an_address_cannot_mean_is_said_and_not_left_out(client, space, query):
    assert listed(client, space, query).status_code == 400


def test_the_list_is_of_any_instant_and_keeps_it(client, space, monkeypatch):
    monkeypatch.setattr(views, "SIZE", 1)
    then = f"?as_of={to_text(day(2))}"
    first = listed(client, space, then)
    second = listed(client, space, first.context["next"])
    assert [re.sub(r".*?(What.*) · changed.*", r"\1", *rows(each)) for each in (first, second)] == [
        "What e says. replaced 1 claim", "What milk says. replaced 1 claim",
    ]  # fmt: skip
    assert second.context["next"] == ""
    assert rows(listed(client, space, second.context["previous"])) == rows(first)
    assert "As of 3 Jan 2026 09:00 UTC: not how things stand now" in read(second.text)
    assert f"{reverse('chain', args=[space.name, 'e'])}?as_of=2026-01-03T09%3A00%3A00Z" in first.text
    (row,) = rows(listed(client, space, f"{then}&text=what+tea"))
    assert "What milk says. replaces: What tea says." in row
    assert "There were no chains then" in listed(client, space, f"?as_of={to_text(day(0.5))}").text
    assert "That is still to come" in listed(client, space, "?as_of=9999-01-01").text


def test_a_list_without_chains_says_why(client):
    assert "There are no chains here yet" in listed(client, space_of(fact("a"))).text


def test_the_list_asks_as_much_for_20_chains_as_for_10(client):
    asked = []
    for many in (10, 20):
        born = [fact(f"{letter}{each}") for letter in "ab" for each in range(many)]
        space = space_of(*born, *(edge(f"b{each}", "updates", f"a{each}") for each in range(many)), name=f"of{many}")
        listed(client, space)
        with CaptureQueriesContext(connection) as queries:
            assert len(rows(listed(client, space))) == many
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_the_page_of_a_fact_in_a_chain_leads_to_all_of_it(client, space):
    answer = client.get(reverse("fact", args=[space.name, "tea"]))
    assert f'href="{reverse("chain", args=[space.name, "tea"])}"' in answer.text
    assert "The whole chain" not in client.get(reverse("fact", args=[space.name, "alone"])).text


@pytest.mark.parametrize("role", list(Role))
def test_every_member_may_look_and_a_stranger_may_not(client_of, member: MemberOf, space, role):
    someone, stranger = client_of(member(space, role)), client_of(User.objects.create_user("stranger"))
    for ask in (lambda who: listed(who, space), lambda who: timeline(who, space, "tea")):
        assert (ask(someone).status_code, ask(stranger).status_code) == (200, 404)


def test_whatever_a_text_holds_it_is_shown_to_the_letter(client):
    nasty = "<img src=x onerror=alert(1)>\u200b"
    lines = [said(nasty, each, on, source=nasty, subject=nasty) for on, each in enumerate((nasty, "b"))]
    space = made(*lines, updates("b", nasty, 1, by=nasty, note=nasty))
    for answer in (timeline(client, space, nasty), listed(client, space), listed(client, space, "?text=onerror")):
        assert answer.status_code == 200
        assert "<img" not in answer.text
        assert "\u200b" not in answer.text
