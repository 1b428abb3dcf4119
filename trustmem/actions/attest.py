"""Attesting: what verifying a space found is signed, so that it can be kept elsewhere and checked without us.

Whoever can write the database can make another history that is whole in itself; but none that goes on from a head that
was attested and is kept elsewhere.
"""

import base64
import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from trustmem.actions import instance, verify
from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_text
from trustmem.formats import strict_json
from trustmem.formats.fields import (
    FieldError,
    Fields,
    encoded,
    identifier,
    instant,
    list_of,
    nested,
    parse_object,
    required,
    text,
    whole,
    word,
)
from trustmem.store.models import Line, Space

#: More of what was found is counted, and not told.
MOST_FOUND = 1000
#: What was looked at: that lines and texts are as they were written, and what is stored beside them.
LINES, FOLDS = "lines", "folds"
_KIND, _VERSION = "trustmem.verification", "1"
_COUNT = whole(0, (1 << 53) - 1)
_FIELDS: Fields = {
    "kind": required(word((_KIND,))),
    "version": required(word((_VERSION,))),
    "program": required(text),
    "space": required(identifier),
    "at": required(instant),
    "head": required(nested({"position": required(_COUNT), "digest": required(identifier)}, "a head")),
    "lines": required(_COUNT),
    "checked": required(list_of(word((LINES, FOLDS)))),
    "found": required(list_of(text)),
    "problems": required(_COUNT),
    "public": required(encoded(32)),
    "signature": required(encoded(64)),
}


def _unwatched(position: int) -> None:
    pass


class Report(NamedTuple):
    """What a report says, and which key has signed it."""

    space: str
    at: int
    position: int
    digest: str
    lines: int
    checked: list[str]
    found: list[str]
    problems: int
    fingerprint: str


class NoReport(Refusal):
    """Some bytes are no report of ours, or its signature does not hold."""


class Found(NamedTuple):
    """What was looked at (`checked`), what is wrong with it, and the head up to which that holds."""

    position: int
    digest: str
    checked: list[str]
    findings: list[str]


def look(
    space: Space, *, rebuild: bool = False, since: Report | None = None, watch: Callable[[int], None] = _unwatched
) -> Found:
    """Verify the lines of a space. `rebuild` also compares what is stored beside them, and `since` also whether it goes
    on from what was attested before; `watch` is told how many lines were looked at."""
    findings = verify.lines(space, watch)
    position, digest, checked = space.head_position, space.head_digest, [LINES]
    if since:
        findings += goes_on_from(space, since)
    if rebuild:
        findings, checked = verify.compared(space, findings), [*checked, FOLDS]
    return Found(position, digest, checked, findings)


def attest(space: Space, *, now: int, **how: Any) -> tuple[Found, bytes]:
    """What `look` found, and the report of it, signed. Raises Refusal where there is no key to sign with."""
    key = instance.key()  # rather than find out at the end that there is none
    found = look(space, **how)
    told = {
        "kind": _KIND,
        "version": _VERSION,
        "program": f"trustmem {version('trustmem-desk')}",
        "space": space.name,
        "at": to_text(now),
        "head": {"position": found.position, "digest": found.digest},
        "lines": found.position,
        "checked": found.checked,
        "found": found.findings[:MOST_FOUND],
        "problems": len(found.findings),
        "public": base64.b64encode(instance.public(key)).decode(),
    }
    signature = base64.b64encode(key.sign(signed_bytes(told))).decode()
    return found, json.dumps({**told, "signature": signature}, ensure_ascii=False, indent=1).encode() + b"\n"


def signed_bytes(told: Mapping[str, Any]) -> bytes:
    """What a signature is over: RFC 8785, canonical JSON. Raises Refusal for what has none.

    >>> signed_bytes({"b": 1.0, "a": "é", "c": 1e-7}).decode()
    '{"a":"é","b":1,"c":1e-7}'
    """
    try:
        return rfc8785.dumps(dict(told))
    except rfc8785.CanonicalizationError:
        raise Refusal("it holds a number that has no one way to be written, and so cannot be signed") from None


def check(raw: bytes) -> Report:
    """What a report says whose signature holds; no database is asked. Raises NoReport where it does not, or where the
    bytes are none."""
    try:
        told = strict_json.loads(raw)
        given = parse_object(told, _FIELDS, "a report")
    except (strict_json.StrictJSONError, FieldError) as error:
        raise NoReport(f"this is no report of trustmem verify: it {error}") from None
    public = base64.b64decode(given["public"])
    unsigned = {name: value for name, value in told.items() if name != "signature"}
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(base64.b64decode(given["signature"]), signed_bytes(unsigned))
    except (InvalidSignature, ValueError):
        raise NoReport("the signature does not hold: the report was changed since it was signed") from None
    told_of = {name: given[name] for name in Report._fields if name in given}
    return Report(**told_of, **given["head"], fingerprint=instance.fingerprint(public))


def goes_on_from(space: Space, report: Report) -> list[str]:
    """What is wrong with a space against what was attested before: nothing, if it still has the head of then, and so
    all that came before that; lines may have come since."""
    if report.space != space.name:
        return [f'the report is of the space "{report.space}", and this is "{space.name}"']
    if not report.position:
        return []
    line = Line.objects.filter(space=space, position=report.position).first()
    then = f"line {report.position}, the head at {to_text(report.at)}"
    if line is None:
        return [f"{then}, is missing: the end was cut off"]
    return [] if line.digest == report.digest else [f"{then}, is another one now: the lines up to there were replaced"]
