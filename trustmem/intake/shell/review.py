"""`trustmem review`: what waits for a person to decide it, the most consequential first."""

import argparse
import json
from collections.abc import Iterator
from typing import Any

from trustmem.core.instants import to_text
from trustmem.core.vocabulary import BANDS
from trustmem.explanations import cases
from trustmem.explanations.candidates import Why
from trustmem.explanations.queue import AtStake, Told, told
from trustmem.explanations.text import shortened, visible
from trustmem.explanations.times import ago, until
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.look import SOFT, STRONG, Page, band_mark
from trustmem.intake.shell.times import clock, counted
from trustmem.store import queue
from trustmem.store.cases import KINDS
from trustmem.store.models import Space
from trustmem.store.queue import Filter
from trustmem.store.states import KEPT, shows

_SHOWN, _AT_ONCE = 25, 500
#: Columns before a claim: the band, the trust, and the space between.
_INDENT = 24


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("--kind", metavar="K", choices=KINDS, help=f"only cases of this kind: {', '.join(KINDS)}")
    parser.add_argument("--source", metavar="S", type=stored.identifier, help="only cases that this source brought")
    parser.add_argument("--all", action="store_true", help=f"all cases, not the first {_SHOWN} alone")
    parser.add_argument("--json", action="store_true", help="for machines: one JSON object a line, all cases")


@shows(KEPT)
def run(arguments: argparse.Namespace) -> int:
    now, filter = clock(), Filter(arguments.kind, arguments.source)
    with database.opened():
        space = stored.space(arguments)
        stored.warn_if_behind(space)
        if arguments.json:
            for case in _all(space, filter, now):
                print(json.dumps(_row(case)))
        else:
            _show(space, filter, now, most=None if arguments.all else _SHOWN)
    return 0


def _all(space: Space, filter: Filter, now: int) -> Iterator[Told]:
    """All cases in their order, those of groups at the end."""
    yield from _listed(space, filter, now)
    if filter.kind is None or filter.source is None:
        yield from _listed(space, filter, now, in_groups=True)


def _listed(space: Space, filter: Filter, now: int, *, in_groups: bool = False) -> Iterator[Told]:
    after = None
    while True:
        page = queue.page(space, filter, after, _AT_ONCE, in_groups=in_groups)
        yield from told(space, page.rows, now)
        if page.next is None:
            return
        after = page.next


def _row(case: Told) -> dict[str, Any]:
    return {
        "case": case.name,
        "kind": case.kind or case.given,
        "facts": [_claim(claim) for claim in case.claims],
        "more_facts": case.more,
        "stakes": case.stakes,
        "found": _found(case.found),
        "source": case.source,
        "at": to_text(case.at),
        "in_hand": case.in_hand,
        "snoozed_until": to_text(case.snoozed_until) if case.snoozed_until is not None else None,
    }


def _found(why: Why | None) -> dict[str, Any] | None:
    """How the detector found it; None: it did not."""
    return None if why is None else why._asdict()


def _claim(claim: AtStake) -> dict[str, Any]:
    scored = {"band": claim.band, "trust": claim.trust} if claim.band else {}
    return {"id": claim.name, "text": claim.text, "state": claim.state or "live", **scored}


def _show(space: Space, filter: Filter, now: int, most: int | None) -> None:
    page, left = Page(), queue.count(space, filter)
    many = counted(left[0], "open case") if not left[1] else f"more than {left[0]} open cases"
    page.flow([(visible(space.name), STRONG), (many, "")], 0)
    for place, case in enumerate(_listed(space, filter, now)):
        if place == most:
            page.line()
            page.line(("and more; --all shows them", SOFT))
            break
        _show_case(page, case, now)
    groups = queue.groups(space, filter)
    if groups:
        page.heading("many alike", "  each shown as one; --kind and --source list its cases")
    for group in groups:
        page.line(f"  {cases.kinds(group.kind, group.many[0])} by {visible(group.source)}")


def _why(found: Why) -> Iterator[str]:
    """By which rule a pair was found, what was exchanged, how much of both is the same, and which is newer."""
    exchanged = ", ".join(f"{visible(one) or '–'} / {visible(other) or '–'}" for one, other in found.exchanged)
    yield from filter(None, [f"{found.says}: {exchanged}" if exchanged else found.says])
    if found.overlap is not None:
        yield f"overlap {found.overlap:.2f}"
    yield from filter(None, [found.newer])


def _show_case(page: Page, case: Told, now: int) -> None:
    page.line()
    page.flow(
        [(cases.kind(case.kind), STRONG), *((visible(each), "") for each in [case.given, case.stakes] if each)], 0
    )
    for claim in case.claims:
        text = (shortened(claim.text, page.columns - _INDENT), "") if claim.text is not None else ("(erased)", SOFT)
        scored = (band_mark(BANDS.index(claim.band)), f" {claim.trust:.2f}  ") if claim.band else (" " * (_INDENT - 2),)
        page.line("  ", *scored, text, *([f"  {claim.state}"] if claim.state else []))
    if case.found:
        page.flow([(each, "") for each in _why(case.found)], 2)
    parts = [visible(case.name), ago(case.at, now)]
    parts += [f"and {counted(case.more, 'more fact')}"] if case.more else []
    parts += [f"by {visible(case.source)}"] if case.source else []
    parts += [f"in hand: {visible(case.in_hand)}"] if case.in_hand else []
    parts += [f"snoozed, comes back {until(case.snoozed_until, now)}"] if case.snoozed_until is not None else []
    page.flow([(each, SOFT) for each in parts], 2)
