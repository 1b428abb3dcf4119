"""How often a token may ask: counted together by all doors and processes, and never a reason to answer nobody."""

import subprocess
import sys
from pathlib import Path
from time import time

import httpx
import pytest
from django.conf import settings

from tests import ports
from tests.intake.terminal import ROOT
from tests.work.workers import wait_for
from trustmem.intake import counting

#: As so many processes as one likes do: each prints what it is told.
COUNT = """
import django
django.setup()
from trustmem.intake import counting
for _ in range(200):
    print(counting.count("token-read", 7))
"""
SEARCH = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "search", "arguments": {"query": "tea"}},
}
SPEAKS = {"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-06-18"}


@pytest.fixture
def minute(monkeypatch, tmp_path) -> int:
    monkeypatch.setattr(settings, "HOME", tmp_path)
    return int(time()) // 60


def test_what_a_token_asks_by_one_door_counts_at_the_other(home, token, request):
    home.environment["LIMIT_READ"] = "4"
    at, shows = ports.free(), {"Authorization": f"Bearer {token}"}
    mcp = request.getfixturevalue("port")
    with home.start("web", "--port", str(at)) as web, httpx.Client(headers=shows) as agent:
        desk = f"http://127.0.0.1:{at}/api/v1"

        def listed():
            return agent.get(f"{desk}/facts")

        def found():
            told = agent.post(f"http://127.0.0.1:{mcp}/mcp", json=SEARCH, headers=SPEAKS).json()["result"]
            return told["isError"], str(told["content"])

        wait_for(lambda: is_open(f"{desk}/health"))
        answers = [listed().status_code if n % 2 else found()[0] for n in range(10)]
        # A minute may have ended in between, in which four were answered.
        assert answers.count(429) >= 1 and answers.count(True) >= 1
        assert 4 <= answers.count(200) + answers.count(False) <= 8
        late, (_, said) = next(each for each in iter(listed, None) if each.status_code == 429), found()
        assert 1 <= int(late.headers["Retry-After"]) <= 60
        assert late.json()["detail"] == "this token has asked 4 times in a minute, its share"
        assert "this token has asked 4 times in a minute, its share; ask again in " in said
        assert agent.get(f"{desk}/health").status_code == 200
        web.terminate()


def is_open(address):
    try:
        return httpx.get(address).status_code == 200
    except httpx.TransportError:
        return False


def test_of_many_processes_at_once_no_two_are_told_the_same_count(home):
    command, environment = (
        [sys.executable, "-c", COUNT],
        home.environment | {"DJANGO_SETTINGS_MODULE": "trustmem.settings"},
    )
    running = [subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE) for _ in range(4)]
    told = [int(line) for each in running for line in each.communicate()[0].split()]
    assert sorted(told) == list(range(1, 801))


def test_each_token_scope_and_minute_counts_by_itself(minute):
    assert [counting.count(key, minute) for key in ("a", "b", "a")] == [1, 1, 2]
    assert counting.count("a", minute + 1) == 1


def test_what_was_counted_long_ago_is_swept_away(minute, tmp_path):
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked" / "not ours").touch()
    for later in range(5):
        counting.count("a", minute + later)
    kept = {each.name for each in (tmp_path / "asked").iterdir()}
    assert kept == {"not ours", str(minute + 3), str(minute + 4)}


def test_where_the_home_cannot_be_written_each_process_counts_for_itself(minute, tmp_path):
    (tmp_path / "asked").write_text("this is no folder")
    assert [counting.count("alone", minute) for _ in range(3)] == [1, 2, 3]
    assert counting.count("alone", minute + 1) == 1


def test_nobody_else_on_the_machine_looks_into_it(minute, tmp_path):
    counting.count("a", minute)
    (folder,) = (tmp_path / "asked").iterdir()
    assert [mode(each) for each in (folder, Path(folder, "a"))] == [0o700, 0o600]


def mode(path):
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("given", ["soon", "0", "-1", "1.5", "²"])
def test_a_limit_that_is_none_is_one_sentence(home, given):
    home.environment["LIMIT_FEEDBACK"] = given
    done = home("space", "list")
    told = "trustmem: LIMIT_FEEDBACK is no number of requests a minute\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
