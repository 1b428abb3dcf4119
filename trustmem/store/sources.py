"""Sources: how many live facts each has, and how many of its facts people found right or wrong.

Names are walked along the index of facts by source, one step a name, however many facts a source has.
"""

import base64
import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple

from django.db import connection
from django.db.models import Count, Q

from trustmem.core.reliability import beta_interval
from trustmem.core.vocabulary import BANDS, LIVE
from trustmem.store import outcomes
from trustmem.store.models import Fact, Outcome, Score, Space

#: By name, or by reliability: the least reliable first, and only those of which something was found.
By = Literal["name", "reliability"]


class Source(NamedTuple):
    """A source: how many live facts it has in each band, and how many of its facts were found right, and wrong."""

    name: str
    bands: tuple[int, ...]
    right: int
    wrong: int


class Place(NamedTuple):
    """A place in a list of sources: next to this one, whose reliability is `mean` (0 in a list by name). `back`: the
    page that ends there, not the one that begins."""

    name: str
    mean: float = 0.0
    back: bool = False

    def __str__(self) -> str:
        """As text that may stand in an address."""
        return base64.urlsafe_b64encode(json.dumps(list(self)).encode()).decode().rstrip("=")

    @classmethod
    def of(cls, text: str) -> "Place":
        """The place of such a text; ValueError for any other.

        >>> Place.of(str(Place("crm", 0.5)))
        Place(name='crm', mean=0.5, back=False)
        """
        try:
            name, mean, back = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True))
        except (ValueError, TypeError, RecursionError):
            name = mean = back = None
        is_name = isinstance(name, str) and "\0" not in name and not any("\ud800" <= each <= "\udfff" for each in name)
        if not is_name or type(mean) is not float or not math.isfinite(mean) or type(back) is not bool:
            raise ValueError("this is no place in a list")
        return cls(name, mean, back)


class Page(NamedTuple):
    """Sources in order, and where the pages after and before begin; None: there is none."""

    rows: list[Source]
    next: Place | None
    previous: Place | None


def page(space: Space, by: By, after: Place | None = None, size: int = 20) -> Page:
    """The sources that come after a place in a list, or before it; as many queries for many as for one."""
    back = after is not None and after.back
    places = (_by_name if by == "name" else _by_reliability)(space, after, size + 1)
    more, shown = len(places) > size, places[:size]
    if back:
        shown.reverse()
    rows = told(space, [each.name for each in shown])
    if not shown:
        return Page([], None, None)
    has_next, has_previous = (True, more) if back else (more, after is not None)
    following = shown[-1] if has_next else None
    return Page(rows, following, shown[0]._replace(back=True) if has_previous else None)


def told(space: Space, names: Collection[str]) -> list[Source]:
    """Some sources, in their order, be there anything of them or not."""
    bands, judged = defaultdict[str, dict[int, int]](dict), found(space, names)
    rows = Score.objects.filter(space=space, state=LIVE, source__in=names).order_by().values("source", "band")
    for name, band, many in rows.annotate(many=Count("pk")).values_list("source", "band", "many"):
        bands[name][band] = many
    return [
        Source(name, tuple(bands[name].get(band, 0) for band in range(len(BANDS))), *judged.get(name, (0, 0)))
        for name in names
    ]


def found(space: Space, names: Iterable[str]) -> Mapping[str, tuple[int, int]]:
    """How many facts of some sources were found right, and how many wrong; without those of which nothing was."""
    rows = Outcome.objects.filter(space=space, source__in=set(names)).order_by().values("source")
    counted = rows.annotate(found_right=Count("pk", Q(right=True)), found_wrong=Count("pk", Q(right=False)))
    return {name: (right, wrong) for name, right, wrong in counted.values_list("source", "found_right", "found_wrong")}


def any_is_reviewed(space: Space) -> bool:
    """Whether somebody has found a fact of any source right or wrong."""
    return Outcome.objects.filter(space=space).exists()


def is_there(space: Space, name: str) -> bool:
    """Whether there is a fact of a source, or was one of which something was found."""
    return any(each.objects.filter(space=space, source=name).exists() for each in (Fact, Outcome))


def _by_reliability(space: Space, after: Place | None, size: int) -> list[Place]:
    """Of what people found there is never more than they can look at: all of it is sorted."""
    judged = outcomes.by_source(space)
    places = sorted((beta_interval(right, wrong).mean, name) for name, right, wrong in judged)
    if after is not None and after.back:
        places = [each for each in reversed(places) if each < (after.mean, after.name)]
    elif after is not None:
        places = [each for each in places if each > (after.mean, after.name)]
    return [Place(name, mean) for mean, name in places[:size]]


def _by_name(space: Space, after: Place | None, size: int) -> list[Place]:
    least, beyond = ("max", "<") if after is not None and after.back else ("min", ">")
    first = "" if after is None else f" AND source {beyond} %s"
    step = f"SELECT {least}(source) FROM store_fact WHERE space_id = %s"  # noqa: S608 (names of ours)
    walk = f"""WITH RECURSIVE walked(name, place) AS (
        SELECT ({step}{first}), 1
        UNION ALL
        SELECT ({step} AND source {beyond} walked.name), place + 1 FROM walked
        WHERE walked.name IS NOT NULL AND place < %s
    ) SELECT name FROM walked WHERE name IS NOT NULL ORDER BY place"""  # noqa: S608 (names of ours)
    given = (space.pk, *(() if after is None else (after.name,)), space.pk, size)
    with connection.cursor() as cursor:
        cursor.execute(walk, given)
        return [Place(name) for (name,) in cursor.fetchall()]
