"""`trustmem accept|forget|restore FACT`: what a person decides about one fact."""

import argparse

from trustmem.actions import facts
from trustmem.explanations.text import visible
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.times import clock

_ACTIONS = {
    "accept": (facts.accept, "is accepted"),
    "forget": (facts.forget, "is forgotten"),
    "restore": (facts.restore, "is live again"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    stored.add_fact(parser)
    stored.add_reason(parser)


def run(arguments: argparse.Namespace) -> int:
    act, done = _ACTIONS[arguments.command]
    with database.opened():
        space = stored.space(arguments)
        fact = stored.fact(space, arguments.fact).name
        id = act(space, fact, by=stored.user(), now=clock(), reason=arguments.reason)
    print(f'"{visible(fact)}" {done}. trustmem undo {id} takes it back.')
    return 0
