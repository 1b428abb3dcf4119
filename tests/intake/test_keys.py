"""`trustmem keys` and `trustmem sign`: a key is made, registered by whoever has it, signs, and is revoked."""

import json
import re
import stat

import pytest

AT = "2026-01-01T00:00:00Z"
FACTS = [
    {"type": "fact", "id": "f1", "text": "The door is locked.", "source": "ana", "at": AT},
    {"type": "fact", "id": "f2", "text": "The door is open.", "source": "eve", "at": AT},
    {"type": "edge", "id": "e1", "from": "f1", "to": "f2", "relation": "extends", "by": "ana", "at": AT},
]


@pytest.fixture
def key(home, tmp_path):
    home("space", "create", "diary")
    file = tmp_path / "private"
    assert home("keys", "new", str(file)).returncode == 0
    return file


@pytest.fixture
def facts(tmp_path):
    file = tmp_path / "facts.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in FACTS))
    return file


def register(home, key, *more):
    return home("keys", "register", "door", "--source", "ana", "--valid-from", AT, *more)


def test_what_a_registered_key_signs_is_signed_until_the_key_is_revoked_as_compromised(home, key, facts, tmp_path):
    assert register(home, key, "--private", str(key)).stdout == '"door" signs for ana.\n'
    done = home("sign", str(facts), "--key", "door", "--private", str(key))
    assert (done.returncode, done.stderr) == (0, "2 signed as ana.\n")
    assert json.loads(done.stdout.splitlines()[1]) == FACTS[1]
    signed = tmp_path / "signed.jsonl"
    signed.write_text(done.stdout)
    assert home("import", str(signed)).returncode == 0

    def tiers():
        return {each["id"]: each["tier"] for each in home.json("export", "--scores")}

    assert tiers() == {"f1": "signed", "f2": "auto"}
    revoked = home("keys", "revoke", "door", "compromised").stdout
    assert re.search(r'^"door" is revoked as compromised\. .*\nIt ever signed 1 fact:\n  f1\n$', revoked)
    assert tiers() == {"f1": "auto", "f2": "auto"}
    assert home("undo", re.search(r"trustmem undo (\S+)", revoked)[1]).returncode == 0
    assert tiers() == {"f1": "signed", "f2": "auto"}
    # The export of the space holds the keys, so that anybody can check what it scores.
    whole = tmp_path / "whole.jsonl"
    assert home("export", "--out", str(whole)).returncode == 0
    scored = home.json("score", str(whole), "--json")
    assert {each["id"]: each["tier"] for each in scored} == {"f1": "signed", "f2": "auto"}


def test_a_key_is_registered_by_its_public_half_and_a_proof_of_who_has_it(home, key):
    proof = home("keys", "prove", "--private", str(key), "--source", "ana").stdout.split()
    assert register(home, key, *proof).returncode == 0
    (listed,) = home.json("keys", "list", "--json")
    assert (listed["name"], listed["source"], listed["public"]) == ("door", "ana", proof[1])
    assert (listed["valid_from"], listed["valid_to"], listed["compromised"]) == (AT, None, False)
    other = home("keys", "register", "k2", "--source", "eve", *proof)
    assert other.returncode == 2
    assert "the proof does not hold" in other.stderr


def test_nobody_else_may_read_a_private_key_and_none_is_overwritten(home, key):
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    before = key.read_text()
    again = home("keys", "new", str(key))
    assert (again.returncode, key.read_text()) == (2, before)
    assert "cannot be made: File exists" in again.stderr


def test_what_cannot_be_is_told_in_one_sentence(home, key, facts, tmp_path):
    assert "No key signs" in home("keys", "list").stdout
    for command, says in (
        (("sign", str(facts), "--key", "door", "--private", str(key)), 'has no key "door"'),
        (("keys", "revoke", "door", "lost"), 'has no key "door"'),
        (("keys", "register", "door", "--source", "ana"), "a key is registered with --private FILE"),
        (("keys", "prove", "--private", str(tmp_path / "none"), "--source", "a"), "cannot be read: No such file"),
        (("keys", "prove", "--private", str(facts), "--source", "a"), "holds no private key"),
    ):
        done = home(*command)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        assert says in done.stderr
