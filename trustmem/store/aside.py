"""What is not to be handed out: what somebody has in hand, what is put aside for everybody until an instant, and what
somebody skipped."""

from collections.abc import Collection
from typing import NamedTuple

from trustmem.store.models import Case, Handout, Queued, SetAside, Space

#: So many are looked at: more is not put aside one by one.
_MOST = 5000
#: How many open cases are put aside for everybody, from what is put aside on, of which there is little; to be asked
#: with the key of the space and the instant. SQLite takes the tables in the order in which they stand.
COUNT = """SELECT count(*) FROM store_setaside s CROSS JOIN store_case c CROSS JOIN store_queued q
    WHERE s.space_id = %s AND s."by" = '' AND s.until > %s
    AND c.space_id = s.space_id AND c.name = s."case" AND q.case_id = c.id"""


class Aside(NamedTuple):
    """An open case that is put aside for everybody, by its key, its kind and who alone brought it."""

    key: int
    kind: str
    source: str


def everybody(space: Space, now: int, upto: int | None = None) -> list[Aside]:
    """The open cases that are put aside for everybody, of those that there were when the line at a position was the
    last."""
    aside = SetAside.objects.filter(space=space, by="", until__gt=now)
    names = list(aside.values_list("case", flat=True)[:_MOST])
    if not names:
        return []
    keys = list(Case.objects.filter(space=space, name__in=names).values_list("pk", flat=True))
    found = Queued.objects.filter(pk__in=keys).values_list("pk", "kind", "source")
    return [Aside(*row) for row in (found if upto is None else found.filter(position__lte=upto))]


def is_skipped(space: Space, case: str, by: str) -> bool:
    """Whether somebody has put a case behind all others."""
    return SetAside.objects.filter(space=space, case=case, by=by).exists()


def in_hand(space: Space, names: Collection[str], now: int) -> dict[str, str]:
    """Who has which of some cases in hand."""
    held = Handout.objects.filter(space=space, case__in=names, until__gt=now)
    return dict(held.values_list("case", "by"))


def snoozed(space: Space, names: Collection[str], now: int) -> dict[str, int]:
    """Until when some cases are put aside for everybody."""
    aside = SetAside.objects.filter(space=space, case__in=names, by="", until__gt=now)
    return dict(aside.values_list("case", "until"))
