"""`trustmem export`: a space as a file from which it can be made again, or its scores."""

import argparse
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from trustmem.actions import exports
from trustmem.core.scores import score
from trustmem.formats import scores
from trustmem.intake.shell import Failure, Refusal, database, stored
from trustmem.intake.shell.files import shown
from trustmem.intake.shell.times import clock, instant
from trustmem.store import queries
from trustmem.store.models import Space
from trustmem.store.states import KEPT, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("--out", metavar="FILE", help="write it there, whole or not at all (default: to stdout)")
    parser.add_argument("--scores", action="store_true", help="the scores of all facts, one JSON object a line")
    parser.add_argument("--now", metavar="T", type=instant, help="score as of this instant (default: now)")


@shows(KEPT)
def run(arguments: argparse.Namespace) -> int:
    if arguments.now is not None and not arguments.scores:
        raise Refusal("--now goes with --scores: what happened is the same whenever it is exported")
    with database.opened():
        space = stored.space(arguments)
        lines = score_lines(space, arguments.now) if arguments.scores else exports.export(space)
        if arguments.out is None:
            sys.stdout.buffer.writelines(lines)
        else:
            write_whole(arguments.out, lines)
    return 0


def score_lines(space: Space, now: int | None) -> Iterator[bytes]:
    """The scores of a space at an instant (None: this moment), one JSON object a line."""
    stored.warn_if_behind(space)
    facts = queries.stored(space)
    rows = scores.rows(score(facts, clock() if now is None else now))
    for row in scores.under(rows, queries.version(space), facts.constants):
        yield json.dumps(row, allow_nan=False).encode() + b"\n"


def write_whole(path: str, lines: Iterable[bytes]) -> None:
    """What stands there already stays as it is until all is written beside it. Raises Failure."""
    target = Path(path).resolve()  # a link stays one
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                file.writelines(lines)
            return
        _write_beside(target, lines)
    except OSError as error:
        raise Failure(f"{shown(path)}: cannot be written: {error.strerror}; it is as it was") from None


def _write_beside(target: Path, lines: Iterable[bytes]) -> None:
    mode = 0o600
    if target.exists():
        with target.open("ab"):  # what may not be written is not to be replaced either
            mode = stat.S_IMODE(target.stat().st_mode)
    descriptor, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with open(descriptor, "wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(descriptor)
            os.fchmod(descriptor, mode)
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
