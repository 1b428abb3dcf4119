"""Feedback: which live facts of a space prove useful, which do not, and what was reported of each.

No index has facts by usefulness, since few have any: a page looks at the facts of the space, or of a source, one by
one, and brings no more of them than it shows.
"""

import base64
import json
import math
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from trustmem.core.columns import CODE
from trustmem.core.reinforcement import NEUTRAL_PRIORITY
from trustmem.core.vocabulary import LIVE, OUTCOMES
from trustmem.store import bulk, queries
from trustmem.store.models import Line, Space, Statement

#: How the id of a feedback ends that nobody gave fact by fact: it was seen, or follows from what was used of a search.
IMPLICIT = ":implicit"
_IMPLICIT = Q(name__endswith=IMPLICIT) & ~Q(act="")
#: What helps, the most useful first; what misleads, the least useful first; and what agents are not served.
Which = Literal["helps", "misleads", "suppressed"]
#: Outcomes that speak against using a fact, and so many of the latest reports of each that are counted.
AGAINST = ("corrected", "unhelpful")
LATEST = 10_000
#: What was reported of a fact at least once that helps or misleads: what is only ignored does neither.
_REPORTED: Mapping[Which, tuple[str, ...]] = {"helps": ("helpful",), "misleads": AGAINST, "suppressed": ()}


class Place(NamedTuple):
    """Next to a fact of this retrieval priority; `back`: the page that ends there, not the one that begins."""

    priority: float
    fact: int
    back: bool = False

    def __str__(self) -> str:
        """As text that may stand in an address."""
        return base64.urlsafe_b64encode(json.dumps(list(self)).encode()).decode().rstrip("=")

    @classmethod
    def of(cls, text: str) -> "Place":
        """The place of such a text; ValueError for any other.

        >>> Place.of(str(Place(0.5, 7)))
        Place(priority=0.5, fact=7, back=False)
        """
        try:
            priority, fact, back = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True))
        except (ValueError, TypeError, RecursionError):
            priority = fact = back = None
        if type(priority) is not float or not math.isfinite(priority) or type(fact) is not int or abs(fact) >= 2**63:
            raise ValueError("this is no place in a list")
        if type(back) is not bool:
            raise ValueError("this is no place in a list")
        return cls(priority, fact, back)


class Page(NamedTuple):
    """Keys of facts in order, and where the pages after and before begin; None: there is none."""

    facts: list[int]
    next: Place | None
    previous: Place | None


def page(space: Space, which: Which, source: str | None = None, after: Place | None = None, size: int = 20) -> Page:
    """The live facts that come after a place in a list, or before it. What helps was reported to at least once, and is
    at least as useful as what nobody reported anything of; what misleads was reported as wrong or of no help, and is
    less useful than that."""
    back = after is not None and after.back
    places = _places(space, which, source, after, size + 1)
    more, shown = len(places) > size, places[:size]
    if back:
        shown.reverse()
    if not shown:
        return Page([], None, None)
    has_next, has_previous = (True, more) if back else (more, after is not None)
    following = shown[-1] if has_next else None
    preceding = shown[0]._replace(back=True) if has_previous else None
    return Page([each.fact for each in shown], following, preceding)


def _places(space: Space, which: Which, source: str | None, after: Place | None, size: int) -> list[Place]:
    is_falling = (which == "helps") is not (after is not None and after.back)
    least, below = _range(space, which)
    # By the index of a source, or in the order in which facts stand: a state alone is no way to them.
    state = "f.state + 0 = %s" if source is None else "f.state = %s"
    where = ["f.space_id = %s", state, "f.reinforcement_count > 0", "f.retrieval_priority >= %s"]
    where += ["f.retrieval_priority < %s"]
    values: list[int | float | str] = [space.pk, LIVE, least, below]
    if _REPORTED[which]:
        kinds = ", ".join(str(CODE[each]) for each in _REPORTED[which])
        where.append(f"EXISTS (SELECT 1 FROM store_statement s WHERE s.fact_id = f.id AND s.kind IN ({kinds}))")  # noqa: S608 (numbers of ours)
    if source is not None:
        where, values = [*where, "f.source = %s"], [*values, source]
    if after is not None:
        where.append(f"(f.retrieval_priority, f.id) {'<' if is_falling else '>'} (%s, %s)")
        values += [after.priority, after.fact]
    way = "DESC" if is_falling else "ASC"
    asked = f"SELECT f.retrieval_priority, f.id FROM store_fact f WHERE {' AND '.join(where)}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(f"{asked} ORDER BY f.retrieval_priority {way}, f.id {way} LIMIT {size}", values)
        return [Place(priority, fact) for priority, fact in cursor.fetchall()]


def _range(space: Space, which: Which) -> tuple[float, float]:
    """From which priority on, and below which, facts belong to a list."""
    if which == "helps":
        return NEUTRAL_PRIORITY, 2.0
    return 0.0, NEUTRAL_PRIORITY if which == "misleads" else queries.constants(space).suppress_threshold


def most_against(space: Space, source: str | None = None, size: int = 10) -> list[int]:
    """The live facts that were reported most often as wrong or of no help, by their keys; of the latest reports,
    without what is implicit, which would drown what somebody said."""
    lines = Line.objects.filter(space=space).exclude(_IMPLICIT)
    latest = [lines.filter(tag=f"feedback.{each}").order_by("-position") for each in AGAINST]
    of_one, of_other = (Q(position__in=each.values("position")[:LATEST]) for each in latest)
    found = Statement.objects.filter(of_one | of_other, space=space, fact__state=LIVE)
    if source is not None:
        found = found.filter(fact__source=source)
    counted = found.order_by().values("fact").annotate(many=Count("pk")).order_by("-many", "-fact")
    return [fact for fact, _ in counted.values_list("fact", "many")[:size]]


def is_implicit(id: str, act: str | None) -> bool:
    """Whether a feedback was given by nobody fact by fact, by its id and its act.

    >>> is_implicit("act:7:1:implicit", "act:7"), is_implicit("mine:implicit", None)
    (True, False)
    """
    return act is not None and id.startswith(f"{act}:") and id.endswith(IMPLICIT)


def outcomes(space: Space, facts: Collection[int]) -> Mapping[int, Mapping[str, int]]:
    """How often each outcome was reported of some facts, and was not undone."""
    return _counted(Statement.objects.filter(space=space), facts)


def implicit(space: Space, facts: Collection[int]) -> Mapping[int, Mapping[str, int]]:
    """How often of these by nobody fact by fact."""
    lines = Line.objects.filter(_IMPLICIT, space=space, position=OuterRef("position"))
    return _counted(Statement.objects.filter(Exists(lines), space=space), facts)


def _counted(said: "QuerySet[Statement]", facts: Collection[int]) -> Mapping[int, Mapping[str, int]]:
    names, found = {CODE[each]: each for each in OUTCOMES}, defaultdict[int, dict[str, int]](dict)
    for chunk in bulk.chunks(facts):
        rows = said.filter(fact__in=chunk, kind__in=names)
        counted = rows.order_by().values("fact", "kind").annotate(many=Count("pk"))
        for fact, kind, many in counted.values_list("fact", "kind", "many"):
            found[fact][names[kind]] = many
    return {fact: {each: told[each] for each in OUTCOMES if each in told} for fact, told in found.items()}
