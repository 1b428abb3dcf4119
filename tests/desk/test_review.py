"""The queue at the desk: its address holds what is looked at, numbers are of the list, and one begins on top."""

import re

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import as_file, space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.desk.test_dashboard import today, without
from tests.makers import edge, event, fact
from tests.store.queues import queued
from trustmem.actions import erasing, facts, handouts, saved_views, spaces, verdicts
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.desk import clock
from trustmem.desk.presenters.review import SIZE
from trustmem.store.cases import CHALLENGE, MANY
from trustmem.store.models import Case, Handout, Queued, Role, SavedView, Space, User

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


def pair(name: str, by: str = "bot", on: float = 1, of: str = "crm") -> list[object]:
    """Two claims that contradict each other, as `by` says, who brought the newer."""
    return [
        fact(f"{name}-old", on, source=of),
        fact(f"{name}-new", on + 1, source=by),
        edge(f"{name}-new", "contradicts", f"{name}-old", on + 2, by=by, id=f"{name}-edge"),
    ]


@pytest.fixture
def space() -> Space:
    """A contradiction of which agents are served one side; another; and an objection to what a person stands for."""
    space = space_of(
        *pair("port", "planner"),
        *pair("door", "scan"),
        event("corroborated", "port-old", 5, source="ana"),
        event("corroborated", "port-old", 5, source="ben"),
        fact("tea", 1, tier="human"),
        event("contradicted", "tea", 4, source="planner", id="against"),
    )
    served = [event("recalled", "port-old", today() - 1, source="agent", run=f"r{number}") for number in range(41)]
    return taken(space, as_file(served), clock.now())


@pytest.fixture
def client(space: Space, owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def shown(client: Client, space: Space, query: str = "", **headers: str) -> HttpResponse:
    return client.get(f"{reverse('review', args=[space.name])}{query}", headers=headers or None)


def read(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def rows(answer: HttpResponse) -> list[str]:
    """What is said in each row."""
    return [read(each) for each in re.findall(r'<li>\s*<a class="queued".*?</li>', answer.text, re.DOTALL)]


def links(answer: HttpResponse) -> list[str]:
    """Where each row leads."""
    return re.findall(r'<a class="queued" href="(.*?)"', answer.text)


def case_about(name: str) -> Case:
    return Case.objects.get(about__fact=name)


def numbers(answer: HttpResponse) -> dict[str, str]:
    """What stands in the tally, by its title."""
    tally = re.search(r'<ul class="tally">(.*?)</ul>', answer.text, re.DOTALL)
    found = re.findall(r"<li>(.*?)</li>", tally[1], re.DOTALL) if tally else []
    told = [read(each).partition(" ") for each in found]
    return {title: many for many, _, title in told}


def choices(answer: HttpResponse, title: str) -> dict[str, tuple[str, str]]:
    """What the queue can be narrowed to by kind or source, and is not: how many, and where that leads."""
    part = re.search(rf'<span class="soft">{title}</span>(.*?)</ul>', answer.text, re.DOTALL)
    found = re.findall(r'<a class="chip" href="([^"]*)">(.*?)</a>', part[1], re.DOTALL) if part else []
    told = [(read(inner).rpartition(" "), href) for href, inner in found]
    return {name: (many, href.replace("&amp;", "&")) for (name, _, many), href in told}


# The list


def test_the_most_consequential_comes_first_with_both_claims_their_bands_and_the_order_in_words(client, space):
    first, *_ = rows(shown(client, space))
    assert "served 41 times this month, two sources for, one against" in first
    assert "What port-old says." in first
    assert "What port-new says." in first
    assert re.search(r"(very low|low|moderate|high) 0\.\d\d", first)
    assert first.startswith("contradiction")
    assert "by planner" in first


def test_an_objection_is_a_case_of_its_kind(client, space):
    assert any(row.startswith("challenge") and "What tea says." in row for row in rows(shown(client, space)))


def test_each_row_leads_to_its_case_and_keeps_what_is_looked_at(client, space):
    (only,) = links(shown(client, space, "?kind=challenge&upto=1000"))
    assert only == reverse("case", args=[space.name, case_about("tea").name]) + "?kind=challenge&amp;upto=1000"
    assert client.get(only.replace("&amp;", "&")).status_code == 200


def test_who_has_a_case_in_hand_is_said(client, space):
    now = clock.now()
    handouts.take(space, case_about("port-old").name, by="ben", now=now)
    handouts.take(space, case_about("door-old").name, by="owner", now=now)
    told = " ".join(rows(shown(client, space)))
    assert "in hand: ben" in told
    assert "in your hand" in told


# What is put aside


def put_aside(space: Space, *names: str) -> None:
    now = clock.now()
    for name in names:
        handouts.snooze(space, case_about(name).name, by="ben", now=now, until=now + 3 * MICROSECONDS_PER_DAY)


def test_what_is_put_aside_leaves_the_list_and_all_numbers_and_is_found_by_itself(client, space):
    put_aside(space, "tea")
    answer = shown(client, space)
    assert not any("What tea says." in row for row in rows(answer))
    assert (numbers(answer)["left"], list(choices(answer, "By kind"))) == ("2", ["contradiction"])
    assert "Review 2" in read(answer.text)
    assert choices(answer, "Put aside") == {"until later, for everybody": ("1", "?aside=yes")}
    aside = shown(client, space, "?aside=yes")
    (row,) = rows(aside)
    assert "What tea says." in row
    assert re.search(r"snoozed, comes back in \d days", row)
    assert numbers(aside)["put aside"] == "1"
    assert "Open cases" not in read(aside.text)


def test_what_is_put_aside_is_taken_up_from_there(client, client_of, member: MemberOf, space):
    put_aside(space, "tea", "door-old")
    case = case_about("tea")
    reader = client_of(member(space, Role.READER))
    assert "Take up" not in shown(reader, space, "?aside=yes").text
    forms = re.findall(r'action="([^"]*take-up/[^"]*)"', shown(client, space, "?aside=yes&kind=challenge").text)
    assert forms == [reverse("case-take-up", args=[space.name, case.name]) + "?kind=challenge"]
    answer = client.post(forms[0])
    assert answer.url == reverse("case", args=[space.name, case.name]) + "?kind=challenge"
    assert any("What tea says." in row for row in rows(shown(client, space)))
    assert numbers(shown(client, space, "?aside=yes"))["put aside"] == "1"


def test_what_is_put_aside_of_many_alike_is_counted_with_none_of_them_and_decided_with_none(client, long):
    case = Case.objects.filter(key__contains="contradiction", queued__source="flood").first()
    handouts.snooze(long, case.name, by="ben", now=clock.now(), until=clock.now() + MICROSECONDS_PER_DAY)
    assert f"{MANY + 1} contradictions by flood" in read(shown(client, long).text)
    assert len(rows(shown(client, long, "?kind=contradiction&source=flood"))) == MANY + 1
    assert numbers(shown(client, long, "?source=flood"))["left"] == str(MANY + 1)
    preview = client.get(reverse("review-all", args=[long.name]) + "?kind=contradiction&source=flood")
    assert f"{MANY + 1} contradictions by flood" in read(preview.text)
    (row,) = rows(shown(client, long, "?aside=yes"))
    assert "by flood" in row


def test_where_all_that_is_left_is_put_aside_it_says_so_and_leads_there(client, space):
    put_aside(space, "tea", "door-old", "port-old")
    answer = shown(client, space)
    assert "All that is left is put aside" in answer.text
    assert "All done" not in answer.text
    assert 'href="?aside=yes">See what is put aside' in answer.text
    assert len(rows(shown(client, space, "?aside=yes"))) == 3


def test_where_nothing_is_put_aside_nothing_leads_there(client, space):
    assert "aside=yes" not in shown(client, space).text
    assert "Nothing is put aside" in shown(client, space, "?aside=yes").text
    assert shown(client, space, "?aside=no").status_code == 400


def test_what_comes_back_stands_in_the_list_again(client, space):
    now = clock.now()
    handouts.snooze(space, case_about("tea").name, by="ben", now=now - 2, until=now - 1)
    assert any("What tea says." in row for row in rows(shown(client, space)))
    assert "aside=yes" not in shown(client, space).text


def test_long_texts_are_shortened_and_nothing_hides_in_them(client, owner):
    space = spaces.create("odd")
    told = [
        b'{"type":"fact","id":"a","text":"<b>bold</b>\\u202e' + b"x" * 900 + b'","at":"2026-01-01T00:00:00Z"}\n',
        b'{"type":"fact","id":"b","text":"plain","at":"2026-01-02T00:00:00Z"}\n',
        b'{"type":"edge","id":"e","from":"b","to":"a","relation":"contradicts","by":"<i>","at":"2026-01-03T00:00:00Z"}\n',
    ]
    text = shown(client, taken(space, told)).text
    assert "&lt;b&gt;bold&lt;/b&gt;" in text
    assert "\u202e" not in text
    assert "x" * 200 not in text
    assert "&lt;i&gt;" in text


def test_what_is_erased_is_told_of_no_more(client, space):
    erasing.erase(space, "door-new", by="ana", now=clock.now(), reason="Asked for.")
    assert "What door-new says." not in shown(client, space).text


def test_what_is_forgotten_says_so_beside_its_text(client):
    space = space_of(*pair("port"), edge("port-new", "updates", "port-old", 4, by="bot"), name="orphans")
    facts.forget(space, "port-new", by="ana", now=clock.now())
    (row,) = rows(shown(client, space, "?kind=orphan"))
    assert "What port-new says. forgotten" in row


# Pages


@pytest.fixture
def long(owner: User) -> Space:
    """More cases than a page has, and a group."""
    space = space_of(
        *(line for number in range(3 * SIZE + 5) for line in pair(f"p{number:02}", f"s{number}")), name="long"
    )
    return taken(space, as_file([line for number in range(MANY + 2) for line in pair(f"g{number}", "flood")]))


def test_more_is_the_next_page_as_a_link_and_appended_by_htmx(client, long):
    first = shown(client, long)
    more = re.search(r'<li class="more"><a class="btn" href="(.*?)" hx-get="(.*?)"', first.text)
    assert more and more[1] == more[2]
    part, page = shown(client, long, more[1], **HTMX), shown(client, long, more[1])
    assert "<html" not in part.text
    assert part.text.count('class="queued"') == SIZE
    assert links(part) == links(page)
    assert not set(links(page)) & set(links(first))


def test_walking_it_while_some_of_each_page_are_decided_has_each_case_once(client, long):
    """Case 81."""
    seen, query, first = list[str](), "", set(links(shown(client, long)))
    while query is not None:
        answer = shown(client, long, query, **(HTMX if query else {}))
        seen += links(answer)
        names = [re.search(r"/cases/([^/]*)/", each)[1].replace("~20", " ") for each in links(answer)[:6]]
        verdicts.decide(long, names, "not a contradiction", by="ana", now=clock.now())
        more = re.search(r'class="more"><a class="btn" href="(.*?)"', answer.text)
        query = more[1] if more else None
    assert first <= set(seen)
    assert len(seen) == len(set(seen)) == 3 * SIZE + 5


def test_every_address_gives_a_page_unless_htmx_asks_and_so_does_going_back(client, long):
    """Case 85."""
    more = re.search(r'class="more"><a class="btn" href="(.*?)"', shown(client, long).text)[1]
    for query in ("", "?kind=contradiction", more):
        assert "<html" in shown(client, long, query).text
        back = shown(client, long, query, **HTMX, **{"HX-History-Restore-Request": "true"})
        assert "<html" in back.text
        assert "HX-Request" in back["Vary"]
        assert "no-store" in back["Cache-Control"]


def test_the_number_is_of_the_filter_and_not_of_the_page(client, long):
    """Case 125."""
    in_all = 3 * SIZE + 5 + MANY + 2
    answer = shown(client, long)
    assert numbers(answer)["left"] == str(in_all)
    assert f"Open cases: {in_all}" in read(answer.text)
    assert f"Review {in_all}" in read(answer.text)
    assert numbers(shown(client, long, "?source=s3"))["left"] == "1"
    assert numbers(shown(client, long, "?source=flood"))["left"] == str(MANY + 2)


def test_a_page_that_is_empty_by_now_leads_to_the_beginning(client, long):
    last = ""
    while more := re.search(r'class="more"><a class="btn" href="(.*?)"', shown(client, long, last).text):
        last = more[1]
    Queued.objects.filter(space=long, source__startswith="s").delete()
    assert "Nothing is left on this page" in shown(client, long, last).text


# Narrowing it down


def test_facets_count_what_they_lead_to(client, long):
    looked_at = 0
    for query in ("", "?kind=contradiction", "?source=flood", f"?upto={long.head_position - 30}"):
        answer = shown(client, long, query)
        for many, href in (*choices(answer, "By kind").values(), *choices(answer, "By source").values()):
            assert (href, numbers(shown(client, long, href))["left"]) == (href, many)
            looked_at += 1
    assert looked_at > 20


def test_what_it_is_narrowed_to_is_shown_and_can_be_taken_back(client, space):
    answer = shown(client, space, "?kind=contradiction&source=planner")
    assert len(rows(answer)) == 1
    assert 'href="?source=planner"' in answer.text
    assert 'href="?kind=contradiction"' in answer.text
    assert "Clear all filters" in answer.text
    assert 'aria-current="true"' in answer.text


@pytest.mark.parametrize(
    "query",
    [
        "?colour=red",
        "?kind=quarrel",
        "?upto=soon",
        "?upto=-1",
        "?upto=99999999999999999999",
        "?after=there",
        "?source=a%00b",
        "?kind=contradiction&sort=age",
    ],
)
def test_what_an_address_cannot_mean_is_said_and_not_left_out(client, space, query):
    answer = shown(client, space, query)
    assert answer.status_code == 400
    assert "not understood" in answer.text


def test_many_alike_are_one_line_that_leads_to_them_and_to_deciding_all(client, long):
    text = shown(client, long).text
    assert f"{MANY + 2} contradictions by flood" in read(text)
    assert 'href="?kind=contradiction&amp;source=flood"' in text
    assert f'href="{reverse("review-all", args=[long.name])}?kind=contradiction&amp;source=flood"' in text
    assert len(rows(shown(client, long, "?kind=contradiction&source=flood"))) == MANY + 2


# Views that somebody keeps


def test_a_view_is_kept_under_a_title_for_who_keeps_it(client, client_of, member: MemberOf, space):
    given = {"view-title": "What <b>planner</b> says", "source": "planner", "upto": "7"}
    answer = client.post(reverse("review-view-save", args=[space.name]), given)
    assert answer.url == reverse("review", args=[space.name]) + "?source=planner"
    assert SavedView.objects.get().query == "source=planner"  # which is never out of date
    text = shown(client, space).text
    assert 'href="?source=planner"' in text
    assert "What &lt;b&gt;planner&lt;/b&gt; says" in text
    other = client_of(member(space, Role.READER))
    assert "planner&lt;/b&gt;" not in shown(other, space).text


def test_a_view_of_the_same_title_takes_its_place_and_a_view_can_go(client, space):
    for query in ("source=planner", "kind=challenge"):
        saved_views.save(space, "Mine", query, by="owner")
    assert SavedView.objects.get().query == "kind=challenge"
    client.post(reverse("review-view-delete", args=[space.name]), {"view-title": "Mine"})
    client.post(reverse("review-view-delete", args=[space.name]), {"view-title": "Mine"})
    assert not SavedView.objects.exists()


def test_a_view_without_a_title_or_of_what_cannot_be_is_not_kept(client, space):
    for given in ({"view-title": " "}, {"view-title": "x" * 101}, {"view-title": "x", "kind": "quarrel"}):
        assert client.post(reverse("review-view-save", args=[space.name]), given).status_code == 400
    for number in range(saved_views.MOST):
        saved_views.save(space, f"view {number}", "", by="owner")
    answer = client.post(reverse("review-view-save", args=[space.name]), {"view-title": "one more"}, follow=True)
    assert "Not done" in answer.text
    assert SavedView.objects.count() == saved_views.MOST


# Beginning


def begin(client: Client, space: Space, **given: object) -> HttpResponse:
    return client.post(reverse("review-next", args=[space.name]), given)


def test_who_begins_gets_the_first_case_in_hand_and_the_address_says_since_when(client, space):
    answer = begin(client, space)
    case = case_about("port-old")
    assert answer.url == reverse("case", args=[space.name, case.name]) + f"?upto={space.head_position}"
    assert Handout.objects.get().case == case.name


def test_who_goes_on_keeps_to_what_there_was_when_they_began(client, space):
    begin(client, space)
    began = space.head_position
    taken(space, as_file(pair("late", "planner", 98)), clock.now())
    for name in ("port-old", "door-old", "tea"):
        verdict = "dismiss" if name == "tea" else "not a contradiction"
        verdicts.decide(space, [case_about(name).name], verdict, by="owner", now=clock.now())
    answer = begin(client, space, upto=began)
    assert answer.url == reverse("review", args=[space.name]) + f"?upto={began}"
    text = read(client.get(answer.url).text)
    assert "Nothing is left that could be handed out" in text
    assert "You are through with all there was when you began" in text
    assert "1 new since you began" in text


def test_new_ones_can_be_taken_in(client, space):
    began = space.head_position
    taken(space, as_file(pair("late", "planner", 98)), clock.now())
    answer = shown(client, space, f"?upto={began}")
    assert "1 new since you began" in answer.text
    assert not any("late-old" in row for row in rows(answer))
    link = re.search(r'<a href="(\?upto=\d+)">1 new', answer.text)
    assert any("late-old" in row for row in rows(shown(client, space, link[1])))
    assert "new since you began" not in shown(client, space, link[1]).text


def test_who_begins_with_a_filter_gets_what_it_asks_for(client, space):
    answer = begin(client, space, kind="challenge")
    assert case_about("tea").name.replace(" ", "~20") in answer.url
    assert "kind=challenge" in answer.url
    assert begin(client, space, kind="quarrel").status_code == 400


def test_what_others_have_in_hand_is_handed_to_nobody_else(client, space):
    for name in ("port-old", "door-old", "tea"):
        handouts.take(space, case_about(name).name, by=f"who has {name}", now=clock.now())
    assert "Nothing is left that could be handed out" in client.get(begin(client, space).url).text


def test_a_reader_looks_and_begins_nothing(client_of, member: MemberOf, space):
    reader = client_of(member(space, Role.READER))
    text = shown(reader, space).text
    assert "Begin" not in text
    assert begin(reader, space).status_code == 403
    reviewer = client_of(member(space, Role.REVIEWER))
    assert "Begin" in shown(reviewer, space).text
    assert "Decide all of these" not in shown(reviewer, space, "?kind=contradiction").text
    assert "Decide all of these" in shown(client_of(member(space, Role.CURATOR)), space, "?kind=contradiction").text


# How far people are


def test_it_says_what_was_done_and_how_the_queue_fills_and_empties(client, space):
    now = clock.now()
    for name, by in (("port-old", "owner"), ("door-old", "ben")):
        verdicts.decide(space, [case_about(name).name], "not a contradiction", by=by, now=now)
    told = numbers(shown(client, space))
    assert told["left"] == "1"
    # (Around midnight nothing may have been done today.)
    assert told["done in the last hour"] == "2"
    assert told["closed in the last day"] == "2"
    if now % MICROSECONDS_PER_DAY > MICROSECONDS_PER_DAY // 1000:
        assert (told["done today"], told["of these by you"]) == ("2", "1")
    assert any(title.startswith("oldest was opened") for title in told)


def test_where_all_is_decided_it_says_so(client, space):
    for name in ("port-old", "door-old", "tea"):
        verdict = "dismiss" if name == "tea" else "not a contradiction"
        verdicts.decide(space, [case_about(name).name], verdict, by="ben", now=clock.now())
    text = shown(client, space).text
    assert "All done: no case is open" in text
    assert "Begin" not in text


def test_where_there_never_was_a_case_it_says_what_would_be_one(client):
    text = shown(client, space_of(fact("tea"), name="quiet")).text
    assert "No case was ever opened here" in text
    assert "All done" not in text


def test_where_nothing_is_like_that_the_filters_can_be_cleared(client, space):
    text = shown(client, space, "?source=nobody").text
    assert "No open case is like that" in text
    assert "All done" not in text


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["store_queued", "store_closing", "store_casegroup", "store_savedview", "store_fact"])
def test_a_part_that_cannot_be_read_says_so_and_is_never_none(client, space, table):
    with without(table):
        answer = shown(client, space)
    assert answer.status_code == 200
    assert "This cannot be read now." in answer.text
    for said in ("All done", "No case was ever opened", "No open case is like that"):
        assert said not in answer.text


@pytest.mark.django_db(transaction=True)
def test_where_nobody_can_tell_whether_all_is_done_nobody_says_so(client):
    space = space_of(fact("tea"), name="quiet")
    with without("store_closing"):
        text = shown(client, space).text
    assert "This cannot be read now." in text
    for said in ("All done", "No case was ever opened", "No open case is like that"):
        assert said not in text


# What it takes


def test_it_asks_as_much_for_20_rows_as_for_10_and_for_many_cases_as_for_few(client):
    asked = []
    for many in (SIZE // 2, SIZE, 50 * SIZE):
        space = taken(spaces.create(f"of{many}"), as_file([fact("a"), fact("b")]))
        queued(space, [float(number % 5) for number in range(many)])
        queued(space, [1.0] * (MANY + 1), source="bot")
        queued(space, [1.0] * 2, kind=CHALLENGE, source="crm")
        with CaptureQueriesContext(connection) as queries:
            assert 10 <= len(links(shown(client, space))) <= SIZE
        with CaptureQueriesContext(connection) as of_next:
            begin(client, space)
        asked.append((len(queries), len(of_next)))
    assert asked[0] == asked[1] == asked[2]
    assert asked[0][0] <= 40


def test_looking_writes_nothing(client, space):
    for query in ("", "?kind=contradiction", f"?upto={space.head_position}"):
        with CaptureQueriesContext(connection) as asked:
            shown(client, space, query)
        assert [each["sql"] for each in asked if not each["sql"].startswith("SELECT")] == []


def test_a_stranger_cannot_tell_whether_there_is_such_a_space(client_of, space):
    stranger = client_of(User.objects.create_user("stranger"))
    for name in ("review", "review-all", "forget-all"):
        assert stranger.get(reverse(name, args=[space.name])).status_code == 404
