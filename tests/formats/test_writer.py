"""What is written is read again as what it was."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.instants import to_text
from trustmem.core.vocabulary import CHANNELS, FACT_EVENTS, OF_EVENTS, OUTCOMES, PRODUCERS, RELATIONS, SCOPES
from trustmem.formats import interchange, strict_json
from trustmem.formats.fields import Field, instant
from trustmem.formats.interchange_types import FIELDS, Record, parse_record
from trustmem.formats.writer import line

VECTORS = Path(__file__).parent.parent / "vectors"
SCENARIOS = sorted((VECTORS / "scenarios").glob("*.jsonl"))
AT = "2026-01-05T08:09:10Z"
LATER = "2026-02-01T00:00:00Z"


def written(**fields: Any) -> dict[str, Any]:
    """What is written of a line that is read."""
    record = parse_record({name.rstrip("_"): value for name, value in fields.items()})
    return json.loads(line(record))


# What a line looks like


def test_a_line_has_its_type_first_and_an_end():
    raw = line(parse_record({"text": "Ça va\n.", "at": AT, "id": "f", "type": "fact"}))
    assert raw == '{"type":"fact","id":"f","at":"2026-01-05T08:09:10Z","text":"Ça va\\n."}\n'.encode()


def test_fields_stand_in_the_order_of_the_table_whatever_order_they_came_in():
    line = {"note": "n", "to": "g", "from": "f", "relation": "updates", "act": "a", "at": AT, "id": "e"}
    assert list(written(type="edge", **line)) == ["type", "id", "at", "act", "from", "to", "relation", "note"]


def test_what_is_so_by_default_is_left_out():
    plain = {"type": "fact", "id": "f", "at": AT, "text": "x"}
    assert written(**plain, source="unknown", core=False, scope="session", at_known=True, baseline={}) == plain
    other = {"source": "ana", "core": True, "scope": "global", "at_known": False, "baseline": {"uses": 1}}
    assert written(**plain, **other) == plain | other


def test_arrived_is_written_only_where_it_differs():
    assert "arrived" not in written(type="pass", at=AT, arrived="2026-01-05T09:09:10.000+01:00")
    assert written(type="pass", at=AT, arrived=LATER) == {"type": "pass", "at": AT, "arrived": LATER}


def test_instants_are_written_in_utc_to_the_microsecond_wherever_they_stand():
    offset, utc = "2026-01-05T09:09:10.000001+01:00", "2026-01-05T08:09:10.000001Z"
    fact = written(
        **{"type": "fact", "id": "f", "text": "x", "at": offset},
        **{"valid_from": offset, "valid_to": offset, "baseline": {"first_seen": offset}},
    )
    assert [fact[name] for name in ("at", "valid_from", "valid_to")] == [utc] * 3
    assert fact["baseline"] == {"first_seen": utc}
    assert written(type="key", id="k", source="s", public=_public(bytes(32)), at=AT, valid_to=offset)["valid_to"] == utc


def test_the_first_instant_of_all_is_an_instant_like_any_other():
    epoch = "1970-01-01T00:00:00Z"
    fact = {"type": "fact", "id": "f", "at": epoch, "text": "x", "valid_to": epoch, "baseline": {"first_seen": epoch}}
    assert written(**fact) == fact


def test_an_erased_fact_travels_with_its_digest_in_place_of_its_texts():
    erased = {"type": "fact", "id": "f", "at": AT, "source": "ana", "erased": True, "digest": "d1"}
    assert written(**erased) == erased


def test_a_pass_has_no_id_but_its_instant():
    assert written(type="pass", at=AT) == {"type": "pass", "at": AT}


# Laws

_IDS = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=12)
_SAFE = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
_TEXTS = st.text(_SAFE, min_size=1, max_size=20)
_EMPTY_TOO = st.text(_SAFE, max_size=20)
_INSTANTS = st.builds(to_text, st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999))
_COUNTS = st.integers(0, 1_000_000_000)
_NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1) | st.floats(allow_nan=False, allow_infinity=False)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _EMPTY_TOO,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_EMPTY_TOO, inner, max_size=3),
    max_leaves=6,
)
_OBJECTS = st.dictionaries(_EMPTY_TOO, _VALUES, max_size=3)
_TIERS = st.sampled_from(["auto", "human"])


def _encoded(length: int) -> st.SearchStrategy[str]:
    return st.binary(min_size=length, max_size=length).map(lambda raw: base64.b64encode(raw).decode())


def _public(private: bytes) -> str:
    raw = Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()
    return base64.b64encode(raw).decode()


_PUBLIC = st.binary(min_size=32, max_size=32).map(_public)
_SIGNATURES = st.fixed_dictionaries({"key": _IDS, "claim": _encoded(9), "value": _encoded(64)})
_BASELINES = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("evidence", "contradictions", "uses", "reinforcements"), _COUNTS)
    | {"first_seen": _INSTANTS},
)
_WEIGHTS = st.floats(0, 1) | st.integers(0, 1)
_VALUES_OF: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "space": {"name": _EMPTY_TOO, "digest_key": _TEXTS},
    "constants": {"version": st.integers(1, 9), "values": _OBJECTS, "author": _IDS, "reason": _EMPTY_TOO},
    "key": {"source": _IDS, "public": _PUBLIC, "valid_to": _INSTANTS},
    "entity": {"name": _TEXTS, "kind": _EMPTY_TOO},
    "fact": {
        **{"at_known": st.booleans(), "source": _IDS, "run": _IDS, "producer": st.sampled_from(PRODUCERS)},
        **{"core": st.booleans(), "scope": st.sampled_from(SCOPES), "tier": _TIERS},
        **{"valid_from": _INSTANTS, "valid_to": _INSTANTS, "prior": st.floats(-1, 2), "weight": _WEIGHTS},
        **{"baseline": _BASELINES},
    },
    "link": {"from": _IDS, "to": _IDS, "relation": _TEXTS, "from_name": _TEXTS, "to_name": _TEXTS, "source": _IDS},
    "edge": {
        **{"from": _IDS, "to": _IDS, "relation": st.sampled_from(RELATIONS), "run": _IDS, "by": _IDS},
        **{"tier": _TIERS, "signature": _SIGNATURES, "removed": st.booleans(), "note": _EMPTY_TOO},
    },
    "event": {"run": _IDS, "source": _IDS, "tier": _TIERS, "note": _EMPTY_TOO},
    "feedback": {
        **{"fact": _IDS, "outcome": st.sampled_from(OUTCOMES), "run": _IDS, "source": _IDS, "tier": _TIERS},
        **{"confirmed": st.booleans(), "note": _EMPTY_TOO},
        **{"signals": st.fixed_dictionaries({}, optional=dict.fromkeys(CHANNELS, _WEIGHTS))},
    },
    "tombstone": {"digest": _IDS, "by": _IDS, "reason": _EMPTY_TOO},
    "case": {"kind": _TEXTS, "facts": st.lists(_IDS, max_size=3), "factors": _OBJECTS, "constants_version": st.just(1)},
    "pass": {},
}
_TEXTS_OF_A_FACT: dict[str, st.SearchStrategy[Any]] = {
    **{"subject": _EMPTY_TOO, "predicate": _EMPTY_TOO, "object": _EMPTY_TOO},
    **{"entities": st.lists(_IDS, max_size=3), "tags": st.lists(_TEXTS, max_size=3)},
    **{"meta": _OBJECTS, "signature": _SIGNATURES},
}
_REQUIRED_TOO = {
    "fact": [
        ({"text": _TEXTS}, _TEXTS_OF_A_FACT),
        ({"erased": st.just(True), "digest": _IDS}, {}),
    ],
    "event": [
        ({"kind": st.sampled_from(FACT_EVENTS), "fact": _IDS}, {}),
        ({"kind": st.sampled_from([kind for kind in OF_EVENTS if kind != "revoked"]), "of": _IDS}, {}),
        ({"kind": st.just("closed"), "of": _IDS}, {"verdict": _EMPTY_TOO, "reason": _EMPTY_TOO}),
        ({"kind": st.just("revoked"), "of": _IDS, "reason": st.sampled_from(["lost", "compromised"])}, {}),
    ],
}


@st.composite
def _given_lines(draw: st.DrawFn) -> dict[str, Any]:
    """A line of any type as it may stand in a file."""
    type = draw(st.sampled_from(sorted(FIELDS)))
    required, more = draw(st.sampled_from(_REQUIRED_TOO.get(type, [({}, {})])))
    values = _VALUES_OF[type] | more | {"arrived": _INSTANTS, "act": _IDS}
    asked = {name: values.pop(name) for name, field in FIELDS[type].items() if field.required and name in values}
    always = {"type": st.just(type), "at": _INSTANTS} | ({} if type == "pass" else {"id": _IDS})
    return draw(st.fixed_dictionaries(always | asked | required, optional=values))


def read_again(record: Record) -> Record:
    return parse_record(strict_json.loads(line(record)))


@given(_given_lines())
def test_what_is_written_of_a_record_is_read_as_that_record(given_line):
    record = parse_record(given_line)
    again = read_again(record)
    assert again == record
    assert repr(again) == repr(record)  # to Python True == 1 == 1.0
    assert line(again) == line(record)
    assert line(record).count(b"\n") == 1


def test_the_law_draws_every_field_of_every_type():
    drawn = {
        type: {"type", "at", "arrived", "act"} | ({"id"} & FIELDS[type].keys()) | values.keys()
        for type, values in _VALUES_OF.items()
    }
    for type, variants in _REQUIRED_TOO.items():
        drawn[type] |= {name for variant in variants for values in variant for name in values}
    assert drawn == {type: set(fields) for type, fields in FIELDS.items()}


def test_every_instant_of_the_table_is_told_by_its_parser():
    names = {name for table in FIELDS.values() for name, field in table.items() if _is_instant(field)}
    assert names == {"at", "arrived", "valid_from", "valid_to"}


def _is_instant(field: Field) -> bool:
    return field.parse is instant


# Whole files


def assert_reads_the_same(raw_lines: list[bytes]) -> None:
    first = interchange.read(raw_lines)
    again = interchange.read(line(record) for record in first.records.values())
    assert again.records == first.records
    assert again.lines == first.lines
    assert [each.arrived for each in again.lines] == [each.arrived for each in first.lines]
    assert again.passes == first.passes
    assert again.balance["refused"] == again.balance["rejected"] == again.balance["known"] == 0
    assert again.balance["waiting"] == first.balance["waiting"]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_scenario_is_written_as_it_was_read(path):
    assert_reads_the_same(path.read_bytes().splitlines(keepends=True))


def test_the_sample_is_written_as_it_was_read():
    sample = Path(__file__).parents[2] / "trustmem" / "samples" / "assistant.jsonl"
    assert_reads_the_same(sample.read_bytes().splitlines(keepends=True))


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["endoflife.jsonl.gz", "factbook.jsonl.gz", "public-apis.jsonl.gz"])
def test_a_real_history_is_written_as_it_was_read(realdata, name):
    assert_reads_the_same(gzip.decompress((realdata / "interchange" / name).read_bytes()).splitlines(keepends=True))
