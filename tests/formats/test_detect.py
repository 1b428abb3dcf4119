"""Which format a file is in, told from how it starts."""

import json
from pathlib import Path

import pytest

from trustmem.formats.detect import detect, looks_like

TESTS = Path(__file__).parent.parent
START = 1 << 16


@pytest.mark.parametrize(
    "start",
    [
        b'{"type":"entity","name":"Ada","entityType":"person","observations":["Likes tea."]}\n',
        b'{"type":"entity","name":"Ada","facts":["Likes tea."]}',
        b'{"type": "relation", "from": "a", "to": "b", "relationType": "knows"}\r\n',
        b'\xef\xbb\xbf{"type":"_aim","source":"a-tool"}\n',
        b'{"name":"Ada","entityType":"person","observations":[],"_type":"entity"}',
        b'{"entities": [], "relations": []}',
        b'{\n  "relations": [\n    {"from": ',
        b'{"version": "1", "exported": 3,\n "entities": [',
        b'{"type":"entity","name":"report-job","entityType":"service","observ\n',
        b'{"type":"entity","name":"Ada","entityType":"person","observations":["' + b"x" * START,
    ],
)
def test_mcp_memory_files_are_known(start):
    assert detect(start) == "mcp"


@pytest.mark.parametrize(
    "start",
    [
        b'{"type": "entity", "id": "n", "name": "Ada", "kind": "person", "at": "2026-01-05T08:09:10Z"}\n',
        b'{"type": "fact", "id": "f", "text": "It rains.", "entities": ["n"], "at": "2026-01-05T08:09:10Z"}',
        b'{"type": "case", "id": "q", "kind": "conflict", "facts": ["f"], "at": "2026-01-05T08:09:10Z"}\n',
        b'{"at": "2026-01-05T08:09:10Z", "type": "pass"}\n',
        b'torn\n{"type": "fact"}\n',
        b'{"type": "fact", "id": "f", "text": "' + b"x" * START,
        b'{"type":"fact","id":"f","at":"2026-01-05T08:09:10Z","text":"x","meta":{"entityType":"person"}}\n',
    ],
)
def test_interchange_files_are_known(start):
    assert detect(start) == "interchange"


@pytest.mark.parametrize("path", sorted((TESTS / "vectors").rglob("*.jsonl")), ids=lambda path: path.stem)
def test_the_scenarios_are_interchange_files(path):
    assert detect(path.read_bytes()[:START]) == "interchange"


@pytest.mark.parametrize("path", sorted((TESTS / "cases").glob("*.memory.jsonl")), ids=lambda path: path.stem)
def test_the_memories_of_the_cases_are_mcp_memory_files(path):
    assert detect(path.read_bytes()[:START]) == ("mcp" if path.stat().st_size else None)


@pytest.mark.parametrize(
    ("start", "seems"),
    [
        (b"", None),
        (b"\n", None),
        (b"garbage\n", None),
        (b'{"type": "fact"}\n', None),
        (b'{"type":"relation","from":"a","to":"b","relationType":"knows"}', "an MCP memory file"),
        (b'{"results": [{"memory": "likes tea"}]}', "one JSON document"),
        (b'{"nodes": [], "edges": []}', "one JSON document"),
        (b"[]", "one JSON document"),
        (b'{"content": "A.", "kind_id": "b"}\n' * 2, 'JSON Lines of another tool, the first with "content", "kind_id"'),
        (b'{"type": "storage", "content": "A."}', 'JSON Lines of another tool, the first with "type", "content"'),
        (b"SQLite format 3\0", "a SQLite database"),
        ("# Notes".encode("utf-16"), "text in UTF-16"),
        (b"\x7fELF\0\0", "a binary file"),
        (b"# Notes\n", "a text document"),
    ],
)
def test_what_is_in_no_format_of_ours_is_told_what_it_looks_like(start, seems):
    assert seems == looks_like(start) if seems is None else (looks_like(start) or "").startswith(seems)


@pytest.mark.realdata
def test_every_memory_in_the_wild_is_known_and_the_two_of_another_shape_are_told_so(realdata):
    found = {path: path.read_bytes()[:START] for path in (realdata / "memstores").rglob("*.json*")}
    others = {"fabric", "soundcloud-sets"}
    assert len(found) == 65
    for path, start in found.items():
        other = bool(others.intersection(path.parts))
        assert detect(start) == (None if other else "mcp"), path
        assert (looks_like(start) or "").startswith("JSON Lines of another tool" if other else "an MCP memory file")


@pytest.mark.realdata
def test_the_tables_of_other_tools_are_no_format_of_ours(realdata):
    for folder in ("graphiti", "letta-af", "mcp-memory-service", "mem0"):
        for path in (realdata / folder).glob("*.json*"):
            assert detect(path.read_bytes()[:START]) is None, path


def test_keys_in_the_sentence_move_no_terminal():
    assert "\x1b" not in (looks_like(json.dumps({"a\x1b[2J": 1, "type": "x"}).encode()) or "")
