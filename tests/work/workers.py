"""Real workers: processes of their own, in the database and the queue of the tests."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def started(database_url: str, *arguments: object) -> subprocess.Popen[bytes]:
    """A worker in the database and the queue of the tests."""
    here = {**environment(80), "DATABASE_URL": database_url, "TRUSTMEM_HOME": str(settings.HOME)}
    here.pop("BROKER_URL", None)
    return subprocess.Popen(command("worker", *arguments), cwd=ROOT, env=here, stdout=subprocess.DEVNULL)


@contextmanager
def working(database_url: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker for as long as it is needed."""
    with started(database_url, "--parent", os.getpid()) as worker:
        try:
            yield worker
        finally:
            worker.kill()
