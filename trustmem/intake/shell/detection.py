"""`trustmem detect`: the facts that the detector has not seen are compared with those before them."""

import argparse
import json
from typing import Any

from trustmem.actions import detection
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.look import Page, working
from trustmem.intake.shell.times import clock, counted
from trustmem.store import pairs, queue
from trustmem.store.cases import CANDIDATE
from trustmem.store.models import Space
from trustmem.store.queue import Filter
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="for machines: one JSON object")


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        with working("comparing facts with those before them"):
            detection.detect(space, now=clock())
        told = _told(space)
        if arguments.json:
            print(json.dumps(told))
        else:
            _show(told, Page())
    return 0


def _told(space: Space) -> dict[str, Any]:
    standing, (waiting, is_more) = pairs.standing(space), queue.count(space, Filter(CANDIDATE))
    return {
        "detector": standing.detector,
        "checked": standing.done,
        "facts": standing.of,
        "found": pairs.counts(space),
        "candidates": waiting,
        "more_candidates": is_more,
    }


def _show(told: dict[str, Any], page: Page) -> None:
    page.line(f"{told['checked']} of {counted(told['facts'], 'fact')} are checked, by detector {told['detector']}.")
    for finding, by_rule in told["found"].items():
        page.line(f"{sum(by_rule.values()):9}  {finding}")
        for rule, pairs_found in sorted(by_rule.items(), key=lambda each: (-each[1], each[0])):
            if rule:
                page.line(f"{pairs_found:9}    {rule}")
    many = f"more than {told['candidates']}" if told["more_candidates"] else told["candidates"]
    page.line(f"Candidates that wait for a person: {many}. trustmem review --kind candidate lists them.")
