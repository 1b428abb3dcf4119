"""Undo: which acts count as if they had never been (section 1, *Undo*)."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence

from trustmem.core.instants import to_text
from trustmem.core.lines import Event, Line, Pass


def voided_acts(undone: Iterable[Event]) -> frozenset[str]:
    """The acts that `undone` lines take back, undos of undos included.

    An undone line counts unless its own act (or import) is voided by one that counts. Should undos form a ring,
    which only a made-up file can, the latest of them (by `at`, then id) counts. Section 1, *Undo*.

    >>> undo = Event(id="u", kind="undone", of="A", at=1, arrived=1, act="B")
    >>> sorted(voided_acts([undo])), voided_acts([undo, Event(id="v", kind="undone", of="B", at=2, arrived=2)])
    (['A'], frozenset({'B'}))
    """
    lines = sorted(undone, key=lambda line: (line.at, line.id))
    written_by: dict[str | None, list[int]] = defaultdict(list)
    for row, line in enumerate(lines):
        for act in {line.act, line.imported} - {None}:
            written_by[act].append(row)
    # How many undos of each line are still to be judged; it is judged itself when there are none left.
    open_undos = Counter(row for line in lines for row in written_by[line.of])
    ready = [row for row in range(len(lines)) if not open_undos[row]]
    judged, void, latest = set[int](), set[str](), len(lines)
    while len(judged) < len(lines):
        while not ready:
            latest -= 1
            ready = [latest] if latest not in judged else []
        row = ready.pop()
        if row in judged:
            continue
        judged.add(row)
        line = lines[row]
        if line.of is not None and not _is_of(line, void):
            void.add(line.of)
        for undone_row in written_by[line.of]:
            open_undos[undone_row] -= 1
            if not open_undos[undone_row]:
                ready.append(undone_row)
    return frozenset(void)


def standing_lines(lines: Iterable[Line]) -> tuple[list[Line], frozenset[str]]:
    """The lines that count after all undos, and the voided acts. What is erased stays erased; section 1, *Undo*.

    >>> standing_lines([Event(id="e", kind="restated", fact="f", at=1, arrived=1)])[1]
    frozenset()
    """
    everything = list(lines)
    void = voided_acts(line for line in everything if isinstance(line, Event) and line.kind == "undone")
    return [line for line in everything if not _is_of(line, void) or _is_final(line)], void


def _is_of(line: Line | Pass, acts: Container[str | None]) -> bool:
    """Whether one of the acts wrote the line, or one of those was the import that brought it."""
    return line.act in acts or line.imported in acts


def _is_final(line: Line) -> bool:
    return isinstance(line, Event) and line.kind == "erased"


def timetable(passes: Iterable[Pass], void: frozenset[str]) -> Sequence[tuple[int, bool]]:
    """(instant, counts) of each pass in order; an undone pass keeps its place and changes nothing.

    A pass is named by its instant, or by the act that its line carries. Section 1, *Undo*.

    >>> timetable([Pass(86_400_000_000)], frozenset({"1970-01-02T00:00:00Z"}))
    [(86400000000, False)]
    """
    counts: dict[int, bool] = {}
    for each in passes:
        counts[each.at] = counts.get(each.at, True) and not _is_of(each, void) and to_text(each.at) not in void
    return sorted(counts.items())
