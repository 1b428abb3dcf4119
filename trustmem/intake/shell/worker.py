"""`trustmem worker`: does what takes long, some jobs at a time."""

import argparse
import os
import warnings

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
    return 0 if arguments.once else _serve(_pool(arguments.concurrency), arguments.beat)


def _do_what_is_due(ticks: bool) -> None:
    from trustmem.actions import jobs
    from trustmem.work import tasks

    if ticks:
        tasks.tick()
    seen = set[int]()
    while left := [pk for pk in jobs.due(tasks.now()) if pk not in seen]:
        seen.add(left[0])
        tasks.do(left[0])


def _pool(concurrency: int | None) -> list[str]:
    """What Celery is told of the processes that do the jobs. Raises Refusal."""
    queue.look_at()
    from trustmem.celery import IS_FOLDER

    if not IS_FOLDER:
        return ["--pool=prefork", f"--concurrency={concurrency or _AT_A_TIME}"]
    if concurrency not in (None, 1):
        raise Refusal("--concurrency asks for a queue that BROKER_URL names: with the one in the home it is one job")
    return ["--pool=solo", "--concurrency=1"]


def _serve(pool: list[str], ticks: bool) -> int:
    from celery.exceptions import CPendingDeprecationWarning, SecurityWarning
    from celery.signals import worker_process_init

    from trustmem.celery import app
    from trustmem.work.watch import Watch, WatchAndTick

    os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they look at the pages, of which it serves none
    worker = os.getpid()

    def end_with_worker(**_: object) -> None:  # on Linux Celery sees to that itself
        if os.getpid() != worker:
            parent.end_with(worker)

    worker_process_init.connect(end_with_worker, weak=False)
    app.steps["worker"].add(WatchAndTick if ticks else Watch)
    warnings.simplefilter("ignore", SecurityWarning)  # of running as root: messages are ids in JSON, and run no code
    warnings.simplefilter("ignore", CPendingDeprecationWarning)  # of a setting that it takes for an oversight
    alone = ("--without-gossip", "--without-mingle", "--without-heartbeat")
    app.worker_main(["--quiet", "worker", "--loglevel=WARNING", *pool, *alone])
    return 0
