"""`trustmem undo ACT`: an act, an import or a pass counts as if it had never been."""

import argparse

from trustmem.actions import undo
from trustmem.explanations.text import visible
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.times import clock
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("act", metavar="ACT", help="the id of an act or an import, or the instant of a pass")
    stored.add_reason(parser)


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        act = undo.undo(space, arguments.act, by=stored.user(), now=clock(), reason=arguments.reason)
    print(f'"{visible(arguments.act)}" is undone. trustmem undo {act} brings it back.')
    return 0
