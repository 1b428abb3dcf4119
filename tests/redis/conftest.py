"""Each process of the tests has a Redis of its own, in which whoever asks for a job rings."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.redis.broker import Broker

# Read where the queue is first rung for: before any test is.
_BROKER = Broker(Path(mkdtemp(prefix="trustmem-redis-")))
os.environ["BROKER_URL"] = _BROKER.url


@pytest.fixture(scope="session")
def _server() -> Iterator[Broker]:
    yield _BROKER
    _BROKER.stop()


@pytest.fixture
def broker(_server: Broker) -> Broker:
    """A Redis that runs and is empty."""
    if _server.process is None:
        _server.start()
    _server.wake()
    _server.flush()
    return _server
