"""Stale favourites: what agents are served much, though nobody has confirmed it for long."""

from django.db import transaction
from django.db.models import Count, F

from trustmem.actions import opening
from trustmem.actions.finding import Finding
from trustmem.core.instants import span
from trustmem.core.vocabulary import INJECTED, LIVE, RECALLED
from trustmem.store import bulk, cases, chain
from trustmem.store.cases import STALE_FAVOURITE
from trustmem.store.models import Case, Score, Space, Touch
from trustmem.store.models.scores import BITS

#: In so many runs within so many days somebody is served a fact much. Taste.
MUCH, DAYS = 10, 30
_UNCONFIRMED = BITS["stale"] | BITS["use-only"]


@transaction.atomic
def look(space: Space, *, now: int) -> int:
    """Open a case for each fact that is stale, or fresh by use alone, and much served: since its case was closed, if it
    had one. How many."""
    chain.lock(space)
    return opening.write(space, [Finding(STALE_FAVOURITE, (name,), (), stands=True) for name in _found(space, now)])


def _found(space: Space, now: int) -> list[str]:
    lately = Touch.objects.filter(space=space, kind__in=(RECALLED, INJECTED), at__gt=now - span(DAYS))
    much = lately.values("fact").annotate(times=Count("pk")).filter(times__gte=MUCH).order_by()
    found = dict[str, int]()
    for chunk in bulk.chunks(list(much.values_list("fact", flat=True))):
        scores = Score.objects.filter(pk__in=chunk, state=LIVE).annotate(due=F("flags").bitand(_UNCONFIRMED))
        found |= scores.exclude(due=0).values_list("fact__name", "fact_id")
    keys = {cases.key(space, STALE_FAVOURITE, [name]): name for name in found}
    closed = dict[str, int]()
    for some in bulk.chunks(keys):
        rows = Case.objects.filter(space=space, key__in=some).order_by("closed_at")
        closed |= rows.values_list("key", "closed_at")
    since = {name: closed[key] for key, name in keys.items() if key in closed}
    again = {name for name, at in since.items() if lately.filter(fact=found[name], at__gt=at).count() >= MUCH}
    return sorted(name for name in found if name not in since or name in again)
