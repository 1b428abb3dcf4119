"""Spaces as their list shows them."""

from typing import NamedTuple

from django.db.models import QuerySet

from trustmem.desk.numbers import capped
from trustmem.store import lists
from trustmem.store.models import Space


class Listed(NamedTuple):
    """A space, what it is called, and how many live facts it has."""

    name: str
    title: str
    facts: str


def listed(spaces: QuerySet[Space]) -> list[Listed]:
    """Spaces in their order."""
    return [Listed(each.name, str(each), capped(count, is_more)) for each, count, is_more in lists.sizes(spaces)]
