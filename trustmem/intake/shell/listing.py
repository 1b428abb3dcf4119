"""Every fact of a memory on a page: what each is worth, why in one line, and what a person should do about some."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trustmem.core.vocabulary import BANDS, FLAGS, STATES
from trustmem.explanations.advice import by_flag
from trustmem.explanations.text import shortened, visible
from trustmem.explanations.times import minute
from trustmem.intake.shell.look import COLOURS, SOFT, STRONG, Page, band_mark
from trustmem.intake.shell.times import counted

Row = dict[str, Any]

FACTORS = ("confidence", "freshness", "supersession", "provenance")

#: Columns before the claim: band, trust, and the space between.
_INDENT = 22
_NAMED = 3
_LONGEST_BAR = 60


@dataclass(frozen=True, slots=True)
class Listing:
    """The scores of the facts of `name`, `text` of each by id (None: erased), and what the head says of its history."""

    name: str
    rows: Sequence[Row]
    text: Callable[[str], str | None]
    now: int
    passes: int
    constants_version: int | None
    lines: str


def show(listing: Listing, page: Page) -> None:
    rows = sorted(listing.rows, key=lambda row: (-row["trust"], row["id"]))
    live = [row for row in rows if row["state"] == "live"]
    _show_head(listing, page)
    groups = (
        ("facts", "highest trust first", [row for row in live if not row["depth"]]),
        ("superseded", "a newer claim stands above each", [row for row in live if row["depth"]]),
        ("not live", "agents are not served these", [row for row in rows if row["state"] != "live"]),
    )
    for title, remark, members in groups:
        if members:
            page.heading(title, f"  {remark}")
        for row in members:
            _show_fact(listing, row, page)
    _show_what_to_do(live, page)
    _show_bands(live, page)


def listed(counts: Mapping[Any, int], order: Sequence[str]) -> str:
    """The counts that are not 0, each with its word."""
    return ", ".join(f"{counts[each]} {each}" for each in order if counts[each])


def _show_head(listing: Listing, page: Page) -> None:
    states = Counter(row["state"] for row in listing.rows)
    page.flow([(listing.name, STRONG), (f"{counted(len(listing.rows), 'fact')}: {listed(states, STATES)}", "")], 0)
    passes = counted(listing.passes, "pass", "passes")
    version = listing.constants_version
    constants = "default constants" if version is None else f"constants version {version}"
    page.line((f"now {minute(listing.now)} UTC · {passes} · {constants}", SOFT))
    page.line((listing.lines, SOFT))
    page.line()
    page.line(f"trust = {' × '.join(FACTORS)} · flags · id")


def _show_fact(listing: Listing, row: Row, page: Page) -> None:
    text = listing.text(row["id"])
    is_gone = text is None or row["state"] == "forgotten"
    claim = (f"({row['state']})", SOFT) if is_gone else (shortened(text or "", page.columns - _INDENT), "")
    page.line(band_mark(BANDS.index(row["band"])), " ", (f"{row['trust']:.2f}", STRONG), "  ", claim)
    state = [] if row["state"] == "live" else [row["state"]]
    reasons = [(" × ".join(f"{row[factor]:.2f}" for factor in FACTORS), SOFT)]
    reasons += [(word, "") for word in (*state, *row["flags"], *row["notices"])]
    page.flow([*reasons, (visible(row["id"]), SOFT)], _INDENT)


def _show_what_to_do(live: Sequence[Row], page: Page) -> None:
    page.heading("what to do")
    for flag in FLAGS:
        flagged = [row["id"] for row in live if flag in row["flags"]]
        if flagged:
            page.line(f"{flag:11} {len(flagged):5}  ", by_flag()[flag])
            more = [f"and {len(flagged) - _NAMED} more"] if len(flagged) > _NAMED else []
            page.flow([(each, SOFT) for each in [*map(visible, flagged[:_NAMED]), *more]], _INDENT - 3)


def _show_bands(live: Sequence[Row], page: Page) -> None:
    counts = Counter(row["band"] for row in live)
    page.heading("bands", "  of live facts")
    scale = max(counts.values(), default=1)
    for code in reversed(range(len(BANDS))):
        count = counts[BANDS[code]]
        bar = "█" * round(count / scale * min(page.columns - _INDENT - 10, _LONGEST_BAR))
        page.line(band_mark(code), f" {count:5}  ", (bar, COLOURS[code]))
