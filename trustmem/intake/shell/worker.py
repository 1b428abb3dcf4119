"""`trustmem worker`: does what takes long, one job after the other."""

import argparse
import warnings

from trustmem.intake.shell import database, parent


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parent.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    from celery.exceptions import SecurityWarning

    from trustmem.celery import app

    parent.end_with(arguments.parent)
    with database.opened():
        pass  # it is there, and up to date
    warnings.simplefilter("ignore", SecurityWarning)  # of running as root: messages are ids in JSON, and run no code
    app.worker_main(
        [
            *("--quiet", "worker", "--loglevel=WARNING", "--pool=solo", "--concurrency=1"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ]
    )
    return 0
