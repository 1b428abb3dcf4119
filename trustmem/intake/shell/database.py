"""The database as commands find it: made, up to date, and with one sentence for whatever goes wrong with it.

Django is loaded only in functions, so that a command that needs no database starts without it.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trustmem.explanations.text import visible
from trustmem.intake.shell import Failure, Refusal

#: What SQLite says, and how people are told; `{}` is the file.
_OF_SQLITE = {
    "database is locked": "the database {} is busy: something else has been writing to it all the while; try again",
    "unable to open database file": "the database {} cannot be opened",
    "attempt to write a readonly database": "the database {} cannot be written to",
    "database or disk is full": "the database {} cannot grow: the disk is full",
    "disk I/O error": "the database {} cannot be written or read: the disk is full or failing",
    "file is not a database": "{} is no database",
    "database disk image is malformed": "the database {} is damaged",
}


def set_up() -> None:
    """Loads Django with our settings. Raises Refusal where those cannot be, and Failure."""
    import django
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trustmem.settings")
    try:
        settings.DATABASES  # noqa: B018 (loads them)
    except ImproperlyConfigured as error:
        raise Refusal(str(error)) from None
    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise Failure(f"the database cannot be used: {_first_line(error)}") from None


@contextlib.contextmanager
def opened() -> Iterator[None]:
    """The database for as long as a command works on it. Raises Failure where it fails, now or later."""
    from django.conf import settings
    from django.db import DatabaseError, connection

    try:
        # The folder of a file that DATABASE_URL names is there already.
        if Path(settings.DATABASES["default"]["NAME"]).parent == settings.HOME:
            make_home()
            _keep_to_oneself(settings.DATABASES["default"]["NAME"])
        _migrate()
        yield
    except DatabaseError as error:
        raise Failure(_sentence(error)) from None
    finally:
        connection.close()


def make_home() -> None:
    """The folder of what people have here, which nobody else may look into. Raises Failure."""
    from django.conf import settings

    try:
        settings.HOME.mkdir(mode=0o700, parents=True, exist_ok=True)
        settings.UPLOADS.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise Failure(f"the folder {visible(str(settings.HOME))} cannot be made: {error.strerror}") from None


def _keep_to_oneself(file: str) -> None:
    """A database that is not there yet is made so that nobody else on the machine reads it, wherever its folder is;
    SQLite gives the files that it puts beside it the same rights."""
    with contextlib.suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _migrate() -> None:
    """Brings the tables up to date; of several commands that find something to do, one does it."""
    if _is_behind():
        with _alone():
            if _is_behind():
                from django.core.management import call_command

                call_command("migrate", verbosity=0, interactive=False)


def _is_behind() -> bool:
    """Raises Failure where the database is ahead: it was made by a newer version."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    loader = executor.loader
    ahead = [
        name for app, name in loader.applied_migrations if app == "store" and (app, name) not in loader.graph.nodes
    ]
    if ahead:
        raise Failure(f"the database was made by a newer version of trustmem ({max(ahead)}): use that one")
    return bool(executor.migration_plan(loader.graph.leaf_nodes()))


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Only one process at a time does what comes."""
    from django.db import connection

    if connection.vendor == "sqlite":
        import fcntl

        folder = os.open(Path(connection.settings_dict["NAME"]).resolve().parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)
    else:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(hashtext('trustmem migrate'))")
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(hashtext('trustmem migrate'))")


def _sentence(error: Exception) -> str:
    from django.db import connection

    said = _first_line(error)
    if connection.vendor == "sqlite":
        file = visible(str(connection.settings_dict["NAME"]))
        return _OF_SQLITE.get(said, f"the database {{}} failed: {said}").format(file)
    if connection.connection is None:
        return f"cannot connect to the database: {said}"
    return f"the database failed: {said}"


def _first_line(error: Any) -> str:
    return next(iter(visible(str(error).strip()).split("␤")), "")
