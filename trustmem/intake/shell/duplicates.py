"""`trustmem duplicates`: facts that say the same, in clusters; and their merging."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from trustmem.actions import batches, duplicates
from trustmem.actions.duplicates import Group
from trustmem.core.scores import score
from trustmem.explanations import duplicates as said
from trustmem.explanations.text import shortened, visible
from trustmem.formats.strict_json import quoted
from trustmem.intake.shell import Refusal, database, stored
from trustmem.intake.shell.look import SOFT, STRONG, Page, band_mark
from trustmem.intake.shell.times import clock, counted
from trustmem.store import bulk, pairs, queries
from trustmem.store import duplicates as found
from trustmem.store.duplicates import Cluster
from trustmem.store.models import Fact, Space
from trustmem.store.states import ALIVE, shows

#: So many clusters are shown, so many facts of each, and so many are merged at once.
_SHOWN, _NAMED, _MERGED = 25, 10, 1000
#: Columns before a claim: the band, the trust, and the space between.
_INDENT = 24


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument(
        "--merge",
        metavar="FACT",
        nargs="+",
        default=[],
        help="merge the clusters that these facts are in, each into the fact that stands first in it; one act",
    )
    stored.add_reason(parser)
    parser.add_argument("--all", action="store_true", help=f"all clusters, not the first {_SHOWN} alone")
    parser.add_argument("--json", action="store_true", help="for machines: one JSON object a line, all clusters")


@shows(ALIVE)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        stored.warn_if_behind(space)
        if arguments.merge:
            _merge(space, arguments.merge, arguments.reason)
        elif arguments.json:
            for cluster in _clusters(space):
                print(json.dumps(_row(space, cluster)))
        else:
            _show(space, _SHOWN if not arguments.all else None)
    return 0


def _clusters(space: Space) -> Iterator[Cluster]:
    """All of them, each with as many facts as are merged at once."""
    after = None
    while True:
        page = found.page(space, after, part=_MERGED)
        yield from page.clusters
        if page.next is None:
            return
        after = page.next


def _row(space: Space, cluster: Cluster) -> dict[str, Any]:
    facts = _facts(cluster.keys)
    return {
        "facts": [
            {"id": fact.name, "text": ALIVE.told(fact.text, fact.state), "source": fact.source} for fact in facts
        ],
        "size": cluster.place.size,
        "kept": _group(space, facts).kept,
        "merged": list(_group(space, facts).others),
        "detectors": list(cluster.detectors),
    }


def _facts(keys: Sequence[int]) -> list[Fact]:
    rows = {fact.pk: fact for chunk in bulk.chunks(keys) for fact in Fact.objects.filter(pk__in=chunk)}
    return [rows[key] for key in keys]


def _group(space: Space, facts: Sequence[Fact]) -> Group:
    """What would be merged into what: what something stands in the way of stays."""
    why_not = found.obstacles(space, facts)
    kept = next((fact.name for fact in facts if not fact.depth), facts[0].name)
    return Group(kept, [fact.name for fact in facts if fact.name != kept and fact.name not in why_not])


def _merge(space: Space, names: Sequence[str], reason: str) -> None:
    groups = dict[str, Group]()
    seen = space.folded_to
    for name in names:
        fact = stored.fact(space, name)
        cluster = found.about(space, fact.pk, _MERGED)
        if cluster is None:
            raise Refusal(f"the fact {quoted(fact.name)} is in no cluster")
        group = _group(space, _facts(cluster.keys))
        groups[group.kept] = group
    told: dict[str, Any] = {"by": stored.user(), "now": clock(), "reason": reason, "seen": seen}
    some = list(groups.values())
    if len(some) == 1:
        act = duplicates.merge(space, some[0].kept, some[0].others, **told)
        print(f'{counted(len(some[0].others), "fact")} merged into "{visible(some[0].kept)}".')
    else:
        batch = duplicates.merge_all(space, some, **told)
        act = batch.act
        print(f"{counted(batch.done, 'cluster')} merged.{_left(batch)}")
    print(f"trustmem undo {act} takes it back.")


def _left(batch: batches.Batch) -> str:
    left = batch.gone + batch.changed + batch.refused
    return f" {left} could not be: something stands in the way." if left else ""


def _show(space: Space, most: int | None) -> None:
    page, told, standing = Page(), found.page(space, size=1), pairs.standing(space)
    says = f"{counted(told.many, 'cluster')} of {counted(told.facts, 'fact')}" if told.many else "no duplicates"
    page.flow([(visible(space.name), STRONG), (says, "")], 0)
    if not standing.is_through or not standing.detector:
        says = f"the detector has checked {standing.done} of {standing.of} facts; a worker checks the others"
        page.line((says, SOFT))
    if told.is_capped:
        print(f"notice: only the first {found.MOST_PAIRS} pairs are looked at", file=sys.stderr)
    for place, cluster in enumerate(_clusters(space)):
        if place == most:
            page.line()
            page.line(("and more; --all shows them", SOFT))
            break
        _show_cluster(page, space, cluster)


def _show_cluster(page: Page, space: Space, cluster: Cluster) -> None:
    facts = _facts(cluster.keys)
    why_not, shown = found.obstacles(space, facts), facts[:_NAMED]
    scores = score(queries.stored(space, [fact.pk for fact in shown]), clock())
    worth = dict(zip(scores.ids, zip(scores.band.tolist(), scores.trust.tolist(), strict=True), strict=True))
    page.line()
    versions = ", ".join(map(visible, cluster.detectors))
    says = f"{counted(cluster.place.size, 'fact')} {'says' if cluster.place.size == 1 else 'say'} the same"
    page.flow([(says, STRONG), (f"detector {versions}", SOFT)], 0)
    for number, fact in enumerate(shown):
        band, trust = worth[fact.name]
        text = shortened(ALIVE.told(fact.text, fact.state) or "", page.columns - _INDENT)
        page.line("  ", band_mark(band), f" {trust:.2f}  ", text)
        parts = [visible(fact.name), f"by {visible(fact.source)}"]
        page.flow([(each, SOFT) for each in [*parts, *(["kept"] if number == 0 else [])]], _INDENT)
        if number and fact.name in why_not:
            page.entry("", said.why_not(why_not[fact.name]), _INDENT)
    if cluster.place.size > len(shown):
        page.line((f"  and {cluster.place.size - len(shown)} more", SOFT))
