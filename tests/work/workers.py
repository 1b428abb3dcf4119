"""Real workers: processes of their own, in the database and the queue of the tests."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from django.conf import settings

from tests.conftest import ROOT
from tests.intake.terminal import command, environment

#: Ten times longer than what is waited for takes on a busy machine.
PATIENCE = 120.0


def wait_for(condition: Callable[[], object]) -> None:
    until = monotonic() + PATIENCE
    while not condition():
        assert monotonic() < until, "it does not come to that"
        sleep(0.05)


def messages() -> list[Path]:
    """Those that wait in the queue of the tests."""
    return list((settings.HOME / "queue" / "messages").glob("*.msg"))


def lose() -> None:
    """Empty the queue of the tests."""
    for message in messages():
        message.unlink()


@contextmanager
def working(
    database_url: str, *arguments: object, parent: int | None = None, stderr: int | None = None, **more: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A worker for as long as it is needed, in the database of the tests, and in their queue unless `more` of its
    environment names another."""
    here = {**environment(80), "DATABASE_URL": database_url, "TRUSTMEM_HOME": str(settings.HOME)}
    here.pop("BROKER_URL", None)
    here |= more
    asked = command("worker", *arguments, "--parent", parent or os.getpid())
    with subprocess.Popen(asked, cwd=ROOT, env=here, stdout=subprocess.DEVNULL, stderr=stderr) as worker:
        try:
            yield worker
        finally:
            worker.kill()
