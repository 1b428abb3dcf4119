"""`trustmem explain FILE FACT`: where the score of one fact comes from, and what would lift it."""

import argparse
import difflib
import json
import sys

from trustmem.formats.strict_json import quoted
from trustmem.intake.shell import Refusal, memory
from trustmem.intake.shell.explanation import explanation
from trustmem.intake.shell.explanation_page import show
from trustmem.intake.shell.look import Page
from trustmem.intake.shell.memory import AMISS, Memory

_MOST_NAMED = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    memory.add_arguments(parser)
    parser.add_argument("fact", metavar="FACT", help="the id of a fact, or a beginning that only one id has")


def run(arguments: argparse.Namespace) -> int:
    asked = memory.load(arguments)
    found = explanation(asked, _named(asked, arguments.fact))
    if arguments.json:
        print(json.dumps(found, allow_nan=False))
    else:
        show(found, Page())
    sys.stdout.flush()
    memory.report_answers(asked)
    return asked.status


def _named(asked: Memory, name: str) -> str:
    """The id of the fact that is meant. Raises Refusal, with what else may have been meant."""
    ids = asked.scores.ids
    begun = [id for id in ids if id.startswith(name)] if name not in asked.row else [name]
    if len(begun) == 1:
        return begun[0]
    if not ids:
        raise Refusal(f"{asked.name} holds no facts")
    if begun and name:
        raise Refusal(f"{len(begun)} facts begin with {quoted(name)}: {_some(begun)}")
    if name in asked.reading.facts:
        raise Refusal(f"the fact {quoted(name)} counts as never written: its act was undone")
    spurned = next((answer for answer in asked.reading.answers if answer.id == name and answer.status in AMISS), None)
    if spurned:
        raise Refusal(f"{asked.name} holds no fact {quoted(name)}: {spurned} ({spurned.status})")
    close = difflib.get_close_matches(name, ids, _MOST_NAMED) or [id for id in ids if name and name in id]
    hint = f"; did you mean {_some(close)}?" if close else f'; see all with "trustmem score {asked.name}"'
    raise Refusal(f"{asked.name} holds no fact {quoted(name)}{hint}")


def _some(ids: list[str]) -> str:
    named = [quoted(id) for id in ids[:_MOST_NAMED]]
    return ", ".join([*named, "..."] if len(ids) > _MOST_NAMED else named)
