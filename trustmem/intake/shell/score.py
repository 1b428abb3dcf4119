"""`trustmem score FILE`: what every fact of a file is worth."""

import argparse
import json
import sys

from trustmem.explanations.memory import Memory
from trustmem.formats.interchange import STATUSES
from trustmem.intake.shell import memory
from trustmem.intake.shell.listing import Listing, listed, show
from trustmem.intake.shell.look import Page
from trustmem.intake.shell.times import counted
from trustmem.store.states import KEPT, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    memory.add_arguments(parser)


@shows(KEPT)
def run(arguments: argparse.Namespace) -> int:
    asked = memory.load(arguments)
    if not len(asked.scores):
        print(f"{asked.name} holds no facts.", file=sys.stderr if arguments.json else sys.stdout)
    elif arguments.json:
        for row in asked.rows:
            print(json.dumps(row, allow_nan=False))
    else:
        show(_listing(asked), Page())
    sys.stdout.flush()
    memory.report_answers(asked)
    return memory.status(asked)


def _listing(asked: Memory) -> Listing:
    balance = asked.reading.balance
    return Listing(
        name=asked.name,
        rows=asked.rows,
        text=asked.text,
        now=asked.now,
        passes=len(asked.passes),
        constants_version=asked.constants_version,
        lines=f"{counted(sum(balance.values()), 'line')}: {listed(balance, STATUSES)}",
    )
