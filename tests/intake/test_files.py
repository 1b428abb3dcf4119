"""Where lines come from, and what becomes of files that are no interchange files."""

import gzip
import json

import pytest

from tests.intake.terminal import LIVED, ROOT, SAMPLE, fact, trustmem, write

FILE, *REST = LIVED


def sample():
    with open(SAMPLE, "rb") as file:
        return file.read()


def test_a_compressed_file_is_known_by_its_first_bytes_whatever_its_name(tmp_path):
    packed = tmp_path / "memory.txt"
    packed.write_bytes(gzip.compress(sample()))
    assert trustmem("score", packed, *REST, "--json").stdout == trustmem("score", *LIVED, "--json").stdout


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_dash_is_stdin_plain_or_compressed(pack):
    done = trustmem("score", "-", *REST, stdin=pack(sample()))
    assert done.returncode == 0
    assert done.stdout.startswith("stdin · 28 facts: ")


def test_a_compressed_file_that_was_cut_off_is_refused_whole(tmp_path):
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(sample())[:-100])
    done = trustmem("score", cut)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is gzip, and damaged or cut off" in done.stderr


@pytest.mark.parametrize("content", [b"", b"\n\n", b'{"type": "pass", "at": "2026-01-01T00:00:00Z"}\n'])
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_file_without_facts_says_so_and_is_no_error(content, more):
    done = trustmem("score", "-", *more, stdin=content)
    assert done.returncode == 0
    assert (done.stderr if more else done.stdout) == "stdin holds no facts.\n"
    assert (done.stdout if more else done.stderr) == ""


@pytest.mark.parametrize(
    ("content", "seems"),
    [
        (b'{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}\n', "an MCP memory file"),
        (b'{"type":"relation","from":"a","to":"b","relationType":"knows"}\n', "an MCP memory file"),
        (b'{"results": [{"memory": "likes tea"}]}\n', "one JSON document"),
        (b'{\n "results": []\n}\n', "one JSON document"),
        (b"[]\n", "one JSON document"),
        ("# Notes\n".encode("utf-16"), "text in UTF-16"),
        (b"SQLite format 3\x00\x10\x00", "a SQLite database"),
        (b"\x7fELF\x00\x00\n", "a binary file"),
        (b"# Notes\n- likes tea\n", "a text document"),
    ],
)
def test_a_file_none_of_whose_lines_is_understood_is_refused_and_told_what_it_looks_like(content, seems):
    done = trustmem("score", "-", stdin=content)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"stdin: none of its lines was understood; it looks like {seems}" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_mcp_memory_file_is_told_where_it_will_be_taken_in():
    done = trustmem("score", ROOT / "tests/cases/013-torn-line-in-middle.memory.jsonl")
    assert done.returncode == 2
    assert "trustmem import" in done.stderr


def test_a_file_that_looks_like_nothing_we_know_gets_the_reason_of_its_first_line():
    done = trustmem("score", "-", stdin=b'{"type": "fact"}\n{"type": "fact"}\n')
    assert done.returncode == 2
    assert "none of its lines was understood; line 1: " in done.stderr


def test_lines_that_are_amiss_are_named_and_the_others_scored(tmp_path):
    file = write(
        tmp_path / "f.jsonl",
        fact("a"),
        "garbage",
        fact("a", "Something else."),
        {"type": "event", "id": "e", "kind": "recalled", "fact": "b", "at": "2026-01-06T00:00:00Z"},
    )
    done = trustmem("score", file, "--json")
    assert done.returncode == 3
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["a"]
    assert done.stderr.splitlines() == [
        "rejected: line 2: is not JSON at character 0: expecting value",
        'refused: line 3: "a" stands on line 1 with other content',
        'waiting: line 4: "fact" names "b", which is unknown',
    ]
    assert trustmem("explain", file, "a").returncode == 3


def test_of_many_lines_that_are_amiss_twenty_are_named(tmp_path):
    done = trustmem("score", write(tmp_path / "f.jsonl", fact("a"), *["garbage"] * 27))
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 21
    assert done.stderr.endswith("and 7 more\n")


def test_constants_that_are_refused_are_named(tmp_path):
    values = {"band_edges": [0.8, 0.7, 0.6, 0.5]}
    change = {"type": "constants", "id": "c", "version": 2, "values": values, "at": "2026-01-01T00:00:00Z"}
    done = trustmem("score", write(tmp_path / "f.jsonl", change, fact("a")))
    assert done.returncode == 3
    assert done.stderr == 'refused: line 1: "band_edges" must rise\n'


def test_a_retired_constant_is_passed_over_with_a_notice(tmp_path):
    values = {"reconfirm_boost": 1}
    change = {"type": "constants", "id": "c", "version": 2, "values": values, "at": "2026-01-01T00:00:00Z"}
    done = trustmem("score", write(tmp_path / "f.jsonl", change, fact("a")))
    assert done.returncode == 0
    assert done.stderr == 'notice: line 1: the constant "reconfirm_boost" is retired, its value was ignored\n'
