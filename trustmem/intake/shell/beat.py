"""`trustmem beat`: wakes the workers for what is due by the spaces' schedules."""

import argparse

from trustmem.intake.shell import database, parent, queue, wellness


def add_arguments(parser: argparse.ArgumentParser) -> None:
    wellness.add_arguments(parser, "beat")
    parent.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.check:
        return wellness.check("beat")
    database.make_home()
    queue.look_at()
    from celery.signals import after_task_publish, beat_init

    from trustmem.celery import app
    from trustmem.work import alive

    def sign(**_: object) -> None:
        alive.sign("beat")

    parent.end_with(arguments.parent)
    queue.say_in_one_line("celery.beat")  # that no queue can be reached is said every 15 seconds
    after_task_publish.connect(sign, weak=False)
    if arguments.parent is None:
        beat_init.connect(_tell, weak=False)
    app.Beat(scheduler="celery.beat:Scheduler", loglevel="ERROR", quiet=True).run()
    return 0


def _tell(**_: object) -> None:
    print("Beat wakes a worker every 15 seconds for what is due by the schedules. Ctrl-C ends it.", flush=True)
