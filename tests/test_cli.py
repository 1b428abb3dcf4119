"""What goes wrong around a command is one sentence and a status, never a traceback."""

import signal
import subprocess

import pytest

from tests.intake.terminal import LIVED, SAMPLE, command, environment, fact, trustmem, write


def test_the_help_names_every_command_and_every_status():
    done = trustmem("--help")
    assert done.returncode == 0
    for words in ("score", "explain", "exit status: 0; 3"):
        assert words in done.stdout


@pytest.mark.parametrize("name", ["score", "explain"])
def test_a_command_explains_its_options(name):
    done = trustmem(name, "--help")
    assert done.returncode == 0
    assert "--pass-every SPAN" in done.stdout


def test_the_version_is_that_of_the_distribution():
    assert trustmem("--version").stdout.startswith("trustmem 0.")


def test_asking_for_help_loads_no_numbers_and_no_screen():
    code = "import sys; from trustmem.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "print({'numpy', 'rich', 'django'} & set(sys.modules))"
    done = subprocess.run([command()[0], "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["scroe"], "invalid choice: 'scroe'"),
        (["score"], "the following arguments are required: FILE"),
        (["score", "nowhere.jsonl"], "nowhere.jsonl: there is no such file"),
        (["score", "trustmem"], "trustmem: is a directory, not a file"),
        (["score", f"{SAMPLE}/x"], "cannot be read: Not a directory"),
        (["score", SAMPLE, "--now", "2026-06-01"], '--now: "2026-06-01" is no RFC 3339 time'),
        (["score", SAMPLE, "--now", "2026-06-01T09:00:00"], '--now: "2026-06-01T09:00:00" has no UTC offset'),
        (["score", SAMPLE, "--now", "2026-02-30T09:00:00Z"], "is a time that does not exist"),
        (["score", SAMPLE, "--pass-every", "1w"], '--pass-every: "1w" is no span, such as 1d, 12h or 30m'),
        (["score", SAMPLE, "--pass-every", "0d"], '--pass-every: "0d" is not longer than nothing'),
        (["score", SAMPLE, "--pass-every=-1d"], '--pass-every: "-1d" is not longer than nothing'),
        (["score", SAMPLE, "--pass-every", "1m"], "the limit is 100000"),
        (["explain", SAMPLE, "stagng-teal"], 'no fact "stagng-teal"; did you mean "staging-teal"'),
        (["explain", SAMPLE, "staging"], '4 facts begin with "staging": "staging-avocet", '),
        (["explain", SAMPLE, ""], 'holds no fact ""'),
        (["explain", "-", "f"], "stdin holds no facts"),
    ],
)
def test_a_question_that_cannot_be_answered_gets_one_sentence_and_status_2(arguments, sentence):
    done = trustmem(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_name_that_would_move_the_terminal_is_shown_with_marks():
    done = trustmem("score", "no\x1b[2Jwhere")
    assert "no<U+001B>[2Jwhere: there is no such file" in done.stderr


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_reader_that_has_enough_ends_the_command_quietly(tmp_path, more):
    many = write(tmp_path / "many.jsonl", *(fact(f"fact-{number}") for number in range(3000)))
    running = subprocess.Popen(
        command("score", many, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(80)
    )
    running.stdout.read(10)
    running.stdout.close()
    assert running.wait() == 141
    assert running.stderr.read() == b""
    running.stderr.close()


def test_ctrl_c_ends_the_command_quietly():
    running = subprocess.Popen(
        command("score", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    running.stdin.write(b" \n" * 200_000)  # more than a pipe holds: once this is written, the command reads
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    assert (running.returncode, out, err) == (130, b"", b"")


def test_a_full_disk_is_no_success():
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command("score", *LIVED), stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"trustmem: cannot write: No space left on device\n")


def test_a_terminal_that_knows_only_ascii_gets_the_words_all_the_same():
    done = subprocess.run(
        command("score", *LIVED), capture_output=True, env=environment(80) | {"PYTHONIOENCODING": "ascii"}, check=True
    )
    assert b"very high" in done.stdout
