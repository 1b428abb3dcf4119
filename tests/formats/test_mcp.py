"""MCP memory files: what the agents' own knowledge graphs come to here."""

import json
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.fold import fold
from trustmem.core.lines import Fact
from trustmem.formats import interchange, mcp
from trustmem.formats.fields import FieldError
from trustmem.formats.interchange import Reading
from trustmem.formats.rfc3339 import parse
from trustmem.formats.writer import line

CASES = Path(__file__).parent.parent / "cases"
NOW = parse("2026-05-04T12:00:00Z")
THEN = "2025-04-03T02:01:00Z"


def read(*values: Any, source: str = "notes", now: int = NOW) -> Reading:
    """The reading of lines given as bytes, or as what they are in JSON."""
    raw = [value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n" for value in values]
    return mcp.read(raw, source, now=now)


def read_file(path: Path, source: str = "notes") -> Reading:
    return mcp.read(path.read_bytes().splitlines(keepends=True), source, now=NOW)


def read_case(name: str) -> Reading:
    return read_file(CASES / f"{name}.jsonl")


def entity(name: str, *observations: Any, **more: Any) -> dict[str, Any]:
    return {"type": "entity", "name": name, "entityType": "service", "observations": list(observations), **more}


def relation(from_: str, to: str, says: str = "feeds", **more: Any) -> dict[str, Any]:
    return {"type": "relation", "from": from_, "to": to, "relationType": says, **more}


def texts(reading: Reading) -> list[str]:
    return [fact["text"] for fact in reading.facts.values()]


def of_type(reading: Reading, type: str) -> list[dict[str, Any]]:
    return [record for record in reading.records.values() if record["type"] == type]


def answers(reading: Reading) -> list[tuple[int, str | None, str]]:
    return [(answer.number, answer.type, answer.status) for answer in reading.answers]


def rejected(reading: Reading) -> list[str]:
    return [str(answer) for answer in reading.answers if answer.status == "rejected"]


def dangling(*readings: Reading) -> list[dict[str, Any]]:
    """Links with an end that none of these readings has an entity for."""
    records = {id: record for reading in readings for id, record in reading.records.items()}
    links = [record for record in records.values() if record["type"] == "link"]
    return [link for link in links if not {link["from"], link["to"]} <= records.keys()]


# What becomes of what


def test_an_observation_is_a_fact_about_its_entity_for_good():
    (fact,) = read(entity("pump-1", "Pump one runs at night.")).facts.values()
    assert fact["text"] == "Pump one runs at night."
    assert (fact["subject"], fact["entities"], fact["scope"]) == ("pump-1", ["pump-1"], "global")
    assert (fact["source"], fact["run"], fact["producer"], fact["tier"]) == ("notes", None, "unknown", "auto")


def test_an_entity_is_an_entity_and_a_relation_a_link_between_the_ids_of_two():
    reading = read(entity("pump-1"), entity("pump-9"), relation("pump-1", "pump-9"))
    first, second = of_type(reading, "entity")
    (link,) = of_type(reading, "link")
    assert (first["name"], first["kind"]) == ("pump-1", "service")
    assert (link["from"], link["to"], link["relation"]) == (first["id"], second["id"], "feeds")
    assert link["source"] == "notes"


def test_a_link_says_what_its_ends_are_called_since_they_may_never_come():
    (link,) = of_type(read(relation("pump-1", "pump-9")), "link")
    assert (link["from_name"], link["to_name"]) == ("pump-1", "pump-9")


def test_the_core_gets_the_facts():
    reading = read(entity("pump-1", {"text": "It runs.", "timestamp": THEN}), relation("pump-1", "pump-9"))
    (fact,) = reading.facts.values()
    at = parse(THEN)
    assert reading.lines == [Fact(id=fact["id"], at=at, arrived=at, source="notes", scope="global")]
    assert fold(reading.lines, reading.passes)


def test_every_record_is_a_line_of_an_interchange_file():
    reading = read(entity("a", {"text": "A.", "timestamp": THEN, "version": "1.0"}, "B."), relation("a", "b"))
    again = interchange.read(line(record) for record in reading.records.values())
    assert again.records == reading.records
    assert again.balance["new"] == 4


def test_the_answers_add_up_to_entities_observations_relations_and_lines_that_are_none():
    reading = read(
        entity("a", "A.", "A.", ""),
        entity("a", "A.", "B."),
        b"\n",
        {"type": "_aim", "source": "some-tool"},
        relation("a", "b"),
        relation("a", "b"),
        {"text": "Of nothing."},
    )
    assert answers(reading) == [
        (1, "entity", "new"),
        (1, "fact", "new"),
        (1, "fact", "known"),
        (1, "fact", "rejected"),
        (2, "entity", "known"),
        (2, "fact", "known"),
        (2, "fact", "new"),
        (5, "link", "new"),
        (6, "link", "known"),
        (7, None, "rejected"),
    ]
    assert reading.balance == {"new": 4, "known": 4, "refused": 0, "waiting": 0, "rejected": 2}


def test_a_file_of_nothing_has_no_answers():
    assert read().answers == read(b"\n", b"").answers == read(b'{"entities": [], "relations": []}').answers == []


# Time


def test_without_a_time_a_fact_was_first_seen_at_the_import_and_its_age_is_unknown():
    (fact,) = read(entity("a", "A.")).facts.values()
    assert (fact["at"], fact["at_known"]) == (NOW, False)


@pytest.mark.parametrize("name", ["timestamp", "createdAt", "created_at"])
def test_with_a_time_a_fact_was_born_then(name):
    (fact,) = read(entity("a", {"text": "A.", name: THEN})).facts.values()
    assert (fact["at"], fact["at_known"]) == (parse(THEN), True)


def test_when_an_entity_was_created_is_its_time_and_not_that_of_what_was_added_to_it_later():
    reading = read(entity("a", "A.", createdAt=THEN), relation("a", "b", createdAt=THEN))
    ats = {record["type"]: record["at"] for record in reading.records.values()}
    assert ats == {"entity": parse(THEN), "fact": NOW, "link": parse(THEN)}
    assert [fact["at_known"] for fact in reading.facts.values()] == [False]


def test_a_time_without_an_offset_is_read_as_utc_and_that_is_said():
    reading = read(entity("a", *({"text": text, "timestamp": "2025-04-03T02:01:00"} for text in ("A.", "B."))))
    assert {fact["at"] for fact in reading.facts.values()} == {parse(THEN)}
    assert reading.notices == ["a time without a UTC offset was read as UTC (2 times)"]


@pytest.mark.parametrize("time", ["yesterday", 1767225600, "2025-02-30T00:00:00Z", True])
def test_a_time_that_is_none_rejects_the_observation_and_never_becomes_another(time):
    reading = read(entity("a", {"text": "A.", "timestamp": time}, "B."))
    assert texts(reading) == ["B."]
    assert rejected(reading)[0].startswith('line 1: "observations.0.timestamp" ')


# Identity


def test_ids_are_the_same_wherever_and_whenever_a_thing_is_told():
    first = read(entity("a", "A."), relation("a", "b"))
    second = read(relation("a", "b"), entity("a", {"text": "A.", "timestamp": THEN}), source="other", now=0)
    assert first.records.keys() == second.records.keys()
    assert all(id.startswith("mcp-") and len(id) == 28 for id in first.records)


def test_composed_and_decomposed_letters_are_one_thing_and_the_text_as_it_came_first_is_kept():
    composed, decomposed = (unicodedata.normalize(form, "Café") for form in ("NFC", "NFD"))
    reading = read(entity(decomposed, decomposed), entity(composed, composed))
    assert reading.balance["known"] == 2
    assert texts(reading) == [decomposed]


def test_what_differs_in_entity_or_text_is_another_fact_and_no_name_runs_into_a_text():
    reading = read(entity("a", "bc", "Bc"), entity("ab", "c"), entity("b", "bc"))
    assert len(reading.facts) == 4


def test_an_entity_of_another_kind_is_known_and_that_is_said():
    reading = read(entity("a"), entity("a", entityType="person"))
    assert [record["kind"] for record in of_type(reading, "entity")] == ["service"]
    assert reading.notices == ['"a" is told again as another kind of entity; the first holds']


def test_said_again_by_another_source_a_fact_is_a_restated_event_and_by_its_own_nothing():
    (fact,) = read(entity("a", {"text": "A.", "timestamp": THEN}), source="other").facts.values()
    event = mcp.restatement(fact, "notes")
    assert event is not None
    assert (event["kind"], event["fact"], event["source"], event["at"]) == (
        *("restated", fact["id"], "other"),
        parse(THEN),
    )
    assert mcp.restatement(fact, "other") is None


def test_a_source_restates_a_fact_once_however_often_it_is_read_and_each_source_for_itself():
    def restated(source: str, now: int) -> str:
        (fact,) = read(entity("a", "A."), source=source, now=now).facts.values()
        event = mcp.restatement(fact, "notes")
        assert event is not None
        return event["id"]

    assert restated("other", NOW) == restated("other", NOW + 1)
    assert restated("other", NOW) != restated("third", NOW)


def test_a_restated_event_counts_as_a_second_source():
    first, second = read(entity("a", "A.")), read(entity("a", "A."), source="other")
    (fact,) = second.facts.values()
    event = mcp.restatement(fact, "notes")
    assert event is not None
    both = interchange.read(line(record) for record in [*first.records.values(), event])
    assert both.balance["new"] == 3


# What other tools call it


@pytest.mark.parametrize("name", ["name", "entityName", "id"])
@pytest.mark.parametrize("kind", ["entityType", "entity_type"])
@pytest.mark.parametrize("observations", ["observations", "facts"])
@pytest.mark.parametrize("type", ["type", "_type"])
def test_an_entity_by_any_name(name, kind, observations, type):
    reading = read({type: "entity", name: "a", kind: "service", observations: ["A."]})
    assert reading.records == read(entity("a", "A.")).records


@pytest.mark.parametrize(("from_", "to"), [("from", "to"), ("from_id", "to_id"), ("source", "target")])
@pytest.mark.parametrize("says", ["relationType", "relation_type"])
def test_a_relation_by_any_name(from_, to, says):
    reading = read({"type": "relation", from_: "a", to: "b", says: "feeds"})
    assert reading.records == read(relation("a", "b")).records


def test_lines_without_a_type_are_known_by_their_fields():
    lines = [entity("a", "A."), relation("a", "b")]
    bare = [{name: value for name, value in each.items() if name != "type"} for each in lines]
    assert read(*bare).records == read(*lines).records
    assert texts(read({"name": "a", "observations": ["A."]})) == ["A."]


def test_an_empty_field_hides_no_full_one_of_another_name():
    reading = read({"type": "entity", "name": "", "entityName": "a", "observations": [], "facts": ["A."]})
    assert texts(reading) == ["A."]
    assert [record["name"] for record in of_type(reading, "entity")] == ["a"]


def test_what_else_is_known_of_an_observation_is_kept_with_the_fact():
    reading = read(entity("a", {"content": "A.", "version": "1.0", "durability": "permanent"}, "B."))
    assert [fact["meta"] for fact in reading.facts.values()] == [{"version": "1.0", "durability": "permanent"}, None]


def test_what_has_no_place_is_named_and_not_left_out_in_silence():
    reading = read(entity("a", version=1), entity("b", version=1), relation("a", "b", weight=2))
    assert reading.notices == [
        '"version" of an entity has no place here and was left out (2 times)',
        '"weight" of a relation has no place here and was left out',
    ]


# One thing that is wrong


@pytest.mark.parametrize(
    ("observation", "sentence"),
    [
        ("", '"observations.1" is empty'),
        (" \t\n", '"observations.1" is empty'),
        ("a\0b", '"observations.1" has a NUL character (U+0000)'),
        ("\ud800", '"observations.1" has half a surrogate pair (U+D800)'),
        ({"text": "a", "version": "\0"}, '"observations.1" has a NUL character (U+0000) in "version"'),
        ("x" * 100_001, '"observations.1" is 100001 characters long; the limit is 100000'),
        (None, '"observations.1" must be a text'),
        (7, '"observations.1" must be a text'),
        ([], '"observations.1" must be a text'),
        ({}, '"observations.1.text" is missing or empty'),
        ({"text": " "}, '"observations.1.text" is empty'),
        ({"text": ["a"]}, '"observations.1.text" must be a text'),
    ],
)
def test_an_observation_that_is_wrong_is_rejected_alone_and_kept(observation, sentence):
    reading = read(entity("a", "A.", observation, "C."))
    assert texts(reading) == ["A.", "C."]
    assert len(of_type(reading, "entity")) == 1
    assert rejected(reading) == [f"line 1: {sentence}"]
    (raw,) = [answer.raw for answer in reading.answers if answer.raw is not None]
    assert json.loads(raw) == observation


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"type": "entity", "observations": ["A."]}, '"name" is missing or empty'),
        (entity("a\nb", "A."), '"name" has a control character'),
        (entity("x" * 501, "A."), '"name" is 501 characters long; the limit is 500'),
        (entity("a\ud800", "A."), 'has half a surrogate pair (U+D800) in "name"'),
        (entity("a", "A.", entityType=["b"]), '"entityType" must be a text'),
        (entity("a", createdAt="long ago"), '"createdAt" is no RFC 3339 time, such as 2026-01-05T08:09:10+01:00'),
        ({"type": "entity", "name": "a", "observations": "A."}, '"observations" must be a list'),
        ({"type": "relation", "from": "a", "relationType": "feeds"}, '"to" is missing or empty'),
        ({"type": "relation", "from": "a", "to": "b"}, '"relationType" is missing or empty'),
        ({"type": "event", "name": "a", "observations": ["A."]}, "is neither an entity nor a relation"),
        ({"type": ["entity"], "name": "a"}, "is neither an entity nor a relation"),
        ({"content": "A."}, "is neither an entity nor a relation"),
        (["A."], "is neither an entity nor a relation"),
        (b'{"type":"entity","name":"a","name":"b","observations":["A."]}', 'has the key "name" twice'),
        (b'{"type":"entity","name":"a\xff","observations":["A."]}', "is not UTF-8 at byte offset 26"),
        (b'{"type":"entity","name":"a","observations":' + b"[" * 99, "is nested deeper than 64 levels, the limit"),
    ],
)
def test_a_line_that_is_wrong_is_rejected_alone_and_kept_byte_for_byte(value, sentence):
    reading = read(entity("b", "B."), value, entity("c", "C."))
    assert texts(reading) == ["B.", "C."]
    assert rejected(reading) == [f"line 2: {sentence}"]
    (raw,) = [answer.raw for answer in reading.answers if answer.raw is not None]
    assert raw == (value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n")


def test_a_source_that_can_be_none_is_an_error_of_the_caller_and_of_no_line():
    for source in ("", "a\nb"):
        with pytest.raises(FieldError, match='"source"'):
            read(entity("a", "A."), source=source)


# One JSON object


def document(**arrays: Any) -> bytes:
    return json.dumps(arrays, ensure_ascii=False, indent=2).encode()


@pytest.mark.parametrize("whole", [True, False])
def test_a_document_may_be_one_line_or_many(whole):
    plain = json.dumps({"entities": [entity("a", "A.")], "relations": [relation("a", "b")]}).encode()
    spread = document(entities=[entity("a", "A.")], relations=[relation("a", "b")])
    reading = mcp.read([plain] if whole else spread.splitlines(keepends=True), "notes", now=NOW)
    assert reading.records == read(entity("a", "A."), relation("a", "b")).records


def test_a_document_may_say_more_of_itself():
    raw = document(version="1", entities=[entity("a", "A, [1] {b}")], by={"tool": ["x, y"]}, relations=[])
    assert texts(mcp.read(raw.splitlines(keepends=True), "notes", now=NOW)) == ["A, [1] {b}"]


def test_a_document_may_have_a_mark_and_other_line_ends():
    raw = b"\xef\xbb\xbf" + document(entities=[entity("a", "A.")]).replace(b"\n", b"\r\n")
    assert texts(mcp.read(raw.splitlines(keepends=True), "notes", now=NOW)) == ["A."]


def test_what_is_wrong_in_a_document_is_named_by_its_line_and_place_and_costs_nothing_else():
    raw = document(
        entities=[entity("a", "A.", ""), {"name": "b", "name2": 1}, {"observations": ["lost?"]}, 7, entity("c", "C.")],
        relations=[relation("a", "c"), relation("a", "")],
        tags=["x"],
    )
    reading = mcp.read(raw.splitlines(keepends=True), "notes", now=NOW)
    assert texts(reading) == ["A.", "C."]
    assert rejected(reading) == [
        'line 3: "entities.0.observations.1" is empty',
        'line 16: "entities.2.name" is missing or empty',
        'line 21: "entities.3" is neither an entity nor a relation',
        'line 38: "relations.1.to" is missing or empty',
        'line 46: "tags.0" is neither an entity nor a relation',
    ]
    assert reading.answers[4].raw == b'{\n      "observations": [\n        "lost?"\n      ]\n    }'


def test_a_document_that_was_cut_anywhere_says_so_and_loses_nothing():
    raw = document(entities=[entity("a", "A."), entity("b", "B.")], relations=[relation("a", "b")])
    for cut in range(raw.index(b"[") + 1, len(raw)):
        reading = mcp.read(raw[:cut].splitlines(keepends=True), "notes", now=NOW)
        (tail,) = [answer for answer in reading.answers if answer.status == "rejected"]
        assert (tail, tail.reason) == (reading.answers[-1], "ends inside a value")
        for text in ("A.", "B."):
            came = f'"{text}"'.encode()
            assert (text in texts(reading)) + (came in (tail.raw or b"")) == (came in raw[:cut])


def test_what_follows_a_document_is_rejected():
    raw = document(entities=[entity("a", "A.")]) + b"\n}garbage"
    reading = mcp.read(raw.splitlines(keepends=True), "notes", now=NOW)
    assert texts(reading) == ["A."]
    assert reading.answers[-1].raw == b"}garbage"


_NAMES = st.sampled_from(["a", "b", "Café", "Cafe\u0301", "x, y", '"', "[", "}", "\\"])
_TEXTS = st.one_of(st.sampled_from(["", " ", "A.", '},{"', "\\", '\\"', "]"]), st.text(max_size=20))
_ENTITIES = st.lists(st.builds(entity, _NAMES, _TEXTS, _TEXTS), max_size=5)
_RELATIONS = st.lists(st.builds(relation, _NAMES, _NAMES), max_size=5)


@given(_ENTITIES, _RELATIONS, st.sampled_from([None, 0, 2]), st.booleans())
def test_a_document_and_the_same_as_lines_come_to_the_same(entities, relations, indent, ascii):
    raw = json.dumps({"entities": entities, "relations": relations}, indent=indent, ensure_ascii=ascii).encode()
    whole = mcp.read(raw.splitlines(keepends=True), "notes", now=NOW)
    lines = read(*entities, *relations)
    assert whole.records == lines.records
    assert whole.balance == lines.balance
    assert sum(lines.balance.values()) == 3 * len(entities) + len(relations)


# Cases from public bug reports


def test_case_13_a_torn_line_costs_only_itself_and_the_mended_file_adds_only_what_was_missing():
    torn = read_case("013-torn-line-in-middle.memory")
    assert len(torn.facts) == 3 and len(of_type(torn, "link")) == 1
    assert rejected(torn) == ["line 2: ends inside a value"]
    raw = (CASES / "013-torn-line-in-middle.memory.jsonl").read_bytes().splitlines(keepends=True)
    assert [answer.raw for answer in torn.answers if answer.raw] == [raw[1]]
    raw[1] = b'{"type":"entity","name":"report-job","entityType":"service","observations":["It runs at six."]}\n'
    mended = mcp.read(raw, "notes", now=NOW)
    added = [mended.records[id] for id in mended.records.keys() - torn.records.keys()]
    assert {record.get("name", record.get("text")) for record in added} == {"report-job", "It runs at six."}


def test_case_15_a_cut_tail_is_kept_as_ending_inside_a_value():
    reading = read_case("015-cut-last-line.memory")
    assert len(reading.facts) == 3 and not of_type(reading, "link")
    assert rejected(reading) == ["line 3: ends inside a value"]


def test_case_17_a_mark_and_carriage_returns_leave_no_trace():
    reading = read_case("017-bom-and-crlf.memory")
    assert len(reading.facts) == 3 and not rejected(reading)
    assert not any("\r" in text for text in texts(reading))


def test_case_19_a_nul_costs_only_the_observation_that_has_it():
    reading = read_case("019-nul-in-text.memory")
    assert texts(reading) == ["Scanner reads A4 pages.", "Scanner three is spare."]
    assert rejected(reading) == ['line 2: "observations.0" has a NUL character (U+0000)']


def test_case_25_a_long_text_is_kept_whole():
    (value,) = json.loads((CASES / "025-long-section-cut.memory.jsonl").read_bytes())["observations"]
    assert texts(read_case("025-long-section-cut.memory")) == [value]


def test_case_27_a_relation_to_nowhere_is_kept_said_and_heals_when_the_entity_comes():
    first, second = read_case("027-relation-to-nowhere.memory"), read_case("027-relation-to-nowhere.later")
    assert len(first.facts) == 1 and len(dangling(first)) == 2
    assert first.notices == ['3 entities that relations name are not in this file, such as "pump-9"']
    assert len(dangling(first, second)) == 1


# Real files


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "entities", "facts", "links", "known", "rejects"),
    [
        ("anno-117/memory.jsonl", 7, 46, 138, 0, 0),
        ("antigravity-panel/memory.json", 5, 18, 1, 0, 0),
        ("coeus/memory.jsonl", 19, 120, 23, 0, 0),
        ("dmetrics-go/memory.jsonl", 66, 338, 87, 122, 0),
        ("idp-blueprint/knowledge_graph_export.json", 133, 716, 260, 0, 0),
        ("idp-blueprint/memory_export.json", 145, 863, 286, 0, 0),
        ("lucia-dotnet/memory.json", 69, 650, 2, 0, 0),
        ("lumusitech-ai/memory.jsonl", 24, 158, 56, 0, 0),
        ("marucs-diet/memory.jsonl", 12, 214, 16, 0, 0),
        ("mcp-commit-story/memory.json", 3, 22, 0, 0, 1),
        ("mcp-think-tank/memory.jsonl", 57, 313, 0, 0, 0),
        ("supercode/memory-supercode.jsonl", 18, 122, 22, 0, 0),
        ("supercode/memory.jsonl", 9, 59, 16, 0, 0),
        ("fabric/memory.jsonl", 0, 0, 0, 0, 15),
        ("soundcloud-sets/memory.jsonl", 0, 0, 0, 0, 7),
    ],
)
def test_a_real_memory_is_read_whole(realdata, name, entities, facts, links, known, rejects):
    reading = read_file(realdata / "memstores" / name)
    counts = Counter(record["type"] for record in reading.records.values())
    assert (counts["entity"], counts["fact"], counts["link"]) == (entities, facts, links)
    assert (reading.balance["known"], reading.balance["rejected"]) == (known, rejects)
    assert all(fact["at_known"] == ("mcp-think-tank" in name) for fact in reading.facts.values())
    again = interchange.read(line(record) for record in reading.records.values())
    assert again.records == reading.records
