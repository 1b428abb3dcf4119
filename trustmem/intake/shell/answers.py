"""What a person should know of the answers to a file: which lines are amiss, and what else the reader noticed."""

import sys
from collections.abc import Iterable, Sequence

from trustmem.formats.interchange import AMISS, Answer

MOST_ANSWERS = 20


def amiss(answers: Iterable[Answer]) -> list[Answer]:
    """Those that a person should look at."""
    return [answer for answer in answers if answer.status in AMISS]


def report(answers: Sequence[Answer], notices: Iterable[str]) -> None:
    """Says on stderr what is amiss with which lines, and the notices."""
    named = amiss(answers)
    for answer in named[:MOST_ANSWERS]:
        print(f"{answer.status}: {answer}", file=sys.stderr)
    if len(named) > MOST_ANSWERS:
        print(f"and {len(named) - MOST_ANSWERS} more", file=sys.stderr)
    for notice in notices:
        print(f"notice: {notice}", file=sys.stderr)


def status(answers: Iterable[Answer]) -> int:
    """The exit status: 0, or 3 if something is amiss with some lines."""
    return 3 if amiss(answers) else 0
