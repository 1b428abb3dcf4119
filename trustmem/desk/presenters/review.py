"""The queue as its page shows it: how far people are with it, what it can be narrowed to, and the cases. Each part is
read by itself, so that one that cannot be read leaves the others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.actions import verdicts
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.core.vocabulary import STATES
from trustmem.desk.instants import When, ahead, when
from trustmem.desk.numbers import capped, two, whole
from trustmem.desk.presenters import candidates, reliability
from trustmem.desk.presenters.queue import ASIDE, Asked
from trustmem.desk.presenters.texts import about, beginning
from trustmem.desk.presenters.tiles import tile
from trustmem.explanations import cases
from trustmem.explanations.queue import AtStake, Told, told
from trustmem.store import queue, sources
from trustmem.store.models import Case, Queued, SavedView, Space
from trustmem.store.queue import Counted, Filter, Group
from trustmem.store.states import GUARDED

#: So many cases stand on a page, and so much of a claim and of a name in a row.
SIZE = 20
_BEGINNING, _LONGEST_NAME = 160, 60
_HOUR = MICROSECONDS_PER_DAY // 24


class Shown(NamedTuple):
    """A claim at stake in a row; `text` None: it is erased, or forgotten and not told to who looks."""

    text: str | None
    about: str
    state: str
    band: str
    trust: str


class Row(NamedTuple):
    """An open case in the queue; `why` is how the detector found it ('': it did not), `given` what a file calls it,
    `is_blind`: what its claims are worth is told once it is decided, `found` how many facts of its source were found
    right ('': nothing was) and `found_href` where that stands, `is_mine`: who looks has it in hand, else `in_hand` has
    ('': nobody). Until when it is `snoozed` (None: it is not), and where the form goes by which it is taken up."""

    name: str
    href: str
    kind: str
    given: str
    claims: list[Shown]
    is_blind: bool
    more: str
    stakes: str
    why: SafeString | str
    source: str
    source_href: str
    found: str
    found_href: str
    at: When
    in_hand: str
    is_mine: bool
    snoozed: When | None
    take_up_href: str


class Rows(NamedTuple):
    """A page of the queue, and the address of the next ('': there is none)."""

    rows: list[Row]
    next: str


class Choice(NamedTuple):
    """What the queue can be narrowed to: `title` of ours or `name` of a user's, how many that are, and the address;
    `is_set`: it is narrowed to that, and the address takes that back."""

    title: str
    name: str
    many: str
    href: str
    is_set: bool


class Alike(NamedTuple):
    """What is shown as one: a sentence but for the source, its cases, and where to decide all of them."""

    says: str
    source: str
    href: str
    all_href: str


class Alikes(NamedTuple):
    """The largest groups, and whether there are more."""

    rows: list[Alike]
    is_more: bool


class Progress(NamedTuple):
    """How far people are: each a number and what it is of; `is_empty`: nothing is left of what is looked at, `is_new`:
    there never was a case; how many cases are put aside ('': none)."""

    left: str
    aside: str
    is_empty: bool
    is_new: bool
    facts: list[tuple[str, str]]
    oldest: When | None
    fresh: str


class Kept(NamedTuple):
    """A saved view."""

    title: str
    href: str
    is_here: bool


def page(space: Space, asked: Asked, by: str, now: int, *, sees_all: bool) -> dict[str, Any]:
    """All that the page of the queue shows to somebody; `sees_all`: to somebody who decides about facts."""
    return {
        "asked": asked,
        "query": asked.query(),
        "fields": asked.fields(),
        "all_query": asked.query(kind=None, source=None, aside=None),
        "aside_href": asked.query(kind=None, source=None, aside=ASIDE),
        "is_aside": asked.filter.aside,
        "fresh_href": asked.query(upto=space.head_position) or "?",
        "chosen": _chosen(asked),
        "is_narrowed": asked.filter.kind is not None or asked.filter.source is not None,
        "all_href": _all_of(space, asked.filter) if asked.filter.kind is not None and not asked.filter.aside else "",
        "progress": tile(now, lambda: _progress(space, asked, by, now)),
        "found": tile(now, lambda: rows(space, asked, by, now, sees_all=sees_all)),
        "groups": tile(now, lambda: _groups(space, asked)),
        "kinds": tile(now, lambda: _kinds(space, asked)),
        "sources": tile(now, lambda: _sources(space, asked)),
        "views": tile(now, lambda: _views(space, asked, by)),
    }


def rows(space: Space, asked: Asked, by: str, now: int, *, sees_all: bool) -> Rows:
    """The cases of a page, in order."""
    found = queue.page(space, asked.filter, asked.after, SIZE)
    more = asked.query(after=str(found.next)) if found.next else ""
    return Rows(listed(space, found.rows, asked, by, now, sees_all=sees_all), more)


def listed(
    space: Space, found: Sequence[Queued], asked: Asked, by: str, now: int, *, sees_all: bool = True
) -> list[Row]:
    """Cases of the queue as rows, whose links keep what is looked at."""
    cases_told = told(space, found, now)
    judged = sources.found(space, {each.source for each in cases_told})
    return [_row(space, each, judged, asked, by, now, sees_all) for each in cases_told]


def _row(
    space: Space,
    case: Told,
    judged: Mapping[str, tuple[int, int]],
    asked: Asked,
    by: str,
    now: int,
    sees_all: bool,
) -> Row:
    more = ngettext("and {count} more claim", "and {count} more claims", case.more)
    onward = asked.query(aside=None)
    return Row(
        name=case.name,
        href=reverse("case", args=[space.name, case.name]) + onward,
        kind=cases.kind(case.kind),
        given=beginning(case.given, _LONGEST_NAME),
        claims=[_shown(claim, sees_all) for claim in case.claims],
        is_blind=case.is_blind,
        more=more.format(count=whole(case.more)) if case.more else "",
        stakes=case.stakes,
        why=_why(case, sees_all),
        source=beginning(case.source, _LONGEST_NAME),
        source_href=reverse("review", args=[space.name]) + asked.query(source=case.source) if case.source else "",
        found=reliability.beside(judged, case.source),
        found_href=reverse("source", args=[space.name, case.source]) if case.source else "",
        at=when(case.at, now),
        in_hand=case.in_hand,
        is_mine=case.in_hand == by,
        snoozed=ahead(case.snoozed_until, now) if case.snoozed_until is not None else None,
        take_up_href=reverse("case-take-up", args=[space.name, case.name]) + onward,
    )


def _why(case: Told, sees_all: bool) -> SafeString | str:
    if case.found is None:
        return ""
    is_told = all(_shown(claim, sees_all).text is not None for claim in case.claims)
    return candidates.found(case.found if is_told else case.found._replace(exchanged=[]))


def _shown(claim: AtStake, sees_all: bool) -> Shown:
    text = GUARDED.told(claim.text, STATES.index(claim.state or "live"), sees_all=sees_all)
    return Shown(
        text=None if text is None else beginning(text, _BEGINNING),
        about="" if text is None else about(claim.subject, text),
        state=claim.state,
        band=claim.band,
        trust=two(claim.trust) if claim.band else "",
    )


def _all_of(space: Space, filter: Filter) -> str:
    """Where all cases of a filter are decided at once; '': they are not."""
    if filter.kind is not None and not verdicts.of_many(filter.kind):
        return ""
    return reverse("review-all", args=[space.name]) + Asked(filter).query()


def _chosen(asked: Asked) -> list[Choice]:
    """What the queue is narrowed to, each with the address that takes that back."""
    kind, source = asked.filter.kind, asked.filter.source
    found = []
    if kind is not None:
        found.append(Choice(cases.kind(kind), "", "", asked.query(kind=None) or "?", is_set=True))
    if source is not None:
        found.append(Choice("", source, "", asked.query(source=None) or "?", is_set=True))
    if asked.filter.aside:
        found.append(Choice(gettext("put aside"), "", "", asked.query(aside=None) or "?", is_set=True))
    return found


def _progress(space: Space, asked: Asked, by: str, now: int) -> Progress:
    left, flow = queue.count(space, asked.filter), queue.flow(space, now)
    aside = queue.count(space, replace(asked.filter, kind=None, source=None, aside=True))
    today = now - now % MICROSECONDS_PER_DAY
    mine, everybody = queue.closed_since(space, today, by), queue.closed_since(space, today)
    hour = queue.closed_since(space, now - _HOUR)
    return Progress(
        left=capped(*left),
        aside=capped(*aside) if aside[0] else "",
        is_empty=not left[0],
        is_new=not left[0] and not queue.has_had(space),
        facts=[
            (gettext("done today"), capped(*everybody)),
            (gettext("of these by you"), capped(*mine)),
            (gettext("done in the last hour"), capped(*hour)),
            (gettext("opened in the last day"), capped(*flow.opened)),
            (gettext("closed in the last day"), capped(*flow.closed)),
        ],
        oldest=when(flow.oldest, now) if flow.oldest is not None else None,
        fresh=_fresh(queue.new_since(space, asked.filter.upto, asked.filter)) if asked.filter.upto is not None else "",
    )


def _fresh(new: Counted) -> str:
    if not new[0]:
        return ""
    return ngettext("{count} new since you began", "{count} new since you began", new[0]).format(count=capped(*new))


def _kinds(space: Space, asked: Asked) -> list[Choice]:
    found = queue.kinds(space, asked.filter)
    return [
        Choice(
            cases.kind(kind),
            "",
            capped(*many),
            asked.query(kind=None if kind == asked.filter.kind else kind) or "?",
            is_set=kind == asked.filter.kind,
        )
        for kind, many in found.items()
    ]


def _sources(space: Space, asked: Asked) -> list[Choice]:
    found = queue.sources(space, asked.filter)
    return [
        Choice(
            "",
            beginning(source, _LONGEST_NAME),
            capped(*many),
            asked.query(source=None if source == asked.filter.source else source) or "?",
            is_set=source == asked.filter.source,
        )
        for source, many in found.items()
    ]


def _groups(space: Space, asked: Asked) -> Alikes:
    found = queue.groups(space, asked.filter)
    return Alikes([_alike(space, group, asked) for group in found[: queue.GROUPS]], len(found) > queue.GROUPS)


def alike(space: Space, case: Case) -> Alike | None:
    """What is shown as one with a case; None: nothing is."""
    group = queue.group_of(space, case)
    return _alike(space, group, Asked(Filter())) if group else None


def _alike(space: Space, group: Group, asked: Asked) -> Alike:
    count, is_more = group.many
    of_group = Filter(group.kind, group.source, asked.filter.upto)
    return Alike(
        says=cases.kinds(group.kind, count, lambda many: capped(many, is_more)),
        source=beginning(group.source, _LONGEST_NAME),
        href=Asked(of_group).query(),
        all_href=_all_of(space, of_group),
    )


def _views(space: Space, asked: Asked, by: str) -> list[Kept]:
    here = asked.query(upto=None).removeprefix("?")
    kept = SavedView.objects.filter(space=space, by=by).order_by("title", "pk")
    return [Kept(title, f"?{query}", query == here) for title, query in kept.values_list("title", "query")]
