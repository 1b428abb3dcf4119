"""The page of feedback, and what the page of a fact says of it: how useful facts prove, which is not how true."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.actions.world import space_of
from tests.desk.conftest import ClientOf
from tests.makers import day, fact, feedback
from trustmem.actions import acts, serving
from trustmem.actions import feedback as feedback_of
from trustmem.actions.speakers import Speaker
from trustmem.core.instants import to_text
from trustmem.store.models import Space, User

pytestmark = pytest.mark.django_db

FEEDBACK = "/spaces/diary/feedback/"


@pytest.fixture
def space(db: None) -> Space:
    """A fact that helps, one that is suppressed, one of which nobody reported anything."""
    return space_of(
        fact("tea", source="ana"),
        fact("rain", source="ben"),
        fact("silent"),
        *(feedback("helpful", "tea", n, id=f"t{n}", source="bot", run=f"r{n}") for n in range(1, 4)),
        *(feedback("corrected", "rain", n, id=f"x{n}", source="bot", run=f"r{n}") for n in range(4, 6)),
        feedback("ignored", "rain", 6, source="bot", signals={"importance": 0.0}),
    )


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def page(client: Client, address: str = FEEDBACK) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def part(shown: str, which: str) -> str:
    """What stands in a list of the page."""
    found = re.search(rf'aria-labelledby="{which}-title">(.*?)</section>', shown, re.DOTALL)
    assert found
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", found[1]))


def test_what_helps_stands_apart_from_what_misleads_with_how_often_what_was_reported(
    space: Space, client: Client
) -> None:
    shown = page(client)
    assert "What tea says." in part(shown, "helps")
    assert re.search(r"usefulness 0\.\d\d trust", part(shown, "helps"))
    assert "3 evaluations · 3 helpful · source ana" in part(shown, "helps")
    assert "What rain says." in part(shown, "misleads")
    assert "3 evaluations · 2 corrected · 1 ignored · source ben" in part(shown, "misleads")
    assert "What rain says." in part(shown, "suppressed")
    assert "Below 0.35 agents are not served a fact." in part(shown, "suppressed")
    assert "What rain says." in part(shown, "against")
    assert "What tea says." not in part(shown, "against")
    assert "silent" not in shown
    assert "Useful is not true" in shown


def test_what_was_reported_of_no_fact_is_said(client: Client) -> None:
    space_of(fact("silent"))
    shown = page(client)
    assert "None yet: agents report by the tool report_outcome" in part(shown, "helps")
    assert "None: agents are served all that they are served otherwise." in part(shown, "suppressed")


def test_a_source_is_asked_for_and_stays_in_the_addresses_of_the_lists(space: Space, client: Client) -> None:
    shown = page(client, FEEDBACK + "?source=ben")
    assert "What rain says." in part(shown, "misleads")
    assert "What tea says." not in shown
    assert "None of this source." in part(shown, "helps")
    assert page(client, FEEDBACK + "?which=misleads&source=ben").count("What rain says.") == 1


def test_a_long_list_has_pages_and_takes_as_many_queries_as_a_short_one(client: Client) -> None:
    space_of(*(fact(f"f{n:02}") for n in range(60)), *(feedback("helpful", f"f{n:02}", id=f"v{n}") for n in range(60)))
    seen, address = set[str](), FEEDBACK + "?which=helps"
    counts = []
    while address:
        with CaptureQueriesContext(connection) as asked:
            shown = page(client, address)
        counts.append(len(asked))
        seen |= set(re.findall(r"What (f\d\d) says", shown))
        following = re.search(r'rel="next" href="([^"]+)"', shown)
        address = FEEDBACK + following[1].replace("&amp;", "&") if following else ""
    assert (len(seen), len(counts), max(counts) - min(counts)) == (60, 3, 0)
    assert re.search(r'href="\?which=helps">All of them', page(client))


@pytest.mark.parametrize(
    "query", ["?which=best", "?after=x", "?which=helps&after=WzEsMiwzXQ", "?colour=red", "?source=%00"]
)
def test_what_is_no_such_list_is_refused(space: Space, client: Client, query: str) -> None:
    assert client.get(FEEDBACK + query).status_code == 400


def test_part_of_the_page_is_given_where_that_is_asked_for(space: Space, client: Client) -> None:
    response = client.get(FEEDBACK, headers={"HX-Request": "true"})
    assert response.content.decode().strip().startswith('<div id="found"')


def test_the_page_of_a_fact_says_what_each_report_gave_the_newest_first(space: Space, client: Client) -> None:
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page(client, "/spaces/diary/facts/rain/")))
    at = shown.index("What was reported, the newest first")
    told = shown[at:]
    assert told.index("ignored by bot") < told.index("corrected by bot")
    assert re.search(r"usefulness 0\.\d\d → 0\.\d\d · decay 0\.\d\d → 0\.\d\d · reinforcement 0\.\d\d", told)
    assert "given: importance 0.00 filled in by the outcome: frequency of use 0.50" in told
    assert "none was given" in told
    assert "No feedback yet." in page(client, "/spaces/diary/facts/silent/")


def test_of_many_reports_the_page_of_a_fact_shows_the_newest_and_says_how_many_more_there_are(client: Client) -> None:
    space_of(fact("tea"), *(feedback("helpful", "tea", n, id=f"v{n:03}") for n in range(1, 41)))
    shown = page(client, "/spaces/diary/facts/tea/")
    assert shown.count("filled in by the outcome:") == 12
    assert "28 more before these" in shown


def test_texts_that_would_run_or_hide_stand_as_they_are(client: Client) -> None:
    space_of(fact("tea", source="<script>x</script>"), feedback("helpful", "tea", source="gnp.\u202etxt", run="r"))
    for address in (FEEDBACK, "/spaces/diary/facts/tea/"):
        shown = page(client, address)
        assert "<script>x" not in shown
        assert "\u202e" not in shown


def test_the_page_of_a_fact_as_of_an_instant_tells_of_feedback_as_it_was_then(client: Client) -> None:
    space = space_of(fact("tea"), feedback("helpful", "tea", 1))
    acts.write(space, [{"type": "feedback", "fact": "tea", "outcome": "corrected", "source": "bot"}], now=day(110))
    address = "/spaces/diary/facts/tea/"
    assert page(client, address).count("filled in by the outcome:") == 2
    assert page(client, f"{address}?as_of={to_text(day(105))}").count("filled in by the outcome:") == 1


@pytest.fixture
def searched(space: Space) -> Space:
    """The same, and a search that found three of them, of which one was used."""
    question = serving.Question("what is said", 10, "trust", history=False)
    search = serving.note(Speaker(space, "bot", "talk"), question, ["tea", "rain", "silent"], now=day(110))
    assert search
    feedback_of.of_answer(Speaker(space, "bot"), search, ["tea"], now=day(110))
    return space


def test_what_nobody_reported_of_a_fact_by_itself_is_told_from_what_somebody_did(
    searched: Space, client: Client
) -> None:
    shown = page(client)
    assert "Implicit is what nobody reported of a fact by itself" in shown
    assert "4 evaluations · 4 helpful (1 implicit) · source ana" in part(shown, "helps")
    assert "4 evaluations · 2 corrected · 2 ignored (1 implicit) · source ben" in part(shown, "misleads")
    assert "1 evaluation · 1 ignored (implicit) ·" not in shown


def asked_again(space: Space) -> None:
    bot = Speaker(space, "bot", "talk", reports=True)
    for at in (day(110), day(110.1)):
        serving.note(bot, serving.Question("what?", 10, "trust", history=False), ["tea", "silent"], now=at)
    serving.put_on_record(space, now=day(110.2))


def test_what_was_only_asked_again_is_not_among_what_was_reported_most_often(space: Space, client: Client) -> None:
    asked_again(space)
    shown = page(client)
    assert "1 unhelpful (implicit)" in part(shown, "misleads")
    assert "What silent says." not in part(shown, "against")
    assert "What rain says." in part(shown, "against")


def test_the_page_of_a_fact_says_so_of_each_report_and_why(searched: Space, client: Client) -> None:
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page(client, "/spaces/diary/facts/tea/")))
    reports = shown[shown.index("What was reported, the newest first") :]
    assert "helpful implicit by bot" in reports
    assert reports.count("implicit by bot") == 1
    assert "“Found by a search, and used in the answer.”" in reports
    assert "bot was given it and used it" in shown
    assert "bot put it in a prompt" in shown


def test_the_log_says_in_a_sentence_what_of_a_search_was_used(searched: Space, client: Client) -> None:
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page(client, "/spaces/diary/log/")))
    assert "bot used 1 of 3 facts that a search found" in shown
    assert "was given" in shown


def test_the_log_says_that_the_same_was_asked_again(space: Space, client: Client) -> None:
    asked_again(space)
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page(client, "/spaces/diary/log/")))
    assert "bot asked the same again: 2 facts were of no help" in shown
    told = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page(client, "/spaces/diary/facts/silent/")))
    assert "bot was given it and asked the same again" in told
    assert "unhelpful implicit by bot" in told
    assert "given: accuracy of prediction 0.50 · alignment with policy 0.50" in told
