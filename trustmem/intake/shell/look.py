"""How things look in a terminal. Colour means trust band and nothing else; every band has its bars and its word too."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from trustmem.core.vocabulary import BANDS
from trustmem.explanations.text import columns_of
from trustmem.intake.shell.text import padded, wrapped

Part = str | tuple[str, str]

BARS = "▁▂▄▆█"
COLOURS = ("#d2574c", "#cb8232", "#a8933a", "#3f9a84", "#3d87b8")
SOFT = "dim"
STRONG = "bold"
#: No line is laid out for less.
_NARROWEST = 40
_DOT = " · "

#: What takes less time than this, in seconds, needs no word about how it goes.
_PATIENCE = 1.0


class Page:
    """A console that prints lines laid out by hand: nothing in them is markup, nothing is wrapped or cut."""

    def __init__(self) -> None:
        self.console = _Console(soft_wrap=True)
        self.columns = max(self.console.width, _NARROWEST)
        self.console.width = self.columns  # of none, rich would print nothing

    def line(self, *parts: Part) -> None:
        text = Text.assemble(*parts)
        text.rstrip()
        self.console.print(text)

    def flow(self, parts: Sequence[tuple[str, str]], indent: int, label: str = "") -> None:
        """Beside a label, parts one after the other, each of them whole, in as many lines as they take."""
        row: list[Part] = []
        used = indent
        for words, style in parts:
            if row and used + len(_DOT) + columns_of(words) > self.columns:
                self.line(padded(label, indent), *row)
                row, used, label = [], indent, ""
            if row:
                row.append((_DOT, SOFT))
                used += len(_DOT)
            row.append((words, style))
            used += columns_of(words)
        self.line(padded(label, indent), *row)

    def entry(self, label: str, words: str, indent: int, style: str = "") -> None:
        """A label, and beside it words in as many lines as they take."""
        for line in wrapped(words, self.columns - indent):
            self.line(padded(label, indent), (line, style))
            label = ""

    def heading(self, words: str, *more: Part) -> None:
        self.line()
        self.line((words.upper(), STRONG), *more)


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class _Share(ProgressColumn):
    """How much is done; nothing where nobody knows of how much."""

    def render(self, task: Task) -> Text:
        return Text("" if task.total is None else f"{task.completed:.0f} of {task.total:.0f}")


def band_mark(code: int) -> Part:
    """Bars and word of a band, 15 columns."""
    return f"{BARS[: code + 1]:5} {BANDS[code]:9}", COLOURS[code]


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says on a terminal's stderr what is being done, once that takes its time."""
    with progressing(what):
        yield


@contextmanager
def progressing(what: str) -> Iterator[Callable[[int, int], None]]:
    """The same, and how far it is: what is given takes how much is done, and of how much."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, of: None
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), _Share(), TimeElapsedColumn())
    progress = Progress(*columns, console=console, transient=True)
    task = progress.add_task(what, total=None)
    patience = threading.Timer(_PATIENCE, progress.start)
    patience.start()
    try:
        yield lambda done, of: progress.update(task, completed=done, total=of)
    finally:
        patience.cancel()
        patience.join()
        progress.stop()
