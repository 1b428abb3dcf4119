"""Commands as processes of their own that need not load Python and Django anew: forked from one that has them already.

What our settings have a say in is loaded by each command itself.
"""

import gc
import json
import os
import pkgutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile

import trustmem.core
import trustmem.formats

ROOT = Path(__file__).parents[2]
#: What takes a command most of its time to load, and is the same whatever the settings.
LOADED = (
    "celery",
    "django.contrib.auth.password_validation",
    "django.contrib.messages",
    "django.contrib.staticfiles.apps",
    "django.core.management.sql",
    "django.db.backends.postgresql.base",
    "trustmem.store.sqlite.base",
    "django.db.migrations.executor",
    "django.template.loader_tags",
    "django.templatetags.i18n",
    "django.views.debug",
    "django_htmx",
    "environ",
    "numpy.ma",
    "rich.progress",
    "rich.table",
    *(each.name for each in pkgutil.iter_modules(trustmem.core.__path__, "trustmem.core.")),
    *(each.name for each in pkgutil.iter_modules(trustmem.formats.__path__, "trustmem.formats.")),
)


def run(arguments: Sequence[object], environment: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    """A command at no terminal, with nothing to read from stdin."""
    given = [str(each) for each in arguments]
    with TemporaryFile() as out, TemporaryFile() as err:
        asked = json.dumps([given, dict(environment)]).encode()
        socket.send_fds(_parent(), [asked], [out.fileno(), err.fileno()])
        status = int(_parent().recv(16))
        said = [file.seek(0) or file.read() for file in (out, err)]
    return subprocess.CompletedProcess(given, status, *said)


@cache
def _parent() -> socket.socket:
    """Where to ask the process that has all loaded. It ends when nobody is left to ask it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    plain = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "-m", "tests.intake.warm", str(theirs.fileno())]
    _started.append(
        subprocess.Popen(command, cwd=ROOT, env=plain, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
    )
    theirs.close()
    return ours


_started: list[subprocess.Popen[bytes]] = []


def _serve(asking: socket.socket) -> int:
    for name in LOADED:
        import_module(name)
    gc.freeze()
    while True:
        asked, files, _, _ = socket.recv_fds(asking, 1 << 20, 2)
        if not asked:
            return 0
        child = os.fork()
        if not child:
            return _become(*json.loads(asked), files)
        for file in files:
            os.close(file)
        asking.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _become(arguments: list[str], environment: dict[str, str], files: Sequence[int]) -> int:
    """Be the command that was asked for; its exit status."""
    for file, stream in zip(files, (sys.stdout, sys.stderr), strict=True):
        os.dup2(file, stream.fileno())
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["trustmem", *arguments]
    from trustmem.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(_serve(socket.socket(fileno=int(sys.argv[1]))))
