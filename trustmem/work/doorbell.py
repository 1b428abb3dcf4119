"""The doorbell: a message that there is a job."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_log = logging.getLogger(__name__)


class Unreachable(Exception):
    """No queue can be reached."""


def ring(job: int) -> bool:
    """Tell a worker of a job. False where no queue can be reached, so that the job waits until a worker looks."""
    from trustmem.celery import app  # here, since most commands ask for nothing

    try:
        with _reached():
            app.send_task("trustmem.run", (job,), retry=False)
    except Unreachable as error:
        _log.warning("no queue can be reached, so that job %s waits until a worker looks: %s", job, error)
        return False
    return True


def waiting() -> int:
    """How many messages wait in the queue. Raises Unreachable."""
    from trustmem.celery import app

    pool: Any = app.pool
    with _reached(), pool.acquire(block=True) as connection:
        return int(connection.default_channel.queue_declare(app.conf.task_default_queue).message_count)


@contextmanager
def _reached() -> Iterator[None]:
    from kombu.exceptions import KombuError, OperationalError
    from redis import RedisError

    try:
        yield
    except (KombuError, OperationalError, RedisError, OSError, ValueError) as error:
        raise Unreachable(str(error)) from error
