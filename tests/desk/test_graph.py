"""The graph page: what hangs together as a picture and as a list that says the same; all it shows is in its address."""

import json
import re
from html import unescape
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import LATER, space_of, taken
from tests.desk.conftest import ClientOf
from tests.makers import day, edge, fact
from tests.store.test_graph import key, mention, near, pair, placed, together
from trustmem.actions import erasing, facts, jobs, kinds, spaces
from trustmem.core.instants import to_text
from trustmem.desk import clock
from trustmem.store import graph as graphs
from trustmem.store.models import Centrality, Edge, Entity, Job, Role, Space, User
from trustmem.store.ties import TIES

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true", "HX-Target": "found"}


@pytest.fixture
def client(owner: User, client_of: ClientOf) -> Client:
    return client_of(owner)


@pytest.fixture
def space() -> Space:
    """A fact with something of everything around it."""
    space = space_of(
        *(fact(each, on) for on, each in enumerate("abcdefgh")),
        edge("b", "updates", "a", 20), edge("c", "extends", "a", 20), edge("a", "derives", "d", 20),
        edge("a", "contradicts", "e", 20),
    )  # fmt: skip
    pair(space, "a", "f", "contradiction")
    pair(space, "a", "g", "restatement")
    near(space, "a", "h", 0.9, 0.5)
    mention(space, "port", "a", "b")
    together(space, "port", "quay", 0.25)
    for name, rank in (("port", 0.6), ("quay", 0.15)):
        Centrality.objects.create(space=space, entity=name, rank=rank, facts=2)
    return space


def page(client: Client, space: Space, query: str = "", **headers):
    return client.get(reverse("graph", args=[space.name]) + query, headers=headers or None)


def read(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", "", html)).split())


def nodes(answer) -> list[str]:
    """What is said of each node of the picture, of which the first stands last, on top of the others."""
    return [unescape(each) for each in re.findall(r'<a class="node[^>]*aria-label="([^"]*)"', answer.text)][::-1]


def sentences(answer) -> list[str]:
    return [read(each) for part in re.findall('(?s)graph-sentences">(.*?)</ul>', answer.text) for each in part.split("</li>")[:-1]]  # fmt: skip  # noqa: E501


def rows(answer) -> list[str]:
    """What the list says of each node."""
    return [read(each) for each in re.findall(r'(?s)<tr id="node-\d+".*?</tr>', answer.text)]


def addresses(answer, text: str) -> list[str]:
    """Where links of that text lead."""
    links = re.findall(r'(?s)<a[^>]*href="([^"]*)"[^>]*>(.*?)</a>', answer.text)
    return [unescape(href) for href, inner in links if read(inner) == text]


def test_each_node_says_what_it_is_with_its_band_and_how_many_ties_it_has(client, space):
    said = nodes(page(client, space, "?fact=a"))
    assert re.fullmatch(r"fact, “What a says.”, very low 0\.\d\d, .*superseded.*, 8 ties in view", said[0])
    assert "entity, “port”, importance 1.00, named by 2 facts, 2 ties in view" in said
    assert len(said) == 9


def test_the_list_says_the_same_as_the_picture(client, space):
    answer = page(client, space, "?fact=a")
    assert sentences(answer) == [
        "What b says. takes the place of What a says.",
        "What a says. and What e says. cannot both hold",
        "What c says. adds to What a says.",
        "What a says. was made from What d says.",
        "What f says. and What a says. may contradict each other: rule word, overlap 0.50",
        "What g says. and What a says. say the same: overlap 0.50",
        "What a says. names port",
        "What b says. names port",
        "What h says. and What a says. are near in meaning: 0.70 of 1",
    ]
    assert len(rows(answer)) == len(nodes(answer))
    assert answer.text.count("data-one=") == len(sentences(answer))


def test_bands_are_told_by_glyph_and_colour_states_by_outline_and_entities_by_shape(client, space):
    facts.forget(space, "h", by="ana", now=LATER)
    mention(space, "port", "h")
    text = page(client, space, "?entity=port&states=live&states=forgotten").text
    assert re.search(r'class="node fact live band-1[^"]*"(?s:.){0,900}?href="#bars-1"', text)
    assert re.search(r'class="node fact forgotten band-\d[^"]*"(?s:.){0,900}?class="struck"', text)
    assert re.search(r'class="node entity centre', text)
    assert "That is importance, not trust." in text


def test_supersession_is_an_arrow_from_the_newer_to_the_older_and_a_contradiction_has_none(client, space):
    text = page(client, space, "?fact=a").text
    (arrow,) = re.findall(r'<path class="tie updates"[^>]*data-one[^>]*>', text)
    one, other = (int(re.search(rf'data-{end}="(\d+)"', arrow)[1]) for end in ("one", "other"))
    said = nodes(page(client, space, "?fact=a"))
    assert ("What b says." in said[one], "What a says." in said[other]) == (True, True)
    assert 'marker-end="url(#end-updates)"' in arrow
    (against,) = re.findall(r'<path class="tie contradicts"[^>]*data-one[^>]*>', text)
    assert ("marker-end" in against, 'marker-mid="url(#middle-contradicts)"' in against) == (False, True)


def test_the_newer_claim_stands_to_the_right(client, space):
    text = page(client, space, "?fact=a").text
    across = {
        unescape(name): float(x) for name, x in re.findall(r'aria-label="fact, “What (\w).*?data-x="([^"]*)"', text)
    }
    assert across["d"] < across["a"] == 0 < across["b"]


@pytest.mark.parametrize("tie", TIES)
def test_a_tie_can_be_shown_by_itself(client, space, tie):
    told = re.findall(
        r'<path class="tie (\S+?)(?: idle)?" [^>]*data-one', page(client, space, f"?fact=a&ties={tie}").text
    )
    assert set(told) == ({tie} if tie != "co-occurrence" else set())


def test_bands_and_states_filter_the_facts_and_what_is_chosen_is_ticked(client, space):
    answer = page(client, space, "?fact=a&bands=very+high&states=pruned&ties=mention&ties=updates&depth=2&most=30")
    assert nodes(answer)[0].startswith("fact, “What a says.”")
    assert [each.partition(",")[0] for each in nodes(answer)[1:]] == ["entity"]
    ticked = re.findall(r'value="([^"]*)" checked', answer.text)
    assert ticked == ["updates", "mention", "very high", "pruned"]
    assert re.findall(r"<option[^>]*selected>(\d+)", answer.text) == ["2", "30"]


def test_at_depth_2_there_is_what_is_tied_to_what_is_tied(client, space):
    assert not [each for each in nodes(page(client, space, "?fact=a")) if "quay" in each]
    assert [each for each in nodes(page(client, space, "?fact=a&depth=2")) if "“quay”, importance 0.25" in each]


def test_around_an_entity_there_are_its_facts_by_its_id_or_by_what_it_is_called(client, space):
    Entity.objects.create(space=space, name="port", title="The old port", at=0)
    for query in ("?entity=port", "?entity=The+old+port"):
        answer = page(client, space, query)
        assert "“The old port”" in nodes(answer)[0]
        assert len(nodes(answer)) == 4
        assert addresses(answer, "All facts that name it") == ["/spaces/diary/facts/?entity=port&state=any"]


def test_what_is_left_out_is_counted_and_one_link_away(client, space):
    for number in range(70):
        together(space, f"berth {number:02}", "port", number / 100)
    answer = page(client, space, "?entity=port&most=30")
    assert len(nodes(answer)) == 30
    (more,) = addresses(answer, "44 more by co-occurrence")
    met = set()
    while more:
        answer = page(client, space, more)
        met |= {each for each in nodes(answer) if "berth" in each or "quay" in each}
        more = next(iter(addresses(answer, f"{71 - len(met)} more by co-occurrence")), None)
    assert len(met) == 71
    assert addresses(answer, "back to the nearest")


def test_a_node_leads_to_the_picture_around_it_and_to_its_own_page_whatever_it_is_called(client):
    names = ["a/b", "<script>alert(1)</script>", "“q”'\"&?#%"]
    told = [
        {"type": "fact", "id": name, "text": f"{name} says", "entities": [name], "source": "s", "at": to_text(day(1))}
        for name in names
    ]
    space = taken(spaces.create("diary"), [json.dumps(each).encode() for each in told])
    for name in names:
        answer = page(client, space, f"?fact={quote(name, safe='')}")
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        (entity,) = [
            href
            for href in map(unescape, re.findall(r'class="node[^>]*href="([^"]*)"', answer.text))
            if "entity=" in href
        ]
        around = page(client, space, entity)
        assert [each for each in nodes(around) if each.startswith("fact")]
        (own,) = addresses(answer, "The page of this fact")
        assert client.get(own).status_code == 200


def saying(*texts: str, subject: str) -> Space:
    """A space of facts about something that say these."""
    lines = [
        {"type": "fact", "id": f"f{number}", "text": text, "subject": subject, "at": to_text(day(number))}
        for number, text in enumerate(texts)
    ]
    return taken(spaces.create("diary"), [json.dumps(each).encode() for each in lines])


def labels(answer) -> list[str]:
    """What stands beside the nodes of the picture."""
    return [unescape(each) for each in re.findall(r'<text class="label"[^>]*>(.*?)</text>', answer.text)]


def test_long_texts_are_quoted_short_and_hidden_characters_are_seen(client):
    space = saying("word " * 1000, "a" * 5000, "evil \u202etext", "السلام عليكم ورحمة الله", subject="port")
    answer = page(client, space, "?entity=port")
    assert max(map(len, labels(answer))) <= 40
    assert any("<U+202E>" in each for each in labels(answer))
    assert "\u202e" not in answer.text
    assert len(answer.content) < 100_000


def test_facts_that_begin_alike_are_told_apart_by_their_labels(client):
    space = saying(*(f"The cold room beside the kitchen is kept at {n} °C." for n in range(3)), subject="room")
    assert sorted(labels(page(client, space, "?entity=room"))) == ["room", "…0 °C.", "…1 °C.", "…2 °C."]


def test_a_reader_sees_of_what_is_forgotten_that_it_is_and_nothing_around_it(client_of, member):
    said = {"type": "fact", "id": "tea", "text": "Tea is at five.", "subject": "teatime", "entities": ["Kitchen"]}
    other = {"type": "fact", "id": "milk", "text": "Milk is cold.", "entities": ["Kitchen"]}
    edge = {"type": "edge", "id": "e", "from": "milk", "to": "tea", "relation": "extends", "at": to_text(day(1))}
    lines = [{**each, "at": to_text(day(0)), "source": "ana"} for each in (said, other)]
    space = taken(spaces.create("diary"), [json.dumps(each).encode() for each in (*lines, edge)])
    facts.forget(space, "tea", by="ana", now=LATER)
    together(space, "Kitchen", "teatime")
    reader, reviewer = (client_of(member(space, role)) for role in (Role.READER, Role.REVIEWER))
    assert "(forgotten)" in read(page(reader, space, "?fact=tea").text)
    for query in ("?fact=tea", "?fact=tea&depth=2", "?entity=Kitchen&states=forgotten", "?fact=milk&depth=2", ""):
        text = page(reader, space, query).text
        assert not [word for word in ("Tea is at", "teatime") if word in text], query
    assert "teatime" in page(reviewer, space, "?fact=tea").text
    assert "Tea is at five." in page(reviewer, space, "?entity=Kitchen&states=forgotten").text


def test_what_is_erased_has_no_text_and_nothing_around_it(client, space):
    erasing.erase(space, "a", by="ana", now=clock.now(), reason="")
    answer = page(client, space, "?fact=a")
    assert "(erased)" in read(answer.text)
    assert "What a says." not in answer.text
    assert len(nodes(answer)) == 1


def test_a_fact_alone_says_why_nothing_is_around_it(client):
    space = space_of(fact("a"), fact("b"), edge("b", "extends", "a"))
    alone = space_of(fact("a"), name="alone")
    assert "Nothing is tied to it yet" in page(client, alone, "?fact=a").text
    filtered = page(client, space, "?fact=a&ties=semantic")
    assert "Nothing like that is tied to it." in filtered.text
    assert addresses(filtered, "Clear all filters") == ["?fact=a"]
    assert "No fact names an entity like that." in page(client, space, "?entity=nobody").text


def test_circles_are_drawn_either_way_and_said_not_to_count(client):
    space = space_of(*map(fact, "ab"), edge("a", "updates", "b"), edge("b", "updates", "a"))
    answer = page(client, space, "?fact=a")
    assert sentences(answer) == [
        "What a says. takes the place of What b says. (it does not count as things stand)",
        "What b says. takes the place of What a says. (it does not count as things stand)",
    ]
    middles = re.findall(r'<path class="tie updates idle" d="M\S+ \S+Q\S+ \S+ (\S+ [\d.]+)Q', answer.text)
    assert len({*middles}) == 2


def test_an_edge_onto_oneself_is_a_loop(client, space):
    a = key(space, "a")
    Edge.objects.create(space=space, newer_id=a, older_id=a, relation=1, carried=True, live=True)
    text = page(client, space, "?fact=a").text
    assert re.search(r'<path class="tie extends" d="M[^"]*C[^"]*" data-one="0" data-other="0"', text)


def test_without_a_centre_there_is_a_sample_of_the_space_and_how_much_of_it(client, space):
    assert "The graph job has not run here yet" in page(client, space).text
    placed(space)
    answer = page(client, space)
    assert len(nodes(answer)) == 10
    assert "10 of 10 nodes, 10 ties, of a space of 8 facts" in read(answer.text)
    assert "There are no facts here yet" in page(client, spaces.create("empty")).text
    assert "No node is like that" in page(client, space, "?states=pruned&bands=high").text or nodes(
        page(client, space, "?states=pruned")
    )


def test_who_runs_passes_asks_for_the_job_and_sees_how_far_it_is(client_of, member, space):
    reader, curator = (client_of(member(space, role)) for role in (Role.READER, Role.CURATOR))
    assert "Work it out now" not in page(reader, space).text
    assert "Work it out now" in page(curator, space).text
    address = reverse("graph", args=[space.name])
    assert reader.post(address).status_code == 403
    assert curator.post(address).url == address
    job = Job.objects.get(space=space, kind=jobs.GRAPH)
    waiting = page(curator, space)
    assert "The graph is worked out It waits for a worker." in read(waiting.text)
    assert "Work it out now" not in waiting.text
    part = page(curator, space, **(HTMX | {"HX-Target": "work"}))
    assert part.text.lstrip().startswith('<div id="work"')
    kinds.do(jobs.claim(job.pk, now=clock.now()), clock.now)
    assert page(curator, space, **(HTMX | {"HX-Target": "work"})).headers["HX-Refresh"] == "true"
    done = page(curator, space)
    assert "was worked out" in read(done.text)
    assert "Work it out anew" in done.text
    assert len(nodes(done)) >= 8


def test_where_not_all_ties_are_drawn_that_is_said(client, space, monkeypatch):
    monkeypatch.setattr(graphs, "MOST_TIES", 5)
    answer = page(client, space, "?fact=a")
    assert "9 nodes, the strongest 5 of their ties" in read(answer.text)
    assert len(sentences(answer)) == 5


def test_of_many_the_most_central_are_shown(client):
    space = space_of(*(fact(f"f{number}") for number in range(150)))
    for number in range(150):
        mention(space, f"e{number}", f"f{number}")
        Centrality.objects.create(space=space, entity=f"e{number}", rank=1 / (number + 1), facts=1)
    placed(space)
    answer = page(client, space, "?most=60")
    assert len(nodes(answer)) == 60
    assert "60 of 300 nodes" in read(answer.text)
    assert [each for each in nodes(answer) if "“e0”" in each]
    assert not [each for each in nodes(answer) if "“e149”" in each]


def test_all_of_a_view_stands_in_its_address(client, space):
    query = "?fact=a&ties=updates&ties=mention&bands=low&states=live&depth=2&most=100"
    (here,) = addresses(page(client, space, query + "&at=0.5,-0.25,2"), "Link to this view")
    assert here == query + "&at=0.5%2C-0.25%2C2"
    assert addresses(page(client, space, query), "Reset") == ["?fact=a"]
    whole, part = (
        re.search('viewBox="([^"]*)" role="group"', page(client, space, f"?fact=a{at}").text)[1].split()
        for at in ("", "&at=0,0,2")
    )
    assert [float(each) / 2 for each in whole[2:]] == [float(each) for each in part[2:]]


@pytest.mark.parametrize(
    "query",
    [
        "?colour=red", "?ties=love", "?bands=none", "?states=gone", "?depth=3", "?most=151", "?fact=a&most=300",
        "?skip=-1",        "?fact=a&entity=b", "?at=1", "?at=nan,0,1", "?at=0,0,1e9", "?most=x", "?fact=a%00",
    ],
)  # fmt: skip
def test_an_address_that_means_nothing_is_refused(client, space, query):
    assert page(client, space, query).status_code == 400


def test_a_fact_that_is_not_there_is_not_found(client, space):
    answer = page(client, space, "?fact=nothing")
    assert answer.status_code == 404
    assert "This space holds no fact “nothing”." in answer.text


def test_choosing_gives_the_picture_alone(client, space):
    part = page(client, space, "?fact=a", **HTMX)
    assert part.text.lstrip().startswith('<div id="found"')
    assert len(nodes(part)) == 9
    assert "graph-filters" not in part.text


def test_a_fact_and_a_list_by_entity_lead_to_the_graph_around_them(client, space):
    assert "/spaces/diary/graph/?fact=a" in addresses(client.get("/spaces/diary/facts/a/"), "Graph around it")
    assert addresses(client.get("/spaces/diary/facts/?entity=port"), "Graph around it") == [
        "/spaces/diary/graph/?entity=port"
    ]
    assert addresses(client.get("/spaces/diary/facts/"), "Graph around it") == []


def test_the_page_asks_the_database_as_often_for_many_nodes_as_for_few(client):
    asked = []
    for size in (8, 80):
        space = space_of(*(fact(f"f{number}") for number in range(size)), name=f"hub {size}")
        mention(space, "port", *(f"f{number}" for number in range(size)))
        page(client, space, "?entity=port")
        with CaptureQueriesContext(connection) as queries:
            assert len(nodes(page(client, space, "?entity=port&most=100"))) == size + 1
        asked.append(len(queries))
    assert asked[0] == asked[1]
    assert asked[0] <= 40


def test_a_picture_is_the_same_each_time(client, space):
    one, other = (re.findall(r'transform="[^"]*"', page(client, space, "?fact=a&depth=2").text) for _ in range(2))
    assert one == other
