"""`trustmem detector`: how often the detector was right, by version and rule, and what waits."""

import argparse
import json
from typing import Any

from trustmem.actions import detector
from trustmem.actions.detector import FEW, Precision
from trustmem.core.constants import flat
from trustmem.explanations.text import visible
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.look import SOFT, STRONG, Page
from trustmem.store import pairs, queries
from trustmem.store.models import Space
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for machines: one JSON object, in full precision")


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        stored.warn_if_behind(space)
        if arguments.json:
            print(json.dumps(_told(space)))
        else:
            _show(space)
    return 0


def _told(space: Space) -> dict[str, Any]:
    standing, in_force = pairs.standing(space), flat(queries.constants(space))
    rules, is_capped = detector.rules(space)
    return {
        "detector": standing.detector,
        "checked": standing.done,
        "facts": standing.of,
        "pairs": pairs.counts(space),
        "precision": [_row(each) for each in detector.precision(space)],
        "thresholds": {
            rule.name: {"overlap": (least := in_force[f"candidate_overlap.{rule.name}"]), **rule.at(least)._asdict()}
            for rule in rules
        },
        "is_capped": is_capped,
    }


def _row(each: Precision) -> dict[str, Any]:
    interval = list(each.interval) if each.interval else None
    return {**each._asdict(), "share": each.share, "interval": interval, "too_few": each.n < FEW}


def _show(space: Space) -> None:
    page, standing = Page(), pairs.standing(space)
    version = f"detector {visible(standing.detector)}" if standing.detector else "the detector has not begun"
    page.flow(
        [(visible(space.name), STRONG), (version, ""), (f"{standing.done} of {standing.of} facts checked", "")], 0
    )
    found = detector.precision(space)
    page.heading("how often it was right", "  by what people decided")
    if not found:
        page.line(("nothing was decided about what it found, and nothing waits", SOFT))
    else:
        page.line((f"{'':10} {'version':>8}  {'rule':12} {'right':>6} {'wrong':>6} {'share':>6}  95 % interval", SOFT))
    for each in found:
        share = f"{each.share:6.2f}" if each.share is not None else f"{'–':>6}"
        low, high = each.interval or (0.0, 1.0)
        between = f"{low:.2f} – {high:.2f}" if each.interval else ""
        few = "  too few" if each.n < FEW else ""
        waits = f"  {each.waiting} waiting" if each.waiting else ""
        rule = visible(each.rule) or "restatement"
        start = f"{each.kind:10} {visible(each.detector):>8}  {rule:12} {each.right:6} {each.wrong:6} {share}"
        page.line(f"{start}  {between}{few}{waits}")
    page.heading("pairs", "  by what was found")
    for finding, by_rule in pairs.counts(space).items():
        page.line(f"{finding:14} {sum(by_rule.values()):8}")
