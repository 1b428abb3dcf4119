"""Memories to be explained, from histories as `tests.makers` writes them."""

from collections.abc import Sequence

from tests.actions.world import as_file
from trustmem.core.fold import fold
from trustmem.core.lines import Line, Pass
from trustmem.core.scores import score
from trustmem.explanations.memory import Memory
from trustmem.formats.interchange import read


def memory(*lines: Line, now: int, passes: Sequence[Pass] = ()) -> Memory:
    """These lines as a file that was read, lived through with its passes."""
    reading = read(as_file(lines, passes))
    folded = fold(reading.lines, reading.passes)
    return Memory("diary", reading, reading.passes, folded, score(folded.stored, now), now)
