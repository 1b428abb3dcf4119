"""`trustmem beat`: wakes the workers for what is due by the spaces' schedules."""

import argparse
import logging

from trustmem.intake.shell import database, parent, queue, wellness


def add_arguments(parser: argparse.ArgumentParser) -> None:
    wellness.add_arguments(parser, "beat")
    parent.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.check:
        return wellness.check("beat")
    database.make_home()
    queue.look_at()
    from celery.signals import after_task_publish

    from trustmem.celery import app
    from trustmem.work import alive

    def sign(**_: object) -> None:
        alive.sign("beat")

    parent.end_with(arguments.parent)
    logging.getLogger("celery.beat").addFilter(_in_one_line)
    after_task_publish.connect(sign, weak=False)
    app.Beat(scheduler="celery.beat:Scheduler", loglevel="ERROR", quiet=True).run()
    return 0


def _in_one_line(record: logging.LogRecord) -> bool:
    """That no queue can be reached is said every 15 seconds, and without how that was found out."""
    record.msg, record.args, record.exc_info = record.getMessage().partition("\n")[0], (), None
    return True
