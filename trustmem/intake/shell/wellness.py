"""The option `--check` of what runs for long: whether it does what it is there for, for whoever watches over it."""

import argparse

from trustmem.intake.shell import Failure
from trustmem.work import alive


def add_arguments(parser: argparse.ArgumentParser, part: str) -> None:
    parser.add_argument(
        "--check", action="store_true", help=f"say whether the {part} of this home is alive; exit status 1 if it is not"
    )


def check(part: str) -> int:
    """Says how long ago a part gave its last sign of life. Raises Failure where that is too long ago."""
    age = alive.age(part)
    if age is None:
        raise Failure(f"no {part} has given a sign of life in this home")
    if age > alive.LONGEST:
        raise Failure(f"the {part} gave its last sign of life {age:.0f} seconds ago")
    print(f"The {part} gave a sign of life {age:.0f} seconds ago.")
    return 0
