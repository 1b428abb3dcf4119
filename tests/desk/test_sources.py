"""Sources: how many of their facts people found right stands on their pages, in the queue and on cases."""

import csv
import re
from io import StringIO

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.test_verdicts import case_of
from tests.actions.world import space_of
from tests.desk.judged import judged
from tests.desk.test_truth import read
from tests.makers import edge, fact
from trustmem.actions import facts, outcomes
from trustmem.core.reliability import beta_interval
from trustmem.desk import clock
from trustmem.desk.numbers import two
from trustmem.store.models import Role, Space

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    return space_of(fact("a", source="crm"), fact("b", source="crm"), fact("c", source="mail"))


@pytest.fixture
def client(owner, client_of):
    return client_of(owner)


def listed(client, space: Space, query: str = "") -> str:
    return read(client.get(reverse("sources", args=[space.name]) + query).text.split("<main")[1])


def one(client, space: Space, name: str, query: str = ""):
    return client.get(reverse("source", args=[space.name, name]) + query)


def table(client, space: Space, query: str = "") -> list[dict[str, str]]:
    answer = client.get(reverse("sources-csv", args=[space.name]) + query)
    return list(csv.DictReader(StringIO(answer.content.decode("utf-8-sig"))))


def test_each_source_stands_with_its_facts_and_what_was_found_of_them(client, space):
    judged(space, 9, source="crm", right=True)
    judged(space, 3, source="crm", right=False)
    expected = beta_interval(9, 3)
    crm, mail = table(client, space)
    assert (crm["source"], crm["facts"], crm["right"], crm["wrong"]) == ("crm", "2", "9", "3")
    assert [float(crm[name]) for name in ("mean", "low", "high")] == list(expected)
    assert (mail["facts"], mail["right"], mail["wrong"], mail["mean"]) == ("1", "0", "0", "")
    told = listed(client, space)
    assert f"9 3 {two(expected.mean)} {two(expected.low)} – {two(expected.high)}" in told
    assert "it does not enter trust" in told
    page = read(one(client, space, "crm").text)
    assert "9 found right 3 found wrong" in page and f"reliability {two(expected.mean)}" in page
    assert "Nobody found a fact of it right or wrong yet." in read(one(client, space, "mail").text)


def test_the_figure_shows_those_of_which_something_was_found(client, space):
    judged(space, 3, source="crm", right=True)
    (points,) = client.get(reverse("sources-figure", args=[space.name])).json()["data"]
    assert points["x"] == [beta_interval(3, 0).mean]


def test_pages_of_sources_lead_to_each_other(client):
    names = [f"source {place:02}" for place in range(25)]
    space = space_of(*(fact(name, source=name) for name in names))
    assert names[19] in listed(client, space) and names[20] not in listed(client, space)
    text = client.get(reverse("sources", args=[space.name])).text
    (following,) = re.findall(r'rel="next" href="([^"]+)"', text)
    assert names[20] in listed(client, space, following.replace("&amp;", "&"))


def test_no_place_and_no_order_that_is_none_is_taken(client, space):
    address = reverse("sources", args=[space.name])
    for query in ("sort=age", "after=x", "after=W10"):
        assert client.get(f"{address}?{query}").status_code == 400, query
    assert one(client, space, "nobody").status_code == 404


def test_lists_ask_as_much_of_the_database_for_twenty_sources_as_for_ten(client):
    asked = []
    for count, name in ((10, "ten"), (20, "twenty")):
        space = space_of(*(fact(f"f{place}", source=f"s{place:02}") for place in range(count)), name=name)
        for place in range(count):
            judged(space, 2, source=f"s{place:02}")
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("sources", args=[name]))
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_a_source_page_asks_as_much_for_twenty_outcomes_as_for_ten(client, space):
    asked = []
    for _ in range(2):
        judged(space, 10, source="crm")
        with CaptureQueriesContext(connection) as queries:
            one(client, space, "crm")
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_what_was_found_is_told_with_how_and_of_whom_and_in_pages(client, space):
    now = clock.now()
    facts.accept(space, "a", by="ana", now=now)
    facts.correct(space, "b", "What b should say.", by="ben", now=now + 1)
    outcomes.collect(space, now=now + 2)
    told = read(one(client, space, "crm").text)
    assert re.search(r"✗ wrong What b says\. .*corrected by ben", told)
    assert re.search(r"✓ right What a says\. .*accepted by ana", told)
    judged(space, 25, source="crm", right=True)
    page = one(client, space, "crm").text
    assert page.count("✓ ") == 20
    (following,) = re.findall(r'rel="next" href="([^"]+)"', page)
    assert one(client, space, "crm", following.partition("#")[0]).text.count("✓ ") == 6


def test_who_only_reads_is_not_told_what_a_forgotten_fact_said(client, space, client_of, member):
    now = clock.now()
    facts.accept(space, "a", by="ana", now=now)
    outcomes.collect(space, now=now)
    facts.forget(space, "a", by="ana", now=now + 1)
    reader, reviewer = (client_of(member(space, role)) for role in (Role.READER, Role.REVIEWER))
    assert "What a says." not in one(reader, space, "crm").text
    assert "(forgotten)" in one(reader, space, "crm").text
    assert "What a says." in one(reviewer, space, "crm").text


def test_a_name_that_would_hide_or_run_something_is_shown_as_it_stands(client):
    names = ["<script>alert(1)</script>", "\u202eevil", "..", "a/b?c#d"]
    space = space_of(*(fact(f"f{place}", source=name) for place, name in enumerate(names)))
    for name in names:
        judged(space, 2, source=name)
    page = client.get(reverse("sources", args=[space.name])).text
    assert "<script>alert(1)" not in page and "\u202e" not in page
    for name in names:
        answer = one(client, space, name)
        assert answer.status_code == 200
        assert "<script>alert(1)" not in answer.text and "\u202e" not in answer.text
    figure = client.get(reverse("sources-figure", args=[space.name])).json()
    assert "&lt;script&gt;alert(1)&lt;/scrip…" in figure["layout"]["yaxis"]["ticktext"]
    assert not any("\u202e" in each for each in figure["layout"]["yaxis"]["ticktext"])


def disputed(count: int, name: str = "diary") -> Space:
    """Facts of one source that another source contradicts, a few each, so that none are shown as one."""
    made = []
    for place in range(count):
        made += [fact(f"a{place}", source="crm"), fact(f"b{place}", source=f"mail{place // 3}")]
        made += [edge(f"b{place}", "contradicts", f"a{place}", by=f"mail{place // 3}")]
    return space_of(*made, name=name)


def test_in_the_queue_the_reliability_of_a_source_stands_beside_its_name(client):
    space = disputed(1)
    judged(space, 9, source="mail0", right=True)
    judged(space, 3, source="mail0", right=False)
    text = client.get(reverse("review", args=[space.name])).text
    assert re.search(r"by mail0 · 9 of 12 found right", read(text))
    assert reverse("source", args=[space.name, "mail0"]) in text


def test_on_a_case_it_stands_beside_the_source_of_each_fact(client):
    space = disputed(1)
    judged(space, 1, source="crm", right=True)
    case = case_of(space, "a0", "b0").name
    told = read(client.get(reverse("case", args=[space.name, case])).text)
    assert "crm · 1 of 1 found right" in told
    assert told.count("found right") == 1


def test_the_queue_asks_as_much_for_twenty_cases_as_for_ten(client):
    asked = []
    for count, name in ((10, "ten"), (20, "twenty")):
        space = disputed(count, name)
        for place in range(count):
            judged(space, 1, source=f"mail{place // 3}")
        with CaptureQueriesContext(connection) as queries:
            text = client.get(reverse("review", args=[name])).text
        assert text.count("found right") == count
        asked.append(len(queries))
    assert asked[0] == asked[1]
