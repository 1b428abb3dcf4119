"""Search at the desk: hits in the order for people, with what an agent is told of each; or what an agent is served."""

import json
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.actions.world import space_of, taken
from tests.desk.conftest import ClientOf, MemberOf
from tests.desk.judged import judged
from tests.intake.asking import Agent, token_of
from tests.makers import daily, edge, event, fact, feedback
from trustmem.actions import acts, facts, spaces
from trustmem.core.instants import span, to_text
from trustmem.desk import clock
from trustmem.store.models import Line, Role, Served, Space, User

pytestmark = pytest.mark.django_db

SEARCH = "/spaces/diary/search/"
HTMX = {"HX-Request": "true"}


def ago(days: float) -> int:
    return clock.now() - span(days)


def said(*texts: tuple[str, str, float], source: str = "ana") -> list[dict[str, object]]:
    """Facts as lines of a file: id, text, and how many days ago they were said."""
    return [
        {"type": "fact", "id": id, "text": text, "at": to_text(ago(days)), "source": source} for id, text, days in texts
    ]


def tie(newer: str, relation: str, older: str, days: float) -> dict[str, object]:
    line = {"type": "edge", "id": f"{relation}-{newer}", "from": newer, "relation": relation, "to": older}
    return line | {"at": to_text(ago(days))}


def told(space: Space, *lines: dict[str, object]) -> Space:
    """The space, into which these lines came just now."""
    return taken(space, [json.dumps(each).encode() for each in lines], now=clock.now())


@pytest.fixture
def space(db: None) -> Space:
    """A harbour that opens at six, as many said long ago, or at seven, as one said lately; and a rate that was
    replaced."""
    heard = {"type": "event", "kind": "corroborated", "fact": "six", "at": to_text(ago(299))}
    return told(
        spaces.create("diary"),
        *said(("six", "The harbour opens at six.", 300), ("seven", "The harbour opens at seven.", 2)),
        *said(("forty", "The mooring rate is forty.", 90), ("sixty", "The mooring rate is sixty.", 20), source="ben"),
        *(heard | {"id": f"voice-{n}", "source": f"s{n}"} for n in range(8)),
        tie("sixty", "updates", "forty", 20),
        tie("seven", "contradicts", "six", 2),
    )


@pytest.fixture
def client(space: Space, owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


def page(client: Client, query: str = "", **headers: str) -> str:
    answer = client.get(f"{SEARCH}{query}", headers=headers or None)
    assert answer.status_code == 200
    return answer.text


def hits(shown: str) -> list[str]:
    """The ids of the hits, in their order."""
    return re.findall(r'facts/([^/"]+)/" data-stop', shown)


def hit(shown: str, name: str) -> str:
    """What stands at a hit, as one reads it."""
    (found,) = (each for each in shown.split("<li>\n  <p class") if f'facts/{name}/" data-stop' in each)
    return plain(f"<p {found}")


def plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


# In which order.


def test_people_see_the_freshest_first_and_may_have_the_order_of_agents(client):
    assert hits(page(client, "?q=harbour")) == ["seven", "six"]
    assert hits(page(client, "?q=harbour&order=trust")) == ["six", "seven"]


def test_a_hit_says_by_what_it_stands_where_it_does(client):
    fresh, trusted = (hit(page(client, f"?q=harbour&order={by}"), "six") for by in ("freshness", "trust"))
    assert re.search(r"ana · \d+ \w+ ago · relevance by words \d\.\d\d · freshness 0\.\d\d ", fresh)
    assert re.search(r"relevance by words \d\.\d\d · trust 0\.\d\d · usefulness not reported", trusted)


def test_how_useful_it_proved_stands_there_where_somebody_reported_it(owner, client_of):
    space_of(fact("tea"), feedback("helpful", "tea"))
    assert re.search(r"usefulness 0\.\d\d ", hit(page(client_of(owner), "?q=tea&order=trust"), "tea"))


# What stands at a hit.


def test_a_hit_has_its_band_its_flags_and_what_it_is_in_dispute_with(client):
    shown = page(client, "?q=seven")
    assert re.search(r"(low|moderate) 0\.\d\d .*disputed", hit(shown, "seven"))
    assert "in dispute with: The harbour opens at six." in hit(shown, "seven")
    assert '<a href="/spaces/diary/facts/six/"><bdi translate="no">The harbour opens at six.</bdi></a>' in shown


def test_old_words_find_what_holds_and_its_chain(client):
    shown = page(client, "?q=forty")
    assert hits(shown) == ["sixty"]
    assert "replaces: The mooring rate is forty. · the whole chain" in hit(shown, "sixty")
    assert 'href="/spaces/diary/chains/sixty/"' in shown


def test_with_history_what_was_replaced_stands_behind_and_names_what_holds(client):
    shown = page(client, "?q=rate&history=on")
    assert hits(shown) == ["sixty", "forty"]
    assert "superseded by: The mooring rate is sixty. · the whole chain" in hit(shown, "forty")


def test_of_many_around_it_a_few_are_named_and_the_others_counted(owner, client_of):
    names = [f"r{number}" for number in range(5)]
    others = [line for each in names for line in (fact(each), edge(each, "contradicts", "tea", id=f"against-{each}"))]
    space_of(fact("tea"), *others)
    shown = hit(page(client_of(owner), "?q=tea"), "tea")
    assert shown.count("What r") == 3
    assert "and 2 more" in shown


def test_of_a_long_text_the_beginning_stands_there_with_the_way_to_all_of_it(client, space):
    told(space, *said(("long", "A lighthouse " + "blinks and " * 200, 1)))
    shown = hit(page(client, "?q=lighthouse"), "long")
    assert "… Show all of it: 2 213 characters" in shown
    assert shown.count("blinks") < 40


# What agents are not served.


def test_what_is_held_back_from_agents_stands_there_with_why_and_is_counted(owner, client_of):
    space = space_of(
        *(fact(each) for each in ("tea", "faded", "useless", "old", "new", "gone")),
        edge("new", "updates", "old"),
        *(feedback("corrected", "useless", n, id=f"x{n}", run=f"r{n}") for n in range(4, 8)),
        feedback("ignored", "useless", 9, signals={"importance": 0.0}),
    )
    facts.forget(space, "gone", by="ana", now=clock.now())
    shown = page(client_of(owner), "?q=says+what")
    assert sorted(hits(shown)) == ["faded", "gone", "new", "tea", "useless"]
    assert "Held back from agents: not live Not served to agents: it is forgotten." in hit(shown, "gone")
    assert "suppressed, as it proved useless Not served to agents: by feedback" in hit(shown, "useless")
    assert "What an agent is told of it Agents may be served it: its weight 0." in hit(shown, "tea")
    assert "uncertain : corroborate: ask another source" in hit(shown, "tea")
    assert "3 are held back from agents: 1 not live, 1 suppressed, as it proved useless, 1 superseded." in plain(shown)


def test_what_is_too_faint_says_its_weight(owner, client_of):
    space_of(fact("tea"), passes=daily(1, 6))
    shown = hit(page(client_of(owner), "?q=tea"), "tea")
    assert re.search(r"too faint Not served to agents: its weight is 0\.\d\d, and 0\.30 is the least", shown)


def test_where_some_source_was_reviewed_the_others_follow_folded(client, space):
    told(space, *said(*((f"m{n}", f"The harbour has mooring {n}.", 1) for n in range(8)), source="stranger"))
    assert "nobody has reviewed" not in page(client, "?q=harbour")
    judged(space, 1, source="ana")
    open_ones, _, folded = page(client, "?q=harbour").partition('<details class="after">')
    assert plain(folded).startswith("6 of sources that nobody has reviewed")
    assert (len(hits(open_ones)), {name[0] for name in hits(folded)}) == (4, {"m"})
    assert {"six", "seven"} <= {*hits(open_ones)}


# As an agent sees it.


@pytest.mark.parametrize(
    ("address", "query"),
    [
        ("?q=harbour+rate+gone&as=agent", {}),
        ("?q=harbour+rate+gone&as=agent&order=freshness", {"order": "freshness"}),
        ("?q=harbour+rate+gone&as=agent&history=on&limit=50", {"history": "true", "limit": "50"}),
    ],
)
def test_as_an_agent_sees_it_is_just_what_an_agent_is_served(client, space, address, query):
    told(space, *said(("gone", "The harbour is gone.", 1)))
    told(space, *said(*((f"m{n}", f"The harbour has mooring {n}.", 1) for n in range(11)), source="stranger"))
    facts.forget(space, "gone", by="ana", now=clock.now())
    judged(space, 1, source="ana")
    served = Agent(token_of(space)).get("/search", q="harbour rate gone", **query).json()
    shown = page(client, address)
    open_ones, _, folded = shown.partition('<details class="after">')
    assert hits(open_ones) == [each["id"] for each in served["hits"]]
    assert hits(folded) == [each["id"] for each in served["folded"]] != []
    counted = plain(shown)
    assert "not live" not in served["held_back"]
    assert all(f"{many} {why}" in counted for why, many in served["held_back"].items())


def test_an_agent_that_is_served_nothing_is_told_so(client, space):
    wrong = ({"type": "feedback", "outcome": "corrected", "fact": name, "source": "bot"} for name in ("six", "seven"))
    acts.write(space, list(wrong), now=clock.now())
    shown = plain(page(client, "?q=harbour&as=agent"))
    assert "An agent is served nothing" in shown
    assert "2 are held back from agents: 2 suppressed, as it proved useless." in shown


def test_to_look_writes_nothing_and_counts_as_no_use(client):
    before = Line.objects.count()
    with CaptureQueriesContext(connection) as asked:
        page(client, "?q=harbour")
        page(client, "?q=harbour&as=agent")
    assert [each["sql"] for each in asked if re.match(r"INSERT|UPDATE|DELETE", each["sql"])] == []
    assert (Line.objects.count(), Served.objects.count()) == (before, 0)


# Who may see what.


@pytest.mark.parametrize("role", list(Role))
def test_every_member_may_look(client_of: ClientOf, member: MemberOf, space, role):
    assert hits(page(client_of(member(space, role)), "?q=harbour")) == ["seven", "six"]


@pytest.mark.parametrize(("role", "told"), [(Role.READER, False), (Role.REVIEWER, True)])
def test_what_is_forgotten_is_found_by_those_alone_who_decide_about_facts(client_of, member, space, role, told):
    facts.forget(space, "seven", by="ana", now=clock.now())
    found = client_of(member(space, role))
    assert ("seven" in hits(page(found, "?q=harbour"))) is told
    assert "not live" not in plain(page(found, "?q=harbour&as=agent"))


def test_what_faded_readers_see_too_as_in_the_list(client_of, member):
    space = space_of(fact("tea"), passes=daily(1, 400))
    shown = page(client_of(member(space, Role.READER)), "?q=tea")
    assert "Not served to agents: it is pruned." in hit(shown, "tea")


def test_a_stranger_cannot_tell_whether_there_is_such_a_space(client_of, space):
    stranger = client_of(User.objects.create_user("stranger"))
    assert [stranger.get(f"/spaces/{each}/search/?q=x").status_code for each in ("diary", "nowhere")] == [404, 404]


# What is asked.


def test_before_anything_is_asked_it_says_what_it_does(client):
    shown = page(client)
    assert "Ask what this space knows of something" in shown
    assert "For instance:" in shown
    assert hits(shown) == []


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("zebra", "Nothing here says any of these words, or is near to them in meaning"),
        ("%3F%21", "There is no word in it"),
        ("%00", "There is no word in it"),
    ],
)
def test_where_nothing_is_found_it_says_why(client, query, says):
    assert says in page(client, f"?q={query}")


@pytest.mark.parametrize(
    "query", ["colour=red", "order=luck", "history=some", "as=owl", "limit=20", "as=agent&limit=9", "q=" + "a" * 2001]
)
def test_what_an_address_cannot_mean_is_said_and_not_left_out(client, query):
    answer = client.get(f"{SEARCH}?{query}")
    assert answer.status_code == 400
    assert "not understood" in answer.text


def test_a_very_long_question_is_answered(client):
    assert hits(page(client, "?q=" + "harbour+" * 249)) == ["seven", "six"]


def test_hostile_words_are_words(client, space):
    script = "</script><script>alert(1)</script>"
    told(space, *said(("x", script, 1), source=script[:30]))
    shown = page(client, "?q=%3Cscript%3Ealert%281%29&order=trust")
    assert hits(shown) == ["x"]
    assert "<script>alert" not in shown
    assert 'value="&lt;script&gt;alert(1)"' in shown
    assert "?q=%3Cscript%3Ealert%281%29" in shown


def test_no_more_than_fifty_are_shown_and_that_is_said(owner, client_of):
    space_of(*(fact(f"f{number}") for number in range(51)))
    client = client_of(owner)
    shown = page(client, "?q=says")
    assert len(hits(shown)) == 50
    assert "No more than 50 are shown" in shown
    assert "No more than 10 are shown" in page(client, "?q=says&as=agent")
    assert "No more than" not in page(client, "?q=f7")


# The page.


def test_all_that_is_chosen_stands_in_the_address_and_stays_where_something_else_is_asked(client):
    shown = page(client, "?q=rate&history=on&order=trust")
    assert '<input type="hidden" name="history" value="on">' in shown
    assert '<input type="hidden" name="order" value="trust">' in shown
    set_ones = re.findall(r'aria-current="true">([^<]+)</a></li>', shown.partition('class="ways"')[2])
    assert set_ones == ["as people see it", "by trust and usefulness", "with what was replaced"]
    assert 'href="?q=rate&amp;as=agent&amp;history=on">as an agent sees it' in shown
    assert 'href="?q=rate&amp;order=trust">what holds' in shown


def test_a_part_is_a_part_of_the_same_address(client):
    part, whole = page(client, "?q=harbour", **HTMX), page(client, "?q=harbour")
    assert "<html" not in part
    assert part.strip() in whole
    assert "<html" in page(client, "?q=harbour", **HTMX, **{"HX-History-Restore-Request": "true"})


def test_the_list_of_facts_and_the_search_lead_to_each_other_with_the_same_words(client):
    assert 'href="/spaces/diary/search/?q=tea+%26+milk"' in client.get("/spaces/diary/facts/?text=tea+%26+milk").text
    assert 'href="/spaces/diary/search/"' in client.get("/spaces/diary/facts/").text.partition("<main")[2]
    assert 'href="/spaces/diary/facts/?text=tea+%26+milk"' in page(client, "?q=tea+%26+milk")


def test_it_asks_as_much_for_40_hits_as_for_10(owner, client_of):
    asked = []
    client = client_of(owner)
    for many in (10, 40):
        pairs = [fact(f"{kind}{n}") for n in range(many) for kind in ("new", "old", "rival")]
        ties = [
            edge(f"new{n}", relation, f"{kind}{n}", id=f"{relation}{n}")
            for n in range(many)
            for relation, kind in (("updates", "old"), ("contradicts", "rival"))
        ]
        space = space_of(*pairs, *ties, event("accepted", "new1", tier="human"), name=f"of{many}")
        address = f"/spaces/{space.name}/search/?q=" + "+".join(f"new{n}+old{n}" for n in range(many))
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            shown = client.get(address)
        assert hits(shown.text)
        asked.append(len(queries))
    assert asked[0] == asked[1]
