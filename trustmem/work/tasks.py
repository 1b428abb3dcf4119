"""What a worker does: the job that it is told of, and every few seconds a look for those it was not told of."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic, time_ns
from typing import Any

from celery.signals import worker_ready
from django.db import DatabaseError, close_old_connections, connection

from trustmem.actions import jobs, kinds, uploads
from trustmem.celery import app
from trustmem.store.models import Job
from trustmem.work.doorbell import ring

#: Seconds between two signs of life of a job, between two looks, and until a job is told of again.
_BEAT, _LOOK, _AGAIN = 5.0, 5.0, 60.0
_log = logging.getLogger(__name__)


def now() -> int:
    """This moment (µs)."""
    return time_ns() // 1000


@app.task(name="trustmem.run")
def run(pk: int) -> None:
    """Do a job, unless somebody else does it or has done it."""
    job = jobs.claim(pk, now=now())
    if job is None:
        return
    try:
        with _held(job):
            kinds.do(job, now)
    except jobs.Lost:
        _log.warning("job %s is held by another worker by now, and was left to it", pk)


@contextmanager
def _held(job: Job) -> Iterator[None]:
    """The job is held for as long as this takes, also where it takes long to say how far it is."""
    ended = Event()

    def beat() -> None:
        jobs.renew(job, now=now())

    thread = Thread(target=_every, args=(_BEAT, beat, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@worker_ready.connect
def watch(**_: Any) -> None:
    """Look for what is due for as long as the worker lives."""
    rung: dict[int, float] = {}
    Thread(target=_every, args=(_LOOK, lambda: look(rung), Event()), daemon=True).start()


def look(rung: dict[int, float]) -> None:
    """Tell of each job that nobody holds, and throw away old uploads; `rung` says when each was told of."""
    due = jobs.due(now())
    for pk in due:
        if monotonic() - rung.get(pk, -_AGAIN) >= _AGAIN:
            rung[pk] = monotonic()
            ring(pk)
    for pk in rung.keys() - set(due):
        del rung[pk]
    uploads.sweep(now())


def _every(seconds: float, do: Callable[[], None], ended: Event) -> None:
    """Do something in a thread time and again; a database that is busy or gone may be there the next time."""
    while True:
        try:
            close_old_connections()
            do()
        except jobs.Lost:
            break
        except DatabaseError as error:
            _log.warning("the database could not be used, which is tried again: %s", error)
        if ended.wait(seconds):
            break
    connection.close()
