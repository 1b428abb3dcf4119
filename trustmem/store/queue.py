"""The queue of open cases, a page at a time: as quick among a hundred thousand as among a thousand.

Cases stand in the order of their consequence; what many of a kind one source brought stands behind all others, as one.
A page begins after a place in the order, a (consequence, key), and never at a number. All that is counted is counted up
to a cap, by the condition by which it is listed.
"""

import base64
import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from django.db import connection
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.lookups import LessThanOrEqual

from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.store import aside, bulk
from trustmem.store.aside import Aside
from trustmem.store.cases import ARE_MANY, DUPLICATE, KINDS
from trustmem.store.models import Case, CaseGroup, Closing, Handout, Queued, SetAside, Space

#: How many are counted at most.
CAP, CAP_OF_A_FACET = 10_000, 1000
#: So many groups are shown, and so many sources as facets, of the largest groups.
GROUPS, _SOURCES, _LARGEST = 10, 8, 50
#: A count up to a cap, and whether there are more.
Counted = tuple[int, bool]
_NONE: Counted = (0, False)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which open cases; None: any. `kind` is a word of KINDS, '' for what a file brought; `upto` the position of the
    last line that there was when somebody began: what was opened since is new. What is put aside for everybody at the
    instant `now` is left out, or listed alone (`aside`); None: it is as all others. Cases that are `left_out` by their
    names are decided with none of it.

    Raises ValueError for another word, and for a name that no database can hold.
    """

    kind: str | None = None
    source: str | None = None
    upto: int | None = None
    now: int | None = None
    aside: bool = False
    left_out: Collection[str] = ()

    def __post_init__(self) -> None:
        if self.kind not in (None, "", *KINDS):
            raise ValueError(f'"{self.kind}" is no kind of case')
        source = self.source or ""
        if "\0" in source or any("\ud800" <= each <= "\udfff" for each in source):
            raise ValueError("no name has such a character")

    def upto_at_most(self, position: int) -> "Filter":
        """The same of what there was when the line at a position was the last."""
        return replace(self, upto=position if self.upto is None else min(self.upto, position))

    def put_aside(self, space: Space) -> list[Aside]:
        """What of these is put aside."""
        found = [] if self.now is None else aside.everybody(space, self.now, self.upto)
        return [each for each in found if self.kind in (None, each.kind) and self.source in (None, each.source)]

    def lists(self, space: Space) -> Q:
        """Which of the cases that it asks for are listed."""
        if self.now is None:
            return Q()
        put_aside = Q(pk__in=[each.key for each in self.put_aside(space)])
        return put_aside if self.aside else ~put_aside

    @property
    def asks(self) -> Q:
        """Which cases these are."""
        return self.asks_of_groups if self.upto is None else self.asks_of_groups & Q(position__lte=self.upto)

    @property
    def asks_in_order(self) -> Q:
        """The same, for who walks along the order: not by way of the index by age, which a database would rather take,
        and then sort."""
        asked = self.asks_of_groups
        return asked if self.upto is None else asked & Q(LessThanOrEqual(F("position") + 0, self.upto))

    @property
    def asks_of_groups(self) -> Q:
        """Which groups have such cases."""
        asked = Q()
        for name in ("kind", "source"):
            if (value := getattr(self, name)) is not None:
                asked &= Q(**{name: value})
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


def page(space: Space, filter: Filter, after: Place | None = None, size: int = 20, *, in_groups: bool = False) -> Page:
    """The cases that come after a place in the queue, but for those that are shown as one, or of those alone that are
    (`in_groups`). Where a kind and a source are asked for, all of them are listed."""
    shown = Q() if filter.aside else grouped_or_not(_is_group(space, filter) or in_groups)
    listed = Queued.objects.filter(filter.asks_in_order, shown, filter.lists(space), space=space)
    rows = _after(listed.select_related("case"), after, size + 1)
    more = len(rows) > size
    return Page(rows[:size], Place(rows[size - 1].consequence, rows[size - 1].pk) if more else None)


def _is_group(space: Space, filter: Filter) -> bool:
    """Whether what is asked for is a group. An index leads to all of one, or to all that is in none."""
    if filter.kind is None or filter.source is None:
        return False
    return CaseGroup.objects.filter(filter.asks_of_groups, ARE_MANY, space=space).exists()


def grouped_or_not(is_grouped: bool) -> Q:
    """As SQLite finds it by an index: of `NOT grouped` it knows none."""
    return Q(grouped__in=(is_grouped,))


def _after(queue: QuerySet[Queued], after: Place | None, size: int) -> list[Queued]:
    ordered = queue.order_by("-consequence", "-case")
    if after is None:
        return list(ordered[:size])
    # Each by itself goes along the index.
    same = list(ordered.filter(consequence=after.consequence, case__lt=after.case)[:size])
    return same + list(ordered.filter(consequence__lt=after.consequence)[: size - len(same)])


class Group(NamedTuple):
    """The open cases of a kind that one source brought."""

    kind: str
    source: str
    many: Counted


def groups(space: Space, filter: Filter) -> list[Group]:
    """What is shown as one, the largest first, and up to one more than GROUPS; none where the cases of one are asked
    for."""
    if filter.aside or (filter.kind is not None and filter.source is not None):
        return []
    found = CaseGroup.objects.filter(filter.asks_of_groups, ARE_MANY, space=space)
    largest = found.order_by("-count", "kind", "source")[: GROUPS + 1]
    counted = _listed(_sizes(space, list(largest), filter.upto), _aside(space, filter, "kind", "source"), filter)
    return [Group(*group, many) for group, many in counted.items() if many[0]]


def group_of(space: Space, case: Case) -> Group | None:
    """The group that an open case is shown within; None: it is shown by itself, or closed."""
    named = Queued.objects.filter(grouped_or_not(True), case=case).values_list("kind", "source").first()
    found = CaseGroup.objects.filter(space=space, kind=named[0], source=named[1]).first() if named else None
    return Group(found.kind, found.source, (found.count, False)) if found else None


_Fresh = Counter[tuple[str, str]]


def _fresh(space: Space, upto: int | None) -> _Fresh | None:
    """How many cases were opened after a position, by kind and source: where these are few, they are the quickest way
    to how many were there before. None: they are too many."""
    if upto is None:
        return _Fresh()
    later = Queued.objects.filter(space=space, position__gt=upto).values_list("kind", "source")
    found = _Fresh(later[: CAP_OF_A_FACET + 1])
    return found if found.total() <= CAP_OF_A_FACET else None


def _sizes(space: Space, groups: Collection[CaseGroup], upto: int | None) -> dict[tuple[str, str], Counted]:
    """How many cases are in each of some groups, by kind and source: of those that there were when the line at a
    position was the last."""
    fresh, found = _fresh(space, upto), dict[tuple[str, str], Counted]()
    for kind, source, many in ((each.kind, each.source, each.count) for each in groups):
        if fresh is None:
            found[kind, source] = _counted(space, Filter(kind, source, upto), CAP_OF_A_FACET, None)
        else:
            found[kind, source] = many - fresh[kind, source], False
    return found


def count(space: Space, filter: Filter, cap: int = CAP) -> Counted:
    """How many open cases there are, up to `cap`, and whether there are more."""
    if filter.source:
        found = _sum(_of_source(space, filter).values(), cap)
    else:
        found = _counted(space, filter, cap, _fresh(space, filter.upto))
    return _listed({(): found}, _aside(space, filter), filter).get((), _NONE)


def in_all(space: Space, cap: int, now: int) -> Counted:
    """How many cases wait for somebody, by the shortest way: every page asks for that."""
    some = "SELECT count(*) FROM (SELECT 1 FROM store_queued WHERE space_id = %s LIMIT %s) AS counted"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT ({some}), ({aside.COUNT})", [space.pk, cap + 1, space.pk, now])
        found, put_aside = cursor.fetchone()
    return (cap, True) if found > cap else (found - put_aside, False)


_Facet = TypeVar("_Facet", bound=tuple[str, ...])


def _aside(space: Space, filter: Filter, *by: str) -> Counter[tuple[str, ...]]:
    """How many of the cases that a filter asks for are put aside, by some of their columns."""
    return Counter(tuple(getattr(each, name) for name in by) for each in filter.put_aside(space))


def _listed(
    found: Mapping[_Facet, Counted], put_aside: Mapping[tuple[str, ...], int], filter: Filter
) -> dict[_Facet, Counted]:
    """How many of these are listed; what is counted no further keeps to that."""
    if filter.aside:
        return {each: (put_aside[each], False) for each in found if each in put_aside}
    return {each: (many if more else many - put_aside.get(each, 0), more) for each, (many, more) in found.items()}


def _counted(space: Space, filter: Filter, cap: int, fresh: _Fresh | None) -> Counted:
    if fresh is None:
        return _capped(Queued.objects.filter(filter.asks_in_order, space=space), cap)
    late = sum(many for (kind, _), many in fresh.items() if filter.kind in (None, kind))
    found, is_more = _capped(Queued.objects.filter(filter.asks_of_groups, space=space), cap + late)
    return min(found - late, cap), is_more or found - late > cap


def _of_source(space: Space, filter: Filter) -> dict[tuple[str, str], Counted]:
    """How many cases of each kind a source brought, as the groups know."""
    found = CaseGroup.objects.filter(filter.asks_of_groups, space=space, kind__in=(*KINDS, ""))
    return _sizes(space, list(found), filter.upto)


def _sum(sizes: Iterable[Counted], cap: int) -> Counted:
    sizes = list(sizes)
    found = sum(many for many, _ in sizes)
    return min(found, cap), found > cap or any(more for _, more in sizes)


def _capped(rows: "QuerySet[Queued] | QuerySet[Closing]", cap: int) -> Counted:
    found = rows.order_by()[: cap + 1].count()
    return min(found, cap), found > cap


def new_since(space: Space, position: int, filter: Filter | None = None) -> Counted:
    """How many open cases that a filter asks for, whatever it says of when, were opened after a position."""
    asked = replace(filter or Filter(), upto=None).asks
    return _capped(Queued.objects.filter(asked, space=space, position__gt=position), CAP_OF_A_FACET)


#: Kinds of cases that wait: one of duplicates is closed as it is opened.
_OPEN = tuple(kind for kind in (*KINDS, "") if kind != DUPLICATE)


def kinds(space: Space, filter: Filter) -> dict[str, Counted]:
    """How many open cases of each kind there are, whatever kind the filter asks for."""
    if filter.source:
        counted = {kind: many for (kind, _), many in _of_source(space, replace(filter, kind=None)).items()}
    else:
        fresh, each = _fresh(space, filter.upto), {kind: replace(filter, kind=kind) for kind in _OPEN}
        counted = {kind: _counted(space, of, CAP_OF_A_FACET, fresh) for kind, of in each.items()}
    asked = replace(filter, kind=None)
    listed = _listed({(kind,): many for kind, many in counted.items()}, _aside(space, asked, "kind"), filter)
    return {kind: listed[kind,] for kind in (*KINDS, "") if listed.get((kind,), _NONE)[0]}


def sources(space: Space, filter: Filter) -> dict[str, Counted]:
    """How many open cases there are of each of the sources that brought most, and of the one that is asked for."""
    found = CaseGroup.objects.filter(replace(filter, source=None).asks_of_groups, space=space)
    largest = found.order_by("-count", "kind", "source").values_list("source", flat=True)[:_LARGEST]
    shown = list(dict.fromkeys(largest))[:_SOURCES]
    shown += [filter.source] if filter.source and filter.source not in shown else []
    sizes = _sizes(space, list(found.filter(kind__in=(*KINDS, ""), source__in=shown)), filter.upto)
    of = {source: [many for (_, each), many in sizes.items() if each == source] for source in shown}
    counted = {(source,): _sum(each, CAP) for source, each in of.items()}
    listed = _listed(counted, _aside(space, replace(filter, source=None), "source"), filter)
    return {source: many for (source,), many in listed.items() if many[0]}


def keys(space: Space, filter: Filter) -> list[int]:
    """The keys of all cases that a filter asks for, the most consequential first."""
    listed = Queued.objects.filter(filter.asks, filter.lists(space), space=space)
    if filter.left_out:
        listed = listed.exclude(case__name__in=filter.left_out)
    ordered = listed.order_by("-consequence", "-case")
    return list(ordered.values_list("pk", flat=True))


def cases(keys: Collection[int]) -> Iterator[Case]:
    """Cases by their keys, in their order, some at a time."""
    for chunk in bulk.chunks(keys):
        found = Case.objects.in_bulk(chunk)
        yield from (found[key] for key in chunk if key in found)


def at(keys: Collection[int]) -> list[Queued]:
    """The same as they stand in the queue."""
    found = Queued.objects.select_related("case").in_bulk(list(keys))
    return [found[key] for key in keys if key in found]


def following(space: Space, filter: Filter, *, by: str, now: int, passed_over: Collection[int] = ()) -> Queued | None:
    """The first case that nobody else has in hand and that is not set aside; of what is shown as one, after all others.
    What somebody skipped comes again when there is nothing else; None: there is nothing."""
    handouts = Handout.objects.filter(space=space, case=OuterRef("case__name"), until__gt=now).exclude(by=by)
    aside = SetAside.objects.filter(space=space, case=OuterRef("case__name"), until__gt=now)
    free = Queued.objects.filter(filter.asks_in_order, ~Exists(handouts), space=space).exclude(pk__in=passed_over)
    awake = free.exclude(Exists(aside.filter(by="")))
    ordered = awake.select_related("case").order_by("-consequence", "-case")
    for grouped in (False, True):
        found = ordered.filter(~Exists(aside.filter(by=by)), grouped_or_not(grouped)).first()
        if found:
            return found
    return _skipped(awake, space, by)


def waits(space: Space, case: Case, now: int) -> bool:
    """Whether a case is still open, and not put aside for everybody."""
    aside = SetAside.objects.filter(space=space, case=case.name, by="", until__gt=now)
    return Queued.objects.filter(~Exists(aside), case=case).exists()


def _skipped(awake: QuerySet[Queued], space: Space, by: str) -> Queued | None:
    """The case that somebody skipped first."""
    mine = SetAside.objects.filter(space=space, by=by).order_by("at", "pk").values_list("case", flat=True)
    for chunk in bulk.chunks(mine):
        found = {each.case.name: each for each in awake.filter(case__name__in=chunk).select_related("case")}
        if found:
            return next(found[name] for name in chunk if name in found)
    return None


class Flow(NamedTuple):
    """What became of cases: how many were closed in the last day, and opened; and when the oldest that is open was."""

    closed: Counted
    opened: Counted
    oldest: int | None


def closed_since(space: Space, at: int, by: str | None = None) -> Counted:
    """How many cases were closed after an instant, by somebody, or by all."""
    closed = Closing.objects.filter(space=space, at__gte=at)
    return _capped(closed if by is None else closed.filter(by=by), CAP)


def flow(space: Space, now: int) -> Flow:
    """How the queue fills and empties."""
    day = now - MICROSECONDS_PER_DAY
    oldest = Queued.objects.filter(space=space).order_by("position").values_list("case__at", flat=True).first()
    # No index leads to cases by when they were opened, but one to the newest.
    newest = Case.objects.filter(space=space).order_by("-position").values_list("at", flat=True)
    opened = sum(at >= day for at in newest[: CAP_OF_A_FACET + 1])
    return Flow(closed_since(space, day), (min(opened, CAP_OF_A_FACET), opened > CAP_OF_A_FACET), oldest)


def has_had(space: Space) -> bool:
    """Whether there ever was a case, open or closed."""
    return Case.objects.filter(space=space).exists()
