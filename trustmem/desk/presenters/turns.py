"""Where somebody stands in the queue: how far they are, what they decided last, and what they can take back."""

from typing import NamedTuple

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.desk.instants import When, when
from trustmem.desk.numbers import capped, whole
from trustmem.desk.presenters import verdicts
from trustmem.desk.presenters.queue import Asked
from trustmem.explanations import cases as said
from trustmem.store import decisions, queue
from trustmem.store.models import Case, Space

#: So many decisions are listed.
MOST = 10


class Progress(NamedTuple):
    """How far somebody is: in words, of 100, and how many cases are new since they began ('': none)."""

    says: str
    percent: str
    fresh: str


def progress(space: Space, asked: Asked) -> Progress | None:
    """How far whoever began is; None: nobody says when that was."""
    filter = asked.filter
    if filter.upto is None:
        return None
    left, is_more = queue.count(space, filter)
    done, fresh = decisions.since(space, filter), queue.new_since(space, filter.upto)
    new = ngettext("{count} new since you began", "{count} new since you began", fresh[0])
    total = done + left
    return Progress(
        says=gettext("{place} of {total}").format(place=whole(min(done + 1, total)), total=capped(total, is_more)),
        percent=f"{100 * done / total:.0f}" if total else "100",
        fresh=new.format(count=capped(*fresh)) if fresh[0] else "",
    )


def looked_at(asked: Asked) -> str:
    """What of the queue somebody goes through; '': all of it."""
    kind = asked.filter.kind
    return said.kind(kind) if kind is not None else ""


class Back(NamedTuple):
    """What can be taken back: what it is called, of which case it is, when it was, where the form for it goes, and the
    act that this undoes ('': it is none)."""

    name: SafeString
    case: str
    at: When
    href: str
    act: str


class Turns(NamedTuple):
    """What somebody decided, the newest first; and what they can take back at once, what they did last first."""

    trail: list[Back]
    last: list[Back]


def turns(space: Space, by: str, asked: Asked, now: int) -> Turns:
    """What somebody did last in the queue."""
    decided, aside = decisions.last(space, by, MOST), decisions.put_aside(space, by)
    query = asked.query()
    trail = [
        Back(name, each.case, when(each.at, now), _address("case-undo", space, each.case, query), each.act)
        for name, each in zip(verdicts.names(space, decided), decided, strict=True)
    ]
    last = trail[:1]
    if aside is not None:
        back = _address("case-take-up", space, aside.case, query)
        put = Back(_aside(space, aside.case, aside.by), aside.case, when(aside.at, now), back, "")
        last = [put, *last] if not decided or aside.at >= decided[0].at else [*last, put]
    return Turns(trail, last)


def _address(name: str, space: Space, case: str, query: str) -> str:
    return reverse(name, args=[space.name, case]) + query


def _aside(space: Space, name: str, whose: str) -> SafeString:
    what = gettext("skipped, “{of}”") if whose else gettext("snoozed, “{of}”")
    return format_html(what, of=called(space, name))


def called(space: Space, name: str) -> SafeString | str:
    """A case by the claim that it is about first, for those who may decide about it."""
    case = Case.objects.filter(space=space, name=name).first()
    facts = case.facts[:1] if case else []
    return verdicts.claims(space, facts).get(facts[0], name) if facts else name
