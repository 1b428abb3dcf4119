"""The memory that a command asks about, where it comes from a file."""

import argparse
from collections.abc import Iterator

import numpy as np

from trustmem.core.constants import ConstantError
from trustmem.core.fold import fold
from trustmem.core.instants import to_text
from trustmem.core.lines import Pass
from trustmem.core.scores import score
from trustmem.explanations.memory import Memory
from trustmem.formats import signatures
from trustmem.formats.detect import looks_like
from trustmem.formats.interchange import Reading, read
from trustmem.formats.strict_json import quoted
from trustmem.intake.shell import Refusal, answers
from trustmem.intake.shell.answers import MOST_ANSWERS
from trustmem.intake.shell.files import raw_lines, shown
from trustmem.intake.shell.look import working
from trustmem.intake.shell.times import clock, instant, span

MOST_MEMBERS = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What every command about a memory takes."""
    parser.add_argument("file", metavar="FILE", help="an interchange file, plain or .gz; - is stdin")
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """As of when a memory is scored, what it lives through, and for whom the answer is."""
    parser.add_argument(
        "--now", metavar="T", type=instant, help="score as of this instant, RFC 3339 with an offset (default: now)"
    )
    add_pass_every(parser)
    parser.add_argument("--json", action="store_true", help="for machines: JSON in full precision")


def add_pass_every(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pass-every",
        metavar="SPAN",
        type=span,
        help="add a consolidation pass every SPAN, such as 1d, 12h or 30m, from the first to the last line of the file",
    )


def load(arguments: argparse.Namespace) -> Memory:
    """The memory that the arguments ask about. Raises Refusal."""
    path = arguments.file
    now = clock() if arguments.now is None else arguments.now
    with working(f"reading {shown(path)}"):
        reading = read(raw_lines(path))
    _refuse_what_is_none_of_ours(path, reading)
    passes = reading.passes + _added_passes(reading, arguments.pass_every)
    with working(f"folding {len(reading.lines)} lines through {len(passes)} passes"):
        try:
            folded = fold(signatures.counted(reading), passes)
        except ConstantError as error:
            raise Refusal(f"{shown(path)}: its constants cannot be in force together: {error}") from None
        scores = score(folded.stored, now)
        return Memory(shown(path), reading, passes, folded, scores, now)


def status(memory: Memory) -> int:
    """The exit status: 0, or 3 if something is amiss with some lines."""
    return answers.status(memory.reading.answers)


def report_answers(memory: Memory) -> None:
    """Says on stderr what is amiss with which lines, and what else the reader noticed."""
    answers.report(memory.reading.answers, [*memory.reading.notices, *_notices(memory)])


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
    given = reading.answers
    if not given or any(answer.status != "rejected" for answer in given):
        return
    seems = looks_like(b"".join(answer.raw or b"" for answer in given[:MOST_ANSWERS]))
    reason = f"it looks like {seems}" if seems else str(given[0])
    raise Refusal(f"{shown(path)}: none of its lines was understood; {reason}")


def _added_passes(reading: Reading, every: int | None) -> list[Pass]:
    try:
        return [] if every is None else [Pass(at) for at in reading.instants_every(every)]
    except ValueError as error:
        raise Refusal(f"--pass-every would make {error}") from None
