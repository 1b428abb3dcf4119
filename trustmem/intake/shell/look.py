"""How things look in a terminal. Colour means trust band and nothing else; every band has its bars and its word too."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from trustmem.core.vocabulary import BANDS
from trustmem.intake.shell.text import columns_of, padded, wrapped

Part = str | tuple[str, str]

BARS = "▁▂▄▆█"
COLOURS = ("#d2574c", "#cb8232", "#a8933a", "#3f9a84", "#3d87b8")
SOFT = "dim"
STRONG = "bold"
_DOT = " · "

#: What takes less time than this, in seconds, needs no word about how it goes.
_PATIENCE = 1.0


class Page:
    """A console that prints lines laid out by hand: nothing in them is markup, nothing is wrapped or cut."""

    def __init__(self) -> None:
        self.console = _Console(soft_wrap=True)
        self.columns = max(self.console.width, 40)

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


def band_mark(code: int) -> Part:
    """Bars and word of a band, 15 columns."""
    return f"{BARS[: code + 1]:5} {BANDS[code]:9}", COLOURS[code]


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says on a terminal's stderr what is being done, once that takes its time."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    progress = Progress(*columns, console=console, transient=True)
    progress.add_task(what, total=None)
    patience = threading.Timer(_PATIENCE, progress.start)
    patience.start()
    try:
        yield
    finally:
        patience.cancel()
        patience.join()
        progress.stop()
