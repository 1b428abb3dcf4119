"""`trustmem show` and `trustmem explain FACT`: the same of the database as of the file that it was made from."""

import json

import pytest

from tests.conftest import ROOT
from tests.intake.terminal import LIVED, NOW, SAMPLE, event, fact, trustmem, write


def test_the_table_is_that_of_the_file(demo):
    head, mine = demo("show", "--now", NOW).stdout.split("trust =", 1)
    right = trustmem("score", *LIVED).stdout.split("trust =", 1)[1]
    assert mine == right
    assert head.splitlines()[:2] == [
        "Larkspur: the boathouse booking app · 28 facts: 26 live, 1 pruned, 1 forgotten",
        "now 2026-06-01 07:00 UTC · 104 passes · constants version 1",
    ]


def test_one_fact_is_shown_in_short(demo):
    shown = demo("show", "launch-15", "--now", NOW).stdout
    for words in ("The app goes live for the club on 15 June.", "very high 0.83", "challenged", "by tess"):
        assert words in shown
    assert [row["id"] for row in demo.json("show", "launch-15", "--json")] == ["launch-15-june"]


@pytest.mark.parametrize("id", ["launch-15-june", "parking", "staging-teal", "club-members"])
def test_a_fact_of_the_database_is_explained_as_one_of_the_file(demo, id):
    (mine,) = demo.json("explain", id, "--now", NOW, "--json")
    right = json.loads(trustmem("explain", *LIVED, id, "--json").stdout)
    assert mine.keys() == right.keys()
    assert mine["provenance"].pop("imported").startswith("import:")
    assert right["provenance"].pop("imported") is None
    mine["history"] = [each for each in mine["history"] if each["kind"] != "case"]  # which a file does not open
    for name in right.keys() - {"scores", "why", "lift", "weight"}:
        assert mine[name] == right[name]
    assert mine["scores"]["trust"] == pytest.approx(right["scores"]["trust"], abs=1e-9)
    assert [each["because"] for each in mine["why"]] == [each["because"] for each in right["why"]]


def test_explaining_a_file_needs_no_database(tmp_path, home):
    home.environment["TRUSTMEM_HOME"] = str(tmp_path / "nowhere")
    home.environment["DATABASE_URL"] = "nonsense"
    assert home("explain", *LIVED, "parking").returncode == 0
    assert home("score", SAMPLE).returncode == 0
    assert not (tmp_path / "nowhere").exists()


def test_a_line_that_waits_is_shown_to_wait_until_that_comes(home, tmp_path):
    newer = {"type": "edge", "id": "e", "from": "g", "to": "f", "relation": "updates", "at": "2026-01-06T09:00:00Z"}
    home("import", write(tmp_path / "f.jsonl", fact("f"), newer))
    assert "waiting for what it names" in home("explain", "f").stdout
    home("import", write(tmp_path / "g.jsonl", fact("g", "Something newer.")))
    shown = home("explain", "f").stdout
    assert "waiting" not in shown
    assert "superseded" in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["explain", "stagng-teal"], 'holds no fact "stagng-teal"; did you mean "staging-teal"'),
        (["show", "stagng-teal"], 'holds no fact "stagng-teal"; did you mean "staging-teal"'),
        (["accept", "staging"], '4 facts begin with "staging": "staging-avocet", '),
        (["forget", "nothing like it"], 'holds no fact "nothing like it"; see all with "trustmem show"'),
        (["explain", "parking", "--pass-every", "1d"], "--pass-every goes with a file"),
        (["explain", SAMPLE, "parking", "--space", "larkspur"], "--space goes with a fact of the database"),
    ],
)
def test_a_question_about_no_fact_gets_one_sentence(demo, arguments, sentence):
    done = demo(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_relation_to_nowhere_is_shown_as_such_and_heals_by_itself(home):
    cases = ROOT / "tests/cases"
    home("import", cases / "027-relation-to-nowhere.memory.jsonl")
    (row,) = home.json("show", "--json")
    assert "pump-1 feeds pump-9 (target unknown)" in home("show", row["id"]).stdout
    home("import", cases / "027-relation-to-nowhere.later.jsonl")
    assert "pump-1 feeds pump-9\n" in home("show", row["id"]).stdout


def test_reading_writes_nothing(demo):
    before = demo.sql("SELECT head_position FROM store_space")
    for command in (["show"], ["show", "parking"], ["explain", "parking"], ["hash"], ["export"], ["verify"]):
        assert demo(*command).returncode == 0
    assert demo.sql("SELECT head_position FROM store_space") == before


def test_the_history_of_a_fact_whose_import_was_undone_and_brought_back_says_so(home, tmp_path):
    home("import", write(tmp_path / "a.jsonl", fact("f")))
    file = write(tmp_path / "b.jsonl", event("restated", "f", "e", source="crm"))
    imported = home.json("import", file, "--json")[0]["import"]
    assert home("undo", imported, "--reason", "not ours").returncode == 0
    history = {each["id"]: each for each in home.json("explain", "f", "--json")[0]["history"]}
    assert history["e"]["effect"] == "undone"
    assert [each["note"] for each in history.values() if each["what"].startswith("undone")] == ["not ours"]
