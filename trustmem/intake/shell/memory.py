"""What the commands ask about: a file, read, lived through and scored at an instant."""

import argparse
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trustmem.core.constants import ConstantError
from trustmem.core.fold import Folded, fold
from trustmem.core.instants import MICROSECONDS_PER_SECOND, to_text
from trustmem.core.lines import Pass
from trustmem.core.scores import Scores, score
from trustmem.core.vocabulary import ERASED
from trustmem.formats import rfc3339
from trustmem.formats.detect import looks_like
from trustmem.formats.interchange import Reading, Status, read
from trustmem.formats.strict_json import quoted
from trustmem.intake.shell import Refusal
from trustmem.intake.shell.files import raw_lines, shown
from trustmem.intake.shell.look import working

MOST_PASSES = 100_000
MOST_ANSWERS = 20
MOST_MEMBERS = 5
#: Answers that a person should look at: their lines have no effect, or not yet.
AMISS: tuple[Status, ...] = ("refused", "waiting", "rejected")

_SECONDS = {"d": 86_400, "h": 3_600, "m": 60}


@dataclass(frozen=True)
class Memory:
    """A file and what became of it. `passes` are those of the file and those that were asked for."""

    path: str
    reading: Reading
    passes: list[Pass]
    folded: Folded
    scores: Scores
    now: int

    @property
    def name(self) -> str:
        return shown(self.path)

    @property
    def status(self) -> int:
        """The exit status: 0, or 3 if something is amiss with some lines."""
        return 3 if any(self.reading.balance[status] for status in AMISS) else 0

    @cached_property
    def row(self) -> dict[str, int]:
        """Where each fact stands in the columns."""
        return {id: row for row, id in enumerate(self.scores.ids)}

    def text(self, id: str) -> str | None:
        """What a fact says; None if that was erased."""
        erased = self.scores.state[self.row[id]] == ERASED
        return None if erased else self.reading.records[id]["text"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What every command about a memory takes."""
    parser.add_argument("file", metavar="FILE", help="an interchange file, plain or .gz; - is stdin")
    parser.add_argument(
        "--now", metavar="T", type=_instant, help="score as of this instant, RFC 3339 with an offset (default: now)"
    )
    parser.add_argument(
        "--pass-every",
        metavar="SPAN",
        type=_span,
        help="add a consolidation pass every SPAN, such as 1d, 12h or 30m, from the first to the last line of the file",
    )
    parser.add_argument("--json", action="store_true", help="for machines: JSON in full precision")


def load(arguments: argparse.Namespace) -> Memory:
    """The memory that the arguments ask about. Raises Refusal."""
    path, now = arguments.file, arguments.now
    if now is None:
        now = time.time_ns() // 1000
    with working(f"reading {shown(path)}"):
        reading = read(raw_lines(path))
    _refuse_what_is_none_of_ours(path, reading)
    passes = reading.passes + _added_passes(reading, arguments.pass_every)
    with working(f"folding {len(reading.lines)} lines through {len(passes)} passes"):
        try:
            folded = fold(reading.lines, passes)
        except ConstantError as error:
            raise Refusal(f"{shown(path)}: its constants cannot be in force together: {error}") from None
        return Memory(path, reading, passes, folded, score(folded.stored, now), now)


def report_answers(memory: Memory) -> None:
    """Says on stderr what is amiss with which lines, and what else the reader noticed."""
    amiss = [answer for answer in memory.reading.answers if answer.status in AMISS]
    for answer in amiss[:MOST_ANSWERS]:
        print(f"{answer.status}: {answer}", file=sys.stderr)
    if len(amiss) > MOST_ANSWERS:
        print(f"and {len(amiss) - MOST_ANSWERS} more", file=sys.stderr)
    for notice in [*memory.reading.notices, *_notices(memory)]:
        print(f"notice: {notice}", file=sys.stderr)


def _notices(memory: Memory) -> Iterator[str]:
    """What no single line can be blamed for, and a person should know."""
    records = memory.reading.records.values()
    ahead = sum(record["at"] > memory.now for record in records)
    if ahead:
        verb = "line lies" if ahead == 1 else "lines lie"
        yield f"{ahead} {verb} after {to_text(memory.now)}, the instant of the scores, and count as if they were now"
    facts, circular = memory.folded.history.facts, memory.folded.seen.standing.circular
    members = np.flatnonzero(circular.ends(len(facts)))
    if len(members):
        named = ", ".join(quoted(facts.ids[row]) for row in members[:MOST_MEMBERS])
        more = f" and {len(members) - MOST_MEMBERS} more" if len(members) > MOST_MEMBERS else ""
        yield f"updates lead in a circle, and none of those counts: {named}{more}"


def _refuse_what_is_none_of_ours(path: str, reading: Reading) -> None:
    answers = reading.answers
    if not answers or any(answer.status != "rejected" for answer in answers):
        return
    seems = looks_like(b"".join(answer.raw or b"" for answer in answers[:MOST_ANSWERS]))
    reason = f"it looks like {seems}" if seems else str(answers[0])
    raise Refusal(f"{shown(path)}: none of its lines was understood; {reason}")


def _added_passes(reading: Reading, every: int | None) -> list[Pass]:
    """Passes at the first instant of the file + n spans, n = 1, 2, ..., up to its last."""
    instants = [record["at"] for record in reading.records.values()]
    if every is None or not instants:
        return []
    first, last = min(instants), max(instants)
    count = (last - first) // every
    if count > MOST_PASSES:
        between = f"from {to_text(first)} to {to_text(last)}"
        raise Refusal(f"--pass-every would make {count} passes {between}; the limit is {MOST_PASSES}")
    return [Pass(first + n * every) for n in range(1, count + 1)]


def _instant(text: str) -> int:
    try:
        return rfc3339.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{quoted(text)} {error}") from None


def _span(text: str) -> int:
    form = re.fullmatch(r"(-?)([0-9]{1,9})([dhm])", text)
    if not form:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no span, such as 1d, 12h or 30m")
    if form[1] or int(form[2]) == 0:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not longer than nothing")
    return int(form[2]) * _SECONDS[form[3]] * MICROSECONDS_PER_SECOND
