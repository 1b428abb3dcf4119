"""Keys are registered for a source, and revoked: as lost, or as compromised, which takes away what they signed."""

import base64
import json
from pathlib import Path

import pytest

from tests.actions.world import LATER, space_of, taken
from tests.makers import day, fact
from trustmem.actions import keys, undo
from trustmem.actions.consolidation import consolidate
from trustmem.actions.errors import Refusal
from trustmem.actions.verify import verify
from trustmem.core.instants import NEVER, to_text
from trustmem.core.vocabulary import TIERS
from trustmem.formats import rfc3339, signed
from trustmem.formats.interchange_types import parse_record
from trustmem.store.models import Fact, Key

pytestmark = pytest.mark.django_db

CASES = Path(__file__).parents[1] / "cases"
PRIVATE = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc4" + "4449c5697b326919703bac031cae7f60")  # RFC 8032, 7.1
PUBLIC = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
#: How else keys are registered here.
BY = {"by": "ben", "now": LATER}


def register(space, key, source="ana", private=PRIVATE, **values):
    """Register a key by somebody who has it."""
    public, proof = signed.prove(private, space.name, source)
    return keys.register(space, key, source=source, **{"public": public, "proof": proof, **BY, **values})


def by_key(space, line, key="k1", private=PRIVATE, claimed=()):
    """A line of a file that a key has signed, or another claim in its stead."""
    record = parse_record(line)
    return line | {"signature": signed.sign(private, key, signed.claim(record, space.name) | dict(claimed))}


def said(name, at, source="ana", **values):
    return {"type": "fact", "id": name, "text": f"What {name} says.", "source": source, "at": to_text(at), **values}


def tiers(space):
    rows = Fact.objects.filter(space=space).order_by("name").values_list("name", "tier", "bad_signature")
    return {name: (TIERS[tier], is_bad) for name, tier, is_bad in rows}


def came(space, *lines, now=LATER + 10):
    return taken(space, [json.dumps(each).encode() for each in lines], now=now)


SIGNED, NOT_SIGNED, BAD = ("signed", False), ("auto", False), ("auto", True)


def test_a_key_is_registered_and_revoked():
    space = space_of(fact("tea"))
    register(space, "k1", valid_to=LATER + 9)
    key = Key.objects.get(space=space)
    assert (key.name, key.source, key.public, key.at, key.valid_to) == ("k1", "ana", PUBLIC, LATER, LATER + 9)
    keys.revoke(space, "k1", "compromised", by="ben", now=LATER + 1)
    key = Key.objects.get(space=space)
    assert (key.revoked_at, key.compromised) == (LATER + 1, True)


@pytest.mark.parametrize("order", [("lost", "compromised"), ("compromised", "lost")])
def test_a_key_that_any_revocation_calls_compromised_is_so_from_the_first_revocation_on(order):
    space = space_of(fact("tea"))
    key = {"type": "key", "id": "k1", "source": "ana", "public": PUBLIC, "at": to_text(LATER)}
    revoked = [
        {"type": "event", "id": f"r{place}", "kind": "revoked", "of": "k1", "reason": reason, "at": to_text(at)}
        for place, (reason, at) in enumerate(zip(order, (LATER + 1, LATER + 2), strict=True))
    ]
    taken(space, [json.dumps(each).encode() for each in [key, *revoked]], now=LATER + 3)
    row = Key.objects.get(space=space)
    assert (row.revoked_at, row.compromised) == (LATER + 1, True)


def test_of_a_key_that_was_lost_it_can_turn_out_that_it_was_compromised():
    space = space_of(fact("tea"))
    register(space, "k1")
    keys.revoke(space, "k1", "lost", by="ben", now=LATER + 1)
    act = keys.revoke(space, "k1", "compromised", by="ben", now=LATER + 2)
    row = Key.objects.get(space=space)
    assert (row.revoked_at, row.compromised) == (LATER + 1, True)
    for reason in ("lost", "compromised"):
        with pytest.raises(Refusal, match=r'^the key "k1" is revoked already$'):
            keys.revoke(space, "k1", reason, by="ben", now=LATER + 3)
    undo.undo(space, act, by="ben", now=LATER + 4)
    row = Key.objects.get(space=space)
    assert (row.revoked_at, row.compromised) == (LATER + 1, False)


def test_093_a_source_has_an_old_key_and_a_new_one_and_what_is_revoked_can_be_taken_back():
    space = space_of(fact("tea"))
    turn, old, new = rfc3339.parse("2026-02-01T00:00:00Z"), bytes([1]) * 32, bytes([2]) * 32
    register(space, "key-1", "agent-a", old, valid_from=rfc3339.parse("2025-01-01T00:00:00Z"), valid_to=turn)
    register(space, "key-2", "agent-a", new, valid_from=turn)
    january, march = rfc3339.parse("2026-01-10T00:00:00Z"), rfc3339.parse("2026-03-10T00:00:00Z")
    came(
        space,
        by_key(space, said("kr-1", january, "agent-a"), "key-1", old),
        by_key(space, said("kr-2", march, "agent-a"), "key-2", new),
        by_key(space, said("kr-3", march, "agent-a"), "key-1", old),
        by_key(space, said("kr-4", march, "agent-b"), "key-2", new),
    )
    stands = {"kr-1": SIGNED, "kr-2": SIGNED, "kr-3": BAD, "kr-4": BAD, "tea": NOT_SIGNED}
    assert tiers(space) == stands
    lost = keys.revoke(space, "key-1", "lost", by="ben", now=LATER + 20)
    assert tiers(space) == stands
    compromised = keys.revoke(space, "key-1", "compromised", by="ben", now=LATER + 21)
    assert tiers(space) == stands | {"kr-1": BAD}
    assert keys.signed_by(space, "key-1") == ["kr-1", "kr-3"]
    for act in (compromised, lost):
        undo.undo(space, act, by="ben", now=LATER + 22)
    assert tiers(space) == stands
    assert verify(space, rebuild=True) == []


def test_what_comes_after_a_key_was_lost_does_not_count_whatever_time_it_claims():
    space = space_of(fact("tea"))
    register(space, "k1", valid_from=0)
    came(space, by_key(space, said("before", 1)))
    consolidate(space, now=LATER + 11, by="ben")  # from now on lines arrive when they come
    keys.revoke(space, "k1", "lost", by="ben", now=LATER + 20)
    came(space, by_key(space, said("after", 1)), now=LATER + 30)
    assert tiers(space) == {"before": SIGNED, "after": BAD, "tea": NOT_SIGNED}


def test_a_key_that_comes_late_signs_what_came_before_it_and_passes_are_folded_anew():
    space, other = space_of(fact("tea")), space_of(fact("tea"), name="other")
    line = said("motto", day(5), prior=0.6)
    for each, order in ((space, "fact first"), (other, "key first")):
        if order == "key first":
            register(each, "k1", valid_from=0)
        came(each, by_key(each, line))
        consolidate(each, now=LATER + 11, by="ben")
        if order == "fact first":
            assert tiers(each)["motto"] == BAD
            register(each, "k1", valid_from=0, now=LATER + 12)
        assert tiers(each)["motto"] == SIGNED
        assert verify(each, rebuild=True) == []
    row, twin = Fact.objects.get(space=space, name="motto"), Fact.objects.get(space=other, name="motto")
    assert (row.state, row.derived, row.anchor) == (twin.state, twin.derived, twin.anchor)


def test_a_signature_is_worth_nothing_in_another_space_for_another_fact_or_by_a_key_of_somebody_else():
    space = space_of(fact("tea"))
    register(space, "k1", valid_from=0)
    register(space, "k2", "eve", bytes([7]) * 32, valid_from=0)
    ours = by_key(space, said("f1", 1))
    came(
        space,
        by_key(space, said("f2", 1), claimed={"space": "other"}),
        said("f3", 1) | {"signature": ours["signature"]},
        by_key(space, said("f4", 1), "k2", bytes([7]) * 32),
        by_key(space, said("f5", 1, "eve"), "k2", bytes([7]) * 32),
        by_key(space, said("f6", 1), "unknown"),
        by_key(space, said("f7", 1), claimed={"kind": "trustmem.edge"}),
    )
    assert tiers(space) == {"tea": NOT_SIGNED, "f5": SIGNED} | dict.fromkeys(("f2", "f3", "f4", "f6", "f7"), BAD)


def test_an_edge_is_signed_as_a_fact_is_and_an_unsigned_one_is_a_challenge_to_a_signed_fact():
    space = space_of(fact("tea"))
    register(space, "k1", valid_from=0)
    came(space, by_key(space, said("old", 1)), said("new", 2), said("planted", 3, "eve"))
    update = {"type": "edge", "relation": "updates", "to": "old", "at": to_text(4)}
    came(space, update | {"id": "e1", "from": "planted", "by": "eve"})
    assert Fact.objects.get(space=space, name="old").depth == 0
    assert Fact.objects.get(space=space, name="old").challenged
    came(space, by_key(space, update | {"id": "e2", "from": "new", "by": "ana"}))
    assert Fact.objects.get(space=space, name="old").depth == 1
    keys.revoke(space, "k1", "compromised", by="ben", now=LATER + 20)
    assert tiers(space)["old"] == BAD  # and what it was spared by its tier holds against it from now on
    assert verify(space, rebuild=True) == []


def test_who_cannot_show_that_they_have_a_key_does_not_register_it():
    space = space_of(fact("tea"))
    public, proof = signed.prove(PRIVATE, "other", "ana")
    for given in (proof, signed.prove(bytes(32), "diary", "ana")[1], "nothing"):
        with pytest.raises(Refusal, match=r"^the proof does not hold: it is to be made with this very key"):
            keys.register(space, "k1", source="ana", public=public, proof=given, **BY)
    small = base64.b64encode(bytes(32)).decode()
    with pytest.raises(Refusal, match=r'^"public" is of small order, so that anybody could sign with it$'):
        keys.register(space, "k1", source="ana", public=small, proof=base64.b64encode(bytes(64)).decode(), **BY)
    with pytest.raises(Refusal, match=r"^a key is valid until later than from when on it is$"):
        register(space, "k1", valid_from=9, valid_to=9)
    assert not Key.objects.exists()


def _keys(space):
    rows = Key.objects.filter(space=space).order_by("name")
    return list(rows.values_list("name", "source", "valid_to", "revoked_at", "compromised"))


def test_what_would_have_ended_something_else_ends_no_key():
    lifted = {
        "type": "event",
        "id": "e",
        "kind": "lifted",
        "of": "k1",
        "at": to_text(LATER),
    }  # it waits for a tombstone
    space = taken(space_of(fact("tea")), [json.dumps(lifted).encode()])
    register(space, "k1")
    row = Key.objects.get(space=space)
    assert (row.revoked_at, row.compromised) == (NEVER, False)


def test_a_key_that_cannot_be_is_refused():
    space = space_of(fact("tea"))
    register(space, "k1")
    for name, public, reason in (
        ("k1", PUBLIC, 'the space "diary" has a "k1" already'),
        ("tea", PUBLIC, 'the space "diary" has a "tea" already'),
        ("k2", PUBLIC, 'this key is registered already, as "k1": another one takes its place'),
        ("k2", "AAAA", '"public" must be 32 bytes in base64, not 3'),
    ):
        with pytest.raises(Refusal, match=f"^{reason}$"):
            register(space, name, public=public)
    with pytest.raises(Refusal, match=r'^the space "diary" has no key "k2"$'):
        keys.revoke(space, "k2", "lost", by="ben", now=LATER)
    keys.revoke(space, "k1", "lost", by="ben", now=LATER)
    with pytest.raises(Refusal, match=r'^the key "k1" is revoked already$'):
        keys.revoke(space, "k1", "lost", by="ben", now=LATER)
    with pytest.raises(Refusal, match=r'^"reason" must be lost or compromised$'):
        keys.revoke(space, "k1", "stolen", by="ben", now=LATER)
