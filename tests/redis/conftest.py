"""Each process of the tests has a Redis of its own, in which whoever asks for a job rings."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.conftest import IN_CI
from tests.redis.broker import Broker

# Read where the queue is first rung for: before any test is.
_BROKER = Broker(Path(mkdtemp(prefix="trustmem-redis-")))
os.environ["BROKER_URL"] = _BROKER.url


@pytest.fixture(scope="session")
def _server() -> Iterator[Broker]:
    yield _BROKER
    _BROKER.stop()
    shutil.rmtree(_BROKER.folder)


@pytest.fixture
def broker(_server: Broker) -> Broker:
    """A Redis that runs and is empty."""
    if _server.process is None:
        _server.start()
    _server.wake()
    _server.flush()
    return _server


# In CI it is there, or its tests fail.
_COMPOSES = IN_CI or shutil.which("docker-compose") is not None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    without = [] if _COMPOSES else [item for item in items if item.path.name == "test_compose.py"]
    config.hook.pytest_deselected(items=without)
    items[:] = [item for item in items if item not in without]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _COMPOSES:
        terminalreporter.write_line(
            "docker-compose.yml: not tested, there is no docker-compose here (Debian: apt-get install docker-compose)"
        )
