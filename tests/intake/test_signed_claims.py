"""Signed facts and edges through the door for agents: what counts is signed, and what does not is refused, never taken
in as if it were not signed."""

import base64
import json
from pathlib import Path

import pytest

from tests.actions.world import LATER, private, registered, signed, space_of
from tests.intake.asking import Agent, problem, token_of
from tests.makers import day, fact
from trustmem.actions import keys, spaces, undo
from trustmem.actions.errors import Refusal
from trustmem.core.instants import span, to_text
from trustmem.core.vocabulary import TIERS
from trustmem.formats import signed as signatures
from trustmem.formats.interchange_types import parse_record
from trustmem.intake.clock import clock
from trustmem.store.models import Fact, Line, Space

pytestmark = pytest.mark.django_db

CASES = Path(__file__).parents[1] / "cases"
#: The order of the group (RFC 8032, 5.1).
L = 2**252 + 27742317777372353535851937790883648493


@pytest.fixture
def space() -> Space:
    made = space_of(fact("tea"))
    registered(made, "door", source="bot", by="ana", now=LATER, valid_from=day(-1000))
    return made


@pytest.fixture
def bot(space) -> Agent:
    return Agent(token_of(space))


def said(space, /, id="mine", text="The door is locked.", source="bot", key="door", ago=0.0, by=None, **claimed):
    """The body by which a fact is remembered, that a key has signed under this claim, or another one."""
    at = to_text(clock() - span(ago))
    record = parse_record({"type": "fact", "id": id, "text": text, "source": source, "at": at})
    told = signatures.claim(record, space.name) | claimed
    return {"id": id, "text": text, "at": at, "signature": signatures.sign(private(by or key), key, told)}


def edge(space, /, newer, relation, older, id="edge", key="door", **claimed):
    line = {"type": "edge", "id": id, "from": newer, "relation": relation, "to": older, "by": "bot"}
    at = to_text(clock())
    told = signatures.claim(parse_record(line | {"at": at}), space.name) | claimed
    body = {"id": id, "from": newer, "relation": relation, "to": older, "at": at}
    return body | {"signature": signatures.sign(private(key), key, told)}


def tier(name):
    return TIERS[Fact.objects.get(name=name).tier]


def test_what_a_key_of_the_source_signs_is_signed(bot, space):
    body = said(space, ago=3)
    told = bot.post("/facts", body)
    assert (told.status_code, told.json()["status"], told.json()["fact"]) == (201, "new", "mine")
    shown = bot.get("/facts/mine").json()
    assert (tier("mine"), shown["scores"]["tier"]) == ("signed", "signed")
    assert shown["provenance"]["born"] == body["at"]
    assert shown["provenance"]["signature"] == {"key": "door", "counts": True}
    line = Line.objects.get(name="mine")
    assert line.arrived - line.at >= span(3)
    again = bot.post("/facts", body)
    assert (again.status_code, again.json()["status"], Line.objects.filter(tag="fact").count()) == (200, "known", 2)


def test_what_is_signed_is_a_fact_of_its_own_though_it_says_what_is_there(bot, space):
    unsigned = bot.post("/facts", {"text": "The door is locked."}).json()["fact"]
    told = bot.post("/facts", said(space)).json()
    assert (told["status"], tier("mine"), tier(unsigned)) == ("new", "signed", "auto")
    assert [(each["fact"], each["finding"]) for each in told["candidates"]] == [(unsigned, "restatement")]


def with_value(body, change):
    value = change(base64.b64decode(body["signature"]["value"]))
    return body | {"signature": body["signature"] | {"value": base64.b64encode(value).decode()}}


def turned(value: bytes) -> bytes:
    return value[:-1] + bytes([value[-1] ^ 1])


def plus_l(value: bytes) -> bytes:
    return value[:32] + (int.from_bytes(value[32:], "little") + L).to_bytes(32, "little")


def with_claim(body, change):
    """Other bytes, which the key has signed as well."""
    claim = change(base64.b64decode(body["signature"]["claim"]))
    value = _of("door").sign(claim)
    parts = {name: base64.b64encode(each).decode() for name, each in (("claim", claim), ("value", value))}
    return body | {"signature": body["signature"] | parts}


def _of(key):
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(private(key))


OTHER = "is under another claim than what is said, of this space, id, source and instant"
NOT_ITS = 'is not that of the key "door" under this claim'
#: What does not count, and why.
GAMES = {
    "a bit of it is turned": (lambda space: with_value(said(space), turned), NOT_ITS),
    "S + L": (lambda space: with_value(said(space), plus_l), NOT_ITS),
    "all zero": (lambda space: with_value(said(space), lambda it: bytes(64)), NOT_ITS),
    "by another key under this name": (lambda space: said(space, by="eve"), NOT_ITS),
    "of another space": (lambda space: said(space, space="other"), OTHER),
    "of another id": (lambda space: said(space) | {"id": "yours"}, OTHER),
    "of another text": (lambda space: said(space) | {"text": "The door is open."}, OTHER),
    "of another source": (lambda space: said(space, source="eve"), OTHER),
    "of another kind": (lambda space: said(space, kind="trustmem.edge"), OTHER),
    "of another version": (lambda space: said(space, version="2"), OTHER),
    "of another instant": (lambda space: said(space) | {"at": "2026-01-01T00:00:00Z"}, OTHER),
    "with a subject that was not signed": (lambda space: said(space) | {"subject": "door"}, OTHER),
    "written another way": (lambda space: with_claim(said(space), lambda it: it.replace(b'","', b'", "')), OTHER),
    "with a key twice": (lambda space: with_claim(said(space), lambda it: b'{"at":"2026",' + it[1:]), OTHER),
    "by no key": (lambda space: said(space, key="window"), 'is by "window", which is no key of "bot" in this space'),
    "before the key was valid": (lambda space: said(space, ago=20000), 'when the key "door" was not valid'),
}  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_what_does_not_count_is_refused_and_leaves_nothing(bot, space, game):
    make, why = GAMES[game]
    body, before = make(space), Line.objects.count()
    response = bot.post("/facts", body)
    assert problem(response, 422).startswith("the signature ")
    assert why in response.json()["detail"]
    assert response.json()["field"] == "signature"
    assert Line.objects.count() == before
    assert not Fact.objects.exclude(name="tea").exists()


def test_a_signature_is_no_other_agents_to_use(bot, space):
    body = said(space)
    eve = Agent(token_of(space, "eve"))
    assert "is no key of" in problem(eve.post("/facts", body), 422)
    other = spaces.create("other")
    assert "is no key of" in problem(Agent(token_of(other)).post("/facts", body), 422)
    registered(other, "door", source="bot", by="ana", now=LATER, valid_from=day(-1000))
    assert OTHER in problem(Agent(token_of(other)).post("/facts", body), 422)
    assert bot.post("/facts", body).status_code == 201


def test_only_a_claim_that_is_signed_is_dated_and_it_is_named_and_not_ahead(bot, space):
    body = said(space)
    assert problem(bot.post("/facts", {"text": "Tea.", "at": body["at"]}), 422).startswith(
        '"at" is the clock\'s to say'
    )
    for missing in ("id", "at"):
        short = {name: value for name, value in body.items() if name != missing}
        assert problem(bot.post("/facts", short), 422).startswith(f'"{missing}" is missing')
    assert "ahead of now" in problem(bot.post("/facts", said(space, ago=-1)), 422)
    assert "has no UTC offset" in problem(bot.post("/facts", body | {"at": "2026-01-01T00:00:00"}), 422)
    assert bot.post("/facts", said(space, ago=-30 / 86400)).status_code == 201  # clocks differ


def test_an_unsigned_fact_does_not_become_signed_nor_a_signed_one_unsigned(bot, space):
    bot.post("/facts", {"id": "mine", "text": "The door is locked."})
    assert 'has a "mine" already' in problem(bot.post("/facts", said(space)), 409)
    bot.post("/facts", said(space, "two", "The window is shut."))
    assert 'has a "two" already' in problem(bot.post("/facts", {"id": "two", "text": "The window is shut."}), 409)
    assert (tier("mine"), tier("two")) == ("auto", "signed")


def test_after_a_key_was_revoked_nothing_of_it_comes_in(bot, space):
    assert bot.post("/facts", said(space, "before")).status_code == 201
    lost = keys.revoke(space, "door", "lost", by="ana", now=clock())
    assert 'comes after the key "door" was revoked as lost' in problem(bot.post("/facts", said(space, ago=1)), 422)
    assert tier("before") == "signed"
    keys.revoke(space, "door", "compromised", by="ana", now=clock())
    assert "revoked as compromised" in problem(bot.post("/facts", said(space, ago=1)), 422)
    assert tier("before") == "auto"
    for act in (lost, Line.objects.filter(tag="event.revoked").latest("position").act):
        undo.undo(space, act, by="ana", now=clock())
    assert (bot.post("/facts", said(space)).status_code, tier("before"), tier("mine")) == (201, "signed", "signed")


#: Points of small order, written as keys, among them those that are not canonical (RFC 8032; eprint 2020/1244).
SMALL = (
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
)


@pytest.mark.parametrize("public", SMALL)
def test_with_a_key_of_small_order_nobody_signs(bot, space, public):
    key = base64.b64encode(bytes.fromhex(public)).decode()
    proof = base64.b64encode(bytes([1]) + bytes(63)).decode()
    with pytest.raises(Refusal):
        keys.register(space, "small", source="bot", public=key, proof=proof, by="ana", now=LATER)
    line = {"type": "key", "id": "small", "source": "bot", "public": key, "at": "2026-01-01T00:00:00Z"}
    sent = bot.send(line)
    assert b'"refused"' in b"".join(sent.streaming_content)
    body = said(space, key="small", by="door")
    assert 'is by "small", which is no key of "bot"' in problem(bot.post("/facts", body | {}), 422)


def test_097_escaped_or_raw_the_same_is_signed(bot, space):
    case = json.loads((CASES / "097-escaped-or-raw.vector.json").read_text())
    text = case["claim"]["text"]
    for place, ascii in enumerate((True, False, True)):
        body = said(space, f"na-{place}", text)
        raw = json.dumps(body, ensure_ascii=ascii, indent=3 if place == 2 else None)
        assert bot.post("/facts", raw).status_code == 201
        assert (tier(f"na-{place}"), Fact.objects.get(name=f"na-{place}").text) == ("signed", text)


def test_a_signed_edge_counts_against_what_is_signed_and_one_that_is_not_waits(bot, space):
    signed(space, fact("motto", source="ana"))
    newer = bot.post("/facts", {"text": "The motto is another one."}).json()["fact"]
    unsigned = bot.post("/edges", {"from": newer, "relation": "updates", "to": "motto"})
    assert (unsigned.status_code, unsigned.json()["counts"], Fact.objects.get(name="motto").depth) == (201, False, 0)
    body = edge(space, newer, "updates", "motto")
    told = bot.post("/edges", body)
    assert (told.status_code, told.json()["counts"], Fact.objects.get(name="motto").depth) == (201, True, 1)
    again = bot.post("/edges", body)
    assert (again.status_code, again.json()) == (200, {"act": None, "counts": True})


def test_a_signed_edge_says_this_and_nothing_else(bot, space):
    newer = bot.post("/facts", {"text": "The motto is another one."}).json()["fact"]
    body, before = edge(space, newer, "updates", "tea"), Line.objects.count()
    for other in (
        body | {"relation": "contradicts"},
        body | {"id": "another"},
        body | {"from": "tea", "to": newer},
        edge(space, newer, "updates", "tea", space="other"),
        edge(space, newer, "updates", "tea", by="eve"),
        edge(space, newer, "updates", "tea", kind="trustmem.fact"),
    ):
        assert problem(bot.post("/edges", other), 422).startswith("the signature ")
    assert Line.objects.count() == before
    assert bot.post("/edges", body).status_code == 201
