"""`trustmem lift TOMBSTONE`: what was forgotten may come in again."""

import argparse

from trustmem.actions import tombstones
from trustmem.explanations.text import visible
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.times import clock
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("tombstone", metavar="TOMBSTONE", help="the id of a tombstone, as the refusal names it")
    stored.add_reason(parser)


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        id = tombstones.lift(space, arguments.tombstone, by=stored.user(), now=clock(), reason=arguments.reason)
    print(f'"{visible(arguments.tombstone)}" is lifted. trustmem undo {id} takes it back.')
    return 0
