"""What a person decides at the command: each is an act that says by whom, and can be taken back, but for erasing."""

import getpass
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from tests.intake.terminal import ROOT, command, edge, event, fact, write

FACTS = [fact(f"f{number}", f"The password is secret-{number}.") for number in range(25)]


@pytest.fixture
def home(home, tmp_path):
    file = write(tmp_path / "f.jsonl", *FACTS, event("restated", "f1", "e", source="crm", note="It is secret-1."))
    home("import", file, "--now", "2026-02-01T00:00:00Z")
    return home


def state(home, id):
    return home.json("show", id, "--json")[0]["state"]


def undo(home, done):
    assert done.returncode == 0, done.stderr
    return home("undo", re.search(r"trustmem undo (\S+) ", done.stdout)[1])


def test_a_fact_is_accepted_by_the_user_of_the_machine(home):
    home("accept", "f1", "--reason", "I asked them")
    assert home.json("show", "f1", "--json")[0]["tier"] == "human"
    last = home.json("explain", "f1", "--json")[0]["history"][-1]
    assert (last["what"], last["by"], last["note"]) == ("accepted", getpass.getuser(), "I asked them")


def test_a_fact_is_forgotten_and_restored_and_each_is_taken_back(home):
    forgotten = home("forget", "f1")
    assert state(home, "f1") == "forgotten"
    assert "forgotten already" in home("forget", "f1").stderr
    assert home("restore", "f1").stdout.startswith('"f1" is live again.')
    assert state(home, "f1") == "live"
    undone = undo(home, forgotten)
    assert state(home, "f1") == "live"
    assert "brings it back" in undone.stdout
    assert home("undo", "act:nothing").returncode == 2


def test_an_undo_is_undone_by_its_own_act(home):
    before = home("hash").stdout
    undone = undo(home, home("forget", "f1"))
    assert home("hash").stdout == before
    undo(home, undone)
    assert state(home, "f1") == "forgotten"


def test_what_is_erased_is_gone_from_every_file(home):
    done = home("erase", "f1", "--yes")
    assert (done.returncode, done.stdout) == (0, 'The texts of "f1" are gone.\n')
    assert state(home, "f1") == "erased"
    assert home("verify", "--rebuild").returncode == 0
    for file in filter(Path.is_file, home.folder.rglob("*")):
        assert b"secret-1." not in file.read_bytes()
    assert "secret-1." not in home("export").stdout


@pytest.fixture
def derived(home, tmp_path):
    """Facts that were made from f1, be it by way of others, and one that says the same."""
    made = [
        fact("m", "The door opens with secret-1."),
        fact("n", "The door opens."),
        fact("twin", "Mind secret-1!"),
        edge("derives", "m", "f1", "m-f1"),
        edge("derives", "n", "m", "n-m"),
    ]
    home("import", write(tmp_path / "g.jsonl", *made), "--now", "2026-02-02T00:00:00Z")
    return home


def test_what_was_made_from_what_is_erased_is_told_and_left(derived):
    done = derived("erase", "f1", "--yes")
    assert done.stdout.splitlines() == [
        'The texts of "f1" are gone.',
        "What was made from it or says the same is left; trustmem erase empties that, too:",
        '  "m" was made from it, and repeats it',
        '  "n" was made from it, and repeats none of it',
        '  "twin" repeats it, though nothing says that it was made from it',
    ]
    assert [state(derived, id) for id in ("f1", "m", "n", "twin")] == ["erased", "live", "live", "live"]
    assert derived("erase", "m", "--yes").stdout.splitlines()[2] == '  "n" was made from it, and repeats it'


def test_what_was_made_from_it_goes_in_the_same_act_if_it_is_named(derived):
    done = derived("erase", "f1", "--also", "m", "--also", "twin", "--yes")
    assert done.stdout.splitlines() == [
        'The texts of "f1", "m", "twin" are gone.',
        "What was made from it or says the same is left; trustmem erase empties that, too:",
        '  "n" was made from it, and repeats it',
    ]
    assert [state(derived, id) for id in ("f1", "m", "n", "twin")] == ["erased", "erased", "live", "erased"]
    assert "secret-1." not in derived("export").stdout
    assert derived("erase", "n", "--also", "nothing", "--yes").returncode == 2


def test_at_a_terminal_what_was_made_from_it_is_told_before_one_is_asked(derived):
    person, terminal = pty.openpty()
    running = subprocess.Popen(
        command("erase", "f1", "--also", "twin"),
        stdin=terminal,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=derived.environment,
    )
    os.write(person, b"n\n")
    asked = running.communicate()[0].decode()
    os.close(person)
    os.close(terminal)
    assert asked.startswith("What was made from it or says the same stays, but for what --also names:\n")
    assert '  "m" was made from it, and repeats it\n' in asked
    assert 'Empty the texts of "f1", “The password is secret-1.”, "twin", “Mind secret-1!”, for good?' in asked
    assert [state(derived, id) for id in ("f1", "twin")] == ["live", "live"]


def test_erasing_wants_the_whole_id_and_a_yes(home):
    for arguments in (["f1"], ["f", "--yes"], ["nothing", "--yes"]):
        done = home("erase", *arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
    assert {row["state"] for row in home.json("show", "--json")} == {"live"}


@pytest.mark.parametrize(("answer", "right"), [("n", "live"), ("", "live"), ("y", "erased")])
def test_at_a_terminal_erasing_asks(home, answer, right):
    person, terminal = pty.openpty()
    running = subprocess.Popen(
        command("erase", "f1"), stdin=terminal, stdout=subprocess.PIPE, cwd=ROOT, env=home.environment
    )
    os.write(person, f"{answer}\n".encode())
    asked = running.communicate()[0].decode()
    os.close(person)
    os.close(terminal)
    assert asked.startswith('Empty the texts of "f1", “The password is secret-1.”, for good?')
    assert state(home, "f1") == right


def test_a_pass_is_taken_and_taken_back(home):
    done = home("consolidate", "--at", "2026-02-10T00:00:00Z")
    assert "weighed 25 facts" in done.stdout
    assert "constants version 1" in home("show").stdout
    assert " 1 pass " in home("show").stdout
    earlier = home("consolidate", "--at", "2026-02-09T00:00:00Z")
    assert earlier.returncode == 2
    assert "is not later than the last one" in earlier.stderr
    assert undo(home, done).returncode == 0


def test_a_fit_is_shown_beside_what_is_in_force_and_adopted_for_a_reason(home):
    before = home("hash").stdout
    shown = home("calibrate", "--fit", "two-ages", "7", "0.8", "90", "0.3").stdout
    assert re.search(r"activation_midpoint +-1\.7000 +-1\.7655\n", shown)
    assert re.search(r"very low .* \d+ +\d+\n", shown)
    assert home("hash").stdout == before
    assert "--adopt needs --reason" in home("calibrate", "--adopt").stderr
    adopted = home("calibrate", "--fit", "two-ages", "7", "0.8", "90", "0.3", "--adopt", "--reason", "it fades slowly")
    assert "constants version 2" in home("show").stdout
    undo(home, adopted)
    assert home("hash").stdout == before


@pytest.mark.parametrize(
    ("fit", "sentence"),
    [
        (["quartiles", "1"], "--fit takes quartiles, or two-ages"),
        (["two-ages", "7", "0.8"], "--fit takes quartiles, or two-ages"),
        (["two-ages", "a", "b", "c", "d"], "must be numbers"),
        (["two-ages", "7", "0.2", "90", "0.8"], "there is no such fit: the two freshnesses"),
    ],
)
def test_what_is_no_fit_is_one_sentence(home, fit, sentence):
    done = home("calibrate", "--fit", *fit)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr


def test_what_is_forgotten_comes_in_no_more_until_it_is_lifted(home, tmp_path):
    home("forget", "f1")
    file = write(tmp_path / "again.jsonl", fact("back", "the PASSWORD is: secret-1!"))
    refused = home("import", file)
    assert refused.returncode == 3
    assert "0 new + 0 known + 1 refused + 0 waiting + 0 rejected = 1 record" in refused.stdout
    stone = re.search(r'tombstone "(\S+)" keeps it out', refused.stderr)[1]
    (told,) = home.json("import", file, "--json")
    assert [(each["status"], each["tombstone"]) for each in told["amiss"]] == [("refused", stone)]
    lifted = home("lift", stone, "--reason", "it is another one by now")
    assert lifted.stdout.startswith(f'"{stone}" is lifted. trustmem undo ')
    assert home("import", file).returncode == 0
    assert [state(home, "f1"), state(home, "back")] == ["forgotten", "live"]
    assert "is lifted already" in home("lift", stone).stderr
    assert 'has no tombstone "f1"' in home("lift", "f1").stderr
    assert home("verify", "--rebuild").returncode == 0


def test_forgetting_says_what_that_comes_to(home, tmp_path):
    newer = {"type": "edge", "id": "up", "from": "f1", "to": "f2", "relation": "updates", "at": "2026-01-06T09:00:00Z"}
    handed = event("recalled", "f1", "r", source="bot")
    home("import", write(tmp_path / "more.jsonl", newer, handed))
    first, second, done = home("forget", "f1").stdout.splitlines()
    assert first == 'It superseded 1 claim, which would hold again: look whether it should. ("f2")'
    assert second.startswith("It was handed out to 1 source: in ")
    assert done.startswith('"f1" is forgotten.')
    assert len(home("forget", "f3").stdout.splitlines()) == 1
