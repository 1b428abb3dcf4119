"""`trustmem erase FACT`: empties the texts of a fact for good, once a person has said so twice."""

import argparse
import sys

from trustmem.actions import erasing
from trustmem.explanations.text import shortened, visible
from trustmem.intake.shell import Refusal, database, stored
from trustmem.intake.shell.times import clock
from trustmem.store.models import Fact, Line, Space
from trustmem.store.states import KEPT, shows

_SHORT = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("fact", metavar="FACT", help="the whole id of a fact")
    stored.add_reason(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")


@shows(KEPT)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        _ask_for_the_whole_id(space, arguments.fact)
        if not (arguments.yes or _is_sure(space, arguments.fact)):
            print("Nothing was erased.")
            return 0
        erasing.erase(space, arguments.fact, by=stored.user(), now=clock(), reason=arguments.reason)
    print(f'The texts of "{visible(arguments.fact)}" are gone.')
    return 0


def _ask_for_the_whole_id(space: Space, id: str) -> None:
    """A fact whose act was undone has texts too, so that this asks for its line. Raises Refusal."""
    if not Line.objects.filter(space=space, name=id, tag="fact").exists():
        begun = stored.fact(space, id).name
        raise Refusal(f'there is no fact "{visible(id)}"; to erase "{visible(begun)}", give its whole id')


def _is_sure(space: Space, id: str) -> bool:
    if not sys.stdin.isatty():
        raise Refusal("what is erased cannot be brought back: say --yes where nobody can be asked")
    text = Fact.objects.filter(space=space, name=id).values_list("text", flat=True).first()
    claim = f", “{shortened(text, _SHORT)}”," if text else ""
    print(f'Empty the texts of "{visible(id)}"{claim} for good? Nothing brings them back. [y/N] ', end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
