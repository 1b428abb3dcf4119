"""`trustmem import`: every record is answered, and what was cut short is finished by the same command."""

import json
import os
import re
import signal
import time

import pytest

from tests.conftest import ROOT
from tests.intake.terminal import LIVED, NOW, SAMPLE, event, fact, trustmem, write

SUMS = re.compile(r"(\d+) new \+ (\d+) known \+ (\d+) refused \+ (\d+) waiting \+ (\d+) rejected = (\d+) records?")


def balance(done):
    *parts, total = map(int, SUMS.search(done.stdout).groups())
    assert sum(parts) == total
    return parts


def test_a_file_is_taken_once_however_often_it_comes(home):
    first, again = home("import", *LIVED), home("import", *LIVED)
    assert balance(first) == [122, 0, 0, 0, 0]
    assert balance(again) == [0, 122, 0, 0, 0]
    assert (first.returncode, again.returncode, again.stderr) == (0, 0, "")
    assert "28 facts and 104 passes" in again.stdout
    assert "undo" not in again.stdout  # it brought nothing


def test_it_has_the_scores_that_the_file_has(home):
    home("import", *LIVED)
    mine = home.json("export", "--scores", "--now", NOW)
    right = [json.loads(line) for line in trustmem("score", *LIVED, "--json").stdout.splitlines()]
    assert [row["id"] for row in mine] == [row["id"] for row in right]
    for found, expected in zip(mine, right, strict=True):
        # A file goes by the constants of which a space makes its first version.
        assert (found.pop("constants_version"), expected.pop("constants_version")) == (1, None)
        for name, value in expected.items():
            assert found[name] == (pytest.approx(value, abs=1e-9) if isinstance(value, float | dict) else value)


def test_lines_that_are_amiss_are_named_and_the_others_taken(home, tmp_path):
    lines = [fact("a"), "garbage", fact("a", "Something else."), event("recalled", "b", "e")]
    file = write(tmp_path / "f.jsonl", *lines)
    done = home("import", file)
    assert done.returncode == 3
    assert balance(done) == [1, 0, 1, 1, 1]
    assert done.stderr.splitlines() == [
        "rejected: line 2: is not JSON at character 0: expecting value",
        'refused: line 3: "a" stands on line 1 with other content',
        'waiting: line 4: "fact" names "b", which is unknown',
    ]


def test_what_takes_back_what_people_decided_is_said_where_there_are_facts(home, tmp_path):
    new = home("import", write(tmp_path / "f.jsonl", fact("a"), fact("b"), event("erased", "b", "e")))
    gone = {"type": "fact", "id": "c", "at": "2026-01-05T09:00:00Z", "erased": True, "digest": "0f"}
    more = home("import", write(tmp_path / "g.jsonl", event("erased", "a", "f"), gone))
    assert (new.returncode, new.stderr, more.returncode) == (0, "", 0)
    said = "2 lines take back or decide what people decided here: 2 erase a fact for good"
    assert said in more.stderr


def test_for_machines_there_is_one_object(home, tmp_path):
    found = home.json("import", write(tmp_path / "f.jsonl", fact("a"), "garbage"), "--json")[0]
    assert (found["space"], found["records"], found["new"], found["rejected"]) == ("default", 2, 1, 1)
    assert [(each["number"], each["status"]) for each in found["amiss"]] == [(2, "rejected")]


def test_a_dry_run_says_the_same_and_writes_nothing(home):
    before = home.json("space", "list", "--json")
    dry = home("import", *LIVED, "--dry-run")
    assert balance(dry) == [122, 0, 0, 0, 0]
    assert home.json("space", "list", "--json") == before == []
    home("import", *LIVED)
    after = home("hash").stdout
    assert balance(home("import", SAMPLE, "--dry-run")) == [0, 122, 0, 0, 0]
    assert home("hash").stdout == after
    assert home.json("space", "list", "--json")[0]["lines"] == home.sql("SELECT COUNT(*) FROM store_line")[0][0]


def test_strict_takes_all_or_nothing(home, tmp_path):
    amiss = home("import", write(tmp_path / "f.jsonl", fact("a"), "garbage"), "--strict")
    assert (amiss.returncode, amiss.stdout) == (2, "")
    assert "taken as a whole or not at all, and line 2: is not JSON" in amiss.stderr
    assert home.sql("SELECT COUNT(*) FROM store_line") == [(0,)]
    assert balance(home("import", write(tmp_path / "g.jsonl", fact("a")), "--strict")) == [1, 0, 0, 0, 0]


def test_stdin_is_a_file_too(home):
    done = home("import", "-", stdin=json.dumps(fact("a")).encode())
    assert balance(done) == [1, 0, 0, 0, 0]
    assert done.stdout.startswith("stdin ")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"results": [{"memory": "likes tea"}]}\n', "it looks like one JSON document"),
        (b"SQLite format 3\x00\x10\x00", "it looks like a SQLite database"),
    ],
)
def test_what_is_none_of_our_files_is_refused_whole(home, content, sentence):
    done = home("import", "-", stdin=content)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"stdin: {sentence}" in done.stderr
    assert home.sql("SELECT COUNT(*) FROM store_line") == [(0,)]


def test_an_import_that_was_killed_is_finished_by_the_same_command(new_home, tmp_path):
    lines = [fact(f"f{number}", f"Claim {number}.", source=f"s{number % 7}") for number in range(8_000)]
    lines += [event("restated", f"f{number}", f"e{number}", source="crm") for number in range(3_000)]
    asked = ("import", write(tmp_path / "many.jsonl", *lines), "--now", NOW, "--pass-every", "12h")
    whole, cut = new_home(), new_home()
    running = cut.start(*asked)
    while not (written := cut.sql("SELECT COUNT(*) FROM store_line")[0][0]):
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    assert written % 5000 == 0
    assert "are not in this yet" in cut("show", "--json").stderr
    assert "cut short" in cut("verify", "--rebuild").stdout
    assert cut("verify").returncode == 0

    done = cut(*asked)
    assert balance(done) == balance(whole(*asked)) == [11_000, 0, 0, 0, 0]
    assert cut("hash").stdout == whole("hash").stdout
    assert cut("verify", "--rebuild").returncode == 0


def test_two_spaces_are_kept_apart_and_a_wrong_name_is_answered_with_a_close_one(home, tmp_path):
    assert home("space", "create", "work", "--title", "At work").stdout == 'Made the space "work".\n'
    assert home("space", "create", "home").returncode == 0
    assert 'there is a space "work" already' in home("space", "create", "work").stderr
    home("import", write(tmp_path / "f.jsonl", fact("a")), "--space", "work")
    assert [row["id"] for row in home.json("show", "--json", "--space", "work")] == ["a"]
    assert home("show", "--space", "home").stdout == 'the space "home" holds no facts.\n'
    assert 'there is no space "wrok"; did you mean "work"?' in home("show", "--space", "wrok").stderr
    unclear = home("show")
    assert unclear.returncode == 2
    assert 'there are 2 spaces: name one with --space: "home", "work"' in unclear.stderr
    listed = home.json("space", "list", "--json")
    assert [(each["name"], each["facts"]) for each in listed] == [("home", 0), ("work", 1)]
    assert "work · 1 fact · " in home("space", "list").stdout


def test_an_empty_space_takes_the_name_that_a_file_gives_it_and_says_so(home):
    done = home("import", *LIVED)
    assert 'the space "default" took the name that the file gives it: "larkspur"' in done.stderr
    assert [each["name"] for each in home.json("space", "list", "--json")] == ["larkspur"]


def test_a_space_is_still_called_what_it_was_made_as_after_it_took_the_name_of_a_file(home):
    home("space", "create", "work")
    home("space", "create", "other")
    first, again = (home("import", SAMPLE, "--space", "work") for _ in range(2))
    assert '"larkspur"; --space work finds it too' in first.stderr
    assert (balance(first), balance(again)) == ([122, 0, 0, 0, 0], [0, 122, 0, 0, 0])
    assert (again.returncode, again.stderr) == (0, "")
    assert home("hash", "--space", "work").stdout == home("hash", "--space", "larkspur").stdout
    listed = home.json("space", "list", "--json")
    assert [(each["name"], each["alias"]) for each in listed] == [("larkspur", "work"), ("other", "")]
    assert "larkspur · also work · " in home("space", "list").stdout
    for name in ("work", "larkspur"):
        assert f'there is a space "{name}" already' in home("space", "create", name).stderr
    assert 'did you mean "work"?' in home("show", "--space", "wokr").stderr


def test_the_default_space_stays_the_default_under_the_name_of_a_file(home, tmp_path):
    home("import", SAMPLE)
    home("space", "create", "other")
    assert balance(home("import", SAMPLE)) == [0, 122, 0, 0, 0]
    assert home("show").stdout.startswith("Larkspur")


def test_a_file_does_not_take_a_name_by_which_another_space_is_called(home, tmp_path):
    home("space", "create", "work")
    home("import", SAMPLE, "--space", "work")
    home("space", "create", "other")
    space = {"type": "space", "id": "work", "at": "2026-01-01T00:00:00Z"}
    refused = home("import", write(tmp_path / "f.jsonl", space), "--space", "other")
    assert refused.returncode == 3
    assert 'refused: line 1: there is a space "work" already, so that this one keeps its own name' in refused.stderr


def test_an_mcp_memory_file_says_whose_words_it_holds(home):
    file = ROOT / "tests/cases/027-relation-to-nowhere.later.jsonl"
    home("import", file, "--source", "notes")
    (row,) = home.json("show", "--json")
    assert "by notes" in home("show", row["id"]).stdout
    assert balance(home("import", file, "--source", "diary")) == [1, 1, 0, 0, 0]
    assert balance(home("import", file, "--source", "diary")) == [0, 2, 0, 0, 0]
