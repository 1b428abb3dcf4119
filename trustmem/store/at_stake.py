"""What is at stake in cases: the facts that they are about."""

from collections.abc import Collection
from typing import NamedTuple

from trustmem.core.vocabulary import LIVE, PRUNED
from trustmem.store import bulk
from trustmem.store.models import Case, Fact, Space


def sides(keys: Collection[int]) -> tuple[set[str], set[str]]:
    """The first facts of cases, by name, and the second ones."""
    first, second = set[str](), set[str]()
    for chunk in bulk.chunks(keys):
        for facts in Case.objects.filter(pk__in=chunk).values_list("facts", flat=True):
            first.update(facts[:1])
            second.update(facts[1:2])
    return first, second


def in_use(space: Space, names: Collection[str]) -> int:
    """How many of some facts are live, or faded."""
    found = Fact.objects.filter(space=space, state__in=(LIVE, PRUNED))
    return sum(found.filter(name__in=chunk).count() for chunk in bulk.chunks(names))


class Claim(NamedTuple):
    """A fact that a case is about; codes are those of the vocabulary, and what is scored is None until it is."""

    pk: int
    name: str
    text: str
    subject: str
    state: int
    r: int
    s: int
    trust: float | None
    band: int | None


def claims(space: Space, names: Collection[str]) -> dict[str, Claim]:
    """Those of some facts that there are, by name."""
    columns = ("pk", "name", "text", "subject", "state", "r", "s", "score__trust", "score__band")
    found = dict[str, Claim]()
    for chunk in bulk.chunks(names):
        rows = Fact.objects.filter(space=space, name__in=chunk).values_list(*columns)
        found |= {row[1]: Claim(*row) for row in rows}
    return found
