"""`trustmem hash`: one digest of all that a space's history decides, the same on every database."""

import argparse

from trustmem.intake.shell import database, stored
from trustmem.store.state_hash import state_hash
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        stored.warn_if_behind(space)
        print(state_hash(space))
    return 0
