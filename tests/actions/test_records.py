"""What of a line stands in Line for good, and what in its Text, which alone can be erased."""

import base64
import json

import pytest

from tests.actions.world import taken
from trustmem.actions import exports, spaces
from trustmem.formats import fields
from trustmem.formats.interchange_types import FIELDS, FREE
from trustmem.store.models import Case, Line, Text

pytestmark = pytest.mark.django_db

#: Not that of test_erase: what a test takes back stays in the files of the database for a while.
SECRET = "MADDER-13"
AT = "2026-01-05T09:00:00Z"
CLAIM = base64.b64encode(f"it says {SECRET}".encode()).decode()
PUBLIC = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="  # RFC 8032, 7.1, test 1
SIGNATURE = {"key": "k", "claim": CLAIM, "value": base64.b64encode(b"0" * 64).decode()}
#: Every field of every type in which people and agents write what they like.
FREE_LINES = [
    {"type": "space", "id": "diary", "name": SECRET},
    {"type": "constants", "id": "c2", "version": 2, "values": {"prior_weight": 3}, "reason": SECRET},
    {"type": "key", "id": "k", "source": "ana", "public": PUBLIC},
    {"type": "entity", "id": "n", "name": SECRET, "kind": SECRET},
    {
        **{"type": "fact", "id": "f", "text": SECRET, "subject": SECRET, "predicate": SECRET, "object": SECRET},
        **{"entities": [SECRET], "tags": [SECRET], "meta": {SECRET: SECRET}, "signature": SIGNATURE},
    },
    {"type": "link", "id": "l", "from": "n", "to": "o", "relation": SECRET, "from_name": SECRET, "to_name": SECRET},
    {"type": "fact", "id": "g", "text": "It rains."},
    {
        **{"type": "edge", "id": "e", "from": "f", "to": "g", "relation": "updates"},
        **{"note": SECRET, "signature": SIGNATURE},
    },
    {"type": "event", "id": "v", "kind": "restated", "fact": "f", "note": SECRET},
    {"type": "feedback", "id": "b", "fact": "f", "outcome": "helpful", "note": SECRET},
    {"type": "tombstone", "id": "t", "digest": "0f", "by": "ana", "reason": SECRET},
    {"type": "case", "id": "q", "kind": SECRET, "facts": ["f"], "factors": {SECRET: SECRET}},
    {"type": "event", "id": "z", "kind": "closed", "of": "q", "verdict": SECRET, "reason": SECRET, "note": SECRET},
    # Not understood, not allowed, and of no use any more.
    {"type": "fact", "id": "x", "text": "It rains.", SECRET: 1},
    {"type": "edge", "id": "y", "from": "f", "to": "f", "relation": "updates", "note": SECRET},
    {"type": "constants", "id": "c3", "version": 3, "values": {"reconfirm_boost": SECRET}},
]


def as_lines(records):
    return [json.dumps({"at": AT, **each}).encode() + b"\n" for each in records]


def test_a_line_holds_no_free_text():
    space = taken(spaces.create("diary"), as_lines(FREE_LINES))
    rows = {row["name"]: str(row) for row in Line.objects.filter(space=space).values()}
    assert len(rows) > len(FREE_LINES)
    assert [name for name, row in rows.items() if SECRET in row or CLAIM in row] == []


def test_what_is_free_in_a_line_is_all_in_its_text_and_in_an_export():
    space = taken(spaces.create("diary"), as_lines(FREE_LINES))
    exported = {each["id"]: each for each in map(json.loads, exports.export(space))}
    assert exported["diary"].pop("digest_key") == space.digest_key
    for given in FREE_LINES[:13]:
        assert exported[given["id"]] == {"at": AT, **given}


def test_whatever_takes_any_text_stands_in_the_text_of_its_line():
    any_text = (fields.text, fields.maybe_empty, fields.free_object)
    taking = {(type, name) for type in FIELDS for name, field in FIELDS[type].items() if field.parse in any_text}
    # Constants are numbers by name, a key for digests is in hexadecimal digits; both are refused otherwise.
    taking -= {("constants", "values"), ("space", "digest_key")}
    composed = {("fact", "entities"), ("fact", "tags"), ("fact", "signature"), ("edge", "signature")}
    assert {(type, name) for type, names in FREE.items() for name in names} == taking | composed


def test_the_reason_of_a_revocation_is_no_free_text_and_stands_in_the_line():
    key = {"type": "key", "id": "k", "source": "ana", "public": PUBLIC}
    gone = {"type": "event", "id": "r", "kind": "revoked", "of": "k", "reason": "compromised", "note": SECRET}
    space = taken(spaces.create("diary"), as_lines([key, gone]))
    line = Line.objects.get(space=space, name="r")
    assert json.loads(line.body) == {"of": "k", "reason": "compromised"}
    assert json.loads(Text.objects.get(space=space, position=line.position).body) == {"note": SECRET}


def test_the_key_of_a_signature_stays_known_in_the_line():
    space = taken(spaces.create("diary"), as_lines(FREE_LINES))
    body = json.loads(Line.objects.get(space=space, name="f").body)
    assert body == {"signed_by": "k"}


def test_a_case_has_what_was_written_of_it():
    space = taken(spaces.create("diary"), as_lines(FREE_LINES))
    case = Case.objects.get(space=space, name="q")
    assert (case.kind, json.loads(case.factors), case.verdict) == (SECRET, {SECRET: SECRET}, SECRET)
