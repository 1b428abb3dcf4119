"""Instants, spans and counts as people write and read them in a terminal."""

import argparse
import re

from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.formats import rfc3339
from trustmem.formats.strict_json import quoted
from trustmem.intake.clock import clock as clock

_SECONDS = {"d": 86_400, "h": 3_600, "m": 60}


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun: no fact, 1 fact, 2 facts."""
    return f"{count or 'no'} {noun if count == 1 else plural or noun + 's'}"


def instant(text: str) -> int:
    """An argument that is an instant."""
    try:
        return rfc3339.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{quoted(text)} {error}") from None


def span(text: str) -> int:
    """An argument that is a span of time, in microseconds."""
    form = re.fullmatch(r"(-?)([0-9]{1,9})([dhm])", text)
    if not form:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no span, such as 1d, 12h or 30m")
    if form[1] or int(form[2]) == 0:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not longer than nothing")
    return int(form[2]) * _SECONDS[form[3]] * MICROSECONDS_PER_SECOND
