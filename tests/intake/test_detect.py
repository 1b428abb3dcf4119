"""`trustmem detect` compares facts with those before them, and `trustmem review` tells what that found."""

import json

import pytest

from tests.intake.terminal import fact, write


@pytest.fixture
def home(home, tmp_path):
    told = [
        fact("few", "242 tests pass in the billing module"),
        fact("many", "286 tests pass in the billing module\x1b[31m", "2026-01-06T08:00:00Z"),
        fact("rain", "It rains in Bergen."),
    ]
    home("import", write(tmp_path / "f.jsonl", *told), "--now", "2026-11-30T00:00:00Z")
    return home


def test_it_says_what_was_found_and_how_many_wait_for_a_person(home):
    before = home("hash").stdout
    done = home("detect")
    assert done.returncode == 0, done.stderr
    assert "3 of 3 facts are checked, by detector" in done.stdout
    assert "1    number" in done.stdout
    assert "Candidates that wait for a person: 1." in done.stdout
    assert home("hash").stdout == before


def test_for_machines_it_is_one_object_the_same_each_time(home):
    told = json.loads(home("detect", "--json").stdout)
    assert (told["checked"], told["facts"], told["candidates"], told["more_candidates"]) == (3, 3, 1, False)
    assert sum(count for by_rule in told["found"].values() for count in by_rule.values()) == 1
    assert json.loads(home("detect", "--json").stdout) == told


def test_review_tells_why_a_candidate_was_found(home):
    home("detect")
    shown = home("review", "--kind", "candidate").stdout
    assert "A number was exchanged: 242 / 286 · overlap 0." in shown
    assert "\x1b" not in shown
    (row,) = home.json("review", "--json")
    assert (row["kind"], [each["id"] for each in row["facts"]]) == ("candidate", ["few", "many"])
    assert row["found"]["exchanged"] == [["242", "286"]]
    assert 0 < row["found"]["overlap"] < 1


def test_what_nobody_knows_is_refused(home):
    assert home("detect", "--space", "nowhere").returncode == 2
