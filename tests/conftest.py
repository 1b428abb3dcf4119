"""What every test can count on: the real data where there are some, a database as people have it, and no quiet skip
in CI."""

import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.conf import settings as django_settings
from django.db import connection, transaction
from django.test import TransactionTestCase
from hypothesis import settings

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("TRUSTMEM_DATA") or ROOT.parent / "shared" / "data")
Report = pytest.TestReport | pytest.CollectReport
IN_CI = bool(os.environ.get("CI"))

# A busy machine is no fault of a law; and the same commit gives the same answer twice. What a law says of histories is
# seen on SQLite; PostgreSQL has to show that it does the same.
EXAMPLES = 60 if connection.vendor == "sqlite" else 30
settings.register_profile("house", deadline=None, derandomize=IN_CI, max_examples=EXAMPLES)
settings.register_profile("thorough", deadline=None, max_examples=2000)


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real memories and histories; for tests marked `realdata`."""
    return DATA


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """On SQLite the database of the tests is a file, as it is for people: with WAL, and open to other processes."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "tests.sqlite3")


@pytest.fixture
def database_url(transactional_db: None) -> str:
    """The DATABASE_URL by which another process works in the database of the tests."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"


@pytest.fixture
def lifted(db: None) -> Callable[[], AbstractContextManager[None]]:
    """`with lifted():` lines and texts can be tampered with."""
    return _lifted


@contextmanager
def _lifted() -> Iterator[None]:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            off, on = ["SET session_replication_role = replica"], ["SET session_replication_role = DEFAULT"]
        else:
            triggers = cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            off, on = [f"DROP TRIGGER {name}" for name, _ in triggers], [sql for _, sql in triggers]
        for statement in off:
            cursor.execute(statement)
        yield
        for statement in on:
            cursor.execute(statement)


@pytest.fixture(scope="session", autouse=True)
def _emptied_by_rows() -> Iterator[None]:
    """A test that commits ends with every table emptied: row by row, of which there are few, where Django would make
    each table anew, and all permissions. The triggers would refuse that of lines and texts."""

    def empty(test: TransactionTestCase) -> None:
        tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
        if connection.vendor == "sqlite":  # Django knows nothing of a virtual table
            tables.append("store_words")
        with connection.constraint_checks_disabled(), transaction.atomic(), _lifted(), connection.cursor() as cursor:
            for table in sorted({*tables} - _OF_DJANGO):
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        yield


#: What migrating fills.
_OF_DJANGO = {"auth_permission", "django_content_type", "django_migrations"}


def pytest_configure(config: pytest.Config) -> None:
    """Whoever rings for a worker in a test puts that into a folder of the tests, not of the person who runs them."""
    home = TemporaryDirectory(prefix="trustmem-tests-")
    config.add_cleanup(home.cleanup)
    django_settings.HOME = Path(home.name)
    # Ctrl-C is ignored by what a shell runs in the background, and by all that this starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile("thorough" if config.getoption("thorough") else "house")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="draw many more histories for each law, and compare all that is stored after each step: takes hours",
    )
    parser.addoption(
        "--weeks",
        type=int,
        default=40,
        help="live through so many of the 377 weeks of a real history; all take minutes",
    )
    parser.addoption(
        "--steps-apart",
        type=int,
        default=None,
        help="kill acts and imports at each so many-th step (default: each third on SQLite, each tenth on PostgreSQL)",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what there are no data for; and on PostgreSQL what needs no second database to be seen in."""
    without = [
        item
        for item in items
        if (item.get_closest_marker("realdata") and not DATA.is_dir())
        or (connection.vendor == "postgresql" and not _may_ask_a_database(item))
    ]
    config.hook.pytest_deselected(items=without)
    items[:] = [item for item in items if item not in set(without)]


#: Pages and commands ask the database by store and actions, which are tried on PostgreSQL, too. Of their own tests
#: those run there that render every page, list, or write from several sides.
_ON_BOTH = {
    "desk": {
        *("access", "batches", "clicks", "deciding", "detector", "duplicates"),
        *("facts", "review", "search", "states", "words"),
    },
    "intake": {
        *("access", "at_once", "bulk", "feedback", "reading", "rest", "signed_claims", "torn"),
        *("cases", "consolidate", "database", "imports", "serve"),
    },
}
#: What is made up in a file alone, or reckoned from lines that were read.
_ON_ONE = {"attest", "demo"}
#: Which actions are killed at all is the same on both.
_ONCE = "test_every_action_that_writes_is_killed_here_or_is_told_why_not"
#: The tests of which a real history is lived through on PostgreSQL as well.
_LIVED = "lived"


def _may_ask_a_database(item: pytest.Item) -> bool:
    """Elsewhere than in these folders, what asks one has it from pytest-django, or a home of its own (tests/intake)."""
    folder, about = item.path.parent.name, item.path.stem.removeprefix("test_")
    if about not in _ON_BOTH.get(folder, {about}) or (folder == "actions" and about in _ON_ONE) or item.name == _ONCE:
        return False
    if item.get_closest_marker("realdata") and about != _LIVED:
        return False
    if folder in ("actions", "desk", "pgvector", "redis", "store", "work"):
        return True
    return bool({"db", "empty"} & set(getattr(item, "fixturenames", ()))) or bool(item.get_closest_marker("django_db"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not DATA.is_dir():
        terminalreporter.write_line(
            f"realdata: not run. These tests read real memories that are no part of the project, from {DATA}, which is "
            "not there; TRUSTMEM_DATA names another folder"
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Report, Report]:
    return _refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Report, Report]:
    return _refuse_skip((yield))


def _refuse_skip(report: Report) -> Report:
    """In CI a test that was skipped proved nothing, so it failed."""
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {report.longrepr[-1]}"
    return report
