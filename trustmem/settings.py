"""The one settings file: check out and run; everything else comes from the environment.

`TRUSTMEM_HOME` is the folder of what people have here, `DATABASE_URL` another database than the file in it, and
`BROKER_URL` another queue than the folder in it. `ALLOWED_HOSTS` are names by which the desk may be asked for, beside
those of this machine itself; `SECRET_KEY` and `INSTANCE_KEY` are read from the home where the environment has none;
`MCP_AT` is where pages say that the door over MCP is; `LIMIT_READ` and its like how often a token may ask a minute;
`EMBEDDER` says what makes the vectors of facts (`actions.embedders`). `DEBUG` is for people who work on trustmem.
"""

import secrets
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

_env = environ.Env()

HOME = Path(_env.str("TRUSTMEM_HOME", default="~/.trustmem")).expanduser()

# Not as an address: a folder may have any name.
_FILE = {"ENGINE": "trustmem.store.sqlite", "NAME": str(HOME / "trustmem.sqlite3")}
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
# A process that is stopped within a transaction keeps its locks so long; what reckons longer between two statements is
# told to have lost them.
_POSTGRES_OPTIONS = {"options": "-c idle_in_transaction_session_timeout=5min"}
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
    return found | ({"ENGINE": _FILE["ENGINE"]} if scheme.lower() == "sqlite" else {})


_database: dict[str, Any] = _database_at(_env.str("DATABASE_URL")) if "DATABASE_URL" in _env else _FILE
if _database["ENGINE"] == _FILE["ENGINE"]:
    _database["OPTIONS"] = _SQLITE_OPTIONS
else:
    _database["OPTIONS"] = _POSTGRES_OPTIONS | _database.get("OPTIONS", {})
# Opening the file and saying all this takes as long as most pages do.
_database["CONN_MAX_AGE"] = _database.get("CONN_MAX_AGE") or 600
_database["CONN_HEALTH_CHECKS"] = True
DATABASES = {"default": _database}

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "trustmem.store",
    "trustmem.desk",
    "trustmem.work",
]
AUTH_USER_MODEL = "store.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

DEBUG = _env.bool("DEBUG", default=False)
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *_env.list("ALLOWED_HOSTS", default=[])]


def _secret() -> str:
    """What signs sessions and links: `trustmem serve` writes it into the home, and all processes read it there."""
    kept = HOME / "secret-key"
    # Without a home nothing is served, and what is signed needs to hold only as long as this process.
    return kept.read_text().strip() if kept.is_file() else secrets.token_urlsafe(50)


SECRET_KEY = _env.str("SECRET_KEY", default="") or _secret()
#: What signs reports of verifying (`actions.instance`), or the file in which that is kept ("": one in the home).
INSTANCE_KEY, INSTANCE_KEY_FILE = _env.str("INSTANCE_KEY", default=""), _env.str("INSTANCE_KEY_FILE", default="")


def _per_minute(scope: str, default: int) -> int:
    name = f"LIMIT_{scope.upper()}"
    given = _env.str(name, default="") or str(default)
    if not given.isascii() or not given.isdigit() or not int(given):
        raise ImproperlyConfigured(f"{name} is no number of requests a minute")
    return int(given)


#: So often a minute a token may ask, by scope.
PER_MINUTE = {
    scope: _per_minute(scope, default)
    for scope, default in {"read": 1200, "write": 300, "feedback": 600, "import": 60}.items()
}

#: Where agents find the door over MCP, for pages to say: a port of the host by which the desk is asked, or an address.
MCP_AT = _env.str("MCP_AT", default="8001")

#: What makes the vectors of facts, by its name in `actions.embedders`.
EMBEDDER = _env.str("EMBEDDER", default="hashed")


def _asset(name: str) -> Path:
    """A folder beside the package in a checkout, and in it when it is installed."""
    package = Path(__file__).parent
    return package / name if (package / name).is_dir() else package.parent / name


ROOT_URLCONF = "trustmem.urls"
WSGI_APPLICATION = "trustmem.wsgi.application"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "trustmem.intake.rest.middleware.Agents",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "trustmem.desk.middleware.SignedIn",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "trustmem.desk.middleware.Answered",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [_asset("templates")],
        "OPTIONS": {
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [("django.template.loaders.cached.Loader", ["django.template.loaders.filesystem.Loader"])],
                )
            ],
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.static",
                "template_partials.templatetags.partials",
                "trustmem.desk.templatetags.desk",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "trustmem.desk.context.frame",
            ],
        },
    }
]

STATIC_URL = "static/"
STATICFILES_DIRS = [_asset("static")]
WHITENOISE_USE_FINDERS = True  # so that nothing has to be collected before the first start
WHITENOISE_MAX_AGE = 0  # asked for again each time, and answered "not modified"

LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "welcome"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
CSRF_USE_SESSIONS = False
CSRF_FAILURE_VIEW = "trustmem.desk.views.errors.refused"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
#: Of forms; files come beside that. A text of the greatest length takes so much where each letter is written as codes.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 << 20
#: What is uploaded lies in the home, where it is swept away should the end come before it was read.
UPLOADS = HOME / "uploads"
FILE_UPLOAD_TEMP_DIR = UPLOADS if UPLOADS.is_dir() else None

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        # The hash is that of nothing: plotly.js makes an empty style element and adds its rules by script.
        "style-src": ["'self'", "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "font-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.ScryptPasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
MESSAGE_STORAGE = "trustmem.desk.notices.Rows"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [Path(__file__).parent / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
