"""What the commands on the database have in common: which space, which fact, who asks, and a memory that is stored."""

import argparse
import getpass
import os
import sys
from collections.abc import Callable
from typing import Any

from trustmem.actions import spaces
from trustmem.explanations import stored as explanations
from trustmem.explanations.memory import Memory
from trustmem.explanations.text import visible
from trustmem.formats import fields
from trustmem.formats.strict_json import quoted
from trustmem.intake.shell import Refusal
from trustmem.intake.shell.look import working
from trustmem.intake.shell.naming import close_to, meant, some
from trustmem.intake.shell.times import clock, counted
from trustmem.store.models import Fact, Line, Space


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What every command on the database takes."""
    parser.add_argument("--space", metavar="S", help="the space to work in (default: the only one, or default)")


def command(what: Any, name: str, do: Callable[..., None], says: str) -> argparse.ArgumentParser:
    """The parser of a command below another one, such as `keys list`: one on the database, done by `do`."""
    parser: argparse.ArgumentParser = what.add_parser(name, description=says, allow_abbrev=False)
    add_arguments(parser)
    parser.set_defaults(do=do)
    return parser


def add_fact(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("fact", metavar="FACT", help="the id of a fact, or a beginning that only one id has")


def add_reason(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason", metavar="R", default="", help="why, in your words; it is kept with the act")


def identifier(text: str) -> str:
    """An argument that is a name."""
    try:
        return fields.identifier(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{quoted(text)} {error}") from None


def user() -> str:
    """Who the operating system says is asking."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return str(os.getuid())


def space(arguments: argparse.Namespace) -> Space:
    """The space that is meant, by its name or alias; where none is named, the only one there is, or the default, made
    on first use.

    Raises Refusal where there is no such space, or it is not clear which is meant.
    """
    every = list(Space.objects.order_by("name"))
    called = {name: each for each in every for name in (each.name, each.alias) if name}
    names = [each.name for each in every]
    name = arguments.space
    if name is None:
        if not every:
            return spaces.create(spaces.DEFAULT)
        if len(every) > 1 and spaces.DEFAULT not in called:
            raise Refusal(f"there are {len(every)} spaces: name one with --space: {some(names)}")
        return every[0] if len(every) == 1 else called[spaces.DEFAULT]
    if name not in called:
        close = close_to(name, list(called))
        there = (
            f"did you mean {some(close)}?" if close else f"there are {some(names)}" if names else "there is none yet"
        )
        raise Refusal(f'there is no space {quoted(name)}; {there}; "trustmem space create NAME" makes one')
    return called[name]


def called(space: Space) -> str:
    """A space as people read it."""
    return f'the space "{visible(space.name)}"'


def fact(space: Space, name: str) -> Fact:
    """The fact that is meant. Raises Refusal, with what else may have been meant."""
    facts = Fact.objects.filter(space=space)
    found = facts.filter(name=name).first()
    if found is not None:
        return found
    names = list(facts.order_by("name").values_list("name", flat=True))
    begun = meant(name, names, "facts")
    if begun is not None:
        return facts.get(name=begun)
    if Line.objects.filter(space=space, name=name, tag="fact").exists():
        raise Refusal(f"the fact {quoted(name)} counts as never written: its act was undone")
    close = close_to(name, names)
    hint = f"; did you mean {some(close)}?" if close else '; see all with "trustmem show"' if names else ""
    raise Refusal(f"{called(space)} holds no fact {quoted(name)}{hint}")


def warn_if_behind(space: Space) -> None:
    """Says on stderr that the newest lines are not in what is shown. Reading brings nothing up to date."""
    behind = space.head_position - space.folded_to
    if behind:
        print(
            f"notice: {counted(behind, 'line')} of an import that is under way, or was cut short, are not in this yet; "
            "the same import finishes it",
            file=sys.stderr,
        )


def memory(space: Space, name: str, now: int | None) -> Memory:
    """What a space holds about one fact, scored at an instant (None: this moment)."""
    with working(f"folding {space.head_position} lines"):
        return explanations.memory(space, name, clock() if now is None else now)
