import base64
import gzip
import json
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from trustmem.core.lines import Baseline, ConstantsChange, Edge, Event, Fact, Feedback, Pass
from trustmem.formats.interchange import Reading, read
from trustmem.formats.rfc3339 import parse

TESTS = Path(__file__).parent.parent
SCENARIOS = sorted((TESTS / "vectors" / "scenarios").glob("*.jsonl"))

AT = "2026-01-05T08:09:10Z"
SIGNATURE = {
    "key": "k",
    "claim": base64.b64encode(b'{"kind":"trustmem.fact"}').decode(),
    "value": base64.b64encode(bytes(64)).decode(),
}
PUBLIC = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="  # RFC 8032, 7.1, test 1


def line(type: str, **fields: Any) -> bytes:
    """A line of an interchange file; `from_` is written `from`, and `at` may be left out."""
    named = {name.rstrip("_"): value for name, value in fields.items()}
    return json.dumps({"type": type, "at": AT, **named}).encode()


def fact(id: str, **fields: Any) -> bytes:
    return line("fact", id=id, **{"text": f"Fact {id}.", **fields})


def edge(id: str, newer: str, older: str, relation: str = "updates", **fields: Any) -> bytes:
    return line("edge", id=id, from_=newer, to=older, relation=relation, **fields)


def event(id: str, kind: str, **fields: Any) -> bytes:
    return line("event", id=id, kind=kind, **fields)


def statuses(reading: Reading) -> list[str]:
    return [answer.status for answer in reading.answers]


def only_answer(*raw: bytes) -> str:
    """The sentence about the last line, after the others were new."""
    *before, last = read(raw).answers
    assert {answer.status for answer in before} <= {"new"}
    return str(last)


# Every line gets an answer


def test_every_line_gets_one_of_five_answers_and_they_add_up_to_the_records():
    reading = read(
        [
            fact("a"),
            fact("a"),
            b"\n",
            edge("self", "a", "a"),
            event("early", "recalled", fact="later"),
            b'{"type": "fact", "id": "torn", "te\n',
            b"   \r\n",
        ]
    )
    assert reading.balance == {"new": 1, "known": 1, "refused": 1, "waiting": 1, "rejected": 1}
    assert [str(answer) for answer in reading.answers] == [
        "line 1: new",
        "line 2: known",
        "line 4: a fact cannot update itself",
        'line 5: "fact" names "later", which is unknown',
        "line 6: ends inside a value",
    ]


def test_a_rejected_line_is_kept_byte_for_byte_and_what_was_understood_is_not():
    torn = b'{"type": "fact", "id": "torn", "te\r\n'
    rejected, new = read([torn, fact("a")]).answers
    assert (rejected.status, rejected.raw) == ("rejected", torn)
    assert (new.status, new.raw) == ("new", None)


@pytest.mark.parametrize(
    "bad",
    [b'\xef\xbb\xbf{"type": "fact", "id": "torn", "te\r\n', b'\xef\xbb\xbf{"type": "fact", "id": 3}\r\n'],
    ids=["no JSON", "no fact"],
)
def test_a_rejected_first_line_is_kept_with_its_mark_and_its_end(bad):
    (answer,) = read([bad]).answers
    assert (answer.status, answer.raw) == ("rejected", bad)


def test_a_rejected_line_says_what_it_was_as_far_as_that_can_be_told():
    (answer,) = read([fact("a", at="2026-01-05T08:09:10")]).answers
    assert (answer.type, answer.id, answer.field) == ("fact", "a", "at")
    assert str(answer) == 'line 1: "at" has no UTC offset'


def test_a_rejected_line_whose_type_and_id_are_no_texts_is_said_to_have_none():
    (answer,) = read([line(["fact"], id=3)]).answers
    assert (answer.status, answer.type, answer.id) == ("rejected", None, None)


def test_a_line_that_waits_or_was_refused_names_the_field_that_is_why():
    lines = [fact("f"), event("w", "recalled", fact="later"), edge("e", "f", "f"), event("u", "upheld", of="f")]
    assert [answer.field for answer in read(lines).answers] == [None, "fact", "to", "of"]


def test_the_facts_of_a_reading_are_its_facts_alone():
    assert list(read([fact("f"), line("entity", id="n", name="N"), edge("e", "f", "later")]).facts) == ["f"]


def test_an_empty_file_has_no_answers():
    assert read([]).balance == read([b"\n", b""]).balance == dict.fromkeys(read([]).balance, 0)


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_mark_at_the_start_and_any_line_end_leave_no_trace(end):
    reading = read([b"\xef\xbb\xbf" + fact("a", text="One.") + end, fact("b", text="Two.") + end])
    assert statuses(reading) == ["new", "new"]
    assert [record["text"] for record in reading.facts.values()] == ["One.", "Two."]


def test_a_file_of_nothing_but_the_mark_is_empty():
    assert read([b"\xef\xbb\xbf\r\n"]).answers == []


def test_a_mark_on_a_later_line_is_rejected():
    assert "byte order mark" in only_answer(fact("a"), b"\xef\xbb\xbf" + fact("b"))


@pytest.mark.parametrize(
    "bad",
    [
        b'{"type": "fact", "id": "b", "te',
        b'{"type": "fact", "id": "b", "at": "%s", "text": "A4 \\u0000 pages."}' % AT.encode(),
        b'{"type": "fact", "id": "b", "at": "%s", "text": "x", "text": "y"}' % AT.encode(),
        b'{"type": "fact", "id": "b", "at": "%s", "text": "\xff"}' % AT.encode(),
        b'{"type": "fact", "id": "b", "at": "%s", "text": "x", "prior": NaN}' % AT.encode(),
        b'{"type": "fact", "id": "b", "at": "%s", "text": "x", "meta": %s}' % (AT.encode(), b"[" * 100_000),
        b'["a", "list"]',
        b"null",
    ],
    ids=["torn", "NUL", "twice", "UTF-8", "NaN", "deep", "list", "null"],
)
def test_one_bad_line_costs_only_itself(bad):
    before = perf_counter()
    reading = read([fact("a"), bad, fact("c")])
    assert statuses(reading) == ["new", "rejected", "new"]
    assert list(reading.records) == ["a", "c"]
    assert perf_counter() - before < 1


@pytest.mark.parametrize("name", ["033-nested-too-deep.jsonl", "013-torn-line-in-middle.memory.jsonl"])
def test_what_broke_other_stores_is_a_rejected_line_here(name):
    # The other lines of these files lack what an interchange file asks for; none is read as something it is not.
    reading = read((TESTS / "cases" / name).read_bytes().splitlines(keepends=True))
    assert set(statuses(reading)) == {"rejected"}
    assert reading.answers[1].reason in ("is nested deeper than 64 levels, the limit", "ends inside a value")


# What a line may hold


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (fact("a", soruce="x"), '"soruce" is no field of a fact line; did you mean "source"?'),
        (event("a", "recalled", fact="f", xyz=1), '"xyz" is no field of an event line'),
        (fact("a", SOURCE="x"), '"SOURCE" is no field of a fact line; did you mean "source"?'),
        (line("fact", id="a", **{"": 1}), '"" is no field of a fact line'),
        (line("fcat", id="a"), '"type" cannot be "fcat"; did you mean "fact"?'),
        (
            b'{"id": "a"}',
            '"type" is missing; it is one of space, constants, key, entity, fact, link, edge, event, feedback, '
            "tombstone, case, pass",
        ),
        (b'{"type": 3}', '"type" must be a text'),
        (b"[]", "is not an object"),
        (line("fact", id="a"), '"text" is missing'),
        (b'{"type": "fact", "id": "a", "text": "x"}', '"at" is missing'),
        (fact(""), '"id" is empty'),
        (fact("x" * 501), '"id" is 501 characters long; the limit is 500'),
        (fact("a\nb"), '"id" has a control character'),
        (fact("a", text=""), '"text" is empty'),
        (fact("a", text="x" * 100_001), '"text" is 100001 characters long; the limit is 100000'),
        (fact("a", text=None), '"text" must be a text'),
        (fact("a", subject=None), '"subject" must be a text'),
        (fact("a", entities=["n\n"]), '"entities.0" has a control character'),
        (fact("a", at=1767600550), '"at" must be a time written as a text'),
        (fact("a", at="2026-12-31T23:59:60Z"), '"at" is in a leap second (:60), which has no instant here'),
        (fact("a", arrived="2026-01-05T08:09:10"), '"arrived" has no UTC offset'),
        (fact("a", prior=2.5), '"prior" must lie from -1 to 2, not 2.5'),
        (fact("a", weight=-0.1), '"weight" must lie from 0 to 1, not -0.1'),
        (fact("a", weight=True), '"weight" must be a number'),
        (fact("a", core=1), '"core" must be true or false'),
        (fact("a", tier="signed"), '"tier" cannot be "signed"; it is one of auto, human'),
        (fact("a", producer="users"), '"producer" cannot be "users"; did you mean "user"?'),
        (fact("a", tags="x"), '"tags" must be a list'),
        (fact("a", tags=["x", 2]), '"tags.1" must be a text'),
        (fact("a", meta=[]), '"meta" must be an object'),
        (fact("a", baseline={"uses": -1}), '"baseline.uses" must lie from 0 to 1000000000, not -1'),
        (fact("a", baseline={"uses": 1.5}), '"baseline.uses" must be a whole number'),
        (fact("a", baseline={"first_seen": "2026-01-05T08:09:10"}), '"baseline.first_seen" has no UTC offset'),
        (fact("a", baseline={"use": 1}), '"baseline.use" is no field of a baseline; did you mean "uses"?'),
        (fact("a", baseline=3), '"baseline" must be an object'),
        (fact("a", signature={"key": "k", "claim": "!", "value": "AA=="}), '"signature.claim" is no base64'),
        (
            fact("a", signature=SIGNATURE | {"value": "AA=="}),
            '"signature.value" must be 64 bytes in base64, not 1',
        ),
        (
            fact("a", signature=SIGNATURE | {"value": base64.b64encode(bytes(65)).decode()}),
            '"signature.value" must be 64 bytes in base64, not 65',
        ),
        (fact("a", digest="d"), '"digest" stands only in an erased fact'),
        (line("fact", id="a", erased=True), '"digest" is missing'),
        (edge("a", "f", "g", "update"), '"relation" cannot be "update"; did you mean "updates"?'),
        (event("a", "recalled"), '"fact" is missing'),
        (event("a", "recalled", of="x"), '"of" does not go with "recalled"'),
        (event("a", "upheld"), '"of" is missing'),
        (event("a", "upheld", of="x", fact="f"), '"fact" does not go with "upheld"'),
        (event("a", "upheld", of="x", verdict="v"), '"verdict" does not go with "upheld"'),
        (event("a", "forgotten", fact="f", reason="r"), '"reason" does not go with "forgotten"'),
        (event("a", "revoked", of="k"), '"reason" is missing'),
        (event("a", "revoked", of="k", reason="bored"), '"reason" must be lost or compromised'),
        (
            line("feedback", id="a", fact="f", outcome="helpful", signals={"mood": 1}),
            '"signals.mood" is no field of the channels',
        ),
        (
            line("feedback", id="a", fact="f", outcome="helpful", signals={"novelty": 1.01}),
            '"signals.novelty" must lie from 0 to 1, not 1.01',
        ),
        (line("key", id="k", source="s", public="AAAA"), '"public" must be 32 bytes in base64, not 3'),
        (line("constants", id="c", version=True, values={}), '"version" must be a whole number'),
        (line("constants", id="c", version=0, values={}), '"version" must lie from 1 to 1000000000, not 0'),
    ],
)
def test_a_line_that_is_not_understood_is_rejected_by_field_and_reason(raw, sentence):
    (answer,) = read([raw]).answers
    assert (answer.status, answer.reason) == ("rejected", sentence)


WHOLE = {
    "space": {"id": "a", "at": AT},
    "constants": {"id": "a", "at": AT, "version": 2, "values": {}},
    "key": {"id": "a", "at": AT, "source": "s", "public": PUBLIC},
    "entity": {"id": "a", "at": AT, "name": "N"},
    "fact": {"id": "a", "at": AT, "text": "x"},
    "link": {"id": "a", "at": AT, "from": "n", "to": "n", "relation": "near"},
    "edge": {"id": "a", "at": AT, "from": "f", "to": "g", "relation": "updates"},
    "event": {"id": "a", "at": AT, "kind": "recalled", "fact": "f"},
    "feedback": {"id": "a", "at": AT, "fact": "f", "outcome": "helpful"},
    "tombstone": {"id": "a", "at": AT, "digest": "d"},
    "case": {"id": "a", "at": AT, "kind": "conflict", "facts": []},
    "pass": {"at": AT},
}


@pytest.mark.parametrize("type", WHOLE)
def test_a_line_needs_just_the_fields_that_its_type_asks_for(type):
    reading = read([fact("f"), fact("g"), line(type, **WHOLE[type])])
    assert statuses(reading)[-1] == "new"
    for missing in WHOLE[type]:
        rest = {name: value for name, value in WHOLE[type].items() if name != missing}
        (answer,) = read([json.dumps({"type": type, **rest}).encode()]).answers
        assert (answer.status, answer.reason) == ("rejected", f'"{missing}" is missing')


@pytest.mark.parametrize("missing", SIGNATURE)
def test_a_signature_is_given_whole(missing):
    rest = {name: value for name, value in SIGNATURE.items() if name != missing}
    assert only_answer(fact("a", signature=rest)) == f'line 1: "signature.{missing}" is missing'


@pytest.mark.parametrize(
    "texts",
    [
        {"text": "x"},
        {"subject": "s"},
        {"predicate": "p"},
        {"object": "o"},
        {"entities": ["n"]},
        {"tags": ["t"]},
        {"meta": {"any": 1}},
        {"signature": SIGNATURE},
    ],
    ids=lambda texts: next(iter(texts)),
)
def test_no_text_travels_with_an_erased_fact(texts):
    (name,) = texts
    assert only_answer(line("fact", id="a", erased=True, digest="d", **texts)) == (
        f'line 1: "{name}" cannot stand in an erased fact'
    )


@pytest.mark.parametrize(
    "raw",
    [
        fact("x" * 500),
        fact("a", text="x" * 100_000),
        fact("family \N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"),
        fact("a", prior=-1),
        fact("a", prior=2),
        fact("a", weight=0),
        fact("a", weight=1),
        fact("a", baseline={"uses": 0, "evidence": 1_000_000_000}),
        line("feedback", id="a", fact="f", outcome="helpful", signals={"novelty": 0}),
        line("constants", id="a", version=1, values={}),
        line("case", id="a", kind="conflict", facts=["f"], constants_version=1),
        line("space", id="a", name=""),
        line("link", id="a", from_="n", to="n", relation="near"),
    ],
)
def test_what_lies_on_a_limit_is_within_it(raw):
    assert statuses(read([fact("f"), raw])) == ["new", "new"]


@pytest.mark.parametrize("reason", ["lost", "compromised"])
def test_a_key_is_revoked_because_it_was_lost_or_compromised(reason):
    key = line("key", id="k", source="s", public=PUBLIC)
    assert statuses(read([key, event("x", "revoked", of="k", reason=reason)])) == ["new", "new"]


def test_a_signature_is_kept_as_it_was_written():
    assert read([fact("f", signature=SIGNATURE)]).records["f"]["signature"] == SIGNATURE


def test_all_twelve_types_are_understood_with_all_their_fields():
    reading = read(
        [
            line("space", id="s", name="Home", digest_key="secret"),
            line("constants", id="c", version=2, values={"prior_weight": 3}, author="ana", reason="tried"),
            line("key", id="k", source="mail", public=PUBLIC, valid_to=AT),
            line("entity", id="n", name="Porto", kind="city"),
            line("link", id="l", from_="n", to="never-comes", relation="near", to_name="Gaia", source="mail"),
            fact("f", erased=False, signature=SIGNATURE, tags=["x"], meta={"any": [1, None]}, entities=["n"]),
            fact("g", subject="s", predicate="p", object="", valid_from=AT, valid_to=AT),
            line("fact", id="gone", erased=True, digest="d"),
            edge("e", "f", "g", note="why", signature=SIGNATURE, by="mail", run="r", tier="human"),
            event("v", "contradicted", fact="f", source="mail", note="no"),
            event("u", "upheld", of="v"),
            line("feedback", id="b", fact="f", outcome="helpful", confirmed=True, signals={"novelty": 1}),
            line("tombstone", id="t", digest="d", by="ana", reason="private"),
            event("o", "lifted", of="t"),
            line("case", id="q", kind="conflict", facts=["f", "g"], factors={"f": {}}, constants_version=2),
            event("z", "closed", of="q", verdict="f holds", reason="asked"),
            event("x", "revoked", of="k", reason="lost"),
            line("pass", act="p1"),
        ]
    )
    assert statuses(reading) == ["new"] * 18


# What the core gets


def test_the_core_gets_lines_with_instants_in_microseconds_and_defaults_filled():
    at = parse(AT)
    baseline = {"evidence": 2, "first_seen": "2025-01-01T00:00:00+01:00"}
    reading = read(
        [
            fact("f", source="mail", baseline=baseline, prior=1),
            fact("g", signature=SIGNATURE),
            edge("e", "f", "g", arrived="2026-01-06T00:00:00Z", act="a1"),
            event("r", "recalled", fact="f"),
            event("a", "accepted", fact="f"),
            line("feedback", id="b", fact="f", outcome="ignored", signals={"novelty": 1}),
            line("constants", id="c", version=2, values={"prior_weight": 3}),
            line("pass", act="p1"),
        ]
    )
    totals = Baseline(evidence=2, first_seen=parse("2024-12-31T23:00:00Z"))
    assert reading.lines == [
        Fact(id="f", at=at, arrived=at, source="mail", baseline=totals, prior=1.0),
        Fact(id="g", at=at, arrived=at, signature=None),
        Edge(id="e", at=at, arrived=at, act="a1", newer="f", older="g", relation="updates"),
        Event(id="r", at=at, arrived=at, kind="recalled", fact="f"),
        Event(id="a", at=at, arrived=at, kind="accepted", fact="f", source="person"),
        Feedback(id="b", at=at, arrived=at, fact="f", outcome="ignored", signals={"novelty": 1.0}),
        ConstantsChange(id="c", at=at, arrived=at, version=2, values={"prior_weight": 3}),
    ]
    assert reading.passes == [Pass(at, "p1")]
    assert [each.arrived - at for each in reading.lines[1:3]] == [0, parse("2026-01-06T00:00:00Z") - at]


def test_who_accepted_a_fact_is_a_person_only_where_nobody_is_named():
    accepted = [event("a", "accepted", fact="f", source="ana"), event("b", "accepted", fact="f")]
    assert [each.source for each in read([fact("f"), *accepted]).lines[1:]] == ["ana", "person"]


def test_a_pass_runs_at_its_time_whenever_its_line_came_in():
    reading = read([line("pass", arrived="2026-02-01T00:00:00Z")])
    assert reading.passes == [Pass(parse(AT))]
    assert list(reading.records) == [AT]


def test_waiting_lines_are_handed_on_and_refused_or_known_ones_are_not():
    reading = read([event("w", "recalled", fact="later"), fact("a"), fact("a"), edge("self", "a", "a")])
    assert [each.id for each in reading.lines] == ["w", "a"]


# Identity


def test_the_same_line_again_is_known_however_its_times_are_written_and_whenever_it_arrived():
    same = fact("f", at="2026-01-05T09:09:10.000+01:00", arrived="2026-02-01T00:00:00Z", source="unknown", core=False)
    assert statuses(read([fact("f"), same])) == ["new", "known"]


def test_a_microsecond_is_another_content():
    first, second = fact("f", at="2026-01-05T08:09:10.000001Z"), fact("f", at="2026-01-05T08:09:10.000002Z")
    assert statuses(read([first, first, second])) == ["new", "known", "refused"]


def test_an_id_that_stands_for_something_else_is_refused_naming_the_line_that_has_it():
    assert only_answer(fact("a"), fact("f"), fact("f", text="Other.")) == (
        'line 3: "f" stands on line 2 with other content'
    )
    assert statuses(read([fact("f"), line("entity", id="f", name="An entity")])) == ["new", "refused"]


def test_true_and_one_are_not_the_same_content():
    assert statuses(read([fact("f", meta={"n": 1}), fact("f", meta={"n": True})])) == ["new", "refused"]


def test_the_same_number_and_the_same_object_are_the_same_content_however_they_are_written():
    assert statuses(read([fact("f", prior=1), fact("f", prior=1.0)])) == ["new", "known"]
    assert statuses(read([fact("f", meta={"a": 1, "b": 2}), fact("f", meta={"b": 2, "a": 1})])) == ["new", "known"]


def test_a_pass_has_its_instant_for_an_id():
    same = line("pass", at="2026-01-05T09:09:10+01:00")
    reading = read([line("pass"), same])
    assert statuses(reading) == ["new", "known"]
    assert reading.answers[0].id == AT
    assert statuses(read([line("pass"), fact(AT)])).count("refused") == 1


def test_a_line_that_was_refused_takes_no_id_and_its_repetition_is_refused_too():
    loop = edge("e", "f", "f")
    assert statuses(read([fact("f"), fact("g"), loop, loop, edge("e", "f", "g")])) == [
        *("new", "new"),
        *("refused", "refused", "new"),
    ]
    ruling = event("u", "upheld", of="f")
    assert statuses(read([fact("f"), ruling, ruling])) == ["new", "refused", "refused"]


def test_a_waiting_line_again_is_known():
    waiting = event("w", "recalled", fact="later")
    assert statuses(read([waiting, waiting])) == ["waiting", "known"]


# Waiting


def test_the_order_of_lines_makes_nothing_wait():
    lines = [event("u", "upheld", of="e"), edge("e", "f", "g"), fact("g"), fact("f")]
    assert statuses(read(lines)) == ["new"] * 4


@pytest.mark.parametrize(
    "raw",
    [
        edge("x", "f", "later"),
        edge("x", "later", "f"),
        event("x", "recalled", fact="later"),
        line("feedback", id="x", fact="later", outcome="helpful"),
        event("x", "dismissed", of="later"),
        event("x", "undone", of="later"),
        event("x", "revoked", of="later", reason="lost"),
        event("x", "lifted", of="later"),
        event("x", "closed", of="later"),
        line("case", id="x", kind="conflict", facts=["f", "later"]),
    ],
)
def test_a_line_that_names_something_unknown_waits_and_says_for_what(raw):
    _, answer = read([fact("f"), raw]).answers
    assert answer.status == "waiting"
    assert 'names "later", which is unknown' in str(answer)


def test_what_names_a_waiting_line_waits_with_it():
    reading = read([fact("f"), edge("e", "f", "later"), event("u", "upheld", of="e")])
    assert statuses(reading) == ["new", "waiting", "waiting"]
    assert str(reading.answers[2]) == 'line 3: "of" names "e", which waits itself'


def test_a_link_never_waits():
    assert statuses(read([line("link", id="l", from_="x", to="y", relation="near")])) == ["new"]


# Refused


@pytest.mark.parametrize("relation", ["updates", "extends", "derives", "contradicts"])
def test_an_edge_from_a_fact_to_itself_is_refused(relation):
    assert only_answer(fact("f"), edge("e", "f", "f", relation)) == (
        f"line 2: a fact cannot {relation.removesuffix('s')} itself"
    )


@pytest.mark.parametrize(
    "statement",
    [
        edge("s", "f", "g", "updates"),
        edge("s", "f", "g", "contradicts"),
        event("s", "contradicted", fact="f"),
        event("s", "forgotten", fact="f"),
        line("feedback", id="s", fact="f", outcome="corrected"),
    ],
)
def test_a_person_can_rule_on_what_harms_a_fact(statement):
    assert statuses(read([fact("f"), fact("g"), statement, event("u", "dismissed", of="s")]))[-1] == "new"


@pytest.mark.parametrize(
    "statement",
    [
        edge("s", "f", "g", "extends"),
        edge("s", "f", "g", "derives"),
        edge("s", "f", "g", "updates", removed=True),
        event("s", "recalled", fact="f"),
        line("feedback", id="s", fact="f", outcome="helpful"),
        fact("s"),
        line("feedback", id="s", fact="f", outcome="unhelpful"),
    ],
)
def test_a_ruling_on_anything_else_is_refused(statement):
    assert only_answer(fact("f"), fact("g"), statement, event("u", "dismissed", of="s")) == (
        'line 4: "of" names "s"; only a statement that harms a fact can be ruled on'
    )


def test_a_line_that_names_another_kind_of_thing_is_refused():
    assert only_answer(fact("f"), line("entity", id="n", name="N"), edge("e", "f", "n")) == (
        'line 3: "to" names "n", which is of type "entity", not "fact"'
    )
    assert statuses(read([fact("f"), event("x", "revoked", of="f", reason="lost")])) == ["new", "refused"]


def test_constants_that_are_unknown_or_out_of_bounds_are_refused_by_name():
    def change(**values: Any) -> str:
        (answer,) = read([line("constants", id="c", version=2, values=values)]).answers
        assert answer.status == "refused"
        return str(answer)

    assert change(prior_wieght=3) == 'line 1: "prior_wieght" is not a constant; did you mean "prior_weight"?'
    assert change(supersession_factor=2) == 'line 1: "supersession_factor" must lie from 0.05 to 1, not 2'
    assert change(reconfirm_boost="words") == 'line 1: "reconfirm_boost" must be a number'


def test_a_retired_constant_is_passed_over_with_a_notice():
    reading = read([line("constants", id="c", version=2, values={"reconfirm_boost": 0.1})])
    assert statuses(reading) == ["new"]
    assert reading.notices == ['line 1: the constant "reconfirm_boost" is retired, its value was ignored']
    assert read([line("constants", id="c", version=2, values={"prior_weight": 3})]).notices == []


# Undo


def test_an_act_is_undone_by_its_name_and_an_undo_can_be_undone():
    undo, redo = event("u", "undone", of="A", act="B"), event("r", "undone", of="B", act="C")
    assert statuses(read([fact("f", act="A"), undo, redo])) == ["new"] * 3


def test_an_act_that_undoes_itself_is_refused():
    assert only_answer(event("u", "undone", of="A", act="A")) == "line 1: an act cannot undo itself"


def test_an_undo_of_what_is_no_act_waits():
    loop = edge("e", "f", "f", act="A")
    undos = [event("u", "undone", of="f"), event("v", "undone", of="A")]
    assert statuses(read([fact("f"), loop, *undos])) == ["new", "refused", "waiting", "waiting"]


def test_a_pass_is_undone_by_its_instant_in_any_notation():
    reading = read([event("u", "undone", of="2026-01-05T09:09:10+01:00"), line("pass")])
    assert statuses(reading) == ["new", "new"]
    (undo,) = reading.lines
    assert isinstance(undo, Event) and undo.of == AT


def test_an_act_that_is_called_by_a_time_is_not_taken_for_a_pass():
    act = "2026-01-05T09:09:10+01:00"
    reading = read([fact(AT, act=act), event("u", "undone", of=act)])
    assert statuses(reading) == ["new", "new"]
    assert reading.records["u"]["of"] == act


def test_an_entity_may_be_of_a_kind_called_undone():
    assert statuses(read([line("entity", id="n", name="N", kind="undone")])) == ["new"]


# Whole files


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_line_of_the_scenarios_is_new(path):
    reading = read(path.read_bytes().splitlines())
    assert set(statuses(reading)) == {"new"}
    assert len(reading.lines) + len(reading.passes) == len(reading.answers)


def test_the_scenarios_are_there():
    assert len(SCENARIOS) == 7


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("endoflife.jsonl.gz", 21_510),
        ("factbook.jsonl.gz", 31_848),
        ("public-apis.jsonl.gz", 28_604),
        ("mcp-think-tank.jsonl", 1_044),
    ],
)
def test_every_line_of_a_real_history_is_new_and_read_again_is_known(realdata, name, lines):
    raw = (realdata / "interchange" / name).read_bytes()
    whole = (gzip.decompress(raw) if name.endswith(".gz") else raw).splitlines(keepends=True)
    reading = read(whole * 2)
    assert reading.balance == {"new": lines, "known": lines, "refused": 0, "waiting": 0, "rejected": 0}


def test_of_two_copies_of_a_line_the_first_to_arrive_stands_whatever_their_order():
    early, late = fact("f", arrived="2026-01-06T00:00:00Z"), fact("f", arrived="2026-01-09T00:00:00Z")
    for lines in ([early, late], [late, early]):
        reading = read(lines)
        assert [each.arrived for each in reading.lines] == [parse("2026-01-06T00:00:00Z")]
        assert sorted(statuses(reading)) == ["known", "new"]


def test_which_of_two_claims_to_an_id_is_refused_does_not_hang_on_their_order():
    one, other = fact("f", text="One."), fact("f", text="Other.")
    kept = [read(lines).records["f"]["text"] for lines in ([one, other], [other, one])]
    assert kept[0] == kept[1]


def test_a_constant_is_named_in_a_sentence_as_short_and_harmless_as_any_word_of_the_input():
    reason = only_answer(line("constants", id="c", version=2, values={"\x1b[2J" + "x" * 5000: 1}))
    assert "\x1b" not in reason
    assert len(reason) < 200


def test_a_file_of_nothing_that_is_understood_is_not_read_to_its_end():
    lines = iter([b"a"] * 30_000)
    assert read(lines).balance["rejected"] == 10_000
    assert sum(1 for _ in lines) == 20_000


def test_many_lines_about_one_long_case_take_no_longer_than_the_case():
    ids = [f"f{number}" for number in range(5_000)]
    case = line("case", id="k", kind="contradiction", facts=ids)
    closed = [event(f"e{number}", "closed", of="k") for number in range(2_000)]
    assert set(statuses(read([*(fact(id) for id in ids), case, *closed]))) == {"new"}


def test_what_was_refused_is_nothing_that_another_line_can_build_on():
    wrong = line("edge", id="e", **{"from": "f", "to": "ada"}, relation="contradicts", act="A")
    told = [fact("f"), line("entity", id="ada", name="Ada"), wrong, event("d", "dismissed", of="e")]
    undo = event("u", "undone", of="A", act="U")
    assert statuses(read([*told, undo])) == ["new", "new", "refused", "waiting", "waiting"]
