"""What a worker does: the job that it is told of, and what is due by the spaces' schedules."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import time_ns

from django.db import DatabaseError, close_old_connections, connection

from trustmem.actions import jobs, kinds, schedules
from trustmem.celery import app
from trustmem.store.models import Job
from trustmem.work.doorbell import ring

#: Seconds between two signs of life of a job.
_BEAT = 5.0
_log = logging.getLogger(__name__)


def now() -> int:
    """This moment (µs)."""
    return time_ns() // 1000


@app.task(name="trustmem.run")
def run(pk: int) -> None:
    """Do a job, unless somebody else does it or has done it, and tell of the next of its space, which may have waited
    for that."""
    job = do(pk)
    if job is not None:
        for waiting in jobs.due(now(), job.space_id)[:1]:
            ring(waiting)


def do(pk: int) -> Job | None:
    """Do a job; it, or None where somebody else does it or has done it."""
    job = jobs.claim(pk, now=now())
    if job is None:
        return None
    try:
        with _held(job):
            kinds.do(job, now)
    except jobs.Lost:
        _log.warning("job %s is held by another worker by now, and was left to it", pk)
    return job


@app.task(name="trustmem.tick")
def tick() -> None:
    """Ask for what is due by the spaces' schedules."""
    schedules.tick(now())


@contextmanager
def _held(job: Job) -> Iterator[None]:
    """The job is held for as long as this takes, also where it takes long to say how far it is."""
    ended = Event()

    def beat() -> None:
        jobs.renew(job, now=now())

    thread = Thread(target=every, args=(_BEAT, beat, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def every(seconds: float, do: Callable[[], None], ended: Event) -> None:
    """Do something in a thread time and again, whatever goes wrong: it may go well the next time."""
    while True:
        try:
            close_old_connections()
            do()
        except jobs.Lost:
            break
        except DatabaseError as error:
            _log.warning("the database could not be used, which is tried again: %s", error)
        except Exception:
            _log.exception("what is done every %s seconds failed as nobody had foreseen, and is tried again", seconds)
        if ended.wait(seconds):
            break
    connection.close()
