"""`trustmem demo`: makes a space with a story in it, to look around in."""

import argparse

from trustmem.actions import demo
from trustmem.explanations.text import visible
from trustmem.intake.shell import Refusal, database, stored
from trustmem.intake.shell.look import SOFT, Page, working
from trustmem.intake.shell.times import clock, counted
from trustmem.store.models import Fact, Pass, Space
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--space", metavar="NAME", type=stored.identifier, default=demo.NAME, help=f"its id (default: {demo.NAME})"
    )


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        with working("telling the story"):
            space = _made(arguments.space)
        _show(space, Page())
    return 0


def _made(name: str) -> Space:
    try:
        return demo.make(by=stored.user(), now=clock(), name=name)
    except Refusal as refusal:
        raise Refusal(f"{refusal}; --space names another") from None


def _show(space: Space, page: Page) -> None:
    facts, passes = (model.objects.filter(space=space).count() for model in (Fact, Pass))
    page.line(f"Made {stored.called(space)}, “{visible(space.title)}”, which is invented:")
    page.line(f"{counted(facts, 'fact')}, and what became of them in {counted(passes, 'day')}, up to now.")
    page.line(("trustmem serve shows it in the browser", SOFT))
    page.line((f"trustmem show --space {visible(space.name)} prints it", SOFT))
