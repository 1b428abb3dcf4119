"""`trustmem search QUERY`: what a space knows of something, the most trusted and useful first."""

import argparse
import json
from typing import Any

from trustmem.actions.search import MOST, Found, Hit, search
from trustmem.core.vocabulary import BANDS
from trustmem.explanations.text import shortened, visible
from trustmem.formats import scores
from trustmem.intake import shapes
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.look import SOFT, STRONG, Page, band_mark
from trustmem.intake.shell.naming import some
from trustmem.intake.shell.times import clock, counted
from trustmem.store.states import KEPT, shows

#: Columns before a claim: the band, the trust, and the space between.
_INDENT = 22
#: What the reasons mean for which agents are not served a fact.
_HELD = {
    "not live": "not live",
    "faint": "too faint",
    "suppressed": "suppressed, as it proved useless",
    "superseded": "superseded",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("query", metavar="QUERY", nargs="+", help="words; old ones find what holds in their place now")
    parser.add_argument("--freshness", action="store_true", help="the freshest first, trusted and useful or not")
    parser.add_argument("--history", action="store_true", help="also claims that others replaced, behind what holds")
    parser.add_argument(
        "--limit", metavar="N", type=_limit, default=10, help=f"so many hits, at most {MOST} (default: 10)"
    )
    parser.add_argument("--json", action="store_true", help="for machines: one JSON object, as agents are answered")


def _limit(text: str) -> int:
    """An argument that is a number of hits."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= MOST:
        raise argparse.ArgumentTypeError(f'"{text}" is no number from 1 to {MOST}')
    return int(text)


@shows(KEPT)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        stored.warn_if_behind(space)
        found = search(
            space,
            " ".join(arguments.query),
            now=clock(),
            limit=arguments.limit,
            order="freshness" if arguments.freshness else "trust",
            history=arguments.history,
            sees_all=True,
        )
        if arguments.json:
            print(json.dumps(shapes.found(found, arguments.limit)))
        else:
            _show(visible(str(space)), found, Page())
    return 0


def _show(name: str, found: Found, page: Page) -> None:
    """The hits as people see them, who are shown what agents are not; and how much that is."""
    rows = list(scores.rows(found.scores))
    page.flow([(name, STRONG), (counted(len(found.hits), "hit"), "")], 0)
    folded = [hit for hit in found.hits if hit.folded]
    for hit in (each for each in found.hits if not each.folded):
        _show_hit(hit, rows[hit.row], page)
    if folded:
        page.heading("folded", "  of sources that nobody has reviewed, beyond their share")
    for hit in folded:
        _show_hit(hit, rows[hit.row], page)
    if found.held_back:
        told = ", ".join(f"{count} {_HELD[why]}" for why, count in sorted(found.held_back.items()))
        page.line()
        page.entry("", f"Of all that was found agents are not served: {told}.", 0, SOFT)


def _show_hit(hit: Hit, row: dict[str, Any], page: Page) -> None:
    text = KEPT.told(hit.fact.text, hit.fact.state)
    claim = ("(erased)", SOFT) if text is None else (shortened(text, page.columns - _INDENT), "")
    page.line()
    page.line(band_mark(BANDS.index(row["band"])), " ", (f"{row['trust']:.2f}", STRONG), "  ", claim)
    words = [*([] if row["state"] == "live" else [row["state"]]), *row["flags"], *row["notices"]]
    words += ["found by its meaning"] if hit.found_by == ("meaning",) else []
    words += [f"not served to agents: {_HELD[hit.held]}"] if hit.held else []
    page.flow([*((word, "") for word in words), (visible(hit.fact.name), SOFT)], _INDENT)
    around = (
        ("replaces", hit.replaces),
        ("superseded by", hit.superseded_by),
        ("contradicted by", hit.disputes),
        ("perhaps in conflict with", hit.candidates),
    )
    for says, names in around:
        if names:
            page.entry("", f"{says} {some(names)}", _INDENT, SOFT)
