"""Spaces as their list shows them."""

from collections.abc import Iterable
from typing import NamedTuple

from trustmem.desk.numbers import capped
from trustmem.store import lists
from trustmem.store.models import Space


class Listed(NamedTuple):
    """A space, what it is called, and how many live facts it has."""

    name: str
    title: str
    facts: str


def listed(spaces: Iterable[Space]) -> list[Listed]:
    """Spaces in their order. Each is counted by itself, which is cheap and stops at a thousand."""
    return [Listed(each.name, str(each), capped(*lists.count(each, lists.Filter()))) for each in spaces]
