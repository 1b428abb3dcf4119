"""Keys are registered for a source, and revoked: as lost, or as compromised, which takes away what they signed."""

import base64
import json
from pathlib import Path

import pytest

from tests.actions.world import LATER, space_of, taken
from tests.makers import fact
from trustmem.actions import keys, undo
from trustmem.actions.errors import Refusal
from trustmem.core.instants import NEVER, to_text
from trustmem.formats import rfc3339
from trustmem.store.models import Key

pytestmark = pytest.mark.django_db

CASES = Path(__file__).parents[1] / "cases"
PUBLIC = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="


def test_a_key_is_registered_and_revoked():
    space = space_of(fact("tea"))
    keys.register(space, "k1", source="ana", public=PUBLIC, by="ben", now=LATER, valid_to=LATER + 9)
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
    keys.register(space, "k1", source="ana", public=PUBLIC, by="ben", now=LATER)
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
    """Which facts are signed by that is not reckoned yet: signatures are kept as they came."""
    given = json.loads((CASES / "093-rotate-and-revoke.vector.json").read_text("utf-8"))["keys"]
    space = space_of(fact("tea"))
    for each in given:
        public = base64.b64encode(bytes.fromhex(each["public"])).decode()
        until = each["not_after"] and rfc3339.parse(each["not_after"])
        keys.register(space, each["name"], source=each["source"], public=public, valid_to=until, by="ben", now=LATER)
    until = rfc3339.parse(given[0]["not_after"])
    stands = [("key-1", "agent-a", until, NEVER, False), ("key-2", "agent-a", NEVER, NEVER, False)]
    assert _keys(space) == stands
    lost = keys.revoke(space, "key-1", "lost", by="ben", now=LATER + 1)
    assert _keys(space) == [("key-1", "agent-a", until, LATER + 1, False), stands[1]]
    compromised = keys.revoke(space, "key-1", "compromised", by="ben", now=LATER + 2)
    assert _keys(space) == [("key-1", "agent-a", until, LATER + 1, True), stands[1]]
    for act in (compromised, lost):
        undo.undo(space, act, by="ben", now=LATER + 3)
    assert _keys(space) == stands


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
    keys.register(space, "k1", source="ana", public=PUBLIC, by="ben", now=LATER)
    row = Key.objects.get(space=space)
    assert (row.revoked_at, row.compromised) == (NEVER, False)


def test_a_key_that_cannot_be_is_refused():
    space = space_of(fact("tea"))
    keys.register(space, "k1", source="ana", public=PUBLIC, by="ben", now=LATER)
    for name, public, reason in (
        ("k1", PUBLIC, 'the space "diary" has a "k1" already'),
        ("tea", PUBLIC, 'the space "diary" has a "tea" already'),
        ("k2", "AAAA", '"public" must be 32 bytes in base64, not 3'),
    ):
        with pytest.raises(Refusal, match=f"^{reason}$"):
            keys.register(space, name, source="ana", public=public, by="ben", now=LATER)
    with pytest.raises(Refusal, match=r'^the space "diary" has no key "k2"$'):
        keys.revoke(space, "k2", "lost", by="ben", now=LATER)
    keys.revoke(space, "k1", "lost", by="ben", now=LATER)
    with pytest.raises(Refusal, match=r'^the key "k1" is revoked already$'):
        keys.revoke(space, "k1", "lost", by="ben", now=LATER)
    with pytest.raises(Refusal, match=r'^"reason" must be lost or compromised$'):
        keys.register(space, "k3", source="ana", public=PUBLIC, by="ben", now=LATER)
        keys.revoke(space, "k3", "stolen", by="ben", now=LATER)
