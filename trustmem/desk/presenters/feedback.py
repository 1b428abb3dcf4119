"""What helps and what misleads, by what was reported of using facts: how useful these prove, beside their trust."""

from collections.abc import Mapping
from typing import NamedTuple, cast, get_args
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from trustmem.core.vocabulary import BANDS
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters.evaluations import OUTCOMES
from trustmem.desk.presenters.texts import beginning
from trustmem.store import feedback, lists, queries
from trustmem.store.feedback import Place, Which
from trustmem.store.models import Fact, Space
from trustmem.store.states import ALIVE

#: So many facts stand in each part of the page, and on a page of one list.
_FEW, _SIZE = 8, 25
_BEGINNING = 200
_TITLES: Mapping[Which, Promise] = {
    "helps": gettext_lazy("What helps"),
    "misleads": gettext_lazy("What misleads"),
    "suppressed": gettext_lazy("What is suppressed"),
}


class Asked(NamedTuple):
    """Which list is asked for (None: the beginnings of all), of which source (None: any), and from which place on."""

    which: Which | None = None
    source: str | None = None
    after: Place | None = None

    @classmethod
    def of(cls, said: Mapping[str, str]) -> "Asked":
        """What an address asks for. Raises BadRequest for what is no such thing."""
        unknown = said.keys() - {"which", "source", "after"}
        which, source, after = (said.get(name, "").strip() for name in ("which", "source", "after"))
        if unknown or which not in ("", *get_args(Which)) or "\0" in source:
            raise BadRequest(gettext("There is no such list of feedback."))
        try:
            return cls(cast(Which, which) if which else None, source or None, Place.of(after) if after else None)
        except ValueError:
            raise BadRequest(gettext("This is no place in a list.")) from None

    def query(self, which: Which | None, after: Place | None = None) -> str:
        """The address of a list of the same source."""
        said = {"which": which, "source": self.source, "after": None if after is None else str(after)}
        return f"?{urlencode({name: value for name, value in said.items() if value})}"


class Row(NamedTuple):
    """A fact with its usefulness, of how much feedback that is, and how often each outcome was reported: in all, and of
    these by nobody fact by fact ('': each was)."""

    href: str
    text: str | None
    source: str
    band: str
    trust: str
    priority: str
    evaluations: str
    outcomes: list[tuple[str, str, str]]
    is_suppressed: bool


class Part(NamedTuple):
    """A list, or its beginning; and where the whole of that, and the pages beside this one are ('': nowhere)."""

    which: str
    title: str
    rows: list[Row]
    all_href: str = ""
    next: str = ""
    previous: str = ""


class Lists(NamedTuple):
    """What is shown, and below which usefulness a fact is suppressed."""

    parts: list[Part]
    least: str


def lists_of(space: Space, asked: Asked) -> Lists:
    """One list, a page of it; or the beginnings of all, and what was reported most often as wrong or of no help."""
    least = queries.constants(space).suppress_threshold
    if asked.which is not None:
        return Lists([_list(space, asked, asked.which, least)], two(least))
    parts = [_list(space, asked, which, least) for which in get_args(Which)]
    against = _rows(space, feedback.most_against(space, asked.source, _FEW), least)
    return Lists([*parts, Part("against", gettext("Most often corrected or unhelpful"), against)], two(least))


def _list(space: Space, asked: Asked, which: Which, least: float) -> Part:
    is_one = asked.which is not None
    found = feedback.page(space, which, asked.source, asked.after, _SIZE if is_one else _FEW)
    rows, title = _rows(space, found.facts, least), str(_TITLES[which])
    if not is_one:
        return Part(which, title, rows, asked.query(which) if found.next else "")
    ways = ("" if each is None else asked.query(which, each) for each in (found.next, found.previous))
    return Part(which, title, rows, "", *ways)


def _rows(space: Space, facts: list[int], least: float) -> list[Row]:
    """As many queries for many as for one."""
    told, outcomes, implicit = lists.rows(facts), feedback.outcomes(space, facts), feedback.implicit(space, facts)
    useful = Fact.objects.filter(pk__in=facts).values_list("pk", "retrieval_priority", "reinforcement_count")
    of = {pk: (priority, count) for pk, priority, count in useful}
    return [
        _row(space, each, *of[each.pk], _outcomes(outcomes.get(each.pk, {}), implicit.get(each.pk, {})), least)
        for each in told
        if each.pk in of
    ]


def _outcomes(every: Mapping[str, int], implicit: Mapping[str, int]) -> list[tuple[str, str, str]]:
    return [
        (str(OUTCOMES[name]), whole(many), whole(implicit[name]) if name in implicit else "")
        for name, many in every.items()
    ]


def _row(
    space: Space, row: lists.Row, priority: float, count: int, outcomes: list[tuple[str, str, str]], least: float
) -> Row:
    text = ALIVE.told(row.text, row.state)
    return Row(
        reverse("fact", args=[space.name, row.name]),
        None if text is None else beginning(text, _BEGINNING),
        row.source,
        "" if row.band is None else BANDS[row.band],
        "" if row.trust is None else two(row.trust),
        two(priority),
        ngettext("{count} evaluation", "{count} evaluations", count).format(count=whole(count)),
        outcomes,
        priority < least,
    )
