"""The one settings file: check out and run; everything else comes from the environment.

`TRUSTMEM_HOME` is the folder of what people have here, `DATABASE_URL` another database than the file in it.
There is no page yet, so no secret is needed.
"""

from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

_env = environ.Env()

HOME = Path(_env.str("TRUSTMEM_HOME", default="~/.trustmem")).expanduser()

# Not as an address: a folder may have any name.
_FILE = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(HOME / "trustmem.sqlite3")}
_SQLITE_OPTIONS = {
    # A transaction that reads first and writes later could not wait for another writer; so all begin as writers.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA recursive_triggers = ON;  -- without it INSERT OR REPLACE passes by the triggers that refuse DELETE
        PRAGMA secure_delete = ON;       -- what was erased is overwritten
        PRAGMA cache_size = -65536;          -- 64 MB, and a log of 40 MB: a long import writes each page less often
        PRAGMA wal_autocheckpoint = 10000;
        PRAGMA mmap_size = 2147483648;   -- a pass reads all facts: from the pages of the system, not copies of them
    """,
}
_SCHEMES = ("postgres", "postgresql", "psql", "pgsql", "sqlite")


def _database_at(address: str) -> dict[str, Any]:
    """The database that an address names. What is wrong with one is told without it: it may hold a password."""
    scheme, separator, rest = address.partition("://")
    if not separator or scheme.lower() not in _SCHEMES:
        raise ImproperlyConfigured("DATABASE_URL has to begin with postgres:// or sqlite://")
    try:
        found: dict[str, Any] = environ.Env.db_url_config(address)
    except ValueError:
        raise ImproperlyConfigured(
            "DATABASE_URL is no address of a database, such as postgres://user:password@host:5432/name; "
            "of a password, all but letters and digits is written as %40 and the like"
        ) from None
    if not isinstance(found.get("CONN_MAX_AGE") or 0, int):
        raise ImproperlyConfigured("DATABASE_URL has a conn_max_age that is no whole number")
    # Where it names no file, this would be one in memory, which is gone when the command ends.
    if not found["NAME"] or (found["NAME"] == ":memory:" and rest != ":memory:"):
        raise ImproperlyConfigured("DATABASE_URL names no database, as postgres://HOST/NAME and sqlite:///FILE do")
    return found


_database: dict[str, Any] = _database_at(_env.str("DATABASE_URL")) if "DATABASE_URL" in _env else _FILE
if _database["ENGINE"] == _FILE["ENGINE"]:
    _database["OPTIONS"] = _SQLITE_OPTIONS
DATABASES = {"default": _database}

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "trustmem.store",
]
AUTH_USER_MODEL = "store.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TIME_ZONE = "UTC"
USE_TZ = True
