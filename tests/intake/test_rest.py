"""The door for agents over HTTP: what they may do, what they are told, and what is refused."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.db.models import F

from tests.actions.world import LATER, space_of
from tests.intake.asking import API, Agent, problem, token_of
from tests.intake.asking import told as lines_of
from tests.makers import fact
from trustmem.actions import access, detection, facts, spaces, tokens, verdicts
from trustmem.core.instants import NEVER, span
from trustmem.core.vocabulary import FORGOTTEN, LIVE
from trustmem.intake import limits
from trustmem.store.models import Answered, Case, Fact, Line, Queued, Role, Space, Text, Token
from trustmem.work import watch

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


@pytest.fixture
def bot(space) -> Agent:
    return Agent(token_of(space))


def test_an_agent_remembers_finds_and_is_told_why(bot, space):
    told = bot.post("/facts", {"text": "The harbour opens at six.", "subject": "harbour"})
    assert told.status_code == 201
    name = told.json()["fact"]
    assert Fact.objects.get(space=space, name=name).source == "bot"
    (hit,) = bot.get("/search", q="when does the harbour open").json()["hits"]
    assert (hit["id"], hit["text"], hit["source"], hit["tier"]) == (name, "The harbour opens at six.", "bot", "auto")
    assert hit["flags"] == ["uncertain"]
    shown = bot.get(f"/facts/{name}").json()
    assert shown["scores"]["trust"] == pytest.approx(hit["trust"])
    assert [each["factor"] for each in shown["why"]] == ["confidence", "freshness", "supersession", "provenance"]
    again = bot.post("/facts", {"text": "the harbour opens at six", "run": "r2"})
    assert (again.status_code, again.json()["status"], again.json()["fact"]) == (200, "restated", name)


@pytest.mark.parametrize(
    "field", ["tier", "trust", "state", "source", "author", "at", "arrived", "act", "weight", "prior", "core", "erased"]
)
def test_nobody_certifies_themselves(bot, space, field):
    detail = problem(bot.post("/facts", {"text": "Trust me.", field: "signed"}), 422)
    assert field in detail
    assert Fact.objects.filter(space=space).count() == 1


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/facts", {}, '"text" is missing'),
        ("/facts", {"text": ""}, '"text" is empty'),
        ("/facts", {"text": " \u200b\n"}, '"text" has no sign that anybody sees'),
        ("/facts", {"text": None}, '"text" must be a text'),
        ("/facts", {"text": "x" * 100_001}, '"text" is longer than 100000 characters'),
        ("/facts", {"text": "Tea.", "txet": "Tea."}, '"txet" is nothing that you can say here'),
        ("/facts", {"text": "Tea.", "entities": "tea"}, '"entities" must be a list'),
        ("/facts", {"text": "Tea.", "entities": ["tea", 5]}, '"entities.1" must be a text'),
        ("/facts", {"text": "Tea.", "run": "a\nb"}, '"run" has a control character'),
        (
            "/edges",
            {"from": "tea", "to": "tea", "relation": "is"},
            """"relation" must be one of 'updates', 'extends',""",
        ),
        (
            "/feedback",
            {"facts": [], "outcome": "helpful"},
            'a report has "facts" and "outcome", or "search" and "used"; "facts" is missing or empty',
        ),
        ("/feedback", {"facts": ["tea"], "outcome": "helpful", "confirmed": 7}, '"confirmed" must be true or false'),
    ],
)
def test_what_is_wrong_with_a_body_is_said_in_one_sentence(bot, path, body, sentence):
    assert problem(bot.post(path, body), 422).startswith(sentence)


def test_a_parameter_that_cannot_be_is_named(bot):
    assert problem(bot.get("/search", q="tea", limit=51), 422) == '"limit" must be at most 50'
    assert problem(bot.get("/search", q="tea", limit="many"), 422) == '"limit" must be a whole number'
    assert problem(bot.get("/search"), 422) == '"q" is missing'


def test_what_is_too_long_for_any_text_is_not_read(bot):
    assert problem(bot.post("/facts", {"text": "x" * (5 << 20)}), 413) == "the body is longer than 4 MiB"


def test_what_was_forgotten_is_refused_and_not_told_of(bot, space):
    name = bot.post("/facts", {"text": "The vault code is 4711."}).json()["fact"]
    facts.forget(space, name, by="ana", now=LATER * 2)
    told = bot.post("/facts", {"text": "the vault code is 4711"})
    assert (told.status_code, told.json()["status"]) == (409, "refused")
    assert problem(bot.get(f"/facts/{name}"), 404) == "there is no such fact in this space"
    answer = bot.get("/search", q="vault code").json()
    assert (answer["hits"], answer["held_back"]) == ([], {})  # or each guess would tell whether it is right
    assert bot.get("/search", q="vault code", history="true").json()["held_back"] == {}


def test_under_its_old_id_what_was_forgotten_is_refused_as_well(bot, space):
    for name, by in (("vault", "ana"), ("door", "bot")):
        said = {"id": name, "text": f"The code of the {name} is 4711."}
        assert bot.post("/facts", said).status_code == 201
        if by == "bot":
            assert bot.delete(f"/facts/{name}").status_code == 200
        else:
            facts.forget(space, name, by=by, now=LATER * 2)
        again = bot.post("/facts", said)
        assert (again.status_code, bot.get(f"/facts/{name}").status_code) == (409, 404)
        assert Fact.objects.get(space=space, name=name).state == FORGOTTEN


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The valve must stay < 5 bar", "The valve must stay > 5 bar"),
        ("The balance is -500", "The balance is 500"),
        ("The offset is +3", "The offset is -3"),
        ("It costs $100", "It costs €100"),
        ("x != y", "x = y"),
        ("It is written in C++", "It is written in C"),
        ("It is written in C#", "It is written in C"),
        ("The load is 50%", "The load is 50"),
        ("The share is 1/2", "The share is 1.2"),
        ("The data flows A -> B", "The data flows A <- B"),
        ("The release is 👍", "The release is 👎"),
    ],
)
def test_what_differs_by_a_sign_is_never_the_same_said_again(bot, space, one, other):
    name = bot.post("/facts", {"text": one, "run": "r1"}).json()["fact"]
    told = Agent(token_of(space, "scout")).post("/facts", {"text": other, "run": "r2"})
    assert (told.status_code, told.json()["status"]) == (201, "new")
    assert bot.get(f"/facts/{name}").json()["scores"]["r"] == 0
    again = Agent(token_of(space, "third")).post("/facts", {"text": f"{one}.", "run": "r3"})
    assert (again.json()["status"], again.json()["fact"]) == ("restated", name)


def test_what_a_hit_may_be_in_conflict_with_is_said_until_somebody_has_decided(bot, space):
    one = bot.post("/facts", {"text": "The mail boat comes on Fridays."}).json()["fact"]
    other = bot.post("/facts", {"text": "The mail boat comes on Mondays."}).json()["fact"]
    detection.detect(space, now=LATER)
    told = {each["id"]: each["candidates"] for each in bot.get("/search", q="mail boat").json()["hits"]}
    assert told == {one: [other], other: [one]}
    case = Case.objects.get(space=space, closed_at=NEVER)
    verdicts.decide(space, [case.name], "not a contradiction", by="ana", now=LATER * 2)
    assert [each["candidates"] for each in bot.get("/search", q="mail boat").json()["hits"]] == [[], []]


def test_a_hit_is_in_conflict_with_nothing_that_is_forgotten(bot, space):
    one = bot.post("/facts", {"text": "The mail boat comes on Fridays."}).json()["fact"]
    other = bot.post("/facts", {"text": "The mail boat comes on Mondays."}).json()["fact"]
    detection.detect(space, now=LATER)
    space.refresh_from_db()
    facts.forget(space, one, by="ana", now=LATER * 2)
    told = {each["id"]: each["candidates"] for each in bot.get("/search", q="mail boat").json()["hits"]}
    assert told == {other: []}


@pytest.mark.parametrize("name", ["fresh", "fresh:constants:1"])
def test_the_ids_by_which_a_space_is_founded_are_taken_before_it_is(name):
    fresh = Agent(token_of(spaces.create("fresh")))
    for _ in range(2):
        told = problem(fresh.post("/facts", {"id": name, "text": "Tea is hot."}), 409)
        assert told == f'the space "fresh" has a "{name}" already, which says something else'
        fresh.post("/facts", {"text": "Milk is cold."})


def test_what_is_said_is_in_conflict_with_nothing_that_is_forgotten(bot, space):
    one = bot.post("/facts", {"text": "The mail boat comes on Fridays."}).json()["fact"]
    told = bot.post("/facts", {"text": "The mail boat comes on Mondays."}).json()
    assert [each["fact"] for each in told["candidates"]] == [one]
    for name in (one, told["fact"]):
        facts.forget(space, name, by="ana", now=LATER * 2)
    assert bot.post("/facts", {"text": "The mail boat comes on Sundays."}).json()["candidates"] == []


def test_the_id_of_a_receipt_is_taken(bot, space):
    facts.forget(space, "tea", by="ana", now=LATER)
    said = {"text": Fact.objects.get(space=space, name="tea").text}
    assert bot.post("/facts", said).status_code == 409
    (receipt,) = Line.objects.filter(space=space, tag="refused").values_list("name", flat=True)
    told = problem(bot.post("/facts", {"id": receipt, "text": "Milk is cold."}), 409)
    assert told == f'the space "{space.name}" has a "{receipt}" already, which says something else'


def test_after_a_day_a_worker_forgets_what_was_answered_under_keys(bot):
    for key in ("old", "new"):
        assert bot.post("/facts", {"text": f"Tea is {key}."}, **{"Idempotency-Key": key}).status_code == 201
    Answered.objects.filter(key="old").update(at=F("at") - tokens.ANSWERS_KEPT)
    watch.sweep()
    assert [each.key for each in Answered.objects.all()] == ["new"]


def test_a_body_in_chunks_is_not_passed_over(bot, space):
    sent = bot.client.delete(
        f"{API}/facts/tea", json.dumps({"zzz": 1}), headers={"Transfer-Encoding": "chunked"}, content_type="text/plain"
    )
    assert problem(sent, 411) == "say how long the body is: it is not read in chunks"


def test_a_parameter_that_is_given_twice_is_refused(bot):
    assert problem(bot.client.get(f"{API}/search?q=tea&q=milk"), 400) == '"q" is given 2 times'


def test_nobody_speaks_in_the_day_of_another_source(bot, space):
    said = {"text": "Tea.", "run": "scout@2026-01-05"}
    assert problem(bot.post("/facts", said), 422) == '"run" is the day of the source "scout"'
    assert problem(bot.get("/search", q="tea", run="scout@2026-01-05"), 422)
    assert bot.post("/facts", said | {"run": "bot@2026-01-05"}).status_code == 201
    line = {"type": "event", "kind": "recalled", "id": "r", "fact": "tea", "run": "scout@2026-01-05"}
    assert (
        lines_of(bot.send(line | {"at": "2026-01-05T09:00:00Z"}))[0]["reason"]
        == '"run" is the day of the source "scout"'
    )


def test_a_token_opens_its_own_space_alone(bot, space):
    other = spaces.create("other")
    elsewhere = Agent(token_of(other))
    mine = bot.post("/facts", {"text": "The harbour opens at six."}).json()["fact"]
    assert elsewhere.get("/search", q="harbour").json()["hits"] == []
    for name in (mine, "no such fact"):
        assert problem(elsewhere.get(f"/facts/{name}"), 404) == "there is no such fact in this space"
    assert elsewhere.get("/facts").json()["facts"] == []


def test_only_a_token_that_stands_and_has_the_scope_opens_anything(space):
    assert problem(Agent("").get("/facts"), 401) == "ask with a token: Authorization: Bearer tm_…"
    assert Agent("").get("/facts")["WWW-Authenticate"] == "Bearer"
    ended = token_of(space)
    tokens.revoke(space, Token.objects.get().pk, by="ana", now=LATER)
    for token in ("tm_nonsense", ended, token_of(space, valid_to=LATER + 1)):
        assert "is no token of this desk, or it has ended" in problem(Agent(token).get("/facts"), 401)
    reader = Agent(token_of(space, scopes=["read"]))
    assert reader.get("/facts").status_code == 200
    assert problem(reader.post("/facts", {"text": "Tea."}), 403) == 'this token has not the scope "write"'


def test_a_session_of_the_desk_is_nobody_here_and_a_token_nobody_there(space, bot, client):
    user = access.add_member(space, "ana", Role.ADMIN)
    client.force_login(user)
    assert client.get(f"{API}/facts").status_code == 401
    assert bot.client.get("/spaces/diary/").status_code == 302


def test_the_same_request_under_a_key_has_one_effect_and_one_answer(bot, space):
    body = {"text": "The harbour opens at six."}
    first = bot.post("/facts", body, **{"Idempotency-Key": "k1"})
    again = bot.post("/facts", body, **{"Idempotency-Key": "k1"})
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert (first.get("Idempotency-Replayed"), again["Idempotency-Replayed"]) == (None, "true")
    assert Fact.objects.filter(space=space).count() == 2
    other = bot.post("/facts", {"text": "Another."}, **{"Idempotency-Key": "k1"})
    assert problem(other, 422) == '"Idempotency-Key" was used for another request'
    Answered.objects.update(status=0, at=2**62)
    assert "still in flight" in problem(bot.post("/facts", body, **{"Idempotency-Key": "k1"}), 409)


def test_a_key_is_that_of_its_token_and_is_kept_for_a_day(bot, space):
    first = bot.post("/facts", {"text": "The harbour opens at six."}, **{"Idempotency-Key": "k1"})
    other = Agent(token_of(space, "ben")).post("/facts", {"text": "The lamp is lit."}, **{"Idempotency-Key": "k1"})
    assert (first.status_code, other.status_code, other.get("Idempotency-Replayed")) == (201, 201, None)
    Answered.objects.update(at=F("at") - span(1) - 1)
    later = bot.post("/facts", {"text": "The mast is down."}, **{"Idempotency-Key": "k1"})
    assert (later.status_code, later.get("Idempotency-Replayed")) == (201, None)
    for odd in ("", " ", "a b", "x" * 256, "schlüssel"):
        assert "letters, digits and signs" in problem(
            bot.post("/facts", {"text": "Tea."}, **{"Idempotency-Key": odd}), 400
        )


def test_what_was_refused_leaves_its_key_free(bot):
    assert bot.post("/facts", {"text": ""}, **{"Idempotency-Key": "k1"}).status_code == 422
    assert bot.post("/facts", {"text": "Tea is hot."}, **{"Idempotency-Key": "k1"}).status_code == 201


def test_091_a_key_twice_is_refused(bot, space):
    twice = '{"text": "Pay 22.", "te\\u0078t": "Pay 11."}'
    assert problem(bot.post("/facts", twice), 400) == 'the body has the key "text" twice'
    for body in ("{", '{"text": NaN}', '{"text": "\\ud800"}', "[" * 70 + "]" * 70, "\x00"):
        assert problem(bot.post("/facts", body), 400).startswith("the body ")
    assert Fact.objects.filter(space=space).count() == 1


@pytest.mark.parametrize(
    "name", ["nothing", "..", "%2e%2e", "a/b", "%00", "x" * 501, "'; DROP TABLE store_fact; --", "😀", "9" * 400, " "]
)
def test_117_odd_ids_are_the_callers_fault(bot, name):
    for response in (bot.get(f"/facts/{name}"), bot.post(f"/flags/{name}", {})):
        assert response.status_code in (400, 404, 405, 422)


def test_unknown_filters_are_refused(bot):
    for path, query in (("/facts", {"spaec": "x"}), ("/search", {"q": "tea", "user": "x"}), ("/health", {"x": "1"})):
        assert "is no parameter here" in problem(bot.get(path, **query), 400)
    assert bot.get("/facts", after="nowhere").status_code == 400
    assert bot.get("/facts", band="best").status_code == 422


def test_the_list_goes_on_where_it_ended(bot):
    for place in range(7):
        bot.post("/facts", {"text": f"Berth {place} of the harbour has a name of its own: number{place * 1111}."})
    seen, after = [], None
    while True:
        told = bot.get("/facts", size=3, **({"after": after} if after else {})).json()
        seen += [each["id"] for each in told["facts"]]
        after = told["next"]
        if after is None:
            break
    assert len(seen) == len(set(seen)) == 8


def test_an_agent_tells_what_happened_to_a_fact_and_what_it_was_handed_is_no_evidence(bot, space):
    def evidence():
        return Fact.objects.get(space=space, name="tea").r

    before = evidence()
    assert bot.get("/search?q=tea&run=one").json()["hits"]
    told = bot.post("/events", {"kind": "restated", "fact": "tea", "run": "one"})
    assert (told.status_code, told.json()["counts"], evidence()) == (201, True, before)
    assert bot.post("/events", {"kind": "restated", "fact": "tea", "run": "two"}).status_code == 201
    assert evidence() == before + 1
    for kind in ("recalled", "injected", "corroborated", "contradicted"):
        assert bot.post("/events", {"kind": kind, "fact": "tea", "run": "three"}).status_code == 201
    refused = bot.post("/events", {"kind": "accepted", "fact": "tea"})
    assert (refused.status_code, refused.json()["field"]) == (422, "kind")


def test_feedback_and_flags_are_told_of_and_an_agent_forgets_its_own(bot, space):
    name = bot.post("/facts", {"text": "The harbour opens at six."}).json()["fact"]
    assert bot.post("/feedback", {"facts": [name], "outcome": "helpful"}).status_code == 201
    row = Fact.objects.get(space=space, name=name)
    assert (row.reinforcement_count, row.r) == (1, 0)
    assert bot.post(f"/flags/{name}", {"note": "No."}).json()["counts"] is True
    asked = bot.delete("/facts/tea")
    assert (asked.status_code, asked.json()["act"]) == (202, None)
    assert Queued.objects.get(case__name=asked.json()["case"]).source == "bot"
    assert Fact.objects.get(space=space, name="tea").state == LIVE
    assert bot.delete(f"/facts/{name}").status_code == 200
    assert bot.get(f"/facts/{name}").status_code == 404


def test_why_a_fact_is_to_be_forgotten_is_kept_and_shown_to_who_decides(bot, space, client):
    mine = bot.post("/facts", {"text": "The harbour opens at six."}).json()["fact"]
    assert bot.delete(f"/facts/{mine}", {"reason": "It was a dream.", "run": "r7"}).status_code == 200
    (line,) = Line.objects.filter(space=space, tag="event.forgotten")
    assert json.loads(line.body)["run"] == "r7"
    assert "It was a dream." in Text.objects.get(space=space, position=line.position).body
    case = bot.delete("/facts/tea", {"reason": "She <i>moved</i>."}).json()["case"]
    client.force_login(access.add_member(space, "ben", Role.REVIEWER))
    page = client.get(f"/spaces/{space.name}/cases/{case}/").content.decode()
    assert 'bot</bdi> asks for it: <bdi translate="no">She &lt;i&gt;moved&lt;/i&gt;.' in page


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"reason": 7}, 422, "reason"),
        ({"reason": "x" * 100_001}, 422, "reason"),
        ({"why": "It was a dream."}, 422, "why"),
        (["It was a dream."], 422, ""),
        ("{", 400, "the body "),
        ('{"reason": "a", "reason": "b"}', 400, "twice"),
    ],
)
def test_what_is_no_reason_forgets_nothing(bot, space, body, status, says):
    assert says in problem(bot.delete("/facts/tea", body), status)
    assert Line.objects.filter(space=space, tag__startswith="event").count() == 0
    assert not Queued.objects.exists()


def test_a_reason_in_the_address_is_refused(bot):
    assert "is no parameter here" in problem(bot.delete("/facts/tea?reason=dream"), 400)


def test_another_reason_is_another_request_under_a_key(bot, space):
    first = bot.delete("/facts/tea", {"reason": "a"}, **{"Idempotency-Key": "k"})
    again = bot.delete("/facts/tea", {"reason": "a"}, **{"Idempotency-Key": "k"})
    assert (first.status_code, again["Idempotency-Replayed"], again.content) == (202, "true", first.content)
    assert problem(bot.delete("/facts/tea", {"reason": "b"}, **{"Idempotency-Key": "k"}), 422)


def test_who_asks_too_often_is_told_when_to_come_again(bot, monkeypatch):
    monkeypatch.setitem(limits.LIMITS, "read", 2)
    answers = [bot.get("/facts") for _ in range(4)]
    late = next(each for each in answers if each.status_code == 429)
    assert 1 <= int(late["Retry-After"]) <= 60
    problem(late, 429)


def test_what_is_nowhere_and_what_is_not_so_is_a_problem_in_json(bot):
    problem(bot.get("/nowhere"), 404)
    response = bot.client.put(f"{API}/facts", "{}", content_type="application/json")
    problem(response, 405)
    assert bot.get("/health").json()["status"] == "ok"


@pytest.mark.django_db(transaction=True)
def test_fifty_at_once_under_one_key_are_one(space):
    token = token_of(space)

    def ask(_):
        try:
            return Agent(token).post("/facts", {"text": "The harbour opens at six."}, **{"Idempotency-Key": "k"})
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(ask, range(50)))
    assert {each.status_code for each in answers} <= {201, 409}
    assert Fact.objects.filter(space=space).count() == 2
    assert Line.objects.filter(space=space, tag="fact").count() == 2
