"""Rounds: a case that was closed is opened again where somebody says the same who had not. Each time is a round of it.

A round stands while what came before it is closed, and what was said since that is so: undo a closing, or what was
said, and the rounds after it wait for nobody.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from trustmem.actions.finding import Finding, Said
from trustmem.core.instants import NEVER
from trustmem.store import bulk, cases
from trustmem.store.cases import STALE_FAVOURITE
from trustmem.store.models import Case, Space

#: The rounds of a case by number, each with the position of what closed it; 0: it is open.
Rounds = Mapping[int, int]


def number(name: str) -> int:
    """Which round of its case a case is.

    >>> number("case:cycle:0123456789abcdef:2")
    2
    """
    return int(name.rpartition(":")[2])


def of_cases(space: Space, keys: Iterable[str]) -> dict[str, dict[int, int]]:
    """All rounds of cases, by key."""
    found = defaultdict[str, dict[int, int]](dict)
    for chunk in bulk.chunks(keys):
        rows = list(Case.objects.filter(space=space, key__in=chunk).values_list("key", "name", "closed_at"))
        closed = cases.closings(space, (name for _, name, closed_at in rows if closed_at != NEVER))
        for key, name, _ in rows:
            found[key][number(name)] = closed[name].position if name in closed else 0
    return found


def next_of(rounds: Rounds) -> int:
    """The number of the round that is still to come."""
    return max(rounds, default=0) + 1


def are_closed(rounds: Rounds, number: int) -> bool:
    """Whether all rounds before one are closed."""
    return all(closed for round, closed in rounds.items() if round < number)


def is_due(found: Finding, rounds: Rounds, number: int, opened_by: Collection[int] = ()) -> bool:
    """Whether a finding calls for a case of a round, by those before it, or by what opened that: the lines at some
    positions."""
    if number == min(rounds, default=number):
        return True
    # Of a favourite it is how often it was served since.
    is_new = found.kind == STALE_FAVOURITE or bool(news(found, rounds, number))
    is_new |= any(said.position in opened_by for said in found.evidence)
    return is_new and are_closed(rounds, number)


def closed_before(rounds: Rounds, number: int) -> int:
    """Where a round before one was closed last."""
    return max(closed for round, closed in rounds.items() if round < number)


def news(found: Finding, rounds: Rounds, number: int) -> list[Said]:
    """What was said since a round before was closed last. A source that says the same of an edge again says nothing
    new, unless that waits for a ruling."""
    closed = closed_before(rounds, number)
    sources = {said.source for said in found.heard if said.position < closed}
    return [said for said in found.evidence if said.position > closed and said.source not in sources]
