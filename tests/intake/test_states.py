"""Every command tells of facts in just those states that it says it tells of; of what is erased none tells anything. A
new command says so by `shows` at its `run`, and has a line here."""

from importlib import import_module
from typing import NamedTuple

import pytest

from tests import states
from tests.states import KEPT, STAND
from trustmem.cli import COMMANDS
from trustmem.core.vocabulary import STATES

NOTHING = ""
#: These answer nobody: what they serve is looked at elsewhere.
SERVERS = {"serve", "web", "worker", "beat", "mcp"}


class Command(NamedTuple):
    """A command, and of facts in which states it tells what they say."""

    line: str
    tells: str


#: Those that write come last.
LINES = (
    Command("show", STAND),
    Command("show hub", NOTHING),
    *(Command(f"show {state}", state if state != "erased" else NOTHING) for state in STATES),
    Command("explain hub", STAND),
    *(Command(f"explain {state}", state if state != "erased" else NOTHING) for state in STATES),
    Command("explain forgotten --json", "forgotten"),
    Command("search sentinel", "forgotten"),  # in the place of the others stands the hub
    Command("search sentinel --history", KEPT),
    Command("search sentinel --json --history", KEPT),
    Command("review", KEPT),
    Command("duplicates", NOTHING),
    Command("detector", NOTHING),
    Command("score {file}", KEPT),
    Command("export", KEPT),
    Command("export --scores", NOTHING),
    Command("passes", NOTHING),
    Command("calibrate", NOTHING),
    *(Command(f"constants {what}", NOTHING) for what in ("list", "show", "diff 1 1")),
    Command("keys list", NOTHING),
    Command("tokens list", NOTHING),
    Command("sign {own} --key door --private {private}", NOTHING),
    Command("verify", NOTHING),
    Command("hash", NOTHING),
    Command("space list", NOTHING),
    Command("space share", NOTHING),
    Command("link", NOTHING),
    Command("demo", NOTHING),
    Command("import {file} --space diary", NOTHING),
    Command("consolidate --space diary", NOTHING),
    Command("detect --space diary", NOTHING),
    Command("accept live --space diary", NOTHING),
    Command("forget live --space diary", NOTHING),
    Command("restore live --space diary", NOTHING),
    Command("lift {tombstone} --space diary", NOTHING),
    Command("undo {act} --space diary", NOTHING),
    Command("erase live --yes --space diary", NOTHING),
)


@pytest.fixture
def given(home, tmp_path) -> dict[str, object]:
    file = tmp_path / "states.jsonl"
    file.write_bytes(b"".join(states.as_file()))
    home("space", "create", "diary")
    home("import", file, "--now", "2026-06-01T00:00:00Z")
    forgotten = home("forget", "forgotten")
    ((tombstone,),) = home.sql("SELECT name FROM store_tombstone")
    private, own = tmp_path / "private", tmp_path / "own.jsonl"
    own.write_text('{"type": "fact", "id": "own", "text": "Tea.", "source": "ana", "at": "2026-01-01T00:00:00Z"}')
    home("keys", "new", private)
    home("keys", "register", "door", "--source", "ana", "--private", private)
    return {
        "file": file,
        "private": private,
        "own": own,
        "act": forgotten.stdout.split("trustmem undo ")[1].split()[0],
        "tombstone": tombstone,
    }


def test_every_command_tells_of_facts_in_the_states_that_are_said(home, given):
    told = {}
    for line, _ in LINES:
        done = home(*line.format(**given).split())
        told[line] = (states.told(done.stdout), states.told(done.stderr))
        assert done.returncode == (2 if line == "calibrate" else 0), done.stderr  # that asks for more facts
    assert told == {line: (tells, NOTHING) for line, tells in LINES}


def test_every_command_has_a_line_here_and_says_at_its_run_what_it_may_tell():
    assert {line.split()[0] for line, _ in LINES} | SERVERS == set(COMMANDS)
    for line, tells in LINES:
        run = import_module(f"trustmem.intake.shell.{COMMANDS[line.split()[0]].module}").run
        assert {STATES.index(each) for each in tells.split()} <= run.shows.to_reviewers, line
