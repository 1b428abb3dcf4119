"""`trustmem explain [FILE] FACT`: where the score of one fact comes from, and what would lift it.

Without a file the fact is one of the database.
"""

import argparse
import json
import sys

from trustmem.explanations.explanation import explanation
from trustmem.explanations.memory import Memory
from trustmem.formats.interchange import AMISS
from trustmem.formats.strict_json import quoted
from trustmem.intake.shell import Refusal, database, memory
from trustmem.intake.shell.explanation_page import show
from trustmem.intake.shell.look import Page
from trustmem.intake.shell.naming import close_to, meant, some
from trustmem.store.states import KEPT, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="an interchange file, plain or .gz; - is stdin (default: what is in the database)",
    )
    parser.add_argument("fact", metavar="FACT", help="the id of a fact, or a beginning that only one id has")
    parser.add_argument("--space", metavar="S", help="the space of the database (default: the only one, or default)")
    memory.add_options(parser)


@shows(KEPT)
def run(arguments: argparse.Namespace) -> int:
    asked, name = _from_database(arguments) if arguments.file is None else _from_file(arguments)
    found = explanation(asked, name)
    if arguments.json:
        print(json.dumps(found, allow_nan=False))
    else:
        show(found, Page())
    sys.stdout.flush()
    memory.report_answers(asked)
    return memory.status(asked)


def _from_file(arguments: argparse.Namespace) -> tuple[Memory, str]:
    if arguments.space is not None:
        raise Refusal("--space goes with a fact of the database, not of a file")
    asked = memory.load(arguments)
    return asked, _named(asked, arguments.fact)


def _from_database(arguments: argparse.Namespace) -> tuple[Memory, str]:
    if arguments.pass_every is not None:
        raise Refusal("--pass-every goes with a file; the database has the passes that it had")
    database.set_up()
    from trustmem.intake.shell import stored

    with database.opened():
        space = stored.space(arguments)
        fact = stored.fact(space, arguments.fact)
        return stored.memory(space, fact.name, arguments.now), fact.name


def _named(asked: Memory, name: str) -> str:
    """The id of the fact that is meant. Raises Refusal, with what else may have been meant."""
    ids = asked.scores.ids
    if not ids:
        raise Refusal(f"{asked.name} holds no facts")
    found = meant(name, ids, "facts")
    if found is not None:
        return found
    if name in asked.reading.facts:
        raise Refusal(f"the fact {quoted(name)} counts as never written: its act was undone")
    spurned = next((answer for answer in asked.reading.answers if answer.id == name and answer.status in AMISS), None)
    if spurned:
        raise Refusal(f"{asked.name} holds no fact {quoted(name)}: {spurned} ({spurned.status})")
    close = close_to(name, ids)
    hint = f"; did you mean {some(close)}?" if close else f'; see all with "trustmem score {asked.name}"'
    raise Refusal(f"{asked.name} holds no fact {quoted(name)}{hint}")
