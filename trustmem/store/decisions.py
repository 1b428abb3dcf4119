"""Decisions: by which acts somebody closed cases, what they put aside, and the reasons that were given."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet

from trustmem.core.instants import EVER
from trustmem.store import bulk
from trustmem.store.cases import DUPLICATE, kind_of, prefix
from trustmem.store.models import Case, Closing, Line, Queued, SetAside, Space, Text
from trustmem.store.queue import Filter

#: So many cases are counted at most.
_CAP = 10_000
#: So many closings are looked at for reasons, and no longer ones are offered again.
_LOOKED_AT, _LONGEST = 60, 120


class Decision(NamedTuple):
    """An act by which cases were closed alike: when, with which verdict, one of them by its name and its facts, and how
    many they are."""

    act: str
    at: int
    verdict: str
    case: str
    facts: list[str]
    many: int


def last(space: Space, by: str, most: int = 10) -> list[Decision]:
    """What somebody decided of the queue at the desk, and nobody undid, the newest first: a duplicate never waited
    there."""
    acts = dict[str, Closing]()
    ours = _here(space).filter(by=by).exclude(act="").exclude(of__startswith=prefix(DUPLICATE))
    for closing in _each_act(ours, most):
        acts.setdefault(closing.act, closing)
        if len(acts) == most:
            break
    cases = {each.name: each for each in Case.objects.filter(space=space, name__in=[each.of for each in acts.values()])}
    counts = _counts(space, acts)
    return [
        Decision(act, each.at, cases[each.of].verdict, each.of, cases[each.of].facts, counts[act])
        for act, each in acts.items()
        if each.of in cases
    ]


def _here(space: Space) -> QuerySet[Closing]:
    """But for what a file brought, which may say that anybody decided."""
    lines = Line.objects.filter(space=space, position=OuterRef("position"), imported="")
    return Closing.objects.filter(Exists(lines), space=space)


def _each_act(closings: QuerySet[Closing], size: int) -> Iterator[Closing]:
    """Closings, the newest first, of each act some at least, however many cases it closed."""
    before = EVER
    while rows := list(closings.filter(position__lt=before).order_by("-position")[:size]):
        yield from rows
        whole = closings.filter(at=rows[-1].at, act=rows[-1].act).order_by("position")
        before = whole.values_list("position", flat=True)[0]


def _counts(space: Space, acts: dict[str, Closing]) -> dict[str, int]:
    of_acts = Closing.objects.filter(space=space, at__in={each.at for each in acts.values()}, act__in=list(acts))
    return dict(of_acts.values("act").annotate(count=Count("pk")).values_list("act", "count"))


def since(space: Space, filter: Filter) -> int:
    """How many of the cases of a filter that were there when somebody began are decided since."""
    if filter.upto is None:
        return 0
    closed = Closing.objects.filter(space=space, position__gt=filter.upto).values_list("of", flat=True)[:_CAP]
    found = 0
    for names in bulk.chunks(set(closed)):
        cases = Case.objects.filter(space=space, name__in=names, position__lte=filter.upto)
        found += sum(_is_of(filter, key, factors) for key, factors in cases.values_list("key", "factors"))
    return found


def _is_of(filter: Filter, key: str, factors: str) -> bool:
    is_kind = filter.kind is None or kind_of(key) == filter.kind
    return is_kind and (filter.source is None or json.loads(factors).get("source", "") == filter.source)


def put_aside(space: Space, by: str) -> SetAside | None:
    """What somebody skipped or snoozed last, if it still waits."""
    queued = Queued.objects.filter(space=space, case__name=OuterRef("case"))
    return SetAside.objects.filter(Exists(queued), space=space, who=by).order_by("-at", "-pk").first()


def reasons(space: Space, by: str, most: int = 5) -> list[str]:
    """Short reasons, each once: those that somebody gave last, then those that others gave."""
    closings = _here(space)
    looked_at = [*closings.filter(by=by).order_by("-position")[:_LOOKED_AT], *closings.order_by("-at")[:_LOOKED_AT]]
    texts = dict(
        Text.objects.filter(space=space, position__in={each.position for each in looked_at}).values_list(
            "position", "body"
        )
    )
    given = [json.loads(texts.get(each.position) or "{}").get("reason") or "" for each in looked_at]
    return [each for each in dict.fromkeys(given) if 0 < len(each) <= _LONGEST and "\n" not in each][:most]
