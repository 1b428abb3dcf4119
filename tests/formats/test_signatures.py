"""Which signatures of a file count, by the keys that it brings."""

import json
from typing import Any

import pytest

from tests.formats.test_signed import PRIVATE, PUBLIC
from trustmem.core.lines import Edge, Fact
from trustmem.formats import signed
from trustmem.formats.interchange import read
from trustmem.formats.interchange_types import parse_record
from trustmem.formats.signatures import counted

AT = "2026-01-05T00:00:00Z"
SPACE = {"type": "space", "id": "diary", "at": AT}
KEY = {"type": "key", "id": "k", "source": "ana", "public": PUBLIC, "at": "2026-01-01T00:00:00Z"}
FACT = {"type": "fact", "id": "f", "text": "Tea is hot.", "source": "ana", "at": AT}
EDGE = {"type": "edge", "id": "e", "from": "f", "to": "g", "relation": "updates", "by": "ana", "at": AT}
REVOKED = {"type": "event", "id": "r", "kind": "revoked", "of": "k", "reason": "lost", "at": "2026-01-04T00:00:00Z"}


def by_key(line: dict[str, Any]) -> dict[str, Any]:
    return line | {"signature": signed.sign(PRIVATE, "k", signed.claim(parse_record(line), "diary"))}


def verdicts(*lines: dict[str, Any]) -> dict[str, bool | None]:
    found = counted(read([json.dumps(each).encode() for each in lines]))
    return {each.id: each.signature for each in found if isinstance(each, Fact | Edge)}


def test_what_a_key_of_the_file_signed_counts_wherever_that_stands() -> None:
    other = {**FACT, "id": "g"}
    assert verdicts(by_key(FACT), other, by_key(EDGE), KEY, SPACE) == {"f": True, "g": None, "e": True}


@pytest.mark.parametrize(
    "lines, counts",
    [
        ((SPACE,), False),
        ((KEY,), False),
        ((SPACE | {"id": "other"}, KEY), False),
        ((SPACE, KEY | {"source": "eve"}), False),
        ((SPACE, KEY | {"at": "2026-01-06T00:00:00Z"}), False),
        ((SPACE, KEY | {"valid_to": AT}), False),
        ((SPACE, KEY | {"valid_to": "2026-01-05T00:00:01Z"}), True),
        ((SPACE, KEY, REVOKED), False),
        ((SPACE, KEY, REVOKED | {"at": "2026-01-06T00:00:00Z"}), True),
        ((SPACE, KEY, REVOKED | {"at": "2026-01-06T00:00:00Z", "reason": "compromised"}), False),
        (
            (SPACE, KEY, REVOKED | {"act": "a"}, {"type": "event", "id": "u", "kind": "undone", "of": "a", "at": AT}),
            True,
        ),
    ],
)
def test_what_its_key_does_not_stand_for_does_not_count(lines: tuple[dict[str, Any], ...], counts: bool) -> None:
    assert verdicts(*lines, by_key(FACT)) == {"f": counts}
