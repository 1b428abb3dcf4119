"""The desk of a space: it says what needs a person, never none where it cannot tell; looking at it writes nothing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import LATER, as_file, space_of, taken
from tests.desk.conftest import ClientOf
from tests.makers import START, edge, event, fact
from trustmem.actions import consolidation, jobs, kinds, spaces, trends, undo
from trustmem.core.instants import MICROSECONDS_PER_DAY, to_text
from trustmem.desk import clock
from trustmem.desk.presenters import dashboard
from trustmem.desk.presenters.imports import act_of
from trustmem.store.models import BandCount, Fact, Import, Job, Role, Space, User

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea", source="ana"), fact("milk"), fact("cups"), edge("cups", "contradicts", "milk"))


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def today() -> float:
    """Now, in days of the makers."""
    return (clock.now() - START) / MICROSECONDS_PER_DAY


def amiss(now: int) -> list[bytes]:
    """A file of a fact and a line that is none."""
    return [*as_file([fact(f"one of {now}", on=1)]), b'{"type": "dragon"}']


def address(space: Space) -> str:
    return reverse("dashboard", args=[space.name])


def needs(answer) -> dict[str, str]:
    """What needs a person, by its title, and where that leads."""
    found = re.findall(r'<(?:a class="need" href="(.*?)" data-stop|div class="need")>.*?<b>(.*?)</b>', answer.text)
    return {title: href for href, title in found}


def count_now(space: Space, now: int) -> None:
    job = jobs.claim(jobs.ask(space, jobs.TRENDS, by="ana", now=now).pk, now=now)
    kinds.do(job, lambda: now)


def test_what_needs_a_person_is_said_with_the_list_it_leads_to(client, space):
    answer = client.get(address(space))
    assert needs(answer)["disputed facts"] == f"{reverse('facts', args=[space.name])}?flag=disputed"
    assert client.get(needs(answer)["disputed facts"]).text.count("data-stop") == 2


def test_the_most_consequential_comes_first(client):
    accepted = event("accepted", "tea", 2, tier="human")
    lines = [fact("tea"), accepted, event("contradicted", "tea", 3, source="bot"), fact("milk"), fact("cups")]
    space = space_of(*lines, edge("cups", "contradicts", "milk"))
    assert [title for title in needs(client.get(address(space))) if "fact" in title] == [
        "challenged fact",
        "disputed facts",
        "stale facts",
    ]


def test_where_nothing_needs_anybody_it_says_so(client):
    space = taken(spaces.create("quiet"), as_file([fact("tea", on=today())]), now=clock.now())
    consolidation.consolidate(space, by="ana", now=clock.now())
    answer = client.get(address(space))
    assert needs(answer) == {}
    assert "Nothing needs you now" in answer.text


def test_what_waits_in_the_queue_is_one_line_that_leads_there(client, space):
    answer = client.get(address(space))
    assert needs(answer)["case waits"] == reverse("review", args=[space.name])
    assert "1 contradiction." in answer.text


def test_lines_that_wait_or_were_not_taken_in_are_told(client, space):
    now = clock.now()
    taken(space, [*amiss(now), *as_file([event("recalled", "nobody")])], now=now)
    found = needs(client.get(address(space)))
    assert {"line that waits", "line that was not taken in"} <= set(found)
    assert "imports/" in found["line that was not taken in"]


def test_an_import_that_was_undone_is_told_no_more(client, space):
    now = clock.now()
    taken(space, amiss(now), now=now)
    assert "line that was not taken in" in needs(client.get(address(space)))
    undo.undo(space, act_of(Import.objects.get(at=now)), by="ana", now=now + 1)
    assert "line that was not taken in" not in needs(client.get(address(space)))


def test_a_job_that_failed_is_told(client, space):
    now = clock.now()
    job = jobs.claim(jobs.ask(space, "import", by="ana", now=now, upload=0, every=None).pk, now=now)
    kinds.do(job, lambda: now)
    assert "job that failed" in needs(client.get(address(space)))


def test_a_space_without_a_pass_for_long_says_so(client, space):
    assert "no pass yet" in needs(client.get(address(space)))
    consolidation.consolidate(space, at=LATER, by="ana", now=LATER)
    assert any("without a pass" in title for title in needs(client.get(address(space))))
    consolidation.consolidate(space, by="ana", now=clock.now())
    assert not any("pass" in title for title in needs(client.get(address(space))))


def test_default_constants_are_a_quiet_last_line(client, space):
    assert "Freshness follows the default constants" in client.get(address(space)).text


def test_each_band_has_its_count_its_share_and_its_list(client, space):
    found = re.findall(
        r'<li><a href="(.*?band=.*?)">.*?<rect width="(.*?)".*?<span class="num">(.*?)<',
        client.get(address(space)).text,
    )
    assert len(found) == 5
    assert sum(int(count) for _, _, count in found) == 3
    assert sum(float(share) for _, share, _ in found) == pytest.approx(100, abs=0.1)


def test_bands_of_more_than_can_be_counted_are_shown_as_counted_last_or_without_shares(client, space, monkeypatch):
    monkeypatch.setattr(dashboard, "_CAP", 1)
    uncounted = client.get(address(space)).text
    assert ">1+<" in uncounted
    assert "<rect width" not in uncounted
    count_now(space, clock.now())
    counted = client.get(address(space)).text
    assert "As counted" in counted
    assert "<rect width" in counted
    assert ">1+<" not in counted


def test_the_last_pass_says_what_it_did(client, space):
    assert "none yet" in client.get(address(space)).text
    consolidation.consolidate(space, by="ana", now=clock.now())
    assert re.search(r"<dt>Weighed</dt><dd class=\"num\">3</dd>", client.get(address(space)).text)


def test_a_pass_that_was_undone_is_told_apart(client, space):
    now = clock.now()
    of_pass = consolidation.consolidate(space, by="ana", now=now)
    undo.undo(space, to_text(of_pass.instant), by="ana", now=now + 1)
    answer = client.get(address(space)).text
    assert "It does not count" in answer
    assert "<dt>Weighed</dt>" not in answer


def test_the_newest_facts_are_shown_with_their_texts_as_they_are(client):
    text = "<b>tea</b> is\u202e hot"
    space = space_of(fact("tea"))
    Fact.objects.update(text=text)
    assert (
        '&lt;b&gt;tea&lt;/b&gt; is<span class="hidden-mark">&lt;U+202E&gt;</span> hot'
        in client.get(address(space)).text
    )


def test_an_empty_space_has_a_way_on(client, client_of, member):
    space = spaces.create("empty")
    assert reverse("imports", args=[space.name]) in client.get(address(space)).text.split("<main")[1]
    assert reverse("demo") in client.get(address(space)).text
    reader = client_of(member(space, Role.READER)).get(address(space)).text.split("<main")[1]
    assert reverse("imports", args=[space.name]) not in reader
    assert reverse("demo") not in reader


def test_whoever_has_no_role_in_a_space_cannot_tell_that_it_is_there(space, client_of, member):
    stranger = client_of(member(spaces.create("other"), Role.ADMIN))
    for path in (address(space), reverse("bands-figure", args=[space.name])):
        assert stranger.get(path).status_code == 404
    assert stranger.post(address(space)).status_code == 404
    assert Job.objects.count() == 0


def test_looking_writes_nothing(client, space):
    for method in (client.get, client.head):
        for headers in ({}, HTMX, {"Purpose": "prefetch"}):
            with CaptureQueriesContext(connection) as asked:
                method(address(space), headers=headers)
            assert [each["sql"] for each in asked if not each["sql"].startswith("SELECT")] == []
    assert Job.objects.count() == 0


def test_a_reader_asks_for_a_count_and_asking_twice_is_once(space, client_of, member):
    reader = client_of(member(space, Role.READER))
    assert reader.post(address(space)).headers["Location"] == address(space)
    reader.post(address(space))
    assert Job.objects.get().kind == jobs.TRENDS


def test_a_count_that_is_due_is_asked_for_by_the_page_itself_but_never_again_by_its_part(client, space):
    assert 'hx-trigger="submit, load"' in client.get(address(space)).text
    now = clock.now()
    count_now(space, now)
    assert 'hx-trigger="submit"' in client.get(address(space)).text
    BandCount.objects.filter(at__gt=now - MICROSECONDS_PER_DAY).delete()
    assert 'hx-trigger="submit, load"' in client.get(address(space)).text
    assert "load" not in client.get(address(space), headers=HTMX).text


def test_while_it_is_counted_only_its_part_is_asked_for_and_then_the_figure_is_there(client, space):
    begun = client.post(address(space), headers=HTMX)
    assert "Bands are being counted" in begun.text
    assert begun.headers["HX-Retarget"] == "#trend"
    going_on = client.get(address(space), headers=HTMX)
    assert going_on.text.strip().startswith('<div class="counting"')
    now = clock.now()
    kinds.do(jobs.claim(Job.objects.get().pk, now=now), lambda: now)
    ended = client.get(address(space), headers=HTMX)
    assert ended.headers["HX-Retarget"] == "#trend"
    assert f'data-src="{reverse("bands-figure", args=[space.name])}"' in ended.text
    assert "hx-get" not in ended.text


def test_a_count_that_no_worker_takes_says_so(client, space):
    jobs.ask(space, jobs.TRENDS, by="ana", now=clock.now() - 60_000_000)
    assert "No worker has taken the count yet" in client.get(address(space)).text


def test_a_count_that_failed_says_why_and_waits_to_be_asked_for_again(client, space):
    now = clock.now()
    jobs.fail(jobs.claim(jobs.ask(space, jobs.TRENDS, by="ana", now=now).pk, now=now), "the moon was full", now=now)
    answer = client.get(address(space)).text
    assert "the moon was full" in answer
    assert ", load" not in answer


def test_the_figure_and_its_table_hold_what_was_counted(client, space):
    count_now(space, clock.now())
    figure = client.get(reverse("bands-figure", args=[space.name])).json()
    counts = list(BandCount.objects.order_by("at").values_list("very_low", "low", "moderate", "high", "very_high"))
    assert [tuple(trace["y"]) for trace in figure["data"]] == list(zip(*counts, strict=True))
    table = client.get(address(space)).text.split("<tbody>")[1].split("</tbody>")[0]
    assert table.count("<tr>") == len(counts)


def test_a_large_space_says_that_only_today_is_counted(client, space):
    Space.objects.update(head_position=trends.MOST_LINES + 1)
    assert "counted as of today alone" in client.get(address(space)).text


def test_lines_that_are_in_no_list_yet_are_told(client, space):
    Space.objects.update(head_position=space.head_position + 7)
    assert "7 lines are in no list yet" in client.get(address(space)).text


@contextmanager
def without(table: str) -> Iterator[None]:
    """The database, of which one table cannot be read."""
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME TO {table}_gone")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {table}_gone RENAME TO {table}")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("table", "unread"),
    [
        ("store_pass", 2),
        ("store_bandcount", 1),
        ("store_waiting", 1),
        ("store_score", 4),
        ("store_fact", 1),
        ("store_constantsversion", 2),
        ("store_job", 3),
        ("store_import", 1),
        ("store_case", 1),
        ("store_queued", 1),
    ],
)
def test_087_a_part_that_cannot_be_read_says_so_and_the_others_stay(client, space, table, unread):
    whole = needs(client.get(address(space)))
    with without(table):
        answer = client.get(address(space))
    assert answer.status_code == 200
    assert answer.text.count("This cannot be read now.") == answer.text.count("Tried at ") == unread
    assert "Nothing needs you now" not in answer.text
    assert "Not all of this desk can be read now" in answer.text or table in ("store_fact", "store_bandcount")
    assert set(needs(answer)) <= set(whole)


def test_as_many_queries_for_many_facts_imports_and_passes_as_for_few(client):
    counts = []
    for many in (10, 20):
        space = taken(spaces.create(f"s{many}"), as_file([fact(f"cup {n}") for n in range(many)]))
        for number in range(many):
            taken(space, amiss(number), now=clock.now())
            consolidation.consolidate(space, by="ana", now=clock.now())
        count_now(space, clock.now())
        with CaptureQueriesContext(connection) as asked:
            client.get(address(space))
        counts.append(len(asked))
    assert counts[0] == counts[1] < 45
