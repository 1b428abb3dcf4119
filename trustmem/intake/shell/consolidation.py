"""`trustmem consolidate`: a pass, in which facts fade, are pruned, come back and are promoted."""

import argparse

from trustmem.actions import consolidation
from trustmem.core.instants import to_text
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.times import clock, counted, instant


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument(
        "--at", metavar="T", type=instant, help="the instant of the pass, RFC 3339 with an offset (default: now)"
    )


def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        taken = consolidation.consolidate(space, at=arguments.at, by=stored.user(), now=clock())
    at = to_text(taken.instant)
    print(f"A pass at {at} weighed {counted(taken.weighed, 'fact')} and changed {taken.changed or 'none'}:")
    print(f"{taken.pruned} pruned, {taken.revived} back, {taken.promoted} promoted, {taken.deferred} to wait for that.")
    print(f"trustmem undo {at} takes it back.")
    return 0
