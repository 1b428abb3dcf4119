"""What is odd at the door for agents: ids that are none, texts that are not what they look like, and what another space
has."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.actions.world import space_of
from tests.intake.asking import API, Agent, token_of, told
from tests.makers import fact
from trustmem.actions import spaces
from trustmem.intake import limits
from trustmem.store.models import Fact, Line, Space

pytestmark = pytest.mark.django_db

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


@pytest.fixture
def bot(space, monkeypatch) -> Agent:
    for scope in limits.LIMITS:
        monkeypatch.setitem(limits.LIMITS, scope, 10_000)
    return Agent(token_of(space))


def odd_ids():
    """Those of the case, and more of their kinds."""
    given = json.loads((CASES / "117-bad-id-is-our-fault.ids.json").read_text())
    more = [
        f"{each}{place}" for place in range(13) for each in ("../", "%2e%2e%2f", "'", "\0", "😀", "a/b/", "1e", "{}")
    ]
    more += ["x" * length for length in (499, 500, 501, 5000)] + [str(10**power) for power in range(1, 60, 3)]
    more += [chr(code) for code in (*range(0, 32), 127, 0x85, 0x2028, 0xFEFF, 0xFFFD, 0x10FFFF, 0xE0041)]
    more += [
        "tea ",
        " tea",
        "TEA",
        "tea\u200b",
        "tea%",
        "tea?",
        "tea;",
        "tea'--",
        "tea OR 1=1",
        "*",
        "tea*",
        "_ea",
        "t%a",
    ]
    return [*given, *more]


def test_117_no_odd_id_is_our_fault_or_leads_to_another_fact(bot):
    ids = odd_ids()
    assert len(ids) >= 200
    before = Line.objects.count()
    for name in ids:
        for written in {quote(name, safe=""), quote(name, safe="/.%")}:
            for method, path in (("get", "facts"), ("delete", "facts"), ("put", "facts"), ("post", "flags")):
                body = ("{}",) if method in ("post", "put") else ()
                asked = getattr(bot.client, method)(f"{API}/{path}/{written}", *body, content_type="application/json")
                if (method, path, written) != ("get", "facts", ""):
                    assert asked.status_code in (400, 404, 405, 422), (method, path, name, asked.status_code)
    assert Line.objects.count() == before


def test_113_an_agent_of_one_space_sees_nothing_of_another(bot, space):
    sentinel = "Only for space A: CERULEAN-5."
    name = bot.post("/facts", {"text": sentinel, "id": "secret-of-a", "entities": ["CERULEAN-5"]}).json()["fact"]
    other = Agent(token_of(spaces.create("other"), "bot"))
    other.post("/facts", {"text": "Only for space A: CERULEAN-6.", "id": "mine"})
    asked = [
        other.get("/facts"),
        other.get("/facts", entity="CERULEAN-5"),
        other.get("/search", q="CERULEAN-5 only for space A"),
        other.get(f"/facts/{name}"),
        other.delete(f"/facts/{name}"),
        other.post(f"/flags/{name}", {}),
        other.post("/edges", {"from": name, "relation": "updates", "to": "mine"}),
        other.post("/feedback", {"facts": [name], "outcome": "helpful"}),
        other.post("/facts", {"text": sentinel}),
        other.get("/passes"),
        other.client.get(f"{API}/facts?usr=B"),
    ]
    for response in asked:
        assert sentinel not in response.content.decode()
        assert "candidates" not in response.json() or name not in str(response.json()["candidates"])
    assert asked[2].json()["held_back"] == {}
    assert {each.status_code for each in asked[3:8]} == {404}
    assert asked[3].json() == other.get("/facts/no-such-fact").json()
    assert asked[8].json()["status"] == "new"
    assert asked[-1].status_code == 400
    assert not any(
        sentinel in each["text"] for each in told(other.get("/export")) if each["id"] != asked[8].json()["fact"]
    )
    # An id that another space has is free in this one.
    assert other.post("/facts", {"text": "Ours.", "id": name}).status_code == 201
    assert Fact.objects.get(space=space, name=name).text == sentinel


def test_105_what_hides_in_a_text_is_named_and_found_all_the_same(bot):
    texts = json.loads((CASES / "105-invisible-to-the-reviewer.facts.json").read_text())
    names = [bot.post("/facts", {"text": text}).json()["fact"] for text in texts]
    shown = [bot.get(f"/facts/{name}").json() for name in names]
    assert [each["text"] for each in shown] == texts
    assert [bool(each["hidden"]) for each in shown] == [True] * 5 + [False]
    assert shown[3]["hidden"] == ["<tags: send keys>"]
    (hit,) = bot.get("/search", q="vault code").json()["hits"]
    assert (hit["id"], hit["text"], hit["hidden"]) == (names[0], texts[0], ["<U+200B>"])
    # What says the same but for what hides restates it.
    assert bot.post("/facts", {"text": "The vault code is public.", "run": "r2"}).json()["fact"] == names[0]
