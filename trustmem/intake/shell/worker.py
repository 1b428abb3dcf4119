"""`trustmem worker`: does what takes long, some jobs at a time."""

import argparse
import os
import warnings
from threading import Event

from trustmem.intake.shell import Refusal, database, parent, queue, wellness

#: Jobs at a time where nothing else is asked for.
_AT_A_TIME = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--concurrency",
        metavar="N",
        type=_count,
        help=f"so many jobs at a time, where BROKER_URL names a queue (default: {_AT_A_TIME}); otherwise it is one",
    )
    parser.add_argument("--beat", action="store_true", help="do what `trustmem beat` does beside that")
    parser.add_argument("--once", action="store_true", help="do what is due now, without a queue, and end")
    wellness.add_arguments(parser, "worker")
    parent.add_arguments(parser)


def _count(text: str) -> int:
    """An argument that is a number of jobs."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= 64:
        raise argparse.ArgumentTypeError(f'"{text}" is no number from 1 to 64')
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    if arguments.check:
        return wellness.check("worker")
    parent.end_with(arguments.parent)
    with database.opened():
        if arguments.once:  # otherwise it is there by now, and up to date
            _do_what_is_due(arguments.beat)
    if arguments.once:
        return 0
    at_a_time = _at_a_time(arguments.concurrency)
    if arguments.parent is None:
        _tell_when_ready(at_a_time)
    return _serve(at_a_time, arguments.beat)


def _do_what_is_due(ticks: bool) -> None:
    from trustmem.actions import jobs
    from trustmem.work import tasks

    if ticks:
        tasks.tick()
    seen = set[int]()
    while left := [pk for pk in jobs.due(tasks.now()) if pk not in seen]:
        seen.add(left[0])
        tasks.do(left[0])


def _at_a_time(concurrency: int | None) -> int:
    """How many jobs are done at a time. Raises Refusal."""
    queue.look_at()
    from trustmem.celery import IS_FOLDER

    if not IS_FOLDER:
        return concurrency or _AT_A_TIME
    if concurrency not in (None, 1):
        raise Refusal("--concurrency asks for a queue that BROKER_URL names: with the one in the home it is one job")
    return 1


def _tell_when_ready(at_a_time: int) -> None:
    from celery.signals import worker_ready

    from trustmem.celery import IS_FOLDER

    def tell(**_: object) -> None:
        where = "in the home" if IS_FOLDER else "that BROKER_URL names"
        print(f"The worker waits for jobs at the queue {where}, {at_a_time} at a time. Ctrl-C ends it.", flush=True)

    worker_ready.connect(tell, weak=False)


def _serve(at_a_time: int, ticks: bool) -> int:
    """Work until somebody asks for the end; 1 where it came unasked."""
    from celery.exceptions import CPendingDeprecationWarning, SecurityWarning

    from trustmem.celery import IS_FOLDER, app
    from trustmem.work.watch import Watch, WatchAndTick

    os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they look at the pages, of which it serves none
    asked = _end()
    queue.say_in_one_line("celery.worker")
    app.steps["worker"].add(WatchAndTick if ticks else Watch)
    warnings.simplefilter("ignore", SecurityWarning)  # of running as root: messages are ids in JSON, and run no code
    warnings.simplefilter("ignore", CPendingDeprecationWarning)  # of a setting that it takes for an oversight
    pool = (f"--pool={'solo' if IS_FOLDER else 'prefork'}", f"--concurrency={at_a_time}")
    alone = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    app.worker_main(["--quiet", "worker", "--loglevel=WARNING", *pool, *alone])
    return 0 if asked.is_set() else 1


def _end() -> Event:
    """Set once somebody asks for the end; and what does the jobs ends with this process, however it ends."""
    from celery.signals import worker_process_init, worker_shutting_down

    worker, asked = os.getpid(), Event()

    def end_with_worker(**_: object) -> None:  # on Linux Celery sees to that itself
        if os.getpid() != worker:
            parent.end_with(worker)

    def end(**_: object) -> None:
        asked.set()

    worker_process_init.connect(end_with_worker, weak=False)
    worker_shutting_down.connect(end, weak=False)
    return asked
