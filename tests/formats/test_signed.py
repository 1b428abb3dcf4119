"""What a key signs, and whether that holds (section 5): claims, keys that may sign, and games with signatures."""

import base64
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from trustmem.formats import signed, strict_json
from trustmem.formats.interchange_types import Record, parse_record
from trustmem.formats.public_keys import BadKey, check_key

CASES = Path(__file__).parents[1] / "cases"
AT = "2026-01-01T00:00:00Z"
PRIVATE = bytes(range(32))
PUBLIC = base64.b64encode(Ed25519PrivateKey.from_private_bytes(PRIVATE).public_key().public_bytes_raw()).decode()
#: The order of the group of Ed25519 (RFC 8032, 5.1).
L = 2**252 + 27742317777372353535851937790883648493

#: RFC 8032, 7.1: public key, message and signature, in hexadecimal digits.
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
        "655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
        "b00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28d"
        "c027beceea1ec40a",
    ),
]
#: The eight points of small order, as they are written.
SMALL = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
]
#: The same points, and others, as no key is written: y not below the prime, and a sign where x is 0.
NOT_CANONICAL = [
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]


def b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def fact(**values: object) -> Record:
    return parse_record({"type": "fact", "id": "f", "text": "Tea is hot.", "source": "ana", "at": AT, **values})


def edge(**values: object) -> Record:
    said = {"type": "edge", "id": "e", "from": "f", "to": "g", "relation": "updates", "by": "ana", "at": AT}
    return parse_record({**said, **values})


def by_key(record: Record, **claimed: str) -> Record:
    """A record that the key has signed, or another claim in its stead."""
    return record | {"signature": signed.sign(PRIVATE, "k", signed.claim(record, "diary") | claimed)}


@pytest.mark.parametrize("public, message, signature", RFC_8032)
def test_the_vectors_of_rfc_8032_verify_and_no_other_text_does(public: str, message: str, signature: str) -> None:
    key, said, value = b64(bytes.fromhex(public)), bytes.fromhex(message), bytes.fromhex(signature)
    assert signed.verifies(key, said, value)
    assert not signed.verifies(key, said + b"!", value)


@pytest.mark.parametrize("public, message, signature", RFC_8032)
def test_a_signature_has_one_form_alone(public: str, message: str, signature: str) -> None:
    raw = bytes.fromhex(signature)
    number = int.from_bytes(raw[32:], "little") + L
    other = raw[:32] + number.to_bytes(32, "little")
    assert not signed.verifies(b64(bytes.fromhex(public)), bytes.fromhex(message), other)


@pytest.mark.parametrize("key", SMALL)
def test_by_a_key_of_small_order_nobody_signs(key: str) -> None:
    with pytest.raises(BadKey, match=r"^is of small order, so that anybody could sign with it$"):
        check_key(bytes.fromhex(key))
    # With the neutral element as R and key, S = 0 would hold for any text.
    for r in SMALL:
        for text in (b"one", b"two", b"three"):
            assert not signed.verifies(b64(bytes.fromhex(key)), text, bytes.fromhex(r) + bytes(32))


@pytest.mark.parametrize("key", NOT_CANONICAL)
def test_a_key_is_written_in_one_way(key: str) -> None:
    with pytest.raises(BadKey, match=r"^is not written as a key is$"):
        check_key(bytes.fromhex(key))


def test_what_is_no_point_of_the_curve_is_no_key() -> None:
    with pytest.raises(BadKey, match=r"^is no point of the curve$"):
        check_key((2).to_bytes(32, "little"))
    with pytest.raises(BadKey, match=r"^has 3 bytes, not 32$"):
        check_key(b"abc")


def test_every_key_that_is_made_may_sign() -> None:
    for seed in range(50):
        raw = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32).public_key().public_bytes_raw()
        assert check_key(raw) == raw


def test_a_fact_and_an_edge_are_signed() -> None:
    for record in (fact(), fact(subject="tea", predicate="is", object="hot"), edge()):
        assert signed.holds(by_key(record), PUBLIC, "diary")
        other = Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key().public_bytes_raw()
        assert not signed.holds(by_key(record), b64(other), "diary")


def test_what_is_left_out_is_not_signed_as_empty() -> None:
    claim = signed.claim(fact(), "diary")
    assert claim == {
        "kind": "trustmem.fact",
        "version": "1",
        "space": "diary",
        "id": "f",
        "text": "Tea is hot.",
        "source": "ana",
        "at": AT,
    }
    assert not signed.holds(by_key(fact(), subject=""), PUBLIC, "diary")


@pytest.mark.parametrize(
    "claimed",
    [
        {"space": "other"},
        {"id": "g"},
        {"kind": "trustmem.edge"},
        {"version": "2"},
        {"source": "eve"},
        {"text": "Tea is cold."},
        {"at": "2026-01-01T00:00:01Z"},
        {"at": "yesterday"},
        {"object": "hot"},
        {"tier": "signed"},
    ],
)
def test_a_signature_holds_for_what_was_signed_and_nothing_else(claimed: dict[str, str]) -> None:
    assert not signed.holds(by_key(fact(), **claimed), PUBLIC, "diary")


@pytest.mark.parametrize("claimed", [{"source": "g"}, {"target": "f"}, {"relation": "extends"}, {"by": "eve"}])
def test_so_does_that_of_an_edge(claimed: dict[str, str]) -> None:
    assert not signed.holds(by_key(edge(), **claimed), PUBLIC, "diary")


def test_no_claim_says_that_an_edge_takes_something_back_or_leaves_out_who_asserts_it() -> None:
    assert signed.holds(by_key(edge()) | {"removed": True}, PUBLIC, "diary") is False
    assert signed.holds(by_key(edge() | {"by": None}), PUBLIC, "diary") is False


def test_the_same_instant_may_be_written_in_another_way() -> None:
    assert signed.holds(by_key(fact(), at="2026-01-01T01:00:00+01:00"), PUBLIC, "diary")


def test_what_is_signed_but_not_written_as_rfc_8785_has_it_does_not_hold() -> None:
    claim = signed.claim(fact(), "diary")
    for said in (
        json.dumps(claim).encode(),
        json.dumps(claim, sort_keys=True, separators=(",", ":"))[:-1].encode() + b',"text":"Tea is hot."}',
        b"[]",
        b"{",
        b"\xff",
        b"",
    ):
        value = Ed25519PrivateKey.from_private_bytes(PRIVATE).sign(said)
        record = fact() | {"signature": {"key": "k", "claim": b64(said), "value": b64(value)}}
        assert not signed.holds(record, PUBLIC, "diary")


def test_a_proof_shows_that_somebody_has_the_key_for_this_space_and_source() -> None:
    public, proof = signed.prove(PRIVATE, "diary", "ana")
    assert public == PUBLIC
    assert signed.proves(proof, "diary", "ana", public)
    assert not signed.proves(proof, "other", "ana", public)
    assert not signed.proves(proof, "diary", "eve", public)
    assert not signed.proves("no base64!", "diary", "ana", public)


@pytest.mark.parametrize("name", ["093-rotate-and-revoke", "097-escaped-or-raw"])
def test_signatures_that_others_made_over_canonical_bytes_verify(name: str) -> None:
    given = json.loads((CASES / f"{name}.vector.json").read_text("utf-8"))
    for each in given.get("facts", [given]):
        said, key = signed.signed_bytes(each["claim"]), b64(bytes.fromhex(each["key"]))
        assert signed.verifies(key, said, bytes.fromhex(each["signature"]))
    if "jcs_utf8_hex" in given:
        assert signed.signed_bytes(given["claim"]).hex() == given["jcs_utf8_hex"]


def test_091_what_has_a_key_twice_is_read_nowhere_be_it_that_the_last_of_them_would_verify() -> None:
    given = json.loads((CASES / "091-same-key-twice.vector.json").read_text("utf-8"))
    right = given["last_wins_would_verify"]
    key, value = b64(bytes.fromhex(right["key"])), bytes.fromhex(right["signature"])
    assert signed.verifies(key, signed.signed_bytes(right["claim"]), value)
    for body in given["bodies"]:
        with pytest.raises(strict_json.StrictJSONError, match=r'^has the key "text" twice$'):
            strict_json.loads(body.encode())
