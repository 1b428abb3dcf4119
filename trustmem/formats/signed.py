"""Signed claims: what a key signs, and whether a signature holds (section 5).

A signature is Ed25519 over the RFC 8785 canonical JSON of a claim. The signed bytes travel as they are, are what is
verified, and say what was signed: a line that says something else is signed by nobody.
"""

import base64
from collections.abc import Mapping

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from trustmem.core.instants import to_text
from trustmem.formats import rfc3339, strict_json
from trustmem.formats.interchange_types import Record
from trustmem.formats.public_keys import BadKey, check_key

VERSION = "1"
#: What is signed, by the type of line: the fields of a claim, each with that of the line.
_FIELDS: Mapping[str, Mapping[str, str]] = {
    "fact": {"id": "id", "text": "text", "source": "source"}
    | {name: name for name in ("subject", "predicate", "object")},
    "edge": {"id": "id", "source": "from", "target": "to", "relation": "relation", "by": "by"},
}


def claim(record: Record, space: str) -> dict[str, str]:
    """What there is to sign of a fact or an edge of a space: texts, those that are absent or empty left out.

    >>> claim({"type": "fact", "id": "f", "text": "Tea.", "source": "ana", "at": 0}, "diary")["at"]
    '1970-01-01T00:00:00Z'
    """
    fields = _FIELDS[record["type"]]
    said = {name: record.get(field) for name, field in fields.items()}
    common = {"kind": f"trustmem.{record['type']}", "version": VERSION, "space": space, "at": to_text(record["at"])}
    return common | {name: value for name, value in said.items() if value}


def possession(space: str, source: str, public: str) -> dict[str, str]:
    """What whoever registers a key signs with it, to show that they have it; `public` is base64."""
    return {"kind": "trustmem.key", "version": VERSION, "space": space, "source": source, "public": public}


def signed_bytes(claim: Mapping[str, str]) -> bytes:
    """A claim as RFC 8785 writes it.

    >>> signed_bytes({"b": "é", "a": "1"}).decode()
    '{"a":"1","b":"é"}'
    """
    return rfc8785.dumps(dict(claim))


def sign(private: bytes, key: str, claim: Mapping[str, str]) -> dict[str, str]:
    """The signature of a claim as a line has it, by a private key (32 bytes) that is registered under a name."""
    said = signed_bytes(claim)
    value = Ed25519PrivateKey.from_private_bytes(private).sign(said)
    return {"key": key, "claim": _base64(said), "value": _base64(value)}


def holds(record: Record, public: str, space: str) -> bool:
    """Whether the signature of a fact or an edge is that of a key (base64) and says what the line says, of this space.
    Whether that key counts is for others to say. No claim says that an edge takes something back, nor leaves out who
    asserts it."""
    signature = record["signature"]
    said = base64.b64decode(signature["claim"])
    return (
        not record.get("removed")
        and (record["type"] == "fact" or record["by"] is not None)
        and _says(said, record, space)
        and verifies(public, said, base64.b64decode(signature["value"]))
    )


def verifies(public: str, said: bytes, signature: bytes) -> bool:
    """Whether some bytes are signed by a key (base64) that may sign."""
    try:
        key = check_key(base64.b64decode(public))
        Ed25519PublicKey.from_public_bytes(key).verify(signature, said)
    except (BadKey, InvalidSignature, ValueError):
        return False
    return True


def proves(proof: str, space: str, source: str, public: str) -> bool:
    """Whether somebody who registers a key (base64) for a source has it: by their signature (base64) of that."""
    try:
        signature = base64.b64decode(proof, validate=True)
    except ValueError:
        return False
    return verifies(public, signed_bytes(possession(space, source, public)), signature)


def prove(private: bytes, space: str, source: str) -> tuple[str, str]:
    """The public key of a private one (32 bytes), and the proof that somebody has it; both in base64."""
    key = Ed25519PrivateKey.from_private_bytes(private)
    public = _base64(key.public_key().public_bytes_raw())
    return public, _base64(key.sign(signed_bytes(possession(space, source, public))))


def _says(said: bytes, record: Record, space: str) -> bool:
    """Whether signed bytes are the one way to write what a line says. How its time is written is the signer's to say,
    as long as it is the same instant."""
    try:
        given = strict_json.loads(said)
        at = rfc3339.parse(given["at"])
    except (ValueError, KeyError, TypeError):
        return False
    return at == record["at"] and said == signed_bytes(claim(record, space) | {"at": given["at"]})


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
