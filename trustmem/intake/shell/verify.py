"""`trustmem verify`: proves that no line was changed, and that all else follows from the lines."""

import argparse
import sys

from trustmem.actions.verify import verify
from trustmem.explanations.text import visible
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.look import working
from trustmem.intake.shell.times import counted

_MOST_FINDINGS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("--rebuild", action="store_true", help="fold all lines anew too, and compare what is stored")


def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        with working(f"verifying {space.head_position} lines"):
            findings = verify(space, rebuild=arguments.rebuild)
    for finding in findings[:_MOST_FINDINGS]:
        print(visible(finding))
    if len(findings) > _MOST_FINDINGS:
        print(f"and {len(findings) - _MOST_FINDINGS} more")
    if not findings:
        print(f"{counted(space.head_position, 'line')}, and each is as it was written.")
        if arguments.rebuild:
            print("What is stored beside them is what they come to.")
    print(
        f"head {space.head_digest} at {space.head_position}: keep it elsewhere, and whoever cuts the end off is found"
    )
    sys.stdout.flush()
    return 1 if findings else 0
