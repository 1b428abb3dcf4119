"""`trustmem show [FACT]`: what every fact of a space is worth, or one of them in short."""

import argparse
import json
import sys
from typing import Any

from trustmem.core.scores import score
from trustmem.explanations.advice import advice
from trustmem.explanations.text import visible
from trustmem.explanations.times import minute
from trustmem.formats import scores
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.explanation_page import show_claim
from trustmem.intake.shell.listing import Listing
from trustmem.intake.shell.listing import show as show_listing
from trustmem.intake.shell.look import SOFT, Page
from trustmem.intake.shell.times import clock, counted, instant
from trustmem.store import queries
from trustmem.store.models import Entity, Fact, Link, Pass, Space
from trustmem.store.states import KEPT, STANDING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument(
        "fact", metavar="FACT", nargs="?", help="the id of a fact, or a beginning that only one id has (default: all)"
    )
    parser.add_argument(
        "--now", metavar="T", type=instant, help="score as of this instant, RFC 3339 with an offset (default: now)"
    )
    parser.add_argument("--json", action="store_true", help="for machines: JSON in full precision")


@shows(KEPT)
def run(arguments: argparse.Namespace) -> int:
    now = clock() if arguments.now is None else arguments.now
    with database.opened():
        space = stored.space(arguments)
        asked = stored.fact(space, arguments.fact) if arguments.fact is not None else None
        stored.warn_if_behind(space)
        facts = queries.stored(space, [asked.pk] if asked else None)
        rows = list(scores.under(scores.rows(score(facts, now)), queries.version(space), facts.constants))
        if arguments.json:
            for row in rows:
                print(json.dumps(row, allow_nan=False))
        elif asked:
            _show_fact(asked, rows[0], now, Page())
        elif rows:
            show_listing(_listing(space, rows, now), Page())
        if not rows:
            print(f"{stored.called(space)} holds no facts.", file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _listing(space: Space, rows: list[dict[str, Any]], now: int) -> Listing:
    facts = Fact.objects.filter(space=space, state__in=STANDING.to_reviewers)
    return Listing(
        name=visible(str(space)),
        rows=rows,
        text=dict(facts.values_list("name", "text")).get,
        now=now,
        passes=Pass.objects.filter(space=space).count(),
        constants_version=queries.version(space),
        lines=counted(space.head_position, "line"),
    )


def _show_fact(fact: Fact, row: dict[str, Any], now: int, page: Page) -> None:
    show_claim(fact.name, KEPT.told(fact.text, fact.state), row, advice(row["state"], row["flags"]), now, page)
    page.heading("born")
    page.flow([(minute(fact.at), ""), (f"by {visible(fact.source)}", SOFT), (f"run {visible(fact.run)}", SOFT)], 2)
    _show_relations(fact, page)
    page.line()
    page.line((f"trustmem explain {visible(fact.name)} says why", SOFT))


def _show_relations(fact: Fact, page: Page) -> None:
    """What an imported graph tells of the entities of a fact. An end of it that never came is said to be unknown."""
    names = json.loads(fact.entities)
    entities = Entity.objects.filter(space=fact.space)
    ours = list(entities.filter(title__in=names).values_list("name", flat=True))
    links = Link.objects.filter(space=fact.space, from_entity__in=ours) | Link.objects.filter(
        space=fact.space, to_entity__in=ours
    )
    titles = dict(entities.values_list("name", "title"))
    if links:
        page.heading("relations")
    for link in links.order_by("name"):
        start = titles.get(link.from_entity, f"{link.from_name} (source unknown)".strip())
        end = titles.get(link.to_entity, f"{link.to_name} (target unknown)".strip())
        page.line("  ", visible(f"{start} {link.relation} {end}"))
