"""The queue of open cases, a page at a time: as quick among a hundred thousand as among a thousand.

Cases stand in the order of their consequence; what many of a kind one source brought stands behind all others, as one.
A page begins after a place in the order, a (consequence, key), and never at a number.
"""

import base64
import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.store.cases import KINDS, MANY
from trustmem.store.models import Case, CaseGroup, Closing, Handout, Queued, SetAside, Space

#: How many are counted at most.
CAP, CAP_OF_A_FACET = 10_000, 1000
#: So many groups are shown, and so many sources as facets.
_GROUPS, _SOURCES = 50, 8


@dataclass(frozen=True, slots=True)
class Filter:
    """Which open cases; None: any. `kind` is a word of KINDS, '' for what a file brought; `upto` the position of the
    last line that there was when somebody began: what was opened since is new.

    Raises ValueError for another word, and for a name that no database can hold.
    """

    kind: str | None = None
    source: str | None = None
    upto: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in (None, "", *KINDS):
            raise ValueError(f'"{self.kind}" is no kind of case')
        source = self.source or ""
        if "\0" in source or any("\ud800" <= each <= "\udfff" for each in source):
            raise ValueError("no name has such a character")

    @property
    def asks(self) -> Q:
        """Which cases these are."""
        asked = Q()
        for name, value in (("kind", self.kind), ("source", self.source), ("position__lte", self.upto)):
            asked &= Q() if value is None else Q(**{name: value})
        return asked


class Place(NamedTuple):
    """A place in the queue: next to this consequence and key."""

    consequence: float
    case: int

    def __str__(self) -> str:
        """As text that may stand in an address."""
        return base64.urlsafe_b64encode(json.dumps(list(self)).encode()).decode().rstrip("=")

    @classmethod
    def of(cls, text: str) -> "Place":
        """The place of such a text; ValueError for any other.

        >>> Place.of(str(Place(1.5, 7)))
        Place(consequence=1.5, case=7)
        """
        try:
            consequence, case = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True))
        except (ValueError, TypeError, RecursionError):
            consequence = case = None
        if type(consequence) is not float or not math.isfinite(consequence) or type(case) is not int:
            raise ValueError("this is no place in the queue")
        return cls(consequence, case)


class Page(NamedTuple):
    """Cases in order, and where the next page begins; None: there is none."""

    rows: list[Queued]
    next: Place | None


def page(space: Space, filter: Filter, after: Place | None = None, size: int = 20) -> Page:
    """The cases that come after a place in the queue, but for those that are shown as one: these only where a kind and
    a source are asked for."""
    rows = _after(_of(space, filter), after, size + 1)
    more = len(rows) > size
    return Page(rows[:size], Place(rows[size - 1].consequence, rows[size - 1].pk) if more else None)


def _of(space: Space, filter: Filter) -> QuerySet[Queued]:
    found = Queued.objects.filter(filter.asks, space=space).select_related("case")
    return found if filter.kind is not None and filter.source is not None else found.filter(grouped=False)


def _after(queue: QuerySet[Queued], after: Place | None, size: int) -> list[Queued]:
    ordered = queue.order_by("-consequence", "-case")
    if after is None:
        return list(ordered[:size])
    # Each by itself goes along the index.
    same = list(ordered.filter(consequence=after.consequence, case__lt=after.case)[:size])
    return same + list(ordered.filter(consequence__lt=after.consequence)[: size - len(same)])


def groups(space: Space, filter: Filter) -> list[CaseGroup]:
    """What is shown as one, the largest first."""
    found = CaseGroup.objects.filter(space=space, count__gt=MANY)
    for name in ("kind", "source"):
        if (value := getattr(filter, name)) is not None:
            found = found.filter(**{name: value})
    return list(found.order_by("-count", "kind", "source")[:_GROUPS])


def count(space: Space, filter: Filter, cap: int = CAP) -> tuple[int, bool]:
    """How many open cases there are, up to `cap`, and whether there are more."""
    found = Queued.objects.filter(filter.asks, space=space).order_by()[: cap + 1].count()
    return min(found, cap), found > cap


def new_since(space: Space, position: int) -> tuple[int, bool]:
    """How many open cases were opened after a position, and whether there are more."""
    found = Queued.objects.filter(space=space, position__gt=position).order_by()[: CAP_OF_A_FACET + 1].count()
    return min(found, CAP_OF_A_FACET), found > CAP_OF_A_FACET


def kinds(space: Space, filter: Filter) -> dict[str, tuple[int, bool]]:
    """How many open cases of each kind there are, whatever kind the filter asks for."""
    counted = {kind: count(space, Filter(kind, filter.source, filter.upto), CAP_OF_A_FACET) for kind in (*KINDS, "")}
    return {kind: found for kind, found in counted.items() if found[0]}


def sources(space: Space, filter: Filter) -> list[CaseGroup]:
    """Who brought most of a kind, be that the one asked for."""
    found = CaseGroup.objects.filter(space=space)
    if filter.kind is not None:
        found = found.filter(kind=filter.kind)
    return list(found.order_by("-count", "kind", "source")[:_SOURCES])


def following(space: Space, filter: Filter, *, by: str, now: int, passed_over: Collection[int] = ()) -> Queued | None:
    """The first case that nobody else has in hand and that is not set aside; of what is shown as one, after all others.
    What somebody skipped comes again when there is nothing else; None: there is nothing."""
    handouts = Handout.objects.filter(space=space, case=OuterRef("case__name"), until__gt=now).exclude(by=by)
    aside = SetAside.objects.filter(space=space, case=OuterRef("case__name"), until__gt=now)
    free = Queued.objects.filter(filter.asks, ~Exists(handouts), space=space).exclude(pk__in=passed_over)
    awake = free.exclude(Exists(aside.filter(by="")))
    ordered = awake.select_related("case").order_by("-consequence", "-case")
    for grouped in (False, True):
        found = ordered.filter(~Exists(aside.filter(by=by)), grouped=grouped).first()
        if found:
            return found
    return _skipped(awake, space, by)


def _skipped(awake: QuerySet[Queued], space: Space, by: str) -> Queued | None:
    """The case that somebody skipped first."""
    mine = SetAside.objects.filter(space=space, by=by).order_by("at", "pk").values_list("case", flat=True)
    for name in mine:
        if found := awake.filter(case__name=name).select_related("case").first():
            return found
    return None


class Flow(NamedTuple):
    """What became of cases: how many were closed in the last day, and opened; and when the oldest that is open was."""

    closed: int
    opened: int
    oldest: int | None


def decided_by(space: Space, by: str, most: int = 10) -> list[Closing]:
    """What somebody decided last."""
    return list(Closing.objects.filter(space=space, by=by).order_by("-position")[:most])


def closed_since(space: Space, at: int, by: str | None = None) -> int:
    """How many cases were closed after an instant, by somebody, or by all."""
    closed = Closing.objects.filter(space=space, at__gte=at)
    return (closed if by is None else closed.filter(by=by)).count()


def flow(space: Space, now: int) -> Flow:
    """How the queue fills and empties."""
    day = now - MICROSECONDS_PER_DAY
    oldest = Queued.objects.filter(space=space).order_by("position").values_list("case__at", flat=True).first()
    opened = Case.objects.filter(space=space, at__gte=day).count()
    return Flow(closed_since(space, day), opened, oldest)
