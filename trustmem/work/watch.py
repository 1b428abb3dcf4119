"""The watch of a worker: every few seconds a look for jobs that no message told it of."""

import logging
import os
import subprocess
import sys
from itertools import count
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from celery.bootsteps import StartStopStep
from celery.signals import worker_ready

from trustmem.actions import clicks, jobs, tokens, uploads
from trustmem.work import alive, doorbell, tasks

#: Seconds between two looks, and until a job is told of again.
_LOOK, _AGAIN = 5.0, 60.0
#: Looks from one tick, and from one sweep, to the next.
_TICK, _SWEEP = 3, 12
_log = logging.getLogger(__name__)

# A child that is forked amid a look would find the database's own locks held by a thread that it does not have.
_looking = Lock()
os.register_at_fork(before=_looking.acquire, after_in_parent=_looking.release, after_in_child=_looking.release)


class Watch(StartStopStep):
    """Looks for as long as the worker lives."""

    requires = ("celery.worker.components:Pool",)  # the children are there before the thread is
    ticks = False

    def __init__(self, worker: Any, **_: Any) -> None:
        self.ready, self.ended = Event(), Event()
        worker_ready.connect(self._begin, weak=False)
        self.numbers = count()
        self.rung: dict[int, float] = {}
        self.helper: subprocess.Popen[bytes] | None = None

    def start(self, worker: Any) -> None:
        Thread(target=tasks.every, args=(_LOOK, self._round, self.ended), daemon=True).start()

    def stop(self, worker: Any) -> None:
        self.ended.set()

    def _begin(self, **_: Any) -> None:
        self.ready.set()

    def _round(self) -> None:
        number = next(self.numbers)
        with _looking:
            self._look()
            if self.ticks and number % _TICK == 0:
                tasks.tick()
            if number % _SWEEP == 0:
                sweep()

    def _look(self) -> None:
        try:
            look(self.rung)
        except doorbell.Unreachable as error:
            self._help(error)
        if self.ready.is_set():  # before that it hears of no message
            alive.sign("worker")

    def _help(self, error: Exception) -> None:
        """Have what is due done without a queue, by a process of its own, which ends when all is done."""
        if self.helper is None or self.helper.poll() is not None:
            _log.warning("no queue can be reached, so that what is due is done without: %s", error)
            command = [sys.executable, "-P", "-m", "trustmem.cli", "worker", "--once", "--parent", str(os.getpid())]
            self.helper = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603


class WatchAndTick(Watch):
    """Does beside that what beat does, where no beat runs."""

    ticks = True


def sweep() -> None:
    """Throw away what is kept for some time only."""
    uploads.sweep(tasks.now())
    jobs.sweep(tasks.now())
    clicks.sweep(tasks.now())
    tokens.sweep(tasks.now())


def look(rung: dict[int, float]) -> None:
    """Tell of each job that nobody holds; `rung` says when each was told of.

    Raises Unreachable where there are such jobs and no queue.
    """
    due = jobs.due(tasks.now())
    if due and not doorbell.waiting():
        rung.clear()  # who was told of them has them in hand, or the queue has lost them
    for pk in due:
        if monotonic() - rung.get(pk, -_AGAIN) >= _AGAIN and doorbell.ring(pk):
            rung[pk] = monotonic()
    for pk in rung.keys() - set(due):
        del rung[pk]
