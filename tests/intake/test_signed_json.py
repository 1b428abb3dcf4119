"""JSON that a signature may be over: however it is written, one thing is read, and what could be read as two is not.
(Whether a signature counts is not looked at yet; tests/actions/test_attest.py has the bytes that are signed.)"""

import json

from tests.intake.test_cases import case, rejects, texts
from tests.intake.test_imports import balance


def as_line(body):
    """A body of a case as a line of an interchange file, written as it was."""
    return body.replace("{", '{"type": "fact", ', 1).replace("\n", " ").encode() + b"\n"


def test_091_a_body_with_a_key_twice_is_rejected_by_every_entrance_and_nothing_of_it_is_kept_as_a_fact(home, tmp_path):
    (given,), check = case("091")
    bodies = json.loads(given.read_text("utf-8"))["bodies"]
    file = tmp_path / "f.jsonl"
    file.write_bytes(b"".join(map(as_line, [*bodies, '{"id": "ok", "text": "So.", "at": "2026-01-01T00:00:00Z"}'])))
    told = home("import", file)
    assert balance(told) == [1, 0, 0, 0, check["refused"]]
    assert [(number, kept["reason"], kept["field"]) for number, kept in rejects(home)] == [
        (1, 'has the key "text" twice', ""),
        (2, 'has the key "text" twice', ""),
    ]
    assert texts(home) == ["So."]
    scored = home("score", file, "--json")
    assert scored.returncode == 3
    assert [json.loads(each)["id"] for each in scored.stdout.splitlines()] == ["ok"]
    assert scored.stderr.count('has the key "text" twice') == 2


def test_097_escaped_or_raw_it_is_one_fact_with_the_same_characters(home, tmp_path):
    (given,), _ = case("097")
    told = json.loads(given.read_text("utf-8"))
    for number, body in enumerate(told["bodies"]):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(as_line(body))
        home("import", file)
    assert home.sql("SELECT COUNT(*) FROM store_fact") == [(1,)]
    lines = [json.loads(each) for each in home("export").stdout.strip().split("\n")]  # U+2028 ends no line here
    (fact,) = [each for each in lines if each["type"] == "fact"]
    assert {name: fact.get(name, "") for name in told["claim"]} == told["claim"]
