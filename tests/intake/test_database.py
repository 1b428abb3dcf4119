"""The database as commands find it: made when it is first needed, and one sentence for whatever is wrong with it."""

import re
import resource
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import pytest

from tests.intake.terminal import ROOT, SAMPLE
from tests.intake.test_mcp import asked
from trustmem.cli import COMMANDS


def test_the_first_command_makes_all_that_is_missing_and_nobody_else_may_look_into_it(home, tmp_path):
    home.environment.pop("DATABASE_URL", None)
    home.environment["TRUSTMEM_HOME"] = str(tmp_path / "deep" / "home")
    done = home("show")
    assert (done.returncode, done.stdout, done.stderr) == (0, 'the space "default" holds no facts.\n', "")
    assert stat.S_IMODE((tmp_path / "deep" / "home").stat().st_mode) == 0o700
    assert (tmp_path / "deep" / "home" / "trustmem.sqlite3").exists()


def test_commands_that_start_at_once_make_the_tables_once(home, tmp_path):
    home.environment.pop("DATABASE_URL", None)
    home.environment["TRUSTMEM_HOME"] = str(tmp_path / "fresh")
    running = [home.start("space", "create", f"s{number}") for number in range(3)]
    assert [each.wait() for each in running] == [0, 0, 0]
    for each in running:
        each.stdout.close()
    assert len(home.json("space", "list", "--json")) == 3


def one_sentence(done, status=1):
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("", "DATABASE_URL has to begin with postgres:// or sqlite://"),
        ("secret", "DATABASE_URL has to begin with postgres:// or sqlite://"),
        ("postgres:secret", "DATABASE_URL has to begin with postgres:// or sqlite://"),
        ("mysql://somebody:secret@somewhere/x", "DATABASE_URL has to begin with postgres:// or sqlite://"),
        ("postgres://somebody:secret@somewhere:port/x", "DATABASE_URL is no address of a database, such as "),
        ("postgres://somebody:sec/ret@somewhere/x", "DATABASE_URL is no address of a database, such as "),
        ("postgres://somebody:secret@[::1/x", "DATABASE_URL is no address of a database, such as "),
        ("postgres://somebody:secret@somewhere", "DATABASE_URL names no database"),
        ("postgres://somebody:secret@somewhere/x?conn_max_age=long", "DATABASE_URL has a conn_max_age that is no "),
        ("sqlite://", "DATABASE_URL names no database"),
        ("sqlite:///", "DATABASE_URL names no database"),
    ],
)
def test_an_address_that_is_none_is_one_sentence_and_shows_no_password(home, url, sentence):
    home.environment["DATABASE_URL"] = url
    said = one_sentence(home("show"), status=2)
    by_manage = subprocess.run(
        [sys.executable, "manage.py", "migrate"], capture_output=True, text=True, cwd=ROOT, env=home.environment
    )
    assert one_sentence(by_manage, status=2).partition(": ")[2] == said.partition(": ")[2]
    assert sentence in said
    assert "sec" not in said


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("postgres://nobody@127.0.0.1:1/x", "cannot connect to the database: "),
        ("sqlite:////nowhere/x.sqlite3", "the database /nowhere/x.sqlite3 cannot be opened"),
    ],
)
def test_a_database_that_cannot_be_reached_is_one_sentence(home, url, sentence):
    home.environment["DATABASE_URL"] = url
    assert sentence in one_sentence(home("show"))


def test_a_file_that_is_no_database_is_left_alone(home, file_of_home):
    for each in home.folder.glob("trustmem.sqlite3*"):
        each.unlink()
    file_of_home.write_text("my diary " * 100)
    assert "is no database" in one_sentence(home("show"))
    assert file_of_home.read_text() == "my diary " * 100


def test_a_home_that_cannot_be_made_is_one_sentence(home, file_of_home, tmp_path):
    (tmp_path / "taken").write_text("")
    home.environment["TRUSTMEM_HOME"] = str(tmp_path / "taken" / "home")
    assert "cannot be made: Not a directory" in one_sentence(home("show"))


def test_a_database_of_a_newer_version_is_left_alone(home):
    home.sql("INSERT INTO django_migrations (app, name, applied) VALUES ('store', '9999_later', '2030-01-01')")
    assert "made by a newer version of trustmem (9999_later)" in one_sentence(home("show"))


def test_where_the_disk_is_full_nothing_is_half_written(home, file_of_home):
    home("space", "list")
    room = 100_000  # less than the log of the import takes
    limited = home("import", SAMPLE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
    assert "the disk is full" in one_sentence(limited)
    assert home("verify", "--rebuild").returncode == 0
    assert home("import", SAMPLE).returncode == 0


def test_a_busy_database_is_one_sentence(home, file_of_home, tmp_path):
    home("space", "list")
    code = "from trustmem import settings, cli; settings._SQLITE_OPTIONS['timeout'] = 0.1; raise SystemExit(cli.main())"
    with closing(sqlite3.connect(file_of_home, isolation_level=None)) as somebody:
        somebody.execute("BEGIN IMMEDIATE")
        hasty = [sys.executable, "-c", code, "space", "create", "s"]
        done = subprocess.run(hasty, capture_output=True, text=True, cwd=ROOT, env=home.environment, check=False)
    assert "is busy: something else has been writing to it" in one_sentence(done)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_its_options(home, name):
    done = home(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: trustmem {name} ")
    for part in _parts(done.stdout):
        of_part = home(name, part, "--help")
        assert (of_part.returncode, of_part.stderr) == (0, "")
        assert of_part.stdout.startswith(f"usage: trustmem {name} {part} ")


def _parts(says: str) -> list[str]:
    """The commands that a command has of its own, as its usage names them."""
    found = re.search(r"^usage: .*? ([\w-]+(?:\|[\w-]+)+) \.\.\.$", says, re.MULTILINE)
    return found[1].split("|") if found else []


def test_commands_of_commands_are_found_and_explained():
    usage = "usage: trustmem constants [-h] list|show|diff|adopt|rollback ...\n"
    assert _parts(usage) == ["list", "show", "diff", "adopt", "rollback"]


def test_nobody_else_on_the_machine_reads_the_database_whatever_folder_it_is_in(home, tmp_path):
    home.environment.pop("DATABASE_URL", None)
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    home.environment["TRUSTMEM_HOME"] = str(folder)
    assert home("space", "list").returncode == 0
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.glob("trustmem.sqlite3*")} == {0o600}


def test_the_door_over_mcp_finds_a_database_again_that_was_started_anew(home, token, port):
    assert {asked(port, token) for _ in range(5)} == {200}
    if home.database:
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        home.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
    told = [asked(port, token) for _ in range(40)]
    assert {*told} <= {200, 503}  # each thread that held a connection learns of it once
    assert {*told[-10:]} == {200}
