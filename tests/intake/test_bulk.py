"""Many lines at once through the door for agents: they come in as an import does, but for what nobody certifies."""

import json

import pytest

from tests.actions.world import LATER, private, registered, space_of
from tests.intake.asking import Agent, problem, schema, token_of, told
from tests.makers import day, fact
from trustmem.actions import facts, sending, spaces, undo
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import TIERS
from trustmem.formats import signed
from trustmem.formats.interchange_types import parse_record
from trustmem.intake.clock import clock
from trustmem.intake.rest import lines
from trustmem.store.models import Case, Fact, Line, Space, Statement

pytestmark = pytest.mark.django_db

AT = "2026-01-02T00:00:00Z"
FACT = {"type": "fact", "id": "f", "text": "The harbour opens at six.", "at": AT}
EDGE = {"type": "edge", "id": "e", "from": "f", "to": "tea", "relation": "extends", "at": AT}
EVENT = {"type": "event", "id": "v", "kind": "corroborated", "fact": "tea", "at": AT}
FEEDBACK = {"type": "feedback", "id": "b", "fact": "tea", "outcome": "helpful", "at": AT}


@pytest.fixture
def space() -> Space:
    return space_of(fact("tea"))


@pytest.fixture
def bot(space) -> Agent:
    return Agent(token_of(space))


def statuses(response):
    return [each["status"] for each in told(response)]


def test_what_an_agent_may_say_comes_in_in_its_name_and_has_arrived_now(bot, space):
    before = clock()
    assert statuses(bot.send(FACT, EDGE, EVENT, FEEDBACK, b"")) == ["new"] * 4
    row, tea = Fact.objects.get(name="f"), Fact.objects.get(name="tea")
    assert (row.source, TIERS[row.tier], to_text(row.at)) == ("bot", "auto", AT)
    assert (tea.r, tea.reinforcement_count) == (1, 1)
    for line in Line.objects.filter(name__in="fevb"):
        assert line.arrived >= before
        assert json.loads(line.body).get("source", json.loads(line.body).get("by")) == "bot"
    assert statuses(bot.send(FACT, EDGE, EVENT, FEEDBACK)) == ["known"] * 4


def test_a_person_undoes_what_was_sent_at_one_stroke(bot, space):
    bot.send(FACT, EVENT)
    undo.undo(space, Line.objects.get(name="f").imported, by="ana", now=clock())
    assert (Fact.objects.filter(name="f").count(), Fact.objects.get(name="tea").r) == (0, 0)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        *((FACT | {name: value}, name) for name, value in (
            ("tier", "human"), ("tier", "auto"), ("core", True), ("scope", "global"), ("prior", 0.9), ("weight", 1.0),
            ("baseline", {"evidence": 9}), ("erased", True), ("digest", "d"), ("act", "a"), ("arrived", AT),
            ("source", "eve"),
        )),
        (EDGE | {"by": "eve"}, "by"),
        (EDGE | {"tier": "human"}, "tier"),
        (EDGE | {"removed": True}, "removed"),
        (EVENT | {"source": "eve"}, "source"),
        (EVENT | {"tier": "human"}, "tier"),
        *((EVENT | {"kind": kind}, "kind") for kind in ("accepted", "forgotten", "restored", "erased")),
        *(({"type": "event", "id": "v", "kind": kind, "of": "x", "at": AT}, "kind") for kind in (
            "upheld", "dismissed", "undone", "revoked", "lifted", "closed",
        )),
        (FEEDBACK | {"source": "eve"}, "source"),
        *(({"type": kind, "id": "x", "at": AT}, "type") for kind in (
            "space", "constants", "key", "entity", "link", "tombstone", "case", "pass",
        )),
        (FACT | {"at": "2999-01-01T00:00:00Z"}, "at"),
        (FACT | {"signature": {"key": "k", "claim": "e30=", "value": "A" * 86 + "=="}}, "signature"),
    ],
)  # fmt: skip
def test_what_nobody_certifies_for_themselves_is_refused_by_its_line_and_field(bot, space, line, field):
    before = Line.objects.count()
    (answer,) = told(bot.send(line))
    assert (answer["number"], answer["status"], answer["field"]) == (1, "refused", field)
    assert answer["reason"].startswith(f'"{field}" ')
    assert Line.objects.count() == before


def test_each_line_is_answered_by_its_number_and_costs_no_other(bot, space):
    sent = (FACT, b"", b"{", b"[]", FACT | {"id": "g", "tier": "human"}, EDGE, b'{"type": "fact", "type": "pass"}')
    answers = told(bot.send(*sent, {**FACT, "id": "h", "soruce": "bot"}, FACT | {"id": "i", "text": None}, {"id": "j"}))
    assert [(each["number"], each["status"]) for each in answers] == [
        (1, "new"), (3, "rejected"), (4, "rejected"), (5, "refused"), (6, "new"), (7, "rejected"), (8, "rejected"),
        (9, "rejected"), (10, "rejected"),
    ]  # fmt: skip
    by_number = {each["number"]: each["reason"] for each in answers}
    assert by_number[7] == 'has the key "type" twice'
    assert 'did you mean "source"?' in by_number[8]
    assert Fact.objects.count() == 2


def test_what_names_what_is_not_there_waits_for_it(bot, space):
    assert statuses(bot.send(EDGE)) == ["waiting"]
    assert statuses(bot.send(FACT)) == ["new"]
    assert Fact.objects.get(name="tea").evidence == 1


def test_of_what_was_forgotten_the_line_is_refused_and_people_see_it(bot, space):
    bot.send(FACT)
    facts.forget(space, "f", by="ana", now=clock())
    (answer,) = told(bot.send(FACT | {"id": "again", "text": "THE HARBOUR OPENS AT SIX"}))
    assert (answer["status"], answer["field"]) == ("refused", None)
    assert "was forgotten by" in answer["reason"]
    assert not Fact.objects.filter(name="again").exists()
    assert Case.objects.get(key__startswith="case:restored-value:").facts == ["f"]


def test_another_fact_under_an_id_is_refused(bot, space):
    (answer,) = told(bot.send(FACT | {"id": "tea"}))
    assert (answer["status"], answer["field"]) == ("refused", "id")


def test_what_a_key_has_signed_is_signed_in_bulk_too(bot, space):
    registered(space, "door", source="bot", by="ana", now=LATER, valid_from=day(-1000))
    claim = signed.claim(parse_record(FACT | {"source": "bot"}), space.name)
    by_key = FACT | {"signature": signed.sign(private("door"), "door", claim)}
    assert statuses(bot.send(by_key, by_key | {"id": "g"})) == ["new", "refused"]
    assert TIERS[Fact.objects.get(name="f").tier] == "signed"
    assert not Fact.objects.filter(bad_signature=True).exists()


def test_a_line_against_what_is_vouched_for_waits_for_a_person_and_is_not_dated_back(bot, space):
    facts.accept(space, "tea", by="ana", now=LATER)
    before = Fact.objects.get(name="tea").r, Fact.objects.get(name="tea").s
    against = (EDGE | {"relation": "updates"}, EVENT | {"kind": "contradicted"}, FEEDBACK | {"outcome": "corrected"})
    for answer in told(bot.send(*against)):
        assert (answer["status"], answer["field"]) == ("refused", "at")
        assert "is before a person accepted what it speaks against" in answer["reason"]
    at = to_text(LATER + 1)
    assert statuses(bot.send(FACT, *(each | {"at": at} for each in against))) == ["new"] * 4
    tea = Fact.objects.get(name="tea")
    assert ((tea.r, tea.s), tea.depth, tea.challenged) == (before, 0, True)
    assert Statement.objects.filter(challenge=True).count() == 3


def test_what_others_said_is_no_echo_because_somebody_says_so_afterwards(bot, space):
    Agent(token_of(space, "ben")).post("/facts", {"text": "What tea says.", "run": "r1"})
    before = Fact.objects.get(name="tea").r
    assert before == 1
    recalled = {"type": "event", "id": "v", "kind": "recalled", "fact": "tea", "run": "r1", "at": AT}
    (answer,) = told(bot.send(recalled))
    assert (answer["status"], answer["field"]) == ("refused", "run")
    assert statuses(bot.send(recalled | {"at": to_text(clock())})) == ["refused"]
    assert statuses(bot.send(recalled | {"run": "mine"})) == ["new"]
    assert Fact.objects.get(name="tea").r == before


@pytest.mark.parametrize("named", [{"run": "r1"}, {}])
def test_what_was_handed_out_is_said_again_in_no_run_by_dating_that_back(bot, space, named):
    bot.get("/search", q="tea", **named)
    restated = {"type": "event", "id": "v", "kind": "restated", "fact": "tea", **named}
    (answer,) = told(bot.send(restated | {"at": to_text(clock() - 1_000_000)}))
    assert (answer["status"], answer["reason"]) == ("refused", '"at" is before this fact was handed out in that run')
    assert statuses(bot.send(restated | {"at": to_text(clock())})) == ["new"]
    assert Fact.objects.get(name="tea").r == 0


def test_it_is_asked_for_as_lines_of_a_length_and_no_longer_than_that(bot, space, monkeypatch):
    def post(body, kind="application/x-ndjson", **headers):
        return bot.client.post("/api/v1/bulk", body, content_type=kind, headers=headers)

    assert "application/x-ndjson" in problem(post(b"{}", "application/json"), 415)
    assert "not read in chunks" in problem(post(b"{}", **{"Transfer-Encoding": "chunked"}), 411)
    assert "lines that came before are known" in problem(post(b"{}", **{"Idempotency-Key": "k"}), 400)
    assert "is no parameter here" in problem(bot.client.post("/api/v1/bulk?x=1", b"", "application/x-ndjson"), 400)
    assert statuses(bot.send(b"", b"")) == []
    monkeypatch.setattr(lines, "MOST_LINES", 2)
    assert "at most" in problem(bot.send(FACT, EVENT, FEEDBACK), 413)
    monkeypatch.setattr(lines, "MOST_BYTES", 1 << 10)
    assert problem(bot.send({**FACT, "text": "x" * 2000}), 413)
    assert Line.objects.filter(name="f").count() == 0


def test_lines_as_they_are_written_elsewhere_come_in_as_well(bot, space):
    raw = b"\xef\xbb\xbf" + json.dumps(FACT).encode() + b"\r\n" + json.dumps(EVENT).encode() + b"\r\n"
    assert statuses(bot.send(raw)) == ["new", "new"]
    deep = b'{"type": "fact", "meta": ' + b'{"a":' * 80 + b"1" + b"}" * 81
    long = json.dumps({**FACT, "id": "long", "text": "x" * (1 << 20)}).encode()
    nul = b'{"type": "fact", "id": "n", "text": "a\\u0000b", "at": "2026-01-02T00:00:00Z"}'
    for bad in (deep, long, nul, b"\xff\xfe"):
        assert statuses(bot.send(bad)) == ["rejected"]


def test_whoever_may_write_may_not_yet_send(space):
    writer = Agent(token_of(space, scopes=["read", "write", "feedback"]))
    assert problem(writer.send(FACT), 403) == 'this token has not the scope "import"'


def test_all_facts_are_told_by_lines_but_for_what_is_forgotten_or_of_another_space(bot, space):
    bot.send(*(FACT | {"id": f"f{place}", "text": f"Line {place}\u2028 of it."} for place in range(5)))
    facts.forget(space, "f3", by="ana", now=clock())
    found = told(bot.get("/export"))
    assert [each["id"] for each in found] == ["tea", "f0", "f1", "f2", "f4"]
    assert found[1]["text"] == "Line 0\u2028 of it."
    shown = bot.get("/facts/f0").json()["scores"]
    assert found[1]["scores"].keys() == shown.keys()
    assert abs(found[1]["scores"]["trust"] - shown["trust"]) < 1e-6
    assert found[1]["scores"]["constants_fingerprint"] == shown["constants_fingerprint"]
    other = spaces.create("other")
    assert told(Agent(token_of(other)).get("/export")) == []


def test_the_schema_says_which_lines_there_are():
    sent = schema()["paths"]["/api/v1/bulk"]["post"]["requestBody"]["content"]["application/x-ndjson"]["schema"]
    assert sent["items"]["properties"]["type"]["enum"] == list(sending.SAYS)
