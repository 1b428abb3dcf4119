"""The list of the chains of a space as of an instant, in the order in which they had last changed by then."""

import json
from collections.abc import Collection, Iterator

from trustmem.actions import past, records
from trustmem.store import chain_lists, chains, full_text
from trustmem.store.chain_lists import Chain, Filter, Page
from trustmem.store.models import Line, Space

#: So many lines are looked at first, and at most, in one go: what they lead to is folded.
_FIRST, _MOST = 50, 1000


def page(
    space: Space, filter: Filter, instant: int, place: int | None = None, size: int = 20, *, back: bool = False
) -> Page[str]:
    """The chains of then next to a position, by the names of their claims: as `chain_lists.page` has those of now."""
    return chain_lists.paged(_in_order(space, filter, instant, place, back), place, size, back=back)


def _in_order(space: Space, filter: Filter, instant: int, place: int | None, back: bool) -> Iterator[Chain[str]]:
    # As now, a chain may be met before the line at which it stands.
    known, of_line, many = set[str](), dict[int, Chain[str]](), _FIRST
    while True:
        lines = _lines(space, instant, place, back, many)
        fresh = set(lines.values()) - known
        for chain in _chains(space, filter, fresh, instant) if fresh else ():
            of_line[chain.position] = chain
            known |= chain.facts
        known |= fresh
        yield from (of_line[each] for each in lines if each in of_line and (of_line[each].found or not filter))
        if len(lines) < many:
            return
        place, many = next(reversed(lines)), min(2 * many, _MOST)


def _lines(space: Space, instant: int, place: int | None, back: bool, many: int) -> dict[int, str]:
    """The lines from a position on that say something of an edge by which one claim updates another, and the older."""
    lines = Line.objects.filter(space=space, tag="edge.updates", position__lte=space.folded_to, arrived__lte=instant)
    if place is not None:
        lines = lines.filter(position__gt=place) if back else lines.filter(position__lt=place)
    found = lines.order_by("position" if back else "-position").values_list("position", "body")[:many]
    return {position: json.loads(body)["to"] for position, body in found}


def _chains(space: Space, filter: Filter, names: Collection[str], instant: int) -> Iterator[Chain[str]]:
    """The chains in which some facts were, and others that are connected with them."""
    found = past.linked(space, names, instant)
    facts, said, holds = found.folded.history.facts, past.said_in(found), past.holds_in(found)
    changes = {edge: said[edge] for edge in holds if edge in said}
    for group in chains.groups({end for edge in holds for end in edge}, holds):
        if len(group) > 1:
            of_rows = chain_lists.chain(group, holds, changes)
            members = {facts.ids[row] for row in group}
            yield Chain(
                facts=members,
                heads=[facts.ids[row] for row in of_rows.heads],
                circular={facts.ids[row] for row in of_rows.circular},
                found=_matching(space, filter, members) if filter else set(),
                position=of_rows.position,
                at=of_rows.at,
            )


def _matching(space: Space, filter: Filter, names: Collection[str]) -> set[str]:
    """Those of the facts that a filter finds."""
    told = (record for record, _ in records.named(space, names))
    return {
        record["id"]
        for record in told
        if filter.source in (None, record["source"]) and full_text.say(past.texts(record), filter.text or "")
    }
