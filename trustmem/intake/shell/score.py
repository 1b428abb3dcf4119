"""`trustmem score FILE`: what every fact of a memory is worth."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from trustmem.core.vocabulary import BANDS, FLAGS, STATES
from trustmem.formats import scores
from trustmem.formats.interchange import STATUSES
from trustmem.intake.shell import memory
from trustmem.intake.shell.advice import BY_FLAG
from trustmem.intake.shell.look import COLOURS, SOFT, STRONG, Page, band_mark
from trustmem.intake.shell.memory import Memory
from trustmem.intake.shell.text import shortened, visible
from trustmem.intake.shell.times import counted, minute

Row = dict[str, Any]

FACTORS = ("confidence", "freshness", "supersession", "provenance")

#: Columns before the claim: band, trust, and the space between.
_INDENT = 22
_NAMED = 3
_LONGEST_BAR = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    memory.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    asked = memory.load(arguments)
    if not len(asked.scores):
        print(f"{asked.name} holds no facts.", file=sys.stderr if arguments.json else sys.stdout)
    elif arguments.json:
        for row in scores.rows(asked.scores):
            print(json.dumps(row, allow_nan=False))
    else:
        _show(asked, Page())
    sys.stdout.flush()
    memory.report_answers(asked)
    return asked.status


def _show(asked: Memory, page: Page) -> None:
    rows = sorted(scores.rows(asked.scores), key=lambda row: (-row["trust"], row["id"]))
    live = [row for row in rows if row["state"] == "live"]
    _show_head(asked, rows, page)
    groups = (
        ("facts", "highest trust first", [row for row in live if not row["depth"]]),
        ("superseded", "a newer claim stands above each", [row for row in live if row["depth"]]),
        ("not live", "agents are not served these", [row for row in rows if row["state"] != "live"]),
    )
    for title, remark, members in groups:
        if members:
            page.heading(title, f"  {remark}")
        for row in members:
            _show_fact(asked, row, page)
    _show_what_to_do(live, page)
    _show_bands(live, page)


def _show_head(asked: Memory, rows: Sequence[Row], page: Page) -> None:
    states = Counter(row["state"] for row in rows)
    balance = asked.reading.balance
    page.flow([(asked.name, STRONG), (f"{counted(len(rows), 'fact')}: {_listed(states, STATES)}", "")], 0)
    passes = counted(len(asked.passes), "pass", "passes")
    page.line((f"now {minute(asked.now)} UTC · {passes} · {_constants(asked)}", SOFT))
    page.line((f"{counted(sum(balance.values()), 'line')}: {_listed(balance, STATUSES)}", SOFT))
    page.line()
    page.line(f"trust = {' × '.join(FACTORS)} · flags · id")


def _listed(counts: Mapping[Any, int], order: Sequence[str]) -> str:
    return ", ".join(f"{counts[each]} {each}" for each in order if counts[each])


def _constants(asked: Memory) -> str:
    versions = [record for record in asked.reading.records.values() if record["type"] == "constants"]
    if not versions:
        return "default constants"
    newest = max(versions, key=lambda record: (record["arrived"], record["at"], record["id"]))
    return f"constants version {newest['version']}"


def _show_fact(asked: Memory, row: Row, page: Page) -> None:
    text = asked.text(row["id"])
    claim = (shortened(text, page.columns - _INDENT), "") if text is not None else ("(erased)", SOFT)
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
            page.line(f"{flag:11} {len(flagged):5}  ", BY_FLAG[flag])
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
