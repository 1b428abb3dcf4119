"""Pages of rows in the order of a whole number, each beginning after a place in it that an address holds: nothing is
skipped over or counted, and rows that come or go between two pages neither repeat nor hide others."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.utils.translation import gettext


class Place(NamedTuple):
    """Next to a row by its number; `back`: the page that ends there, not the one that begins. None: the first page."""

    number: int | None = None
    back: bool = False

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> Self:
        """The place that `after` or `before` in an address names. Raises BadRequest for what is none."""
        back = "before" in asked
        given = asked.get("before", asked.get("after", ""))
        if not given and not back:
            return cls()
        if not (given.isascii() and given.isdecimal() and len(given) <= _LONGEST):
            raise BadRequest(gettext("This is no place in a list."))
        return cls(int(given), back)


#: Digits of a number that every database holds.
_LONGEST = 18


class Slice(NamedTuple):
    """Rows, and what stands in the addresses of the pages after and before them ('': there is none)."""

    rows: list[Any]
    next: str
    previous: str


def page(rows: QuerySet[Any], by: str, place: Place, size: int) -> Slice:
    """The rows next to a place, in the order of a field (`-by`: the highest first)."""
    name, is_falling = by.removeprefix("-"), by.startswith("-")
    if place.number is not None:
        rows = rows.filter(**{f"{name}__{'lt' if is_falling is not place.back else 'gt'}": place.number})
    ordered = rows.order_by(f"{'-' if is_falling is not place.back else ''}{name}")
    found = list(ordered[: size + 1])
    more, shown = len(found) > size, found[:size]
    if place.back:
        shown.reverse()
    if not shown:
        return Slice([], "", "")
    has_next, has_previous = (True, more) if place.back else (more, place.number is not None)
    return Slice(
        shown,
        f"after={getattr(shown[-1], name)}" if has_next else "",
        f"before={getattr(shown[0], name)}" if has_previous else "",
    )
