"""`trustmem accept|forget|restore FACT`: what a person decides about one fact."""

import argparse

from trustmem.actions import facts
from trustmem.explanations.impact import impact
from trustmem.explanations.text import visible
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.naming import some
from trustmem.intake.shell.times import clock
from trustmem.store.models import Space
from trustmem.store.states import STANDING, shows

_ACTIONS = {
    "accept": (facts.accept, "is accepted"),
    "forget": (facts.forget, "is forgotten"),
    "restore": (facts.restore, "is live again"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    stored.add_fact(parser)
    stored.add_reason(parser)


@shows(STANDING)
def run(arguments: argparse.Namespace) -> int:
    act, done = _ACTIONS[arguments.command]
    with database.opened():
        space = stored.space(arguments)
        fact = stored.fact(space, arguments.fact).name
        told = _impact(space, fact) if arguments.command == "forget" else []
        id = act(space, fact, by=stored.user(), now=clock(), reason=arguments.reason)
    for each in told:
        print(each)
    print(f'"{visible(fact)}" {done}. trustmem undo {id} takes it back.')
    return 0


def _impact(space: Space, fact: str) -> list[str]:
    """What forgetting a fact comes to, a sentence a line, with the ids of the facts that it is about."""
    told = impact(stored.memory(space, fact, None), fact).told()
    return [f"{sentence} ({some(facts)})" if facts else sentence for sentence, facts in told]
